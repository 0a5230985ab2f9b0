// scroll: a node into view, what scrolls around it by pages, or until a text is
// there. The wheel turns what scrolls where a person could turn it; where none
// can, it is scrolled.

import { checkShown } from './act-point.js';
import { withholder } from './act-secrets.js';
import { evidence, observe, watched } from './act-watch.js';
import { Fault, asFault } from './fault.js';
import { cornerOf, endMove, findIn, intoView, linesInView, scrollDown, scrollerElement, scrollerOf, showScroller, standing, stillFrom, sweepOn, wheelPoint } from './in-page-move.js';
import { absent, hold, inPage, inPageKept } from './node.js';
import { awake, dialogOf, send, world } from './session.js';

/** @typedef {import('./in-page-move.js').Standing} Standing */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

const untilMs = 10_000;
const wheelMs = 2000;
const moreMs = 1500; // for rows that are loaded once the end is reached
const pauseMs = 50;
const step = 0.9; // of a view, so that no row falls between two
const wheelSteps = 10; // then a long way is swept, a frame to a step
const sweepMs = 1000;
const [maxLines, maxLine] = [20, 200];

/**
 * Scrolls to a target, around it, or the page.
 * @param {number} tab in use @param {Target | undefined} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function scroll(tab, target, act, start) {
  const { pages = 0, until = '', expect } = act;
  await awake(tab);
  if (!target) {
    if (pages === 0 && until === '') throw new Fault('bad_request', 'say how many pages to scroll, or until which text', { field: 'pages' });
    return holdPage(tab, (node, page) => scrollPages(node, page, act, start));
  }
  return hold(tab, target, async node => {
    if (pages !== 0 || until !== '') {
      await checkShown(node, target, expect, true);
      return scrollPages(node, target, act, start);
    }
    return bring(node, target, act, start);
  });
}

/** Holds the root of a tab's page while work runs. @template T @param {number} tab @param {(node: Held, page: Target) => Promise<T>} work @returns {Promise<T>} */
async function holdPage(tab, work) {
  const { frameTree: { frame } } = await send(tab, '', 'Page.getFrameTree');
  const contextId = await world(tab, '', frame.id);
  const { result } = await send(tab, '', 'Runtime.evaluate', { expression: 'document.documentElement', contextId, objectGroup: 'handrail-page' });
  if (!result.objectId) throw new Fault('no_page', 'the page is empty');
  /** @type {Target} */
  const page = {
    uid: '', session: 0, targetId: '', frameId: frame.id, loaderId: frame.loaderId, origin: '', backendDOMNodeId: 0, nodeId: '', role: '', name: '',
    context: '', contextNode: 0, nameExact: false, contextExact: false, secret: false,
  };
  try {
    return await work({ tab, targetId: '', objectId: result.objectId, contextId, group: 'handrail-page', zoom: 1 }, page);
  } finally {
    send(tab, '', 'Runtime.releaseObjectGroup', { objectGroup: 'handrail-page' }).catch(() => {});
  }
}

/** Scrolls a node into view. @param {Held} node @param {Target} target @param {Act} act @param {Start} start @returns {Promise<Evidence>} */
async function bring(node, target, { expect }, start) {
  return watched(node, [], async watcher => {
    const seen = await checkShown(node, target, expect, true);
    const scroller = await inPageKept(node, scrollerOf, false);
    try {
      const [from, [, fromY]] = await Promise.all([inPage(scroller, standing), inPage(node, cornerOf)]);
      await start();
      let had = false;
      const effect = await observe(watcher, target, async () => { had = await inPage(node, intoView); });
      const [to, [, toY]] = await Promise.all([inPage(scroller, stillFrom, from.top), inPage(node, cornerOf)]);
      // It may have been brought there by what scrolls further out.
      const moved = Math.abs(to.top - from.top) < 1 ? fromY - toY : to.top - from.top;
      effect.changes = [...effect.changes.filter(change => change !== 'name'), ...(had ? ['scroll'] : [])];
      return { ...evidence('scrollIntoView', effect, seen), ...(had ? {} : { unchanged: true }), scroll: { ...placeOf(to, 1), moved: Math.round(moved) } };
    } finally {
      inPage(scroller, endMove).catch(() => {});
    }
  });
}

/** @param {Standing} at @param {number} direction @returns {{moved: number, top: number, view: number, height: number, end: boolean}} */
function placeOf({ top, view, height }, direction) {
  return { moved: 0, top: Math.round(top), view, height, end: room({ top, view, height }, direction) === 0 };
}

/** How far it can still go. @param {Pick<Standing, 'top' | 'view' | 'height'>} at @param {number} direction */
function room({ top, view, height }, direction) {
  const left = direction < 0 ? top : height - view - top;
  return left < 1.5 ? 0 : left;
}

/**
 * Scrolls what scrolls around a node by pages, or until a text is there.
 * @param {Held} node @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
async function scrollPages(node, target, { pages = 0, until = '', timeoutMs }, start) {
  const deadline = Date.now() + (timeoutMs || untilMs);
  const scroller = await inPageKept(node, scrollerOf, target.uid === '');
  const direction = pages < 0 ? -1 : 1;
  const from = await inPage(scroller, standing);
  let at = from;
  let method = 'wheel';
  let sent = false;
  let found = false;
  /** @type {string[]} */
  const came = [];
  const known = new Set(await inPage(scroller, linesInView));
  const note = async (/** @type {string[] | undefined} */ lines = undefined) => {
    for (const line of lines ?? await inPage(scroller, linesInView)) {
      if (known.has(line)) continue;
      known.add(line);
      came.push(line);
    }
  };
  const go = async (/** @type {number} */ px) => {
    await start();
    if (!sent) await inPage(scroller, showScroller);
    sent = true;
    const wheeled = method === 'wheel' && await wheel(scroller, px, at.top);
    if (wheeled) at = wheeled;
    else {
      method = 'scrollBy';
      await inPage(scroller, scrollDown, px);
      at = await inPage(scroller, stillFrom, at.top);
    }
    await note();
  };
  const sweep = async () => {
    await start();
    const swept = await inPage(scroller, sweepOn, direction * at.view * step, until, Math.min(sweepMs, Math.max(1, deadline - Date.now())));
    at = swept.at;
    method = 'scrollBy';
    await note(swept.lines);
  };
  /** @returns {Promise<boolean>} whether the text is in view */
  const look = async () => {
    for (let tries = 3; tries > 0; tries--) {
      const how = await inPage(scroller, findIn, until);
      if (how !== 'brought') return how === 'there';
      sent = true;
      method = 'scrollIntoView';
      at = await inPage(scroller, stillFrom, at.top); // rows that are recycled may be others now
      await note();
    }
    return false;
  };
  try {
    if (until !== '') {
      await start(); // a look may scroll
      found = await look();
      for (let steps = 0; !found && Date.now() < deadline; steps++) {
        const left = room(at, direction);
        if (steps >= wheelSteps && left > at.view) await sweep();
        else if (left > 0) await go(direction * Math.min(left, at.view * step));
        else if (!await more()) break;
        found = await look();
      }
    } else {
      for (let left = Math.abs(pages); left > 0.001;) {
        const px = Math.min(room(at, direction), at.view * (Date.now() < deadline ? Math.min(1, left) : left));
        if (px === 0) break;
        const { top } = at;
        await go(direction * px);
        if (Math.abs(at.top - top) < 1) break;
        left = Date.now() < deadline ? left - Math.min(1, left) : 0;
      }
    }
  } catch (thrown) {
    if (!sent) throw thrown;
    const dialog = dialogOf(node.tab);
    if (asFault(thrown).code === 'dialog_open' && dialog) return { dispatched: 'yes', effect: 'seen', settled: false, method, changes: ['dialog'], dialog: dialog.message || dialog.type };
    throw Object.assign(asFault(thrown), { more: { ...asFault(thrown).more, dispatched: 'yes', effect: absent(thrown) ? 'seen' : 'unknown' } });
  } finally {
    inPage(scroller, endMove).catch(() => {});
  }
  const withhold = withholder(node, target);
  const lines = await Promise.all(came.slice(-maxLines).map(async line => [...await withhold(line)].slice(0, maxLine).join('')));
  const moved = Math.round(at.top - from.top);
  const changes = [...(moved === 0 && !came.length ? [] : ['scroll']), ...(at.url === from.url ? [] : ['url']), ...(at.title === from.title ? [] : ['title'])];
  const hint = whyNot();
  const { tag, rect } = at.hit;
  return {
    dispatched: sent ? 'yes' : 'no', effect: changes.length > 0 ? 'seen' : 'none_seen', settled: false, method, hit: { tag, role: '', name: '', rect },
    changes, url: await withhold(at.url), title: await withhold(at.title), ...(!sent && found ? { unchanged: true } : {}), ...(hint ? { hint } : {}),
    scroll: { ...placeOf(at, direction), moved, ...(found ? { found } : {}), ...(lines.length > 0 ? { lines } : {}) },
  };

  /** Waits at the end for more to come. */
  async function more() {
    const { height } = at;
    for (const end = Date.now() + moreMs; Date.now() < deadline && (Date.now() < end || at.busy);) {
      await new Promise(resolve => setTimeout(resolve, pauseMs));
      at = await inPage(scroller, standing);
      if (at.height !== height || room(at, direction) > 0) break;
      if (await look()) break;
    }
    await note();
    return at.height !== height || room(at, direction) > 0 || await look();
  }

  function whyNot() {
    if (until !== '' && !found) return Date.now() < deadline ? 'the text did not come up to the end' : 'the text did not come in time: scroll on, or give more time';
    if (moved !== 0 || found) return '';
    if (from.height <= from.view + 1) return target.uid === '' ? 'nothing scrolls here: give a uid in what scrolls' : 'nothing around it in its document scrolls: without a uid the page does';
    return room(from, direction) === 0 ? 'it was at its end already' : 'it does not let itself be scrolled';
  }
}

/**
 * Turns the wheel over what scrolls.
 * @param {Held} scroller @param {number} px @param {number} before
 * @returns {Promise<Standing | undefined>} undefined when it did not move
 */
async function wheel(scroller, px, before) {
  const { tab, targetId } = scroller;
  const point = await inPage(scroller, wheelPoint);
  if (!point) return undefined;
  const element = await inPageKept(scroller, scrollerElement);
  const { x, y } = await shiftOf(element);
  try {
    await send(tab, targetId, 'Input.dispatchMouseEvent', { type: 'mouseWheel', x: point[0] * scroller.zoom + x, y: point[1] * scroller.zoom + y, deltaX: 0, deltaY: px * scroller.zoom }, wheelMs);
  } catch (thrown) {
    if (asFault(thrown).code !== 'timeout') throw thrown;
  }
  const at = await inPage(scroller, stillFrom, before);
  return Math.abs(at.top - before) < 1 ? undefined : at;
}

/** Where the corner of a node's frame stands in its session, for px of the session: a frame of the same process has its own. @param {Held} element @returns {Promise<{x: number, y: number}>} */
export async function shiftOf(element) {
  const [{ quads: [quad] }, [x, y]] = await Promise.all([
    send(element.tab, element.targetId, 'DOM.getContentQuads', { objectId: element.objectId }).catch(thrown => {
      if (!absent(thrown)) throw thrown;
      return { quads: [] };
    }),
    inPage(element, cornerOf),
  ]);
  const { zoom } = element;
  return quad ? { x: (Math.min(quad[0], quad[2], quad[4], quad[6]) - x) * zoom, y: (Math.min(quad[1], quad[3], quad[5], quad[7]) - y) * zoom } : { x: 0, y: 0 };
}
