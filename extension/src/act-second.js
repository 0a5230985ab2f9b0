// The guarded second click (click with `second`). A trusted click that met its
// node has reached all listeners, so that another one seldom helps and may do
// harm. It is made where all of this holds: the node is a plain box without a word
// of consequence on it; nothing came of the trusted click while it was looked at
// twice; and nothing left the page meanwhile that may change something elsewhere.

import { after, controls, evidence, observe, see } from './act-watch.js';
import { onTabOpened } from './chrome.js';
import { hasConsequence, isTelemetry } from './consequence.js';
import { asFault } from './fault.js';
import { clickAgain, notPlain, wordsOn } from './in-page.js';
import { inPage } from './node.js';
import { watchRequests } from './requests.js';
import { dialogOf } from './session.js';

/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {{unfit: string, veto: () => string, end: () => void}} Second unfit: why the node may have none; veto: what the page did that forbids it */

const intervalMs = 200;
const intervals = 2;
const toggles = [
  ...['checked', 'pressed', 'expanded', 'selected', 'haspopup'].map(name => `[aria-${name}]`), 'label', 'details', 'option', '[role=treeitem i]', '[popovertarget]',
].join();
const mutating = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Begins to watch for what forbids a second click; before the first.
 * @param {Held} watcher @param {Target} target @param {Act} act
 * @returns {Promise<Second>}
 */
export async function prepareSecond(watcher, target, act) {
  const unfit = await whyUnfit(watcher, target, act);
  if (unfit) return { unfit, veto: () => '', end: () => {} };
  let veto = '';
  const { tab, targetId } = watcher;
  const endRequests = await watchRequests(tab, ['', targetId], (method, params) => { veto ||= forbids(method, params); });
  const endTabs = onTabOpened(({ openerTabId }) => { if (openerTabId === tab) veto ||= 'it opened a tab'; });
  return {
    unfit, veto: () => veto,
    end() {
      endRequests();
      endTabs();
    },
  };
}

/** Why a node is never clicked twice. @param {Held} watcher @param {Target} target @param {Act} act */
async function whyUnfit(watcher, { role, name }, { button = 'left', count = 1, modifiers = [] }) {
  if (button !== 'left' || count > 1 || modifiers.length > 0) return 'it was no plain click';
  if (role !== '' && role.toLowerCase() !== 'generic') return `the node is a ${role.toLowerCase()}`;
  const why = await inPage(watcher, notPlain, controls, toggles);
  if (why) return `the node is ${why}`;
  return hasConsequence(name) || hasConsequence(await inPage(watcher, wordsOn)) ? 'its name says that it buys, sends, pays or deletes' : '';
}

/** What an event says about a click that may have changed something. @param {string} method @param {any} params */
function forbids(method, params) {
  switch (method) {
    case 'Network.requestWillBeSent':
      if (!mutating.has(params.request.method) || isTelemetry(params.request.url)) return '';
      return params.type === 'Ping' ? 'it sent a beacon' : `it sent a ${params.request.method}`;
    case 'Network.webSocketFrameSent': return 'it sent a message';
    case 'Page.windowOpen': return 'it opened a tab';
    case 'Page.downloadWillBegin': return 'it began a download';
    case 'Page.frameRequestedNavigation':
    case 'Page.frameStartedNavigating':
    case 'Page.navigatedWithinDocument': return 'it led to another address';
  }
  return '';
}

/**
 * Clicks a second time where it may.
 * @param {Second} second @param {Held} watcher @param {Target} target @param {Act} act
 * @param {import('./identity.js').Seen} seen @param {Evidence} first what came of the trusted click
 * @returns {Promise<Evidence>}
 */
export async function clickSecond(second, watcher, target, act, seen, first) {
  const { why, came } = await whyNot(second, watcher, target, act, first);
  let refused = why;
  if (!refused) {
    const effect = await observe(watcher, target, async () => { refused = second.veto() || await inPage(watcher, clickAgain); });
    if (!refused) return evidence('synthetic', effect, seen);
  }
  const { hint, ...rest } = first;
  const result = { ...rest, ...came, changes: [...new Set([...first.changes ?? [], ...came.changes ?? []])] };
  return result.effect === 'none_seen' ? { ...result, hint: `${hint}; there was no second click: ${refused}` } : result;
}

/** @param {Second} second @param {Held} watcher @param {Target} target @param {Act} act @param {Evidence} first @returns {Promise<{why: string, came: Partial<Evidence>}>} came is what was seen after the first look */
async function whyNot({ unfit, veto }, watcher, target, act, first) {
  const lasting = ['url', 'navigation', 'document', 'new_tab', 'download', 'dialog'].find(change => first.changes?.includes(change));
  if (unfit || lasting || first.effect === 'unknown') return { why: unfit || lasting || 'the page does not answer', came: {} };
  try {
    for (let looked = 0; looked < intervals; looked++) {
      await after(intervalMs);
      const { progress, now, changes, nodes } = await see(watcher);
      const why = progress || now || veto();
      if (why) return { why, came: changes.length > 0 ? { effect: 'seen', changes, changed_nodes: nodes } : {} };
    }
    return { why: await whyUnfit(watcher, target, act), came: {} };
  } catch (thrown) {
    const dialog = dialogOf(watcher.tab);
    if (asFault(thrown).code === 'dialog_open' && dialog) return { why: 'dialog', came: { effect: 'seen', changes: ['dialog'], dialog: dialog.message || dialog.type } };
    return { why: veto() || 'the page has moved on', came: { effect: veto() ? 'seen' : 'unknown' } };
  }
}
