import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { button, fakePage } from './fake-page.js';
import { start } from './lives.js';

/** @param {object} field what stands in the page */
async function startRevealing(field) {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const { reveal } = await start('src/reveal.js');
  page.on['Runtime.callFunctionOn'] = (/** @type {any} */ params, /** @type {() => unknown} */ next) => (
    /^function field\b/.test(params.functionDeclaration) ? { result: { value: { tag: 'input', type: 'text', autocomplete: '', id: '', name: '', label: '', value: 'canary', ...field } } } : next());
  return { fake, reveal };
}

test('a code is told, and no event is sent', async () => {
  const { fake, reveal } = await startRevealing({ autocomplete: 'one-time-code' });
  assert.deepEqual(await reveal({ tab: 7, targets: [button] }), { fields: [{ uid: 'u5', value: 'canary' }] });
  assert.ok(fake.commands.every(({ method }) => !method.startsWith('Input.')));
});

for (const [name, field] of Object.entries({
  'a password': { type: 'password' },
  'a password that is shown': { autocomplete: 'current-password' },
  'what is called a password': { label: 'Your pwd' },
  'what another language calls one': { id: 'Kennwort' },
})) {
  test(`${name} is never told`, async () => {
    const { reveal } = await startRevealing(field);
    assert.deepEqual(await reveal({ tab: 7, targets: [button] }), { fields: [] });
  });
}

test('what was a password field once is never told', async () => {
  const { fake, reveal } = await startRevealing({});
  await fake.session.set({ passwords: [[button.loaderId, [button.backendDOMNodeId]]] });
  assert.deepEqual(await reveal({ tab: 7, targets: [button] }), { fields: [] });
});

test('a field that is no longer what it was is left out', async () => {
  const { reveal } = await startRevealing({});
  assert.deepEqual(await reveal({ tab: 7, targets: [{ ...button, name: 'Delete' }] }), { fields: [] });
});
