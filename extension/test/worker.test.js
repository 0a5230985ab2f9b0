import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakePort, eventually, fakeChrome } from './fake-chrome.js';
import { start } from './lives.js';

const welcome = { protocol: 1, version: '0.1.0', dedicated: false, ephemeral: false, store: '', part: 1 << 25, policy: { wide: {}, rules: [] } };

/** A host that says hello. @param {FakePort} port @param {object} [more] */
function greet(port, more = {}) {
  port.receive = message => {
    if (message.method === 'hello') setImmediate(() => port.send({ jsonrpc: '2.0', id: message.id, result: { ...welcome, ...more } }));
  };
}

/** @param {FakePort} port @param {number} id */
const answerOf = (port, id) => port.posted.find(message => message.id === id && !message.method);

/** Asks the worker as its host. @param {FakePort} port @param {number} id @param {string} method @param {object} params */
async function ask(port, id, method, params) {
  port.send({ jsonrpc: '2.0', id, method, params });
  await eventually(() => answerOf(port, id), `answer to ${method}`);
  return answerOf(port, id);
}

/**
 * Starts a worker whose timers stand still, and end with the test as a worker's do with it.
 * @param {import('node:test').TestContext} t @param {Partial<ReturnType<typeof fakeChrome>>} [change]
 */
async function startWorker(t, change = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeChrome();
  fake.onHost = greet;
  Object.assign(fake, change);
  await start('sw.js');
  return fake;
}

/** @param {ReturnType<typeof fakeChrome>} fake @param {number} [nth] */
async function connected(fake, nth = 1) {
  await eventually(() => fake.hosts.length >= nth && fake.hosts[nth - 1].posted.length > 0, `hello ${nth}`);
  const port = fake.hosts[nth - 1];
  const panel = fake.connect('panel');
  await eventually(() => panel.posted.some(message => message.state?.host === 'connected'), 'connected');
  return { port, panel };
}

test('hello names the browser, the versions and the epoch', async t => {
  const fake = await startWorker(t);
  const { port } = await connected(fake);
  const { instance } = await fake.local.get('instance');
  assert.match(instance, /^[0-9a-f-]{36}$/);
  const { browser, ...hello } = port.posted[0].params;
  assert.deepEqual(hello, { min: 1, max: 1, version: '0.1.0', epoch: 1 });
  assert.equal(browser.instance, instance);
  assert.equal(fake.offscreen, 1);
});

test('a new worker is the same browser with a higher epoch, and opens no second offscreen page', async t => {
  const fake = await startWorker(t);
  await connected(fake);
  fake.newWorker();
  await start('sw.js');
  const { port } = await connected(fake, 2);
  assert.equal(port.posted[0].params.epoch, 2);
  assert.equal(port.posted[0].params.browser.instance, fake.hosts[0].posted[0].params.browser.instance);
  assert.equal(fake.offscreen, 1);
});

test('a host that ends is started again, under a new epoch', async t => {
  const fake = await startWorker(t);
  const { port, panel } = await connected(fake);
  fake.lastError = 'Native host has exited.';
  port.drop();
  fake.lastError = '';
  assert.equal(panel.posted.at(-1).state.host, 'none');
  t.mock.timers.tick(50);
  const again = await connected(fake, 2);
  assert.equal(again.port.posted[0].params.epoch, 2);
  assert.ok(!(await ask(again.port, 1, 'tabs', {})).error);
});

test('a port that drops takes its requests with it; the next host is answered', async t => {
  const fake = await startWorker(t);
  const { port } = await connected(fake);
  fake.cdp = ({ method }) => (method === 'Page.getFrameTree' ? new Promise(() => {}) : {});
  port.send({ jsonrpc: '2.0', id: 1, method: 'capture', params: { capture: 'c', tab: 7, ordinals: {}, next: 1, limits: { frames: 1, frameMs: 1, totalMs: 1, stallMs: 60_000 } } });
  await eventually(() => fake.commands.some(command => command.method === 'Page.getFrameTree'), 'capturing');
  port.drop();
  t.mock.timers.tick(50);
  const again = await connected(fake, 2);
  assert.deepEqual((await ask(again.port, 1, 'tabs', {})).result.tabs.map((/** @type {any} */ tab) => tab.tab), [7]);
  assert.equal(answerOf(port, 1), undefined);
});

test('retries wait longer and longer, the alarm does not wait', async t => {
  const fake = await startWorker(t, { onHost: port => port.drop(), lastError: 'Specified native messaging host not found.' });
  const tries = async (/** @type {number} */ n) => eventually(() => fake.hosts.length === n, `try ${n}`);
  await tries(1);
  let n = 1;
  for (const pause of [50, 200, 500, 1000]) {
    await new Promise(resolve => setImmediate(resolve));
    t.mock.timers.tick(pause - 1);
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(fake.hosts.length, n);
    t.mock.timers.tick(1);
    await tries(++n);
  }
  await new Promise(resolve => setImmediate(resolve));
  fake.events.onAlarm.emit({ name: 'wake' });
  await tries(n + 1);
});

for (const { name, words, want } of [
  { name: 'not installed', words: 'Specified native messaging host not found.', want: /not installed/ },
  { name: 'forbidden', words: 'Access to the specified native messaging host is forbidden.', want: /handrail install/ },
  { name: 'crashed', words: 'Native host has exited.', want: /log/ },
  { name: 'text on stdout', words: 'Error when communicating with the native messaging host.', want: /protocol/ },
]) {
  test(`the panel is told why there is no host: ${name}`, async t => {
    const fake = await startWorker(t, { onHost: port => port.drop(), lastError: words });
    const panel = fake.connect('panel');
    await eventually(() => want.test(panel.posted.at(-1)?.state?.message ?? ''), name);
    assert.equal(panel.posted.at(-1).state.host, 'none');
  });
}

for (const { name, answer } of [
  { name: 'refuses', answer: { error: { code: -32000, message: 'm', data: { code: 'bad_version', message: 'm', hint: 'h', retry: 'never', dispatched: 'no', effect: 'none_seen', settled: false } } } },
  { name: 'answers in another shape', answer: { result: { ...welcome, part: undefined } } },
]) {
  test(`a host of another version that ${name} is told apart from none`, async t => {
    const fake = await startWorker(t, {
      onHost: port => { port.receive = message => void (message.method === 'hello' && setImmediate(() => port.send({ jsonrpc: '2.0', id: message.id, ...answer }))); },
    });
    const panel = fake.connect('panel');
    await eventually(() => panel.posted.at(-1)?.state?.host === 'skew', 'skew');
  });
}

test('only pages of the extension may connect', async t => {
  const fake = await startWorker(t);
  await connected(fake);
  for (const sender of [{ id: 'other', url: 'chrome-extension://other/x.html' }, { id: 'self', url: 'https://example.test/' }, { id: 'self' }]) {
    const port = fake.connect('panel', sender);
    assert.equal(port.open, false);
    assert.deepEqual(port.posted, []);
  }
});

test('what the panel gives up is canceled at the host, and answered all the same', async t => {
  const fake = await startWorker(t);
  const { port, panel } = await connected(fake);
  panel.send({ id: 4, method: 'tool', params: { name: 'browser_tabs' } });
  const asked = () => port.posted.find(message => message.method === 'tool');
  await eventually(asked, 'the request');
  panel.send({ cancel: 5 });
  panel.send({ cancel: 4 });
  await eventually(() => port.posted.some(message => message.method === 'cancel'), 'the cancel');
  assert.deepEqual(port.posted.filter(message => message.method === 'cancel').map(({ params }) => params), [{ id: asked().id }]);
  port.send({ jsonrpc: '2.0', id: asked().id, result: { text: 'it was done by then' } });
  await eventually(() => answerOf(panel, 4), 'answer');
  assert.equal(answerOf(panel, 4).result.text, 'it was done by then');

  panel.send({ id: 6, method: 'tool', params: { name: 'browser_act' } });
  await eventually(() => port.posted.filter(message => message.method === 'tool').length === 2, 'the next request');
  panel.drop();
  await eventually(() => port.posted.filter(message => message.method === 'cancel').length === 2, 'what a closed panel asked is canceled');
});

test('the panel asks the host through the worker and learns of a new policy', async t => {
  const fake = await startWorker(t);
  const { port, panel } = await connected(fake);
  assert.deepEqual(panel.posted.at(-1), { state: { host: 'connected', policy: welcome.policy, dedicated: false } });
  const change = { action: 'set', kind: 'act', verdict: 'always' };
  const policy = { wide: { act: 'always' }, rules: [] };
  panel.send({ id: 4, method: 'policy', params: change });
  await eventually(() => port.posted.length === 2, 'forwarded');
  const { id, method, params } = port.posted[1];
  assert.deepEqual([method, params], ['policy', change]);
  port.send({ jsonrpc: '2.0', id, result: policy });
  await eventually(() => answerOf(panel, 4), 'answer');
  assert.deepEqual(answerOf(panel, 4).result, policy);
  assert.ok(panel.posted.some(message => message.state?.policy?.wide.act === 'always'));

  panel.send({ id: 5, method: 'snapshot', params: { tab: 7 } });
  await eventually(() => port.posted.length === 3, 'forwarded');
  port.drop();
  await eventually(() => answerOf(panel, 5), 'answer');
  assert.equal(answerOf(panel, 5).error.code, 'detached');
  panel.send({ id: 6 });
  await eventually(() => answerOf(panel, 6), 'answer');
  assert.equal(answerOf(panel, 6).error.code, 'bad_request');
});

test('a panel that asks while the host starts waits for it', async t => {
  /** @type {FakePort[]} */
  const silent = [];
  const fake = await startWorker(t, { onHost: port => void silent.push(port) });
  const panel = fake.connect('panel');
  panel.send({ id: 1, method: 'tabs', params: {} });
  await eventually(() => silent[0]?.posted.length === 1, 'hello');
  silent[0].send({ jsonrpc: '2.0', id: silent[0].posted[0].id, result: welcome });
  await eventually(() => silent[0].posted.length === 2, 'forwarded');
  silent[0].send({ jsonrpc: '2.0', id: silent[0].posted[1].id, result: { tabs: [] } });
  await eventually(() => answerOf(panel, 1), 'answer');
  assert.deepEqual(answerOf(panel, 1).result, { tabs: [] });
});

test('bad requests of the host are refused with a code', async t => {
  const fake = await startWorker(t);
  const { port } = await connected(fake);
  for (const [id, method, params, code, field] of /** @type {[number, string, any, string, string?][]} */ ([
    [1, 'nonsense', {}, 'unknown_method'],
    [2, 'constructor', {}, 'unknown_method'],
    [3, 'capture', {}, 'bad_request', 'capture'],
    [4, 'capture', { capture: 'c', tab: '7', ordinals: {}, next: 1, limits: {} }, 'bad_request', 'tab'],
    [5, 'tabs', { action: 'explode' }, 'bad_request', 'action'],
    [6, 'tabs', { action: 'close', tab: 99 }, 'unknown_tab'],
    [7, 'tabs', { novelty: 1 }, 'bad_request', 'novelty'],
    [8, 'tabs', [], 'bad_request', ''],
  ])) {
    const { error } = await ask(port, id, method, params);
    assert.deepEqual([error.data.code, error.data.field], [code, field], `${method} ${JSON.stringify(params)}`);
  }
  assert.deepEqual(fake.commands, []);
});

test('the host is told what happens to a tab in use', async t => {
  const fake = await startWorker(t);
  const { port } = await connected(fake);
  fake.cdp = ({ method }) => { if (method === 'Accessibility.getFullAXTree') throw new Error('{"message":"no"}'); };
  await ask(port, 1, 'capture', { capture: 'c', tab: 7, ordinals: {}, next: 1, limits: { frames: 1, frameMs: 1, totalMs: 1, stallMs: 100 } });
  fake.emit(7, '', 'Page.frameNavigated', { frame: { id: 'sub', parentId: 'root' } });
  fake.emit(7, '', 'Page.frameNavigated', { frame: { id: 'root' } });
  fake.emit(7, '', 'Page.navigatedWithinDocument', { frameId: 'root', url: 'https://example.test/#a' });
  fake.events.onRemoved.emit(7);
  await eventually(() => port.posted.filter(message => message.method === 'event').length === 3, 'events');
  assert.deepEqual(port.posted.filter(message => message.method === 'event').map(message => message.params), [
    { tab: 7, kind: 'navigated' }, { tab: 7, kind: 'navigated', reason: 'same document' }, { tab: 7, kind: 'closed' },
  ]);
});

const question = { id: 'q1', kind: 'read', origin: 'https://a.example', client: { kind: 'cli', name: 'test' }, tab: 7, what: 'read the page', expires: 1 };

test('a question is on the badge, in a notification and in every panel until it is answered', async t => {
  const fake = await startWorker(t);
  const { port, panel } = await connected(fake);
  port.send({ jsonrpc: '2.0', id: 1, method: 'ask', params: question });
  await eventually(() => panel.posted.at(-1).questions?.length === 1, 'the question');
  assert.deepEqual(panel.posted.at(-1).questions, [question]);
  assert.deepEqual(fake.connect('panel').posted[0], { questions: [question] }, 'a panel that opens later');
  assert.equal(fake.badge, '1');
  const notice = fake.notices.get('q1');
  assert.equal(notice.title, 'test (cli) wants to read https://a.example');
  assert.deepEqual(notice.buttons.map((/** @type {any} */ { title }) => title), ['Allow once', 'Not now']);
  panel.send({ question: 'q1', answer: { answer: 'always', minutes: 60 } });
  await eventually(() => answerOf(port, 1), 'answer');
  assert.deepEqual(answerOf(port, 1).result, { answer: 'always', minutes: 60 });
  assert.deepEqual([fake.badge, fake.notices.size, panel.posted.at(-1)], ['', 0, { questions: [] }]);
  panel.send({ question: 'q1', answer: { answer: 'never' } }); // too late
  assert.ok(!(await ask(port, 2, 'tabs', {})).error);
});

for (const [button, answer] of /** @type {const} */ ([[0, 'once'], [1, 'deny']])) {
  test(`a notification answers ${answer} without a panel`, async t => {
    const fake = await startWorker(t);
    const { port } = await connected(fake);
    port.send({ jsonrpc: '2.0', id: 1, method: 'ask', params: question });
    await eventually(() => fake.notices.has('q1'), 'the notification');
    fake.events.onButtonClicked.emit('q1', button);
    await eventually(() => answerOf(port, 1), 'answer');
    assert.deepEqual(answerOf(port, 1).result, { answer });
  });
}

test('a host that gives up a question, or ends, withdraws it', async t => {
  const fake = await startWorker(t);
  const { port, panel } = await connected(fake);
  port.send({ jsonrpc: '2.0', id: 1, method: 'ask', params: question });
  port.send({ jsonrpc: '2.0', id: 2, method: 'ask', params: { ...question, id: 'q2', kind: 'act' } });
  await eventually(() => fake.badge === '2', 'two questions');
  port.send({ jsonrpc: '2.0', method: 'cancel', params: { id: 1 } });
  await eventually(() => answerOf(port, 1), 'answer');
  assert.equal(answerOf(port, 1).error.data.code, 'canceled');
  assert.deepEqual([fake.badge, [...fake.notices.keys()]], ['1', ['q2']]);
  port.drop();
  await eventually(() => fake.badge === '', 'none');
  assert.equal(fake.notices.size, 0);
  assert.deepEqual(panel.posted.findLast(message => message.questions), { questions: [] });
});

test('a worker takes down what the one before it put up', async t => {
  const fake = await startWorker(t);
  const { port } = await connected(fake);
  port.send({ jsonrpc: '2.0', id: 1, method: 'ask', params: question });
  await eventually(() => fake.badge === '1', 'a question');
  await eventually(() => fake.keptQuestions(), 'it is kept');
  fake.newWorker();
  await start('sw.js');
  await connected(fake, 2);
  await eventually(() => fake.badge === '' && fake.notices.size === 0, 'it is taken down');
});

test('the panel learns of rules that others changed', async t => {
  const fake = await startWorker(t);
  const { port, panel } = await connected(fake);
  port.send({ jsonrpc: '2.0', method: 'rules', params: {} });
  await eventually(() => port.posted.some(message => message.method === 'policy'), 'the worker asks');
  const { id, params } = port.posted.find(message => message.method === 'policy');
  assert.deepEqual(params, {});
  const policy = { wide: { act: 'never' }, rules: [] };
  port.send({ jsonrpc: '2.0', id, result: policy });
  await eventually(() => panel.posted.at(-1).state?.policy.wide.act === 'never', 'the panel is told');
});
