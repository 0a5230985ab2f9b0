// drag: a node to another, or by so much, with the mouse. Where the page lets the
// browser drag (draggable, links, images), the browser's own drag and drop is
// told of the way; otherwise the mouse goes it.

import { checkShown, locate } from './act-point.js';
import { shiftOf } from './act-scroll.js';
import { evidence, guard, inTheEnd, observe, see, unsent, watched } from './act-watch.js';
import { Fault, asFault } from './fault.js';
import { check } from './identity.js';
import { twoFrames } from './in-page.js';
import { cornerOf, dragState, endMove, isOver, watchDrag } from './in-page-move.js';
import { absent, hold, inPage, inPageKept, stale } from './node.js';
import { awake, dialogOf, listen, send } from './session.js';

/** @typedef {import('./act-point.js').Point} Point */
/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {import('devtools-protocol').Protocol.Input.DragData} DragData */
/** @typedef {{node: Held, watcher: Held, target: Target}} End where it is dropped */
/** @typedef {{from: Point, to: Point | undefined, seen: Seen, endSeen: Seen | undefined}} Way to is undefined when both ends are not in view at once */

const kinds = ['pointerdown', 'mousedown'];
const budgetMs = 2000;
const interceptMs = 1000;
const steps = 12;
const nudge = 8; // px, beyond which most pages take a press for a drag
const tries = 8; // looks, until what moves aside has done so
const offPage = { x: -5, y: -5 };

/**
 * Drags a target.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start @param {Target} [to]
 * @returns {Promise<Evidence>}
 */
export async function drag(tab, target, act, start, to) {
  if (!to && !act.offset) throw new Fault('bad_request', 'drag needs where to', { field: 'to' });
  if (to && to.targetId !== target.targetId) {
    throw new Fault('wrong_kind', 'the two ends are in frames of different sites: nothing is dragged from one to the other', { reason: 'frame' });
  }
  await awake(tab);
  /** @param {End} [end] */
  const from = end => hold(tab, target, node => watched(node, kinds, watcher => carry(node, watcher, target, act, start, end)));
  if (!to) return from();
  // Watched first: in one frame the second watcher takes the place of the first, of which only the hit test is needed.
  return hold(tab, to, node => watched(node, [], watcher => from({ node, watcher, target: to })));
}

/** @param {Held} node @param {Held} watcher @param {Target} target @param {Act} act @param {Start} start @param {End} [end] @returns {Promise<Evidence>} */
async function carry(node, watcher, target, act, start, end) {
  const deadline = Date.now() + (act.timeoutMs || budgetMs);
  for (let missed = ''; ;) {
    const way = await aim(node, watcher, target, act, deadline, end).catch(thrown => unsent(missed && asFault(thrown).code === 'not_visible' ? miss(missed) : thrown));
    await start();
    const done = await over(node, watcher, way.from) || await press(node, watcher, target, way, deadline, end);
    if (typeof done !== 'string') return done;
    if (Date.now() > deadline) unsent(miss(done));
    missed = done;
  }
}

/** Finds both ends. @param {Held} node @param {Held} watcher @param {Target} target @param {Act} act @param {number} deadline @param {End} [end] @returns {Promise<Way>} */
async function aim(node, watcher, target, { expect, offset }, deadline, end) {
  const seen = await checkShown(node, target, expect);
  const endSeen = end && await checkShown(end.node, end.target, undefined, true);
  let from, to;
  if (end && endSeen) {
    await locate(end.node, end.watcher, end.target, endSeen, deadline); // it may have to be scrolled to
    from = await locate(node, watcher, target, seen, deadline);
    const before = await inPage(node, cornerOf);
    to = await locate(end.node, end.watcher, end.target, endSeen, deadline);
    const after = await inPage(node, cornerOf);
    // Far apart: one is scrolled out of view for the other, and the end is looked for on the way.
    if (Math.hypot(after[0] - before[0], after[1] - before[1]) > 1) {
      from = await locate(node, watcher, target, seen, deadline);
      to = undefined;
    }
    await check(end.node, end.target);
  } else {
    from = await locate(node, watcher, target, seen, deadline);
    to = { x: from.x + (offset?.x ?? 0), y: from.y + (offset?.y ?? 0) };
    const { cssLayoutViewport: { clientWidth, clientHeight } } = await send(node.tab, node.targetId, 'Page.getLayoutMetrics');
    if (to.x < 0 || to.y < 0 || to.x >= clientWidth || to.y >= clientHeight) throw new Fault('not_visible', 'the offset ends outside the viewport');
  }
  await guard(node, watcher, target, seen, expect);
  return { from, to, seen, endSeen };
}

/** @param {Held} node @param {import('devtools-protocol').Protocol.Input.DispatchMouseEventRequest} event */
const mouse = ({ tab, targetId }, event) => send(tab, targetId, 'Input.dispatchMouseEvent', event);

/** Moves the mouse to the node. @param {Held} node @param {Held} watcher @param {Point} point @returns {Promise<string>} why a press would miss, '' when it would not */
async function over(node, watcher, point) {
  try {
    await mouse(node, { type: 'mouseMoved', ...point });
    const { moved, now } = await see(watcher);
    return now || (moved === 'other' ? 'covered' : '');
  } catch (thrown) {
    return unsent(absent(thrown) ? stale('document', 'the page has moved on to another document') : thrown);
  }
}

/**
 * Presses, goes the way and lets go; what breaks off in between lets go, too.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Way} way @param {number} deadline @param {End} [end]
 * @returns {Promise<Evidence | string>} why the press was held back, when it was
 */
async function press(node, watcher, target, way, deadline, end) {
  const { tab, targetId } = node;
  const { from, seen } = way;
  const sessions = new Set(['', targetId]);
  const source = await inPageKept(node, watchDrag, true);
  const goal = end && await inPageKept(end.node, watchDrag, false);
  /** @type {DragData | undefined} */
  let data; // what the browser drags
  /** @type {(got: DragData) => void} */
  let intercepted = () => {};
  const intercepting = /** @type {Promise<DragData>} */ (new Promise(resolve => { intercepted = resolve; }));
  const stop = listen(tab, (method, params) => { if (method === 'Input.dragIntercepted') intercepted(params.data); });
  const intercept = (/** @type {boolean} */ enabled) => Promise.all([...sessions].map(id => send(tab, id, 'Input.setInterceptDrags', { enabled })));
  const held = { button: /** @type {const} */ ('left'), buttons: 1 };
  const told = (/** @type {'dragEnter' | 'dragOver' | 'drop' | 'dragCancel'} */ type, /** @type {Point} */ point) =>
    send(tab, targetId, 'Input.dispatchDragEvent', { type, ...point, data: data ?? { items: [], dragOperationsMask: 0 } });

  /** @param {Point} point */
  const moveTo = async point => {
    if (data) return void await told('dragOver', point);
    await mouse(node, { type: 'mouseMoved', ...point, ...held });
    if (!(await inPage(source, dragState)).native) return;
    data = await Promise.race([intercepting, new Promise(resolve => setTimeout(resolve, interceptMs, undefined))]);
    if (data) await told('dragEnter', point);
  };
  let last = from;
  /** @param {Point} to */
  const wayTo = async to => {
    const begin = last;
    for (let n = 1; n <= steps; n++) await moveTo(last = { x: begin.x + (to.x - begin.x) * n / steps, y: begin.y + (to.y - begin.y) * n / steps });
  };
  const cancel = async () => {
    if (data) await told('dragCancel', last);
    const escape = { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 };
    if (!data) {
      await send(tab, targetId, 'Input.dispatchKeyEvent', { type: 'rawKeyDown', ...escape });
      await send(tab, targetId, 'Input.dispatchKeyEvent', { type: 'keyUp', ...escape });
    }
    await mouse(node, { type: 'mouseReleased', ...offPage, button: 'left', clickCount: 0 });
  };
  let began = false;
  let why = '';
  let pressed = false;
  let changed = { native: false, dropped: false, changes: /** @type {string[]} */ ([]), value: /** @type {string | undefined} */ (undefined) };
  try {
    await intercept(true);
    const effect = await observe(watcher, target, async () => {
      try {
        pressed = true;
        await mouse(node, { type: 'mousePressed', ...from, ...held, clickCount: 1 });
        const sight = await see(watcher);
        began = sight.began;
        why = sight.held;
        if (!began || why) {
          // Held back, or on its way to nobody: let go of the button off the page, without a click.
          await mouse(node, { type: 'mousePressed', ...offPage, ...held, clickCount: 0 });
          pressed = false;
          return void await mouse(node, { type: 'mouseReleased', ...offPage, button: 'left', clickCount: 0 });
        }
        await moveTo(last = towards(from, way.to ?? { x: from.x, y: from.y + nudge }));
        let to = way.to;
        if (!to && end && way.endSeen) to = await locate(end.node, end.watcher, end.target, way.endSeen, deadline);
        await wayTo(to ?? from);
        await moveTo(last); // pages take the second one for a stay
        if (end && goal) await meet(end, goal, source, node, target);
        pressed = false;
        if (data) await told('drop', last);
        else await mouse(node, { type: 'mouseReleased', ...last, button: 'left', clickCount: 1 });
      } catch (thrown) {
        if (pressed && dialogOf(tab)) inTheEnd(tab, cancel);
        else if (pressed) await cancel().catch(() => {});
        const fault = asFault(thrown);
        if (fault.code === 'dialog_open' || absent(thrown)) throw fault; // observe makes of it what it is
        throw Object.assign(fault, { more: { ...fault.more, dispatched: 'yes', effect: 'unknown' } });
      }
    });
    if (began && why) throw miss(why, { dispatched: 'yes', effect: 'unknown' });
    if (why) return why;
    if (!began && !effect.dialog) {
      const lost = /** @type {const} */ ({ dispatched: 'uncertain', effect: 'unknown' });
      throw effect.gone ? new Fault('uncertain', 'the page was replaced as it was pressed', lost) : new Fault('not_delivered', undefined, lost);
    }
    if (effect.sight) {
      changed = { value: undefined, ...await inPage(source, dragState).catch(() => changed) };
      const there = goal && await inPage(goal, dragState).catch(() => undefined);
      effect.changes.push(...new Set([...changed.changes, ...(changed.dropped || there?.dropped ? ['drop'] : []), ...(there?.changes.includes('order') ? ['order'] : [])]));
    }
    const result = evidence(data ? 'drag' : 'mouse', effect, seen);
    const hint = pressed && effect.dialog ? 'the dialog cut the drag off: nothing was dropped' : data && effect.sight && !effect.changes.includes('drop') ? 'nothing there took the drop'
      : result.effect === 'none_seen' ? 'no change was seen; what is drawn on a canvas is not' : '';
    return { ...result, ...(changed.value === undefined ? {} : { value_now: changed.value }), ...(hint ? { hint } : {}) };
  } finally {
    stop();
    inTheEnd(tab, () => intercept(false));
    for (const one of goal ? [source, goal] : [source]) inPage(one, endMove).catch(() => {});
  }

  /** Waits until a drop would be one on the end; it may have moved aside. @param {End} at @param {Held} goal @param {Held} source @param {Held} node @param {Target} target */
  async function meet(at, goal, source, node, target) {
    const other = target.frameId === at.target.frameId ? node : null;
    for (let n = 0; ; n++) {
      const { x, y } = await shiftOf(at.node);
      const how = await inPage(goal, isOver, (last.x - x) / at.node.zoom, (last.y - y) / at.node.zoom, data !== undefined, other);
      if (how === '') return;
      if (how === 'gone') throw stale('gone', 'where it was to be dropped went away as it was dragged');
      if (n === tries && way.endSeen) await wayTo(await locate(at.node, at.watcher, at.target, way.endSeen, deadline));
      else if (n > tries) throw new Fault('covered', 'what it was to be dropped on moved away as it was dragged');
      else await inPage(at.node, twoFrames);
    }
  }
}

/** The first px of a way. @param {Point} from @param {Point} to @returns {Point} */
function towards(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(1, nudge / length);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

/** Why input was held back, as a failure. @param {string} why @param {Partial<import('./wire.js').Fault>} [more] */
function miss(why, more) {
  if (why === 'covered') return new Fault('covered', 'another node came over the point to press', more);
  return new Fault('stale_uid', 'the node changed as it was pressed', { reason: why, ...more });
}
