// Layout facts of one CDP session, keyed by backendDOMNodeId: what the AX tree
// does not say about a node and a reader needs (docs/FORMAT.md, "layout").
//
// Source: DOMSnapshot.captureSnapshot with the styles below. Its inputValue and
// textValue hold passwords in clear and are never read. Pages too large for a
// snapshot get only what DOMDebugger.getEventListeners says.

/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXNode} AXNode */
/** @typedef {import('devtools-protocol').Protocol.DOMSnapshot.CaptureSnapshotResponse} Snapshot */
/** @typedef {import('devtools-protocol').Protocol.DOMSnapshot.DocumentSnapshot} DocumentSnapshot */

/**
 * Facts of one node; what is not there is not so, or not known.
 * @typedef {object} Facts
 * @property {true} [clickable] it has a click listener, or is the outermost element with a hand for a cursor
 * @property {[number, number, number, number]} [box] x, y, width, height in its document, CSS px
 * @property {boolean} [rendered] it has a box, and neither it nor an ancestor hides it
 * @property {number} [opacity] product over its ancestors, when below 1
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
 */
/** @typedef {Record<string, Facts>} Layout */

export const styles = ['cursor', 'visibility', 'opacity'];
const kept = /** @type {const} */ (['type', 'autocomplete', 'placeholder', 'id', 'name', 'class', 'title', 'alt', 'min', 'max', 'step']);
const maxAttribute = 200; // characters

const native = new Set(['a', 'area', 'button', 'input', 'label', 'option', 'select', 'summary', 'textarea']);
const fields = new Set(['input', 'select', 'textarea']);
const interactiveRole = /^(button|checkbox|combobox|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/;
const clickEvents = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup']);

/**
 * @param {Snapshot} snapshot taken with `styles`
 * @param {ReadonlyMap<number, boolean>} wanted backendDOMNodeIds; true where attributes are wanted, too
 * @returns {Layout}
 */
export function layoutOf({ documents, strings }, wanted) {
  /** @type {Layout} */
  const layout = {};
  for (const one of documents) readDocument(one, strings, wanted, layout);
  return layout;
}

/**
 * @param {DocumentSnapshot} snapshot @param {string[]} strings
 * @param {ReadonlyMap<number, boolean>} wanted @param {Layout} layout
 */
function readDocument({ nodes, layout: boxes }, strings, wanted, layout) {
  const { parentIndex = [], nodeName = [], backendNodeId = [], attributes = [] } = nodes;
  const size = nodeName.length;
  const text = (/** @type {number | undefined} */ index) => strings[index ?? -1] ?? '';
  const boxOf = new Int32Array(size).fill(-1);
  boxes.nodeIndex.forEach((node, at) => { if (boxOf[node] === -1) boxOf[node] = at; });
  const style = (/** @type {number} */ node, /** @type {number} */ which) => text(boxes.styles[boxOf[node] ?? -1]?.[which]);
  const listening = new Set(nodes.isClickable?.index);

  // One pass down: parents stand before their children.
  const tags = nodeName.map(name => text(name).toLowerCase());
  const opacity = new Float64Array(size);
  const inNative = new Uint8Array(size); // it or an ancestor is interactive by itself
  const inEditor = new Uint8Array(size); // an ancestor is an editing host: all in it counts as clickable
  const attribute = (/** @type {number} */ node, /** @type {string} */ name) => {
    const list = attributes[node] ?? [];
    for (let i = 0; i < list.length; i += 2) if (text(list[i]) === name) return text(list[i + 1]);
    return undefined;
  };
  const controls = tags.flatMap((tag, node) => fields.has(tag) ? [node] : []);
  const clicked = new Uint8Array(size);
  for (let node = 0; node < size; node++) {
    const parent = parentIndex[node] ?? -1;
    const tag = tags[node] ?? '';
    const own = Number(style(node, 2) || 1); // the document and nodes without a box have no style
    opacity[node] = own * (opacity[parent] ?? 1);
    if (tag.startsWith('#')) {
      inNative[node] = inNative[parent] ?? 0;
      inEditor[node] = inEditor[parent] ?? 0;
      continue;
    }
    const byItself = native.has(tag) || interactiveRole.test(attribute(node, 'role') ?? '');
    inNative[node] = byItself ? 1 : inNative[parent] ?? 0;
    const pointed = style(node, 0) === 'pointer' && !hand(parent) && !inNative[node];
    if (!byItself && !inEditor[parent] && listening.has(node) || pointed || tag === 'label' && labelsUnseen(node)) clicked[node] = 1;
    inEditor[node] = inEditor[parent] || (attribute(node, 'contenteditable') ?? 'false') !== 'false' ? 1 : 0;
  }
  /** @param {number} node */
  function hand(node) {
    while (node >= 0 && boxOf[node] === -1) node = parentIndex[node] ?? -1; // shadow roots, display: contents
    return node >= 0 && style(node, 0) === 'pointer';
  }
  /** A label is clickable itself where the control it stands for is not shown. @param {number} label */
  function labelsUnseen(label) {
    if (boxOf[label] === -1 || !listening.has(label)) return false;
    const named = attribute(label, 'for');
    const control = named === undefined ? controls.find(node => node > label) : controls.find(node => attribute(node, 'id') === named);
    if (control === undefined || named === undefined && !within(control, label)) return true; // the listener is its own
    return boxOf[control] === -1 || style(control, 1) !== 'visible';
  }
  /** @param {number} node @param {number} ancestor */
  function within(node, ancestor) {
    while (node > ancestor) node = parentIndex[node] ?? -1;
    return node === ancestor;
  }

  // One pass up: a listener on what holds most of the document is delegation and marks nothing.
  const elements = new Int32Array(size);
  const targets = new Int32Array(size);
  for (let node = size - 1; node > 0; node--) {
    const parent = parentIndex[node] ?? -1;
    if (parent < 0 || tags[node]?.startsWith('#text')) continue;
    elements[parent] = (elements[parent] ?? 0) + (elements[node] ?? 0) + 1;
    targets[parent] = (targets[parent] ?? 0) + (targets[node] ?? 0) + (clicked[node] || native.has(tags[node] ?? '') ? 1 : 0);
  }
  const body = tags.indexOf('body');
  const most = (elements[body] ?? 0) / 2;
  const isRoot = (/** @type {number} */ node) => tags[node] === 'html' || node === body ||
    ((elements[node] ?? 0) >= most && (targets[node] ?? 0) >= 3);

  for (let node = 0; node < size; node++) {
    const id = backendNodeId[node] ?? 0;
    const tag = tags[node] ?? '';
    const clickable = clicked[node] === 1 && !isRoot(node);
    if (tag.startsWith('#') || !(clickable || wanted.has(id) || fields.has(tag))) continue;
    /** @type {Facts} */
    const facts = { tag };
    if (clickable) facts.clickable = true;
    const at = boxOf[node] ?? -1;
    const [x = 0, y = 0, width = 0, height = 0] = boxes.bounds[at] ?? [];
    if (at !== -1) facts.box = [Math.round(x), Math.round(y), Math.round(width), Math.round(height)];
    const seen = opacity[node] ?? 1;
    facts.rendered = width > 0 && height > 0 && seen > 0 && style(node, 1) === 'visible';
    if (seen < 1) facts.opacity = seen;
    if (clickable || fields.has(tag) || wanted.get(id)) {
      Object.assign(facts, factsOfAttributes(tag, (attributes[node] ?? []).map(text)));
    }
    layout[id] = facts;
  }
}

/** Facts of a node's attributes alone. @param {string} tag @param {string[]} attributes names and values, in turn @returns {Facts} */
export function factsOfAttributes(tag, attributes) {
  /** @type {Facts} */
  const facts = { tag };
  for (let i = 0; i < attributes.length; i += 2) {
    const name = kept.find(one => one === attributes[i]);
    const value = attributes[i + 1];
    if (name && value) facts[name] = value.slice(0, maxAttribute);
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
