import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

globalThis.chrome ??= /** @type {any} */ ({});
const { itemOf, keyOf, normalize } = await import('../src/identity.js');
const vectors = JSON.parse(readFileSync(new URL('../../testdata/wire/context.json', import.meta.url), 'utf8'));

for (const { name, nodes, backendDOMNodeId, context, contextTexts } of vectors.context) {
  test(`context: ${name}`, () => {
    const item = itemOf(nodes, backendDOMNodeId);
    assert.equal(item ? keyOf(item, nodes, backendDOMNodeId, { contextNode: 0, contextTexts }).text : '', context);
  });
}

for (const { name, nodes, backendDOMNodeId, contextNode, contextTexts, context } of vectors.twins) {
  test(`twins: ${name}`, { skip: !contextNode && 'found at capture only' }, () => {
    const item = nodes.find((/** @type {{backendDOMNodeId: number}} */ node) => node.backendDOMNodeId === contextNode);
    assert.equal(keyOf(item, nodes, backendDOMNodeId, { contextNode, contextTexts }).text, context);
  });
}

test('normalize', () => {
  for (const { text, normal } of vectors.normalize) assert.equal(normalize(text), normal, text);
});
