import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersTo } from '../panel/approvals.js';
import { ruleOf, wideOf } from '../panel/sites.js';
import { titleOf } from '../src/approvals.js';

/** @type {import('../src/wire.js').AskParams} */
const question = { id: 'q', kind: 'submit', origin: 'https://a.example', client: { kind: 'mcp', name: 'agent' }, what: '', expires: 0 };

test('a question says who wants what where', () => {
  assert.equal(titleOf(question), 'agent (mcp) wants to submit or send something on https://a.example');
  assert.equal(titleOf({ ...question, kind: 'read', origin: 'null' }), 'agent (mcp) wants to read a page without a site');
});

test('what has no site gets no rule', () => {
  const labels = (/** @type {string} */ origin) => answersTo({ ...question, origin }).map(({ label }) => label);
  assert.deepEqual(labels('https://a.example'), ['Once', 'For an hour', 'Always', 'Not now', 'Never']);
  assert.deepEqual(labels('null'), ['Once', 'Not now']);
});

test('rules are told in words', () => {
  const rule = { origin: 'https://a.example', kind: 'read', verdict: 'always', made: 0 };
  assert.equal(ruleOf(rule), 'https://a.example: always read');
  assert.equal(ruleOf({ ...rule, verdict: 'ask', kind: 'submit' }), 'https://a.example: ask to submit');
  assert.match(ruleOf({ ...rule, expires: 1 }), /always read until ./);
  const wide = { read: 'ask', submit: 'always' };
  assert.equal(wideOf({ wide, rules: [] }, 'read'), 'ask');
  assert.equal(wideOf({ wide, rules: [rule] }, 'submit'), '', 'submits are as acts');
  assert.equal(wideOf({ wide, rules: [{ ...rule, origin: '', kind: 'submit' }] }, 'submit'), 'always');
});
