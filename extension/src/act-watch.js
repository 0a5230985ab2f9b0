// Watching an act: that its input reaches the node and nothing else, and what
// the page does about it.

import { effectsOf, focusOf } from './act-effects.js';
import { Fault, asFault } from './fault.js';
import { check } from './identity.js';
import { arm, endWatch, sight, watch } from './in-page.js';
import { absent, alsoHold, inPage, inPageKept } from './node.js';
import { dialogOf, listen } from './session.js';

/** @typedef {import('./in-page-fields.js').Withheld} Withheld */
/** @typedef {import('./in-page.js').Sight} Sight */
/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */

const firstLookMs = 25;
const navigationMs = 100; // to see the document that a click leads to
const sightMs = 1000;
export const controls = [
  'a[href]', 'button', 'input', 'select', 'textarea', 'summary', '[contenteditable]', '[onclick]', '[tabindex]',
  ...['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'option', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'textbox', 'combobox'].map(role => `[role=${role} i]`),
].join();

/**
 * Runs work with a watcher of the node.
 * @template T
 * @param {Held} node
 * @param {string[]} kinds the events that the act is made of, the one that begins it first
 * @param {(watcher: Held) => Promise<T>} work
 * @param {number} [clicks] of the act
 * @returns {Promise<T>}
 */
export async function watched(node, kinds, work, clicks = 1) {
  const watcher = await inPageKept(node, watch, kinds, controls, clicks);
  try {
    return await work(watcher);
  } finally {
    inPage(watcher, endWatch).catch(() => {}); // it goes with its document
  }
}

/**
 * Arms a watcher: from here on input that would reach another node, or this one
 * when it stands for something else, is held back.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Seen} seen @param {string} [expect]
 */
export async function guard(node, watcher, target, seen, expect) {
  const item = seen.item ? await alsoHold(node, seen.item) : null;
  const keys = await Promise.all(seen.keys.map(key => alsoHold(node, key)));
  // What the watcher cannot read by itself is compared once more, now that it would see a change.
  if (!await inPage(watcher, arm, seen.name, seen.context, item, ...keys)) await check(node, target, expect);
}

/**
 * @typedef {object} Effect what input did
 * @property {Sight | undefined} sight undefined when the page could not be asked
 * @property {string[]} changes
 * @property {boolean} gone the document was replaced meanwhile
 * @property {boolean} removed it was not: its frame was taken away
 * @property {boolean} unknown the page could not be looked at afterwards
 * @property {string} dialog
 * @property {string} url
 * @property {string} title
 * @property {string} focus what has it, where it moved
 * @property {number} newTab
 * @property {string} download
 * @property {number} errors that the page told its console
 */

/** What no input did. @returns {Effect} */
export const noEffect = () =>
  ({ sight: undefined, changes: [], gone: false, removed: false, unknown: false, dialog: '', url: '', title: '', focus: '', newTab: 0, download: '', errors: 0 });

/**
 * Sends input and looks at what it does, for a moment. A dialog that it opens, or
 * a document that it leaves for another, ends the look.
 * @param {Held} watcher @param {Target} target @param {() => Promise<unknown>} input
 * @returns {Promise<Effect>}
 */
export async function observe(watcher, target, input) {
  const effect = noEffect();
  const { tab } = watcher;
  const outside = effectsOf(tab, target.targetId);
  let leaving = () => {};
  let left = () => {};
  const navigating = /** @type {Promise<void>} */ (new Promise(resolve => { leaving = resolve; }));
  const navigated = /** @type {Promise<void>} */ (new Promise(resolve => { left = resolve; }));
  let requested = false; // it may begin in a moment, or be one within the document
  const end = listen(tab, (method, params, targetId) => {
    if (method === 'Page.frameRequestedNavigation' && params.disposition === 'currentTab') requested = true;
    if (method === 'Page.downloadWillBegin') left(); // there is no document to come
    if (method === 'Page.frameStartedNavigating' && /different/i.test(params.navigationType) && (targetId === '' || params.frameId === target.frameId)) {
      effect.changes.push('navigation');
      leaving();
    }
    if (method === 'Page.frameDetached' && params.reason === 'remove' && params.frameId === target.frameId) effect.removed = true;
    if (method === 'Page.frameNavigated' && params.frame.id === target.frameId && targetId === target.targetId) {
      effect.gone = true;
      effect.url = params.frame.url;
      left();
    }
  });
  let sent = false;
  try {
    await input();
    sent = true;
    await after(firstLookMs);
    const sees = effect.gone ? undefined : see(watcher);
    sees?.catch(() => {}); // when it is not waited for
    const seen = await Promise.race([sees, navigating]);
    if (seen && requested && !seen.changes.includes('url')) await Promise.race([navigating, after(navigationMs)]);
    if (seen && effect.changes.includes('navigation') && !effect.gone) await Promise.race([navigated, after(navigationMs)]);
    if (seen) {
      effect.sight = seen;
      effect.changes.push(...seen.changes);
      Object.assign(effect, { url: seen.url, title: seen.title });
      if (seen.changes.includes('focus')) effect.focus = await focusOf(watcher, target);
    } else if (!effect.gone) {
      await Promise.race([navigated, after(navigationMs)]);
    }
  } catch (thrown) {
    const fault = asFault(thrown);
    const dialog = dialogOf(tab);
    if (fault.code === 'dialog_open' && dialog) effect.dialog = dialog.message || dialog.type;
    else if (fault.more.dispatched) throw fault;
    else if (effect.gone || absent(thrown)) effect.gone = true; // what watched it went with the document
    // The input got there, or something already came of it; the rest cannot be seen: a mailto: link ends the attachment.
    else if (sent || effect.changes.length > 0 || outside.seen()) effect.unknown = true;
    else throw new Fault('uncertain', `the page did not answer: ${fault.message}`, { dispatched: 'uncertain', effect: 'unknown' });
  } finally {
    end();
    Object.assign(effect, await outside.end());
  }
  if (effect.newTab) effect.changes.push('new_tab');
  if (effect.download) effect.changes.push('download');
  if (effect.dialog) effect.changes.push('dialog');
  if (effect.gone) effect.changes = [effect.removed ? 'frame_removed' : 'document', ...effect.changes.filter(change => ['new_tab', 'download'].includes(change))];
  effect.changes = [...new Set(effect.changes)];
  return effect;
}

/** @param {number} ms @returns {Promise<void>} */
export const after = ms => new Promise(resolve => setTimeout(resolve, ms));

/** What a watcher has seen. While a page is awaited the one that is there does not answer. @param {Held} watcher @returns {Promise<Sight>} */
export function see(watcher) {
  return Promise.race([inPage(watcher, sight), after(sightMs).then(() => { throw new Fault('timeout'); })]);
}

/** Says of a failure that nothing was sent. @param {unknown} thrown @returns {never} */
export function unsent(thrown) {
  const fault = asFault(thrown);
  fault.more.dispatched ??= 'no';
  fault.more.effect ??= 'none_seen';
  throw fault;
}

/**
 * @param {string} method @param {Effect} effect @param {Seen} seen
 * @param {(text: string) => string} [hide] takes out what must not be told
 * @returns {Evidence}
 */
export function evidence(method, { sight: saw, changes, gone, removed, unknown, dialog, url, title, focus, newTab, download, errors }, { role, name, probe: { tag, rect, href, navigates } }, hide = text => text) {
  const hit = { tag, role, name: hide(name).slice(0, maxText), rect, ...(href ? { href: hide(href).slice(0, maxText) } : {}) };
  const effect = changes.length > 0 ? 'seen' : unknown ? 'unknown' : 'none_seen';
  const { before = [], after = [], nodes = 0 } = saw ?? {};
  return {
    dispatched: 'yes', effect, settled: false, method, hit, changes,
    ...(url ? { url: hide(url) } : {}), ...(title ? { title: hide(title) } : {}), ...(navigates ? { navigates } : {}),
    ...(before.length > 0 ? { before } : {}), ...(after.length > 0 ? { after } : {}), ...(focus ? { focus: hide(focus).slice(0, maxText) } : {}),
    ...(newTab ? { new_tab: newTab } : {}), ...(download ? { download: hide(download).slice(0, maxText) } : {}),
    ...(errors ? { console_errors: errors } : {}), ...(nodes > 0 ? { changed_nodes: nodes } : {}),
    ...(gone && !removed ? { new_document: true } : {}), ...(dialog ? { dialog: hide(dialog) } : {}),
    ...(effect === 'none_seen' ? { hint: nothingSeen } : {}),
  };
}
export const nothingSeen = 'nothing was seen to change: take a snapshot, or wait for what may still come';
const maxText = 1000;

/** Does what must be done in the end, at once or when the dialog that keeps it from being done is closed. @param {number} tab @param {() => Promise<unknown>} work */
export function inTheEnd(tab, work) {
  if (!dialogOf(tab)) return void work().catch(() => {});
  const end = listen(tab, method => {
    if (method !== 'Page.javascriptDialogClosed') return;
    end();
    work().catch(() => {});
  });
}

/** The evidence of an act that there was no need for. @param {string} method @param {Seen} seen @returns {Evidence} */
export const unchanged = (method, seen) =>
  ({ ...evidence(method, noEffect(), seen), dispatched: 'no', unchanged: true });

/** Says that the page changed under an act that sends no input events. @param {Withheld | undefined} withheld */
export function refuseWithheld(withheld) {
  if (!withheld) return;
  const { held, began } = withheld;
  throw new Fault('stale_uid', `the node changed as it ${began ? 'got the focus' : 'was about to be set'}`, { reason: held, dispatched: began ? 'yes' : 'no', effect: began ? 'unknown' : 'none_seen' });
}
