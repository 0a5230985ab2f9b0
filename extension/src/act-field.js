// set_field: a text in the place of what a field holds, in the way of the field.

import { select } from './act-select.js';
import { setTypes, setValue } from './act-set.js';
import { type } from './act-type.js';
import { Fault } from './fault.js';
import { probe } from './in-page.js';
import { hold, inPage } from './node.js';
import { awake } from './session.js';

/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

/**
 * Types the text, or chooses a list's option by it, or sets a date to it.
 * @param {number} tab @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function setField(tab, target, act, start) {
  await awake(tab);
  const { tag, type: kind } = await hold(tab, target, node => inPage(node, probe));
  const other = tag === 'select' ? select : setTypes.test(kind) ? setValue : undefined;
  if (!other) return type(tab, target, { ...act, clear: true }, start);
  if (act.submit) throw new Fault('bad_request', 'a text field is submitted: leave submit out, and click what submits the form', { field: 'submit' });
  return other(tab, target, { ...act, values: [act.text ?? ''] }, start);
}
