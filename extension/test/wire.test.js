// The vectors that both languages run: what is accepted and what is refused.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Joiner } from '../src/parts.js';
import { BadMessage, codes, methods, narrow } from '../src/wire.js';

/** @param {string} file @returns {any} */
const vectors = file => JSON.parse(readFileSync(new URL(`../../testdata/wire/${file}`, import.meta.url), 'utf8'));

for (const { name, type, value, fill, refused } of vectors('params.json').params) {
  test(`${type}: ${name}`, () => {
    if (fill) value[fill.field] = fill.with.repeat(fill.times);
    if (refused === undefined) return assert.equal(narrow(type, value), value);
    assert.throws(() => narrow(type, value), thrown => {
      assert.ok(thrown instanceof BadMessage);
      assert.equal(thrown.field, refused);
      return true;
    });
  });
}

for (const { name, frames, messages, refused } of vectors('parts.json').parts) {
  test(`parts: ${name}`, async () => {
    const joiner = new Joiner();
    /** @type {unknown[]} */
    const joined = [];
    const join = async () => {
      for (const frame of frames) joined.push(await joiner.add(frame));
    };
    if (refused) return assert.rejects(join(), { code: refused });
    await join();
    assert.deepEqual(joined.filter(one => one !== undefined), messages.map((/** @type {string} */ text) => JSON.parse(text)));
  });
}

test('the tables cannot be changed', () => {
  for (const table of [codes, methods]) assert.ok(Object.isFrozen(table));
});
