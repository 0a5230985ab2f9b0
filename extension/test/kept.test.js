import assert from 'node:assert/strict';
import test from 'node:test';
import { keptOf, runOf } from '../panel/agent/kept.js';

const uid = { role: 'button', name: 'Buy', row: [], path: [] };

/** @param {Partial<import('../panel/agent/loop.js').Step>[]} steps @param {Partial<import('../panel/agent/loop.js').Run>} [more] */
const again = (steps, more = {}) => runOf(structuredClone(keptOf({
  task: 't', model: 'm', started: '', usage: { input: 0, output: 0, guessed: false }, answer: '', why: '', ...more,
  steps: steps.map(step => ({ tool: 'browser_act', arguments: { action: 'click', uid: 'u1' }, targets: { uid }, said: 'Next.', state: 'done', evidence: 'dispatched: yes', text: 'PAGE', tokens: 1, ...step })),
})));

for (const { name, steps, why, state } of [
  { name: 'before its first step', steps: [], why: /; nothing was under way on the page$/ },
  { name: 'while it read', steps: [{}, { tool: 'browser_snapshot', arguments: {}, state: 'under way' }], why: /; nothing was under way on the page$/, state: 'not sent' },
  { name: 'while it acted', steps: [{}, { state: 'under way' }], why: /; the last act may have reached the page: look at it before going on$/, state: 'failed' },
  { name: 'behind an act', steps: [{}], why: /; the last act was sent before: dispatched: yes$/, state: 'done' },
]) {
  test(`a run that its panel left ${name}`, () => {
    const { run, cut } = again(/** @type {any} */ (steps)) ?? {};
    assert.ok(cut);
    assert.equal(run?.end, 'cut');
    assert.match(run?.why ?? '', /^Ended when the panel was closed or loaded anew/);
    assert.match(run?.why ?? '', why);
    assert.equal(run?.steps.at(-1)?.state, state);
  });
}

test('a run that had ended is told as it did', () => {
  const { run, cut } = again([{}], { end: 'done', answer: 'Bought.' }) ?? {};
  assert.deepEqual([cut, run?.end, run?.answer, run?.why], [false, 'done', 'Bought.', '']);
  assert.equal(runOf(undefined), undefined);
});

test('what is kept of a run has no page and no secret', () => {
  const kept = JSON.stringify(keptOf({ task: 'set pa55', model: 'm', started: '', usage: { input: 0, output: 0, guessed: false }, answer: '', why: '',
    steps: [{ tool: 'browser_act', arguments: { action: 'type', text: 'pa55', secret: true }, targets: {}, said: '', state: 'done', evidence: '', text: 'PAGE', tokens: 1 }] }));
  assert.doesNotMatch(kept, /PAGE|pa55/);
});
