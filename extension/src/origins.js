// The origins of frames. CDP tells that of a frame's address; a frame of about:blank
// or about:srcdoc has its maker's, unless it is sandboxed, which only it can tell.

import { originOf } from './frames.js';
import { send, world } from './session.js';

/** @typedef {import('devtools-protocol').Protocol.Page.Frame} Frame */

/**
 * A frame's origin as self.origin gives it there, to an isolated world.
 * @param {number} tab in use @param {string} targetId @param {Pick<Frame, 'id' | 'parentId' | 'url' | 'securityOrigin'>} frame
 * @returns {Promise<string>} 'null' for what has none
 */
export async function originIn(tab, targetId, { id, parentId, url, securityOrigin }) {
  const origin = originOf(securityOrigin);
  if (!parentId || !/^about:(blank|srcdoc)\b/.test(url)) return origin;
  try {
    const contextId = await world(tab, targetId, id);
    const { result } = await send(tab, targetId, 'Runtime.evaluate', { expression: 'self.origin', contextId, returnByValue: true });
    return originOf(String(result.value));
  } catch {
    return origin; // of a frame that went away
  }
}
