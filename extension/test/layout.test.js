import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf, layoutOfListeners, skips } from '../src/layout.js';

/**
 * An element, or a text, of a document.
 * @typedef {object} Element
 * @property {string} [tag]
 * @property {Record<string, string>} [attributes]
 * @property {boolean} [listens] DOMSnapshot calls it clickable
 * @property {string} [cursor]
 * @property {string} [visibility]
 * @property {string} [opacity]
 * @property {string} [contentVisibility]
 * @property {number[] | null} [box] null: no layout object
 * @property {Element[]} [children]
 */

/**
 * Makes the answer of DOMSnapshot.captureSnapshot; backendNodeIds count from 1
 * for the document, 2 for html and 3 for body.
 * @param {Element[]} children of the body
 * @param {Partial<Element>} [body]
 * @returns {any}
 */
function snapshot(children, body = {}) {
  /** @type {string[]} */
  const strings = [];
  const string = (/** @type {string} */ text) => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
  const nodes = {
    parentIndex: /** @type {number[]} */ ([]), nodeName: /** @type {number[]} */ ([]), nodeType: /** @type {number[]} */ ([]),
    backendNodeId: /** @type {number[]} */ ([]), attributes: /** @type {number[][]} */ ([]), isClickable: { index: /** @type {number[]} */ ([]) },
  };
  const layout = { nodeIndex: /** @type {number[]} */ ([]), bounds: /** @type {number[][]} */ ([]), styles: /** @type {number[][]} */ ([]) };
  const add = (/** @type {Element} */ { tag = 'div', attributes = {}, listens, box = [0, 0, 10, 10], children = [], ...style }, /** @type {number} */ parent) => {
    const node = nodes.nodeName.push(string(tag.toUpperCase())) - 1;
    nodes.parentIndex.push(parent);
    nodes.nodeType.push(tag === '#document' ? 9 : tag === '#text' ? 3 : 1);
    nodes.backendNodeId.push(node + 1);
    nodes.attributes.push(Object.entries(attributes).flatMap(([name, value]) => [string(name), string(value)]));
    if (listens) nodes.isClickable.index.push(node);
    if (box) {
      layout.nodeIndex.push(node);
      layout.bounds.push(box);
      const { cursor = 'auto', visibility = 'visible', opacity = '1', contentVisibility = 'visible' } = style;
      layout.styles.push(tag === '#document' ? [] : [cursor, visibility, opacity, contentVisibility].map(string));
    }
    for (const child of children) add(child, node);
  };
  add({ tag: '#document', box: [0, 0, 800, 600], children: [{ tag: 'html', children: [{ tag: 'body', ...body, children }] }] }, -1);
  return { documents: [{ nodes, layout, scrollOffsetX: 0, scrollOffsetY: 100 }], strings };
}

const first = 4; // backendNodeId of the body's first child
/** @param {any} taken @returns {number[]} */
const clickable = taken => Object.entries(layoutOf(taken, new Map())).filter(([, facts]) => facts.clickable).map(([id]) => Number(id) - first);
const text = { tag: '#text' };

for (const { name, body = {}, children, want } of /** @type {{name: string, body?: Partial<Element>, children: Element[], want: number[]}[]} */ ([
  { name: 'a listener', children: [{ listens: true, children: [text] }], want: [0] },
  { name: 'no listener', children: [{ children: [text] }], want: [] },
  { name: 'the body listens', body: { listens: true }, children: [{}], want: [] },
  {
    name: 'a root container listens for all in it',
    children: [{ listens: true, children: [{ tag: 'button' }, { tag: 'button' }, { tag: 'button' }] }], want: [],
  },
  {
    name: 'a card of a page listens for its buttons',
    children: [{ listens: true, children: [{ tag: 'button' }, { tag: 'button' }, { tag: 'button' }] }, ...Array(9).fill({})], want: [0],
  },
  { name: 'a button says so itself', children: [{ tag: 'button', listens: true }], want: [] },
  { name: 'a link says so itself', children: [{ tag: 'a', attributes: { href: '#' }, listens: true }], want: [] },
  { name: 'an anchor without href does not', children: [{ tag: 'a', listens: true }], want: [0] },
  { name: 'a role says so', children: [{ attributes: { role: 'button' }, listens: true }], want: [] },
  { name: 'a listener inside a button', children: [{ tag: 'button', children: [{ tag: 'span', listens: true }] }], want: [1] },
  { name: 'the hand of the outermost', children: [{ cursor: 'pointer', children: [{ cursor: 'pointer', children: [text] }] }], want: [0] },
  { name: 'the hand through a node without a box', children: [{ cursor: 'pointer', children: [{ box: null, children: [{ cursor: 'pointer' }] }] }], want: [0] },
  { name: 'a button’s hand', children: [{ tag: 'button', cursor: 'pointer', children: [{ tag: 'span', cursor: 'pointer' }] }], want: [] },
  { name: 'a hand inside a link', children: [{ tag: 'a', attributes: { href: '#' }, children: [{ tag: 'span', cursor: 'pointer' }] }], want: [] },
  {
    name: 'a delegating list of the whole page, its items with a hand',
    children: [{ tag: 'ul', listens: true, children: Array(3).fill({ tag: 'li', cursor: 'pointer' }) }], want: [1, 2, 3],
  },
  { name: 'an editing host, not what is edited', children: [{ attributes: { contenteditable: '' }, listens: true, children: [{ tag: 'p', listens: true }] }], want: [0] },
  { name: 'contenteditable=false', children: [{ attributes: { contenteditable: 'false' }, children: [{ listens: true }] }], want: [1] },
  { name: 'the label of a control that is seen', children: [{ tag: 'label', listens: true, children: [{ tag: 'input' }] }], want: [] },
  { name: 'the label of a control without a box', children: [{ tag: 'label', listens: true, children: [{ tag: 'input', box: null }] }], want: [0] },
  { name: 'the label of a hidden control elsewhere', children: [{ tag: 'input', attributes: { id: 'c' }, visibility: 'hidden' }, { tag: 'label', attributes: { for: 'c' }, listens: true }], want: [1] },
  { name: 'the label of a seen control elsewhere', children: [{ tag: 'input', attributes: { id: 'c' } }, { tag: 'label', attributes: { for: 'c' }, listens: true }], want: [] },
  { name: 'a label of nothing that listens', children: [{ tag: 'label', listens: true }, { tag: 'input' }], want: [0] },
])) {
  test(`clickable: ${name}`, () => assert.deepEqual(clickable(snapshot(children, body)), want));
}

test('facts stand only where they are wanted, and only when they are not the default', () => {
  const taken = snapshot([
    { tag: 'button', attributes: { id: 'a', class: 'b c', value: 'no', TYPE: 'x' }, box: [10.4, 150.6, 20, 30] },
    { opacity: '0.5', children: [{ tag: 'p', opacity: '0.5', visibility: 'hidden' }] },
    { tag: 'p', box: null },
    { tag: 'input', attributes: { type: 'PASSWORD', value: 'hunter2', placeholder: 'x'.repeat(300) }, box: [0, 900, 5, 5] },
    { tag: 'p' },
  ]);
  const layout = layoutOf(taken, new Map([[first, true], [first + 2, false], [first + 3, false]]));
  assert.deepEqual(layout, {
    [first]: { tag: 'button', box: [10, 51, 20, 30], viewport: true, id: 'a', class: 'b c' },
    [first + 2]: { tag: 'p', box: [0, -100, 10, 10], rendered: false, opacity: 0.25 },
    [first + 3]: { tag: 'p', rendered: false },
    [first + 4]: { tag: 'input', box: [0, 800, 5, 5], type: 'password', placeholder: 'x'.repeat(200) },
  });
});

const section = (/** @type {string} */ contentVisibility) => ({ tag: 'section', contentVisibility, children: [{ tag: 'p', children: [text] }] });
const tree = (/** @type {number[]} */ ...ids) => [ids.map(backendDOMNodeId => (/** @type {any} */ ({ backendDOMNodeId })))];

for (const { name, children, ids, want } of [
  { name: 'nothing of the kind', children: [section('visible')], ids: [4], want: false },
  { name: 'a section in the tree', children: [section('auto')], ids: [4, 5], want: false },
  { name: 'a section that is left out', children: [section('auto')], ids: [4], want: true },
  { name: 'an empty section', children: [{ tag: 'section', contentVisibility: 'auto' }], ids: [4], want: false },
  { name: 'something hidden on purpose', children: [section('auto'), section('hidden')], ids: [4, 7], want: false },
  { name: 'something hidden until it is found', children: [section('auto'), { ...section('hidden'), attributes: { hidden: 'until-found' } }], ids: [4, 7], want: true },
]) {
  test(`content-visibility: ${name}`, () => assert.equal(skips(snapshot(children), tree(...ids)), want));
}

test('without a snapshot, a listener on most of a frame marks nothing', () => {
  const nodes = Array.from({ length: 9 }, (_, i) => (/** @type {any} */ ({ nodeId: `${i}`, parentId: i > 1 ? '1' : i === 1 ? '0' : undefined, backendDOMNodeId: i + 1 })));
  const listeners = [1, 2, 5, 6].map(backendNodeId => (/** @type {any} */ ({ type: backendNodeId === 6 ? 'keydown' : 'click', backendNodeId })));
  assert.deepEqual(layoutOfListeners(listeners, [nodes]), { 5: { clickable: true } });
});
