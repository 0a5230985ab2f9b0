import assert from 'node:assert/strict';
import test from 'node:test';
import { foundOf } from '../panel/find.js';
import { optionsOf, summaryOf } from '../panel/options.js';
import { headingOf } from '../panel/structure.js';
import { narrow } from '../src/wire.js';

for (const { name, choices, want, summary } of [
  { name: 'nothing kept', choices: undefined, want: {}, summary: 'Options' },
  { name: 'defaults', choices: { profile: 'balanced', filter: 'all', urls: false, handles: undefined, structure: false, max_depth: '' }, want: {}, summary: 'Options' },
  { name: 'all', choices: { profile: 'light', filter: 'visible', urls: true, handles: 'all', structure: true, max_depth: '10' },
    want: { profile: 'light', filter: 'visible', urls: true, handles: 'all', structure: true, max_depth: 10 }, summary: 'Options: light, visible, urls, handles=all, structure, max_depth 10' },
  { name: 'no choices', choices: { profile: 'tiny', filter: 7, urls: 'yes', handles: true, max_depth: '-1', query: 'x' }, want: {}, summary: 'Options' },
  { name: 'part of a level', choices: { profile: 'full', max_depth: '2.5' }, want: { profile: 'full' }, summary: 'Options: full' },
]) {
  test(`options: ${name}`, () => {
    const options = optionsOf(choices);
    assert.deepEqual(options, want);
    assert.deepEqual(optionsOf(options), want, 'what is kept is read again');
    assert.equal(summaryOf(options), summary);
    narrow('SnapshotParams', options);
  });
}

test('what was found is counted', () => {
  assert.deepEqual([foundOf(0, 1), foundOf(1, 1), foundOf(12, 12), foundOf(120, 50)],
    ['Nothing found', 'Found on 1 line', 'Found on 12 lines', 'Found on 120 lines, the first 50']);
});

test('a structure is told in a line', () => {
  const form = { label: 'Sign up', fields: [], submits: [] };
  assert.equal(headingOf({ forms: [form], tables: [], tablesTruncated: true, results: [{ title: 'a' }, { title: 'b' }] }),
    'Structure: 1 form, 0 tables and more, 2 results');
});
