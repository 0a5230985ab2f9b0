import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';
import { button, fakePage, row } from './fake-page.js';
import { start } from './lives.js';

test('a target is drawn and the drawing taken away; what changed is not drawn', async () => {
  const fake = fakeChrome();
  const page = fakePage(fake);
  const { mark } = await start('src/mark.js');
  const sent = () => fake.commands.splice(0).map(({ method }) => method).filter(method => method.startsWith('Overlay.'));
  await mark({ tab: 7, target: button });
  assert.ok(!fake.commands.some(({ method }) => method === 'DOM.scrollIntoViewIfNeeded'), 'pointing at a line does not move the page');
  assert.deepEqual(sent(), ['Overlay.enable', 'Overlay.highlightNode']);
  await mark({ tab: 7, target: button, scroll: true });
  assert.ok(fake.commands.some(({ method }) => method === 'DOM.scrollIntoViewIfNeeded'));
  sent();
  await mark({ tab: 7 });
  assert.deepEqual(sent(), ['Overlay.disable']);
  page.nodes = row('Review', 'Grace');
  await assert.rejects(mark({ tab: 7, target: button }), { code: 'stale_uid' });
  assert.deepEqual(sent(), []);
});
