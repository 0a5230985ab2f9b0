// check: a checkbox, radio, switch or toggle button is put on or off by clicks,
// and only then said to be.

import { click } from './act-click.js';
import { checkShown } from './act-point.js';
import { unchanged } from './act-watch.js';
import { Fault, asFault } from './fault.js';
import { check as identify } from './identity.js';
import { checkedState } from './in-page-fields.js';
import { absent, hold, inPage } from './node.js';
import { awake, dialogOf } from './session.js';

/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

const patienceMs = 1000; // a page may ask its server before it shows the change
const passingMs = 250; // a state that only stands for the change to come does not stay
const lookMs = 50;

/**
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function check(tab, target, act, start) {
  await awake(tab);
  return hold(tab, target, async node => {
    let seen = await identify(node, target, act.expect);
    if (seen.probe.skipped) seen = await checkShown(node, target, act.expect); // what is skipped was not compared
    const { state, radio } = await inPage(node, checkedState);
    if (state === '') throw new Fault('wrong_kind', `a ${seen.role || seen.probe.tag} is neither on nor off`);
    const want = act.on ? 'checked' : 'unchecked';
    if (state === want) return { ...unchanged('mouse', seen), value_now: state };
    if (radio && !act.on) throw new Fault('wrong_kind', 'a radio button is switched off by choosing another one');

    const { id, kind, expect, timeoutMs } = { ...act, kind: /** @type {const} */ ('click') };
    let done = await click(tab, target, { id, kind, expect, timeoutMs }, start);
    let now = await settle(node, state, want, done);
    // Of three states a click gives the next one, which may not be the one wanted.
    if (now !== undefined && now !== want && now !== state) {
      const again = await click(tab, target, { id, kind, expect, timeoutMs }, start).catch(thrown => { throw reached(thrown); });
      done = { ...again, ...(done.before ? { before: done.before } : {}), changes: [...new Set([...done.changes ?? [], ...again.changes ?? []])] };
      now = await settle(node, now, want, done);
    }
    const dialog = dialogOf(tab);
    if (now === undefined) return dialog && !done.dialog ? { ...done, effect: 'seen', changes: [...done.changes ?? [], 'dialog'], dialog: dialog.message || dialog.type } : done;
    const changes = now === state ? done.changes ?? [] : [...new Set([...done.changes ?? [], 'state'])];
    return { ...done, changes, effect: changes.length > 0 ? 'seen' : done.effect, value_now: now, ...(now === want ? {} : { reverted: true }) };
  });
}

/**
 * The state after a click: what it is once it is the one wanted and stays so, or
 * once it has had the time to become so. undefined when the page cannot be asked.
 * @param {Held} node @param {string} was @param {string} want @param {Evidence} done
 * @returns {Promise<string | undefined>}
 */
async function settle(node, was, want, done) {
  if (done.dialog || done.new_document) return undefined;
  const read = () => inPage(node, checkedState).then(({ state }) => state);
  try {
    let now = await read();
    for (let deadline = Date.now() + patienceMs, changed = false; now !== want && Date.now() < deadline; now = await read()) {
      if (now !== was && !changed) [changed, deadline] = [true, Date.now() + passingMs];
      await new Promise(resolve => setTimeout(resolve, lookMs));
    }
    if (now === want) {
      await new Promise(resolve => setTimeout(resolve, lookMs)); // it may be taken back
      now = await read();
    }
    return now;
  } catch (thrown) {
    if (absent(thrown) || dialogOf(node.tab)) return undefined;
    throw reached(thrown);
  }
}

/** A failure after the first click. @param {unknown} thrown */
function reached(thrown) {
  const fault = asFault(thrown);
  if (fault.more.dispatched !== 'uncertain') Object.assign(fault.more, { dispatched: 'yes', effect: 'seen' });
  return fault;
}
