// Tabs: list, open, close, select; and which addresses may be read or opened.

import * as browser from './chrome.js';
import { Fault, asFault } from './fault.js';

/** @typedef {import('./wire.js').Tab} Tab */
/** @typedef {import('./wire.js').TabsParams} TabsParams */
/** @typedef {import('./wire.js').TabsResult} TabsResult */

const groupTitle = 'Handrail';
const closeMs = 3000;
const readable = new Set(['http:', 'https:', 'file:', 'data:', 'blob:', 'filesystem:']);
const store = /^https:\/\/(chromewebstore\.google\.com|chrome\.google\.com\/webstore)(\/|$)/;

/** Tells whether the browser keeps extensions from reading a page. @param {string} url */
export function restricted(url) {
  if (url === '' || /^about:(blank|srcdoc)\b/.test(url)) return false;
  return !URL.canParse(url) || !readable.has(new URL(url).protocol) || store.test(url);
}

/**
 * Refuses addresses that nobody may be sent to: javascript:, the browser's own
 * schemes, and files but in the dedicated browser.
 * @param {string} url @param {boolean} dedicated
 * @returns {string} the address
 * @throws {Fault} bad_url
 */
export function allowURL(url, dedicated) {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  if (scheme === 'http:' || scheme === 'https:' || url === 'about:blank') return url;
  if (/^data:text\/html[;,]/i.test(url) && url.length <= 1 << 20) return url;
  if (scheme === 'file:' && dedicated) return url;
  throw new Fault('bad_url', undefined, { field: 'url' });
}

/**
 * @param {TabsParams} params
 * @param {boolean} dedicated the browser is Handrail's own: a new tab may come to front; in
 *   a user's browser it stays behind, in a group of its own
 * @returns {Promise<TabsResult>} the tabs after the action
 */
export async function tabs({ action = 'list', tab = 0, url = 'about:blank' }, dedicated) {
  /** @type {TabsResult} */
  const result = { tabs: [] };
  try {
    if (action === 'open') result.tab = await open(allowURL(url, dedicated), dedicated);
    if (action === 'close') await close(tab);
    if (action === 'select') {
      const { windowId } = await browser.selectTab(tab) ?? {};
      if (windowId !== undefined) await browser.focusWindow(windowId);
      result.tab = tab;
    }
  } catch (thrown) {
    throw asFault(thrown);
  }
  result.tabs = await list();
  return result;
}

/** Closes a tab; a page that asks before it is left keeps it open. @param {number} tab */
async function close(tab) {
  const closed = await Promise.race([
    browser.removeTab(tab).then(() => true),
    new Promise(resolve => setTimeout(resolve, closeMs, false)),
  ]);
  if (!closed) throw new Fault('dialog_open', 'the page asks before it is left', { dispatched: 'yes' });
}

/** @param {string} url @param {boolean} dedicated */
async function open(url, dedicated) {
  const { id = 0, windowId } = await browser.createTab({ url, active: dedicated });
  if (!dedicated) await browser.groupTab({ id, windowId }, groupTitle);
  return id;
}

/** @returns {Promise<Tab[]>} */
async function list() {
  const [all, last] = await Promise.all([browser.listTabs(), browser.lastWindow()]);
  return all.map(({ id = 0, windowId, active, url = '', pendingUrl = '', title = '' }) => ({
    tab: id, window: windowId, active, focused: active && windowId === last,
    url: url || pendingUrl, title, ...(restricted(url || pendingUrl) ? { restricted: true } : {}),
  }));
}
