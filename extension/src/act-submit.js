// Submitting: at most once in a moment, and, of a field with a list of its own,
// by taking an option.

import { chordOf, strike } from './act-keys.js';
import { observe, see } from './act-watch.js';
import * as browser from './chrome.js';
import { hasConsequence } from './consequence.js';
import { Fault, asFault } from './fault.js';
import { submitForm } from './in-page.js';
import { formOf, listOf } from './in-page-keys.js';
import { hold, inPage, inPageKept } from './node.js';
import { send } from './session.js';

/** @typedef {import('./act-watch.js').Effect} Effect */
/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {{loaderId: string, form: number, at: number}} Submit */

const momentMs = 2000;
const storageKey = 'submits';

/** The submits of the last moment; in storage.session, for the worker after this one. @type {Promise<Submit[]> | undefined} */
let kept;

/** @param {(all: Submit[]) => Submit[]} change */
async function update(change) {
  const all = await (kept ??= browser.sessionGet(storageKey).then(found => /** @type {Submit[]} */ (found[storageKey] ?? [])));
  const next = change(all.filter(({ at }) => Date.now() - at < momentMs));
  kept = Promise.resolve(next);
  if (next.length > 0 || all.length > 0) await browser.sessionSet({ [storageKey]: next });
}

/**
 * Runs an act, unless it would submit a form that was submitted a moment ago, or
 * submits without leave.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start @param {import('./grant.js').Allow} allow
 * @param {(start: Start) => Promise<Evidence>} run
 * @returns {Promise<Evidence>}
 * @throws {Fault} repeated, not_approved
 */
export async function submitOnce(tab, target, act, start, allow, run) {
  const how = submits(act);
  const form = how && await hold(tab, target, async node => {
    const { objectId } = await inPageKept(node, formOf, how);
    return objectId ? (await send(tab, node.targetId, 'DOM.describeNode', { objectId })).node.backendNodeId : undefined;
  });
  if (form || act.submit || (how && /^(button|menuitem)/.test(target.role) && hasConsequence(target.name))) allow('submit', target.origin);
  if (!form) return run(start);
  const { loaderId } = target;
  const same = (/** @type {Submit} */ one) => one.loaderId === loaderId && one.form === form;
  /** @type {Submit[]} */
  let earlier = [];
  await update(all => {
    earlier = all.filter(same);
    if (earlier.length > 0 && !act.again) throw new Fault('repeated');
    return all;
  });
  /** @param {boolean} was whether this act was a submit; it counts from its end, for typing takes a while */
  const note = was => update(all => [...all.filter(one => !same(one)), ...(was ? [{ loaderId, form, at: Date.now() }] : earlier)]);
  let started = false;
  try {
    const done = await run(async () => {
      await start();
      started = true;
      await note(true);
    });
    // What took an option has submitted nothing, unless the page has moved on.
    await note((!done.chosen && done.hint !== notSent) || done.new_document === true || done.changes?.includes('navigation') === true);
    return done;
  } catch (thrown) {
    const fault = asFault(thrown);
    await note(started && fault.more.dispatched !== 'no' && fault.code !== 'disabled').catch(() => {});
    throw fault;
  }
}

/** How an act may submit a form. @param {Act} act @returns {'' | 'click' | 'Enter' | 'Space' | 'submit'} */
function submits({ kind, submit, key = '' }) {
  if (kind === 'click') return 'click';
  if (kind === 'type' || kind === 'set_field') return submit ? 'submit' : '';
  if (kind !== 'press') return '';
  const name = /(?:^|\+)(Enter|Space| )$/.exec(key)?.[1];
  return name === 'Enter' ? 'Enter' : name ? 'Space' : '';
}

/**
 * Submits a field that was typed into and adds what that does: takes an option of
 * the list that it owns, submits its form, or else presses Enter.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Effect} effect
 * @returns {Promise<{chosen?: string[], hint?: string}>}
 */
export async function submitFrom(node, watcher, target, effect) {
  const { changes } = effect;
  /** @type {{chosen?: string[], hint?: string}} */
  let took = {};
  const sent = await observe(watcher, target, async () => {
    if (await listShown(node)) {
      took = await takeOption(node, watcher);
      return;
    }
    const how = await inPage(node, submitForm);
    if (how === 'disabled') throw new Fault('disabled', 'the text was typed, but the button that submits it is disabled', { reason: how, dispatched: 'yes', effect: 'seen' });
    if (how === 'gone') took = { hint: 'the form went away as its field was left: look whether the page took the text' };
    if (how === 'invalid') took = { hint: notSent };
    if (how === '') await strike(node, chordOf('Enter'));
  });
  Object.assign(effect, sent, { changes: sent.gone ? sent.changes : [...new Set([...changes, ...sent.changes])] });
  return took;
}

const notSent = 'the form was not sent: the browser does not take what a field of it holds, and gives the first such field the focus';
const listMs = 1500;
const lookMs = 75;
const maxSteps = 50; // keys to get to an option

/** @param {number} ms */
const after = ms => new Promise(resolve => setTimeout(resolve, ms));
/** @param {string} text */
const folded = text => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** The option that is meant: the text itself, else the first that has it in it, else the first. @param {string[]} options @param {string} text */
function meant(options, text) {
  const want = folded(text);
  return options.find(option => folded(option) === want) ?? options.find(option => folded(option).includes(want)) ?? options[0];
}

/**
 * Waits for the list of a field. One that does not speak of what the field holds
 * may still be that of an earlier text.
 * @param {Held} node
 * @returns {Promise<boolean>} false when the field owns none or is empty, or it does not come
 */
async function listShown(node) {
  let before = '';
  for (const deadline = Date.now() + listMs; ;) {
    const { owns, shown, options, value } = await inPage(node, listOf);
    if (!owns || folded(value) === '') return false;
    const now = shown ? JSON.stringify(options) : '';
    if (shown && now === before && options.some(option => folded(option).includes(folded(value)))) return true;
    if (Date.now() > deadline) return shown;
    before = now;
    await after(lookMs);
  }
}

/** @param {Held} node @param {Held} watcher @returns {Promise<{chosen?: string[], hint?: string}>} */
async function takeOption(node, watcher) {
  const look = () => inPage(node, listOf);
  let at = await look();
  await see(watcher); // keeps it armed
  const want = meant(at.options, at.value); // what the arrow keys do to the text does not change that
  const there = () => at.shown && at.active >= 0 && at.options[at.active] === want;
  for (let steps = Math.min(maxSteps, at.options.length + 1); at.shown && !there() && steps > 0; steps--) {
    await strike(node, chordOf('ArrowDown'));
    await after(lookMs);
    at = await look();
    if (at.active < 0) break; // the page does not say which option it is at: one step leads to the first
  }
  const known = there();
  if (!at.shown || (at.active >= 0 && !known)) return { hint: 'the field has a list, but the arrow keys do not lead to its option: click the option' };
  await strike(node, chordOf('Enter'));
  await after(lookMs);
  const now = await look().catch(() => undefined); // the page may have moved on
  const taken = !now || !now.shown || now.value !== at.value;
  const label = known ? want : at.options.find(option => folded(option) === folded(now?.value ?? ''));
  if (taken && label !== undefined) return { chosen: [label] };
  return { hint: 'Enter was pressed in the field\'s list; whether it took an option does not show: look at the field' };
}
