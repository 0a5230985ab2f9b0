// The acts that fit a node, and what came of one, in words. What a page says is
// quoted: it cannot look like ours.
import { legible, quoted } from '../src/fault.js';

/** @typedef {import('../src/wire.js').ActParams} ActParams */
/** @typedef {import('../src/wire.js').ActResult} ActResult */
/**
 * @typedef {object} Question what a person has to say first
 * @property {string} label
 * @property {string} value what stands there now
 * @property {string[]} [choices]
 * @property {boolean} [submits] the form may be submitted afterwards
 */
/** @typedef {{label: string, question?: Question, params: (text: string, submit: boolean) => Partial<ActParams> & Pick<ActParams, 'action'>}} Act */
/** @typedef {{uid: string, role: string, name: string, value: string, states: string[]}} Node a node as its line tells it */

const field = /^(textbox|searchbox|combobox|spinbutton)$/;
const onOff = /^(checkbox|switch|menuitemcheckbox)$/;
const one = /^(radio|menuitemradio)$/;
const choice = /^(combobox|listbox)$/;
const setting = /^(slider|spinbutton|date|datetime|inputtime|colorwell)$/;

/**
 * Reads a node from the parts of its item.
 * @param {import('./lines.js').Item} item @returns {Node}
 */
export function nodeOf({ uid, parts }) {
  const role = parts.find(({ kind }) => kind === 'role')?.text ?? '';
  let [name, value, states] = ['', '', /** @type {string[]} */ ([])];
  parts.forEach(({ kind, text }, at) => {
    const before = parts[at - 1]?.text ?? '';
    if (kind === 'quoted' && / = $/u.test(before)) value = unquoted(text);
    else if (kind === 'quoted' && !name && !/\w+ $/u.test(parts[at - 1]?.kind === 'rest' ? before : '')) name = unquoted(text);
    if (kind === 'rest') states.push(...(/\{(?<states>[^}]*)\}/u.exec(text)?.groups?.states.split(',').map(state => state.trim()) ?? []));
  });
  return { uid, role, name, value, states };
}

/** @param {string} text a string as Go quotes it, perhaps cut */
export function unquoted(text) {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replace(/^"|"$/gu, '');
  }
}

/** The node in a few words. @param {Node} node */
export const titleOf = ({ uid, role, name }) => [`[${uid}]`, role, name && quoted(name, 60)].filter(Boolean).join(' ');

/**
 * The acts that fit a node, the likeliest first.
 * @param {Node} node @param {string[]} [choices] the options it has
 * @returns {Act[]}
 */
export function actsOf({ role, name, value, states }, choices) {
  /** @type {Act[]} */
  const acts = [];
  const what = legible(name, 60) || role;
  const on = states.some(state => state === 'checked' || state === 'mixed');
  const writable = !states.includes('readonly') && !states.includes('disabled');
  if (choice.test(role) && choices?.length) {
    acts.push({ label: 'Select…', question: { label: `Select in ${what}`, value: '', choices }, params: text => ({ action: 'select', values: [text] }) });
  } else if (field.test(role) && writable) {
    acts.push(
      { label: 'Set…', question: { label: `Set ${what} to`, value, submits: true }, params: (text, submit) => ({ action: 'set_field', text, ...(submit && { submit }) }) },
      { label: 'Type…', question: { label: `Type into ${what}`, value: '', submits: true }, params: (text, submit) => ({ action: 'type', text, ...(submit && { submit }) }) },
    );
  }
  if (setting.test(role) && writable) acts.push({ label: 'Set value…', question: { label: `Set the value of ${what} to`, value }, params: text => ({ action: 'set_value', values: [text] }) });
  if (onOff.test(role)) {
    if (!on || states.includes('mixed')) acts.push({ label: 'Check on', params: () => ({ action: 'check', on: true }) });
    if (on) acts.push({ label: 'Check off', params: () => ({ action: 'check', on: false }) });
  }
  if (one.test(role) && !on) acts.push({ label: 'Check on', params: () => ({ action: 'check', on: true }) });
  acts.push({ label: 'Click', params: () => ({ action: 'click' }) });
  if (field.test(role) || choice.test(role)) {
    acts.push({ label: 'Press key…', question: { label: `Key to press in ${what}, e.g. Enter or Control+a`, value: '' }, params: key => ({ action: 'press', key }) });
  }
  acts.push({ label: 'Hover', params: () => ({ action: 'hover' }) });
  return acts;
}

/** The options on a line of options. @param {import('./lines.js').Line} line */
export const optionsIn = ({ items }) => (items[0].parts[0]?.text === 'options'
  ? items.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'quoted').slice(0, 1).map(({ text }) => unquoted(text)))
  : []);

/** What came of an act, in a line. @param {ActResult} r */
export function evidenceOf(r) {
  const changed = (r.diff ?? '').split('\n');
  const count = (/** @type {string} */ sign) => changed.filter(line => line.startsWith(`${sign} `)).length;
  const lines = ['+', '-', '~'].map(sign => [sign, count(sign)]).filter(([, n]) => n);
  return [
    r.unchanged ? 'it was so already, nothing was sent' : r.dispatched === 'yes' ? `done by ${r.method}` : r.dispatched === 'no' ? 'nothing reached the page' : 'it is not known whether it reached the page',
    r.reverted && 'the page took it back',
    r.dispatched !== 'no' && r.effect === 'none_seen' && !r.unchanged && 'no effect was seen',
    r.changes?.length && `changed: ${r.changes.join(', ')}`,
    r.value_now !== undefined && `value now ${quoted(r.value_now)}`,
    r.chosen?.length && `chosen: ${r.chosen.map(one => quoted(one)).join(', ')}`,
    r.after?.length && `now ${r.after.join(', ')}`,
    r.new_document && `now at ${r.title ? quoted(r.title) : r.url}`,
    r.new_tab && 'a new tab opened',
    r.download && `download ${quoted(r.download)}`,
    r.dialog && `a dialog opened: ${quoted(r.dialog)}`,
    r.console_errors && `${r.console_errors} errors in the page's console`,
    lines.length > 0 ? `lines ${lines.map(([sign, n]) => `${sign === '-' ? '−' : sign}${n}`).join(' ')}` : r.diff === 'unchanged' && 'the view is unchanged',
    r.hint,
  ].filter(Boolean).join('; ');
}

/** Why an act failed, in a line: what happened, whether it reached the page, what to do. @param {unknown} fault */
export function failureOf(fault) {
  const { code = '', message = String(fault), hint = '', dispatched = 'uncertain' } = /** @type {{code?: string, message?: string, hint?: string, dispatched?: string}} */ (fault ?? {});
  const reached = { no: 'nothing reached the page', yes: 'it reached the page' }[dispatched] ?? 'it is not known whether it reached the page';
  const next = code === 'unknown_handle' ? 'read the page again' : dispatched !== 'no' && (!hint || /^try again/.test(hint)) ? 'look at the page before acting again' : hint;
  return [code !== 'uncertain' && message, reached, next].filter(Boolean).join('; ');
}
