// The acts on a whole tab: moving it, and evaluating an expression in it.

import { createTab, getTab, removeTab, setTabURL } from './chrome.js';
import { Fault, asFault, quoted } from './fault.js';
import { dialogOf, listen, noDialog, send, use } from './session.js';
import { allowURL, restricted } from './tabs.js';

/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {() => Promise<void>} Start */

const loadMs = 15_000;
const graceMs = 250; // for the answer that an expression was ended
const maxValue = 1 << 20; // bytes of JSON
const maxSaid = 1000;

/**
 * Moves a tab: navigate, back, forward, reload. Waits for the load.
 * @param {number} tab @param {Act} act @param {Start} start @param {boolean} dedicated
 * @returns {Promise<Evidence>} settled when the page has loaded in time
 */
export async function move(tab, act, start, dedicated) {
  const ms = act.timeoutMs || loadMs;
  noDialog(tab);
  if (act.kind === 'navigate') {
    const url = allowURL(act.url ?? '', dedicated);
    if (url.startsWith('data:')) return replace(tab, url, start, ms);
    // A page of the browser's own cannot be attached to, but it can be left.
    if (restricted((await getTab(tab).catch(thrown => { throw asFault(thrown); })).url ?? '')) return leave(tab, url, start, ms);
  }
  return use(tab, async () => {
    noDialog(tab);
    const go = await way(tab, act, ms);
    await start();
    return moved(tab, act, go, ms);
  });
}

/**
 * Answers the dialog that holds a tab up.
 * @param {number} tab @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function answerDialog(tab, act, start) {
  return use(tab, async () => {
    const dialog = dialogOf(tab);
    if (!dialog) throw new Fault('wrong_kind', 'no dialog is open in this tab');
    await start();
    await send(tab, dialog.targetId, 'Page.handleJavaScriptDialog', { accept: act.accept === true, ...(act.text === undefined ? {} : { promptText: act.text }) });
    const { url = '', title = '' } = await getTab(tab);
    return { dispatched: 'yes', effect: 'seen', settled: false, method: 'dialog', tab, url, title, dialog: dialog.message || dialog.type };
  });
}

/** How to move; nothing is sent yet. @param {number} tab @param {Act} act @param {number} ms @returns {Promise<() => Promise<void>>} */
async function way(tab, { kind, url = '' }, ms) {
  if (kind === 'reload') return () => between(() => send(tab, '', 'Page.reload', {}, ms));
  if (kind === 'navigate') {
    return async () => {
      const { errorText } = await between(() => send(tab, '', 'Page.navigate', { url }, ms));
      if (errorText) throw new Fault('navigation_failed', `the page did not load: ${errorText}`, { dispatched: 'yes', effect: 'unknown' });
    };
  }
  const { currentIndex, entries } = await between(() => send(tab, '', 'Page.getNavigationHistory'));
  const entry = entries[currentIndex + (kind === 'back' ? -1 : 1)];
  if (!entry) throw new Fault('navigation_failed', `there is no page to go ${kind} to`);
  return () => between(() => send(tab, '', 'Page.navigateToHistoryEntry', { entryId: entry.id }, ms));
}

/** Asks again while one page makes way for another, as after one that failed. @template T @param {() => Promise<T>} ask @returns {Promise<T>} */
async function between(ask) {
  for (let tries = 20; ; tries--) {
    try {
      return await ask();
    } catch (thrown) {
      if (tries === 0 || !/not attached to an active page/i.test(asFault(thrown).cdp)) throw thrown;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}

/** @param {number} tab @param {Act} act @param {() => Promise<void>} go @param {number} ms @returns {Promise<Evidence>} */
async function moved(tab, act, go, ms) {
  /** @type {'' | 'within' | 'replaced'} */
  let how = '';
  /** @type {(settled: boolean) => void} */
  let loaded = () => {};
  const load = new Promise(resolve => { loaded = resolve; });
  const end = listen(tab, (method, params, targetId) => {
    if (targetId !== '') return;
    if (method === 'Page.frameNavigated' && !params.frame.parentId) {
      how = 'replaced';
      failed ||= act.kind !== 'navigate' && params.frame.unreachableUrl !== undefined; // navigate itself says so
      if (params.type === 'BackForwardCacheRestore') loaded(true);
    }
    if (method === 'Page.navigatedWithinDocument' && how === '') {
      how = 'within';
      loaded(true);
    }
    if (method === 'Page.loadEventFired' && how === 'replaced') loaded(true);
    if (method === 'Page.javascriptDialogOpening') loaded(false);
  });
  let failed = false;
  const timer = setTimeout(() => loaded(false), ms);
  try {
    // A page that does not answer keeps go waiting.
    await Promise.race([go(), load]);
    await load;
  } catch (thrown) {
    if (asFault(thrown).code !== 'dialog_open') throw thrown;
    loaded(false);
  } finally {
    clearTimeout(timer);
    end();
  }
  if (failed) throw new Fault('navigation_failed', undefined, { dispatched: 'yes', effect: 'seen' });
  const dialog = dialogOf(tab);
  if (how === '' && !dialog && !await load) {
    // Until the page has answered no command gets through to the one that is there.
    await send(tab, '', 'Page.stopLoading');
    throw new Fault('timeout', `the page did not answer within ${ms} ms`, { dispatched: 'yes', effect: 'unknown' });
  }
  return landed(tab, await load === true && !dialog, how, dialog ? dialog.message || dialog.type : '');
}

/**
 * Opens a data: address, to which no tab may be moved, in a new tab that takes
 * the place of this one.
 * @param {number} tab @param {string} url @param {Start} start @param {number} ms
 * @returns {Promise<Evidence>} with the new tab
 */
async function replace(tab, url, start, ms) {
  const { index, windowId, active } = await getTab(tab).catch(thrown => { throw asFault(thrown); });
  await start();
  const { id = 0 } = await createTab({ url, active, windowId, index });
  // Attached at once: a dialog that opened before is never told of, and cannot be answered.
  await use(id, async () => {}).catch(() => {});
  await removeTab(tab);
  return arrived(id, ms);
}

/** @param {number} tab @param {string} url @param {Start} start @param {number} ms @returns {Promise<Evidence>} */
async function leave(tab, url, start, ms) {
  await start();
  await setTabURL(tab, url);
  return arrived(tab, ms);
}

/** Waits until a tab that was sent on its way has loaded. @param {number} tab @param {number} ms @returns {Promise<Evidence>} */
async function arrived(tab, ms) {
  for (const end = Date.now() + ms; Date.now() < end;) {
    const { status, pendingUrl } = await getTab(tab);
    const dialog = dialogOf(tab);
    if (dialog) return landed(tab, false, 'replaced', dialog.message || dialog.type);
    if (status === 'complete' && !pendingUrl) return landed(tab, true, 'replaced', '');
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return landed(tab, false, 'replaced', '');
}

/** @param {number} tab @param {boolean} settled @param {'' | 'within' | 'replaced'} way @param {string} dialog @returns {Promise<Evidence>} */
async function landed(tab, settled, way, dialog) {
  const { url = '', title = '' } = await getTab(tab);
  return {
    dispatched: 'yes', effect: way || dialog ? 'seen' : settled ? 'none_seen' : 'unknown', settled, method: 'navigation', tab, url, title,
    ...(way === 'replaced' ? { new_document: true } : {}), ...(dialog ? { dialog } : {}),
  };
}

/**
 * Runs an expression in a tab's root frame.
 * @param {number} tab @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>} with its value
 */
export async function evaluate(tab, act, start) {
  return use(tab, async () => {
    noDialog(tab);
    await start();
    const ms = act.timeoutMs || loadMs;
    const late = Date.now() + ms;
    const reached = /** @type {const} */ ({ dispatched: 'yes', effect: 'unknown' });
    const { result, exceptionDetails } = await send(tab, '', 'Runtime.evaluate', {
      expression: act.expression ?? '', returnByValue: true, awaitPromise: true, userGesture: true, timeout: ms,
    }, ms + graceMs).catch(thrown => {
      const fault = asFault(thrown);
      const dialog = dialogOf(tab);
      if (fault.code === 'dialog_open' && dialog) throw new Fault('dialog_open', `the expression opened a dialog: ${dialog.type} ${quoted(dialog.message)}`, reached);
      if (fault.code === 'timeout' || (fault.code === 'internal' && Date.now() >= late)) throw new Fault('timeout', `the expression did not end within ${ms} ms`, reached);
      if (fault.code === 'internal') throw new Fault('eval_failed', fault.message, reached); // its value cannot be copied, say
      throw new Fault(fault.code, fault.message, { ...fault.more, dispatched: 'uncertain', effect: 'unknown' });
    });
    if (exceptionDetails) {
      const { exception, text } = exceptionDetails;
      const said = exception?.description ?? (exception && 'value' in exception ? `${text} ${JSON.stringify(exception.value)}` : text);
      throw new Fault('eval_failed', said.split('\n')[0].slice(0, maxSaid), reached);
    }
    const value = result.unserializableValue ?? result.value; // NaN, say, has no JSON
    if (value !== undefined && new TextEncoder().encode(JSON.stringify(value)).length > maxValue) {
      throw new Fault('too_large', `the value has more than ${maxValue} bytes`, reached);
    }
    return { dispatched: 'yes', effect: 'unknown', settled: true, method: 'evaluate', tab, ...(value === undefined ? {} : { value }) };
  });
}
