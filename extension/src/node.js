// A node of the page, held in this extension's isolated world of its frame: there
// the page's own scripts can neither lie about it nor see what is asked.

import { Fault } from './fault.js';
import { flatten } from './frames.js';
import { send, world } from './session.js';

/** @typedef {import('./wire.js').Target} Target */

/**
 * @typedef {object} Held
 * @property {number} tab
 * @property {string} targetId of its session
 * @property {string} objectId valid only in the document it was made in
 * @property {number} contextId of the isolated world
 * @property {number} zoom px of its session for one of its frame
 * @property {string} group all that is held with it
 */

let groups = 0;

/**
 * Holds a target's node while work runs.
 * @template T
 * @param {number} tab in use
 * @param {Target} target
 * @param {(node: Held) => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {Fault} stale_uid when its document or the node is not there any more
 */
export async function hold(tab, target, work) {
  const { targetId, frameId, loaderId, backendDOMNodeId: backendNodeId } = target;
  const group = `handrail-${++groups}`;
  try {
    const contextId = await world(tab, targetId, frameId).catch(thrown => absent(thrown) ? undefined : rethrow(thrown));
    // The document is looked at after the node was found: ids of a node and of a
    // world mean others in the next document.
    const [object, tree] = await Promise.allSettled([
      send(tab, targetId, 'DOM.resolveNode', { backendNodeId, executionContextId: contextId, objectGroup: group }),
      send(tab, targetId, 'Page.getFrameTree'),
    ]);
    if (tree.status === 'rejected') throw absent(tree.reason) ? stale('gone', 'the frame is no longer in the page') : tree.reason;
    const frame = flatten(tree.value.frameTree).find(({ id }) => id === frameId);
    if (!frame) throw stale('gone', 'the frame is no longer in the page');
    if (frame.loaderId !== loaderId) throw stale('document', 'the page has moved on to another document');
    if (object.status === 'rejected' && !absent(object.reason)) throw object.reason;
    const objectId = object.status === 'fulfilled' && contextId !== undefined ? object.value.object.objectId : undefined;
    if (!objectId) throw stale('gone', 'the node is no longer in the page');
    const zoom = await zoomOf(tab, targetId, frameId, tree.value.frameTree.frame.id);
    return await work({ tab, targetId, objectId, contextId: contextId ?? 0, group, zoom });
  } catch (thrown) {
    throw absent(thrown) ? await lost(tab, target, thrown) : thrown;
  } finally {
    send(tab, targetId, 'Runtime.releaseObjectGroup', { objectGroup: group }).catch(() => {}); // with its document, if not before
  }
}

/**
 * How much larger a frame is drawn than its session's root. CSS zoom reaches into the
 * frames of one process, and Chromium tells their boxes in px of the frame's own: of an
 * iframe zoomed to 1.3, what is told at 248 stands at 323.
 * @param {number} tab @param {string} targetId @param {string} frameId @param {string} root
 * @returns {Promise<number>}
 */
export async function zoomOf(tab, targetId, frameId, root) {
  if (frameId === root) return 1;
  const [own, whole] = await Promise.all([frameId, root].map(async id => {
    const contextId = await world(tab, targetId, id);
    const { result } = await send(tab, targetId, 'Runtime.evaluate', { expression: 'devicePixelRatio', contextId, returnByValue: true });
    return Number(result.value);
  }));
  return own / whole;
}

/** What to say when the page no longer knows what was held. @param {number} tab @param {Target} target @param {Fault} fault */
async function lost(tab, { targetId, frameId, loaderId }, fault) {
  const tree = await send(tab, targetId, 'Page.getFrameTree').catch(() => undefined);
  const frame = tree && flatten(tree.frameTree).find(({ id }) => id === frameId);
  if (frame?.loaderId === loaderId && !/context|node|object/i.test(fault.message)) return fault;
  const said = frame && frame.loaderId !== loaderId ? stale('document', 'the page has moved on to another document') : stale('gone', 'the node is no longer in the page');
  Object.assign(said.more, fault.more);
  return said;
}

/** Another node of the same frame. @param {Held} held @param {number} backendNodeId @returns {Promise<Held>} */
export async function alsoHold(held, backendNodeId) {
  const { object } = await send(held.tab, held.targetId, 'DOM.resolveNode', { backendNodeId, executionContextId: held.contextId, objectGroup: held.group });
  return { ...held, objectId: object.objectId ?? '' };
}

/**
 * Calls a function of in-page.js on what is held.
 * @template {unknown[]} A, R
 * @param {Held} held
 * @param {(this: any, ...args: A) => R} body
 * @param {...(A[number] | Held | null)} args values, or what is held too
 * @returns {Promise<Awaited<R>>}
 */
export async function inPage(held, body, ...args) {
  return (await call(held, body, args, true)).value;
}

/**
 * The same for a function whose result stays in the page.
 * @template {unknown[]} A, R
 * @param {Held} held
 * @param {(this: any, ...args: A) => R} body
 * @param {...(A[number] | Held | null)} args
 * @returns {Promise<Held>}
 */
export async function inPageKept(held, body, ...args) {
  return { ...held, objectId: (await call(held, body, args, false)).objectId ?? '' };
}

/** @param {Held} held @param {Function} body @param {unknown[]} args @param {boolean} returnByValue */
async function call({ tab, targetId, objectId }, body, args, returnByValue) {
  const { result, exceptionDetails } = await send(tab, targetId, 'Runtime.callFunctionOn', {
    objectId, functionDeclaration: body.toString(), returnByValue, awaitPromise: true,
    arguments: args.map(arg => (isHeld(arg) ? { objectId: arg.objectId } : { value: arg })),
  });
  if (exceptionDetails) throw new Fault('internal', exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result;
}

/** @param {unknown} arg @returns {arg is Held} */
const isHeld = arg => typeof arg === 'object' && arg !== null && 'objectId' in arg;

/** @param {'gone' | 'document' | 'renamed' | 'moved_context'} reason @param {string} message @param {string} [now] */
export const stale = (reason, message, now) => new Fault('stale_uid', message, { reason, ...(now === undefined ? {} : { now }) });

/** A node that the page took away, or put another in the place of, as it got the focus. */
export const goneAsFocused = () => new Fault('stale_uid', 'the node went away as it got the focus', { reason: 'gone', dispatched: 'yes', effect: 'seen' });

/** Whether a failure says that a node, its document or its frame is not there any more; what keeps the tab from answering is another matter. @param {unknown} thrown @returns {thrown is Fault} */
export const absent = thrown => thrown instanceof Fault &&
  ((thrown.code === 'internal' && thrown.cdp !== '') || (thrown.code === 'detached' && /frame/.test(thrown.message)));

/** @param {unknown} thrown @returns {never} */
function rethrow(thrown) {
  throw thrown;
}
