import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, fakeChrome } from './fake-chrome.js';
import { button, cdpError, fakePage } from './fake-page.js';
import { nextLife, start } from './lives.js';

/** @typedef {import('../src/wire.js').Act} Act */
/** @typedef {import('../src/wire.js').Evidence} Evidence */
/** @typedef {import('../src/wire.js').Target} Target */

/** A browser with one page, and ways to drag, scroll and upload there. */
async function startMoving() {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const life = nextLife();
  const { perform } = await start('src/act.js');
  const session = await start('src/session.js', life);
  fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
  /** @param {Partial<Act>} act @param {Partial<Target> | null} [target] @param {Partial<Target>} [to] @returns {Promise<Evidence>} */
  const run = (act, target = {}, to) => perform({
    epoch: 3, expires: Date.now() + 10_000, grant: { by: 'dedicated', permits: [] }, tab: 7, act: { id: 'act', kind: 'drag', ...act },
    ...(target ? { target: { ...button, ...target } } : {}), ...(to ? { to: { ...button, ...to } } : {}),
  }, { epoch: 3, live: () => true, dedicated: true, signal: new AbortController().signal });
  /** @param {Promise<Evidence>} act @param {object} want */
  const refused = async (act, want) => {
    const fault = await act.then(result => assert.fail(`done: ${JSON.stringify(result)}`), thrown => thrown.data());
    assert.deepEqual(Object.fromEntries(Object.keys(want).map(key => [key, fault[key]])), want, JSON.stringify(fault));
  };
  const sent = (/** @type {string} */ method) => fake.commands.filter(command => command.method === method).map(({ params }) => params);
  return { fake, page, run, refused, sent, emit: (/** @type {string} */ method, /** @type {object} */ params) => fake.emit(7, '', method, params) };
}

// --- drag: the button at (50, 20) to a node at (50, 220)

async function startDragging() {
  const acting = await startMoving();
  const { page } = acting;
  page.on['DOM.resolveNode'] = ({ backendNodeId }) => ({ object: { objectId: `node ${backendNodeId}` } });
  page.on['DOM.getContentQuads'] = ({ objectId }) => ({ quads: [objectId === 'node 6' ? [10, 210, 90, 210, 90, 230, 10, 230] : [10, 10, 90, 10, 90, 30, 10, 30]] });
  page.on['Accessibility.getPartialAXTree'] = ({ objectId }, next) => {
    const { nodes } = next();
    return { nodes: objectId === 'node 6' ? nodes.map((/** @type {any} */ node) => (node.nodeId === '5' ? { ...node, nodeId: '6', backendDOMNodeId: 6 } : node)) : nodes };
  };
  page.hit = (_x, y) => ({ backendNodeId: y > 200 ? 6 : 5, frameId: 'F' });
  const dragged = { native: false, dropped: false, changes: /** @type {string[]} */ ([]) };
  Object.assign(page.calls, { watchDrag: () => 'drag', dragState: () => dragged, isOver: () => '', cornerOf: () => [10, 10], endMove: () => undefined });
  return { ...acting, dragged, to: { backendDOMNodeId: 6 } };
}

test('a drag by the mouse presses, goes the way, and lets go at the end', async () => {
  const { page, run, sent, dragged, to } = await startDragging();
  dragged.changes = ['order', 'moved'];
  const result = await run({}, {}, to);
  assert.deepEqual([result.method, result.effect, result.changes, result.dispatched], ['mouse', 'seen', ['order', 'moved'], 'yes']);
  const events = sent('Input.dispatchMouseEvent');
  assert.deepEqual(events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]), ['mouseMoved', 'mousePressed', 'mouseMoved', 'mouseReleased']);
  assert.ok(events.slice(2, -1).every(({ buttons, button: held }) => buttons === 1 && held === 'left'), 'the button is down all the way');
  assert.ok(events.slice(2, -1).length > 10, 'in steps');
  assert.deepEqual([events[1].x, events[1].y], [50, 20]);
  assert.deepEqual([events.at(-1).x, events.at(-1).y], [50, 220]);
  assert.equal(page.startedFirst, true);
  assert.deepEqual(sent('Input.setInterceptDrags').map(({ enabled }) => enabled), [true, false]);
});

test('a drag that the browser takes over is told of the way, and drops', async () => {
  const { page, run, sent, dragged, emit, to } = await startDragging();
  const data = { items: [{ mimeType: 'text/plain', data: 'card' }], dragOperationsMask: 1 };
  page.on['Input.dispatchMouseEvent'] = ({ type, buttons }) => {
    if (type !== 'mouseMoved' || buttons !== 1) return;
    dragged.native = true;
    emit('Input.dragIntercepted', { data });
  };
  page.on['Input.dispatchDragEvent'] = ({ type }) => { if (type === 'drop') dragged.dropped = true; };
  const result = await run({}, {}, to);
  assert.deepEqual([result.method, result.changes, result.hint], ['drag', ['drop'], undefined]);
  const events = sent('Input.dispatchDragEvent');
  assert.deepEqual(events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]), ['dragEnter', 'dragOver', 'drop']);
  assert.deepEqual(events.at(-1), { type: 'drop', x: 50, y: 220, data });
  assert.ok(!sent('Input.dispatchMouseEvent').some(({ type }) => type === 'mouseReleased'), 'a drop is no click');
});

test('a drag by an offset has no other end', async () => {
  const { run, refused, sent } = await startDragging();
  await run({ offset: { x: 30, y: -5 } });
  const { x, y } = sent('Input.dispatchMouseEvent').at(-1);
  assert.deepEqual([x, y], [80, 15]);
  await refused(run({ id: '2', offset: { x: 800, y: 0 } }), { code: 'not_visible', dispatched: 'no' });
  await refused(run({ id: '3' }), { code: 'bad_request', field: 'to', dispatched: 'no' });
});

test('nothing is pressed for an end that is not what it was, is hidden, covered, or of another site', async () => {
  for (const [name, change, to, want] of /** @type {[string, (page: any) => void, Partial<Target>, object][]} */ ([
    ['renamed', () => {}, { name: 'Delete' }, { code: 'stale_uid', reason: 'renamed' }],
    ['another record', () => {}, { context: 'Grace' }, { code: 'stale_uid', reason: 'moved_context' }],
    ['covered', page => { page.hit = (/** @type {number} */ _x, /** @type {number} */ y) => ({ backendNodeId: y > 200 ? 8 : 5, frameId: 'F' }); }, {}, { code: 'covered' }],
    ['another site', () => {}, { targetId: 'T' }, { code: 'wrong_kind', reason: 'frame' }],
  ])) {
    const { page, run, refused, to: end } = await startDragging();
    change(page);
    await refused(run({}, {}, { ...end, ...to }), { dispatched: 'no', effect: 'none_seen', ...want });
    assert.deepEqual(page.input, [], name);
  }
});

test('a drag whose end goes away lets go of the button off the page', async () => {
  for (const native of [false, true]) {
    const { page, run, refused, sent, dragged, emit, to } = await startDragging();
    page.calls.isOver = () => 'gone';
    page.on['Input.dispatchMouseEvent'] = ({ type, buttons }) => {
      if (!native || type !== 'mouseMoved' || buttons !== 1) return;
      dragged.native = true;
      emit('Input.dragIntercepted', { data: { items: [], dragOperationsMask: 1 } });
    };
    await refused(run({}, {}, to), { code: 'stale_uid', reason: 'gone', dispatched: 'yes' });
    const { type, x, y } = sent('Input.dispatchMouseEvent').at(-1);
    assert.deepEqual([type, x, y], ['mouseReleased', -5, -5]);
    assert.deepEqual(sent('Input.dispatchDragEvent').slice(-1).map(event => event.type), native ? ['dragCancel'] : []);
    assert.deepEqual(sent('Input.dispatchKeyEvent').map(({ key }) => key), native ? [] : ['Escape', 'Escape']);
    assert.deepEqual(sent('Input.setInterceptDrags').map(({ enabled }) => enabled), [true, false]);
  }
});

test('a press that is held back in part is let go of, and no way is gone', async () => {
  const { page, run, refused, sent, to } = await startDragging();
  page.sights = [{}, { held: 'covered' }];
  await refused(run({}, {}, to), { code: 'covered', dispatched: 'yes', effect: 'unknown' });
  assert.deepEqual(sent('Input.dispatchMouseEvent').map(({ type, x }) => [type, x]), [['mouseMoved', 50], ['mousePressed', 50], ['mousePressed', -5], ['mouseReleased', -5]]);
});

test('a dialog on the way is told at once; the button is let go of when it is closed', async () => {
  const { fake, page, run, sent, emit, to } = await startDragging();
  page.on['Input.dispatchMouseEvent'] = ({ type, buttons }) => {
    if (type === 'mouseMoved' && buttons === 1) emit('Page.javascriptDialogOpening', { type: 'alert', message: 'midway' });
  };
  const { dialog, hint } = await run({}, {}, to);
  assert.deepEqual([dialog, /cut/.test(hint ?? '')], ['midway', true]);
  assert.ok(!page.input.includes('mouseReleased'));
  emit('Page.javascriptDialogClosed', {});
  await eventually(() => page.input.includes('mouseReleased') && sent('Input.setInterceptDrags').length === 2, 'it is let go of');
  assert.equal(sent('Input.setInterceptDrags').at(-1).enabled, false);
  assert.ok(fake.attached.has(7));
});

// --- scroll: a box of 100 px with 1000 in it

async function startScrolling() {
  const acting = await startMoving();
  const { page } = acting;
  const box = { top: 0, wheels: true, height: 1000, lines: /** @type {(top: number) => string[]} */ (top => [`row ${top}`]), standing: () => ({
    top: box.top, view: 100, height: box.height, busy: false, hit: { tag: 'div', rect: [0, 0, 100, 100] }, url: 'https://example.test/', title: 'List',
  }) };
  const by = (/** @type {number} */ px) => { box.top = Math.max(0, Math.min(box.height - 100, box.top + px)); };
  Object.assign(page.calls, {
    scrollerOf: () => 'scroller', scrollerElement: () => 'element', cornerOf: () => [0, 0], showScroller: () => undefined, endMove: () => undefined,
    standing: box.standing, stillFrom: box.standing, wheelPoint: () => [50, 50], linesInView: () => box.lines(box.top), scrollDown: by, findIn: () => '',
    sweepOn: (/** @type {number} */ down, /** @type {string} */ text) => {
      do by(down); while (page.calls.findIn(text) === '' && box.top < box.height - 100);
      return { at: box.standing(), lines: box.lines(box.top) };
    },
  });
  page.on['Input.dispatchMouseEvent'] = ({ deltaY }) => { if (box.wheels) by(deltaY); };
  page.on['Runtime.evaluate'] = ({ expression }) => ({ result: expression === 'document.documentElement' ? { objectId: 'root' } : {} });
  const { run } = acting;
  return { ...acting, box, run: (/** @type {Partial<Act>} */ act, /** @type {Partial<Target> | null} */ target = {}) => run({ kind: 'scroll', ...act }, target) };
}

test('pages are turned by the wheel, view by view, and end where it does', async () => {
  const { run, sent } = await startScrolling();
  const result = await run({ pages: 2.5 });
  assert.deepEqual([result.method, result.effect, result.changes], ['wheel', 'seen', ['scroll']]);
  assert.deepEqual(result.scroll, { moved: 250, top: 250, view: 100, height: 1000, end: false, lines: ['row 100', 'row 200', 'row 250'] });
  assert.deepEqual(sent('Input.dispatchMouseEvent').map(({ type, deltaY }) => [type, deltaY]), [['mouseWheel', 100], ['mouseWheel', 100], ['mouseWheel', 50]]);
  const { scroll } = await run({ id: '2', pages: 100 }, null);
  assert.deepEqual([scroll?.moved, scroll?.end, scroll?.lines?.length], [650, true, 7]);
  const up = await run({ id: '3', pages: -100 });
  assert.deepEqual([up.scroll?.moved, up.scroll?.end], [-900, true]);
});

test('where the wheel does not turn, it is scrolled', async () => {
  const { box, page, run, sent } = await startScrolling();
  box.wheels = false;
  assert.deepEqual(await run({ pages: 2 }).then(({ method, scroll }) => [method, scroll?.moved]), ['scrollBy', 200]);
  assert.equal(sent('Input.dispatchMouseEvent').length, 1, 'it is tried once');
  page.calls.wheelPoint = () => undefined;
  assert.equal((await run({ id: '2', pages: 1 })).method, 'scrollBy');
  assert.equal(sent('Input.dispatchMouseEvent').length, 1);
});

test('at the end nothing is sent', async () => {
  const { box, page, run } = await startScrolling();
  box.top = 900;
  const { dispatched, effect, hint, scroll } = await run({ pages: 1 });
  assert.deepEqual([dispatched, effect, hint, scroll?.moved], ['no', 'none_seen', 'it was at its end already', 0]);
  box.height = 100;
  box.top = 0;
  assert.match((await run({ id: '2', pages: 1 }, null)).hint ?? '', /nothing scrolls here/);
  assert.deepEqual(page.input, []);
});

test('until: page by page, with what is loaded at the end, and no further than the text', async () => {
  const { box, page, run } = await startScrolling();
  let looks = 0;
  page.calls.findIn = text => {
    assert.equal(text, 'Row 1200');
    if (box.top === 900 && ++looks === 3) box.height = 1500; // more was loaded
    return box.top >= 1150 ? 'there' : '';
  };
  const { scroll, effect } = await run({ until: 'Row 1200' });
  assert.deepEqual([scroll?.found, scroll?.top, effect], [true, 1170, 'seen']);
  const again = await run({ id: '2', until: 'Row 1200' });
  assert.deepEqual([again.unchanged, again.dispatched, again.scroll?.found, again.scroll?.moved], [true, 'no', true, 0]);
});

test('until: a long way is swept, once the wheel has turned some of it', async () => {
  const { box, page, run } = await startScrolling();
  box.height = 100_000;
  page.calls.findIn = () => (box.top >= 70_000 ? 'there' : '');
  const { scroll, method } = await run({ until: 'Row 70000' });
  assert.deepEqual([scroll?.found, scroll?.top, method], [true, 70_020, 'scrollBy']);
  assert.equal(page.input.length, 10);
});

test('until what never comes stops at the end', async () => {
  const { run } = await startScrolling();
  const { scroll, hint } = await run({ until: 'nothing' });
  assert.deepEqual([scroll?.found, scroll?.end], [undefined, true]);
  assert.match(hint ?? '', /did not come/);
});

test('lines that came into view hold no secret, and are few and short', async () => {
  const { box, page, run } = await startScrolling();
  box.lines = top => Array.from({ length: 15 }, (_, n) => `${top} ${n} tok-canary ${'x'.repeat(300)}`);
  page.calls.fields = () => [{ tag: 'input', type: 'text', autocomplete: '', id: 'token', name: '', label: 'Token', value: 'tok-canary' }];
  const lines = (await run({ pages: 2 })).scroll?.lines ?? [];
  assert.equal(lines.length, 20);
  assert.ok(lines.every(line => line.length === 200 && line.includes('‹hidden›') && !line.includes('canary')), lines[0]);
});

test('a scroll needs a way to go, a node that is what it was, and no more than that', async () => {
  const { page, run, refused } = await startScrolling();
  await refused(run({}, null), { code: 'bad_request', field: 'pages' });
  await refused(run({ pages: 1 }, { name: 'Delete' }), { code: 'stale_uid', reason: 'renamed', dispatched: 'no' });
  assert.deepEqual(page.input, []);
  page.probe.disabled = 'disabled';
  assert.equal((await run({ pages: 1 })).effect, 'seen', 'what is disabled can be scrolled');
});

test('into view: says whether it had to move', async () => {
  const { page, run } = await startScrolling();
  page.calls.intoView = () => true;
  assert.deepEqual(await run({}).then(({ method, effect, unchanged }) => [method, effect, unchanged]), ['scrollIntoView', 'seen', undefined]);
  page.calls.intoView = () => false;
  assert.deepEqual(await run({ id: '2' }).then(({ effect, unchanged }) => [effect, unchanged]), ['none_seen', true]);
});

// --- upload

async function startUploading() {
  const acting = await startMoving();
  const { page } = acting;
  const field = { is: true, multiple: false, directory: false, disabled: false, names: /** @type {string[]} */ ([]), unfit: [] };
  Object.assign(page.calls, {
    fileFieldOf: () => (field.is ? 'field' : undefined), fileField: () => field, filesOf: () => field,
  });
  page.on['DOM.setFileInputFiles'] = ({ files }) => { field.names = files.map((/** @type {string} */ file) => file.split('/').at(-1)); };
  Object.assign(page.probe, { tag: 'input', type: 'file' });
  const { run } = acting;
  return { ...acting, field, run: (/** @type {Partial<Act>} */ act, /** @type {Partial<Target>} */ target = {}) => run({ kind: 'upload', files: ['/x/a.txt'], ...act }, target) };
}

test('files are set on the field itself, whether it is seen or not', async () => {
  const { page, field, run, sent } = await startUploading();
  page.probe.visible = false;
  field.multiple = true;
  const result = await run({ files: ['/x/a.txt', '/y/b.txt'] });
  assert.deepEqual([result.method, result.effect, result.value_now, result.changes], ['setFiles', 'seen', 'a.txt, b.txt', ['value']]);
  assert.deepEqual(sent('DOM.setFileInputFiles'), [{ files: ['/x/a.txt', '/y/b.txt'], objectId: 'field' }]);
  assert.deepEqual(page.input, []);
});

test('no file is set where it has no place', async () => {
  for (const [change, act, target, want] of /** @type {[object, Partial<Act>, Partial<Target>, object][]} */ ([
    [{}, { files: ['/x/a', '/x/b'] }, {}, { code: 'bad_request', field: 'files' }],
    [{ directory: true }, {}, {}, { code: 'wrong_kind' }],
    [{ disabled: true }, {}, {}, { code: 'disabled' }],
    [{ is: false }, {}, {}, { code: 'wrong_kind' }],
    [{}, {}, { name: 'Delete' }, { code: 'stale_uid', reason: 'renamed' }],
  ])) {
    const { page, field, run, refused, sent } = await startUploading();
    Object.assign(field, change);
    if (!field.is) page.probe.type = 'text';
    await refused(run(act, target), { dispatched: 'no', effect: 'none_seen', ...want });
    assert.deepEqual([sent('DOM.setFileInputFiles'), page.input], [[], []]);
  }
});

test('a browser that lets no files be read says what to switch on', async () => {
  const { page, run, refused } = await startUploading();
  page.on['DOM.setFileInputFiles'] = () => { throw cdpError('Not allowed'); };
  await refused(run({}), { code: 'not_approved', dispatched: 'no', hint: 'switch on "Allow access to file URLs" for Handrail in chrome://extensions' });
});

test('a page that empties the field again is told of', async () => {
  const { page, run } = await startUploading();
  page.on['DOM.setFileInputFiles'] = () => {};
  assert.deepEqual(await run({}).then(({ value_now, reverted, hint }) => [value_now, reverted, /emptied/.test(hint ?? '')]), ['', true, true]);
});

test('a button is clicked, and the chooser that it opens is answered', async () => {
  const { page, field, run, refused, sent, emit } = await startUploading();
  field.is = false;
  Object.assign(page.probe, { tag: 'button', type: '' });
  const opens = { frameId: 'F', mode: 'selectSingle', backendNodeId: 12 };
  page.on['Input.dispatchMouseEvent'] = ({ type }) => { if (type === 'mouseReleased') emit('Page.fileChooserOpened', opens); };
  const result = await run({});
  assert.deepEqual([result.method, result.effect, result.value_now], ['chooser', 'seen', 'a.txt']);
  assert.equal(sent('DOM.setFileInputFiles')[0].objectId, 'node 12');
  assert.deepEqual(sent('Page.setInterceptFileChooserDialog').map(({ enabled }) => enabled), [true, false]);
  await refused(run({ id: '2', files: ['/x/a', '/x/b'] }), { code: 'bad_request', field: 'files', dispatched: 'yes' });
  opens.backendNodeId = 0;
  await refused(run({ id: '3' }), { code: 'wrong_kind', dispatched: 'yes' });
  assert.equal(sent('DOM.setFileInputFiles').length, 1);
  assert.equal(sent('Page.setInterceptFileChooserDialog').at(-1).enabled, false);
});
