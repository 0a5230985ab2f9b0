import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, fakeChrome } from './fake-chrome.js';
import { start } from './lives.js';

/** @returns {Promise<typeof import('../src/session.js')>} */
async function startSession(/** @type {ReturnType<typeof fakeChrome>} */ fake) {
  fake.newWorker();
  const session = await start('src/session.js');
  fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
  fake.events.onDetach.addListener((source, reason) => session.handleDetach(source.tabId, reason));
  fake.events.onRemoved.addListener(session.handleClosed);
  return session;
}

/** A promise to be kept later. */
function gate() {
  let release = () => {};
  const promise = new Promise(resolve => { release = () => resolve(undefined); });
  return { promise, release };
}

const hang = () => new Promise(() => {});

test('uses that overlap attach once', async () => {
  const fake = fakeChrome();
  const { use, send } = await startSession(fake);
  await Promise.all([1, 2, 3].map(() => use(7, () => send(7, '', 'Page.getFrameTree'))));
  assert.equal(fake.commands.filter(command => command.method === 'Target.setAutoAttach').length, 1);
});

test('a tab is let go of 30 s after its last use', async t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const fake = fakeChrome();
  const { use, onReport } = await startSession(fake);
  /** @type {any[]} */
  const reports = [];
  onReport(event => reports.push(event));
  await use(7, async () => {});
  t.mock.timers.tick(29_000);
  await use(7, async () => {});
  t.mock.timers.tick(29_999);
  await eventually(() => fake.attached.has(7), 'still attached');
  t.mock.timers.tick(1);
  await eventually(() => !fake.attached.has(7), 'detached');
  assert.deepEqual(reports, [{ tab: 7, kind: 'detached', reason: 'idle' }]);
  assert.deepEqual(await fake.session.get(), {});
});

test('a new worker adopts a tab that is in use and lets go of one that is not', async () => {
  const fake = fakeChrome();
  fake.tabs.set(8, { id: 8, windowId: 1, url: 'https://example.test/' });
  const first = await startSession(fake);
  await first.use(7, async () => {});
  await first.use(8, async () => {});
  await fake.session.set({ 'attached:8': Date.now() - 31_000 });
  const second = await startSession(fake);
  await second.adopt();
  assert.deepEqual([...fake.attached], [7]);
  fake.cdp = ({ method }) => (method === 'Page.getFrameTree' ? { frameTree: 'here' } : {});
  assert.deepEqual(await second.use(7, () => second.send(7, '', 'Page.getFrameTree')), { frameTree: 'here' });
  await second.use(8, async () => {});
});

test('a tab that is adopted is let go of 30 s after its last use all the same', async t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const fake = fakeChrome();
  const first = await startSession(fake);
  await first.use(7, async () => {});
  t.mock.timers.tick(20_000);
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_020_000 }); // the timers of the first worker are gone
  const second = await startSession(fake);
  await second.adopt();
  t.mock.timers.tick(9999);
  await new Promise(resolve => setImmediate(resolve));
  assert.ok(fake.attached.has(7), 'still attached');
  t.mock.timers.tick(1);
  await eventually(() => !fake.attached.has(7), 'detached');
});

test('a tab that does not answer while it is adopted is given up', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeChrome();
  fake.attached.add(7);
  const { use } = await startSession(fake);
  fake.cdp = hang;
  const using = use(7, async () => {});
  await eventually(() => fake.commands.length > 0, 'asked');
  t.mock.timers.tick(10_000);
  await assert.rejects(using, { code: 'timeout' });
  assert.equal(fake.attached.size, 0, 'it is let go of');
});

test('input of the person is told, that of an act is not', async () => {
  const fake = fakeChrome();
  const { use, acting, onReport, watchInput } = await startSession(fake);
  /** @type {any[]} */
  const reports = [];
  onReport(event => reports.push(event));
  const input = (name = 'handrailInput') => fake.emit(7, '', 'Runtime.bindingCalled', { name, payload: 'keydown', executionContextId: 1 });
  await use(7, async () => {
    watchInput(7, '');
    const [binding] = fake.commands.filter(({ method }) => method === 'Runtime.addBinding');
    const [script] = fake.commands.filter(({ method }) => method === 'Page.addScriptToEvaluateOnNewDocument');
    assert.deepEqual(binding.params, { name: 'handrailInput', executionContextName: 'Handrail' });
    assert.equal(script.params.worldName, 'Handrail');
    await acting(7, async () => { input(); });
    await assert.rejects(acting(7, async () => { throw new Error('refused'); }));
    input('of another');
    assert.deepEqual(reports, []);
    input();
  });
  input();
  assert.deepEqual(reports, [{ tab: 7, kind: 'input' }, { tab: 7, kind: 'input' }]);
});

test('OOPIFs are joined to any depth, and go with what they stand in', async () => {
  const fake = fakeChrome();
  const { use, children, send } = await startSession(fake);
  const below = { '': 'A', a: 'B', b: 'C' };
  fake.cdp = ({ tab, session, method }) => {
    const targetId = below[/** @type {'' | 'a' | 'b'} */ (session)];
    if (method === 'Target.setAutoAttach' && targetId) {
      fake.emit(tab, session, 'Target.attachedToTarget', { sessionId: targetId.toLowerCase(), targetInfo: { targetId, parentFrameId: `f${session}` } });
    }
    return method === 'Page.getFrameTree' ? { session } : {};
  };
  await use(7, async () => {
    assert.deepEqual((await children(7)).map(child => [child.targetId, child.parent]), [['A', ''], ['B', 'A'], ['C', 'B']]);
    assert.deepEqual(await send(7, 'C', 'Page.getFrameTree'), { session: 'c' });
    fake.cdp = ({ method }) => (method === 'Page.reload' ? hang() : {});
    const waiting = send(7, 'C', 'Page.reload');
    fake.emit(7, '', 'Target.detachedFromTarget', { sessionId: 'a' });
    await assert.rejects(waiting, { code: 'detached' });
    assert.deepEqual(await children(7), []);
    await assert.rejects(send(7, 'B', 'Page.getFrameTree'), { code: 'detached' });
  });
});

test('every command has a deadline', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const fake = fakeChrome();
  const { use, send } = await startSession(fake);
  await use(7, async () => {
    fake.cdp = hang;
    const slow = send(7, '', 'Page.getFrameTree');
    const quick = send(7, '', 'Page.getFrameTree', undefined, 100);
    t.mock.timers.tick(100);
    await assert.rejects(quick, { code: 'timeout' });
    t.mock.timers.tick(9_900);
    await assert.rejects(slow, { code: 'timeout' });
  });
});

test('a dialog ends what waits and refuses what comes, until it is answered', async () => {
  const fake = fakeChrome();
  const { use, send, dialogOf } = await startSession(fake);
  await use(7, async () => {
    fake.cdp = ({ method }) => (method === 'Input.dispatchMouseEvent' ? hang() : {});
    const click = send(7, '', 'Input.dispatchMouseEvent', { type: 'mouseReleased', x: 1, y: 1 });
    fake.emit(7, '', 'Page.javascriptDialogOpening', { type: 'confirm', message: 'Sure?' });
    await assert.rejects(click, { code: 'dialog_open' });
    await assert.rejects(send(7, '', 'Page.getFrameTree'), { code: 'dialog_open' });
    assert.deepEqual(dialogOf(7), { targetId: '', type: 'confirm', message: 'Sure?' });
    await send(7, '', 'Page.handleJavaScriptDialog', { accept: true });
    fake.emit(7, '', 'Page.javascriptDialogClosed', {});
    await send(7, '', 'Page.getFrameTree');
    assert.equal(dialogOf(7), null);
  });
});

test('a crash ends what waits; only loading anew is possible then', async () => {
  const fake = fakeChrome();
  const { use, send } = await startSession(fake);
  await use(7, async () => {
    fake.cdp = ({ method }) => (method === 'Page.getFrameTree' ? hang() : {});
    const waiting = send(7, '', 'Page.getFrameTree');
    fake.emit(7, '', 'Inspector.targetCrashed', {});
    await assert.rejects(waiting, { code: 'page_crashed' });
    await assert.rejects(send(7, '', 'DOM.getDocument'), { code: 'page_crashed' });
    await send(7, '', 'Page.reload');
    fake.emit(7, '', 'Inspector.targetReloadedAfterCrash', {});
    await send(7, '', 'DOM.getDocument');
  });
});

for (const { name, reason, url, gone, code } of [
  { name: 'the user cancels', reason: 'canceled_by_user', url: 'https://example.test/', gone: false, code: 'canceled_by_user' },
  { name: 'the tab is closed', reason: 'target_closed', url: '', gone: true, code: 'unknown_tab' },
  { name: 'the tab moves to a page of the browser', reason: 'target_closed', url: 'chrome://settings/', gone: false, code: 'restricted_page' },
  { name: 'DevTools takes over', reason: 'replaced_with_devtools', url: 'https://example.test/', gone: false, code: 'debugger_taken' },
  { name: 'a reason of a later Chrome', reason: 'something_new', url: 'https://example.test/', gone: false, code: 'detached' },
]) {
  test(`detached: ${name}`, async () => {
    const fake = fakeChrome();
    const { use, send, onReport } = await startSession(fake);
    /** @type {any[]} */
    const reports = [];
    onReport(event => reports.push(event));
    await use(7, async () => {
      fake.cdp = hang;
      const waiting = send(7, '', 'Page.getFrameTree');
      fake.attached.delete(7);
      if (gone) fake.tabs.delete(7);
      else fake.tabs.get(7).url = url;
      fake.events.onDetach.emit({ tabId: 7 }, reason);
      await assert.rejects(waiting, { code });
    });
    assert.deepEqual(reports, [{ tab: 7, kind: 'detached', reason: code }]);
  });
}

test('a tab whose debugging the user ended stays alone until the user asks again', async () => {
  const fake = fakeChrome();
  const first = await startSession(fake);
  await first.use(7, async () => {});
  fake.attached.delete(7);
  await first.handleDetach(7, 'canceled_by_user');
  await assert.rejects(first.use(7, async () => {}), { code: 'canceled_by_user' });
  const second = await startSession(fake);
  await assert.rejects(second.use(7, async () => {}), { code: 'canceled_by_user' });
  await second.allowAgain(7);
  await second.use(7, async () => {});
});

for (const { name, words, code, cdp = () => ({}) } of [
  { name: 'a page of the browser', words: 'Cannot access a chrome:// URL', code: 'restricted_page' },
  { name: 'the web store', words: 'The extensions gallery cannot be scripted.', code: 'restricted_page' },
  { name: "another extension's frame", words: 'Cannot access a chrome-extension:// URL of different extension', code: 'restricted_page' },
  { name: 'view-source', words: 'Cannot access contents of url "view-source:https://example.test/".', code: 'restricted_page' },
  { name: 'no such tab', words: 'No tab with given id 7.', code: 'unknown_tab' },
  { name: 'no number of a tab', words: "Error in invocation of tabs.get(integer tabId, optional function callback): Error at parameter 'tabId': Value must be at least 0.", code: 'unknown_tab' },
  { name: 'none of tabs', words: "Error in invocation of tabs.remove([integer|array] tabIds, optional function callback): Error at parameter 'tabIds': Value did not match any choice.", code: 'unknown_tab' },
  { name: 'too great a number', words: 'Error in invocation of tabs.get(integer tabId, optional function callback): No matching signature.', code: 'unknown_tab' },
  {
    name: 'held by another', words: 'Another debugger is already attached to the tab with id: 7.', code: 'debugger_taken',
    cdp: () => { throw new Error('Debugger is not attached to the tab with id: 7.'); },
  },
]) {
  test(`refused: ${name}`, async () => {
    const fake = fakeChrome();
    const { use } = await startSession(fake);
    fake.refuse = () => { throw new Error(words); };
    fake.cdp = cdp;
    await assert.rejects(use(7, async () => {}), { code });
    assert.deepEqual(await fake.session.get(), {});
  });
}

test('a use that comes while the tab is let go of attaches it anew', async t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const fake = fakeChrome();
  const { use, send } = await startSession(fake);
  await use(7, async () => {});
  const { promise, release } = gate();
  const { detach } = chrome.debugger;
  chrome.debugger.detach = async (/** @type {any} */ target) => {
    await promise;
    return detach(target);
  };
  t.mock.timers.tick(30_000);
  const using = use(7, () => send(7, '', 'Page.getFrameTree'));
  await new Promise(resolve => setImmediate(resolve));
  release();
  await using;
  assert.deepEqual([...fake.attached], [7]);
});

test('an attachment whose session cannot be set up is given back', async () => {
  const fake = fakeChrome();
  const { use } = await startSession(fake);
  fake.cdp = ({ method }) => { if (method === 'Page.enable') throw new Error('{"code":-32000,"message":"no"}'); };
  await assert.rejects(use(7, async () => {}), { code: 'internal', cdp: 'no' });
  assert.equal(fake.attached.size, 0);
});
