import assert from 'node:assert/strict';
import test from 'node:test';
import { openModel } from '../panel/agent/model.js';
import { change, choiceOf, defaults, patternOf, settingsOf, whyNot } from '../panel/agent/settings.js';
import { wordsOf } from '../panel/agent/failure.js';
import { titleOf } from '../panel/agent/steps.js';
import { afterMs } from '../panel/agent/request.js';
import { tools } from './model-server.js';

const openai = settingsOf({ provider: 'openai', endpoint: 'https://a.example/v1', model: 'm' });

test('settings of any kind are read', () => {
  const { endpoint, ...rest } = settingsOf({ provider: 'x', steps: -1, tokens: 'many', pictures: 1, key: 7 });
  assert.equal(endpoint, 'http://localhost:11434/v1');
  assert.deepEqual(rest, { provider: 'openai', model: '', pictures: false, ...defaults, key: '', keyOrigin: '' });
  assert.equal(settingsOf({ steps: '12', tokens: 1e12 }).steps, 12);
  assert.equal(settingsOf({ tokens: 1e12 }).tokens, 100_000_000);
});

test('a key stays with the server that it was given for', () => {
  const given = change(openai, { ...openai, key: 'k' });
  assert.equal(choiceOf(given).key, 'k');
  assert.equal(choiceOf(change(given, { ...openai, model: 'n', key: '' })).key, 'k');
  const builtIn = change(given, { provider: 'built-in', key: '' });
  assert.equal(choiceOf(builtIn).key, '');
  assert.equal(choiceOf(change(builtIn, { ...openai, key: '' })).key, 'k');
  for (const endpoint of ['https://b.example/v1', 'https://a.example:444/v1', 'http://a.example/v1']) {
    const moved = change(given, { ...openai, endpoint, key: '' });
    assert.equal(choiceOf(moved).key + moved.key, '', endpoint);
  }
  assert.equal(choiceOf({ ...given, endpoint: 'https://b.example' }).key, '', 'even where the store was changed');
});

for (const { endpoint, why, model = 'm' } of [
  { endpoint: 'https://api.example/v1', why: /^$/ },
  { endpoint: 'http://localhost:11434/v1', why: /^$/ },
  { endpoint: 'http://127.0.0.1:1234', why: /^$/ },
  { endpoint: 'https://api.example/v1', model: '', why: /Name a model/ },
  { endpoint: 'http://192.168.1.7:11434/v1', why: /only this computer/ },
  { endpoint: 'http://localhost.example/v1', why: /only this computer/ },
  { endpoint: 'https://me:secret@api.example/v1', why: /name or password/ },
  { endpoint: 'ftp://api.example', why: /no http or https/ },
  { endpoint: 'api.example', why: /no http or https/ },
]) {
  test(`an endpoint: ${endpoint} ${model}`, () => assert.match(whyNot(settingsOf({ endpoint, model })), why));
}

test('the permission asked for is that of the server', () => {
  assert.equal(patternOf('http://localhost:11434'), 'http://localhost/*');
  assert.equal(patternOf('https://api.example'), 'https://api.example/*');
});

test('retry-after is read in seconds and as a date', () => {
  assert.deepEqual([afterMs(null), afterMs('2'), afterMs('1.5'), afterMs('soon'), afterMs('Thu, 01 Jan 1970 00:00:09 GMT', 4000), afterMs('Thu, 01 Jan 1970 00:00:01 GMT', 4000)],
    [undefined, 2000, 1500, undefined, 5000, 0]);
});

test('the words of a failed answer are those for people', () => {
  for (const [body, want] of [
    ['{"error":{"message":"no"}}', 'no'], ['{"error":"no"}', 'no'], ['{"message":"no"}', 'no'], ['[{"error":{"message":"no"}}]', 'no'], ['{"detail":"no"}', 'no'],
    ['{"detail":[{"msg":"no"}]}', 'no'], ['no', 'no'], ['{}', ''], ['', ''], ['<html><h1>502 Bad Gateway</h1></html>', ''], ['{"code":7}', '{"code":7}'], ['null', 'null'],
  ]) assert.equal(wordsOf(body), want, body);
});

test('a step is told in words', () => {
  const uid = { role: 'button', name: 'Save', row: [], path: [] };
  /** @type {(tool: string, args: object, targets?: object) => string} */
  const title = (tool, args, targets = {}) => titleOf(/** @type {import('../panel/agent/loop.js').Step} */ ({ tool, arguments: args, targets }));
  assert.equal(title('browser_act', { action: 'click', uid: 'u1', then: 'none', tab: 3 }, { uid }), 'click button "Save"');
  assert.equal(title('browser_act', { action: 'set_field', uid: 'u1', text: 'Ada' }), 'set_field u1 text "Ada"');
  assert.equal(title('browser_act', { action: 'type', uid: 'u1', text: 'hunter2', secret: true }), 'type u1 text ‹hidden›');
  assert.equal(title('browser_read', { what: 'find', text: 'x' }), 'read find text "x"');
  assert.equal(title('browser_snapshot', {}), 'snapshot');
});

// --- the model built into Chrome

/** @param {string[]} pieces @param {object} [more] */
function builtIn(pieces, more = {}) {
  /** @type {any[]} */
  const made = [];
  const session = {
    inputUsage: 321,
    destroy: () => void made.push('destroyed'),
    promptStreaming: (/** @type {string} */ input, /** @type {object} */ options) => {
      made.push({ input, options });
      return new ReadableStream({ start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      } });
    },
    ...more,
  };
  return { made, availability: async () => 'available', create: async (/** @type {any} */ options) => (made.push(options), session) };
}

/** @param {any} languageModel @param {import('../panel/agent/model.js').Message[]} [messages] */
const send = (languageModel, messages = [{ role: 'user', text: 'Task: t' }]) => openModel({ provider: 'built-in', endpoint: '', model: '', key: '', pictures: false }, { fetch, pause: async () => {}, languageModel })
  .send({ system: 'Rules.', messages, tools, signal: new AbortController().signal, onText: () => {}, onPart: () => {}, onRequest: () => {}, onWait: () => {} });

test('the built-in model calls a tool by a constrained answer', async () => {
  const model = builtIn(['{"tool":"browser_act","argum', 'ents":{"action":"click","uid":"u1"}}']);
  const reply = await send(model, [
    { role: 'user', text: 'Task: t', view: { id: '', name: '', text: 'VIEW', failed: false } },
    { role: 'model', text: '', calls: [{ id: '1', name: 'browser_tabs', arguments: {} }] },
    { role: 'tools', results: [{ id: '1', name: 'browser_tabs', text: 'one tab', failed: false }] },
  ]);
  assert.deepEqual(reply.calls.map(({ name, arguments: args }) => [name, args]), [['browser_act', { action: 'click', uid: 'u1' }]]);
  assert.equal(reply.usage?.input, 321);
  const [{ initialPrompts }, { input, options }] = model.made;
  assert.deepEqual(initialPrompts.map((/** @type {any} */ one) => one.role), ['system', 'user', 'assistant']);
  assert.match(initialPrompts[0].content, /^Rules\..*browser_act/s);
  assert.equal(initialPrompts[1].content, 'Task: t\n\nVIEW');
  assert.equal(input, 'browser_tabs answered:\none tab');
  assert.equal(options.responseConstraint.anyOf.length, 1 + tools.length);
  assert.equal(model.made.at(-1), 'destroyed');
});

test('the built-in model answers, and fails in words', async () => {
  assert.equal((await send(builtIn(['{"answer":"It is done."}']))).text, 'It is done.');
  assert.match((await send(builtIn(['no JSON']))).calls[0].broken ?? '', /the answer is no JSON/);
  await assert.rejects(send(undefined), /no built-in model/);
  await assert.rejects(send({ ...builtIn([]), availability: async () => 'unavailable' }), /cannot run/);
  const failing = (/** @type {string} */ name) => builtIn([], { promptStreaming: () => { throw new DOMException('x', name); } });
  await assert.rejects(send(failing('QuotaExceededError')), /too long/);
  await assert.rejects(send(failing('UnknownError')), /the built-in model failed: x/);
  assert.equal((await send(failing('NotReadableError'))).end, 'refused');
});
