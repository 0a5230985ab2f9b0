// The only file that names chrome.*. Every function here is one call of the
// browser, without policy; failures come back as the browser words them and are
// mapped to codes in fault.js.

import { HostName } from './wire.js';

/** @typedef {chrome.runtime.Port} Port */

// --- ports

/** The native host, started anew by every call. @returns {Port} */
export const connectHost = () => chrome.runtime.connectNative(HostName);

/** The service worker, which is started if it has to be. @param {string} name @returns {Port} */
export const connectWorker = name => chrome.runtime.connect(chrome.runtime.id, { name });

/** Why a port that has just closed did so. @returns {string} */
export const lastError = () => chrome.runtime.lastError?.message ?? '';

/**
 * Tells whether a port was opened by a page of this extension.
 * @param {Port} port
 */
export const ownPage = port =>
  port.sender?.id === chrome.runtime.id && (port.sender.url ?? '').startsWith(chrome.runtime.getURL(''));

/** @param {(port: Port) => void} listener */
export const onConnect = listener => chrome.runtime.onConnect.addListener(listener);

// --- life of the worker

/** @param {() => void} listener called when the browser starts and when the extension is installed or updated */
export function onStart(listener) {
  chrome.runtime.onStartup.addListener(listener);
  chrome.runtime.onInstalled.addListener(listener);
}

/** @param {() => void} listener */
export const onAlarm = listener => chrome.alarms.onAlarm.addListener(listener);

/** Wakes the worker every so many minutes, whatever else happens. @param {number} minutes */
export const wakeEvery = minutes => chrome.alarms.create('wake', { periodInMinutes: minutes });

/** Opens the offscreen page unless it is open. @param {string} url */
export async function openOffscreen(url) {
  const open = await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT'] });
  if (open.length > 0) return;
  await chrome.offscreen.createDocument({
    url,
    reasons: ['WORKERS'],
    justification: 'Starts the service worker again when it was stopped.',
  });
}

/** Lets a click on the extension's button open the side panel. */
export const openPanelOnClick = () => chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

/** A few characters on the extension's button. @param {string} text */
export const setBadge = text => void chrome.action.setBadgeText({ text }).catch(() => {});

/** A notification that stays until it is answered or cleared. @param {string} id @param {string} title @param {string} message @param {string[]} buttons two at most */
export const showNotice = (id, title, message, buttons) => void chrome.notifications.create(id, {
  type: 'basic', iconUrl: chrome.runtime.getURL('icons/128.png'), title, message, buttons: buttons.map(title => ({ title })), requireInteraction: true,
}).catch(() => {}); // a desktop without notifications has the badge
/** @param {string} id */
export const clearNotice = id => void chrome.notifications.clear(id).catch(() => {});
/** @param {(id: string, button: number) => void} listener */
export const onNoticeButton = listener => chrome.notifications.onButtonClicked.addListener(listener);

export const version = () => chrome.runtime.getManifest().version;

/** Name and version of the browser. */
export function browserName() {
  const brands = /** @type {{userAgentData?: {brands: {brand: string, version: string}[]}}} */ (navigator).userAgentData?.brands ?? [];
  const named = brands.filter(({ brand }) => !/not.*brand/i.test(brand));
  const { brand = 'Chromium', version = '' } = named.find(({ brand }) => brand !== 'Chromium') ?? named[0] ?? {};
  return { name: brand, version: /Chrom\w*\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? version };
}

// --- storage: session survives the worker, local survives the browser

/** @param {string | string[]} [keys] without them, everything @returns {Promise<Record<string, unknown>>} */
export const sessionGet = keys => chrome.storage.session.get(keys);
/** @param {Record<string, unknown>} items */
export const sessionSet = items => chrome.storage.session.set(items);
/** @param {string | string[]} keys */
export const sessionRemove = keys => chrome.storage.session.remove(keys);
/** @param {string} key @returns {Promise<unknown>} */
export const localGet = async key => (await chrome.storage.local.get(key))[key];
/** @param {Record<string, unknown>} items */
export const localSet = items => chrome.storage.local.set(items);

// --- permissions

/** Asks the person to let the extension reach a site; only within their click. @param {string} pattern @returns {Promise<boolean>} */
export const requestOrigin = pattern => chrome.permissions.request({ origins: [pattern] });
/** Gives such a permission back. @param {string} pattern */
export const dropOrigin = pattern => chrome.permissions.remove({ origins: [pattern] });

// --- debugger

/** @param {number} tab */
export const attachDebugger = tab => chrome.debugger.attach({ tabId: tab }, '1.3');
/** @param {number} tab */
export const detachDebugger = tab => chrome.debugger.detach({ tabId: tab });

/**
 * Sends one CDP command.
 * @param {number} tab
 * @param {string} session CDP session of a frame in its own process; '' is the tab's own
 * @param {string} method
 * @param {object} params
 * @returns {Promise<object | undefined>}
 */
export const sendCommand = (tab, session, method, params) =>
  chrome.debugger.sendCommand(session ? { tabId: tab, sessionId: session } : { tabId: tab }, method,
    /** @type {{[name: string]: unknown}} */ (params));

/** @param {(tab: number, session: string, method: string, params: unknown) => void} listener */
export const onDebuggerEvent = listener => chrome.debugger.onEvent.addListener((source, method, params) => {
  if (source.tabId !== undefined) listener(source.tabId, source.sessionId ?? '', method, params);
});

/** @param {(tab: number, reason: string) => void} listener */
export const onDebuggerDetach = listener => chrome.debugger.onDetach.addListener((source, reason) => {
  if (source.tabId !== undefined) listener(source.tabId, reason);
});

// --- tabs

/** @param {number} tab */
export const getTab = tab => chrome.tabs.get(tab);
export const listTabs = () => chrome.tabs.query({});
/**
 * Opens a tab; in a window of its own where none is open.
 * @param {{url: string, active: boolean, windowId?: number, index?: number}} options
 * @returns {Promise<chrome.tabs.Tab>}
 */
export async function createTab(options) {
  if ((await chrome.windows.getAll({ windowTypes: ['normal'] })).length > 0) return chrome.tabs.create(options);
  const opened = await chrome.windows.create({ url: options.url, focused: options.active });
  const tab = opened?.tabs?.[0];
  if (!tab) throw new Error('no window could be opened');
  return tab;
}
/** @param {number} tab */
export const removeTab = tab => chrome.tabs.remove(tab);
/** @param {number} tab @param {string} url */
export const setTabURL = (tab, url) => chrome.tabs.update(tab, { url });
/** @param {number} tab */
export const selectTab = tab => chrome.tabs.update(tab, { active: true });
/** Brings a window to front. @param {number} window */
export const focusWindow = window => chrome.windows.update(window, { focused: true });
/** The window used last. @returns {Promise<number>} -1 when there is none */
export const lastWindow = async () => (await chrome.windows.getLastFocused({ windowTypes: ['normal'] }).catch(() => undefined))?.id ?? -1;
/** @param {(tab: chrome.tabs.Tab) => void} listener @returns {() => void} ends it */
export function onTabOpened(listener) {
  chrome.tabs.onCreated.addListener(listener);
  return () => chrome.tabs.onCreated.removeListener(listener);
}
/** @param {(tab: number) => void} listener */
export const onTabClosed = listener => chrome.tabs.onRemoved.addListener(listener);

/**
 * Puts a tab into the group of that title in its window, which is made if need be.
 * @param {{id: number, windowId: number}} tab @param {string} title
 */
export async function groupTab({ id, windowId }, title) {
  const [group] = await chrome.tabGroups.query({ windowId, title });
  if (group) return void await chrome.tabs.group({ tabIds: id, groupId: group.id });
  const groupId = await chrome.tabs.group({ tabIds: id, createProperties: { windowId } });
  await chrome.tabGroups.update(groupId, { title });
}

/** The window that this page stands in. @returns {Promise<number>} */
export const ownWindow = async () => (await chrome.windows.getCurrent()).id ?? -1;

/** The active tab of the window that this page stands in. @returns {Promise<number>} */
export async function activeTab() {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab?.id ?? 0;
}

/** @param {number} tab @returns {Promise<string>} '' when it is gone */
export const tabURL = async tab => (await chrome.tabs.get(tab).catch(() => undefined))?.url ?? '';
/** @param {number} tab */
export const reloadTab = tab => chrome.tabs.reload(tab);

/** Calls back whenever another tab of this page's window becomes the active one, or the active one has loaded. @param {() => void} listener */
export function onActiveTab(listener) {
  const here = async (/** @type {number} */ window) => { if (window === await ownWindow()) listener(); };
  chrome.tabs.onActivated.addListener(({ windowId }) => here(windowId));
  chrome.tabs.onUpdated.addListener((_tab, change, { active, windowId }) => {
    if (active && change.status === 'complete') here(windowId);
  });
}
