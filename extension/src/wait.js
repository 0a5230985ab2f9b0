// wait: until one thing holds in a tab. Sends no event to the page; a dialog that
// it opens, and the caller giving up, end the wait at once.

import { getTab } from './chrome.js';
import { Fault, asFault } from './fault.js';
import { flatten } from './frames.js';
import { inScope, withheld } from './grant.js';
import { check } from './identity.js';
import { checkedState, textOn, unrest } from './in-page.js';
import { absent, hold, inPage } from './node.js';
import { originIn } from './origins.js';
import { watchRequests } from './requests.js';
import { awake, children, noDialog, send, use, world } from './session.js';

/** @typedef {import('./wire.js').AwaitParams} AwaitParams */
/** @typedef {import('./wire.js').Waited} Waited */

const lookMs = 100;
const restMs = 500; // without a change, or a request

/**
 * @param {AwaitParams} params exactly one condition
 * @param {AbortSignal} signal
 * @returns {Promise<Waited>}
 */
export async function wait(params, signal) {
  const { tab, timeoutMs, scope } = params;
  return use(tab, async () => {
    await awake(tab);
    const start = Date.now();
    const condition = await conditionOf(params);
    try {
      for (;;) {
        if (signal.aborted) throw new Fault('canceled');
        noDialog(tab);
        await inScope(tab, scope);
        const seen = await condition.look().catch(thrown => {
          if (absent(thrown) || asFault(thrown).code === 'detached') return 'the page is being replaced';
          throw thrown;
        });
        const late = Date.now() - start >= timeoutMs;
        if (seen === '' || late) return await told(tab, seen, Date.now() - start);
        await new Promise(resolve => setTimeout(resolve, Math.min(lookMs, timeoutMs - (Date.now() - start))));
      }
    } finally {
      condition.end();
    }
  });
}

/** @param {number} tab @param {string} seen @param {number} ms @returns {Promise<Waited>} */
async function told(tab, seen, ms) {
  const { url = '', title = '' } = await getTab(tab).catch(thrown => { throw asFault(thrown); });
  return { met: seen === '', ms, ...(seen === '' ? {} : { seen }), url, title };
}

/**
 * @typedef {object} Condition
 * @property {() => Promise<string>} look says what keeps it from holding, '' when it does
 * @property {() => void} end
 */

/** @param {AwaitParams} params @returns {Promise<Condition>} */
async function conditionOf(params) {
  const { tab, text, gone, target, url, stable, quiet, ms = 0, scope } = params;
  const end = () => {};
  if (text !== undefined) return { end, look: async () => (await anywhere(tab, scope, textOn, text) ? '' : 'the text is not on the page') };
  if (gone !== undefined) return { end, look: async () => (await anywhere(tab, scope, textOn, gone) ? 'the text is on the page' : '') };
  if (target) return { end, look: () => stateOf(params) };
  if (url !== undefined) {
    const pattern = new RegExp(url.split('*').map(part => part.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&')).join('.*'), 'i');
    return { end, look: async () => { const { url: now = '' } = await getTab(tab); return pattern.test(now) ? '' : 'the address is another'; } };
  }
  if (stable) return { end, look: async () => (await anywhere(tab, scope, unrest, restMs) ? 'the page is still changing' : '') };
  if (quiet) return requests(tab);
  const until = Date.now() + ms;
  return { end, look: async () => (Date.now() >= until ? '' : 'the time is not over') };
}

/**
 * Asks every frame of a tab that may be read.
 * @template A
 * @param {number} tab @param {import('./wire.js').Scope | undefined} scope @param {(arg: A) => boolean} question of in-page.js @param {A} arg
 * @returns {Promise<boolean>} whether one says yes
 */
async function anywhere(tab, scope, question, arg) {
  const sessions = ['', ...(await children(tab)).map(child => child.targetId)];
  const answers = await Promise.all(sessions.map(async targetId => {
    const { frameTree } = await send(tab, targetId, 'Page.getFrameTree');
    return Promise.all(flatten(frameTree).map(async frame => {
      if (scope && withheld(scope, await originIn(tab, targetId, frame), frame.url)) return false;
      const contextId = await world(tab, targetId, frame.id);
      const { result } = await send(tab, targetId, 'Runtime.evaluate', { expression: `(${question})(${JSON.stringify(arg)})`, contextId, returnByValue: true });
      return result.value === true;
    }).map(asked => asked.catch(thrown => { if (absent(thrown)) return false; throw thrown; }))); // a frame that went
  }));
  return answers.flat().includes(true);
}

/** @param {AwaitParams} params @returns {Promise<string>} */
async function stateOf({ tab, target, state = 'visible' }) {
  if (!target) return '';
  try {
    return await hold(tab, target, async node => {
      const { probe: { visible, disabled, rect } } = await check(node, target);
      const shown = visible && rect[2] > 0 && rect[3] > 0;
      const now = {
        visible: shown, hidden: !shown, enabled: disabled === '', disabled: disabled !== '', gone: false,
        checked: false, unchecked: false,
      };
      if (state === 'checked' || state === 'unchecked') now[state] = await inPage(node, checkedState) === state;
      return now[/** @type {keyof typeof now} */ (state)] ? '' : `the node is not ${state}`;
    });
  } catch (thrown) {
    const fault = asFault(thrown);
    if (fault.code !== 'stale_uid') throw thrown;
    const { reason } = fault.more;
    if (state === 'gone' || state === 'hidden') return reason === 'gone' || reason === 'document' ? '' : `the node stands for something else now: ${reason}`;
    if (reason === 'gone' || reason === 'document') throw fault; // waiting cannot bring it back
    return `the node stands for something else now: ${reason}`;
  }
}

/** Waits for a moment without requests. @param {number} tab @returns {Promise<Condition>} */
async function requests(tab) {
  const open = new Set();
  let last = Date.now();
  const sessions = ['', ...(await children(tab)).map(child => child.targetId)];
  const end = await watchRequests(tab, sessions, (method, { requestId }, targetId) => {
    const key = `${targetId} ${requestId}`;
    if (method === 'Network.requestWillBeSent') open.add(key);
    else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed') open.delete(key);
    else return;
    last = Date.now();
  });
  return {
    look: async () => {
      const { status } = await getTab(tab);
      if (status === 'loading') last = Date.now();
      return open.size === 0 && Date.now() - last >= restMs ? '' : `${open.size} requests are under way`;
    },
    end,
  };
}
