import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approach } from '../src/act-set.js';
import { meant, pick } from '../src/choice.js';
import { fakeChrome } from './fake-chrome.js';
import { ax, button, fakePage } from './fake-page.js';
import { nextLife, start } from './lives.js';

/** @typedef {import('../src/wire.js').Act} Act */
/** @typedef {import('../src/wire.js').Evidence} Evidence */
/** @typedef {import('../src/wire.js').Target} Target */

/** @param {string} label @param {object} [more] */
const option = (label, more = {}) => ({ label, value: label.toLowerCase(), group: '', disabled: false, selected: false, ...more });

test('an option is meant by its label, its value, either in another case, or a part of its label', () => {
  const options = [option('Land'), option('Landau', { value: 'land' }), option('Island', { value: 'Landau' }), option('ÅLAND', { value: 'x' }), option('', { value: '' })];
  for (const [want, labels] of /** @type {[string, string[]][]} */ ([
    ['Land', ['Land']], [' Land ', ['Land']], ['land', ['Land', 'Landau']], ['Landau', ['Landau']], ['X', ['ÅLAND']], ['åland', ['ÅLAND']],
    ['sla', ['Island']], ['an', ['Land', 'Landau', 'Island', 'ÅLAND']], ['', ['']], ['Atlantis', []],
  ])) assert.deepEqual(meant(options, want).map(({ label }) => label), labels, want);
});

test('an option that is missing, ambiguous or disabled is refused with those there are', () => {
  const many = Array.from({ length: 60 }, (_, n) => option(`Land ${n}`, { disabled: n === 7, group: 'Here' }));
  const refused = (/** @type {string} */ want, /** @type {any[]} */ options = many) => {
    try {
      return assert.fail(`picked ${pick(options, want).label}`);
    } catch (thrown) {
      return /** @type {import('../src/fault.js').Fault} */ (thrown);
    }
  };
  assert.equal(pick(many, 'Land 5').label, 'Land 5');
  const missing = refused('Atlantis');
  assert.deepEqual([missing.code, missing.more.field], ['bad_request', 'values']);
  assert.match(missing.message, /"Land 0", .*"Land 49" and 10 more$/);
  assert.doesNotMatch(missing.message, /Atlantis|Land 50/);
  assert.match(refused('and 1').message, /^several options fit: "Land 1" \(value "land 1" in "Here"\), "Land 10"/);
  assert.equal(refused('Land 7').code, 'disabled');
  assert.match(refused('x', []).message, /no options/);
});

test('a slider is moved by few keys, whatever its steps', async () => {
  for (const [name, { from, want, step, page, min = 0, max = 100 }, ends, most] of /** @type {[string, {from: number, want: number, step: number, page: number, min?: number, max?: number}, number, number][]} */ ([
    ['near', { from: 50, want: 53, step: 1, page: 10 }, 53, 3],
    ['from the end', { from: 10, want: 98, step: 1, page: 10 }, 98, 3],
    ['from the start', { from: 90, want: 3, step: 1, page: 10 }, 3, 4],
    ['by pages', { from: 0, want: 470, step: 1, page: 50, max: 1000 }, 470, 29],
    ['without page keys', { from: 40, want: 45, step: 1, page: 0 }, 45, 6],
    ['between two steps', { from: 50, want: 75, step: 10, page: 10 }, 70, 8],
    ['one that does not move', { from: 50, want: 75, step: 0, page: 0, max: 50 }, 50, 5],
  ])) {
    let [now, keys] = [from, 0];
    const got = await approach(from, want, { now: from, min, max }, async key => {
      keys++;
      const by = { ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step, PageUp: page, PageDown: -page }[key];
      now = by === undefined ? (step === 0 ? now : key === 'Home' ? min : max) : Math.max(min, Math.min(max, now + by));
      return now;
    });
    assert.deepEqual([got, keys <= most], [ends, true], `${name}: ${got} after ${keys} keys`);
  }
});

/** A page with one node, and ways to act on it. @param {string} role @param {object} [probe] */
async function startActing(role, probe = {}) {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const life = nextLife();
  const { perform } = await start('src/act.js');
  const session = await start('src/session.js', life);
  fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
  page.nodes = [ax('1', 'RootWebArea', 'Page', ['5']), ax('5', role, 'It', [], { parentId: '1' })];
  Object.assign(page.probe, probe);
  const stored = async () => Object.values(await fake.session.get()).map(row => row?.state).filter(Boolean);
  let acts = 0;
  /** @param {Partial<Act>} act @param {Partial<Target>} [target] @returns {Promise<Evidence>} */
  const run = (act, target = {}) => perform({
    epoch: 3, expires: Date.now() + 10_000, grant: { by: 'dedicated', permits: [] }, tab: 7, act: { id: `act ${++acts}`, ...act }, target: { ...button, role, name: 'It', context: '', ...target },
  }, { epoch: 3, live: () => true, dedicated: true, signal: new AbortController().signal });
  /** @param {Partial<Act>} act @param {object} want @param {Partial<Target>} [target] */
  const refused = async (act, want, target) => {
    const fault = await run(act, target).then(result => assert.fail(`done: ${JSON.stringify(result)}`), thrown => thrown.data());
    assert.deepEqual(Object.fromEntries(Object.keys(want).map(key => [key, fault[key]])), want, JSON.stringify(fault));
    return fault;
  };
  return { fake, page, run, refused, stored };
}

/** The members of a result that a test is about. @param {Evidence} done @param {string[]} names */
const part = (done, ...names) => names.map(name => /** @type {any} */ (done)[name]);

/** A page with a select, of which the first option is selected. @param {boolean} [multiple] */
async function startSelecting(multiple = false) {
  const acting = await startActing('combobox', { tag: 'select' });
  const options = ['One', 'Two', 'Three'].map((label, index) => ({ ...option(label), index, selected: index === 0 }));
  /** @type {{indices: number[], labels: string[], states: string[]}[]} */
  const sets = [];
  acting.page.calls.optionsOf = () => ({ multiple, options: options.map(one => ({ ...one })) });
  acting.page.calls.selectOptions = async (_watcher, indices, labels) => {
    sets.push({ indices, labels, states: await acting.stored() });
    for (const one of options) one.selected = indices.includes(one.index);
  };
  acting.page.on['Runtime.callFunctionOn'] = async (_params, next) => {
    const answer = await next();
    return { result: { ...answer.result, ...('value' in answer.result ? { value: await answer.result.value } : {}) } };
  };
  return { ...acting, options, sets };
}

test('a select gets exactly the options named, once the act is stored', async () => {
  const { page, run, sets } = await startSelecting(true);
  const done = await run({ kind: 'select', values: ['three', 'Two', 'two'] });
  assert.deepEqual(sets, [{ indices: [2, 1], labels: ['Three', 'Two'], states: ['started'] }]);
  assert.deepEqual(part(done, 'method', 'dispatched', 'effect', 'chosen', 'changes', 'reverted'), ['select', 'yes', 'seen', ['Two', 'Three'], ['value'], undefined]);
  assert.deepEqual(page.input, [], 'its list is the browser\'s own');
  assert.deepEqual(part(await run({ kind: 'select', values: ['Two', 'Three'] }), 'dispatched', 'effect', 'unchanged', 'chosen'), ['no', 'none_seen', true, ['Two', 'Three']]);
  assert.equal(sets.length, 1);
});

test('a select that the page sets back, and one whose choice is a secret', async () => {
  const back = await startSelecting();
  back.page.calls.selectOptions = () => undefined;
  assert.deepEqual(part(await back.run({ kind: 'select', values: ['Two'] }), 'chosen', 'reverted', 'effect'), [['One'], true, 'none_seen']);
  const secret = await startSelecting();
  assert.deepEqual(part(await secret.run({ kind: 'select', values: ['Two'] }, { secret: true }), 'chosen', 'reverted'), [['‹hidden›'], undefined]);
});

test('what a select does not take is refused before anything is sent', async () => {
  for (const [name, values, change, want] of /** @type {[string, string[], (acting: Awaited<ReturnType<typeof startSelecting>>) => void, object][]} */ ([
    ['missing', ['Four'], () => {}, { code: 'bad_request', field: 'values' }],
    ['two of one', ['One', 'Two'], () => {}, { code: 'bad_request', field: 'values' }],
    ['disabled option', ['Two'], ({ options }) => { options[1].disabled = true; }, { code: 'disabled' }],
    ['disabled', ['Two'], ({ page }) => { page.probe.disabled = 'disabled'; }, { code: 'disabled' }],
    ['covered', ['Two'], ({ page }) => { page.hit = () => ({ backendNodeId: 9, frameId: 'F' }); }, { code: 'covered' }],
    ['no select', ['Two'], ({ page }) => { page.probe.tag = 'div'; page.calls.offers = () => ''; }, { code: 'wrong_kind' }],
    ['renamed', ['Two'], ({ page }) => { page.nodes[1].name.value = 'Other'; }, { code: 'stale_uid', reason: 'renamed' }],
  ])) {
    const acting = await startSelecting();
    change(acting);
    await acting.refused({ kind: 'select', values }, { dispatched: 'no', effect: 'none_seen', ...want }).catch(error => { throw new Error(name, { cause: error }); });
    assert.deepEqual([acting.sets, await acting.stored()], [[], []], name);
  }
});

test('a select that changes as it is about to be set, or got the focus', async () => {
  const { page, refused } = await startSelecting();
  for (const [withheld, dispatched] of /** @type {[object, string][]} */ ([[{ held: 'moved_context', began: false }, 'no'], [{ held: 'renamed', began: true }, 'yes']])) {
    page.calls.selectOptions = () => withheld;
    await refused({ kind: 'select', values: ['Two'] }, { code: 'stale_uid', dispatched });
  }
});

test('a click on an option of a closed select selects it there', async () => {
  const { page, run, refused, sets } = await startSelecting();
  page.nodes[1].role.value = 'option';
  Object.assign(page.probe, { tag: 'option', listed: true, visible: false });
  page.calls.placeOf = () => 1;
  assert.deepEqual(part(await run({ kind: 'click' }, { role: 'option' }), 'method', 'chosen'), ['select', ['Two']]);
  assert.deepEqual(sets.map(({ indices }) => indices), [[1]]);
  page.probe.disabled = 'disabled';
  await refused({ kind: 'click' }, { code: 'disabled', dispatched: 'no' }, { role: 'option' });
  Object.assign(page.probe, { tag: 'li', listed: false, visible: true, disabled: '' });
  assert.deepEqual(part(await run({ kind: 'click' }, { role: 'option' }), 'method', 'chosen'), ['mouse', undefined]);
});

/** A page with a toggle that goes through states with each click. @param {string[]} states @param {boolean} [radio] */
async function startChecking(states, radio = false) {
  const acting = await startActing('checkbox', { tag: 'input', type: 'checkbox' });
  let clicks = 0;
  acting.page.on['Input.dispatchMouseEvent'] = ({ type }, next) => {
    if (type === 'mouseReleased') clicks++;
    return next();
  };
  acting.page.calls.checkedState = () => ({ state: states[Math.min(clicks, states.length - 1)], radio });
  return { ...acting, clicks: () => clicks };
}

test('check clicks until the state is the one asked for, and not when it is', async () => {
  for (const [states, on, clicks, value, more] of /** @type {[string[], boolean, number, string, object][]} */ ([
    [['unchecked', 'checked'], true, 1, 'checked', {}],
    [['checked', 'unchecked'], false, 1, 'unchecked', {}],
    [['checked'], true, 0, 'checked', { unchanged: true, dispatched: 'no', effect: 'none_seen' }],
    [['mixed', 'checked', 'unchecked'], false, 2, 'unchecked', {}],
    [['mixed', 'unchecked', 'checked'], true, 2, 'checked', {}],
    [['unchecked', 'mixed', 'checked'], true, 2, 'checked', {}],
    [['unchecked'], true, 1, 'unchecked', { reverted: true, effect: 'none_seen' }],
  ])) {
    const { run, clicks: got } = await startChecking(states);
    const want = { dispatched: 'yes', effect: 'seen', value_now: value, ...more };
    const done = await run({ kind: 'check', on });
    assert.deepEqual([got(), Object.fromEntries(Object.keys(want).map(key => [key, /** @type {any} */ (done)[key]]))], [clicks, want], states.join());
  }
});

test('what is neither on nor off, or cannot be put off, is not clicked', async () => {
  for (const [states, radio, on, code] of /** @type {[string[], boolean, boolean, string][]} */ ([[[''], false, true, 'wrong_kind'], [['checked'], true, false, 'wrong_kind']])) {
    const { refused, stored, page } = await startChecking(states, radio);
    await refused({ kind: 'check', on }, { code, dispatched: 'no' });
    assert.deepEqual([page.input, await stored()], [[], []]);
  }
});

test('a value is set when the field takes it, and read back', async () => {
  const start = async (/** @type {object} */ field) => {
    const acting = await startActing('date', { tag: 'input', type: 'date' });
    const { calls } = acting.page;
    calls.valueField = () => ({ type: 'date', value: '2026-01-01', min: '2026-01-01', max: '', step: '', readOnly: false, ...field });
    calls.fitting = value => ({ value, ok: value !== 'never' });
    let set = '';
    calls.setField = (_watcher, value) => { set = value; };
    calls.textOf = () => set;
    return { ...acting, set: () => set };
  };
  const ok = await start({});
  assert.deepEqual(part(await ok.run({ kind: 'set_value', values: ['2026-02-03'] }), 'method', 'value_now', 'changes', 'reverted'), ['value', '2026-02-03', ['value'], undefined]);
  assert.deepEqual(part(await ok.run({ kind: 'set_value', values: ['2026-01-01'] }), 'unchanged', 'dispatched', 'value_now'), [true, 'no', '2026-01-01']);

  const back = await start({});
  back.page.calls.textOf = () => '2026-01-01';
  assert.deepEqual(part(await back.run({ kind: 'set_value', values: ['2026-02-03'] }), 'value_now', 'reverted', 'effect'), ['2026-01-01', true, 'none_seen']);

  const code = await start({ type: 'number', value: '' });
  code.page.sights = [{ url: 'https://example.test/?n=719205' }];
  const done = await code.run({ kind: 'set_value', values: ['719205'] }, { secret: true });
  assert.equal(done.value_now, '‹hidden›');
  assert.doesNotMatch(JSON.stringify([done, await code.fake.session.get()]), /719205/);

  for (const [field, value, want] of /** @type {[object, string, object][]} */ ([
    [{}, 'never', { code: 'bad_request', field: 'values', message: 'the field takes a date as YYYY-MM-DD from 2026-01-01 in steps of 1 days' }],
    [{ type: 'range', min: '', step: 'any' }, 'never', { code: 'bad_request', message: 'the field takes a number from 0 up to 100' }],
    [{ readOnly: true }, '2026-02-03', { code: 'not_editable' }],
    [{ type: 'text' }, 'x', { code: 'wrong_kind' }],
    [{ type: '' }, 'x', { code: 'wrong_kind' }],
  ])) {
    const { refused, set, stored } = await start(field);
    await refused({ kind: 'set_value', values: [value] }, { dispatched: 'no', effect: 'none_seen', ...want });
    assert.deepEqual([set(), await stored()], ['', []]);
  }
});

test('a slider of the page\'s own is moved with keys, or said not to', async () => {
  const { page, run, refused } = await startActing('slider', { tag: 'span' });
  let now = 3;
  Object.assign(page.calls, { valueField: () => ({ type: '', value: '', min: '', max: '', step: '', readOnly: false }), sliderState: () => ({ now, min: 0, max: 10 }), takeFocus: () => true });
  page.on['Input.dispatchKeyEvent'] = ({ type, key }) => { if (type === 'rawKeyDown') now += { ArrowUp: 2, ArrowDown: -2 }[/** @type {string} */ (key)] ?? 0; return {}; };
  assert.deepEqual(part(await run({ kind: 'set_value', values: ['7'] }), 'method', 'value_now', 'effect'), ['keys', '7', 'seen']);
  assert.equal(page.startedFirst, true);
  await refused({ kind: 'set_value', values: ['6'] }, { code: 'bad_request', field: 'values', dispatched: 'yes' });
  await refused({ kind: 'set_value', values: ['11'] }, { code: 'bad_request', field: 'values', dispatched: 'no', message: 'the slider takes a number from 0 up to 10' });
  await refused({ kind: 'set_value', values: ['much'] }, { code: 'bad_request', dispatched: 'no' });
  page.sights = [{ held: 'covered' }];
  await refused({ kind: 'set_value', values: ['1'] }, { code: 'not_editable', dispatched: 'yes' });
});

/**
 * A combobox that opens a list of three fruits.
 * @param {(label: string) => string[]} shows what it shows, look by look, once an option was clicked; the last one stays
 */
async function startList(shows) {
  const acting = await startActing('combobox', { tag: 'button' });
  const { page } = acting;
  /** The node that a click goes to: the combobox or an option. */
  let aim = 5;
  let [open, text] = [false, 'Choose'];
  /** @type {string[]} */
  let then = [];
  const labels = ['Apple', 'Banana', 'Cherry'];
  /** @type {string[]} */
  const clicked = [];
  page.nodes.push(...labels.map((label, n) => ax(String(10 + n), 'option', label, [], { parentId: '1' })));
  Object.assign(page.calls, {
    offers: () => 'popup',
    lookAtList: () => {
      text = then.shift() ?? text;
      return { open, several: 0, busy: false, multiple: false, text, around: text, top: 0, view: 0, end: 0, options: open ? labels.map(label => ({ ...option(label), place: '' })) : [] };
    },
    optionState: () => ({ there: true, selected: false }),
  });
  page.on['DOM.describeNode'] = ({ objectId }, next) => (objectId.startsWith('option ') ? { node: { backendNodeId: aim = Number(objectId.slice(7)) } } : next());
  page.on['Runtime.callFunctionOn'] = ({ functionDeclaration, arguments: args }, next) =>
    (functionDeclaration.startsWith('function optionAt') ? { result: { objectId: `option ${10 + args[0].value}` } } : next());
  page.hit = () => ({ backendNodeId: aim, frameId: 'F' });
  page.on['Input.dispatchMouseEvent'] = ({ type }, next) => {
    if (type === 'mousePressed' && aim === 5) open = true;
    if (type === 'mouseReleased' && aim !== 5) {
      clicked.push(labels[aim - 10]);
      then = shows(labels[aim - 10]);
      open = false;
    }
    return next();
  };
  page.on['Input.dispatchKeyEvent'] = ({ key }, next) => {
    if (key === 'Escape') open = false;
    return next();
  };
  return { ...acting, clicked, open: () => open };
}

test('an option of a combobox is clicked, and chosen once the combobox shows it', async () => {
  const { page, run, clicked } = await startList(label => ['Choose', label]);
  // The list opens over its button: the release is not the button's.
  page.sights = [{}, {}, { held: 'covered', clicked: false }, {}];
  const done = await run({ kind: 'select', values: ['banana'] });
  assert.deepEqual([clicked, part(done, 'method', 'dispatched', 'effect', 'chosen', 'reverted')], [['Banana'], ['mouse', 'yes', 'seen', ['Banana'], undefined]]);
  assert.equal(page.startedFirst, true);
});

test('an option that the page does not show, takes back or does not have is not said to be chosen', async () => {
  const liar = await startList(() => ['Choose']);
  await liar.refused({ kind: 'select', values: ['Banana'] }, { code: 'uncertain', dispatched: 'yes', effect: 'unknown' });
  assert.deepEqual(liar.clicked, ['Banana']);

  const fickle = await startList(label => [label, 'Choose']);
  assert.deepEqual(part(await fickle.run({ kind: 'select', values: ['Banana'] }), 'chosen', 'reverted'), [[], true]);

  const lacking = await startList(label => [label]);
  const fault = await lacking.refused({ kind: 'select', values: ['Mango'] }, { code: 'bad_request', field: 'values', dispatched: 'yes', effect: 'seen' });
  assert.match(fault.message, /"Apple", "Banana", "Cherry"$/);
  assert.deepEqual([lacking.clicked, lacking.open()], [[], false], 'its list is closed again');
});
