// Secrets: values that do not leave the tab. Of password fields nothing is sent,
// not even the length; values of fields for one-time codes, card data, tokens and
// keys become ‹hidden›. Copies of a value in the field's own text and in names
// computed from it go with it. A field is judged by its type, autocomplete, id,
// name and label; the words are those of the host (wire.js).
//
// A field that was a password field once stays one for the life of its document,
// whatever a "show password" button makes of it: storage.session remembers.

import * as browser from './chrome.js';
import { passwordWords, secretAutocomplete, secretWords } from './wire.js';

/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXNode} AXNode */
/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXValue} AXValue */
/** @typedef {import('./layout.js').Facts} Facts */
/** @typedef {'password' | 'secret' | ''} Secrecy */

export const hidden = '‹hidden›';
const maxDocuments = 256;

/** Words of a text, lower case: camelCase, digits and punctuation separate them. @param {string} text */
function wordsOf(text) {
  const split = text.normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2').replace(/(\p{N})(\p{L})/gu, '$1 $2');
  return ` ${split.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean).join(' ')} `;
}

const passwordPhrases = passwordWords.map(wordsOf);
const phrases = [...passwordPhrases, ...secretWords.map(wordsOf)];
const autocompletes = new Set(secretAutocomplete);

/** Whether a text calls a field a password, whatever its type. @param {string} text */
export const namesPassword = text => passwordPhrases.some(phrase => wordsOf(text).includes(phrase));

// Types whose value is nothing a person typed: a button's is its label.
const parted = new Set(['date', 'datetime-local', 'month', 'time', 'week']);
const untyped = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'range', 'color', 'file']);

/**
 * Says whether a field's value is a secret.
 * @param {Pick<Facts, 'tag' | 'type' | 'autocomplete' | 'id' | 'name'>} field its attributes
 * @param {string} label its accessible name
 * @returns {Secrecy}
 */
export function secrecy({ tag = '', type = '', autocomplete = '', id = '', name = '' }, label) {
  const kind = tag === 'input' ? type.toLowerCase() : '';
  if (kind === 'password') return 'password';
  if (untyped.has(kind)) return '';
  const tokens = autocomplete.toLowerCase().split(/\s+/);
  if (tokens.includes('current-password') || tokens.includes('new-password')) return 'password';
  if (tokens.some(token => autocompletes.has(token))) return 'secret';
  return [id, name, label].some(text => {
    const words = wordsOf(text);
    return phrases.some(phrase => words.includes(phrase));
  }) ? 'secret' : '';
}

/**
 * Fields that are remembered for the life of their document.
 * @param {string} storageKey
 */
function remembered(storageKey) {
  /** @type {Promise<Map<string, Set<number>>> | undefined} loaderId → backendDOMNodeIds */
  let kept;
  async function load() {
    const rows = /** @type {[string, number[]][]} */ ((await browser.sessionGet(storageKey))[storageKey] ?? []);
    return new Map(rows.map(([loaderId, ids]) => [loaderId, new Set(ids)]));
  }
  return {
    /** @param {string} loaderId @returns {Promise<ReadonlySet<number>>} */
    async of(loaderId) {
      return (await (kept ??= load())).get(loaderId) ?? new Set();
    },
    /** @param {string} loaderId @param {Iterable<number>} ids */
    async add(loaderId, ids) {
      const all = await (kept ??= load());
      const known = all.get(loaderId) ?? new Set();
      const before = known.size;
      for (const id of ids) known.add(id);
      if (known.size === before) return;
      all.set(loaderId, known);
      for (const oldest of all.keys()) if (all.size > maxDocuments) all.delete(oldest);
      await browser.sessionSet({ [storageKey]: [...all].map(([loader, set]) => [loader, [...set]]) });
    },
  };
}

/** The password fields, past and present, of a document; and how they are kept secret for its life. */
export const { of: passwordsOf, add: rememberPasswords } = remembered('passwords');

/** Likewise the fields that whoever typed into them said to be secret. */
export const { of: markedOf, add: rememberMarked } = remembered('marked');

/**
 * Blanks the secrets of one frame's nodes in place.
 * @param {AXNode[]} nodes
 * @param {(id: number) => Facts | undefined} factsOf by backendDOMNodeId; of a field without facts the value is blanked
 * @param {ReadonlySet<number>} past password fields of earlier captures
 * @param {ReadonlySet<number>} [marked] fields that were said to be secret
 * @returns {{redacted: number, passwords: number[]}} how many fields had a value that was blanked; which are password fields
 */
export function blank(nodes, factsOf, past, marked = new Set()) {
  const found = { redacted: 0, passwords: /** @type {number[]} */ ([]) };
  /** @type {Index | undefined} */
  let index;
  /** @type {Map<string, AXNode> | undefined} */
  let parents;
  for (const field of nodes) {
    const id = field.backendDOMNodeId ?? 0;
    let facts = factsOf(id);
    if (!isField(field, facts) && !marked.has(id)) continue;
    // Day, month and year of a date field stand in its own shadow tree, which has no facts: the field's are theirs.
    parents ??= new Map(nodes.map(node => [node.nodeId, node]));
    for (let up = parents.get(field.parentId ?? ''), n = 0; !facts && up && n < 4; up = parents.get(up.parentId ?? ''), n++) {
      const around = factsOf(up.backendDOMNodeId ?? 0);
      if (around?.tag === 'input' && parted.has(around.type ?? '')) facts = around;
    }
    const value = String(field.value?.value ?? '');
    let kind = secrecy(facts ?? {}, String(field.name?.value ?? ''));
    if (past.has(id) || /^[•●∙*]+$/u.test(value)) kind = 'password';
    else if (kind === '' && (marked.has(id) || (facts === undefined && value !== ''))) kind = 'secret';
    if (kind === '') continue;
    if (kind === 'password' && facts?.type === 'password') found.passwords.push(id);
    index ??= indexOf(nodes);
    const texts = hideText(field, index, kind);
    if (value === '' && texts.length === 0) continue;
    found.redacted++;
    const shown = kind === 'password' ? '' : hidden;
    if (kind === 'password') delete field.value;
    else if (field.value) field.value.value = hidden;
    hideCopies(field, index, [value, ...texts], shown);
  }
  return found;
}

/** @param {AXNode} node @param {Facts | undefined} facts */
function isField({ role, value, properties = [] }, facts) {
  if (facts?.tag === 'input' || facts?.tag === 'textarea' || facts?.tag === 'select') return true;
  if (/^(textbox|searchbox|combobox|spinbutton)$/i.test(role?.value ?? '')) return true;
  // Any other editable node with a value of its own is an editing host.
  return value !== undefined && properties.some(({ name }) => name === 'editable');
}

/**
 * Made of a frame's nodes when the first secret is found.
 * @typedef {object} Index
 * @property {Map<string, AXNode>} byId
 * @property {[AXNode, number[]][]} related nodes with a name or property that refers to others, and their backendDOMNodeIds
 */
/** @param {AXNode[]} nodes @returns {Index} */
function indexOf(nodes) {
  const byId = new Map(nodes.map(node => [node.nodeId, node]));
  return { byId, related: nodes.flatMap(node => {
    const ids = relatedTo(node);
    return ids.length > 0 ? [/** @type {[AXNode, number[]]} */ ([node, ids])] : [];
  }) };
}

/** @param {AXNode} node @returns {number[]} */
function relatedTo({ name, description, properties = [] }) {
  const values = [name, description, ...properties.map(property => property.value)];
  return values.flatMap(value => [value, ...(value?.sources ?? []).flatMap(source => [source.nativeSourceValue, source.attributeValue, source.value])])
    .flatMap(value => value?.relatedNodes?.map(one => one.backendDOMNodeId) ?? []);
}

/**
 * Hides the text inside a field; names of a select's options are no secret, which one is chosen is.
 * @param {AXNode} field @param {Index} index @param {Secrecy} kind
 * @returns {string[]} what was hidden
 */
function hideText(field, { byId }, kind) {
  const texts = [];
  const open = [...field.childIds ?? []];
  const seen = new Set([field.nodeId]);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = byId.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    if (/option$/i.test(node.role?.value ?? '')) {
      node.properties = node.properties?.filter(({ name }) => name !== 'selected' && name !== 'focused');
      continue;
    }
    open.push(...node.childIds ?? []);
    const text = String(node.name?.value ?? '');
    if (text.trim() !== '') texts.push(text);
    delete node.value;
    delete node.description;
    if (kind === 'password') {
      node.ignored = true;
      delete node.name;
    } else if (node.name && text.trim() !== '') {
      node.name = { type: node.name.type, value: hidden };
    }
  }
  return texts;
}

/**
 * Hides copies of a field's value where they were computed from it: in the names,
 * descriptions and relations of the nodes around it, and of nodes labelled by it.
 * @param {AXNode} field @param {Index} index @param {string[]} values @param {string} shown
 */
function hideCopies(field, { byId, related }, values, shown) {
  const around = new Set([field]);
  for (let node = byId.get(field.parentId ?? ''); node && !around.has(node) && node.parentId; node = byId.get(node.parentId)) around.add(node);
  const ids = new Set([...around].map(node => node.backendDOMNodeId));
  const hide = hider(values, shown);
  if (!hide) return;
  const labelled = related.flatMap(([node, to]) => to.some(id => ids.has(id)) ? [node] : []);
  for (const node of new Set([...around, ...labelled])) {
    for (const part of [node.name, node.description, node !== field && node.value, node.properties]) rewrite(part, hide);
  }
}

/**
 * Makes a function that hides values in a text.
 * @param {string[]} values @param {string} shown in their place
 * @returns {((text: string) => string) | undefined} undefined when there is nothing to hide
 */
export function hider(values, shown) {
  const copies = [...new Set(values.flatMap(value => [value, value.trim().replace(/\s+/g, ' ')]))]
    .filter(value => value.trim() !== '').sort((a, b) => b.length - a.length).map(pattern);
  return copies.length === 0 ? undefined : text => copies.reduce((left, copy) => left.replace(copy, shown), text);
}

/** Short values are replaced as whole words only, so that a "1" does not eat into other text. @param {string} value */
function pattern(value) {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return value.length < 4 ? new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu') : new RegExp(literal, 'gu');
}

/** Rewrites every string below a value, in place; words of the protocol itself never hold a value. @param {unknown} at @param {(text: string) => string} change */
function rewrite(at, change) {
  if (typeof at !== 'object' || at === null) return;
  const record = /** @type {Record<string, unknown>} */ (at);
  for (const [key, value] of Object.entries(record)) {
    if (typeof value === 'string') {
      if (key === 'value' || key === 'text') record[key] = change(value);
    } else rewrite(value, change);
  }
}
