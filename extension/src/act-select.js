// select: options of a list. Those of a <select> are set from the isolated world,
// since its list is the browser's own and takes no input that CDP could send;
// those of a list that the page made are clicked (act-list.js).

import { click } from './act-click.js';
import { selectFromList } from './act-list.js';
import { checkShown, locate } from './act-point.js';
import { isSecret } from './act-secrets.js';
import { evidence, guard, observe, refuseWithheld, unchanged, watched } from './act-watch.js';
import { pick, unfit } from './choice.js';
import { Fault } from './fault.js';
import { check } from './identity.js';
import { probe } from './in-page.js';
import { optionsOf, placeOf, selectOf, selectOptions } from './in-page-fields.js';
import { hold, inPage, inPageKept } from './node.js';
import { hidden } from './secrets.js';
import { awake } from './session.js';

/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {ReturnType<typeof optionsOf>} List */

const budgetMs = 2000;

/**
 * Selects options by label or value: exactly those that are named.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function select(tab, target, act, start) {
  await awake(tab);
  return hold(tab, target, async node => {
    const seen = await checkShown(node, target, act.expect);
    if (seen.probe.tag !== 'select') return selectFromList(node, target, seen, act, start);
    const values = act.values ?? [];
    return choose(node, node, target, seen, act, start, ({ multiple, options }) => {
      if (!multiple && values.length > 1) throw unfit('the list takes one value');
      return [...new Set(values.map(value => pick(options, value)))];
    });
  });
}

/**
 * Clicks an option: one of a closed <select> is selected in it.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function clickOption(tab, target, act, start) {
  await awake(tab);
  const done = await hold(tab, target, async node => {
    const seen = await check(node, target, act.expect);
    if (!seen.probe.listed) return undefined;
    const list = await inPageKept(node, selectOf);
    const disabled = seen.probe.disabled || (await inPage(list, probe)).disabled;
    if (disabled) throw new Fault('disabled', undefined, { reason: disabled });
    const place = await inPage(node, placeOf);
    return choose(node, list, target, seen, act, start, ({ options }) => {
      const it = options.find(({ index }) => index === place);
      if (!it || it.disabled) throw new Fault('not_visible', 'the list does not show this option');
      return [it];
    });
  });
  return done ?? click(tab, target, act, start);
}

/**
 * @param {Held} node what the act is aimed at @param {Held} list its select
 * @param {Target} target @param {Seen} seen @param {Act} act @param {Start} start
 * @param {(list: List) => List['options']} wanted finds the options, or refuses
 * @returns {Promise<Evidence>}
 */
async function choose(node, list, target, seen, act, start, wanted) {
  const before = await inPage(list, optionsOf);
  const options = wanted(before);
  const secret = await isSecret(target, seen);
  const chosen = (/** @type {List['options']} */ all) => (secret ? [hidden] : all.map(({ label }) => label));
  if (same(selected(before), options)) return { ...unchanged('select', seen), chosen: chosen(options) };
  await watched(list, [], watcher => locate(list, watcher, target, seen, Date.now() + (act.timeoutMs || budgetMs)));
  return watched(node, [], async watcher => {
    await guard(node, watcher, target, seen, act.expect);
    await start();
    const effect = await observe(watcher, target, async () =>
      refuseWithheld(await inPage(list, selectOptions, watcher, options.map(({ index }) => index), options.map(({ label }) => label))));
    const after = effect.sight && await inPage(list, optionsOf).then(selected, () => undefined);
    if (after && !same(after, selected(before))) effect.changes.push('value');
    return { ...evidence('select', effect, seen), ...(after ? { chosen: chosen(after), ...(same(after, options) ? {} : { reverted: true }) } : {}) };
  });
}

/** @param {List} list */
const selected = ({ options }) => options.filter(option => option.selected);

/** @param {List['options']} a @param {List['options']} b */
const same = (a, b) => keys(a) === keys(b);
/** @param {List['options']} options */
const keys = options => JSON.stringify(options.map(({ label, value }) => [label, value]).sort());
