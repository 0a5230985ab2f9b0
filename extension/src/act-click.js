// click: trusted mouse events at the node.

import { checkShown, locate } from './act-point.js';
import { evidence, guard, observe, see, unsent, watched } from './act-watch.js';
import { Fault, asFault } from './fault.js';
import { absent, hold, stale } from './node.js';
import { awake, send } from './session.js';

/** @typedef {import('./act-point.js').Point} Point */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

const budgetMs = 2000;
const offPage = { x: -5, y: -5, clickCount: 0 };
const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];

/**
 * Clicks a target.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function click(tab, target, act, start) {
  await awake(tab);
  return hold(tab, target, node => watched(node, kinds, async watcher => {
    const deadline = Date.now() + (act.timeoutMs || budgetMs);
    // The page may change under the mouse before anything is pressed: then it is looked at again.
    for (let missed = ''; ;) {
      const { seen, point } = await aim(node, watcher, target, act, deadline).catch(thrown => unsent(missed && asFault(thrown).code === 'not_visible' ? miss(missed) : thrown));
      await start();
      const done = await hover(node, watcher, point) || await press(node, watcher, target, point, seen);
      if (typeof done !== 'string') return done;
      if (Date.now() > deadline) unsent(miss(done));
      missed = done;
    }
  }));
}

/** @param {Held} node @param {Held} watcher @param {Target} target @param {Act} act @param {number} deadline */
async function aim(node, watcher, target, { expect }, deadline) {
  const seen = await checkShown(node, target, expect);
  const point = await locate(node, watcher, target, seen, deadline);
  await guard(node, watcher, target, seen, expect);
  return { seen, point };
}

/** @param {Held} node @param {import('devtools-protocol').Protocol.Input.DispatchMouseEventRequest} event */
const mouse = ({ tab, targetId }, event) => send(tab, targetId, 'Input.dispatchMouseEvent', event);

/**
 * Moves the mouse to the node, which may change what is there.
 * @param {Held} node @param {Held} watcher @param {Point} point
 * @returns {Promise<string>} why a press would miss, '' when it would not
 */
async function hover(node, watcher, point) {
  try {
    await mouse(node, { type: 'mouseMoved', ...point });
    const { moved, now } = await see(watcher);
    return now || (moved === 'other' ? 'covered' : '');
  } catch (thrown) {
    return unsent(absent(thrown) ? stale('document', 'the page has moved on to another document') : thrown);
  }
}

/**
 * Presses and releases the button.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Point} point @param {import('./identity.js').Seen} seen
 * @returns {Promise<Evidence | string>} why the press was held back, when it was
 */
async function press(node, watcher, target, point, seen) {
  const at = { ...point, button: /** @type {const} */ ('left'), clickCount: 1 };
  let began = false;
  const effect = await observe(watcher, target, async () => {
    await mouse(node, { type: 'mousePressed', ...at, buttons: 1 });
    ({ began } = await see(watcher));
    if (began) return mouse(node, { type: 'mouseReleased', ...at });
    // It was held back, or is on its way to nobody: let go of the button off the page, without a click.
    await mouse(node, { type: 'mousePressed', ...at, ...offPage, buttons: 1 });
    await mouse(node, { type: 'mouseReleased', ...at, ...offPage });
  });
  const { held = '' } = effect.sight ?? {};
  if (began && held) throw miss(held, { dispatched: 'yes', effect: 'unknown' });
  if (held) return held;
  if (!began && !effect.dialog) {
    const lost = /** @type {const} */ ({ dispatched: 'uncertain', effect: 'unknown' });
    throw effect.gone ? new Fault('uncertain', 'the page was replaced as it was clicked', lost) : new Fault('not_delivered', undefined, lost);
  }
  if (effect.sight && !effect.sight.clicked && (effect.sight.disabled || effect.changes.length === 0)) {
    const more = /** @type {const} */ ({ dispatched: 'yes', effect: 'unknown' });
    throw effect.sight.disabled ? new Fault('disabled', 'the control was disabled as it was clicked', more) : new Fault('not_delivered', 'the page received a press, but no click', more);
  }
  return evidence('mouse', effect, seen);
}

/** Why input was held back, as a failure. @param {string} why @param {Partial<import('./wire.js').Fault>} [more] */
function miss(why, more) {
  if (why === 'covered') return new Fault('covered', 'another node came over the point to click', more);
  return new Fault('stale_uid', 'the node changed as it was clicked', { reason: why, ...more });
}
