// upload: files into a file field, by the node itself, its label, or a button
// that opens the browser's file chooser.

import { click } from './act-click.js';
import { evidence, guard, inTheEnd, observe, watched } from './act-watch.js';
import { Fault, asFault, quoted } from './fault.js';
import { check } from './identity.js';
import { fileField, fileFieldOf, filesOf } from './in-page-move.js';
import { hold, inPage, inPageKept } from './node.js';
import { awake, listen, send } from './session.js';

/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

const chooserMs = 2000; // for a button to open it
const tickMs = 25; // for the page to look at what it was given
const reached = /** @type {const} */ ({ dispatched: 'yes', effect: 'unknown' });

/**
 * Gives files to a target.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function upload(tab, target, act, start) {
  await awake(tab);
  const done = await hold(tab, target, async node => {
    const seen = await check(node, target, act.expect); // the field itself may be hidden: it seldom is what is seen
    const field = await inPageKept(node, fileFieldOf);
    if (field.objectId) return give(node, field, target, seen, act, start);
    const { tag, type } = seen.probe;
    if (['textarea', 'select', 'option'].includes(tag) || (tag === 'input' && !['button', 'submit', 'image'].includes(type))) {
      throw new Fault('wrong_kind', `a ${type ? `field of type ${type}` : seen.role || tag} takes no files`);
    }
    return undefined;
  });
  return done ?? choose(tab, target, act, start);
}

/** Sets the files of a field. @param {Held} node @param {Held} field @param {Target} target @param {Seen} seen @param {Act} act @param {Start} start */
async function give(node, field, target, seen, { files = [], expect }, start) {
  const { disabled, tag } = seen.probe;
  if (disabled) throw new Fault('disabled', undefined, { reason: disabled });
  await fits(field, files);
  return watched(field, ['input', 'change'], async watcher => {
    // A label says what it is by itself; its field may stand anywhere.
    await (tag === 'input' ? guard(field, watcher, target, seen, expect) : check(node, target, expect));
    const { names } = await inPage(field, filesOf);
    await start();
    const effect = await observe(watcher, target, () => set(field, files));
    if (effect.sight?.held) throw new Fault('stale_uid', 'the node changed as it was given the files', { reason: effect.sight.held, ...reached });
    return { ...evidence('setFiles', effect, seen), ...await told(field, files, names, effect.changes) };
  });
}

/** Refuses files that a field has no place for. @param {Held} field @param {string[]} files @param {object} [more] */
async function fits(field, files, more) {
  const { multiple, directory, disabled } = await inPage(field, fileField);
  if (directory) throw new Fault('wrong_kind', 'the field takes whole folders, which are not uploaded', more);
  if (disabled) throw new Fault('disabled', undefined, { reason: 'disabled', ...more });
  if (files.length > 1 && !multiple) throw new Fault('bad_request', 'the field takes one file', { field: 'files', ...more });
}

/** @param {Held} field @param {string[]} files @param {object} [more] */
async function set({ tab, targetId, objectId }, files, more) {
  await send(tab, targetId, 'DOM.setFileInputFiles', { files, objectId }).catch(thrown => {
    const fault = asFault(thrown);
    if (!/not allowed/i.test(fault.cdp)) throw fault;
    throw new Fault('not_approved', 'the browser lets Handrail read no files', {
      dispatched: 'no', effect: 'none_seen', hint: 'switch on "Allow access to file URLs" for Handrail in chrome://extensions', ...more,
    });
  });
}

const baseName = (/** @type {string} */ path) => path.split(/[\\/]/).at(-1) ?? '';

/**
 * Reads back what a field holds.
 * @param {Held} field @param {string[]} files @param {string[]} before @param {string[]} changes seen so far
 * @returns {Promise<Partial<Evidence>>}
 */
async function told(field, files, before, changes) {
  const now = await inPage(field, filesOf).catch(() => undefined); // it goes with its page
  if (!now) return {};
  const [was, is, wanted] = [before, now.names, files.map(baseName)].map(names => names.join(', '));
  let hint = '';
  if (is === '' && wanted !== '') hint = 'the page emptied the field again: it took the files, or refused them';
  else if (now.unfit.length > 0) hint = `the page says that it does not accept ${now.unfit.join(', ')}`;
  return {
    value_now: is, ...(is === wanted ? {} : { reverted: true }), ...(hint ? { hint } : {}),
    ...(is === was ? {} : { effect: 'seen', changes: [...changes, 'value'] }),
  };
}

/** Clicks what opens the file chooser, and answers that. @param {number} tab @param {Target} target @param {Act} act @param {Start} start @returns {Promise<Evidence>} */
async function choose(tab, target, act, start) {
  const { targetId } = target;
  const { files = [] } = act;
  /** @type {(opened: {backendNodeId?: number, frameId: string} | undefined) => void} */
  let opened = () => {};
  const opening = /** @type {Promise<{backendNodeId?: number, frameId: string} | undefined>} */ (new Promise(resolve => { opened = resolve; }));
  const end = listen(tab, (method, params, from) => {
    if (method === 'Page.fileChooserOpened' && from === targetId) opened(params);
  });
  const intercept = (/** @type {boolean} */ enabled) => send(tab, targetId, 'Page.setInterceptFileChooserDialog', { enabled });
  await intercept(true);
  try {
    const clicked = await click(tab, target, { ...act, kind: 'click' }, start);
    if (clicked.dialog || clicked.new_document) throw new Fault('wrong_kind', `the click opened ${clicked.dialog ? `a dialog: ${quoted(clicked.dialog)}` : 'another page'}, and no file chooser`, reached);
    const chooser = await Promise.race([opening, new Promise(resolve => setTimeout(resolve, chooserMs, undefined))]);
    if (!chooser) throw new Fault('wrong_kind', 'the click opened no file chooser', { ...reached, effect: clicked.effect });
    if (!chooser.backendNodeId) throw new Fault('wrong_kind', 'the page asked for files by a way that has no field', reached);
    if (chooser.frameId !== target.frameId) throw new Fault('wrong_kind', 'the file chooser is that of another frame', reached);
    return await hold(tab, { ...target, backendDOMNodeId: chooser.backendNodeId }, async field => {
      await fits(field, files, reached);
      const { names } = await inPage(field, filesOf);
      await set(field, files, reached);
      await new Promise(resolve => setTimeout(resolve, tickMs));
      return { ...clicked, method: 'chooser', ...await told(field, files, names, clicked.changes ?? []) };
    });
  } finally {
    end();
    inTheEnd(tab, () => intercept(false)); // or the page's own choosers never open
  }
}
