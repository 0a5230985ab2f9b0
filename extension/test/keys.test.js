import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { ax, button, fakePage } from './fake-page.js';
import { nextLife, start } from './lives.js';

/** @typedef {import('../src/wire.js').Act} Act */
/** @typedef {import('../src/wire.js').Evidence} Evidence */
/** @typedef {import('../src/wire.js').Target} Target */

const { chordOf } = /** @type {typeof import('../src/act-keys.js')} */ (await start('src/act-keys.js'));

/** A browser with a page of one field. */
async function startTyping() {
  const fake = fakeChrome();
  const page = fakePage(fake);
  page.nodes = [ax('1', 'RootWebArea', '', ['5']), ax('5', 'textbox', 'City', [], { parentId: '1' })];
  Object.assign(page.probe, { tag: 'input', type: 'text', editable: 'text' });
  let acts = 0;
  /** A worker: the next one knows what storage.session says. */
  const worker = async () => {
    fake.newWorker();
    const life = nextLife();
    const { perform } = await start('src/act.js');
    const session = await start('src/session.js', life);
    fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
    /** @param {Partial<Act>} act @param {Partial<Target> | null} [target] @returns {Promise<Evidence>} */
    return (act, target = {}) => perform({
      epoch: 3, expires: Date.now() + 10_000, grant: { by: 'dedicated', permits: [] }, tab: 7, act: { id: `act ${++acts}`, ...act },
      ...(target ? { target: { ...button, role: 'textbox', name: 'City', context: '', ...target } } : {}),
    }, { epoch: 3, live: () => true, dedicated: true, signal: new AbortController().signal });
  };
  const keys = () => fake.commands.splice(0).flatMap(({ method, params }) => (method === 'Input.dispatchKeyEvent' ? [`${params.type} ${params.key}`] : []));
  return { fake, page, worker, run: await worker(), keys };
}

/** The fault of an act, which must have these members. @param {Promise<Evidence>} act @param {object} want */
async function refused(act, want) {
  const fault = await act.then(result => assert.fail(`done: ${JSON.stringify(result)}`), thrown => thrown.data());
  assert.deepEqual(Object.fromEntries(Object.keys(want).map(key => [key, fault[key]])), want, JSON.stringify(fault));
}

test('keys and chords, as a US keyboard gives them', () => {
  for (const [said, key, text, modifiers] of /** @type {[string, string, string | undefined, string][]} */ ([
    ['Enter', 'Enter', '\r', ''], ['Escape', 'Escape', undefined, ''], ['a', 'a', 'a', ''], ['A', 'A', 'A', 'Shift'], ['Shift+a', 'A', 'A', 'Shift'], ['!', '!', '!', 'Shift'],
    ['Shift+1', '!', '!', 'Shift'], ['+', '+', '+', 'Shift'], ['Space', ' ', ' ', ''], [' ', ' ', ' ', ''], ['Control+a', 'a', undefined, 'Control'], ['Control+A', 'a', undefined, 'Control'],
    ['Control++', '+', undefined, 'Control Shift'], ['Shift+Control+K', 'K', undefined, 'Control Shift'], ['Control+Enter', 'Enter', undefined, 'Control'], ['Shift+Tab', 'Tab', undefined, 'Shift'],
  ])) {
    const chord = chordOf(said);
    assert.deepEqual([chord.key.key, chord.key.text, chord.modifiers.join(' ')], [key, text, modifiers], said);
  }
  for (const said of ['', 'Foo', 'enter', 'Ctrl+a', 'Control', 'Control+', 'Shift+Shift+a', 'a+Control', 'é', 'ab', '++', 'F13', 'toString', 'Control+constructor']) {
    assert.throws(() => chordOf(said), { code: 'bad_request', more: { field: 'key' } }, said);
  }
  for (const said of ['Control+T', 'Control+t', 'Shift+Control+n', 'Meta+w', 'Alt+F4', 'F5', 'Control+r', 'Alt+ArrowLeft', 'Control+Tab', 'F12']) {
    assert.throws(() => chordOf(said), { code: 'wrong_kind' }, said);
  }
});

test('a text key by key; what has no key comes as text', async () => {
  const { fake, page, run } = await startTyping();
  page.texts = ['', 'aé'];
  const done = await run({ kind: 'type', text: 'aé', keys: true });
  assert.deepEqual([done.method, done.value_now, done.reverted], ['keys', 'aé', undefined]);
  assert.deepEqual(page.input, ['keyDown', 'keyUp', 'insertText é']);
  assert.deepEqual(fake.commands.find(({ method }) => method === 'Input.dispatchKeyEvent')?.params, { type: 'keyDown', key: 'a', code: 'KeyA', windowsVirtualKeyCode: 65, text: 'a' });
  page.input.length = 0;
  for (const text of ['a\nb', 'x'.repeat(2001)]) await refused(run({ kind: 'type', text, keys: true }), { code: 'bad_request', field: 'text', dispatched: 'no' });
  assert.deepEqual(page.input, []);
});

test('typing key by key ends where the focus is taken away', async () => {
  const { page, run } = await startTyping();
  page.sights = [{ held: 'covered' }];
  await refused(run({ kind: 'type', text: 'x'.repeat(100), keys: true }), { code: 'not_editable', dispatched: 'yes' });
  assert.equal(page.input.length, 40);
});

test('set_field replaces what is there', async () => {
  const { page, run } = await startTyping();
  page.texts = ['Ville', 'Paris'];
  const done = await run({ kind: 'set_field', text: 'Paris', submit: true });
  assert.deepEqual([done.value_now, done.reverted, done.changes], ['Paris', undefined, ['value']]);
});

test('a field said to be secret is so in answers and captures, and for the worker after this one', async () => {
  const { fake, page, run, worker } = await startTyping();
  page.texts = ['', 'swordfish'];
  assert.equal((await run({ kind: 'type', text: 'swordfish', secret: true })).value_now, '‹hidden›');
  page.states = [{ value: 'swordfish', selection: '', scroll: '' }];
  const next = await worker();
  assert.equal((await next({ kind: 'press', key: 'End' })).value_now, '‹hidden›');
  assert.equal((await next({ kind: 'type', text: '' })).value_now, '‹hidden›');
  assert.doesNotMatch(JSON.stringify(await fake.session.get()), /swordfish/);
  const { blank, markedOf } = /** @type {typeof import('../src/secrets.js')} */ (await start('src/secrets.js'));
  const nodes = /** @type {any[]} */ ([ax('1', 'RootWebArea', '', ['5']), ax('5', 'generic', '', [], { parentId: '1', value: { value: 'swordfish' } })]);
  assert.deepEqual(blank(nodes, () => ({ tag: 'div' }), new Set(), await markedOf('L')), { redacted: 1, passwords: [] });
  assert.equal(nodes[1].value.value, '‹hidden›');
});

test('press sends the chord to the node, and says what it changed', async () => {
  const { page, run, keys } = await startTyping();
  page.states = [{ value: 'ab', selection: '0', scroll: '' }, { value: 'ab', selection: '2', scroll: '' }];
  const done = await run({ kind: 'press', key: 'Control+a' });
  assert.deepEqual([done.method, done.changes, done.value_now, done.effect], ['keys', ['selection'], 'ab', 'seen']);
  assert.deepEqual(keys(), ['rawKeyDown Control', 'rawKeyDown a', 'keyUp a', 'keyUp Control']);
  assert.equal(page.startedFirst, true);
});

test('a key that does not get to its node', async () => {
  for (const [name, change, want] of /** @type {[string, object, object][]} */ ([
    ['it cannot have the focus', { takes: 'none' }, { code: 'wrong_kind', dispatched: 'no' }],
    ['it passes it on', { takes: 'passed on' }, { code: 'wrong_kind', dispatched: 'yes' }],
    ['another took it', { sights: [{ began: false, held: 'covered' }] }, { code: 'not_delivered', dispatched: 'no' }],
    ['another record came', { sights: [{ began: false, held: 'moved_context' }] }, { code: 'stale_uid', reason: 'moved_context', dispatched: 'no' }],
    ['nothing came', { sights: [{ began: false }] }, { code: 'not_delivered', dispatched: 'uncertain' }],
  ])) {
    const { page, run } = await startTyping();
    Object.assign(page, change);
    await refused(run({ kind: 'press', key: 'a' }), want).catch(error => { throw new Error(name, { cause: error }); });
  }
  const { page, run } = await startTyping();
  for (const key of ['Foo', 'Control+T']) await refused(run({ kind: 'press', key }), { dispatched: 'no' });
  page.sights = [{ held: 'covered' }]; // its press moved the focus, and the rest of the key was held back
  assert.equal((await run({ kind: 'press', key: 'Enter' })).dispatched, 'yes');
});

test('press without a target goes to what has the focus', async () => {
  const { page, run, keys } = await startTyping();
  page.on['Runtime.evaluate'] = ({ expression }) => ({ result: { objectId: expression } });
  page.on['DOM.describeNode'] = ({ objectId }) => ({ node: { localName: 'input', nodeName: 'INPUT', backendNodeId: objectId === 'focusedIn' ? 5 : 0 } });
  const done = await run({ kind: 'press', key: 'x' }, null);
  assert.deepEqual([done.hit?.role, done.hit?.name], ['textbox', 'City']);
  assert.deepEqual(keys(), ['keyDown x', 'keyUp x']);
  await refused(run({ kind: 'hover' }, null), { code: 'bad_request', field: 'target' });
});

test('focus and blur do nothing where it is so already, and say when the page undoes them', async () => {
  for (const [kind, focuses, want] of /** @type {[string, boolean[], object][]} */ ([
    ['focus', [true], { unchanged: true, dispatched: 'no' }],
    ['focus', [false, true], { dispatched: 'yes', changes: ['focus'] }],
    ['blur', [false], { unchanged: true, dispatched: 'no' }],
    ['blur', [true, false], { dispatched: 'yes', changes: ['focus'] }],
  ])) {
    const { page, run } = await startTyping();
    page.focuses = focuses;
    const done = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (await run({ kind: /** @type {'focus'} */ (kind) })));
    assert.deepEqual(Object.fromEntries(Object.keys(want).map(key => [key, done[key]])), want, `${kind} ${focuses}`);
  }
  const { page, run } = await startTyping();
  page.focuses = [false];
  await refused(run({ kind: 'focus' }), { code: 'not_delivered', dispatched: 'yes' });
});

test('hover moves the mouse only, and says that something shows', async () => {
  const { page, run } = await startTyping();
  page.appears = true;
  const done = await run({ kind: 'hover' });
  assert.deepEqual([done.method, done.changes, page.input], ['mouse', ['shown'], ['mouseMoved']]);
  page.sights = [{ began: false, held: 'covered' }];
  await refused(run({ kind: 'hover' }), { code: 'covered', dispatched: 'no' });
  page.probe.disabled = 'disabled';
  page.sights = [{}];
  assert.equal((await run({ kind: 'hover' })).dispatched, 'yes', 'it may say why it is disabled');
});

test('a form is submitted once in a moment, also by the worker after this one', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 }); // the moment lasts as long as the test
  const acts = /** @type {Partial<Act>[]} */ ([{ kind: 'click' }, { kind: 'press', key: 'Enter' }, { kind: 'press', key: 'Space' }, { kind: 'type', text: 'x', submit: true }, { kind: 'set_field', text: 'x', submit: true }]);
  for (const first of acts) {
    const { page, run, worker } = await startTyping();
    page.form = 9;
    assert.equal((await run(first)).dispatched, 'yes');
    page.input.length = 0;
    /** @type {typeof run | undefined} */
    let later;
    let another = 10;
    for (const next of [run, undefined].map(one => async (/** @type {Partial<Act>} */ act) => (one ?? (later ??= await worker()))(act))) {
      for (const second of acts) await refused(next(second), { code: 'repeated', dispatched: 'no', effect: 'none_seen' });
      assert.deepEqual(page.input, []);
      await next({ kind: 'press', key: 'a' });
      await next({ kind: 'type', text: 'x' });
      page.form = ++another;
      await next({ kind: 'click' });
      page.form = 9;
      await next({ kind: 'click', again: true });
      page.input.length = 0;
    }
  }
});

test('what came of nothing, or took an option, was no submit', async () => {
  const { page, run } = await startTyping();
  page.form = 9;
  page.sights = [{ began: false, held: 'covered' }];
  await refused(run({ kind: 'press', key: 'Enter' }), { code: 'not_delivered', dispatched: 'no' });
  page.sights = [{}];
  page.submitted = 'disabled';
  await refused(run({ kind: 'type', text: 'x', submit: true }), { code: 'disabled', dispatched: 'yes' });
  page.submitted = 'submitted';
  const open = { owns: true, shown: true, options: ['Lyon', 'Paris'], active: 1, value: 'par' };
  page.lists = [open, open, open, { ...open, shown: false, value: 'Paris' }];
  assert.deepEqual((await run({ kind: 'type', text: 'par', submit: true })).chosen, ['Paris']);
  assert.equal((await run({ kind: 'click' })).dispatched, 'yes');
  page.sights = [{ began: false, held: 'covered' }];
  await refused(run({ kind: 'press', key: 'Enter', again: true }), { code: 'not_delivered', dispatched: 'no' });
  await refused(run({ kind: 'click' }), { code: 'repeated' });
});

test('the moment begins when an act ends, for typing takes a while', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  const { page, run } = await startTyping();
  page.form = 9;
  page.on['Input.insertText'] = () => { t.mock.timers.setTime(1e12 + 5000); return {}; };
  await run({ kind: 'type', text: 'x', submit: true });
  await refused(run({ kind: 'click' }), { code: 'repeated' });
  t.mock.timers.setTime(1e12 + 7000);
  assert.equal((await run({ kind: 'click' })).dispatched, 'yes');
});

test('a text of many lines, which the browser enters one by one, is given its time', async t => {
  const timers = t.mock.method(globalThis, 'setTimeout');
  const { page, run } = await startTyping();
  /** @type {number[]} */
  const waits = [];
  page.on['Input.insertText'] = () => { waits.push(Number(timers.mock.calls.at(-1)?.arguments[1])); return {}; };
  await run({ kind: 'type', text: 'x\n' });
  await run({ kind: 'type', text: 'x\n'.repeat(3000) });
  assert.deepEqual(waits, [10_000, 25_000]);
});

test('submit takes an option of the list that the field owns, once it is there', async () => {
  const list = (/** @type {number} */ active, more = {}) => ({ owns: true, shown: true, options: ['New Yorkshire', 'New York', 'Paris'], active, value: 'new york', ...more });
  const none = list(-1, { shown: false, options: [] });
  const taken = list(-1, { shown: false, options: [], value: 'New York' });
  const steps = (/** @type {number} */ n) => Array(n).fill('ArrowDown').flatMap(key => [`rawKeyDown ${key}`, `keyUp ${key}`]);
  const enter = ['keyDown Enter', 'keyUp Enter'];
  for (const [name, lists, keys, chosen] of /** @type {[string, ReturnType<typeof list>[], string[], string[] | undefined][]} */ ([
    ['comes late', [none, none, list(-1), list(-1), list(-1), list(0), list(1), taken], [...steps(2), ...enter], ['New York']],
    ['is at it already', [list(1), list(1), list(1), taken], enter, ['New York']],
    ['does not say where it is', [list(-1), list(-1), list(-1), list(-1), taken], [...steps(1), ...enter], ['New York']],
    ['Enter takes nothing', [list(1)], enter, undefined],
    ['cannot be walked', [list(0)], steps(4), undefined],
  ])) {
    const { page, run, keys: sent } = await startTyping();
    page.lists = lists;
    const done = await run({ kind: 'type', text: 'new york', submit: true });
    assert.deepEqual(sent(), keys, name);
    assert.deepEqual([done.chosen, done.hint === undefined], [chosen, chosen !== undefined], name);
  }
  const { page, run, keys } = await startTyping();
  page.submitted = '';
  page.lists = [{ ...none, value: '' }];
  await run({ kind: 'set_field', text: '', submit: true });
  assert.deepEqual(keys(), ['rawKeyDown Backspace', 'keyUp Backspace', ...enter], 'an empty field means no option');
});
