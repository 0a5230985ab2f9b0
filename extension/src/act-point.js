// Actionability: where a node can be clicked, or why it cannot. Nothing here
// sends an input event.

import { Fault } from './fault.js';
import { nameOf } from './identity.js';
import { firstLabel, meets, probe, toCentre, twoFrames } from './in-page.js';
import { children, send } from './session.js';

/** @typedef {import('./identity.js').Node} Node */
/** @typedef {import('./in-page.js').Probe} Probe */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./wire.js').Candidate} Candidate */
/** @typedef {{x: number, y: number}} Point CSS px in the viewport of the target's session */
/** @typedef {{point: Point, rect: [number, number, number, number]}} Place */

/**
 * Calls a function of in-page.js on a node.
 * @template {unknown[]} A, R
 * @param {number} tab @param {string} targetId @param {string} objectId
 * @param {(this: any, ...args: A) => R} body
 * @param {...(A[number] | {objectId: string})} args values, or other nodes by their objectId
 * @returns {Promise<Awaited<R>>}
 */
export async function inPage(tab, targetId, objectId, body, ...args) {
  const { result, exceptionDetails } = await send(tab, targetId, 'Runtime.callFunctionOn', {
    objectId, functionDeclaration: body.toString(), returnByValue: true, awaitPromise: true,
    arguments: args.map(arg => (typeof arg === 'object' && arg !== null && 'objectId' in arg ? { objectId: String(arg.objectId) } : { value: arg })),
  });
  if (exceptionDetails) throw new Fault('internal', exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

/**
 * Probes a node and refuses what waiting cannot cure.
 * @param {number} tab @param {Target} target @param {Node} node
 * @returns {Promise<Probe>}
 */
export async function ready(tab, target, node) {
  const found = await inPage(tab, target.targetId, node.objectId, probe);
  if (!found.visible) throw new Fault('not_visible', hiddenOption(found) ?? 'the node is not displayed');
  if (found.disabled) throw new Fault('disabled', undefined, { reason: found.disabled });
  return found;
}

/** @param {Probe} found */
const hiddenOption = found => (found.tag === 'option' ? 'the option is in a closed list' : undefined);

/**
 * Scrolls a node into view and finds where a click meets it.
 * @param {number} tab @param {Target} target @param {Node} node
 * @param {number} deadline Unix ms
 * @returns {Promise<Place>}
 * @throws {Fault} not_visible, covered with what covers it
 */
export async function locate(tab, target, node, deadline) {
  const { targetId } = target;
  let covered = 0;
  /** @type {Place | undefined} */
  let before;
  for (let missing = 0; ;) {
    await send(tab, targetId, 'DOM.scrollIntoViewIfNeeded', { objectId: node.objectId }).catch(detached);
    const place = await box(tab, targetId, node);
    if (place && before && still(before.point, place.point)) {
      const cover = await coverOf(tab, target, node, place.point);
      if (!cover) return place;
      if (++covered > 1) {
        const free = await freePoint(tab, target, node, place);
        if (free) return free;
        throw new Fault('covered', `${describe(cover)} covers the point to click`, { candidates: [cover] });
      }
      // What covers may be about to go (a tooltip, a spinner), or be a bar from under which the node can be scrolled.
      await inPage(tab, targetId, node.objectId, toCentre);
    } else if (Date.now() > deadline) {
      throw new Fault('not_visible', place ? 'the node keeps moving' : 'the node has no box in the viewport');
    } else if (!place && ++missing > 1) {
      throw new Fault('not_visible', 'the node has no box in the viewport');
    }
    before = place;
    await inPage(tab, targetId, node.objectId, twoFrames);
  }
}

/** A node that only breathes stays where it is clicked. @param {Point} a @param {Point} b */
const still = (a, b) => Math.abs(a.x - b.x) <= 1 && Math.abs(a.y - b.y) <= 1;

/** Another point of a node whose middle is covered. @param {number} tab @param {Target} target @param {Node} node @param {Place} place */
async function freePoint(tab, target, node, { rect }) {
  const [left, top, width, height] = rect;
  for (const [right, down] of [[0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.1], [0.9, 0.9]]) {
    const point = { x: left + width * right, y: top + height * down };
    if (!await coverOf(tab, target, node, point)) return { point, rect };
  }
  return undefined;
}

/**
 * The label that stands for a control, for controls that are drawn by it.
 * @param {number} tab @param {string} targetId @param {Node} node
 * @returns {Promise<Node | undefined>}
 */
export async function labelOf(tab, targetId, node) {
  const { result } = await send(tab, targetId, 'Runtime.callFunctionOn', { objectId: node.objectId, functionDeclaration: firstLabel.toString() });
  return result.objectId ? { ...node, objectId: result.objectId } : undefined;
}

/** @param {Candidate} cover */
const describe = ({ role, name, tag }) => (name ? `${role || tag} "${name}"` : `a ${role || tag}`);

/** @param {unknown} thrown @returns {undefined} */
function detached(thrown) {
  if (!(thrown instanceof Fault) || thrown.code !== 'internal') throw thrown;
  if (/detached/i.test(thrown.message)) throw new Fault('stale_uid', 'the node is no longer in the page', { reason: 'gone' });
  return undefined; // no layout: its box tells
}

/** The largest of a node's boxes, as far as it is in the viewport. @param {number} tab @param {string} targetId @param {Node} node @returns {Promise<Place | undefined>} */
async function box(tab, targetId, { objectId }) {
  const [{ quads }, { cssLayoutViewport: { clientWidth, clientHeight } }] = await Promise.all([
    send(tab, targetId, 'DOM.getContentQuads', { objectId }).catch(thrown => { detached(thrown); return { quads: [] }; }),
    send(tab, targetId, 'Page.getLayoutMetrics'),
  ]);
  let best;
  for (const quad of quads) {
    const [xs, ys] = [[quad[0], quad[2], quad[4], quad[6]], [quad[1], quad[3], quad[5], quad[7]]];
    const [left, top] = [Math.max(0, Math.min(...xs)), Math.max(0, Math.min(...ys))];
    const [width, height] = [Math.min(clientWidth, Math.max(...xs)) - left, Math.min(clientHeight, Math.max(...ys)) - top];
    if (width < 1 || height < 1 || (best && width * height <= best.rect[2] * best.rect[3])) continue;
    best = { point: { x: left + width / 2, y: top + height / 2 }, rect: /** @type {Place['rect']} */ ([left, top, width, height]) };
  }
  return best;
}

/**
 * What a click at a point would meet instead of the node, in its own session and
 * in those of the frames above it, which an OOPIF's hit test does not see.
 * @param {number} tab @param {Target} target @param {Node} node @param {Point} point
 * @returns {Promise<Candidate | undefined>}
 */
async function coverOf(tab, target, node, point) {
  const { targetId } = target;
  const hit = await hitAt(tab, targetId, point);
  if (!hit) return { role: '', name: '', tag: 'point outside the page' };
  if (hit.backendNodeId !== target.backendDOMNodeId) {
    const world = hit.frameId === target.frameId ? node.contextId : undefined;
    const { object } = await send(tab, targetId, 'DOM.resolveNode', { backendNodeId: hit.backendNodeId, executionContextId: world });
    const own = world !== undefined && await inPage(tab, targetId, node.objectId, meets, { objectId: object.objectId ?? '' });
    if (!own) return candidate(tab, targetId, hit);
  }
  const above = await children(tab);
  for (let frame = above.find(child => child.targetId === targetId); frame; frame = above.find(child => child.targetId === frame?.parent)) {
    const { parent } = frame;
    const owner = await send(tab, parent, 'DOM.getFrameOwner', { frameId: frame.targetId });
    point = await mapToParent(tab, frame.targetId, parent, owner.backendNodeId, point);
    const met = await hitAt(tab, parent, point);
    if (!met) return { role: '', name: '', tag: 'point outside the page' };
    if (met.backendNodeId !== owner.backendNodeId && met.frameId !== frame.targetId) return candidate(tab, parent, met);
  }
  return undefined;
}

/**
 * The node at a point of a session's viewport. The hit test wants coordinates of
 * the document, which scrolling moves.
 * @param {number} tab @param {string} targetId @param {Point} point
 */
async function hitAt(tab, targetId, { x, y }) {
  const { cssLayoutViewport: { pageX, pageY } } = await send(tab, targetId, 'Page.getLayoutMetrics');
  return send(tab, targetId, 'DOM.getNodeForLocation', { x: Math.floor(x + pageX), y: Math.floor(y + pageY), ignorePointerEventsNone: false })
    .catch(thrown => {
      if (thrown instanceof Fault && thrown.code === 'internal') return undefined; // no node there
      throw thrown;
    });
}

/** A point of an OOPIF in its parent's viewport. @param {number} tab @param {string} targetId @param {string} parent @param {number} owner @param {Point} point @returns {Promise<Point>} */
async function mapToParent(tab, targetId, parent, owner, { x, y }) {
  const [{ cssLayoutViewport: { clientWidth, clientHeight } }, { model: { content } }] = await Promise.all([
    send(tab, targetId, 'Page.getLayoutMetrics'),
    send(tab, parent, 'DOM.getBoxModel', { backendNodeId: owner }),
  ]);
  const [right, down] = [x / clientWidth, y / clientHeight];
  return {
    x: content[0] + (content[2] - content[0]) * right + (content[6] - content[0]) * down,
    y: content[1] + (content[3] - content[1]) * right + (content[7] - content[1]) * down,
  };
}

/** @param {number} tab @param {string} targetId @param {{backendNodeId: number, frameId: string}} hit @returns {Promise<Candidate>} */
async function candidate(tab, targetId, { backendNodeId, frameId }) {
  const [{ node }, { nodes }] = await Promise.all([
    send(tab, targetId, 'DOM.describeNode', { backendNodeId }),
    send(tab, targetId, 'Accessibility.getPartialAXTree', { backendNodeId, fetchRelatives: true }),
  ]);
  // The nearest node that the tree shows says best what it is.
  const shown = nodes.find(ax => ax.backendDOMNodeId === backendNodeId);
  const text = nodes.find(ax => !ax.ignored && ax.role?.value === 'StaticText' && ax.parentId === shown?.nodeId);
  const ax = shown && !shown.ignored ? shown : undefined;
  return {
    role: String(ax?.role?.value ?? ''), name: (nameOf(ax) || nameOf(text)).slice(0, 200), tag: node.localName || node.nodeName.toLowerCase(),
    backendDOMNodeId: backendNodeId, frameId,
  };
}
