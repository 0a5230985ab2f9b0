// The requests of a page, watched while somebody wants to know: the Network
// domain costs every request a message, so that it is on no longer than that.

import { listen, send } from './session.js';

/** How many watch a session. @type {Map<string, number>} */
const watching = new Map();

/**
 * Watches the requests of some sessions of a tab in use.
 * @param {number} tab @param {string[]} targetIds @param {import('./session.js').Listener} listener hears all events of the tab
 * @returns {Promise<() => void>} ends it
 */
export async function watchRequests(tab, targetIds, listener) {
  const sessions = [...new Set(targetIds)];
  const keyOf = (/** @type {string} */ session) => `${tab} ${session}`;
  const endEvents = listen(tab, listener);
  const end = () => {
    endEvents();
    for (const session of sessions) {
      const left = (watching.get(keyOf(session)) ?? 1) - 1;
      if (left > 0) watching.set(keyOf(session), left);
      else {
        watching.delete(keyOf(session));
        send(tab, session, 'Network.disable').catch(() => {}); // it went with its session
      }
    }
  };
  for (const session of sessions) watching.set(keyOf(session), (watching.get(keyOf(session)) ?? 0) + 1);
  try {
    // No bodies are kept.
    await Promise.all(sessions.map(session => send(tab, session, 'Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 })));
  } catch (thrown) {
    end();
    throw thrown;
  }
  return end;
}
