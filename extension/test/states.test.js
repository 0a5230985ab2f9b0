import assert from 'node:assert/strict';
import test from 'node:test';
import { actsOf, evidenceOf, failureOf, nodeOf, optionsIn, titleOf } from '../panel/acts.js';
import { Heights } from '../panel/heights.js';
import { parseLine } from '../panel/lines.js';
import { outlineOf, unfolded } from '../panel/outline.js';
import { hostStateOf, stateOf } from '../panel/states.js';
import { whyNoHost } from '../src/fault.js';
import { codes } from '../src/wire.js';

for (const { name, words, command } of [
  { name: 'not installed', words: 'Specified native messaging host not found.', command: './install.sh' },
  { name: 'forbidden', words: 'Access to the specified native messaging host is forbidden.', command: '~/.local/share/handrail/bin/handrail install' },
  { name: 'crashed', words: 'Native host has exited.', command: '~/.local/share/handrail/bin/handrail doctor' },
  { name: 'text on stdout', words: 'Error when communicating with the native messaging host.', command: '~/.local/share/handrail/bin/handrail doctor' },
  { name: 'started again', words: '', command: undefined },
]) {
  test(`without a host there is a command to run: ${name}`, () => {
    const state = hostStateOf({ host: 'none', message: whyNoHost(words) });
    assert.equal(state?.command, command);
    assert.ok(state?.title);
  });
}

test('a host that is there is no state, one of another version is one', () => {
  assert.equal(hostStateOf({ host: 'connected' }), undefined);
  assert.match(hostStateOf({ host: 'skew' })?.title ?? '', /versions/);
});

for (const [url, title] of [
  ['chrome://settings/', /browser's own/], ['https://chromewebstore.google.com/detail/x', /Web Store/], ['https://example.test/a.pdf', /PDF/],
  ['chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html', /PDF/], ['chrome-extension://abc/x.html', /of an extension/],
  ['file:///tmp/x.html', /file/], ['https://example.test/', /cannot be read/], ['', /cannot be read/],
]) {
  test(`a page that the browser keeps from extensions is told apart: ${url || 'unknown'}`, () => {
    assert.match(stateOf({ code: 'restricted_page', message: 'm' }, String(url)).title, /** @type {RegExp} */ (title));
  });
}

test('every failure has a title, and says what to do', () => {
  for (const [code, { message, hint }] of Object.entries(codes)) {
    const state = stateOf({ code, message, hint });
    assert.ok(state.title, code);
    assert.ok(state.text || state.command || state.remedies?.length, code);
  }
  assert.deepEqual(stateOf({ code: 'dialog_open', message: 'a dialog of the page waits for an answer: confirm "Leave?"' }),
    { title: 'The page has a dialog open', text: 'confirm "Leave?"', remedies: ['accept', 'dismiss'] });
});

for (const { line, node, labels } of [
  { line: '[u1] textbox "Email" = "a@b" {required} placeholder "x"', node: { uid: 'u1', role: 'textbox', name: 'Email', value: 'a@b', states: ['required'] }, labels: 'Set… Type… Click Press key… Hover' },
  { line: '[u1] textbox placeholder "x"', node: { uid: 'u1', role: 'textbox', name: '', value: '', states: [] }, labels: 'Set… Type… Click Press key… Hover' },
  { line: '[u1] textbox "Id" {readonly}', node: { uid: 'u1', role: 'textbox', name: 'Id', value: '', states: ['readonly'] }, labels: 'Click Press key… Hover' },
  { line: '[u2] checkbox "A \\"b\\"" {checked, required}', node: { uid: 'u2', role: 'checkbox', name: 'A "b"', value: '', states: ['checked', 'required'] }, labels: 'Check off Click Hover' },
  { line: '[u2] checkbox "A" {mixed}', node: { uid: 'u2', role: 'checkbox', name: 'A', value: '', states: ['mixed'] }, labels: 'Check on Check off Click Hover' },
  { line: '[u3] radio "B" {unchecked}', node: { uid: 'u3', role: 'radio', name: 'B', value: '', states: ['unchecked'] }, labels: 'Check on Click Hover' },
  { line: '[u4] slider "Volume" = "3"', node: { uid: 'u4', role: 'slider', name: 'Volume', value: '3', states: [] }, labels: 'Set value… Click Hover' },
  { line: '[u5] link "Trace"', node: { uid: 'u5', role: 'link', name: 'Trace', value: '', states: [] }, labels: 'Click Hover' },
]) {
  test(`the acts that fit: ${line}`, () => {
    const got = nodeOf(parseLine(line).items[0]);
    assert.deepEqual(got, node);
    assert.equal(actsOf(got).map(({ label }) => label).join(' '), labels);
  });
}

test('of a select the options are offered', () => {
  const choices = optionsIn(parseLine('  options · "One" {selected} · "Two"'));
  assert.deepEqual(choices, ['One', 'Two']);
  const [select] = actsOf(nodeOf(parseLine('[u6] combobox "Land" = "One"').items[0]), choices);
  assert.deepEqual([select.label, select.question?.choices, select.params('Two', false)], ['Select…', choices, { action: 'select', values: ['Two'] }]);
  assert.deepEqual(optionsIn(parseLine(' "options"')), []);
});

test('what came of an act is told in a line', () => {
  const result = /** @type {import('../src/wire.js').ActResult} */ ({ act_id: '1', dispatched: 'yes', effect: 'seen', settled: false, method: 'mouse', changes: ['url'], diff: '+ "a"\n- "b"\n- "c"' });
  assert.equal(evidenceOf(result), 'done by mouse; changed: url; lines +1 −2');
  assert.equal(evidenceOf({ ...result, effect: 'none_seen', changes: [], diff: 'unchanged' }), 'done by mouse; no effect was seen; the view is unchanged');
});

test('what a page says cannot look like the panel\'s own words', () => {
  const result = /** @type {import('../src/wire.js').ActResult} */ ({ act_id: '1', dispatched: 'yes', effect: 'seen', settled: true, method: 'mouse', value_now: 'a"; done\u202ex', chosen: ['b\n'], new_document: true, title: '" \u2066' });
  assert.equal(evidenceOf(result), 'done by mouse; value now "a\\"; done\\u{202e}x"; chosen: "b\\n"; now at "\\" \\u{2066}"');
  const node = { uid: 'u1', role: 'textbox', name: `"\u202e${'x'.repeat(100_000)}`, value: '', states: [] };
  assert.equal(titleOf(node), `[u1] textbox "\\"\\u{202e}${'x'.repeat(58)}…"`);
  assert.ok((actsOf(node)[0].question?.label.length ?? 0) < 100);
});

for (const { name, fault, want } of [
  { name: 'refused', fault: { code: 'covered', message: 'it is covered', hint: 'scroll', dispatched: 'no' }, want: 'it is covered; nothing reached the page; scroll' },
  { name: 'done in part', fault: { code: 'timeout', message: 'late', hint: 'try again', dispatched: 'yes' }, want: 'late; it reached the page; look at the page before acting again' },
  { name: 'lost', fault: { code: 'detached', message: 'the host has ended', hint: 'try again: it reconnects by itself', dispatched: 'uncertain' }, want: 'the host has ended; it is not known whether it reached the page; look at the page before acting again' },
  { name: 'uncertain', fault: { code: 'uncertain', message: 'it is not known whether', hint: 'take a snapshot', dispatched: 'uncertain' }, want: 'it is not known whether it reached the page; take a snapshot' },
  { name: 'removed', fault: { code: 'unknown_handle', message: 'no view', hint: 'check HANDRAIL_HOME', dispatched: 'no' }, want: 'no view; nothing reached the page; read the page again' },
]) test(`why an act failed: ${name}`, () => assert.equal(failureOf(fault), want));

test('heights are summed and found', () => {
  for (const count of [0, 1, 2, 3, 7, 64, 1000]) {
    const sizes = Array.from({ length: count }, (_, i) => 10 + (i % 5));
    const heights = new Heights(count, row => sizes[row]);
    for (let i = 0; i < count; i += 3) heights.measure(i, sizes[i] = 40);
    let top = 0;
    for (let i = 0; i < count; i++) {
      assert.equal(heights.top(i), top);
      assert.deepEqual([heights.at(top), heights.at(top + sizes[i] - 1)], [i, i]);
      top += sizes[i];
    }
    assert.equal(heights.top(count), top);
    assert.deepEqual([heights.at(-5), heights.at(top + 5)], [0, Math.max(0, count - 1)]);
  }
});

test('lines are folded with what is under them, overlays under their header', () => {
  const lines = ['[open overlays]', 'dialog "Sure?"', ' [u1] button "Yes"', 'page "P"', ' main', '  [u2] link "a"', ' footer'];
  const outline = outlineOf(lines, 1);
  assert.deepEqual([...outline.depth], [0, 1, 2, 0, 1, 2, 1]);
  assert.deepEqual([...outline.end], [3, 3, 3, 7, 6, 6, 7]);
  assert.deepEqual([...outline.parent], [-1, 0, 1, -1, 3, 4, 3]);
  assert.deepEqual([...outline.place].map((place, i) => `${place}/${outline.places[i]}`), ['1/2', '1/1', '1/1', '2/2', '1/2', '1/1', '2/2']);
  assert.deepEqual([...unfolded(outline, new Set([0, 4]))], [0, 3, 4, 6]);
});
