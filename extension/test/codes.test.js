// Each code that the extension is the one to give, given by it in a case of its
// own. host/exchange/codes_test.go does the same for the others; testdata/codes.json
// says who gives which, and both tests hold it to the table of all codes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { button, cdpError, fakePage, row } from './fake-page.js';
import { nextLife, start } from './lives.js';

/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */
/** @typedef {Partial<import('../src/wire.js').Act>} Act */

/** A browser with one page, asked as the host asks. */
async function startWorld() {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const life = nextLife();
  const { answer } = await start('src/methods.js');
  const session = await start('src/session.js', life);
  fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
  fake.events.onDetach.addListener((source, reason) => session.handleDetach(source.tabId, reason));
  let acts = 0;
  const request = { epoch: 3, live: () => true, dedicated: true, signal: new AbortController().signal };
  const ask = (/** @type {string} */ method, /** @type {object} */ params, more = {}) => answer(method, params, { ...request, ...more });
  return {
    fake, page, ask, session,
    emit: (/** @type {string} */ method, /** @type {object} */ params) => fake.emit(7, '', method, params),
    /** @param {Act} [act] @param {object} [params] @param {object} [more] of the request */
    act: (act = {}, params = {}, more = {}) => ask('perform', {
      epoch: 3, expires: Date.now() + 10_000, grant: { by: 'dedicated', permits: [] }, tab: 7, act: { id: `act ${++acts}`, kind: 'click', ...act },
      ...(['eval', 'navigate', 'forward'].includes(act.kind ?? '') ? {} : { target: button }), ...params,
    }, more),
    /** @param {string} method what happens once this is asked of the page, which does not answer it @param {() => void} happen */
    during(method, happen) {
      page.on[method] = () => {
        queueMicrotask(happen);
        return new Promise(() => {});
      };
    },
  };
}

const capture = { capture: 'c', tab: 7, ordinals: {}, next: 1, limits: { frames: 1, frameMs: 50, totalMs: 100, stallMs: 50 } };
const aborted = new AbortController();
aborted.abort();

/** @type {Partial<Record<import('../src/wire.js').Code, (world: World) => Promise<unknown>>>} */
const cases = {
  unknown_method: ({ ask }) => ask('kick', {}),
  timeout: ({ page, act }) => {
    page.on['Runtime.evaluate'] = ({ expression }, next) => (expression === 'it' ? new Promise(() => {}) : next());
    return act({ kind: 'eval', expression: 'it', timeoutMs: 1 });
  },
  canceled: ({ act }) => act({}, {}, { signal: aborted.signal }),
  internal: ({ fake, act }) => {
    fake.session.set = async () => { throw new Error('QUOTA_BYTES quota exceeded'); };
    return act();
  },
  detached: ({ fake, during, act }) => {
    during('Accessibility.getPartialAXTree', () => fake.events.onDetach.emit({ tabId: 7 }, 'something_new'));
    return act();
  },
  unknown_tab: ({ act }) => act({}, { tab: 9 }),
  restricted_page: ({ fake, act }) => {
    fake.tabs.get(7).url = 'chrome://settings/';
    return act();
  },
  debugger_taken: ({ fake, during, act }) => {
    during('Accessibility.getPartialAXTree', () => fake.events.onDetach.emit({ tabId: 7 }, 'replaced_with_devtools'));
    return act();
  },
  canceled_by_user: ({ fake, during, act }) => {
    during('Accessibility.getPartialAXTree', () => fake.events.onDetach.emit({ tabId: 7 }, 'canceled_by_user'));
    return act();
  },
  page_crashed: ({ emit, during, act }) => {
    during('Accessibility.getPartialAXTree', () => emit('Inspector.targetCrashed', {}));
    return act();
  },
  capture_failed: ({ page, ask }) => {
    page.on['Accessibility.getFullAXTree'] = () => { throw cdpError('no tree today'); };
    return ask('capture', capture);
  },
  bad_url: ({ act }) => act({ kind: 'navigate', url: 'javascript:1' }),
  navigation_failed: ({ page, act }) => {
    page.on['Page.getNavigationHistory'] = () => ({ currentIndex: 0, entries: [{ id: 1, url: 'https://example.test/' }] });
    return act({ kind: 'forward' });
  },
  stale_uid: ({ page, act }) => {
    page.nodes = row('Review', 'Grace');
    return act();
  },
  covered: ({ page, act }) => {
    page.hit = () => ({ backendNodeId: 2, frameId: 'F' });
    return act();
  },
  disabled: ({ page, act }) => {
    page.probe.disabled = 'fieldset';
    return act();
  },
  not_visible: ({ page, act }) => {
    page.quads = [];
    return act();
  },
  not_editable: ({ page, act }) => {
    page.probe.editable = 'readonly';
    return act({ kind: 'type', text: 'x' });
  },
  wrong_kind: ({ act }) => act({ kind: 'type', text: 'x' }),
  dialog_open: ({ emit, during, act }) => {
    during('Accessibility.getPartialAXTree', () => emit('Page.javascriptDialogOpening', { type: 'alert', message: 'Hey' }));
    return act();
  },
  not_delivered: ({ page, act }) => {
    page.sights = [{}, { began: false, clicked: false }];
    return act();
  },
  uncertain: async ({ fake, act }) => {
    await fake.session.set({ 'act:x': { id: 'x', state: 'started' } }); // by a worker that died
    return act({ id: 'x' });
  },
  expired: ({ act }) => act({}, { expires: Date.now() - 1 }),
  old_epoch: ({ act }) => act({}, { epoch: 2 }),
  repeated: async ({ page, act }) => {
    page.form = 9;
    page.probe.navigates = true;
    await act();
    return act();
  },
  eval_failed: ({ page, act }) => {
    page.on['Runtime.evaluate'] = ({ expression }, next) => (expression === 'it' ? { result: {}, exceptionDetails: { text: 'Uncaught' } } : next());
    return act({ kind: 'eval', expression: 'it' });
  },
};

const { host, extension } = JSON.parse(readFileSync(new URL('../../testdata/codes.json', import.meta.url), 'utf8'));

test('every code is given by the host or the extension', async () => {
  const { codes } = await import('../src/wire.js');
  assert.deepEqual([...host, ...extension].sort(), Object.keys(codes).sort());
  assert.deepEqual(Object.keys(cases).sort(), extension.toSorted());
});

for (const [code, happen] of Object.entries(cases)) {
  test(`the extension gives ${code}`, async () => {
    const world = await startWorld();
    const { codes } = await import('../src/wire.js');
    /** @type {import('../src/wire.js').Fault} */
    const fault = await happen(world).then(result => assert.fail(`done: ${JSON.stringify(result)}`), thrown => thrown.data());
    assert.equal(fault.code, code, JSON.stringify(fault));
    assert.equal(fault.retry, codes[fault.code].retry);
  });
}
