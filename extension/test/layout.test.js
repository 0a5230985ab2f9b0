import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf, layoutOfListeners, skips, styles } from '../src/layout.js';

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
 * @property {string} [text] of a text
 * @property {Record<string, string>} [css] other computed styles
 * @property {number[] | null} [box] null: no layout object
 * @property {Element[]} [children]
 */

/** @type {Record<string, string>} */
const initial = {
  'overflow-x': 'visible', 'overflow-y': 'visible', position: 'static', clip: 'auto', 'clip-path': 'none', 'color-scheme': 'normal',
  '-webkit-text-fill-color': 'rgb(0, 0, 0)', '-webkit-text-stroke-width': '0px', 'text-shadow': 'none',
  'background-color': 'rgba(0, 0, 0, 0)', 'background-image': 'none', 'background-clip': 'border-box',
};

/**
 * Makes the answer of DOMSnapshot.captureSnapshot; backendNodeIds count from 1
 * for the document, 2 for html and 3 for body.
 * @param {Element[]} children of the body
 * @param {Partial<Element>} [body]
 * @param {Record<string, string>} [root] computed styles of html
 * @returns {any}
 */
function snapshot(children, body = {}, root = {}) {
  /** @type {string[]} */
  const strings = [];
  const string = (/** @type {string} */ text) => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
  const nodes = {
    parentIndex: /** @type {number[]} */ ([]), nodeName: /** @type {number[]} */ ([]), nodeType: /** @type {number[]} */ ([]),
    backendNodeId: /** @type {number[]} */ ([]), nodeValue: /** @type {number[]} */ ([]), attributes: /** @type {number[][]} */ ([]), isClickable: { index: /** @type {number[]} */ ([]) },
  };
  const layout = { nodeIndex: /** @type {number[]} */ ([]), bounds: /** @type {number[][]} */ ([]), styles: /** @type {number[][]} */ ([]) };
  const add = (/** @type {Element} */ { tag = 'div', attributes = {}, listens, box = [0, 0, 10, 10], text = '', css = {}, children = [], ...style }, /** @type {number} */ parent) => {
    const node = nodes.nodeName.push(string(tag.toUpperCase())) - 1;
    nodes.parentIndex.push(parent);
    nodes.nodeType.push(tag === '#document' ? 9 : tag === '#text' ? 3 : 1);
    nodes.backendNodeId.push(node + 1);
    nodes.nodeValue.push(string(text));
    nodes.attributes.push(Object.entries(attributes).flatMap(([name, value]) => [string(name), string(value)]));
    if (listens) nodes.isClickable.index.push(node);
    if (box) {
      layout.nodeIndex.push(node);
      layout.bounds.push(box);
      const { cursor = 'auto', visibility = 'visible', opacity = '1', contentVisibility = 'visible' } = style;
      /** @type {Record<string, string>} */
      const computed = { cursor, visibility, opacity, 'content-visibility': contentVisibility, ...css };
      layout.styles.push(tag === '#document' ? [] : styles.map(name => string(computed[name] ?? initial[name] ?? '')));
    }
    for (const child of children) add(child, node);
  };
  add({ tag: '#document', box: [0, 0, 800, 600], children: [{ tag: 'html', box: [0, 0, 785, 600], css: root, children: [{ tag: 'body', ...body, children }] }] }, -1);
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
    { tag: 'button', attributes: { id: 'a', class: 'b c', value: 'no', TYPE: 'x', 'aria-current': 'step' }, box: [10.4, 150.6, 20, 30] },
    { opacity: '0.5', children: [{ tag: 'p', opacity: '0.5', visibility: 'hidden' }] },
    { tag: 'p', box: null },
    { tag: 'input', attributes: { type: 'PASSWORD', value: 'hunter2', placeholder: 'x'.repeat(300) }, box: [0, 900, 5, 5] },
    { tag: 'form', attributes: { method: 'post', action: '/signup', target: 'x', 'aria-current': 'false' } },
    { tag: 'p' },
  ]);
  const layout = layoutOf(taken, new Map([[first, true], [first + 2, false], [first + 3, false], [first + 5, false]]));
  assert.deepEqual(layout, {
    [first]: { tag: 'button', box: [10, 51, 20, 30], viewport: true, id: 'a', class: 'b c', current: 'step' },
    [first + 2]: { tag: 'p', box: [0, -100, 10, 10], rendered: false, opacity: 0.25 },
    [first + 3]: { tag: 'p', rendered: false },
    [first + 4]: { tag: 'input', box: [0, 800, 5, 5], type: 'password', placeholder: 'x'.repeat(200) },
    [first + 5]: { tag: 'form', box: [0, -100, 10, 10], method: 'post', action: '/signup' },
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

const line = [10, 10, 100, 18];
const words = (box = line, style = {}) => ({ tag: '#text', text: 'words', box, ...style });
const hides = { 'overflow-x': 'hidden', 'overflow-y': 'hidden' };
const scrolls = { 'overflow-x': 'auto', 'overflow-y': 'auto' };
const absolute = { position: 'absolute' };
const white = { '-webkit-text-fill-color': 'rgb(255, 255, 255)' };
const ink = (/** @type {string} */ value) => ({ '-webkit-text-fill-color': value });
const behind = (/** @type {string} */ value) => ({ 'background-color': value });
const shows = undefined;
const clip = { clip: true };

// Of the last text of each: what its facts are.
for (const { name, children, root = {}, want } of /** @type {{name: string, children: Element[], root?: Record<string, string>, want: any}[]} */ ([
  { name: 'a text', children: [{ children: [words()] }], want: shows },
  { name: 'below the fold', children: [words([10, 9000, 100, 18])], want: shows },
  { name: 'right of the page', children: [words([9000, 10, 100, 18])], want: shows },
  { name: 'left of the page', children: [words([-9999, 10, 100, 18])], want: clip },
  { name: 'above the page', children: [words([10, -50, 100, 18])], want: clip },
  { name: 'outside a box that hides', children: [{ box: [0, 0, 50, 50], css: hides, children: [words([60, 0, 100, 18])] }], want: clip },
  { name: 'partly outside', children: [{ box: [0, 0, 50, 50], css: hides, children: [words([40, 0, 100, 18])] }], want: shows },
  { name: 'in a box that scrolls', children: [{ box: [0, 0, 50, 50], css: scrolls, children: [words([0, 900, 100, 18])] }], want: shows },
  { name: 'scrolled out of a box', children: [{ box: [0, 0, 50, 50], css: scrolls, children: [words([0, -900, 100, 18])] }], want: shows },
  { name: 'before the start of a box that scrolls', children: [{ box: [0, 0, 50, 50], css: { ...scrolls, position: 'relative' }, children: [{ box: [0, 0, 50, 99] }, { box: [-900, 0, 50, 20], css: absolute, children: [words([-900, 0, 50, 18])] }] }], want: clip },
  { name: 'in a scroller that is outside', children: [{ box: [0, 0, 50, 50], css: hides, children: [{ box: [90, 0, 50, 50], css: scrolls, children: [words([90, 0, 50, 18])] }] }], want: clip },
  { name: 'placed out of a box that hides', children: [{ box: [0, 0, 50, 50], css: hides, children: [{ box: [60, 0, 100, 18], css: absolute, children: [words([60, 0, 100, 18])] }] }], want: shows },
  { name: 'placed outside a box that hides and holds it', children: [{ box: [0, 0, 50, 50], css: { ...hides, position: 'relative' }, children: [{ box: [60, 0, 100, 18], css: absolute, children: [words([60, 0, 100, 18])] }] }], want: clip },
  { name: 'fixed right of the viewport', children: [{ box: [785, 110, 100, 18], css: { position: 'fixed' }, children: [words([785, 110, 100, 18])] }], want: clip },
  { name: 'fixed in the viewport', children: [{ box: [700, 110, 100, 18], css: { position: 'fixed' }, children: [words([700, 110, 50, 18])] }], want: shows },
  { name: 'in a pixel', children: [{ box: [10, 10, 1, 1], css: hides, children: [words()] }], want: clip },
  { name: 'in a box without height', children: [{ box: [10, 10, 100, 0], css: hides, children: [words()] }], want: clip },
  { name: 'out of a box without height', children: [{ box: [10, 10, 100, 0], children: [words()] }], want: shows },
  { name: 'a line break of no size', children: [{ tag: '#text', text: '\n', box: [10, 10, 0, 18] }], want: shows },
  { name: 'of no size', children: [words([10, 10, 0, 0])], want: clip },
  { name: 'two pixels high', children: [words([10, 10, 30, 2])], want: clip },
  { name: 'small', children: [words([10, 10, 30, 6])], want: shows },
  { name: 'a box that is not laid out yet', children: [{ contentVisibility: 'auto', children: [words([0, 0, 0, 0])] }], want: shows },
  { name: 'in SVG', children: [{ tag: 'svg', children: [words([0, 0, 0, 0], { css: white })] }], want: shows },
  { name: 'clip', children: [{ css: { ...absolute, clip: 'rect(0px, 0px, 0px, 0px)' }, children: [words()] }], want: clip },
  { name: 'clip of what is not placed', children: [{ css: { clip: 'rect(0px, 0px, 0px, 0px)' }, children: [words()] }], want: shows },
  { name: 'clip that shows enough', children: [{ css: { ...absolute, clip: 'rect(0px, 90px, 20px, 0px)' }, children: [words()] }], want: shows },
  ...['inset(50%)', 'inset(100% 0px 0px)', 'inset(0px 0px 0px 100%)', 'inset(5px 0px)', 'circle(0px at 50% 50%)', 'ellipse(0px 20px)', 'polygon(0px 0px, 0px 0px, 0px 0px)'].map(path =>
    ({ name: `clip-path: ${path}`, children: [{ css: { 'clip-path': path }, children: [{ children: [words()] }] }], want: clip })),
  ...['none', 'inset(10%)', 'inset(0px 20% 0px 0px round 4px)', 'circle(50%)', 'polygon(0px 0px, 9px 0px, 9px 9px)', 'url("#a")'].map(path =>
    ({ name: `clip-path: ${path}`, children: [{ css: { 'clip-path': path }, children: [words()] }], want: shows })),
  { name: 'faint above', children: [{ opacity: '0', children: [{ children: [words()] }] }], want: { opacity: 0 } },
  { name: 'half faint', children: [{ opacity: '0.2', children: [words(line, { opacity: '0.2' })] }], want: shows },
  { name: 'without a box', children: [{ tag: 'canvas', children: [{ ...words(), box: null }] }], want: { rendered: false } },
  { name: 'a choice of a list that is shut', children: [{ tag: 'select', children: [{ tag: 'option', box: null, children: [{ ...words(), box: null }] }] }], want: shows },
  { name: 'white on white', children: [words(line, { css: white })], want: { color: '#ffffff', background: '#ffffff' } },
  { name: 'nearly white on white', children: [words(line, { css: ink('rgb(250, 250, 250)') })], want: { color: '#fafafa', background: '#ffffff' } },
  { name: 'light grey on white', children: [words(line, { css: ink('rgb(221, 221, 221)') })], want: shows },
  { name: 'half white on white', children: [words(line, { css: ink('rgba(255, 255, 255, 0.5)') })], want: { color: '#ffffff80', background: '#ffffff' } },
  { name: 'colour of another space', children: [words(line, { css: ink('color(srgb 1 1 1)') })], want: { color: '#ffffff', background: '#ffffff' } },
  { name: 'colour that is not known', children: [words(line, { css: ink('oklch(1 0 0)') })], want: shows },
  { name: 'transparent', children: [{ css: { 'background-image': 'url("a")' }, children: [words(line, { css: ink('rgba(0, 0, 0, 0)') })] }], want: { color: '#00000000' } },
  { name: 'transparent, with a shadow', children: [words(line, { css: { ...ink('rgba(0, 0, 0, 0)'), 'text-shadow': 'rgb(0, 0, 0) 0px 0px 2px' } })], want: shows },
  { name: 'white with an edge', children: [words(line, { css: { ...white, '-webkit-text-stroke-width': '1px' } })], want: shows },
  { name: 'a background in its letters', children: [{ css: { 'background-image': 'url("a")', 'background-clip': 'text' }, children: [{ children: [words(line, { css: ink('rgba(0, 0, 0, 0)') })] }] }], want: shows },
  { name: 'white on black', children: [{ css: behind('rgb(0, 0, 0)'), children: [{ children: [words(line, { css: white })] }] }], want: shows },
  { name: 'grey on half black', children: [{ css: behind('rgba(0, 0, 0, 0.5)'), children: [words(line, { css: ink('rgb(127, 127, 127)') })] }], want: { color: '#7f7f7f', background: '#808080' } },
  { name: 'white on an image', children: [{ css: { 'background-image': 'url("a")' }, children: [words(line, { css: white })] }], want: shows },
  { name: 'white on white on an image', children: [{ css: { 'background-image': 'url("a")' }, children: [{ css: behind('rgb(255, 255, 255)'), children: [words(line, { css: white })] }] }], want: { color: '#ffffff', background: '#ffffff' } },
  { name: 'white over a picture beside it', children: [{ tag: 'img', box: [0, 0, 300, 300] }, words(line, { css: white })], want: shows },
  { name: 'white over a dark box beside it', children: [{ box: [0, 0, 300, 300], css: behind('rgb(0, 0, 0)') }, words(line, { css: white })], want: shows },
  { name: 'white over a dark box that is not shown', children: [{ box: [0, 0, 300, 300], opacity: '0', css: behind('rgb(0, 0, 0)') }, words(line, { css: white })], want: { color: '#ffffff', background: '#ffffff' } },
  { name: 'white beside a picture', children: [{ tag: 'img', box: [0, 100, 300, 300] }, words(line, { css: white })], want: { color: '#ffffff', background: '#ffffff' } },
  { name: 'white on a page that may be dark', root: { 'color-scheme': 'light dark' }, children: [words(line, { css: white })], want: shows },
])) {
  test(`seen: ${name}`, () => {
    const taken = snapshot(children, {}, root);
    const { nodeName, backendNodeId } = taken.documents[0].nodes;
    const id = backendNodeId[nodeName.findLastIndex((/** @type {number} */ at) => taken.strings[at] === '#TEXT')];
    assert.deepEqual(layoutOf(taken, new Map(), new Set([id]))[id], want);
  });
}

test('a page that runs leftwards has nothing left of it', () => {
  const taken = snapshot([words([-900, 10, 100, 18])], { attributes: { dir: 'rtl' } });
  assert.deepEqual(layoutOf(taken, new Map(), new Set([first])), {});
});

test('in a document of another, the background is not known', () => {
  const { documents: [one], strings } = snapshot([words(line, { css: white })]);
  const [top] = snapshot([]).documents;
  assert.deepEqual(layoutOf({ documents: [{ ...top, nodes: { ...top.nodes, nodeName: [], parentIndex: [] }, layout: { ...top.layout, nodeIndex: [] } }, one], strings }, new Map(), new Set([first])), {});
});

test('elements are clipped like texts, but for fields', () => {
  const taken = snapshot([
    { tag: 'h2', box: [0, 0, 1, 1], css: hides, children: [words()] },
    { tag: 'hr', box: [0, 0, 100, 1], css: hides },
    { tag: 'a', box: [-900, 0, 90, 20] },
    { tag: 'input', attributes: { type: 'checkbox' }, box: [-900, 0, 10, 10] },
    { tag: 'div', box: [0, 0, 0, 0] },
  ]);
  const layout = layoutOf(taken, new Map([0, 2, 3, 4, 5].map(at => [first + at, false])));
  assert.deepEqual(Object.entries(layout).filter(([, facts]) => facts.clip).map(([, { tag }]) => tag), ['h2', 'a']);
});

const svg = (/** @type {Record<string, string>} */ attributes, /** @type {string} */ href) => ({ tag: 'svg', attributes, children: [{ tag: 'use', attributes: { href } }] });
for (const { name, control = {}, children, want } of /** @type {{name: string, control?: Partial<Element>, children: Element[], want?: string}[]} */ ([
  { name: 'a class', children: [{ tag: 'i', attributes: { class: 'fa fa-trash' } }], want: 'fa fa-trash' },
  { name: 'a sprite', children: [svg({ class: 'icon-trash' }, '#trash')], want: 'icon-trash trash' },
  { name: 'a sprite of a file', children: [svg({}, '/a/sprite.svg#bin')], want: 'bin' },
  { name: 'a picture', children: [{ tag: 'img', attributes: { src: '/a/b/bin.svg?v=2', alt: '' } }], want: 'bin.svg' },
  { name: 'a picture in the page', children: [{ tag: 'img', attributes: { src: 'data:image/gif;base64,AA' } }] },
  { name: 'an element of its own', children: [{ tag: 'ion-icon', attributes: { id: 'bin' } }], want: 'bin' },
  { name: 'a box that is called so', children: [{ children: [{ attributes: { class: 'my-icon bin' } }] }], want: 'my-icon bin' },
  { name: 'any other box', children: [{ attributes: { class: 'row' } }] },
  { name: 'a letter of an icon font', children: [{ tag: 'i', attributes: { class: 'bin' }, children: [{ tag: '#text', text: '\uf1f8' }] }], want: 'bin' },
  { name: 'a text', children: [{ tag: 'i', attributes: { class: 'bin' } }, { tag: '#text', text: 'Delete' }] },
  { name: 'a picture with a name', children: [{ tag: 'img', attributes: { src: 'a.png', alt: 'Delete' } }] },
  { name: 'a name of its own', control: { attributes: { 'aria-label': 'Delete' } }, children: [{ tag: 'i', attributes: { class: 'bin' } }] },
  { name: 'much in it', children: [...Array(60).fill({}), { tag: 'i', attributes: { class: 'bin' } }] },
  { name: 'a long class', children: [{ tag: 'i', attributes: { class: 'x'.repeat(300) } }], want: 'x'.repeat(200) },
])) {
  test(`icon: ${name}`, () => {
    const layout = layoutOf(snapshot([{ tag: 'button', ...control, children }]), new Map([[first, true]]));
    assert.equal(layout[first].icon, want);
  });
}
