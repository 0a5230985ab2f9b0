// select in a list that the page made: a listbox that stands in it, or one that a
// combobox opens. Every option is clicked as a person clicks it, and counts as
// chosen only when the page shows that it is.

import { click } from './act-click.js';
import { isSecret } from './act-secrets.js';
import { evidence, noEffect } from './act-watch.js';
import { type } from './act-type.js';
import { meant, pick, unfit } from './choice.js';
import { Fault, asFault, quoted } from './fault.js';
import { describe, fold } from './identity.js';
import { twoFrames } from './in-page.js';
import { findList, lookAtList, offers, optionAt, optionState, scrollList, showOption, walkList } from './in-page-list.js';
import { inPage, inPageKept } from './node.js';
import { hidden } from './secrets.js';
import { dialogOf, send } from './session.js';

/** @typedef {import('./in-page-list.js').View} View */
/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {View['options'][number]} Option */

const budgetMs = 2000; // for a list to open and fill
const calmMs = 400; // a list that stays the same so long has all its options
const walkMs = 8000; // to look through a list that shows a part of its options
const verifyMs = 1000;
const lookMs = 50;

/**
 * @param {Held} node @param {Target} target @param {Seen} seen @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function selectFromList(node, target, seen, act, start) {
  const kind = await inPage(node, offers);
  const said = seen.role || seen.probe.tag;
  if (kind === '') throw new Fault('wrong_kind', seen.role === 'option' ? 'an option is clicked, or selected in its list' : `a ${said} has no options to select`);
  const list = new List(node, target, seen, act, start, kind === 'popup', await inPageKept(node, findList, kind === 'list'));
  try {
    return await list.select(act.values ?? []);
  } catch (thrown) {
    return list.failed(thrown);
  }
}

/** A list in which options are being selected. */
class List {
  #node;
  #target;
  #seen;
  #act;
  #popup;
  #finder;
  #start;
  #started = false;
  #typed = false;
  /** What the clicks did so far. @type {Evidence | undefined} */
  #done;
  /** @type {Set<string>} */
  #changes = new Set();
  /** Why a click was said to have failed, which its effect may show to be none. @type {Fault | undefined} */
  #doubt;

  /** @param {Held} node @param {Target} target @param {Seen} seen @param {Act} act @param {Start} start @param {boolean} popup @param {Held} finder */
  constructor(node, target, seen, { id, expect, timeoutMs }, start, popup, finder) {
    this.#node = node;
    this.#target = target;
    this.#seen = seen;
    this.#act = { id, kind: /** @type {const} */ ('click'), expect, timeoutMs };
    this.#popup = popup;
    this.#finder = finder;
    this.#start = async () => {
      await start();
      this.#started = true;
    };
  }

  /** @param {string[]} values @returns {Promise<Evidence>} */
  async select(values) {
    const before = await this.#look();
    let now = await this.#open();
    if (!now) return this.#evidence({});
    if (values.length > 1 && !now.multiple) throw unfit('the list takes one value');
    if (!now.multiple) return this.#one(values[0], before.text, before.around);

    /** @type {Option[]} */
    const wanted = [];
    for (const value of values) wanted.push((await this.#find(value)).option);
    const isWanted = (/** @type {Option} */ option) => wanted.some(({ label, value }) => label === option.label && value === option.value);
    now = await this.#look();
    const all = now.options.filter(option => option.selected && !isWanted(option)).map(({ label }) => label); // to be switched off
    const off = new Set(all);
    for (const { label } of wanted) if (!all.includes(label)) all.push(label);
    for (const label of all) {
      if (!await this.#open()) return this.#evidence({});
      const { option, n } = await this.#find(label);
      if (option.selected !== off.has(label)) continue;
      if (!await this.#press(n, option)) return this.#evidence({});
      await this.#until(view => view.options.some(one => one.label === label && one.selected !== option.selected), `the option ${quoted(label)} was clicked, but stays ${option.selected ? 'selected' : 'as it was'}`);
    }
    now = await this.#again();
    const chosen = now.options.filter(option => option.selected);
    const kept = chosen.length === wanted.length && wanted.every(({ label }) => chosen.some(option => option.label === label));
    return this.#evidence({ chosen: chosen.map(({ label }) => label), ...(kept ? {} : { reverted: true }) });
  }

  /** @param {string} value @param {string} text what the combobox showed before @param {string} around @returns {Promise<Evidence>} */
  async #one(value, text, around) {
    const { option, n } = await this.#find(value);
    const { label } = option;
    if (option.selected && (!this.#popup || text === label)) {
      await this.#close();
      return this.#evidence({ chosen: [label], ...(this.#started ? {} : { unchanged: true }) });
    }
    if (!await this.#press(n, option)) return this.#evidence({});
    const times = (/** @type {string} */ where) => (label === '' ? 0 : where.split(label).length);
    // A list marks the option that the mouse is on, too: what counts is what its combobox shows.
    const shows = (/** @type {View} */ view) => (!this.#popup ? view.options.some(one => one.label === label && one.selected)
      : (this.#typed ? !view.open : true) && (view.text === label || (option.value !== '' && view.text === option.value)
        || (view.text !== text && view.text !== '' && (view.text.includes(label) || label.includes(view.text)))
        || (!view.open && times(view.around) > times(around))));
    const already = option.selected && this.#popup && text !== '' && (text.includes(label) || label.includes(text));
    await this.#until(view => shows(view) || (already && !view.open && view.text === text), `the option ${quoted(label)} was clicked, but nothing shows that it is chosen`);
    const kept = await this.#again();
    const still = shows(kept) || (already && kept.text === text);
    return this.#evidence({ chosen: still ? [label] : kept.options.filter(one => one.selected).map(one => one.label), ...(still ? {} : { reverted: true }) });
  }

  #look() {
    return inPage(this.#finder, lookAtList);
  }

  /** After a tick, in which the page may take it back. */
  async #again() {
    await after(lookMs);
    await inPage(this.#node, twoFrames);
    return this.#look();
  }

  /** Opens the list, unless it is. @returns {Promise<View | undefined>} undefined when the page did something else instead */
  async #open() {
    let now = await this.#look();
    if (now.open) return now;
    const target = this.#started ? await describe(this.#node, this.#target, this.#target.backendDOMNodeId) : this.#target; // a choice may rename it
    if (!await this.#click(target)) return undefined;
    const shown = async (/** @type {number} */ ms) => {
      for (const deadline = Date.now() + ms; ; await after(lookMs)) {
        const view = await this.#look();
        if (view.open || Date.now() > deadline) return view;
      }
    };
    now = await shown(this.#editable ? calmMs : this.#act.timeoutMs || budgetMs);
    if (!now.open && this.#editable) { // a field that is clicked may open its list at a key alone, or once something is typed
      await this.#key('ArrowDown', 40);
      now = await shown(calmMs);
    }
    if (now.open || this.#editable) return now;
    throw this.#doubt ?? new Fault('wrong_kind', now.several ? `${now.several} lists opened, and none is said to be the one` : 'it was clicked, and no list of options opened');
  }

  get #editable() {
    return this.#popup && this.#seen.probe.editable === 'text';
  }

  /**
   * Finds an option, and sees to it that it is there: a list may fill late, show
   * only a part of its options, or only those that fit what is typed.
   * @param {string} want
   * @returns {Promise<{option: Option, n: number}>}
   */
  async #find(want) {
    if ((await this.#look()).open) await this.#filled(want);
    try {
      return await this.#reveal(pick(await this.#walk(want), want));
    } catch (thrown) {
      if (!this.#editable || this.#typed || asFault(thrown).more.field !== 'values') throw thrown;
      const text = (await this.#look()).text;
      this.#typed = true;
      await type(this.#node.tab, this.#target, { ...this.#act, kind: 'type', text: want, clear: true }, this.#start);
      await this.#filled(want);
      try {
        return await this.#reveal(pick(await this.#walk(want), want));
      } catch (stillMissing) {
        // Its text was not asked for.
        await type(this.#node.tab, this.#target, { ...this.#act, kind: 'type', text, clear: true }, this.#start).catch(() => {});
        await after(calmMs); // a list that this opens is to be closed, too
        throw asFault(stillMissing).message.includes('no options') ? thrown : stillMissing;
      }
    }
  }

  /** Waits until a list has what is looked for, or no more is to come. @param {string} want */
  async #filled(want) {
    const deadline = Date.now() + (this.#act.timeoutMs || budgetMs);
    let last = '';
    for (let since = Date.now(); ; await after(lookMs)) {
      const { busy, options } = await this.#look();
      const found = meant(options, want);
      if (Date.now() > deadline || (!busy && found.length === 1 && found[0].label === fold(want))) return;
      const now = JSON.stringify(options.map(({ label }) => label));
      if (now !== last || busy || options.every(({ disabled }) => disabled)) since = Date.now();
      if (Date.now() - since > calmMs) return;
      last = now;
    }
  }

  /** All options, as far as they can be had in time. @param {string} want @returns {Promise<(Option & {top?: number})[]>} */
  async #walk(want) {
    const { options, end, top } = await this.#look();
    const [exact, more] = meant(options, want);
    if (end <= 0 || (exact && !more && exact.label === fold(want))) return options;
    const labels = (/** @type {Option[]} */ all) => JSON.stringify(all.map(({ label }) => label));
    if (labels(await this.#scroll(end).then(now => now.options)) === labels(options)) { // it has them all at any time
      await this.#scroll(top);
      return options;
    }
    const { options: all, whole } = await inPage(this.#finder, walkList, fold(want), walkMs);
    if (!whole && meant(all, want).length === 0) throw unfit(`none of the ${all.length} options that came into view in ${walkMs / 1000} s has this label or value`);
    return all;
  }

  /** @param {number} top */
  async #scroll(top) {
    await inPage(this.#finder, scrollList, top);
    await inPage(this.#node, twoFrames);
    return this.#look();
  }

  /** @param {Option & {top?: number}} option @returns {Promise<{option: Option, n: number}>} */
  async #reveal(option) {
    let { options } = option.top === undefined ? await this.#look() : await this.#scroll(option.top);
    for (let tries = 0; ; tries++) {
      const n = options.findIndex(one => one.label === option.label && one.value === option.value && one.place === option.place);
      if (n < 0) throw new Fault('stale_uid', `the option ${quoted(option.label)} went away`, { reason: 'gone' });
      // Scrolled later, at the click, the node might come to stand for another option.
      if (tries > 3 || !await inPage(this.#finder, showOption, n)) return { option: options[n], n };
      await inPage(this.#node, twoFrames);
      ({ options } = await this.#look());
    }
  }

  /** Clicks an option. @param {number} n @param {Option} option @returns {Promise<boolean>} false when the page was left, or asks something */
  async #press(n, { label }) {
    const held = await inPageKept(this.#finder, optionAt, n, label);
    if (!held.objectId) throw new Fault('stale_uid', `the option ${quoted(label)} changed before it was clicked`, { reason: 'renamed' });
    const { node: { backendNodeId } } = await send(held.tab, held.targetId, 'DOM.describeNode', { objectId: held.objectId });
    const target = await describe(held, this.#target, backendNodeId);
    // What was read of it is of the option that was found: it was that before, and still is.
    if (!(await inPage(this.#finder, optionState, held, label)).there) throw new Fault('stale_uid', `the option ${quoted(label)} changed before it was clicked`, { reason: 'renamed' });
    return this.#click(target);
  }

  /** @param {Target} target @returns {Promise<boolean>} false when the page was left, or asks something */
  async #click(target) {
    this.#doubt = undefined;
    const { tab } = this.#node;
    try {
      this.#done = await click(tab, target, target === this.#target ? this.#act : { ...this.#act, expect: undefined }, this.#start);
      for (const change of this.#done.changes ?? []) this.#changes.add(change);
      return !this.#done.dialog && !this.#done.new_document && !this.#changes.has('frame_removed');
    } catch (thrown) {
      // A list that opens, or goes, under a press gets its release in the node's place: what it did is seen elsewhere.
      const fault = asFault(thrown);
      if (fault.more.dispatched !== 'yes' || !['covered', 'not_delivered', 'stale_uid'].includes(fault.code)) throw fault;
      this.#doubt = fault;
      return true;
    }
  }

  /** Waits until the page shows a choice. @param {(view: View) => boolean} shows @param {string} otherwise */
  async #until(shows, otherwise) {
    const deadline = Date.now() + verifyMs;
    while (!shows(await this.#look())) {
      if (Date.now() > deadline) throw new Fault('uncertain', otherwise, { dispatched: 'yes', effect: 'unknown' });
      await after(lookMs);
    }
    this.#changes.add('value');
  }

  /** Closes the list, if it is one that opens. */
  async #close() {
    if (!this.#popup || !this.#started || !(await this.#look()).open) return;
    await this.#key('Escape', 27);
  }

  /** @param {string} key @param {number} windowsVirtualKeyCode */
  async #key(key, windowsVirtualKeyCode) {
    const { tab, targetId } = this.#node;
    const event = { key, code: key, windowsVirtualKeyCode };
    await send(tab, targetId, 'Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event });
    await send(tab, targetId, 'Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** @param {Partial<Evidence>} more @returns {Promise<Evidence>} */
  async #evidence(more) {
    const { url = '', title = '', dialog = '', new_document: gone = false } = this.#done ?? {};
    const changes = gone ? ['document'] : [...this.#changes];
    const secret = more.chosen && await isSecret(this.#target, this.#seen);
    return {
      ...evidence('mouse', { ...noEffect(), changes, gone, dialog, url, title }, this.#seen), ...more,
      ...(this.#started ? {} : { dispatched: 'no' }), ...(secret ? { chosen: [hidden] } : {}),
    };
  }

  /** Closes the list again and says what went wrong, if it is no dialog that the page opened. @param {unknown} thrown @returns {Promise<Evidence>} */
  async failed(thrown) {
    const fault = asFault(thrown);
    if (!this.#started) throw fault;
    const dialog = dialogOf(this.#node.tab);
    if (fault.code === 'dialog_open' && dialog) return { ...await this.#evidence({}), effect: 'seen', changes: [...this.#changes, 'dialog'], dialog: dialog.message || dialog.type };
    if (fault.more.dispatched !== 'uncertain') Object.assign(fault.more, { dispatched: 'yes', effect: fault.code === 'uncertain' ? 'unknown' : 'seen' });
    await this.#close().catch(() => {});
    throw fault;
  }
}

/** @param {number} ms @returns {Promise<void>} */
const after = ms => new Promise(resolve => setTimeout(resolve, ms));
