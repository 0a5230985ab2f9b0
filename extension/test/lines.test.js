import assert from 'node:assert/strict';
import test from 'node:test';
import { joinWindow, leftOut, parseLine } from '../panel/lines.js';

// Each item as [separator, uid, parts], a part as its kind and text.
for (const { name, line, indent = 1, sign = '', depth = 0, want } of [
  { name: 'root', line: 'page "Orders" {busy}', want: [['', '', 'role:page', 'rest: ', 'quoted:"Orders"', 'rest: {busy}']] },
  { name: 'uid', line: '  [f2u7_2] button "Save"', depth: 2, want: [['', 'f2u7_2', 'uid:[f2u7_2] ', 'role:button', 'rest: ', 'quoted:"Save"']] },
  { name: 'full has two spaces to a level', line: '    main', indent: 2, depth: 2, want: [['', '', 'role:main']] },
  { name: 'text alone', line: ' "Pages: 1"', depth: 1, want: [['', '', 'quoted:"Pages: 1"']] },
  { name: 'text with a uid', line: '[u5] "Pages"', want: [['', 'u5', 'uid:[u5] ', 'quoted:"Pages"']] },
  { name: 'value, states, hints', line: '[u1] textbox "Email" = "a@b" {required} placeholder "x" hint "y"', want: [['', 'u1', 'uid:[u1] ', 'role:textbox', 'rest: ', 'quoted:"Email"', 'rest: = ', 'quoted:"a@b"', 'rest: {required} placeholder ', 'quoted:"x"', 'rest: hint ', 'quoted:"y"']] },
  { name: 'items of a row', line: 'row "ORD-1" | "Ada" | [u8] button "Review"', want: [
    ['', '', 'role:row', 'rest: ', 'quoted:"ORD-1"'], [' | ', '', 'quoted:"Ada"'], [' | ', 'u8', 'uid:[u8] ', 'role:button', 'rest: ', 'quoted:"Review"']] },
  { name: 'cells without content', line: 'row | | [u8] button |', want: [['', '', 'role:row'], [' |', ''], [' | ', 'u8', 'uid:[u8] ', 'role:button'], [' |', '']] },
  { name: 'items of a text', line: '"Ac" · [u8] clickable "x" · "in"', want: [['', '', 'quoted:"Ac"'], [' · ', 'u8', 'uid:[u8] ', 'role:clickable', 'rest: ', 'quoted:"x"'], [' · ', '', 'quoted:"in"']] },
  { name: 'separators in quotes', line: 'row "a | [u9] button · b" | "c"', want: [['', '', 'role:row', 'rest: ', 'quoted:"a | [u9] button · b"'], [' | ', '', 'quoted:"c"']] },
  { name: 'quotes in quotes', line: '[u1] link "a \\" | [u9] button \\"Pay\\\\"', want: [['', 'u1', 'uid:[u1] ', 'role:link', 'rest: ', 'quoted:"a \\" | [u9] button \\"Pay\\\\"']] },
  { name: 'a uid that is not at the start', line: 'button "x" [u9] y', want: [['', '', 'role:button', 'rest: ', 'quoted:"x"', 'rest: [u9] y']] },
  { name: 'a uid in a cut name', line: '[u1] link "a | [u9] button', want: [['', 'u1', 'uid:[u1] ', 'role:link', 'rest: ', 'quoted:"a | [u9] button']] },
  { name: 'no uid', line: '[x9] button', want: [['', '', 'rest:[x9] button']] },
  { name: 'options left out', line: 'options · "One" {selected} … 250 more', want: [['', '', 'role:options'], [' · ', '', 'quoted:"One"', 'rest: {selected} … 250 more']] },
  { name: 'cut below', line: '[uj] group "Plan" … 2 nodes, 1 controls below', want: [['', 'uj', 'uid:[uj] ', 'role:group', 'rest: ', 'quoted:"Plan"', 'rest: ', 'below:… 2 nodes, 1 controls below']] },
  { name: 'cut below in a name', line: '[uj] group "… 2 nodes, 1 controls below"', want: [['', 'uj', 'uid:[uj] ', 'role:group', 'rest: ', 'quoted:"… 2 nodes, 1 controls below"']] },
  { name: 'header of overlays', line: '[open overlays]', want: [['', '', 'rest:[open overlays]']] },
  { name: 'not read', line: '[u4] iframe "Ad" https://ad.example (not read: timeout)', want: [['', 'u4', 'uid:[u4] ', 'role:iframe', 'rest: ', 'quoted:"Ad"', 'rest: https://ad.example (not read: timeout)']] },
  { name: 'came', line: '+  [u5] button "Pay" in main "Cart"', sign: '+', depth: 1, want: [['', 'u5', 'uid:[u5] ', 'role:button', 'rest: ', 'quoted:"Pay"', 'rest: in main ', 'quoted:"Cart"']] },
  { name: 'went', line: '- "Loading"', sign: '-', want: [['', '', 'quoted:"Loading"']] },
  { name: 'changed', line: '~ [u5] checkbox "A" {checked}', sign: '~', want: [['', 'u5', 'uid:[u5] ', 'role:checkbox', 'rest: ', 'quoted:"A"', 'rest: {checked}']] },
  { name: 'signs in quotes', line: ' "+ [u5] button"', depth: 1, want: [['', '', 'quoted:"+ [u5] button"']] },
  { name: 'unchanged', line: 'unchanged', want: [['', '', 'role:unchanged']] },
]) {
  test(`a line of a view: ${name}`, () => {
    const got = parseLine(line, indent);
    assert.deepEqual(got.items.map(({ before, uid, parts }) => [before, uid, ...parts.map(({ kind, text }) => `${kind}:${text}`)]), want);
    assert.deepEqual({ sign: got.sign, depth: got.depth }, { sign, depth });
    const whole = got.items.map(({ before, parts }) => before + parts.map(({ text }) => text).join('')).join('');
    assert.equal((sign && `${sign} `) + ' '.repeat(depth * indent) + whole, line, 'nothing of the line is lost');
  });
}

/** @param {number} chars @param {number} offset */
const marker = (chars, offset) => `… ${chars} characters, 2 controls left out by the limit of 80000 characters, next offset ${offset}`;

for (const { name, windows, want, left } of [
  { name: 'one', windows: ['a\nb'], want: 'a\nb', left: { at: -1, chars: 0, controls: 0 } },
  { name: 'two', windows: [`a\nb\n${marker(4, 4)}\ny\nz`, 'c\nd\ny\nz'], want: 'a\nb\nc\nd\ny\nz', left: { at: -1, chars: 0, controls: 0 } },
  { name: 'three, the last not read', windows: [`a\n${marker(8, 2)}\nz`, `b\n${marker(6, 4)}\nz`], want: `a\nb\n${marker(6, 4)}\nz`, left: { at: 2, chars: 6, controls: 2 } },
  { name: 'without a tail', windows: [`a\n${marker(1, 2)}`, 'b'], want: 'a\nb', left: { at: -1, chars: 0, controls: 0 } },
  { name: 'a line that goes on', windows: [`a\n"long …+6\n${marker(6, 8)}\nz`, 'text"\nz'], want: 'a\n"long text"\nz', left: { at: -1, chars: 0, controls: 0 } },
  { name: 'a page that says it was cut', windows: [`a\n"${marker(1, 2)}"\n${marker(1, 2)}\n"…+3"`, 'b\n"…+3"'], want: `a\n"${marker(1, 2)}"\nb\n"…+3"`, left: { at: -1, chars: 0, controls: 0 } },
]) {
  test(`windows: ${name}`, () => {
    /** @type {string[]} */
    let shown = [];
    for (const window of windows) {
      const { keep, add } = joinWindow(shown, window.split('\n'));
      shown = [...shown.slice(0, keep), ...add];
    }
    assert.equal(shown.join('\n'), want);
    assert.deepEqual(leftOut(shown), left);
  });
}
