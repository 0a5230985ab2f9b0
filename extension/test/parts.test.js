import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';

fakeChrome();
const { Joiner, toParts } = await import('../src/parts.js');

/** Bytes of a frame as it crosses the port. @param {object} frame */
const size = frame => Buffer.byteLength(JSON.stringify(frame));
const awkward = { text: 'a"\\\n\u0001é€😀'.repeat(500) + '\ud800 lone' };

for (const limit of [300, 301, 302, 303, 304, 305, 1000, 4096]) {
  test(`a message cut to ${limit} bytes comes out as it went in`, async () => {
    const frames = await toParts(awkward, limit);
    assert.ok(frames.length > 1);
    const joiner = new Joiner();
    for (const [at, frame] of frames.entries()) {
      assert.ok(size(frame) <= limit, `frame ${at} has ${size(frame)} bytes`);
      const { data } = /** @type {any} */ (frame).part;
      assert.ok(data.isWellFormed(), 'a surrogate pair was cut');
      const message = await joiner.add(structuredClone(frame));
      assert.deepEqual(message, at === frames.length - 1 ? awkward : undefined);
    }
    assert.deepEqual(await joiner.add({ next: 1 }), { next: 1 });
  });
}

test('a message of exactly the limit travels whole, one byte more in parts', async () => {
  const message = { text: 'é'.repeat(1000) };
  assert.deepEqual(await toParts(message, size(message)), [message]);
  assert.ok((await toParts(message, size(message) - 1)).length > 1);
});

for (const { name, change } of [
  { name: 'a part is missing', change: (/** @type {any[]} */ parts) => parts.splice(1, 1) },
  { name: 'a part comes twice', change: (/** @type {any[]} */ parts) => parts.splice(1, 0, parts[0]) },
  { name: 'a part belongs to another message', change: (/** @type {any[]} */ parts) => { parts[1].part.id = 'other'; } },
  { name: 'data was altered', change: (/** @type {any[]} */ parts) => { parts[0].part.data = parts[0].part.data.replace('a', 'b'); } },
  { name: 'the hash is missing', change: (/** @type {any[]} */ parts) => { delete parts.at(-1).part.sha256; } },
  { name: 'the number of parts changes', change: (/** @type {any[]} */ parts) => { parts[1].part.of++; } },
  { name: 'a message comes between', change: (/** @type {any[]} */ parts) => parts.splice(1, 0, { jsonrpc: '2.0' }) },
  { name: 'a part is no object', change: (/** @type {any[]} */ parts) => { parts[0].part = 'x'; } },
  { name: 'there are too many', change: (/** @type {any[]} */ parts) => parts.forEach(one => { one.part.of = 70_000; }) },
]) {
  test(`refused: ${name}`, async () => {
    const frames = structuredClone(await toParts(awkward, 4096));
    change(frames);
    const joiner = new Joiner();
    await assert.rejects((async () => { for (const frame of frames) await joiner.add(frame); })(), { code: 'bad_frame' });
  });
}
