import assert from 'node:assert/strict';
import test from 'node:test';
import { optionsOf, summaryOf } from '../panel/options.js';
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
