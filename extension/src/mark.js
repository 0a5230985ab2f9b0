// mark: draws a target over the page and not in it, or takes the drawing away.

import { check } from './identity.js';
import { hold } from './node.js';
import { children, send, use } from './session.js';

const colours = {
  contentColor: { r: 64, g: 128, b: 255, a: 0.3 }, borderColor: { r: 64, g: 128, b: 255, a: 0.9 },
};

/** Tabs in which something may be drawn. @type {Set<number>} */
const drawn = new Set();

/** Takes all drawings away: who asked for them has gone. */
export function unmark() {
  for (const tab of drawn) use(tab, () => clear(tab)).catch(() => {}); // what has gone has no drawing
}

/**
 * @param {import('./wire.js').HighlightParams} params
 * @returns {Promise<import('./wire.js').HighlightResult>}
 * @throws {Fault} stale_uid
 */
export async function mark({ tab, target, scroll }) {
  return use(tab, async () => {
    if (!target) return clear(tab);
    drawn.add(tab);
    return hold(tab, target, async node => {
      const { targetId, objectId } = node;
      await check(node, target);
      await clear(tab, targetId);
      await Promise.all([send(tab, targetId, 'DOM.enable'), send(tab, targetId, 'Overlay.enable')]);
      if (scroll) await send(tab, targetId, 'DOM.scrollIntoViewIfNeeded', { objectId }).catch(() => {}); // it may have no box
      await send(tab, targetId, 'Overlay.highlightNode', { objectId, highlightConfig: { ...colours, showInfo: false } });
      return {};
    });
  });
}

/** Takes away what this worker, or one before it, has drawn. @param {number} tab @param {string} [but] the session to draw in next */
async function clear(tab, but) {
  if (but === undefined) drawn.delete(tab);
  const sessions = ['', ...(await children(tab)).map(({ targetId }) => targetId)].filter(targetId => targetId !== but);
  await Promise.all(sessions.flatMap(targetId => [
    send(tab, targetId, 'Overlay.disable').catch(() => {}), send(tab, targetId, 'DOM.disable').catch(() => {}), // which fails where it was not enabled
  ]));
  return {};
}
