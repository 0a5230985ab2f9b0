// Layout facts of one CDP session, keyed by backendDOMNodeId: what the AX tree
// does not say about a node and a reader needs (docs/FORMAT.md, "layout").
//
// Source: DOMSnapshot.captureSnapshot with the styles below. Its inputValue and
// textValue hold passwords in clear and are never read. Pages too large for a
// snapshot get only what DOMDebugger.getEventListeners says.

import { minOpacity, sight, unseen } from './unseen.js';

/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXNode} AXNode */
/** @typedef {import('devtools-protocol').Protocol.DOMSnapshot.CaptureSnapshotResponse} Snapshot */
/** @typedef {import('devtools-protocol').Protocol.DOMSnapshot.DocumentSnapshot} DocumentSnapshot */

/**
 * Facts of one node. What is absent has its default: not clickable, no box, rendered, opaque.
 * @typedef {object} Facts
 * @property {true} [clickable] it has a click listener, or is the outermost element with a hand for a cursor
 * @property {[number, number, number, number]} [box] x, y, width, height in its frame's viewport, CSS px
 * @property {false} [rendered] display: none, visibility: hidden or no box for another reason
 * @property {true} [viewport] its box meets the viewport
 * @property {number} [opacity] product over its ancestors
 * @property {true} [clip] nothing of it can be brought into view; not told of fields
 * @property {string} [color] of a text that does not stand out from its background; #rrggbb or #rrggbbaa
 * @property {string} [background] what is behind such a text, where that is known
 * @property {string} [icon] what a control without a text says by the icons in it
 * @property {string} [cursor] of what is clickable
 * @property {string} [contentVisibility]
 * @property {string} [tag]
 * @property {string} [type]
 * @property {string} [autocomplete]
 * @property {string} [placeholder]
 * @property {string} [id]
 * @property {string} [name]
 * @property {string} [class]
 * @property {string} [title]
 * @property {string} [alt]
 * @property {string} [min]
 * @property {string} [max]
 * @property {string} [step]
 * @property {string} [method]
 * @property {string} [action]
 * @property {string} [current] aria-current, where it is one
 */
/** @typedef {Record<string, Facts>} Layout */

export const styles = ['cursor', 'visibility', 'opacity', 'content-visibility', ...sight];
const [cursor, visibility, opaque, contentVisibility] = [0, 1, 2, 3]; // places in styles, before those of sight
const kept = /** @type {const} */ (['type', 'autocomplete', 'placeholder', 'id', 'name', 'class', 'title', 'alt', 'min', 'max', 'step', 'method', 'action']);
const maxAttribute = 200; // characters
const maxInIcon = 50; // nodes of a control that is an icon
const elementNode = 1; // nodeType

const icons = /^(i|em|b|span|svg|use|img)$|icon/; // local names
const naming = new Set(['class', 'id', 'data-icon', 'data-testid']);
const readable = /[^\s\p{Co}]/u; // icon fonts use the private characters

const native = new Set(['button', 'input', 'label', 'option', 'select', 'summary', 'textarea']);
const fields = new Set(['input', 'select', 'textarea']);
const links = new Set(['a', 'area']); // with a href
const interactiveRole = /^(button|checkbox|combobox|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/;
const clickEvents = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup']);

/**
 * @param {Snapshot} snapshot taken with `styles`
 * @param {ReadonlyMap<number, boolean>} wanted backendDOMNodeIds of elements; true where attributes are wanted, too
 * @param {ReadonlySet<number>} [texts] backendDOMNodeIds of texts: they have facts only where they are not seen
 * @returns {Layout}
 */
export function layoutOf({ documents, strings }, wanted, texts = new Set()) {
  /** @type {Layout} */
  const layout = {};
  for (const [at, one] of documents.entries()) readDocument(one, strings, { wanted, texts, framed: at > 0 }, layout);
  return layout;
}

/**
 * @param {DocumentSnapshot} snapshot @param {string[]} strings
 * @param {{wanted: ReadonlyMap<number, boolean>, texts: ReadonlySet<number>, framed: boolean}} asked @param {Layout} layout
 */
function readDocument(snapshot, strings, { wanted, texts, framed }, layout) {
  const { nodes, layout: boxes, scrollOffsetX = 0, scrollOffsetY = 0 } = snapshot;
  const { parentIndex = [], nodeName = [], nodeValue = [], backendNodeId = [], attributes = [] } = nodes;
  const size = nodeName.length;
  const text = (/** @type {number | undefined} */ index) => strings[index ?? -1] ?? '';
  const boxOf = new Int32Array(size).fill(-1);
  boxes.nodeIndex.forEach((node, at) => { if (boxOf[node] === -1) boxOf[node] = at; });
  const style = (/** @type {number} */ node, /** @type {number} */ which) => text(boxes.styles[boxOf[node]]?.[which]);
  const listening = new Set(nodes.isClickable?.index);

  // One pass down: parents stand before their children.
  const tags = nodeName.map(name => text(name).toLowerCase());
  const opacity = new Float64Array(size);
  const natives = new Uint8Array(size); // it is interactive by itself
  const inNative = new Uint8Array(size); // it or an ancestor is
  const inEditor = new Uint8Array(size); // an ancestor is an editing host: all in it counts as clickable
  const apart = new Uint8Array(size); // it stands in a choice of a list, or in what may be skipped: a box is no matter there
  const attribute = (/** @type {number} */ node, /** @type {string} */ name) => {
    const list = attributes[node] ?? [];
    for (let i = 0; i < list.length; i += 2) if (text(list[i]) === name) return text(list[i + 1]);
    return undefined;
  };
  const controls = tags.flatMap((tag, node) => fields.has(tag) ? [node] : []);
  const controlById = new Map(controls.map(node => [attribute(node, 'id'), node]));
  const clicked = new Uint8Array(size);
  for (let node = 0; node < size; node++) {
    const parent = parentIndex[node];
    const tag = tags[node];
    const own = tag === '#text' ? 1 : Number(style(node, opaque) || 1); // the document and nodes without a box have no style; a text has its parent's
    opacity[node] = own * (opacity[parent] ?? 1);
    apart[node] = apart[parent] || tag === 'select' || tag === 'datalist' || (style(node, contentVisibility) || 'visible') !== 'visible' ? 1 : 0;
    if (tag.startsWith('#')) {
      inNative[node] = inNative[parent] ?? 0;
      inEditor[node] = inEditor[parent] ?? 0;
      continue;
    }
    const byItself = native.has(tag) || links.has(tag) && attribute(node, 'href') !== undefined || interactiveRole.test(attribute(node, 'role') ?? '');
    natives[node] = byItself ? 1 : 0;
    inNative[node] = byItself ? 1 : inNative[parent] ?? 0;
    const pointed = style(node, cursor) === 'pointer' && !hand(parent) && !inNative[node];
    if (!byItself && !inEditor[parent] && listening.has(node) || pointed || tag === 'label' && labelsUnseen(node)) clicked[node] = 1;
    inEditor[node] = inEditor[parent] || (attribute(node, 'contenteditable') ?? 'false') !== 'false' ? 1 : 0;
  }
  /** @param {number} node */
  function hand(node) {
    while (node >= 0 && boxOf[node] === -1) node = parentIndex[node]; // shadow roots, display: contents
    return node >= 0 && style(node, cursor) === 'pointer';
  }
  /** A label is clickable itself where the control it stands for is not shown. @param {number} label */
  function labelsUnseen(label) {
    if (boxOf[label] === -1 || !listening.has(label)) return false;
    const named = attribute(label, 'for');
    const control = named === undefined ? controls.find(node => node > label) : controlById.get(named);
    if (control === undefined || named === undefined && !within(control, label)) return true; // the listener is its own
    return boxOf[control] === -1 || style(control, visibility) !== 'visible';
  }
  /** @param {number} node @param {number} ancestor */
  function within(node, ancestor) {
    while (node > ancestor) node = parentIndex[node];
    return node === ancestor;
  }

  // One pass up: a listener on what holds most of the document is delegation and marks nothing.
  const elements = new Int32Array(size);
  const targets = new Int32Array(size);
  for (let node = size - 1; node > 0; node--) {
    const parent = parentIndex[node];
    if (parent < 0 || tags[node].startsWith('#text')) continue;
    elements[parent] += elements[node] + 1;
    targets[parent] += targets[node] + (clicked[node] || natives[node]);
  }
  const body = tags.indexOf('body');
  const most = (elements[body] ?? 0) / 2;
  const [, , viewWidth = 0, viewHeight = 0] = boxes.bounds[boxOf[0]] ?? []; // the document's own box
  const isRoot = (/** @type {number} */ node) => tags[node] === 'html' || node === body ||
    (elements[node] >= most && targets[node] >= 3);

  const sees = unseen(snapshot, strings, styles.length - sight.length, {
    tags, boxOf, opacity, attribute, framed,
    shown: node => style(node, visibility) === 'visible', view: [scrollOffsetX, scrollOffsetY, viewWidth, viewHeight],
  });
  /** @param {number} node a text @returns {Facts | undefined} why it is not seen */
  function unseenText(node) {
    if (boxOf[node] === -1) return apart[node] ? undefined : { rendered: false };
    if (opacity[node] < minOpacity) return { opacity: opacity[node] };
    return sees.textClipped(node, !apart[node]) ? { clip: true } : sees.faint(node);
  }
  /** What the icons in an element are called, unless something in it says what it is. @param {number} node */
  function iconOf(node) {
    if (attribute(node, 'aria-label') || attribute(node, 'title')) return undefined;
    /** @type {Set<string>} */
    const words = new Set();
    for (let at = node + 1, end = at + maxInIcon; at < size && within(at, node); at++) {
      if (at === end) return undefined;
      const tag = tags[at];
      if (tag === '#text' ? readable.test(text(nodeValue[at])) : attribute(at, 'aria-label') || attribute(at, 'alt')) return undefined;
      const list = (attributes[at] ?? []).map(text);
      if (!icons.test(tag) && !list.some((value, i) => i % 2 === 1 && list[i - 1] === 'class' && value.includes('icon'))) continue;
      for (let i = 0; i < list.length; i += 2) {
        const [name, value] = [list[i], list[i + 1].trim()];
        if (naming.has(name)) words.add(value);
        else if (/^(xlink:)?href$|^src$/.test(name) && !value.startsWith('data:')) words.add(value.replace(/[?].*|.*(?=#)/, '').replace(/.*[#/]/, ''));
      }
    }
    return [...words].filter(Boolean).join(' ').slice(0, maxAttribute) || undefined;
  }

  for (let node = 0; node < size; node++) {
    const id = backendNodeId[node];
    const tag = tags[node];
    if (texts.has(id) && tag === '#text') {
      const facts = /\S/.test(text(nodeValue[node])) ? unseenText(node) : undefined;
      if (facts) layout[id] = facts;
      continue;
    }
    const clickable = clicked[node] === 1 && !isRoot(node);
    if (tag.startsWith('#') || !(clickable || wanted.has(id) || fields.has(tag))) continue;
    /** @type {Facts} */
    const facts = { tag };
    if (clickable) {
      facts.clickable = true;
      if (style(node, cursor) !== 'auto') facts.cursor = style(node, cursor);
    }
    const bounds = boxes.bounds[boxOf[node]];
    if (bounds) {
      const [left, top, width, height] = bounds;
      const [x, y] = [left - scrollOffsetX, top - scrollOffsetY];
      facts.box = [Math.round(x), Math.round(y), Math.round(width), Math.round(height)];
      if (width > 0 && height > 0 && x < viewWidth && y < viewHeight && x + width > 0 && y + height > 0) facts.viewport = true;
    }
    if (!bounds || style(node, visibility) !== 'visible') facts.rendered = false;
    if (opacity[node] < 1) facts.opacity = opacity[node];
    if (!fields.has(tag) && sees.clipped(node)) facts.clip = true;
    if (bounds && style(node, contentVisibility) !== 'visible') facts.contentVisibility = style(node, contentVisibility);
    if (clickable || fields.has(tag) || tag === 'form' || wanted.get(id)) {
      Object.assign(facts, factsOfAttributes(tag, (attributes[node] ?? []).map(text)));
      const icon = fields.has(tag) ? undefined : iconOf(node);
      if (icon) facts.icon = icon;
    }
    layout[id] = facts;
  }
}

/**
 * Tells whether the page leaves something out of its tree because it is far from
 * the viewport (content-visibility: auto), and hides nothing by the same property
 * on purpose (hidden), so that all of it may be shown for a moment.
 * @param {Snapshot} snapshot @param {AXNode[][]} frames
 */
export function skips({ documents, strings }, frames) {
  let read; // backendDOMNodeIds in the tree
  let skipped = false;
  for (const { nodes, layout: boxes } of documents) {
    const { parentIndex = [], nodeType = [], backendNodeId = [], attributes = [] } = nodes;
    const empty = new Set(); // elements of which no child is in the tree
    for (const [at, node] of boxes.nodeIndex.entries()) {
      const value = strings[boxes.styles[at]?.[contentVisibility] ?? -1];
      if (value === 'auto') empty.add(node);
      if (value === 'hidden' && !attributes[node]?.some(index => strings[index] === 'until-found')) return false;
    }
    if (empty.size === 0) continue;
    read ??= new Set(frames.flatMap(one => one.map(node => node.backendDOMNodeId)));
    const parents = new Set(parentIndex.filter((parent, node) => empty.has(parent) && nodeType[node] === elementNode));
    for (const [node, parent] of parentIndex.entries()) if (read.has(backendNodeId[node])) empty.delete(parent);
    skipped ||= [...empty].some(node => parents.has(node));
  }
  return skipped;
}

/** Facts of a node's attributes alone. @param {string} tag @param {string[]} attributes names and values, in turn @returns {Facts} */
export function factsOfAttributes(tag, attributes) {
  /** @type {Facts} */
  const facts = { tag };
  for (let i = 0; i < attributes.length; i += 2) {
    const name = kept.find(one => one === attributes[i]);
    const value = attributes[i + 1];
    if (name && value) facts[name] = (name === 'type' ? value.toLowerCase() : value).slice(0, maxAttribute);
    if (attributes[i] === 'aria-current' && value && value !== 'false') facts.current = value.slice(0, maxAttribute); // no AX property says it
  }
  return facts;
}

/**
 * Facts of a page that is too large for a snapshot: who listens to clicks. As
 * above, a listener on what holds most of a frame marks nothing.
 * @param {import('devtools-protocol').Protocol.DOMDebugger.EventListener[]} listeners of the document, to any depth
 * @param {AXNode[][]} frames
 * @returns {Layout}
 */
export function layoutOfListeners(listeners, frames) {
  const listening = new Set(listeners.filter(({ type }) => clickEvents.has(type)).map(({ backendNodeId }) => backendNodeId));
  /** @type {Layout} */
  const layout = {};
  for (const nodes of frames) {
    const byId = new Map(nodes.map(node => [node.nodeId, node]));
    const below = new Map(nodes.map(node => [node, 1]));
    // Listed breadth first: upwards, every node comes before its parent.
    for (const node of nodes.toReversed()) {
      const up = byId.get(node.parentId ?? '');
      if (up) below.set(up, (below.get(up) ?? 0) + (below.get(node) ?? 0));
    }
    for (const node of nodes) {
      const { backendDOMNodeId: id = 0, parentId } = node;
      if (listening.has(id) && parentId && (below.get(node) ?? 0) < nodes.length / 2) layout[id] = { clickable: true };
    }
  }
  return layout;
}
