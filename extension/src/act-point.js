// Actionability: where a node can be clicked, or why it cannot. Nothing here
// sends an input event.

import { withholder } from './act-secrets.js';
import { Fault, quoted } from './fault.js';
import { check, fold, nameOf } from './identity.js';
import { areaIn, imageOf, labelOf, meets, scrollTo, twoFrames } from './in-page.js';
import { absent, alsoHold, inPage, inPageKept, stale } from './node.js';
import { children, send } from './session.js';

/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./wire.js').Candidate} Candidate */
/** @typedef {{x: number, y: number}} Point CSS px in the viewport of its session */

/**
 * Checks that a node is what it was, and refuses what waiting cannot cure.
 * @param {Held} node @param {Target} target @param {string} [expect]
 * @param {boolean} [whatever] it may be disabled
 * @returns {Promise<Seen>}
 */
export async function checkShown(node, target, expect, whatever = false) {
  let seen = await check(node, target, expect);
  if (seen.probe.skipped) {
    await send(node.tab, node.targetId, 'DOM.scrollIntoViewIfNeeded', { objectId: node.objectId });
    await inPage(node, twoFrames);
    seen = await check(node, target, expect);
  }
  const { ariaHidden, disabled, listed, skipped, visible } = seen.probe;
  if (listed) throw new Fault('wrong_kind', 'an option of a drop-down list has no place to click: choose it in its list');
  if (!visible || skipped) throw new Fault('not_visible', 'the node is not displayed');
  if (ariaHidden) throw new Fault('not_visible', 'the page hides the node (aria-hidden), as it does what stands under a dialog');
  if (disabled && !whatever) throw new Fault('disabled', undefined, { reason: disabled });
  return seen;
}

/**
 * Scrolls a node into view and finds where a click meets it, once it stands still.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Seen} seen
 * @param {number} deadline Unix ms
 * @param {Promise<number[] | undefined>} [stood] where it was two frames ago, if that is known
 * @returns {Promise<Point>}
 * @throws {Fault} not_visible, or covered with what covers it
 */
export async function locate(node, watcher, target, seen, deadline, stood) {
  const label = seen.probe.labelled ? await inPageKept(node, labelOf) : undefined;
  const drawn = seen.probe.tag === 'area' ? await imageWith(node) : node;
  let before = await stood;
  /** @type {Block[]} */
  const blocks = ['center', 'end', 'start'];
  for (let still = 0; ;) {
    await send(node.tab, node.targetId, 'DOM.scrollIntoViewIfNeeded', { objectId: drawn.objectId }).catch(noLayout);
    const { points, where } = await look(label ? [drawn, label] : [drawn]);
    still = before && calm(before, where) ? still + 1 : 0;
    before = where;
    if (where.length === 0 && still > 0) throw new Fault('not_visible', 'the node has no box');
    if (still > 0 && points.length > 0) {
      const { met, cover } = await firstMet(node, watcher, target, points);
      if (met) return met;
      if (!cover) await inPage(drawn, scrollTo, 'center');
      else if (!await elsewhere(drawn, blocks)) throw await covered(node, target, seen, cover);
    }
    if (points.length === 0 && still >= outsideLooks) throw new Fault('not_visible', 'the node is outside the viewport and cannot be scrolled to');
    if (Date.now() > deadline) throw new Fault('not_visible', points.length > 0 ? 'the node keeps moving' : 'the node does not come into the viewport');
    await inPage(node, twoFrames);
  }
}
const outsideLooks = 4;

/**
 * Scrolls a covered node out from under a bar that stays where it is.
 * @typedef {'center' | 'end' | 'start'} Block
 * @param {Held} node @param {Block[]} blocks those not tried yet
 * @returns {Promise<boolean>} false when all were tried; the first is worth another look at any rate: what covers may be about to go (a tooltip, a spinner)
 */
async function elsewhere(node, blocks) {
  for (let block = blocks.shift(); block; block = blocks.shift()) {
    if (await inPage(node, scrollTo, block) || block === 'center') return true;
  }
  return false;
}

/**
 * Where a node stands, two frames later: to be asked for while it is checked, so
 * that locate need not wait for them.
 * @param {Held} node
 * @returns {Promise<number[] | undefined>} undefined when that cannot be had
 */
export async function standing(node) {
  try {
    const { where } = await look([node]);
    await inPage(node, twoFrames);
    return where;
  } catch {
    return undefined; // locate meets the same
  }
}

/** The image that draws an area, and where in it. @param {Held} area @returns {Promise<Drawn>} */
async function imageWith(area) {
  const image = await inPageKept(area, imageOf);
  return image.objectId ? { ...image, within: await inPage(image, areaIn, area) } : area;
}
/** @typedef {Held & {within?: number[]}} Drawn within: left, top, right, bottom of what is meant, as parts of the whole */

/** A node that only breathes stays where it is clicked. @param {number[]} a @param {number[]} b */
const calm = (a, b) => a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) <= 1);

/** @param {unknown} thrown @returns {undefined} */
function noLayout(thrown) {
  if (!absent(thrown)) throw thrown;
  if (/detached/i.test(thrown.cdp)) throw stale('gone', 'the node is no longer in the page');
  return undefined;
}

/**
 * A session on the way from a node's own up to the tab's.
 * @typedef {object} Level
 * @property {string} targetId
 * @property {number} owner backendDOMNodeId of the iframe below it, on its own session
 * @property {(point: Point) => Point} from maps a point of the level below
 * @property {Point} scroll of its root frame
 * @property {number} width
 * @property {number} height
 */
/** @typedef {{at: Point, levels: Level[]}} Spot at is a point in the node's own session */

/**
 * Where a node is at this moment: points on it, and on its label, to try, likeliest
 * first, that are in the viewports of all sessions; and where the first of all is in
 * each session, as numbers, none when there is no box.
 * @param {Drawn[]} parts the node, and its label if it has one
 * @returns {Promise<{points: Spot[], where: number[]}>}
 */
async function look(parts) {
  const { tab, targetId } = parts[0];
  const [levels, ...quads] = await Promise.all([
    levelsOf(tab, targetId),
    ...parts.map(({ objectId, zoom, within }) => send(tab, targetId, 'DOM.getContentQuads', { objectId })
      .then(({ quads }) => quads.map(quad => quad.map(px => px * zoom)).map(quad => (within ? partOf(quad, within) : quad)), thrown => noLayout(thrown) ?? [])),
  ]);
  const points = quads.flatMap(part => {
    const boxes = part.map(boxOf).filter(({ width, height }) => width >= 1 && height >= 1).sort((a, b) => b.width * b.height - a.width * a.height);
    const middles = boxes.slice(0, 2).map(box => pointIn(box, levels[0], 0.5, 0.5));
    // Off the middle, where another control may stand.
    return [...middles, ...boxes.slice(0, 1).flatMap(box => [[0.15, 0.5], [0.85, 0.5], [0.5, 0.15], [0.5, 0.85]].map(([right, down]) => pointIn(box, levels[0], right, down)))];
  });
  const spots = points.map(at => ({ at, levels }));
  return { points: spots.filter(inView), where: spots.slice(0, 1).flatMap(spot => along(spot).flatMap(({ x, y }) => [x, y])) };
}

/** @param {number[]} quad clockwise from the top left @param {number[]} within @returns {number[]} */
function partOf([x0, y0, x1, y1, , , x3, y3], [left, top, right, bottom]) {
  return [[left, top], [right, top], [right, bottom], [left, bottom]].flatMap(([across, down]) =>
    [x0 + across * (x1 - x0) + down * (x3 - x0), y0 + across * (y1 - y0) + down * (y3 - y0)]);
}

/** A point in the node's session and in each one above it. @param {Spot} spot @returns {Point[]} */
function along({ at, levels }) {
  let point = at;
  return levels.map(({ from }) => (point = from(point)));
}

/** @param {number[]} quad */
function boxOf(quad) {
  const [xs, ys] = [[quad[0], quad[2], quad[4], quad[6]], [quad[1], quad[3], quad[5], quad[7]]];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** A point in the part of a box that is in its viewport. @param {ReturnType<typeof boxOf>} box @param {Level} level @param {number} right @param {number} down */
function pointIn(box, level, right, down) {
  const between = (/** @type {number} */ from, /** @type {number} */ size, /** @type {number} */ end, /** @type {number} */ part) => {
    const [low, high] = [Math.max(0, from), Math.min(end, from + size)];
    return high > low ? low + (high - low) * part : from + size * part;
  };
  return { x: between(box.x, box.width, level.width, right), y: between(box.y, box.height, level.height, down) };
}

/** @param {Spot} spot */
const inView = spot => along(spot).every(({ x, y }, i) => x >= 0 && y >= 0 && x < spot.levels[i].width && y < spot.levels[i].height);

/** @param {number} tab @param {string} targetId @returns {Promise<Level[]>} the node's own first */
async function levelsOf(tab, targetId) {
  const all = await children(tab);
  const levels = [];
  /** @type {string | undefined} */
  let below;
  for (let at = /** @type {string | undefined} */ (targetId); at !== undefined;) {
    levels.push(await levelOf(tab, at, below));
    below = at;
    at = all.find(child => child.targetId === below)?.parent;
  }
  return levels;
}

/** @param {number} tab @param {string} targetId @param {string} [below] the OOPIF below it @returns {Promise<Level>} */
async function levelOf(tab, targetId, below) {
  const metrics = send(tab, targetId, 'Page.getLayoutMetrics');
  let owner = 0;
  let from = (/** @type {Point} */ point) => point;
  if (below !== undefined) {
    owner = (await send(tab, targetId, 'DOM.getFrameOwner', { frameId: below })).backendNodeId;
    const { model: { content, border, width, height } } = await send(tab, targetId, 'DOM.getBoxModel', { backendNodeId: owner });
    // A CSS transform of the iframe scales and turns what is in it.
    const [rightX, rightY] = [(border[2] - border[0]) / width, (border[3] - border[1]) / width];
    const [downX, downY] = [(border[6] - border[0]) / height, (border[7] - border[1]) / height];
    from = ({ x, y }) => ({ x: content[0] + x * rightX + y * downX, y: content[1] + x * rightY + y * downY });
  }
  const { cssLayoutViewport: { clientWidth, clientHeight, pageX, pageY } } = await metrics;
  return { targetId, owner, from, scroll: { x: pageX, y: pageY }, width: clientWidth, height: clientHeight };
}

/** @typedef {{targetId: string, backendNodeId: number, frameId: string}} Hit */

/**
 * The first point at which a click meets the node itself, or else a control in it.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Spot[]} points
 * @returns {Promise<{met?: Point, cover?: Hit}>} cover is what the first point met instead; neither when it met nothing
 */
async function firstMet(node, watcher, target, points) {
  let nested, cover;
  for (const spot of points) {
    const { how, hit } = await hitTest(node, watcher, target, spot);
    if (how === 'own' || how === 'label') return { met: spot.at };
    if (how === 'nested') nested ??= spot.at;
    else cover ??= hit;
  }
  return nested ? { met: nested } : { cover };
}

/**
 * What a click at a point meets: in the node's own session, and in those above
 * it, which the hit test of an OOPIF does not see.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Spot} spot
 * @returns {Promise<{how: '' | 'own' | 'nested' | 'label', hit?: Hit}>}
 */
async function hitTest(node, watcher, target, spot) {
  /** @type {'' | 'own' | 'nested' | 'label'} */
  let how = '';
  for (const [i, point] of along(spot).entries()) {
    const level = spot.levels[i];
    const hit = await hitAt(node.tab, level, point);
    if (!hit) return { how: '' };
    if (i > 0) {
      if (hit.backendNodeId !== level.owner) return { how: '', hit };
    } else {
      if (hit.backendNodeId === target.backendDOMNodeId) how = 'own';
      else if (hit.frameId === target.frameId) how = await inPage(watcher, meets, await alsoHold(node, hit.backendNodeId));
      if (how === '') return { how, hit };
    }
  }
  return { how };
}

/** The node at a point of a viewport; the hit test wants coordinates of the document, which scrolling moves. @param {number} tab @param {Level} level @param {Point} point @returns {Promise<Hit | undefined>} */
async function hitAt(tab, { targetId, scroll }, { x, y }) {
  const at = { x: Math.floor(x + scroll.x), y: Math.floor(y + scroll.y) };
  try {
    const { backendNodeId, frameId } = await send(tab, targetId, 'DOM.getNodeForLocation', { ...at, ignorePointerEventsNone: false });
    return { targetId, backendNodeId, frameId };
  } catch (thrown) {
    if (absent(thrown)) return undefined; // no node there
    throw thrown;
  }
}

/** @param {Held} node @param {Target} target @param {Seen} seen @param {Hit} hit @returns {Promise<Fault>} */
async function covered(node, target, { above }, { targetId, backendNodeId, frameId }) {
  const [{ node: dom }, { nodes }] = await Promise.all([
    send(node.tab, targetId, 'DOM.describeNode', { backendNodeId }),
    send(node.tab, targetId, 'Accessibility.getPartialAXTree', { backendNodeId, fetchRelatives: true }),
  ]);
  // The nearest node that says what it is, but none that the target is in, too.
  const plain = /^(generic|none|statictext|inlinetextbox|paragraph|rootwebarea)$/i;
  const byId = new Map(nodes.map(one => [one.nodeId, one]));
  const hit = nodes.find(one => one.backendDOMNodeId === backendNodeId);
  let ax = hit;
  while (ax && (ax.ignored || plain.test(ax.role?.value))) ax = byId.get(ax.parentId ?? '');
  if (!ax || ax.ignored || plain.test(ax.role?.value) || (targetId === target.targetId && above.has(ax.backendDOMNodeId ?? 0))) ax = hit;
  const text = nodes.find(one => !one.ignored && one.role?.value === 'StaticText' && one.parentId === hit?.nodeId);
  const name = (await withholder(node, target)(nameOf(ax) || nameOf(text))).slice(0, 200);
  const role = ax?.ignored ? '' : fold(String(ax?.role?.value ?? '')).toLowerCase();
  const tag = dom.localName || dom.nodeName.toLowerCase();
  const what = name ? `${role || tag} ${quoted(name)}` : `a ${role || tag}`;
  // Around it, not over it: the node lets clicks through (pointer-events: none).
  const around = targetId === target.targetId && above.has(backendNodeId);
  return new Fault('covered', around ? `the node takes no clicks: they go to ${what} around it` : `${what} covers the point to click`, {
    // A plain box is in no view; what it says is.
    candidates: [{ role, name, tag, backendDOMNodeId: (nameOf(ax) ? 0 : text?.backendDOMNodeId) || (ax?.backendDOMNodeId ?? backendNodeId), frameId }],
  });
}
