// What an act does outside of its document: a tab, a download, errors in the
// console, and where the focus went.

import { withholder } from './act-secrets.js';
import { onTabOpened } from './chrome.js';
import { fold, nameOf } from './identity.js';
import { focused } from './in-page.js';
import { inPageKept } from './node.js';
import { listen, send, tellConsole } from './session.js';

/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {{newTab: number, download: string, errors: number}} Outside */

const openMs = 250; // for a tab that is on its way
const lookMs = 500;

/**
 * Begins to look.
 * @param {number} tab in use @param {string} targetId
 * @returns {{seen: () => boolean, end: () => Promise<Outside>}} seen says whether something came already; end waits
 *   for a tab that is on its way
 */
export function effectsOf(tab, targetId) {
  const began = Date.now();
  /** @type {Outside} */
  const found = { newTab: 0, download: '', errors: 0 };
  let opening = ''; // address of a tab on its way
  let opened = () => {};
  const open = /** @type {Promise<void>} */ (new Promise(resolve => { opened = resolve; }));
  /** @type {chrome.tabs.Tab[]} */
  const others = [];
  // A tab's opener is the tab that was in front, which need not be this one; its address may not be known yet.
  const pick = () => {
    const other = others.find(({ openerTabId, url, pendingUrl }) => openerTabId === tab || (opening && [opening, '', 'about:blank'].includes(pendingUrl || url || '')));
    if (other) found.newTab ||= other.id ?? 0;
    if (found.newTab) opened();
  };
  const endTabs = onTabOpened(other => {
    others.push(other);
    pick();
  });
  const endEvents = listen(tab, (method, params) => {
    if (method === 'Page.windowOpen' || (method === 'Page.frameRequestedNavigation' && /^new/.test(params.disposition))) {
      opening = params.url || 'about:blank';
      pick();
    }
    if (method === 'Page.downloadWillBegin') found.download ||= params.suggestedFilename || 'download';
    if (errorAt(method, params) >= began) found.errors++;
  });
  tellConsole(tab, targetId);
  return {
    seen: () => opening !== '' || found.newTab > 0 || found.download !== '',
    async end() {
      if (opening && !found.newTab) await Promise.race([open, new Promise(resolve => setTimeout(resolve, openMs))]);
      endTabs();
      endEvents();
      return found;
    },
  };
}

/** When an error was told to the console, Unix ms; 0 for anything else. @param {string} method @param {any} params */
function errorAt(method, params) {
  if (method === 'Runtime.exceptionThrown') return params.timestamp;
  if (method === 'Runtime.consoleAPICalled' && /^(error|assert)$/.test(params.type)) return params.timestamp;
  return method === 'Log.entryAdded' && params.entry.level === 'error' ? params.entry.timestamp : 0;
}

/** Role and name of what has the focus; '' when nothing says. @param {Held} watcher @param {Target} target @returns {Promise<string>} */
export async function focusOf(watcher, target) {
  const say = async () => {
    const { objectId } = await inPageKept(watcher, focused);
    if (!objectId) return '';
    const { nodes: [ax] } = await send(watcher.tab, watcher.targetId, 'Accessibility.getPartialAXTree', { objectId, fetchRelatives: false }, lookMs);
    const name = await withholder(watcher, target)(nameOf(ax));
    return `${fold(String(ax?.role?.value ?? '')).toLowerCase() || 'node'}${name ? ` "${name}"` : ''}`;
  };
  return say().catch(() => '');
}
