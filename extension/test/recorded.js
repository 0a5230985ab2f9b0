// Plays CDP answers that Chromium 156 gave for the pages of testdata/pages.

import { readFileSync } from 'node:fs';

/**
 * @param {ReturnType<typeof import('./fake-chrome.js').fakeChrome>} fake
 * @param {string} page frames, secrets or targets
 */
export function play(fake, page) {
  const { tab, events, replies } = JSON.parse(readFileSync(new URL(`fixtures/${page}.json`, import.meta.url), 'utf8'));
  fake.tabs.set(tab.id, tab);
  fake.cdp = ({ tab, session, method, params }) => {
    if (method === 'Target.setAutoAttach' && params.autoAttach) {
      for (const event of events) if (event.session === session) fake.emit(tab, session, event.event, event.params);
      return {};
    }
    const asked = replies.filter((/** @type {any} */ reply) => reply.session === session && reply.method === method);
    const reply = asked.find((/** @type {any} */ one) => !params.frameId || one.params?.frameId === params.frameId);
    if (reply) return structuredClone(reply.result);
    if (asked.length > 0) throw new Error(JSON.stringify({ code: -32000, message: 'Frame with the given frameId is not found.' }));
    return method === 'Runtime.evaluate' ? { result: { value: [30, false] } } : {};
  };
}
