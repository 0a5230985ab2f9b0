// mark: draws a target in the page, over it and not in it, or takes the drawing
// away.

import { checkDocument } from './identity.js';
import { send, use } from './session.js';

/** The frame's session that has a drawing, by tab. @type {Map<number, string>} */
const drawn = new Map();
const colours = {
  contentColor: { r: 64, g: 128, b: 255, a: 0.3 }, borderColor: { r: 64, g: 128, b: 255, a: 0.9 },
};

/**
 * @param {import('./wire.js').HighlightParams} params
 * @returns {Promise<import('./wire.js').HighlightResult>}
 */
export async function mark({ tab, target }) {
  return use(tab, async () => {
    const before = drawn.get(tab);
    drawn.delete(tab);
    if (before !== undefined && before !== target?.targetId) await send(tab, before, 'Overlay.hideHighlight').catch(() => {});
    if (!target) return {};
    await checkDocument(tab, target);
    const { targetId, backendDOMNodeId: backendNodeId } = target;
    await Promise.all([send(tab, targetId, 'DOM.enable'), send(tab, targetId, 'Overlay.enable')]);
    await send(tab, targetId, 'DOM.scrollIntoViewIfNeeded', { backendNodeId }).catch(() => {});
    await send(tab, targetId, 'Overlay.highlightNode', { backendNodeId, highlightConfig: { ...colours, showInfo: false } });
    drawn.set(tab, targetId);
    return {};
  });
}
