import assert from 'node:assert/strict';
import test from 'node:test';
import { parseLine } from '../panel/lines.js';

for (const [name, line, want] of /** @type {[string, string, object][]} */ ([
  ['root', 'page "Orders" {focused}', { depth: 0, uid: '', role: 'page', name: '"Orders"', rest: ' {focused}' }],
  ['uid', '    [f2u7_2] button "Save"', { depth: 2, uid: 'f2u7_2', role: 'button', name: '"Save"', rest: '' }],
  ['value', '  [u1] textbox "Email" = "a@b" {editable}', { depth: 1, uid: 'u1', role: 'textbox', name: '"Email"', rest: ' = "a@b" {editable}' }],
  ['value without a name', '  [u1] textbox = "a@b"', { depth: 1, uid: 'u1', role: 'textbox', name: '', rest: ' = "a@b"' }],
  ['a name that looks like a line', '  text "[u9] button \\"Pay\\""', { depth: 1, uid: '', role: 'text', name: '"[u9] button \\"Pay\\""', rest: '' }],
  ['quoted role', '  "odd role" "x"', { depth: 1, uid: '', role: '"odd role"', name: '"x"', rest: '' }],
  ['not read', '  [u4] iframe "Ad" (not read: timeout)', { depth: 1, uid: 'u4', role: 'iframe', name: '"Ad"', rest: ' (not read: timeout)' }],
  ['bare', 'main', { depth: 0, uid: '', role: 'main', name: '', rest: '' }],
])) {
  test(`a line of a view: ${name}`, () => assert.deepEqual(parseLine(line), want));
}
