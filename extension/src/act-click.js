// click: trusted mouse events at the node.

import { checkShown, locate, standing } from './act-point.js';
import { clickSecond, prepareSecond } from './act-second.js';
import { isSecret } from './act-secrets.js';
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
const kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick'];
/** As Input.dispatchMouseEvent counts them. @type {Record<string, number>} */
const modifierBits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
const buttonBits = { left: 1, right: 2, middle: 4 };
const maxValue = 200;

/**
 * Clicks a target.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function click(tab, target, act, start) {
  const { button = 'left', count = 1, modifiers = [] } = act;
  const how = { button, count: count || 1, modifiers: modifiers.reduce((bits, name) => bits | modifierBits[name], 0) };
  await awake(tab);
  return hold(tab, target, node => watched(node, kinds, async watcher => {
    const deadline = Date.now() + (act.timeoutMs || budgetMs);
    // The page may change under the mouse before anything is pressed: then it is looked at again.
    for (let missed = ''; ;) {
      const { seen, point } = await aim(node, watcher, target, act, deadline).catch(thrown => unsent(missed && asFault(thrown).code === 'not_visible' ? miss(missed) : thrown));
      const second = act.second ? await prepareSecond(watcher, target, act).catch(unsent) : undefined;
      try {
        await start();
        const done = await hover(node, watcher, point, how) || await press(node, watcher, target, point, seen, how);
        if (typeof done !== 'string') return second ? await clickSecond(second, watcher, target, act, seen, done) : done;
        missed = done;
      } finally {
        second?.end();
      }
      if (Date.now() > deadline) unsent(miss(missed));
    }
  }, how.count));
}

/** @param {Held} node @param {Held} watcher @param {Target} target @param {Act} act @param {number} deadline */
async function aim(node, watcher, target, { expect }, deadline) {
  const stood = standing(node);
  const seen = await checkShown(node, target, expect);
  const point = await locate(node, watcher, target, seen, deadline, stood);
  await guard(node, watcher, target, seen, expect);
  return { seen, point };
}

/** @typedef {{button: 'left' | 'middle' | 'right', count: number, modifiers: number}} How */

/** @param {Held} node @param {import('devtools-protocol').Protocol.Input.DispatchMouseEventRequest} event */
const mouse = ({ tab, targetId }, event) => send(tab, targetId, 'Input.dispatchMouseEvent', event);

/**
 * Moves the mouse to the node, which may change what is there.
 * @param {Held} node @param {Held} watcher @param {Point} point @param {How} how
 * @returns {Promise<string>} why a press would miss, '' when it would not
 */
async function hover(node, watcher, point, { modifiers }) {
  try {
    await mouse(node, { type: 'mouseMoved', ...point, modifiers });
    const { moved, now } = await see(watcher);
    return now || (moved === 'other' ? 'covered' : '');
  } catch (thrown) {
    return unsent(absent(thrown) ? stale('document', 'the page has moved on to another document') : thrown);
  }
}

/**
 * Presses and releases the button, once or more.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Point} point @param {import('./identity.js').Seen} seen @param {How} how
 * @returns {Promise<Evidence | string>} why the press was held back, when it was
 */
async function press(node, watcher, target, point, seen, { button, count, modifiers }) {
  let began = false;
  let done = 0; // clicks
  const effect = await observe(watcher, target, async () => {
    for (; done < count; done++) {
      const at = { ...point, button, modifiers, clickCount: done + 1 };
      // What the click before did may keep the next one from the node.
      if (done > 0 && stopped(await see(watcher))) return;
      await mouse(node, { type: 'mousePressed', ...at, buttons: buttonBits[button] });
      const sight = await see(watcher);
      began ||= sight.began;
      if (!began || (done > 0 && sight.held)) {
        // It was held back, or is on its way to nobody: let go of the button off the page, without a click.
        await mouse(node, { type: 'mousePressed', ...at, ...offPage, buttons: buttonBits[button] });
        return mouse(node, { type: 'mouseReleased', ...at, ...offPage });
      }
      await mouse(node, { type: 'mouseReleased', ...at });
    }
  });
  const { held = '' } = effect.sight ?? {};
  // A node that its own press took away is not covered by what stands behind it.
  if (began && held) throw miss(effect.sight?.now || held, { dispatched: 'yes', effect: 'unknown' });
  if (held) return held;
  if (!began && !effect.dialog) {
    const lost = /** @type {const} */ ({ dispatched: 'uncertain', effect: 'unknown' });
    throw effect.gone ? new Fault('uncertain', 'the page was replaced as it was clicked', lost) : new Fault('not_delivered', undefined, lost);
  }
  if (done < count && effect.sight?.now) throw miss(effect.sight.now, { dispatched: 'yes', effect: 'unknown' });
  if (effect.sight && !effect.sight.clicked && !effect.sight.menu && (effect.sight.disabled || effect.changes.length === 0)) {
    const more = /** @type {const} */ ({ dispatched: 'yes', effect: 'unknown' });
    throw effect.sight.disabled ? new Fault('disabled', 'the control was disabled as it was clicked', more) : new Fault('not_delivered', 'the node received a press, and no click was seen', more);
  }
  const [was, is] = effect.sight?.value ?? [];
  if (was !== undefined && is !== undefined && effect.sight && !await isSecret(target, seen)) {
    effect.sight.before.push(`value ${JSON.stringify(was.slice(0, maxValue))}`);
    effect.sight.after.push(`value ${JSON.stringify(is.slice(0, maxValue))}`);
    effect.changes.push('value');
  }
  return evidence('mouse', effect, seen);
}

/** Whether a click more would not be what the first was. @param {import('./in-page.js').Sight} sight */
const stopped = ({ held, now, disabled }) => Boolean(held || now || disabled);

/** Why input was held back, as a failure. @param {string} why @param {Partial<import('./wire.js').Fault>} [more] */
function miss(why, more) {
  if (why === 'covered') return new Fault('covered', 'another node came over the point to click', more);
  return new Fault('stale_uid', 'the node changed as it was clicked', { reason: why, ...more });
}
