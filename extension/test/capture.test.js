import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { nextLife, start } from './lives.js';
import { play } from './recorded.js';

const limits = { frames: 16, frameMs: 3000, totalMs: 12_000, stallMs: 10_000 };
const params = { capture: 'c0', tab: 7, ordinals: {}, next: 1, limits };

/** @param {ReturnType<typeof fakeChrome>} fake */
async function startCapture(fake) {
  fake.newWorker();
  const life = nextLife();
  const session = /** @type {typeof import('../src/session.js')} */ (await start('src/session.js'));
  const { capture } = /** @type {typeof import('../src/capture.js')} */ (await start('src/capture.js', life));
  fake.events.onEvent.addListener((source, method, event) => session.handleEvent(source.tabId, source.sessionId ?? '', method, event));
  return async (more = {}, signal = new AbortController().signal) => (await capture({ ...params, ...more }, signal)).bundle;
}

/** @param {string} page */
async function recorded(page) {
  const fake = fakeChrome();
  play(fake, page);
  return { fake, read: await startCapture(fake) };
}

/** Changes the answers to some commands. @param {ReturnType<typeof fakeChrome>} fake @param {(command: any) => any} change undefined: as before */
function override(fake, change) {
  const { cdp } = fake;
  fake.cdp = command => {
    const changed = change(command);
    return changed === undefined ? cdp(command) : changed;
  };
}

/** @param {string} role @param {import('../src/capture.js').FrameEntry} frame */
const named = (role, frame) => frame.nodes.filter(node => node.role?.value === role && !node.ignored).map(node => node.name?.value);

test('all frames of a page: same process, cross-site, nested, and both kinds of shadow root', async () => {
  const { read } = await recorded('frames');
  const { frames, layout, ...rest } = await read();
  assert.deepEqual({ ...rest, time: 0 }, {
    v: 1, capture: 'c0', tab: 7, url: rest.url, title: 'Frames', time: 0, complete: true, redacted: 0,
  });
  assert.deepEqual(frames.map(frame => [frame.session, named('button', frame), frame.error]), [
    [0, ['Root button', 'open shadow button', 'closed shadow button'], null],
    [0, ['same button'], null],
    [1, ['cross button'], null],
    [1, ['cross local button'], null],
    [2, ['nested button'], null],
  ]);
  const [root, same, cross, local, nested] = frames;
  assert.deepEqual([root.parent, same.parent, cross.parent, local.parent, nested.parent],
    ['', root.frameId, root.frameId, cross.frameId, cross.frameId]);
  assert.deepEqual([root.targetId, cross.targetId, local.targetId, nested.targetId], ['', cross.frameId, cross.frameId, nested.frameId]);
  for (const frame of frames.slice(1)) {
    const parent = frames.find(one => one.frameId === frame.parent);
    assert.equal(parent?.nodes.find(node => node.backendDOMNodeId === frame.ownerBackendNodeId)?.role?.value, 'Iframe');
  }
  assert.deepEqual(new Set(frames.map(frame => frame.origin)),
    new Set(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://nested.localhost:8080']));
  assert.deepEqual(Object.keys(layout), ['0', '1', '2']);
});

test('known ordinals are kept, new ones start where the host says', async () => {
  const { read } = await recorded('frames');
  const nested = (await read()).frames[4].targetId;
  const { frames } = await read({ ordinals: { [nested]: 3 }, next: 9 });
  assert.deepEqual(frames.map(frame => frame.session), [0, 0, 9, 9, 3]);
});

test('everything that can be clicked is marked or has a role of its own', async () => {
  const { read } = await recorded('targets');
  const { frames: [{ nodes }], layout } = await read();
  const clickable = Object.values(layout[0]).filter(facts => facts.clickable).map(({ tag, id }) => id ?? tag);
  assert.deepEqual(clickable.sort(), ['div', 'div', 'listener', 'span']); // onclick and contenteditable have no id
  const focusable = nodes.filter(node => node.properties?.some(({ name, value }) => name === 'focusable' && value.value)).map(node => node.role?.value);
  assert.deepEqual(focusable, ['RootWebArea', 'generic', 'generic', 'DisclosureTriangle']); // contenteditable, tabindex, summary
});

test('no secret is in the bundle', async () => {
  const { read } = await recorded('secrets');
  const bundle = await read();
  assert.equal(bundle.redacted, 5);
  assert.doesNotMatch(JSON.stringify(bundle), /hunter2|canary|719205|•/);
  assert.match(JSON.stringify(bundle), /Ursula/);
});

test('no secret is in the bundle when there is no layout snapshot', async () => {
  for (const described of [true, false]) {
    const { fake, read } = await recorded('secrets');
    override(fake, ({ method, params: { backendNodeId } }) => {
      if (method === 'DOMSnapshot.captureSnapshot') throw new Error('{"message":"no"}');
      if (method !== 'DOM.describeNode') return undefined;
      if (!described) throw new Error('{"message":"no"}');
      return { node: { localName: 'input', attributes: backendNodeId === 7 ? ['id', 'author'] : backendNodeId < 4 ? ['type', 'password'] : [] } };
    });
    const bundle = await read();
    assert.doesNotMatch(JSON.stringify(bundle), /hunter2|canary|719205|•/);
    assert.equal(/Ursula/.test(JSON.stringify(bundle)), described);
  }
});

test('a page too large for a snapshot is asked who listens', async () => {
  const { fake, read } = await recorded('targets');
  const all = await read();
  const spanId = Object.entries(all.layout[0]).find(([, facts]) => facts.id === 'span')?.[0];
  const root = all.frames[0].nodes[0].backendDOMNodeId;
  override(fake, ({ method, params: { expression } }) => {
    if (method === 'Runtime.evaluate') return { result: expression === 'document' ? { objectId: 'd' } : { value: [70_000, false] } };
    if (method === 'DOM.describeNode') return { node: { localName: 'div' } };
    if (method !== 'DOMDebugger.getEventListeners') return undefined;
    return { listeners: [{ type: 'click', backendNodeId: Number(spanId) }, { type: 'click', backendNodeId: root }, { type: 'scroll', backendNodeId: 14 }] };
  });
  const { layout } = await read();
  assert.deepEqual(Object.entries(layout[0]).filter(([, facts]) => facts.clickable).map(([id]) => id), [spanId]);
  assert.equal(fake.commands.filter(command => command.method.startsWith('DOMSnapshot')).length, 1);
});

test('a page replaced while it was read is read again with its new frames, once', async () => {
  const { fake, read } = await recorded('frames');
  let trees = 0; // L1 before, L2 after; again L3 before, L4 after and read once more
  override(fake, ({ session, method }) => {
    if (session !== '') return undefined;
    if (method === 'Page.getFrameTree') return { frameTree: { frame: { id: 'root', loaderId: `L${++trees}`, url: 'https://example.test/', securityOrigin: 'https://example.test' } } };
    if (method === 'Accessibility.getFullAXTree') return { nodes: [{ nodeId: '1', ignored: false, role: { value: 'RootWebArea' }, name: { value: `tree of L${trees}` } }] };
  });
  const { frames: [root] } = await read();
  assert.deepEqual([root.loaderId, root.nodes[0].name?.value, trees], ['L4', 'tree of L4', 4]);
});

test('a frame replaced while it was read is read again, once', async () => {
  const { fake, read } = await recorded('frames');
  const before = await read();
  let trees = 0;
  const { cdp } = fake;
  fake.cdp = command => {
    const answer = cdp(command);
    if (command.method !== 'Page.getFrameTree' || command.session !== '') return answer;
    answer.frameTree.childFrames[0].frame.loaderId = `L${++trees}`;
    return answer;
  };
  fake.commands.length = 0;
  const { frames } = await read();
  assert.deepEqual(frames.map(frame => frame.loaderId), before.frames.map((frame, at) => (at === 1 ? 'L2' : frame.loaderId)));
  assert.equal(fake.commands.filter(({ method, params }) => method === 'Accessibility.getFullAXTree' && params.frameId === frames[1].frameId).length, 2);
});

test('what stands in a frame that went away went with it', async () => {
  const { fake, read } = await recorded('frames');
  const cross = (await read()).frames[2].frameId;
  override(fake, ({ method, params: { frameId } }) => {
    if (method === 'Accessibility.getFullAXTree' && frameId === cross) throw new Error('{"message":"Session with given id not found."}');
  });
  assert.deepEqual((await read()).frames.map(frame => frame.error), [null, null, 'detached']);
});

test('a session that ended without a word is forgotten', async () => {
  const { fake, read } = await recorded('frames');
  await read();
  const [{ session }] = fake.commands.filter(command => command.session !== '');
  override(fake, command => {
    if (command.session === session) throw new Error('{"message":"Session with given id not found."}');
  });
  assert.equal((await read()).frames.some(frame => frame.session === 1), false);
  fake.commands.length = 0;
  await read();
  assert.equal(fake.commands.some(command => command.session === session), false);
});

for (const { name, change, error } of [
  { name: 'fails', change: () => { throw new Error('{"message":"Internal error"}'); }, error: 'failed' },
  { name: 'goes away', change: () => { throw new Error('{"message":"Frame with the given frameId is not found."}'); }, error: 'detached' },
  { name: 'does not answer', change: () => new Promise(() => {}), error: 'timeout' },
]) {
  test(`a frame that ${name} says so and fails nothing else`, async () => {
    const { fake, read } = await recorded('frames');
    const { frames } = await read();
    override(fake, ({ method, params: { frameId } }) =>
      (method === 'Accessibility.getFullAXTree' && frameId === frames[3].frameId ? change() : undefined));
    const again = await read({ limits: { ...limits, frameMs: 50 } });
    assert.deepEqual(again.frames.map(frame => frame.error), [null, null, null, error, null]);
    assert.deepEqual(again.frames[3].nodes, []);
    assert.deepEqual(named('button', again.frames[4]), ['nested button']);
  });
}

test('frames over the limit, and those of advertising, are not read', async () => {
  const { fake, read } = await recorded('frames');
  assert.deepEqual((await read({ limits: { ...limits, frames: 2 } })).frames.map(frame => frame.error), [null, null, null, 'over_limit', 'over_limit']);
  const { cdp } = fake;
  fake.cdp = command => {
    const text = JSON.stringify(cdp(command));
    return JSON.parse(command.method === 'Page.getFrameTree' ? text.replaceAll('http://nested.localhost:8080', 'https://ad.doubleclick.net') : text);
  };
  const { frames } = await read();
  assert.deepEqual(frames.map(frame => frame.error), [null, null, null, null, 'left_out']);
});

test('a frame that is never to be read is not, nor is a page that is not the one allowed', async () => {
  const { fake, read } = await recorded('frames');
  const scope = { origin: 'http://127.0.0.1:8080', never: ['http://localhost:8080', 'https://other'] };
  const { frames, layout } = await read({ scope });
  assert.deepEqual(frames.map(frame => frame.error), [null, null, 'not_allowed', 'not_allowed', null]);
  assert.deepEqual([frames[2].nodes, frames[3].nodes, Object.keys(layout[1])], [[], [], []]);
  const asked = fake.commands.filter(({ method, params }) => method === 'Accessibility.getFullAXTree' && [frames[2].frameId, frames[3].frameId].includes(params.frameId));
  assert.deepEqual(asked, []);
  await assert.rejects(read({ scope: { origin: 'http://elsewhere', never: [] } }), thrown => {
    const { code, need } = /** @type {import('../src/fault.js').Fault} */ (thrown).data();
    assert.deepEqual([code, need], ['not_approved', { kind: 'read', origin: 'http://127.0.0.1:8080' }]);
    return true;
  });
});

for (const { name, change, code } of [
  { name: 'has no tree', change: () => { throw new Error('{"message":"Internal error"}'); }, code: 'capture_failed' },
  { name: 'has an empty tree', change: () => ({ nodes: [{ nodeId: '1', ignored: true }] }), code: 'capture_failed' },
  { name: 'does not answer', change: () => new Promise(() => {}), code: 'capture_failed' },
  { name: 'has crashed', change: () => { throw new Error('Target crashed'); }, code: 'page_crashed' },
]) {
  test(`a root frame that ${name} fails the whole`, async () => {
    const { fake, read } = await recorded('secrets');
    override(fake, ({ method }) => (method === 'Accessibility.getFullAXTree' ? change() : undefined));
    await assert.rejects(read({ limits: { ...limits, stallMs: 50 } }), { code });
  });
}

test('cancel ends a capture at once', async () => {
  const { fake, read } = await recorded('secrets');
  override(fake, ({ method }) => (method === 'Accessibility.getFullAXTree' ? new Promise(() => {}) : undefined));
  const stop = new AbortController();
  const reading = read({}, stop.signal);
  setImmediate(() => stop.abort());
  await assert.rejects(reading, { code: 'canceled' });
});

test('a tab in the background is made to render first', async () => {
  const { fake, read } = await recorded('secrets');
  override(fake, ({ method, params: { expression } }) =>
    (method === 'Runtime.evaluate' && /hidden/.test(expression) ? { result: { value: [30, true] } } : undefined));
  await read();
  const methods = fake.commands.map(command => command.method);
  assert.ok(methods.indexOf('Emulation.setFocusEmulationEnabled') < methods.lastIndexOf('Accessibility.getFullAXTree'));
  assert.ok(methods.includes('Page.setWebLifecycleState'));
});

test('no such tab', async () => {
  const { read } = await recorded('secrets');
  await assert.rejects(read({ tab: 99 }), { code: 'unknown_tab' });
});
