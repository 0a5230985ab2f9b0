import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';

const fake = fakeChrome();
const { allowURL, restricted, tabs } = await import('../src/tabs.js');

for (const { url, dedicated = false, ok } of [
  { url: 'https://example.test/a?b#c', ok: true },
  { url: 'http://127.0.0.1:8080/', ok: true },
  { url: 'about:blank', ok: true },
  { url: 'data:text/html,<title>x</title>', ok: true },
  { url: 'DATA:text/html;charset=utf-8,x', ok: true },
  { url: `data:text/html,${'x'.repeat(1 << 20)}`, ok: false },
  { url: 'data:application/javascript,x', ok: false },
  { url: 'javascript:alert(1)', ok: false },
  { url: ' javascript:alert(1)', ok: false },
  { url: 'chrome://settings', ok: false },
  { url: 'chrome-extension://abc/x.html', ok: false },
  { url: 'view-source:https://example.test/', ok: false },
  { url: 'blob:https://example.test/1', ok: false },
  { url: 'about:settings', ok: false },
  { url: 'file:///etc/passwd', ok: false },
  { url: 'file:///tmp/x.html', dedicated: true, ok: true },
  { url: 'example.test', ok: false },
  { url: '', ok: false },
]) {
  test(`${ok ? 'allowed' : 'refused'}: ${JSON.stringify(url.slice(0, 40))}${dedicated ? ' (dedicated)' : ''}`, () => {
    if (ok) assert.equal(allowURL(url, dedicated), url);
    else assert.throws(() => allowURL(url, dedicated), { code: 'bad_url' });
  });
}

for (const [url, want] of /** @type {[string, boolean][]} */ ([
  ['https://example.test/', false], ['about:blank', false], ['', false], ['file:///tmp/x', false], ['data:text/html,x', false],
  ['chrome://newtab/', true], ['chrome-extension://abc/x.html', true], ['devtools://devtools/x', true], ['view-source:https://example.test/', true],
  ['https://chromewebstore.google.com/detail/x', true], ['https://chrome.google.com/webstore/detail/x', true], ['https://chrome.google.com/webstores', false],
])) {
  test(`restricted ${url || 'empty'}: ${want}`, () => assert.equal(restricted(url), want));
}

test('a tab opened in a user’s browser stays behind, in a group', async () => {
  const { tab = 0, tabs: all } = await tabs({ action: 'open', url: 'https://example.test/new' }, false);
  assert.deepEqual([fake.tabs.get(tab).active, fake.tabs.get(tab).groupId], [false, 5]);
  assert.deepEqual(all.find(one => one.tab === tab), { tab, window: 1, active: false, focused: false, url: 'https://example.test/new', title: '' });
});

test('a tab opened in the dedicated browser comes to front', async () => {
  const { tab = 0 } = await tabs({ action: 'open' }, true);
  assert.deepEqual([fake.tabs.get(tab).active, fake.tabs.get(tab).groupId, fake.tabs.get(tab).url], [true, undefined, 'about:blank']);
});

test('select and close', async () => {
  fake.tabs.set(20, { id: 20, windowId: 1, active: false, url: 'chrome://newtab/', title: 'New' });
  assert.equal((await tabs({ action: 'select', tab: 20 }, false)).tab, 20);
  assert.deepEqual((await tabs({}, false)).tabs.find(one => one.tab === 20), { tab: 20, window: 1, active: true, focused: true, url: 'chrome://newtab/', title: 'New', restricted: true });
  assert.ok(!(await tabs({ action: 'close', tab: 20 }, false)).tabs.some(one => one.tab === 20));
  for (const action of /** @type {const} */ (['close', 'select'])) await assert.rejects(tabs({ action, tab: 20 }, false), { code: 'unknown_tab' });
});
