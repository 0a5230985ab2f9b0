import assert from 'node:assert/strict';
import test from 'node:test';

globalThis.chrome ??= /** @type {any} */ ({});
const { timeOf, wordsOf } = await import('../panel/history.js');
const { clientOf, requestOf } = await import('../panel/activity.js');
const { bytesOf } = await import('../panel/download.js');

const at = new Date(2026, 2, 4, 5, 6, 7).getTime();
const entry = { at, tab: 7, client: 'cli:pts/1' };

for (const { name, more, want } of [
  { name: 'a view', more: { handle: 'hr_1', title: 'Orders', origin: 'https://a', path: '/b', tokens_before: 2315, view_tokens: 53 }, want: 'Orders, 2,315 → 53 tokens, for cli pts/1' },
  { name: 'a page without a title', more: { handle: 'hr_1', origin: 'https://a', path: '/b', view_tokens: 3, tokens_before: 9, pinned: true, superseded: true }, want: 'https://a/b, 9 → 3 tokens, for cli pts/1 (pinned, the page has moved on)' },
  { name: 'a page that would turn the line around', more: { handle: 'hr_1', title: 'a\u202eb\n', client: 'cli:\u202ec' }, want: 'a\\u{202e}b\\n, 0 → 0 tokens, for cli \\u{202e}c' },
  { name: 'an act', more: { action: 'click', uid: 'u9', state: 'done', effect: 'none_seen' }, want: 'click u9: done, effect none seen; by cli pts/1' },
  { name: 'an act that failed', more: { action: 'click', uid: 'u9', state: 'failed', code: 'covered', effect: 'unknown' }, want: 'click u9: failed, covered; by cli pts/1' },
  { name: 'of the panel', more: { action: 'navigate', state: 'sent', client: 'panel:' }, want: 'navigate: sent; by the panel' },
  { name: 'of the agent', more: { action: 'click', uid: 'u1', state: 'uncertain', client: 'panel:agent' }, want: 'click u1: uncertain; by the panel\'s agent' },
]) {
  test(`history: ${name}`, () => assert.equal(wordsOf(/** @type {import('../src/wire.js').HistoryEntry} */ ({ ...entry, ...more })), want));
}

test('a time of another day has its date', () => {
  assert.ok(!timeOf(at, at + 1000).includes('26'));
  assert.ok(timeOf(at, at + 86_400_000).includes('26'));
});

test('activity in words', () => {
  assert.match(clientOf({ id: 1, client: 'mcp:x', since: at, reads: 1, acts: 2, now: 'snapshot' }, at), /^mcp x, since .*: 1 read, 2 acts, snapshot under way$/);
  assert.match(requestOf({ at, client: 'panel:', method: 'snapshot', tab: 7, ms: 1200 }, at), / panel: snapshot in tab 7, done, 1,200 ms$/);
  assert.match(requestOf({ at, client: 'cli:a', method: 'act', action: 'click', code: 'covered', ms: 5 }, at), / cli a: act click, covered, 5 ms$/);
});

test('bytes come back from base64', () => assert.deepEqual([...bytesOf('AP+A')], [0, 255, 128]));
