import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOut, originOf } from '../src/frames.js';

for (const [url, want] of /** @type {[string, boolean][]} */ ([
  ['https://doubleclick.net/x', true],
  ['https://ad.doubleclick.net/x', true],
  ['https://notdoubleclick.net/', false],
  ['https://example.test/?to=doubleclick.net', false],
  ['https://doubleclick.net.example.test/', false],
  ['about:blank', false],
  ['', false],
])) {
  test(`left out ${url || 'nothing'}: ${want}`, () => assert.equal(leftOut(url), want));
}

for (const [given, want] of [
  ['https://example.test:8080', 'https://example.test:8080'], ['://', 'null'], ['', 'null'], ['file://', 'null'], ['chrome-extension://abc', 'chrome-extension://abc'],
]) {
  test(`origin of ${given || 'nothing'}`, () => assert.equal(originOf(given), want));
}
