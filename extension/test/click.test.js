import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasConsequence, isTelemetry } from '../src/consequence.js';
import { fakeChrome } from './fake-chrome.js';
import { ax, button, fakePage, row } from './fake-page.js';
import { nextLife, start } from './lives.js';

/** @typedef {import('../src/wire.js').Act} Act */
/** @typedef {import('../src/wire.js').Evidence} Evidence */

/** A browser with one page, and clicks on its button. */
async function startClicking() {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const life = nextLife();
  const { perform } = await start('src/act.js');
  const session = await start('src/session.js', life);
  fake.events.onEvent.addListener((source, method, params) => session.handleEvent(source.tabId, source.sessionId ?? '', method, params));
  let acts = 0;
  /** @param {Partial<Act>} act @param {object} [target] @returns {Promise<Evidence>} */
  const click = (act = {}, target = {}) => perform(
    { epoch: 3, expires: Date.now() + 10_000, grant: { by: 'dedicated', permits: [] }, tab: 7, act: { id: `act ${++acts}`, kind: 'click', ...act }, target: { ...button, ...target } },
    { epoch: 3, live: () => true, dedicated: true, signal: new AbortController().signal });
  const emit = (/** @type {string} */ method, /** @type {object} */ params) => fake.emit(7, '', method, params);
  /** Does something when the button is let go of. @param {() => void} does */
  const onRelease = does => { page.on['Input.dispatchMouseEvent'] = ({ type }) => { if (type === 'mouseReleased') does(); }; };
  const mouse = () => fake.commands.filter(({ method }) => method === 'Input.dispatchMouseEvent').map(({ params }) => params);
  return { fake, page, click, emit, onRelease, mouse };
}

test('button, count and modifiers go with every event of the mouse', async () => {
  const { click, mouse } = await startClicking();
  await click({ button: 'middle', count: 2, modifiers: ['Alt', 'Shift'] });
  assert.deepEqual(mouse().map(({ type, clickCount, button, buttons, modifiers }) => [type, clickCount, button, buttons, modifiers]), [
    ['mouseMoved', undefined, undefined, undefined, 9],
    ['mousePressed', 1, 'middle', 4, 9], ['mouseReleased', 1, 'middle', undefined, 9],
    ['mousePressed', 2, 'middle', 4, 9], ['mouseReleased', 2, 'middle', undefined, 9],
  ]);
});

test('a double click ends when the first click takes the node away', async () => {
  const { page, click } = await startClicking();
  page.sights = [{}, {}, { clicked: false, now: 'gone' }];
  const { more } = await click({ count: 2 }).then(() => assert.fail('done'), fault => fault);
  assert.deepEqual([more.reason, more.dispatched, page.input.filter(type => type === 'mousePressed').length], ['gone', 'yes', 1]);
});

test('a context menu is an effect', async () => {
  const { page, click } = await startClicking();
  page.sights = [{}, {}, { clicked: false, menu: true, changes: ['contextmenu'] }];
  const { effect, changes } = await click({ button: 'right' });
  assert.deepEqual([effect, changes], ['seen', ['contextmenu']]);
});

test('the evidence: states, focus, tab, download, errors, nodes, and a hint when there is none', async () => {
  const { fake, page, click, emit, onRelease } = await startClicking();
  page.probe.navigates = true;
  page.sights = [{}, {}, { changes: ['state', 'focus', 'mutations'], before: ['unchecked'], after: ['checked'], nodes: 3, value: ['1', '2'] }];
  page.on['Accessibility.getPartialAXTree'] = ({ fetchRelatives }, next) => (fetchRelatives ? next() : { nodes: [ax('9', 'textbox', 'City')] });
  onRelease(() => {
    emit('Page.windowOpen', { url: 'https://example.test/new' });
    fake.events.onCreated.emit({ id: 12, url: '', openerTabId: 4 });
    emit('Page.downloadWillBegin', { suggestedFilename: 'a.pdf' });
    emit('Runtime.exceptionThrown', { timestamp: Date.now() });
    emit('Runtime.consoleAPICalled', { type: 'error', timestamp: Date.now() });
    emit('Runtime.consoleAPICalled', { type: 'log', timestamp: Date.now() });
    emit('Runtime.consoleAPICalled', { type: 'error', timestamp: Date.now() - 60_000 }); // told once more
    emit('Log.entryAdded', { entry: { level: 'error', timestamp: Date.now() } });
  });
  const { hit: _, ...seen } = await click();
  assert.deepEqual(seen, {
    dispatched: 'yes', effect: 'seen', settled: false, method: 'mouse', url: 'https://example.test/', title: 'List', navigates: true,
    changes: ['state', 'focus', 'mutations', 'new_tab', 'download', 'value'], before: ['unchecked', 'value "1"'], after: ['checked', 'value "2"'],
    focus: 'textbox "City"', new_tab: 12, download: 'a.pdf', console_errors: 3, changed_nodes: 3,
  });
  page.sights = [{}];
  page.on = {};
  assert.match((await click()).hint ?? '', /^nothing was seen to change/);
});

test('the value of a secret field is in no evidence', async () => {
  const { page, click } = await startClicking();
  page.sights = [{ value: ['4111', '4222'], changes: ['state'] }];
  for (const [probe, target] of /** @type {[object, object][]} */ ([[{ tag: 'input', type: 'text', autocomplete: 'cc-number' }, {}], [{ tag: 'input', type: 'text' }, { secret: true }]])) {
    page.probe = { ...page.probe, autocomplete: '', ...probe };
    assert.doesNotMatch(JSON.stringify(await click({}, target)), /4222/);
  }
  page.probe.autocomplete = '';
  assert.match(JSON.stringify(await click()), /4222/);
});

/** A plain box, and what makes it none. @type {{name: string, change?: (it: Awaited<ReturnType<typeof startClicking>>) => void, act?: Partial<Act>, role?: string, text?: string, want: string}[]} */
const seconds = [
  { name: 'a plain box', want: 'synthetic' },
  { name: 'hints', change: ({ page }) => { page.sights = [{ changes: ['mutations', 'name'], nodes: 40 }]; }, want: 'synthetic' },
  { name: 'a read', change: it => it.onRelease(() => it.emit('Network.requestWillBeSent', { request: { method: 'GET', url: 'https://a.test/x' } })), want: 'synthetic' },
  { name: 'telemetry', change: it => it.onRelease(() => it.emit('Network.requestWillBeSent', { type: 'Ping', request: { method: 'POST', url: 'https://a.test/collect' } })), want: 'synthetic' },
  { name: 'a POST', change: it => it.onRelease(() => it.emit('Network.requestWillBeSent', { request: { method: 'POST', url: 'https://a.test/x' } })), want: 'it sent a POST' },
  { name: 'a beacon', change: it => it.onRelease(() => it.emit('Network.requestWillBeSent', { type: 'Ping', request: { method: 'POST', url: 'https://a.test/x' } })), want: 'it sent a beacon' },
  { name: 'a message', change: it => it.onRelease(() => it.emit('Network.webSocketFrameSent', {})), want: 'it sent a message' },
  { name: 'a navigation', change: it => it.onRelease(() => it.emit('Page.navigatedWithinDocument', {})), want: 'it led to another address' },
  { name: 'progress', change: ({ page }) => { page.sights = [{}, {}, {}, { progress: 'mutation', changes: ['mutations'] }]; }, want: 'mutation' },
  { name: 'another record', change: ({ page }) => { page.sights = [{}, {}, {}, { now: 'moved_context' }]; }, want: 'moved_context' },
  { name: 'a button', role: 'button', want: 'the node is a button' },
  { name: 'no plain box', change: ({ page }) => { page.unfit = 'in a form'; }, want: 'the node is in a form' },
  { name: 'a word', text: 'Jetzt bezahlen', want: 'its name says that it buys, sends, pays or deletes' },
  { name: 'a double click', act: { count: 2 }, want: 'it was no plain click' },
  { name: 'a right click', act: { button: 'right' }, want: 'it was no plain click' },
  { name: 'a modifier', act: { modifiers: ['Shift'] }, want: 'it was no plain click' },
];
for (const { name, change, act = {}, role = 'generic', text = 'Open', want } of seconds) {
  test(`a second click: ${name}`, async () => {
    const it = await startClicking();
    it.page.nodes = row(text);
    it.page.nodes[3].role.value = role;
    change?.(it);
    const { method, effect, hint = '' } = await it.click({ second: true, ...act }, { role, name: text });
    assert.equal(it.page.again, want === 'synthetic' ? 1 : 0);
    assert.equal(method, want === 'synthetic' ? want : 'mouse');
    if (want !== 'synthetic' && effect === 'none_seen') assert.match(hint, new RegExp(`no second click: ${want}$`));
  });
}

test('without second there is none', async () => {
  const { page, click } = await startClicking();
  page.nodes[3].role.value = 'generic';
  assert.equal((await click({}, { role: 'generic' })).method, 'mouse');
  assert.equal(page.again, 0);
});

test('words of consequence', () => {
  for (const text of [
    'Buy', 'buy-now', 'deleteItem', 'Place order', 'Add to cart', 'Pay $5', 'Send', 'Remove', 'Checkout', 'Kaufen', 'Jetzt bestellen', 'Absenden', 'Zahlung', 'Lo\u0308schen', 'Acheter', 'Supprimer', 'Envoyer', 'Comprar', 'Pagar',
    'Enviar', 'Borrar', 'Acquista', 'Elimina', 'Paga ora', 'Kopen', 'Betalen', 'Verwijderen', 'Köp', 'Skicka', 'Slet', 'Kup', 'Zapłać', 'Usuń', 'Satın al', 'Gönder', 'Sil', 'Hapus', 'Купить', 'Оплатить', 'ОТПРАВИТЬ', 'Удалить', 'Видалити',
    '购买', '付款', '削除', '送信', '구매', '삭제', 'شراء', 'حذف', 'שלח', 'मिटा हटाएं', 'ลบ', '🗑️',
  ]) assert.ok(hasConsequence(text), text);
  for (const text of ['Open', 'Details', 'Next page', 'Menu', 'Paint', 'Pair', 'Poster', 'Bookmark', 'Silver', 'Wishlist', 'Öffnen', 'Suivant', 'Página 2', 'Siguiente', '次へ', 'Далее', 'Show more', 'Expand']) assert.ok(!hasConsequence(text), text);
});

test('telemetry', () => {
  for (const url of ['https://www.google-analytics.com/g/collect?v=2', 'https://a.test/telemetry/x', 'https://o1.ingest.sentry.io/api/1/envelope/', 'https://a.test/api/metrics', 'https://stats.g.doubleclick.net/j']) assert.ok(isTelemetry(url), url);
  for (const url of ['https://a.test/orders', 'https://a.test/api/collection', 'https://a.test/messages', 'https://statsbank.test/pay', 'nothing']) assert.ok(!isTelemetry(url), url);
});

test('settling waits for requests, changes and another document', async () => {
  for (const [name, does, settled] of /** @type {[string, (it: Awaited<ReturnType<typeof startClicking>>) => void, boolean][]} */ ([
    ['quiet', () => {}, true],
    ['a request that ends', it => it.onRelease(() => {
      it.emit('Network.requestWillBeSent', { requestId: 'r', loaderId: 'L', type: 'Fetch', request: { method: 'GET', url: 'https://a.test/' } });
      setTimeout(() => it.emit('Network.loadingFinished', { requestId: 'r' }), 60);
    }), true],
    ['a request that does not', it => it.onRelease(() => it.emit('Network.requestWillBeSent', { requestId: 'r', loaderId: 'L', type: 'Fetch', request: { method: 'GET', url: 'https://a.test/' } })), false],
    ['what stays open by design', it => it.onRelease(() => it.emit('Network.requestWillBeSent', { requestId: 'r', loaderId: 'L', type: 'EventSource', request: { method: 'GET', url: 'https://a.test/' } })), true],
    ['what the page before asked for', it => it.onRelease(() => {
      it.emit('Network.requestWillBeSent', { requestId: 'r', loaderId: 'L', type: 'Fetch', request: { method: 'GET', url: 'https://a.test/' } });
      it.emit('Page.frameNavigated', { frame: { id: 'F', loaderId: 'M', url: 'https://example.test/b' } });
    }), true],
    ['no rest', it => { it.page.idle = [0]; }, false],
    ['a dialog', it => it.onRelease(() => setTimeout(() => it.emit('Page.javascriptDialogOpening', { type: 'alert', message: 'Hey' }), 60)), false],
  ])) {
    const it = await startClicking();
    does(it);
    const done = await it.click({ settle: true });
    assert.equal(done.settled, settled, name);
    assert.equal(done.dialog, name === 'a dialog' ? 'Hey' : undefined, name);
    assert.equal(done.new_document, name === 'what the page before asked for' ? true : undefined, name);
    assert.equal(done.hint === undefined, done.effect === 'seen', name);
    if (name !== 'a dialog') assert.equal(it.fake.commands.filter(({ method }) => method === 'Network.disable').length, 1, name);
    assert.equal((await it.click({ settle: false }).catch(() => done)).settled, name === 'a dialog' ? done.settled : false, 'nobody waited');
  }
});
