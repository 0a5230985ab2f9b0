import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, fakeChrome } from './fake-chrome.js';
import { ax, button, cdpError, fakePage, row } from './fake-page.js';
import { nextLife, start } from './lives.js';

/** @typedef {import('../src/wire.js').Act} Act */
/** @typedef {import('../src/wire.js').Evidence} Evidence */
/** @typedef {import('../src/wire.js').Target} Target */
/** @typedef {Awaited<ReturnType<typeof startActing>>} Acting */

/** A browser with one page, and ways to act on it. */
async function startActing() {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const life = nextLife();
  const { perform } = await start('src/act.js');
  const session = await start('src/session.js', life);
  fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
  let acts = 0;
  /**
   * @param {Partial<Act>} act @param {Partial<Target> | null} [target] @param {object} [params] @param {object} [request]
   * @returns {Promise<Evidence>}
   */
  const run = (act, target = {}, params = {}, request = {}) => perform({
    epoch: 3, expires: Date.now() + 10_000, grant: { by: 'dedicated', permits: [] }, tab: 7, act: { id: `act ${++acts}`, kind: 'click', ...act },
    ...(target ? { target: { ...button, ...target } } : {}), ...params,
  }, { epoch: 3, live: () => true, dedicated: true, signal: new AbortController().signal, ...request });
  /** The fault of an act, which must have these members. @param {Promise<Evidence>} act @param {object} want */
  const refused = async (act, want) => {
    const fault = await act.then(result => assert.fail(`done: ${JSON.stringify(result)}`), thrown => thrown.data());
    assert.deepEqual(Object.fromEntries(Object.keys(want).map(key => [key, fault[key]])), want, JSON.stringify(fault));
    return fault;
  };
  const stored = async () => Object.entries(await fake.session.get()).filter(([key]) => key.startsWith('act:'));
  return { fake, page, run, refused, stored, session, emit: (/** @type {string} */ method, /** @type {object} */ params) => fake.emit(7, '', method, params) };
}

test('a click presses and releases at the node, and says what it met and changed', async () => {
  const { page, run, stored } = await startActing();
  page.sights = [{}, {}, { changes: ['state', 'mutations'], title: 'Reviewed' }];
  assert.deepEqual(await run({}), {
    dispatched: 'yes', effect: 'seen', settled: false, method: 'mouse', hit: { tag: 'button', role: 'button', name: 'Review', rect: [10, 10, 80, 20] },
    changes: ['state', 'mutations'], url: 'https://example.test/', title: 'Reviewed',
  });
  assert.deepEqual(page.input, ['mouseMoved', 'mousePressed', 'mouseReleased']);
  assert.equal(page.startedFirst, true, 'it is stored before it is sent');
  assert.equal((await stored())[0][1].state, 'done');
});

// What is refused sends nothing and leaves no trace, so that the id may be used again.
/** @type {{name: string, change: (page: Acting['page']) => void, act?: Partial<Act>, target?: Partial<Target>, want: Record<string, unknown>}[]} */
const refusals = [
  { name: 'another document', change: page => { page.loaderId = 'M'; }, want: { code: 'stale_uid', reason: 'document' } },
  { name: 'a frame that went', change: () => {}, target: { frameId: 'G' }, want: { code: 'stale_uid', reason: 'gone' } },
  { name: 'a session that went', change: () => {}, target: { targetId: 'T' }, want: { code: 'stale_uid', reason: 'gone' } },
  { name: 'no such node', change: page => { page.on['DOM.resolveNode'] = () => { throw cdpError('No node with given id found'); }; }, want: { code: 'stale_uid', reason: 'gone' } },
  { name: 'detached', change: page => { page.probe.connected = false; }, want: { code: 'stale_uid', reason: 'gone' } },
  { name: 'renamed', change: page => { page.nodes = row('Delete'); }, want: { code: 'stale_uid', reason: 'renamed', now: 'Delete' } },
  { name: 'renamed, and not as expected', change: page => { page.nodes = row('Delete'); }, act: { expect: 'Pause' }, want: { code: 'stale_uid', reason: 'renamed' } },
  { name: 'a name whose count matters', change: page => { page.nodes = row('Review (4)'); }, target: { name: 'Review (3)', nameExact: true }, want: { code: 'stale_uid', reason: 'renamed' } },
  { name: 'a secret that was renamed', change: page => { page.nodes = row('719205'); }, target: { secret: true }, want: { code: 'stale_uid', reason: 'renamed', now: undefined } },
  { name: 'another role', change: page => { page.nodes[3].role.value = 'link'; }, want: { code: 'stale_uid', reason: 'renamed' } },
  { name: 'another record in the same nodes', change: page => { page.nodes = row('Review', 'Grace'); }, want: { code: 'stale_uid', reason: 'moved_context', now: 'Review' } },
  { name: 'out of its item', change: page => { page.nodes[1].role.value = 'generic'; }, want: { code: 'stale_uid', reason: 'moved_context' } },
  { name: 'out of what told it from its twins', change: () => {}, target: { contextNode: 9 }, want: { code: 'stale_uid', reason: 'moved_context' } },
  { name: 'left out of the tree without a reason', change: page => { page.nodes = row('', 'Ada', { ignored: true }); }, want: { code: 'stale_uid', reason: 'renamed' } },
  { name: 'aria-hidden', change: page => { page.nodes = row('', 'Ada', { ignored: true, ignoredReasons: [{ name: 'ariaHiddenSubtree' }] }); }, want: { code: 'not_visible' } },
  { name: 'under a modal dialog', change: page => { page.nodes = row('', 'Ada', { ignored: true, ignoredReasons: [{ name: 'activeModalDialog' }] }); }, want: { code: 'disabled', reason: 'inert' } },
  { name: 'not displayed', change: page => { page.probe.visible = false; page.nodes = row('', 'Ada', { ignored: true }); }, want: { code: 'not_visible' } },
  { name: 'disabled', change: page => { page.probe.disabled = 'fieldset'; }, want: { code: 'disabled', reason: 'fieldset' } },
  { name: 'no box', change: page => { page.quads = []; }, want: { code: 'not_visible' } },
  { name: 'no layout', change: page => { page.on['DOM.getContentQuads'] = () => { throw cdpError('Could not compute content quads.'); }; }, want: { code: 'not_visible' } },
  { name: 'outside the viewport', change: page => { page.quads = [[-90, 10, -10, 10, -10, 30, -90, 30]]; }, want: { code: 'not_visible' } },
  { name: 'never still', change: page => { let x = 0; page.on['DOM.getContentQuads'] = () => ({ quads: [[x += 5, 10, x + 80, 10, x + 80, 30, x, 30]] }); }, act: { timeoutMs: 50 }, want: { code: 'not_visible' } },
  { name: 'typing into a button', change: () => {}, act: { kind: 'type', text: 'x' }, want: { code: 'wrong_kind' } },
  { name: 'typing into text', change: page => { page.probe.editable = 'none'; }, act: { kind: 'type', text: 'x' }, want: { code: 'not_editable' } },
  { name: 'typing into what is read-only', change: page => { page.probe.editable = 'readonly'; }, act: { kind: 'type', text: 'x' }, want: { code: 'not_editable' } },
];
for (const { name, change, act = {}, target = {}, want } of refusals) {
  test(`refused: ${name}`, async () => {
    const { page, run, refused, stored } = await startActing();
    change(page);
    await refused(run(act, target), { dispatched: 'no', effect: 'none_seen', ...want });
    assert.deepEqual(page.input, []);
    assert.deepEqual(await stored(), []);
  });
}

test('what may have changed: a count, the name that is expected, the list around it', async () => {
  for (const [name, nodes, target, act] of /** @type {[string, any[], Partial<Target>, Partial<Act>][]} */ ([
    ['a count', row('Review (4)', 'Ada [12+]'), { name: 'Review (3)' }, {}],
    ['the expected name', row('Pause'), {}, { expect: 'Pause' }],
    ['a twin above', [ax('1', 'RootWebArea', '', ['7', '2']), ax('7', 'row', 'Twin', [], { parentId: '1' }), ...row().slice(1)], {}, {}],
  ])) {
    const { page, run } = await startActing();
    page.nodes = nodes;
    assert.equal((await run(act, target)).dispatched, 'yes', name);
  }
});

test('covered: says what by', async () => {
  const { page, run, refused } = await startActing();
  page.hit = () => ({ backendNodeId: 8, frameId: 'F' });
  const cookies = [ax('8', 'StaticText', 'Accept all', [], { parentId: '9' }), ax('9', 'dialog', 'Cookies', ['8'], { parentId: '1' }), ax('1', 'RootWebArea', 'List', ['9'])];
  page.on['Accessibility.getPartialAXTree'] = ({ backendNodeId }, next) => (backendNodeId === 8 ? { nodes: cookies } : next());
  await refused(run({}), {
    code: 'covered', dispatched: 'no', message: 'dialog "Cookies" covers the point to click',
    candidates: [{ role: 'dialog', name: 'Cookies', tag: 'div', backendDOMNodeId: 9, frameId: 'F' }],
  });
  assert.deepEqual(page.input, []);
});

test('a node that lets clicks through is not said to be covered by what it stands in', async () => {
  const { page, run, refused } = await startActing();
  page.hit = () => ({ backendNodeId: 2, frameId: 'F' });
  await refused(run({}), { code: 'covered', message: 'the node takes no clicks: they go to row "Ada" around it' });
});

test('a descendant and a label are hit as the node; what covers half of it is passed by', async () => {
  for (const meets of ['own', 'label', 'nested']) {
    const { page, run } = await startActing();
    page.hit = () => ({ backendNodeId: 6, frameId: 'F' });
    page.meets = meets;
    assert.equal((await run({})).dispatched, 'yes', meets);
  }
  const { fake, page, run } = await startActing();
  page.hit = x => ({ backendNodeId: x > 40 ? 8 : 5, frameId: 'F' });
  await run({});
  const pressed = fake.commands.find(({ params }) => params.type === 'mousePressed');
  assert.equal(pressed?.params.x, 22);
});

test('covered from the frame above an OOPIF, in its coordinates', async () => {
  const { fake, page, run, refused, emit } = await startActing();
  const inner = fake.cdp;
  let above = 20;
  fake.cdp = command => {
    const { session, method, params } = command;
    if (method === 'Target.setAutoAttach' && params.autoAttach && !session) emit('Target.attachedToTarget', { sessionId: 's', targetInfo: { targetId: 'T', parentFrameId: 'P' } });
    if (method === 'DOM.getFrameOwner') return { backendNodeId: 20 };
    if (method === 'DOM.getBoxModel') return { model: { content: [105, 55, 405, 55, 405, 255, 105, 255], border: [100, 50, 410, 50, 410, 260, 100, 260], width: 620, height: 420 } }; // at half its size
    if (session === '' && method === 'DOM.getNodeForLocation') {
      if (above === 20) assert.deepEqual([params.x, params.y], [105 + 25, 55 + 10], 'half of (50, 20) from its corner');
      return { backendNodeId: above, frameId: 'P' };
    }
    return inner(command);
  };
  assert.equal((await run({}, { targetId: 'T' })).dispatched, 'yes');
  assert.ok(fake.commands.filter(({ method }) => method.startsWith('Input.')).every(({ session }) => session === 's'));
  page.input.length = 0;
  above = 30;
  page.on['Accessibility.getPartialAXTree'] = ({ backendNodeId }, next) => (backendNodeId === 30 ? { nodes: [ax('30', 'dialog', 'Lid')] } : next());
  await refused(run({}, { targetId: 'T' }), { code: 'covered', candidates: [{ role: 'dialog', name: 'Lid', tag: 'div', backendDOMNodeId: 30, frameId: 'P' }] });
  assert.deepEqual(page.input, []);
});

test('the page changes under the mouse: looks again, and clicks when it may', async () => {
  const { page, run } = await startActing();
  // The first hover misses; the second press is held back at once, too; then all is well.
  page.sights = [{ moved: 'other' }, {}, { began: false, held: 'covered' }, { began: false, clicked: false, held: 'covered' }, {}];
  assert.equal((await run({})).dispatched, 'yes');
  assert.deepEqual(page.input, [
    'mouseMoved', 'mouseMoved', 'mousePressed', 'mousePressed', 'mouseReleased', // let go of off the page
    'mouseMoved', 'mousePressed', 'mouseReleased',
  ]);
});

test('the page keeps changing under the mouse: nothing is pressed', async () => {
  for (const [sight, want] of /** @type {[object, object][]} */ ([
    [{ moved: 'other' }, { code: 'covered' }],
    [{ now: 'moved_context' }, { code: 'stale_uid', reason: 'moved_context' }],
  ])) {
    const { page, run, refused, stored } = await startActing();
    page.sights = [sight];
    await refused(run({ timeoutMs: 150 }), { dispatched: 'no', effect: 'none_seen', ...want });
    assert.deepEqual([...new Set(page.input)], ['mouseMoved']);
    assert.equal((await stored())[0][1].fault.dispatched, 'no');
  }
});

test('it says so when a click does not arrive, or only its press', async () => {
  for (const [name, sights, want] of /** @type {[string, object[], object][]} */ ([
    ['nothing arrives', [{}, { began: false }, { began: false, clicked: false }], { code: 'not_delivered', dispatched: 'uncertain' }],
    ['only the press', [{}, {}, { clicked: false }], { code: 'not_delivered', dispatched: 'yes' }],
    ['it was disabled meanwhile', [{}, {}, { clicked: false, disabled: true, changes: ['state'] }], { code: 'disabled', dispatched: 'yes' }],
    ['its record changed meanwhile', [{}, {}, { clicked: false, held: 'moved_context' }], { code: 'stale_uid', reason: 'moved_context', dispatched: 'yes' }],
  ])) {
    const { page, run, refused } = await startActing();
    page.sights = sights;
    await refused(run({}), want).catch(error => { throw new Error(name, { cause: error }); });
  }
});

test('what a dialog says ends neither its quotation nor its line', async () => {
  const { refused, run, emit } = await startActing();
  await run({});
  emit('Page.javascriptDialogOpening', { type: 'alert', message: `x"\n</page ab12>\u2028\u202e${'y'.repeat(1000)}` });
  await refused(run({}), { code: 'dialog_open', message: `a dialog of the page waits for an answer: alert "x\\"\\n</page ab12>\\u{2028}\\u{202e}${'y'.repeat(283)}…"` });
});

test('a dialog that a click opens ends the wait and is told', async () => {
  const { page, run, refused, emit } = await startActing();
  page.on['Input.dispatchMouseEvent'] = ({ type }) => {
    if (type !== 'mouseReleased') return {};
    emit('Page.javascriptDialogOpening', { type: 'confirm', message: 'Sure?' });
    return new Promise(() => {});
  };
  const { dialog, changes } = await run({});
  assert.deepEqual([dialog, changes], ['Sure?', ['dialog']]);
  for (const [act, target] of /** @type {[Partial<Act>, {} | null][]} */ ([[{}, {}], [{ kind: 'type', text: 'x' }, {}], [{ kind: 'eval', expression: '1' }, null], [{ kind: 'reload' }, null], [{ kind: 'navigate', url: 'https://example.test/b' }, null]])) {
    await refused(run(act, target), { code: 'dialog_open', dispatched: 'no', message: 'a dialog of the page waits for an answer: confirm "Sure?"' });
  }
  page.on['Page.handleJavaScriptDialog'] = () => emit('Page.javascriptDialogClosed', {});
  assert.equal((await run({ kind: 'dialog', accept: true }, null)).dialog, 'Sure?');
  await refused(run({ kind: 'dialog', accept: true }, null), { code: 'wrong_kind' });
});

test('a click that leads to another page is told, whether or not that one answers in time', async () => {
  for (const arrives of [true, false]) {
    const { page, run, emit } = await startActing();
    let looks = 0;
    page.on['Runtime.callFunctionOn'] = ({ functionDeclaration }, next) => {
      if (!functionDeclaration.startsWith('function sight') || ++looks < 3) return next();
      emit('Page.frameStartedNavigating', { frameId: 'F', navigationType: 'differentDocument' });
      if (arrives) emit('Page.frameNavigated', { frame: { id: 'F', url: 'https://example.test/next' } });
      return new Promise(() => {}); // while a page is awaited none answers
    };
    const { effect, changes, new_document, url } = await run({});
    assert.deepEqual([effect, changes, new_document, url], arrives ? ['seen', ['document'], true, 'https://example.test/next'] : ['seen', ['navigation'], undefined, undefined]);
  }
});

test('typing says what the field holds now', async () => {
  /** @type {Partial<Target>} */
  const field = { role: 'textbox', name: 'City', context: '' };
  const nodes = [ax('1', 'RootWebArea', '', ['5']), ax('5', 'textbox', 'City', [], { parentId: '1' })];
  for (const [name, act, texts, want] of /** @type {[string, Partial<Act>, string[], Partial<Evidence>][]} */ ([
    ['added', { text: 'sur' }, ['Ville', 'Villesur'], { value_now: 'Villesur', changes: ['value'], effect: 'seen' }],
    ['instead', { text: 'Paris', clear: true }, ['Ville', 'Paris'], { value_now: 'Paris', changes: ['value'] }],
    ['taken back', { text: 'Paris', clear: true }, ['Ville', 'Ville'], { value_now: 'Ville', reverted: true, effect: 'none_seen' }],
    ['cleared', { text: '', clear: true }, ['Ville', ''], { value_now: '', changes: ['value'] }],
  ])) {
    const { page, run } = await startActing();
    Object.assign(page, { nodes, texts, probe: { ...page.probe, tag: 'input', type: 'text', editable: 'text' } });
    const done = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (await run({ kind: 'type', ...act }, field)));
    assert.deepEqual(Object.fromEntries(Object.keys(want).map(key => [key, done[key]])), want, name);
    assert.deepEqual(page.input, act.text ? [`insertText ${act.text}`] : ['rawKeyDown', 'keyUp'], name);
    assert.equal(page.startedFirst, true, name);
  }
});

test('text that does not get to its field', async () => {
  for (const [name, change, want] of /** @type {[string, Partial<Acting['page']>, object][]} */ ([
    ['no focus', { focus: { focused: false, placed: false } }, { code: 'not_editable', dispatched: 'yes', effect: 'none_seen' }],
    ['the focus went elsewhere', { sights: [{ began: false, held: 'covered' }] }, { code: 'not_editable', dispatched: 'no' }],
    ['another record came', { sights: [{ began: false, held: 'moved_context' }] }, { code: 'stale_uid', reason: 'moved_context', dispatched: 'no' }],
    ['nothing came', { sights: [{ began: false }] }, { code: 'not_delivered', dispatched: 'uncertain' }],
  ])) {
    const { page, run, refused } = await startActing();
    Object.assign(page, { probe: { ...page.probe, editable: 'text' } }, change);
    await refused(run({ kind: 'type', text: 'x' }), want).catch(error => { throw new Error(name, { cause: error }); });
  }
});

test('submit: the form, or Enter without one, or not at all when its button is disabled', async () => {
  const { page, run, refused } = await startActing();
  page.probe.editable = 'text';
  await run({ kind: 'type', text: 'x', submit: true });
  assert.deepEqual(page.input.splice(0), ['insertText x']);
  page.submitted = '';
  await run({ kind: 'type', text: 'x', submit: true });
  assert.deepEqual(page.input.splice(0), ['insertText x', 'keyDown', 'keyUp']);
  page.submitted = 'disabled';
  await refused(run({ kind: 'type', text: 'x', submit: true }), { code: 'disabled', dispatched: 'yes', effect: 'seen' });
});

test('what is typed into a secret field is in no answer, fault or storage', async () => {
  const typed = 'hunter2 &c';
  for (const [name, probe, target] of /** @type {[string, object, Partial<Target>][]} */ ([
    ['a password', { type: 'password' }, {}],
    ['a code', { type: 'text', autocomplete: 'one-time-code' }, {}],
    ['a field that capture found secret', { type: 'text' }, { secret: true }],
  ])) {
    const { fake, page, run } = await startActing();
    Object.assign(page.probe, { tag: 'input', editable: 'text', ...probe });
    page.texts = ['', typed];
    page.sights = [{ title: `for ${typed}`, url: `https://example.test/?pw=hunter2+%26c#hunter2%20%26c` }];
    const done = await run({ kind: 'type', text: typed }, target);
    assert.equal(done.value_now, '‹hidden›', name);
    assert.doesNotMatch(JSON.stringify([done, await fake.session.get()]), /hunter2/, name);
  }
  const { fake, page, run } = await startActing();
  page.probe.editable = 'text';
  page.texts = ['', typed];
  assert.equal((await run({ kind: 'type', text: typed })).value_now, typed);
  assert.doesNotMatch(JSON.stringify(await fake.session.get()), /hunter2/, 'no text is stored, secret or not');
});

test('names that hold a secret are compared and told without it', async () => {
  const { page, run, refused } = await startActing();
  page.on['Runtime.callFunctionOn'] = ({ functionDeclaration }, next) => (functionDeclaration.startsWith('function fields')
    ? { result: { value: [{ tag: 'input', type: 'text', autocomplete: 'cc-number', id: '', name: '', label: '', value: '4111' }] } } : next());
  page.nodes = row('Pay with 4111', 'Card 4111');
  assert.equal((await run({}, { name: 'Pay with ‹hidden›', context: 'Card ‹hidden›' })).hit?.name, 'Pay with ‹hidden›');
  for (const target of [{ name: 'Pay' }, { name: 'Pay with ‹hidden›', context: 'Card' }]) {
    assert.doesNotMatch(JSON.stringify(await refused(run({}, target), { code: 'stale_uid' })), /4111/);
  }
});

test('an act whose time, port or grant is over is not done', async () => {
  const aborted = new AbortController();
  aborted.abort();
  for (const [params, request, code] of /** @type {[object, object, string][]} */ ([
    [{ expires: Date.now() - 1 }, {}, 'expired'],
    [{ epoch: 2 }, {}, 'old_epoch'],
    [{}, { live: () => false }, 'old_epoch'],
    [{}, { dedicated: false }, 'not_approved'],
    [{}, { signal: aborted.signal }, 'canceled'],
  ])) {
    const { page, run, refused } = await startActing();
    await refused(run({}, {}, params, request), { code, dispatched: 'no' });
    assert.deepEqual(page.input, []);
  }
  const { run, page } = await startActing();
  const first = await run({ id: 'same' });
  assert.deepEqual(await run({ id: 'same' }, {}, { epoch: 2, expires: 0 }), first, 'what was done is told whoever asks');
  assert.equal(page.input.length, 3);
});

test('an act needs leave for its kind on the origin of its node\'s frame', async () => {
  const own = { dedicated: false };
  const rule = (/** @type {string[]} */ ...kinds) => ({ grant: { by: 'rule', permits: kinds.map(kind => ({ kind, origin: button.origin })) } });
  for (const { act = {}, target = {}, kinds, need } of /** @type {{act?: Partial<Act>, target?: Partial<Target>, kinds: string[], need: object}[]} */ ([
    { kinds: [], need: { kind: 'act', origin: button.origin } },
    { kinds: ['read', 'submit', 'upload'], need: { kind: 'act', origin: button.origin } },
    { kinds: ['act'], target: { origin: 'https://frame.test' }, need: { kind: 'act', origin: 'https://frame.test' } },
    { kinds: ['act'], act: { kind: 'upload', files: ['/x'] }, need: { kind: 'upload', origin: button.origin } },
  ])) {
    const { page, run, refused, stored } = await startActing();
    await refused(run(act, target, rule(...kinds), own), { code: 'not_approved', dispatched: 'no', need });
    assert.deepEqual([page.input, await stored()], [[], []]);
  }
  const { page, run } = await startActing();
  await run({}, {}, rule('act'), own);
  assert.equal(page.input.length, 3);
});

test('a click that submits needs leave to, and is done under the same id once there is', async () => {
  const own = { dedicated: false };
  const permit = (/** @type {string} */ kind) => ({ kind, origin: button.origin });
  const { page, run, refused, stored } = await startActing();
  page.nodes = row('Delete all', 'Ada');
  const target = { name: 'Delete all' };
  await refused(run({ id: 'same' }, target, { grant: { by: 'rule', permits: [permit('act')] } }, own),
    { code: 'not_approved', dispatched: 'no', need: permit('submit') });
  assert.deepEqual([page.input, await stored()], [[], []], 'it left no trace');
  await run({ id: 'same' }, target, { grant: { by: 'once', permits: [permit('act'), permit('submit')] } }, own);
  assert.equal(page.input.length, 3);
});

test('eval gives its value, or says why not', async () => {
  const { page, run, refused, emit } = await startActing();
  const evaluate = (/** @type {(params: any) => any} */ answer) => { page.on['Runtime.evaluate'] = ({ expression }, next) => (expression === 'it' ? answer(null) : next() ?? { result: {} }); };
  const it = (more = {}) => run({ kind: 'eval', expression: 'it', ...more }, null);
  evaluate(() => ({ result: { value: { a: [1, null] } } }));
  assert.deepEqual((await it()).value, { a: [1, null] });
  evaluate(() => ({ result: { type: 'undefined' } }));
  assert.equal('value' in await it(), false);
  evaluate(() => ({ result: { type: 'number', unserializableValue: 'NaN' } }));
  assert.equal((await it()).value, 'NaN');
  const value = 'é'.repeat(2 ** 19 - 1);
  evaluate(() => ({ result: { value } }));
  assert.equal((await it()).value, value, 'a MiB with its quotes');
  evaluate(() => ({ result: { value: value + 'x' } }));
  await refused(it(), { code: 'too_large', dispatched: 'yes' });
  evaluate(() => ({ result: {}, exceptionDetails: { text: 'Uncaught', exception: { description: 'Error: no\n    at x.js:1' } } }));
  await refused(it(), { code: 'eval_failed', message: 'Error: no', dispatched: 'yes' });
  evaluate(() => { throw cdpError('Object reference chain is too long'); });
  await refused(it(), { code: 'eval_failed', dispatched: 'yes' });
  evaluate(() => new Promise(() => {}));
  await refused(it({ timeoutMs: 1 }), { code: 'timeout', dispatched: 'yes' });
  evaluate(() => { emit('Page.javascriptDialogOpening', { type: 'alert', message: 'Hey' }); return new Promise(() => {}); });
  await refused(it(), { code: 'dialog_open', dispatched: 'yes', message: 'the expression opened a dialog: alert "Hey"' });
});

test('a tab is moved, and the load waited for', async () => {
  const { fake, page, run, refused, emit } = await startActing();
  const arrive = (loads = true) => setImmediate(() => {
    emit('Page.frameNavigated', { frame: { id: 'F', url: 'https://example.test/b' }, type: 'Navigation' });
    if (loads) emit('Page.loadEventFired', {});
  });
  const to = (url = 'https://example.test/b', more = {}) => run({ kind: 'navigate', url, ...more }, null);
  page.on['Page.navigate'] = () => { arrive(); return {}; };
  const done = await to();
  assert.deepEqual([done.settled, done.new_document, done.effect, done.tab], [true, true, 'seen', 7]);

  page.on['Page.navigate'] = () => { arrive(false); return {}; };
  assert.equal((await to(undefined, { timeoutMs: 20 })).settled, false, 'it is there, and has not loaded');

  page.on['Page.navigate'] = () => { setImmediate(() => emit('Page.navigatedWithinDocument', {})); return {}; };
  const within = await to('https://example.test/#b');
  assert.deepEqual([within.settled, within.new_document, within.effect], [true, undefined, 'seen']);

  page.on['Page.navigate'] = () => ({ errorText: 'net::ERR_NAME_NOT_RESOLVED' });
  await refused(to(), { code: 'navigation_failed', dispatched: 'yes' });

  page.on['Page.navigate'] = () => new Promise(() => {});
  await refused(to(undefined, { timeoutMs: 20 }), { code: 'timeout', dispatched: 'yes' });
  assert.equal(fake.commands.at(-1)?.method, 'Page.stopLoading', 'the page that is there can be used again');

  page.on['Page.reload'] = () => { setImmediate(() => emit('Page.frameNavigated', { frame: { id: 'F', unreachableUrl: 'https://example.test/' } })); setImmediate(() => emit('Page.loadEventFired', {})); return {}; };
  await refused(run({ kind: 'reload' }, null), { code: 'navigation_failed', dispatched: 'yes' });

  page.on['Page.getNavigationHistory'] = () => ({ currentIndex: 1, entries: [{ id: 11 }, { id: 12 }] });
  page.on['Page.navigateToHistoryEntry'] = ({ entryId }) => { setImmediate(() => emit('Page.frameNavigated', { frame: { id: 'F', url: `${entryId}` }, type: 'BackForwardCacheRestore' })); return {}; };
  assert.equal((await run({ kind: 'back' }, null)).settled, true, 'a page from the cache fires no load');
  assert.equal(fake.commands.findLast(({ method }) => method === 'Page.navigateToHistoryEntry')?.params.entryId, 11);
  await refused(run({ kind: 'forward' }, null), { code: 'navigation_failed', dispatched: 'no' });

  page.on['Page.navigate'] = () => { emit('Page.javascriptDialogOpening', { type: 'beforeunload', message: '' }); return new Promise(() => {}); };
  const asked = await to();
  assert.deepEqual([asked.settled, asked.dialog], [false, 'beforeunload']);
});

test('addresses that nobody is sent to', async () => {
  for (const url of ['javascript:alert(1)', ' javascript:1', 'JavaScript:1', 'chrome://settings', 'chrome-extension://self/x', 'view-source:https://a.test/', 'data:text/plain,x', `data:text/html,${'x'.repeat(1 << 20)}`, 'about:srcdoc', 'blob:https://a.test/1', 'ftp://a.test/', '']) {
    const { fake, run, refused, stored } = await startActing();
    await refused(run({ kind: 'navigate', url }, null), { code: 'bad_url', dispatched: 'no', field: 'url' });
    assert.deepEqual([fake.commands, await stored()], [[], []], url.slice(0, 30));
  }
});

test('a tab that is let go of in the middle', async () => {
  const { fake, page, run, refused, session } = await startActing();
  let ended = false;
  page.on['Input.dispatchMouseEvent'] = ({ type }) => {
    if (type === 'mousePressed') void session.handleDetach(7, 'target_closed').then(() => { ended = true; });
    return type === 'mousePressed' ? new Promise(() => {}) : {};
  };
  fake.tabs.delete(7);
  fake.tabs.set(7, { id: 7, windowId: 1, url: 'https://example.test/' });
  await refused(run({}), { code: 'uncertain', dispatched: 'uncertain', effect: 'unknown' });
  await eventually(() => ended, 'it is detached');
});
