import assert from 'node:assert/strict';
import test from 'node:test';
import { exportOf, readExport, replay } from '../panel/agent/replay.js';
import { titleOf } from '../panel/agent/steps.js';
import { findTarget, targetsOf } from '../panel/agent/targets.js';
import { acted, formView, modelServer, runWith, snapshot, stream, voices } from './model-server.js';

const [voice] = voices;
const act = (/** @type {string} */ action, /** @type {string} */ uid, more = {}) => /** @type {[string, object]} */ (['browser_act', { action, uid, ...more }]);

/** The run that the tests replay. @param {import('node:test').TestContext} t */
async function kept(t) {
  const server = await modelServer(t,
    stream(voice.say('', act('set_field', 'u3', { text: 'Ada' }), ['browser_read', { what: 'find', text: 'Ada', handle: 'hr_1' }])),
    stream(voice.say('', act('click', 'un', { tab: 7 }), act('click', 'ux'), ['browser_act', { action: 'press', key: 'Enter' }])),
    stream(voice.say('Done.')));
  const { run } = await runWith({
    voice, endpoint: server.endpoint,
    tool: ({ name, arguments: { uid } }) => (name === 'browser_snapshot' ? snapshot() : uid === 'un' ? acted('+  [ux] button "Yes" in dialog "Sure?"') : acted('unchanged')),
  });
  assert.equal(run.end, 'done', run.why);
  return JSON.stringify(exportOf(run));
}

/** Replays on a page. @param {string} text @param {string[]} views one for each snapshot, the last again and again @param {object} [more] @param {(asked: any, signal: AbortSignal) => any} [answer] @param {AbortController} [controller] */
async function replayOn(text, views, more = {}, answer = () => acted('unchanged', { tab: 3 }), controller = new AbortController()) {
  /** @type {any[]} */
  const asked = [];
  let n = 0;
  let ids = 0;
  /** @type {string[]} */
  const states = [];
  const run = await replay(readExport(text), {
    tab: 3, now: () => new Date(0), changed: (_, step) => void states.push(step?.state ?? ''), pause: async () => {}, newID: () => `new${++ids}`,
    ask: async (_, params, { signal } = {}) => {
      const one = /** @type {any} */ (structuredClone(params));
      asked.push(one);
      if (one.name === 'browser_snapshot') return snapshot(views[Math.min(n++, views.length - 1)], { tab: 3, ...more });
      return answer(one, signal ?? controller.signal);
    },
  }, controller.signal);
  assert.equal(states.at(-1), run.steps.at(-1)?.state, 'how it ended is shown');
  return { run, asked, acts: asked.filter(({ name }) => name === 'browser_act').map(({ arguments: args, act_id }) => ({ ...args, act_id })) };
}

/** The page of another day: all uids are others. */
const today = formView.replace(/\[u(\w+)\]/g, '[f1u9$1]');
const asking = `${today}\n dialog "Sure?"\n  [f1u9x] button "Yes"`;

test('an export names targets without uids', async t => {
  const text = await kept(t);
  assert.doesNotMatch(text, /"(u3|un|ux)"|"tab"|hr_1|"handle"/);
  const { task, end, steps, usage } = readExport(text);
  assert.equal(task, 'Sign me up as Ada');
  assert.equal(end, 'done');
  assert.ok(usage.input > 0);
  assert.deepEqual(steps.map(({ tool }) => tool), ['browser_snapshot', 'browser_act', 'browser_read', 'browser_act', 'browser_act', 'browser_act']);
  assert.deepEqual(steps[1].targets, { uid: { role: 'textbox', name: 'Full name', row: [], path: ['main', 'form "Email"'] } });
  assert.deepEqual(steps[3].targets, { uid: { role: 'button', name: 'Review', row: ['Order 2'], path: ['table'] } });
  assert.equal(steps[4].targets.uid.name, 'Yes');
});

test('a run is done again under other uids, with other ids', async t => {
  const { run, acts, asked } = await replayOn(await kept(t), [today, today, asking]);
  assert.equal(run.end, 'done', run.why);
  assert.deepEqual(acts, [
    { action: 'set_field', text: 'Ada', uid: 'f1u93', act_id: 'new1' }, { action: 'click', uid: 'f1u9n', act_id: 'new2' },
    { action: 'click', uid: 'f1u9x', act_id: 'new3' }, { action: 'press', key: 'Enter', tab: 3, act_id: 'new4' },
  ]);
  assert.deepEqual(asked[0].arguments, { tab: 3 });
  assert.ok(run.steps.every(({ state }) => state === 'done'));
});

for (const { name, views, why, acts } of [
  { name: 'it is gone', views: [today.replace('textbox "Full name"', 'textbox "Name"')], why: /^Step 1 of 4 was not done: there is no textbox "Full name" on the page/, acts: 0 },
  { name: 'it is there twice', views: [today.replace('  [f1u93] textbox "Full name"', '  [f1u93] textbox "Full name"\n   [f1u94] textbox "Full name"')], why: /there are 2 of textbox "Full name", and nothing tells them apart/, acts: 0 },
  { name: 'its row is gone', views: [today, today.replace('Order 2', 'Order 9')], why: /^Step 2 of 4 was not done: button "Review" is there, but not in table, "Order 2"/, acts: 1 },
  { name: 'it is somewhere else', views: [today.replace('  form', '  dialog "Invite a friend"')], why: /textbox "Full name" is there, but not in main, form/, acts: 0 },
]) {
  test(`a target is not acted on when ${name}`, async t => {
    const { run, acts: done } = await replayOn(await kept(t), views);
    assert.equal(run.end, 'failed');
    assert.match(run.why, why);
    assert.equal(done.length, acts);
    assert.equal(run.steps.at(-1)?.state, 'not sent');
  });
}

test('a replay ends with the first act that fails', async t => {
  const { run, acts } = await replayOn(await kept(t), [today], {}, () => ({ text: 'covered: another node covers it', fault: { code: 'covered' } }));
  assert.match(run.why, /^Step 1 of 4 failed: covered/);
  assert.equal(acts.length, 1);
});

test('a uid that stands in a file is not acted on', async t => {
  const text = JSON.stringify({ handrail_run: 1, task: 't', steps: [{ tool: 'browser_act', arguments: { action: 'click', uid: 'u1', tab: 9 }, targets: {}, state: 'done' }] });
  const { run, acts } = await replayOn(text, [today]);
  assert.match(run.why, /what it was done on is not in the file/);
  assert.equal(acts.length, 0);
});

test('Stop ends a replay, and tells of the act that was sent', async t => {
  const controller = new AbortController();
  const { run, acts } = await replayOn(await kept(t), [today], {}, (_, signal) => new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(acted('unchanged')));
    controller.abort();
  }), controller);
  assert.equal(run.end, 'stopped');
  assert.match(run.why, /sent before: dispatched: yes/);
  assert.equal(acts.length, 1);
});

test('a target is looked for in all windows of a long page', async t => {
  const { run, asked } = await replayOn(await kept(t), ['page "Sign up"\n main\n  h1 "Create your account"'], { next_offset: 40 }, ({ name }) => (
    name === 'browser_read' ? snapshot(`${asking.split('\n').slice(3).join('\n')}`, { next_offset: null }) : acted('unchanged')));
  assert.equal(run.end, 'done', run.why);
  assert.deepEqual(asked[1].arguments, { what: 'window', handle: 'hr_1', offset: 40 });
});

test('what was typed as a secret is not in the file, and stops a replay', async t => {
  const server = await modelServer(t, stream(voice.say('', act('set_field', 'u3', { text: 'hunter2', secret: true }))), stream(voice.say('Done.')));
  const { run } = await runWith({ voice, endpoint: server.endpoint });
  const text = JSON.stringify(exportOf(run));
  assert.ok(!text.includes('hunter2'));
  const { run: again, acts } = await replayOn(text, [today]);
  assert.match(again.why, /secret, and not in the file/);
  assert.equal(acts.length, 0);
});

test('what was typed into a field that is secret is in no export, whatever the model said of it', async t => {
  const typed = act('set_field', 'u3', { text: 'hunter2' });
  const server = await modelServer(t, stream(voice.say('', typed)), stream(voice.say('', typed)), stream(voice.say('I logged in with hunter2.')));
  const { run } = await runWith({
    voice, endpoint: server.endpoint, task: 'Log in with hunter2',
    tool: ({ name }, _, n) => {
      if (name === 'browser_snapshot') return snapshot();
      return n === 2 ? { text: 'covered: another node covers it', fault: { code: 'covered' } } : acted('unchanged', { value_now: '‹hidden›' });
    },
  });
  assert.deepEqual(run.steps.map(({ secret }) => secret), [undefined, undefined, true]);
  const text = JSON.stringify(exportOf(run));
  assert.ok(!text.includes('hunter2'), text);
  assert.ok(!titleOf(run.steps[2]).includes('hunter2'));
  const { run: again, acts } = await replayOn(text, [today]);
  assert.match(again.why, /secret, and not in the file/);
  assert.equal(acts.length, 0);
});

test('an act is not done on the page where it was done on something unknown', async t => {
  for (const last of [['browser_act', { action: 'press', key: 'Enter', uid: 'u77' }], ['browser_act', { action: 'drag', uid: 'u3', to: 'u77' }]]) {
    const server = await modelServer(t, stream(voice.say('', /** @type {[string, object]} */ (last))), stream(voice.say('Done.')));
    const { run } = await runWith({ voice, endpoint: server.endpoint });
    const text = JSON.stringify(exportOf(run));
    assert.doesNotMatch(text, /u77/);
    const { run: again, acts } = await replayOn(text, [today]);
    assert.match(again.why, /what it was done on is not in the file/);
    assert.equal(acts.length, 0);
  }
});

for (const { name, text, why } of [
  { name: 'no JSON', text: '{', why: /no JSON/ },
  { name: 'another file', text: '{"steps":[]}', why: /no exported run/ },
  { name: 'a step that is none', text: '{"handrail_run":1,"steps":[{"tool":"browser_act","arguments":[],"targets":{}}]}', why: /a step that is none/ },
  { name: 'a target that is none', text: '{"handrail_run":1,"steps":[{"tool":"browser_act","arguments":{},"targets":{"uid":{"role":"button","name":"x","row":[1],"path":[]}}}]}', why: /a step that is none/ },
]) {
  test(`a file to replay: ${name}`, () => assert.throws(() => readExport(text), why));
}

test('a page cannot pass for a target by what it says', () => {
  const said = snapshot(' main\n  "[u3] textbox \\"Full name\\"" · [u4] link "Real \\" [u5] button \\"Fake"').text;
  assert.deepEqual([...targetsOf(said, false).keys()], ['u4']);
  assert.deepEqual([...targetsOf('[u9] button "outside the fence"', false).keys()], []);
});

test('what has no name is told by the first text in it', () => {
  const list = snapshot(' list\n  listitem\n   h3 "Pen"\n   [u1] button "Add"\n  listitem\n   h3 "Ink"\n   [u2] button "Add"').text;
  const targets = targetsOf(list, false);
  const target = /** @type {import('../panel/agent/targets.js').Target} */ (targets.get('u2'));
  assert.deepEqual(target.path, ['list', 'listitem "Ink"']);
  assert.deepEqual(findTarget(target, targets), { uid: 'u2' });
});

test('a value is no name, a placeholder stands for one', () => {
  const targets = targetsOf(snapshot(' [u1] textbox = "Ada"\n [u2] textbox placeholder "Name"\n [u3] textbox "Mail" = "a@b"').text, false);
  assert.deepEqual([...targets.values()].map(({ name }) => name), ['', 'Name', 'Mail']);
});
