import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { allowOnPage, inScope, leave, originOfPage, withheld } from '../src/grant.js';

/** @typedef {import('../src/wire.js').Permit} Permit */

/** What is lacking, '' when nothing is. @param {() => unknown} check */
async function lacking(check) {
  try {
    await check();
    return '';
  } catch (thrown) {
    const { code, need } = /** @type {import('../src/fault.js').Fault} */ (thrown).data();
    assert.equal(code, 'not_approved');
    return need ? `${need.kind} ${need.origin}` : 'a grant';
  }
}

test('the origin of an address', () => {
  for (const [url, want] of [
    ['https://a.example/x?y', 'https://a.example'], ['https://A.example:443/', 'https://a.example'], ['http://a:8080/', 'http://a:8080'], ['blob:https://a.example/1', 'https://a.example'],
    ['file:///etc/x', 'file://'], ['about:blank', ''], ['', ''], ['data:text/html,x', 'null'], ['nonsense', 'null'], ['https:\\\\a.example', 'https://a.example'],
  ]) assert.equal(originOfPage(url), want, url);
});

test('a grant allows its kinds on its origins', async () => {
  const grant = (/** @type {Permit[]} */ ...permits) => leave({ by: 'rule', permits }, false);
  const act = /** @type {const} */ ({ kind: 'act', origin: 'https://a' });
  assert.equal(await lacking(() => grant(act)('act', 'https://a')), '');
  assert.equal(await lacking(() => grant(act)('act', 'https://b')), 'act https://b');
  assert.equal(await lacking(() => grant(act)('submit', 'https://a')), 'submit https://a');
  assert.equal(await lacking(() => grant()('act', '')), 'act null');
  assert.equal(await lacking(() => leave({ by: 'dedicated', permits: [] }, true)('eval', 'https://a')), '');
  assert.equal(await lacking(() => leave({ by: 'dedicated', permits: [] }, false)), 'a grant');
});

test('moving a tab needs leave for the page left and for the site it goes to', async () => {
  const fake = fakeChrome();
  const tab = fake.tabs.get(7);
  const need = (/** @type {string} */ at, /** @type {any} */ act, /** @type {Permit[]} */ ...permits) => {
    tab.url = at;
    return lacking(() => allowOnPage(leave({ by: 'once', permits }, false), 7, { id: 'a', ...act }));
  };
  const act = /** @type {const} */ ({ kind: 'act', origin: 'https://a' });
  const read = /** @type {const} */ ({ kind: 'read', origin: 'https://b' });
  const go = { kind: 'navigate', url: 'https://b/x' };
  assert.equal(await need('https://a/', go, act, read), '');
  assert.equal(await need('https://a/', go, read), 'act https://a');
  assert.equal(await need('https://a/', go, act), 'read https://b');
  assert.equal(await need('https://c/', go, act, read), 'act https://c', 'the page is another by now');
  assert.equal(await need('about:blank', go, read), '');
  assert.equal(await need('about:blank', go), 'read https://b');
  assert.equal(await need('https://a/', { kind: 'navigate', url: 'https://a/y' }, act), '');
  assert.equal(await need('https://a/', { kind: 'reload' }, act), '');
  assert.equal(await need('https://a/', { kind: 'eval' }, act), 'eval https://a');
  assert.equal(await need('about:blank', { kind: 'scroll' }), 'act null');
});

test('a scope is of a page, and leaves frames out', async () => {
  const fake = fakeChrome();
  const scope = { origin: 'https://example.test', never: ['https://never'] };
  assert.equal(await lacking(() => inScope(7, scope)), '');
  assert.equal(await lacking(() => inScope(7, undefined)), '');
  fake.tabs.get(7).url = 'https://other/';
  assert.equal(await lacking(() => inScope(7, scope)), 'read https://other');
  assert.ok(withheld(scope, 'https://never', 'https://never/x'));
  assert.ok(withheld(scope, 'null', 'https://never/x'), 'a sandboxed frame is its address\'s');
  assert.ok(!withheld(scope, 'https://a', 'https://a/'));
  assert.ok(!withheld(undefined, 'https://never', ''));
  const strict = { ...scope, only: ['https://example.test', 'https://known'] };
  for (const [origin, url, want] of /** @type {[string, string, boolean][]} */ ([
    ['https://example.test', 'about:blank', false], ['https://known', 'https://known/', false], ['https://ads', 'https://ads/', true], ['https://never', '', true],
    ['null', 'https://known/sandboxed', false], ['null', 'https://ads/sandboxed', true], ['null', 'data:text/html,x', true], ['null', 'about:blank', false],
  ])) assert.equal(withheld(strict, origin, url), want, `${origin} ${url}`);
});
