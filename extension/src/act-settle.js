// Settling: after an act, until the page is quiet (A34): no change of its nodes or
// layout and no request for 150 ms, within a second; over a navigation, once the
// new document has loaded.

import { hideTyped } from './act-secrets.js';
import { after } from './act-watch.js';
import { asFault } from './fault.js';
import { idleTime } from './in-page.js';
import { watchRequests } from './requests.js';
import { hidden } from './secrets.js';
import { dialogOf, send, world } from './session.js';

/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */

const quietMs = 150;
const limitMs = 1000;
// What stays open by design is nothing to wait for.
const lasting = new Set(['WebSocket', 'EventSource', 'Ping', 'Media']);

/**
 * Runs an act and waits until the page is quiet.
 * @param {number} tab in use @param {Target | undefined} target
 * @param {() => Promise<Evidence>} act @param {string} [typed] by it
 * @returns {Promise<Evidence>} settled says whether quiet came
 */
export async function settling(tab, target, act, typed) {
  /** Requests without an end, and the document of each. @type {Map<string, string>} */
  const open = new Map();
  let last = 0; // when one ended, Unix ms
  let moved = ''; // address of a new document
  const targetId = target?.targetId ?? '';
  const isRoot = (/** @type {string} */ from, /** @type {{id: string, parentId?: string}} */ frame) => from === targetId && (target ? frame.id === target.frameId : !frame.parentId);
  const end = await watchRequests(tab, ['', targetId], (method, params, from) => {
    if (method === 'Network.requestWillBeSent' && !lasting.has(params.type)) open.set(params.requestId, params.loaderId);
    if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed') {
      if (open.delete(params.requestId)) last = Date.now();
    }
    if (method === 'Page.frameNavigated' && (isRoot(from, params.frame) || (from === '' && !params.frame.parentId))) {
      // What the document before it asked for may never be heard of again.
      for (const [id, loader] of open) if (loader !== params.frame.loaderId) open.delete(id);
      moved = params.frame.url;
    }
  });
  try {
    const done = await act();
    if (done.dialog || done.settled) return done;
    const settled = await calm(tab, target, () => (open.size > 0 ? 0 : Date.now() - last));
    const dialog = dialogOf(tab);
    // A form may put what was typed into its address; only what was told already is no secret.
    const hide = typed && (done.value_now ?? hidden) === hidden ? hideTyped(typed) : (/** @type {string} */ text) => text;
    const came = [...(moved && !done.new_document ? ['document'] : []), ...(dialog ? ['dialog'] : [])];
    if (came.length === 0) return { ...done, settled };
    const { hint: _, ...rest } = done;
    return {
      ...rest, settled, effect: 'seen', changes: [...new Set([...done.changes ?? [], ...came])],
      ...(came.includes('document') ? { new_document: true, url: hide(moved) } : {}), ...(dialog ? { dialog: hide(dialog.message || dialog.type) } : {}),
    };
  } finally {
    end();
  }
}

/**
 * Waits until nothing happens. An act that is done never fails here.
 * @param {number} tab @param {Target | undefined} target @param {() => number} unasked ms since the last request ended, 0 while there is one
 */
async function calm(tab, target, unasked) {
  for (const deadline = Date.now() + limitMs; ;) {
    const left = deadline - Date.now();
    const idle = Math.min(unasked(), ...await Promise.all([idleOf(tab, '', '', left), ...(target ? [idleOf(tab, target.targetId, target.frameId, left)] : [])]));
    if (idle >= quietMs) return Date.now() <= deadline;
    if (dialogOf(tab) || Date.now() + quietMs - idle > deadline) return false;
    await after(quietMs - idle);
  }
}

/**
 * For how many ms nothing has changed in a frame; 0 while it cannot be asked or loads.
 * @param {number} tab @param {string} targetId @param {string} frameId '' is the session's root @param {number} ms
 */
async function idleOf(tab, targetId, frameId, ms) {
  const ask = async () => {
    const id = frameId || (await send(tab, targetId, 'Page.getFrameTree')).frameTree.frame.id;
    const contextId = await world(tab, targetId, id);
    const { result, exceptionDetails } = await send(tab, targetId, 'Runtime.callFunctionOn', { executionContextId: contextId, functionDeclaration: idleTime.toString(), returnByValue: true });
    return exceptionDetails ? 0 : Number(result.value);
  };
  try {
    return await Promise.race([ask(), after(ms).then(() => 0)]);
  } catch (thrown) {
    // A frame that went with the act is quiet.
    return frameId && /frame/i.test(asFault(thrown).message) ? Infinity : 0;
  }
}
