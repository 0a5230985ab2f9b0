import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { start } from './lives.js';

const fake = fakeChrome();
const { blank, hidden, passwordsOf, rememberPasswords, secrecy } = /** @type {typeof import('../src/secrets.js')} */ (await start('src/secrets.js'));

for (const { name, field = {}, label = '', want } of [
  { name: 'password', field: { type: 'password' }, want: 'password' },
  { name: 'current-password among tokens', field: { autocomplete: 'section-a current-password' }, want: 'password' },
  { name: 'one-time code', field: { autocomplete: 'one-time-code' }, want: 'secret' },
  { name: 'card number by autocomplete', field: { autocomplete: 'billing cc-number', type: 'tel' }, want: 'secret' },
  { name: 'id in camelCase', field: { id: 'userApiKey' }, want: 'secret' },
  { name: 'name with digits', field: { name: 'otp2' }, want: 'secret' },
  { name: 'acronym before a word', field: { id: 'APIKeyInput' }, want: 'secret' },
  { name: 'label', label: 'Security code (3 digits)', want: 'secret' },
  { name: 'digits in the word', label: 'Your 2FA code', want: 'secret' },
  { name: 'full-width letters', label: 'ＰＩＮ code', want: 'secret' },
  { name: 'author', field: { id: 'author', name: 'author' }, label: 'Author', want: '' },
  { name: 'postcard and compass', field: { id: 'postcard' }, label: 'Compass', want: '' },
  { name: 'words that do not follow each other', label: 'API for your key', want: '' },
  { name: 'a button with a password in its label', field: { type: 'submit', id: 'resetPassword' }, label: 'Reset password', want: '' },
  { name: 'a checkbox', field: { type: 'checkbox', name: 'token' }, want: '' },
]) {
  test(`secrecy: ${name}`, () => assert.equal(secrecy({ tag: 'input', ...field }, label), want));
}

/**
 * A page: root > label > (text, field > inner > text).
 * @param {string} value @param {object} [more] of the field
 * @returns {any[]}
 */
const page = (value, more = {}) => [
  { nodeId: '1', ignored: false, role: { value: 'RootWebArea' }, name: { value: 'Page' }, childIds: ['2', '7'], backendDOMNodeId: 1 },
  { nodeId: '2', parentId: '1', ignored: false, role: { value: 'LabelText' }, name: { value: `Code ${value} please`, sources: [{ type: 'contents', value: { value: `Code ${value} please` } }] }, childIds: ['3', '4'], backendDOMNodeId: 2 },
  { nodeId: '3', parentId: '2', ignored: false, role: { value: 'StaticText' }, name: { value: 'Code' }, childIds: [], backendDOMNodeId: 3 },
  { nodeId: '4', parentId: '2', ignored: false, role: { value: 'textbox' }, name: { value: 'Code' }, value: { value }, childIds: ['5'], backendDOMNodeId: 4, properties: [{ name: 'editable', value: { value: 'plaintext' } }], ...more },
  { nodeId: '5', parentId: '4', ignored: false, role: { value: 'StaticText' }, name: { value, sources: [{ value: { value } }] }, childIds: ['6'], backendDOMNodeId: 5 },
  { nodeId: '6', parentId: '5', ignored: false, role: { value: 'InlineTextBox' }, name: { value }, childIds: [] },
  { nodeId: '7', parentId: '1', ignored: false, role: { value: 'button' }, name: { value: `Send ${value}`, sources: [{ attributeValue: { relatedNodes: [{ backendDOMNodeId: 4, text: value }] } }] }, childIds: [], backendDOMNodeId: 7 },
];
/** @param {object} facts */
const facts = facts => (/** @type {number} */ id) => (id === 4 ? { tag: 'input', ...facts } : { tag: 'div' });

test('a secret goes from its field, the field’s text and the names made of it', () => {
  const nodes = page('otp-719205');
  assert.deepEqual(blank(nodes, facts({ autocomplete: 'one-time-code' }), new Set()), { redacted: 1, passwords: [] });
  assert.doesNotMatch(JSON.stringify(nodes), /719205/);
  assert.equal(nodes[3].value.value, hidden);
  assert.equal(nodes[1].name.value, `Code ${hidden} please`);
  assert.equal(nodes[6].name.value, `Send ${hidden}`);
});

test('of a password not even the length is left', () => {
  const left = ['••••', '•••••••••••••••'].map(value => {
    const nodes = page(value);
    assert.deepEqual(blank(nodes, facts({ type: 'password' }), new Set()), { redacted: 1, passwords: [4] });
    return JSON.stringify(nodes);
  });
  assert.equal(left[0], left[1]);
  assert.doesNotMatch(left[0], /•/);
});

test('a password that is shown is a password still', () => {
  const nodes = page('hunter2');
  assert.equal(blank(nodes, facts({ type: 'text', id: 'x' }), new Set([4])).redacted, 1);
  assert.doesNotMatch(JSON.stringify(nodes), /hunter2/);
});

test('a field about which nothing is known is taken for a secret', () => {
  const nodes = page('unknown value');
  assert.equal(blank(nodes, () => undefined, new Set()).redacted, 1);
  assert.doesNotMatch(JSON.stringify(nodes), /unknown value/);
});

test('an ordinary field is left as it is', () => {
  const nodes = page('Ursula');
  const before = JSON.stringify(nodes);
  assert.equal(blank(nodes, facts({ id: 'author' }), new Set()).redacted, 0);
  assert.equal(JSON.stringify(nodes), before);
});

test('a short value does not eat into other text', () => {
  const nodes = page('1', { name: { value: 'CVC' } });
  nodes[1].name.value = 'In 12 months pay 1 of 10';
  blank(nodes, facts({}), new Set());
  assert.equal(nodes[1].name.value, `In 12 months pay ${hidden} of 10`);
});

test('of a secret select the options stay, not which one is chosen', () => {
  const nodes = page('2031', { role: { value: 'combobox' }, childIds: ['5', '8'] });
  nodes.push({ nodeId: '8', parentId: '4', role: { value: 'option' }, name: { value: '2031' }, properties: [{ name: 'selected', value: { value: true } }], childIds: [], backendDOMNodeId: 8 });
  blank(nodes, id => (id === 4 ? { tag: 'select', autocomplete: 'cc-exp' } : undefined), new Set());
  assert.equal(nodes[3].value.value, hidden);
  assert.equal(nodes[7].name.value, '2031');
  assert.deepEqual(nodes[7].properties, []);
});

test('an editing host is a field, too', () => {
  const nodes = page('sk-live-canary', { role: { value: 'generic' }, name: { value: 'Secret' } });
  blank(nodes, id => (id === 4 ? { tag: 'div' } : undefined), new Set());
  assert.doesNotMatch(JSON.stringify(nodes), /canary/);
});

test('password fields are remembered through the worker’s death, the oldest documents forgotten', async () => {
  await rememberPasswords('doc', [4, 9]);
  await rememberPasswords('doc', [11]);
  for (let i = 0; i < 255; i++) await rememberPasswords(`other ${i}`, [1]);
  fake.newWorker();
  const next = /** @type {typeof import('../src/secrets.js')} */ (await start('src/secrets.js'));
  assert.deepEqual(await next.passwordsOf('doc'), new Set([4, 9, 11]));
  await next.rememberPasswords('one more', [1]);
  assert.deepEqual(await next.passwordsOf('doc'), new Set());
  assert.deepEqual(await passwordsOf('other 254'), new Set([1]));
});
