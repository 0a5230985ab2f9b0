import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakePort, eventually, fakeChrome } from './fake-chrome.js';

const fake = fakeChrome();
const { Link } = await import('../src/port.js');
const { Fault } = await import('../src/fault.js');
const { Joiner, toParts } = await import('../src/parts.js');

/** @param {import('../src/port.js').Serve} [serve] */
function link(serve = async () => ({})) {
  const port = new FakePort('host');
  /** @type {string[]} */
  const ends = [];
  const link = new Link(/** @type {any} */ (port), serve, why => ends.push(why));
  return { port, link, ends };
}

test('answers reach who asked, in whatever order they come', async () => {
  const { port, link: one } = link();
  const [a, b] = [one.call('a', {}, 1000), one.call('b', {}, 1000)];
  await eventually(() => port.posted.length === 2, 'two requests');
  port.send({ jsonrpc: '2.0', id: port.posted[1].id, result: 'B' });
  port.send({ jsonrpc: '2.0', id: port.posted[0].id, result: 'A' });
  assert.deepEqual(await Promise.all([a, b]), ['A', 'B']);
});

test('a request has a deadline, and the host is told', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { port, link: one } = link();
  const asked = one.call('snapshot', {}, 500);
  t.mock.timers.tick(500);
  await assert.rejects(asked, { code: 'timeout' });
  await eventually(() => port.posted.length === 2, 'cancel');
  assert.deepEqual(port.posted[1], { jsonrpc: '2.0', method: 'cancel', params: { id: port.posted[0].id } });
  port.send({ jsonrpc: '2.0', id: port.posted[0].id, result: 'late' }); // nobody waits: dropped
});

test('the end of the port ends what waits and what runs', async () => {
  /** @type {AbortSignal | undefined} */
  let running;
  const { port, link: one, ends } = link((_method, _params, signal) => { running = signal; return new Promise(() => {}); });
  const asked = one.call('snapshot', {}, 1000);
  port.send({ jsonrpc: '2.0', id: 1, method: 'capture', params: {} });
  await eventually(() => running, 'running');
  fake.lastError = 'Native host has exited.';
  port.drop();
  fake.lastError = '';
  await assert.rejects(asked, { code: 'detached', more: { dispatched: 'uncertain' } }); // the host may have done it
  assert.equal(running?.aborted, true);
  assert.deepEqual(ends, ['Native host has exited.']);
  await assert.rejects(one.call('snapshot', {}, 1000), { code: 'detached' });
});

test('the host cancels what it asked for, and nothing else', async () => {
  /** @type {Map<unknown, AbortSignal>} */
  const running = new Map();
  const { port } = link((_method, params, signal) => new Promise((_, reject) => {
    running.set(params, signal);
    signal.addEventListener('abort', () => reject(new Fault('canceled')));
  }));
  port.send({ jsonrpc: '2.0', id: 5, method: 'capture', params: 'a' });
  port.send({ jsonrpc: '2.0', id: 6, method: 'capture', params: 'b' });
  await eventually(() => running.size === 2, 'both run');
  for (const params of [{ id: 5 }, { id: 77 }, {}, null, 'x']) port.send({ jsonrpc: '2.0', method: 'cancel', params });
  await eventually(() => port.posted.length === 1, 'answer');
  assert.equal(port.posted[0].id, 5);
  assert.equal(port.posted[0].error.data.code, 'canceled');
  assert.equal(running.get('b')?.aborted, false);
});

test('a failure is answered with its fault', async () => {
  const { port } = link(async () => { throw new Fault('covered', 'a bubble covers it', { reason: 'bubble' }); });
  port.send({ jsonrpc: '2.0', id: 1, method: 'perform', params: {} });
  await eventually(() => port.posted.length === 1, 'answer');
  assert.deepEqual(port.posted[0].error, {
    code: -32000, message: 'a bubble covers it',
    data: {
      code: 'covered', message: 'a bubble covers it', hint: 'close or move what covers it', retry: 'after_snapshot',
      dispatched: 'no', effect: 'none_seen', settled: false, reason: 'bubble',
    },
  });
});

test('an id in use is refused and what runs under it goes on', async () => {
  /** @type {(value: unknown) => void} */
  let finish = () => {};
  const { port } = link(() => new Promise(resolve => { finish = resolve; }));
  port.send({ jsonrpc: '2.0', id: 1, method: 'capture', params: {} });
  port.send({ jsonrpc: '2.0', id: 1, method: 'capture', params: {} });
  await eventually(() => port.posted.length === 1, 'refusal');
  assert.equal(port.posted[0].error.data.code, 'bad_request');
  finish('done');
  await eventually(() => port.posted.length === 2, 'result');
  assert.equal(port.posted[1].result, 'done');
});

test('bad messages are dropped or refused, and the link goes on', async () => {
  const { port, link: one } = link(async () => 'fine');
  for (const bad of [null, undefined, 0, '', 'text', [], {}, { id: 1 }, { id: 9, result: 1 }, { method: 4 }, { jsonrpc: '2.0', error: 'x' }, { id: null, error: {} }]) port.send(bad);
  port.send({ jsonrpc: '2.0', id: 3, method: 'tabs', params: {} });
  await eventually(() => port.posted.length === 1, 'answer');
  assert.deepEqual(port.posted, [{ jsonrpc: '2.0', id: 3, result: 'fine' }]);
  assert.equal(one.open, true);
});

for (const { name, error, code } of [
  { name: 'a fault', error: { code: -32000, message: 'x', data: { code: 'no_page', message: 'none', hint: 'h', retry: 'never', dispatched: 'no', effect: 'none_seen', settled: false } }, code: 'no_page' },
  { name: 'a code of a later release', error: { code: -32000, message: 'new', data: { code: 'brand_new', message: 'new', hint: 'h', retry: 'never', dispatched: 'no', effect: 'none_seen', settled: false } }, code: 'internal' },
  { name: 'no data', error: { code: -32601, message: 'Method not found' }, code: 'internal' },
  { name: 'null', error: null, code: 'internal' },
]) {
  test(`an error from the host: ${name}`, async () => {
    const { port, link: one } = link();
    const asked = one.call('act', {}, 1000);
    await eventually(() => port.posted.length === 1, 'request');
    port.send({ jsonrpc: '2.0', id: port.posted[0].id, error });
    await assert.rejects(asked, { code });
  });
}

test('what is larger than a part travels in parts, both ways, whole', async () => {
  const bundle = { text: 'é"'.repeat(5000) };
  const { port, link: one } = link(async () => ({ bundle }));
  one.part = 4096;
  const joiner = new Joiner();
  /** @type {any[]} */
  const messages = [];
  port.receive = async frame => {
    const message = await joiner.add(frame);
    if (message) messages.push(message);
  };
  for (const frame of await toParts({ jsonrpc: '2.0', id: 1, method: 'capture', params: bundle }, 4096)) port.send(frame);
  port.send({ jsonrpc: '2.0', id: 2, method: 'tabs', params: {} });
  await eventually(() => messages.length === 2, 'two answers');
  assert.deepEqual(messages.map(message => [message.id, message.result]), [[1, { bundle }], [2, { bundle }]]);
  assert.ok(port.posted.length > 6);
});

test('parts that cannot be joined end the link', async () => {
  const { port, link: one } = link();
  const asked = one.call('snapshot', {}, 1000);
  port.send({ part: { id: 'a', seq: 1, of: 2, data: '{' } });
  await assert.rejects(asked, { code: 'detached' });
  assert.equal(port.open, false);
});
