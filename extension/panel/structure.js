// The summary of a page's forms, tables and results (docs/FORMAT.md, Structure) as lists.
import { focusable, part, target } from './lines.js';

/** @typedef {{text: string, uids?: string[]}} Cell */
/** @typedef {{label: string, type: string, uid?: string, disabled?: boolean, required?: boolean, value?: string, optionCount?: number}} Field */
/** @typedef {{label: string, loose?: boolean, fields: Field[], fieldsTruncated?: boolean, submits: {name: string, uid: string, disabled?: boolean}[], submitsTruncated?: boolean}} Form */
/** @typedef {{label: string, headers: Cell[], rowCount: number, columnCount: number}} Table */
/** @typedef {{title: string, uid?: string, url?: string}} Result */
/** @typedef {{forms: Form[], formsTruncated?: boolean, tables: Table[], tablesTruncated?: boolean, results: Result[], resultsTruncated?: boolean}} Structure */

/** @param {number} n @param {string} what */
const count = (n, what) => `${n.toLocaleString()} ${what}${n === 1 ? '' : 's'}`;

/** What a structure has, in a line. @param {Structure} s */
export const headingOf = s => `Structure: ${[
  count(s.forms.length, 'form') + (s.formsTruncated ? ' and more' : ''),
  count(s.tables.length, 'table') + (s.tablesTruncated ? ' and more' : ''),
  count(s.results.length, 'result') + (s.resultsTruncated ? ' and more' : ''),
].join(', ')}`;

/** @param {Structure} s @returns {DocumentFragment} */
export function renderStructure(s) {
  const all = document.createDocumentFragment();
  for (const form of s.forms) {
    all.append(...section(form.loose ? 'Fields outside forms' : `Form ${form.label}`.trim(), [
      ...form.fields.map(field => [node(field.uid, field.type, field.label), part('rest', detailsOf(field))]),
      ...(form.fieldsTruncated ? [['… more fields']] : []),
      ...form.submits.map(({ uid, name, disabled }) => [node(uid, 'submit', name), part('rest', disabled ? ' disabled' : '')]),
      ...(form.submitsTruncated ? [['… more buttons']] : []),
    ]));
  }
  for (const { label, headers, rowCount, columnCount } of s.tables) {
    all.append(...section(`Table ${label}`.trim(), [
      [`${count(rowCount, 'row')} of ${count(columnCount, 'column')}`],
      headers.flatMap(({ text, uids = [] }, i) => [i ? ' | ' : '', part('quoted', text), ...uids.flatMap(uid => [' ', node(uid)])]),
    ]));
  }
  if (s.results.length > 0) {
    all.append(...section('Results', s.results.map(({ uid, title, url }) => [node(uid, '', title), part('rest', url ? ` ${url}` : '')])));
  }
  return all;
}

/** @param {Field} field */
function detailsOf({ value, optionCount, required, disabled }) {
  const words = [value && `= ${value}`, optionCount && `of ${count(optionCount, 'option')}`, required && 'required', disabled && 'disabled'];
  return words.filter(Boolean).map(word => ` ${word}`).join('');
}

/** @param {string | undefined} uid @param {string} [role] @param {string} [name] */
function node(uid, role, name) {
  const shown = target(uid);
  const parts = [uid ? part('uid', `[${uid}]`) : '', role ? part('role', role) : '', name ? part('quoted', name) : ''].filter(Boolean);
  shown.append(...parts.flatMap((one, i) => (i ? [' ', one] : [one])));
  return shown;
}

/** @param {string} title @param {(Node | string)[][]} entries */
function section(title, entries) {
  const heading = document.createElement('h2');
  heading.textContent = title;
  const list = document.createElement('ul');
  for (const entry of entries) {
    if (entry.length === 0) continue;
    const item = document.createElement('li');
    item.append(...entry);
    list.append(focusable(item));
  }
  return [heading, list];
}
