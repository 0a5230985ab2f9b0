import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { ax, button, cdpError, fakePage, row } from './fake-page.js';
import { start } from './lives.js';

async function startInspecting() {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const { inspect } = await start('src/inspect.js');
  return { fake, page, inspect };
}

test('a row for each target, in order', async () => {
  const { fake, page, inspect } = await startInspecting();
  page.nodes = row('Review (4)');
  const { nodes } = await inspect({ tab: 7, targets: [
    button, { ...button, uid: 'a', name: 'Delete' }, { ...button, uid: 'b', context: 'Grace' }, { ...button, uid: 'c', loaderId: 'M' }, { ...button, uid: 'd', frameId: 'G' },
    { ...button, uid: 'e', secret: true },
  ] });
  const stale = { state: 'stale', box: [0, 0, 0, 0] };
  const alive = { state: 'alive', role: 'button', name: 'Review (4)', box: [10, 10, 80, 20], frame: 'https://example.test' };
  assert.deepEqual(nodes, [
    { uid: 'u5', ...alive }, { uid: 'a', ...stale, reason: 'renamed' }, { uid: 'b', ...stale, reason: 'moved_context' },
    { uid: 'c', ...stale, reason: 'document' }, { uid: 'd', ...stale, reason: 'gone' }, { uid: 'e', ...alive, name: '' },
  ]);
  assert.ok(fake.commands.every(({ method }) => !method.startsWith('Input.')));
});

test('nodes are looked at on the page allowed only, and not in a frame that is never read', async () => {
  const { page, inspect } = await startInspecting();
  page.nodes = row('Review');
  const scope = { origin: 'https://example.test', never: ['https://never'] };
  const { nodes } = await inspect({ tab: 7, targets: [{ ...button, name: 'Review' }, { ...button, uid: 'f', origin: 'https://never' }], scope });
  assert.deepEqual(nodes.map((/** @type {any} */ { state }) => state), ['alive', 'unknown']);
  await assert.rejects(inspect({ tab: 7, targets: [button], scope: { ...scope, origin: 'https://before' } }), { code: 'not_approved' });
});

test('what is hidden is alive', async () => {
  const { page, inspect } = await startInspecting();
  page.probe.visible = false;
  page.nodes = row('', 'Ada', { ignored: true });
  const { nodes: [{ state }] } = await inspect({ tab: 7, targets: [button] });
  assert.equal(state, 'alive');
});

test('an item is read once for all that stand in it', async () => {
  const { fake, page, inspect } = await startInspecting();
  page.nodes = [...row(), ax('6', 'button', 'Delete', [], { parentId: '2' })];
  page.nodes[1].childIds.push('6');
  const targets = Array.from({ length: 20 }, (_, i) => (i % 2 ? button : { ...button, name: 'Delete', backendDOMNodeId: 6 }));
  const { nodes } = await inspect({ tab: 7, targets });
  assert.deepEqual([...new Set(nodes.map((/** @type {{state: string}} */ node) => node.state))], ['alive']);
  assert.equal(fake.commands.filter(({ method }) => method === 'Accessibility.queryAXTree').length, 1);
});

test('a tab that does not answer fails, whatever is asked of it', async () => {
  const { page, inspect } = await startInspecting();
  page.on['Page.getFrameTree'] = () => { throw cdpError('Debugger is not attached to the tab with id: 7.'); };
  await assert.rejects(inspect({ tab: 7, targets: [button] }), { code: 'detached' });
});
