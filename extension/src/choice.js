// Which option is meant: its label, or its value, as a person would name it.

import { Fault, quoted } from './fault.js';
import { fold } from './identity.js';

/**
 * An option of a list, native or not.
 * @typedef {object} Option
 * @property {string} label
 * @property {string} value
 * @property {string} group
 * @property {boolean} disabled
 * @property {boolean} selected
 */

const maxListed = 50;
const maxLabel = 80; // characters

const lower = (/** @type {string} */ text) => fold(text.normalize('NFKC')).toLowerCase();

/**
 * The options that are meant: those that have the very label, else the value, else
 * either in another case, else a part of the label.
 * @template {Option} T
 * @param {T[]} options @param {string} want
 * @returns {T[]}
 */
export function meant(options, want) {
  const [text, low] = [fold(want), lower(want)];
  /** @type {((option: Option) => boolean)[]} */
  const steps = [
    ({ label }) => label === text,
    ({ value }) => value === want,
    ({ label, value }) => lower(label) === low || lower(value) === low,
    ({ label }) => low !== '' && lower(label).includes(low),
  ];
  return steps.map(step => options.filter(step)).find(found => found.length > 0) ?? [];
}

/**
 * The one option that is meant.
 * @template {Option} T
 * @param {T[]} options @param {string} want
 * @returns {T}
 * @throws {Fault} bad_request with the options there are; disabled
 */
export function pick(options, want) {
  const found = meant(options, want);
  if (found.length === 0) throw unfit(options.length === 0 ? 'the list has no options' : `no option has this label or value: there are ${listed(options)}`);
  if (found.length > 1) throw unfit(`several options fit: ${listed(found, true)}`);
  if (found[0].disabled) throw new Fault('disabled', `the option ${named(found[0].label)} is disabled`, { reason: 'option' });
  return found[0];
}

/** @param {string} message */
export const unfit = message => new Fault('bad_request', message, { field: 'values' });

/** @param {Option[]} options @param {boolean} [apart] with what tells them from each other */
function listed(options, apart = false) {
  const names = options.slice(0, maxListed).map(({ label, value, group }) =>
    named(label) + (apart && value ? ` (value ${named(value)}${group ? ` in ${named(group)}` : ''})` : ''));
  return names.join(', ') + (options.length > maxListed ? ` and ${options.length - maxListed} more` : '');
}

/** @param {string} text */
const named = text => quoted(text, maxLabel);
