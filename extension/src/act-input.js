// The acts on a node: click and type, with trusted input through CDP.

import { inPage, labelOf, locate, ready } from './act-point.js';
import { Fault, asFault } from './fault.js';
import { identify } from './identity.js';
import { place, seen, submitForm, textOf, watch } from './in-page.js';
import { hidden, passwordsOf, rememberPasswords, secrecy } from './secrets.js';
import { awake, dialogOf, listen, send } from './session.js';

/** @typedef {import('./identity.js').Node} Node */
/** @typedef {import('./in-page.js').Probe} Probe */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {() => Promise<void>} Start records that the act is about to reach the page */

const budgetMs = 2000;
const firstLookMs = 25;

/**
 * Clicks a target.
 * @param {number} tab @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function click(tab, target, act, start) {
  const deadline = Date.now() + (act.timeoutMs || budgetMs);
  const node = await identify(tab, target, act.expect);
  const found = await ready(tab, target, node);
  const drawnByLabel = ['checkbox', 'radio', 'file'].includes(found.type);
  if (found.tag === 'option') throw new Fault('wrong_kind', 'an option is chosen in its list, not clicked');
  await awake(tab);
  const { point, rect } = await locate(tab, target, node, deadline).catch(async thrown => {
    // A control that a page draws by its label is clicked there, as a person would.
    const label = drawnByLabel && /^(not_visible|covered)$/.test(asFault(thrown).code) && await labelOf(tab, target.targetId, node);
    if (!label) throw thrown;
    return locate(tab, target, label, deadline);
  });
  await inPage(tab, target.targetId, node.objectId, watch);
  await start();
  const effect = await observe(tab, target, node, async () => {
    const at = { ...point, button: /** @type {const} */ ('left'), clickCount: 1 };
    await mouse(tab, target, { type: 'mouseMoved', ...point });
    await mouse(tab, target, { type: 'mousePressed', ...at, buttons: 1 });
    await mouse(tab, target, { type: 'mouseReleased', ...at });
  });
  if (effect.pressed === false && effect.changes.length === 0) {
    throw new Fault('not_delivered', undefined, { dispatched: 'uncertain', effect: 'none_seen' });
  }
  return evidence('mouse', effect, { tag: found.tag, role: node.role, name: node.name, rect, ...(found.href ? { href: found.href } : {}) });
}

/** @param {number} tab @param {Target} target @param {import('devtools-protocol').Protocol.Input.DispatchMouseEventRequest} event */
const mouse = (tab, { targetId }, event) => send(tab, targetId, 'Input.dispatchMouseEvent', event);

/**
 * Types into a target.
 * @param {number} tab @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function type(tab, target, act, start) {
  const { targetId, backendDOMNodeId: backendNodeId, loaderId } = target;
  const { text = '', clear = false, submit = false } = act;
  const node = await identify(tab, target, act.expect);
  const found = await ready(tab, target, node);
  if (found.editable === 'kind') throw new Fault('wrong_kind', `a ${found.type || found.tag} takes no text`);
  if (found.editable === 'readonly') throw new Fault('not_editable', 'the field is read-only');
  await awake(tab);
  if (found.type === 'password') await rememberPasswords(loaderId, [backendNodeId]);
  const secret = target.secret || secrecy(found, node.name) !== '' || (await passwordsOf(loaderId)).has(backendNodeId);
  const read = () => inPage(tab, targetId, node.objectId, textOf);
  const before = clear ? '' : await read();

  await inPage(tab, targetId, node.objectId, watch);
  await start();
  const effect = await observe(tab, target, node, async () => {
    await send(tab, targetId, 'DOM.focus', { backendNodeId }).catch(thrown => {
      throw asFault(thrown).code === 'internal' ? new Fault('not_editable', 'the field takes no focus') : thrown;
    });
    const { focused, placed } = await inPage(tab, targetId, node.objectId, place, clear);
    if (!focused) throw new Fault('not_editable', 'the field does not keep the focus', { dispatched: 'yes' });
    if (!placed) await press(tab, targetId, 'End', 35);
    if (text !== '') await send(tab, targetId, 'Input.insertText', { text });
    else if (clear) await press(tab, targetId, 'Backspace', 8);
  });
  const now = effect.gone ? undefined : await read().catch(() => undefined);
  const reverted = now !== undefined && !holds(now, before, text);
  if (submit && !effect.dialog && !effect.gone) {
    const sent = await observe(tab, target, node, async () => {
      if (!await inPage(tab, targetId, node.objectId, submitForm)) await press(tab, targetId, 'Enter', 13, '\r');
    });
    Object.assign(effect, sent, { changes: [...new Set([...effect.changes, ...sent.changes])] });
  }
  if (now !== undefined && now !== before) effect.changes = [...new Set([...effect.changes, 'value'])];
  return {
    ...evidence('insertText', effect, { tag: found.tag, role: node.role, name: node.name, rect: [0, 0, 0, 0] }),
    ...(now === undefined ? {} : { value_now: secret ? hidden : now }),
    ...(reverted ? { reverted } : {}),
  };
}

/** Whether a field holds what was there and was typed; browsers and editors may break its lines differently. @param {string} now @param {string} before @param {string} text */
function holds(now, before, text) {
  const plain = (/** @type {string} */ value) => value.replace(/\s+/g, ' ').trim();
  return plain(now) === plain(before + text);
}

/** @param {number} tab @param {string} targetId @param {string} key @param {number} windowsVirtualKeyCode @param {string} [text] */
async function press(tab, targetId, key, windowsVirtualKeyCode, text) {
  const event = { key, code: key, windowsVirtualKeyCode, ...(text ? { text } : {}) };
  await send(tab, targetId, 'Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event });
  await send(tab, targetId, 'Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, windowsVirtualKeyCode });
}

/**
 * @typedef {object} Effect what input did
 * @property {string[]} changes
 * @property {boolean | undefined} pressed whether the page got the press; undefined when it is not known
 * @property {boolean} gone the document was replaced meanwhile
 * @property {boolean} unknown the page could not be looked at afterwards
 * @property {string} dialog
 * @property {string} url
 * @property {string} title
 */

/**
 * Sends input and looks at what it does, for a moment. A dialog that it opens or
 * a document that it replaces ends the look.
 * @param {number} tab @param {Target} target @param {Node} node @param {() => Promise<void>} input
 * @returns {Promise<Effect>}
 */
async function observe(tab, target, node, input) {
  /** @type {Effect} */
  const effect = { changes: [], pressed: undefined, gone: false, unknown: false, dialog: '', url: '', title: '' };
  const end = listen(tab, (method, params, targetId) => {
    if (method === 'Page.frameNavigated' && params.frame.id === target.frameId && targetId === target.targetId) {
      effect.gone = true;
      effect.url = params.frame.url;
    }
  });
  let sent = false;
  try {
    await input();
    sent = true;
    await new Promise(resolve => setTimeout(resolve, firstLookMs));
    if (!effect.gone) {
      const { pressed, changes, url, title } = await inPage(tab, target.targetId, node.objectId, seen);
      Object.assign(effect, { pressed, changes, url, title });
    }
  } catch (thrown) {
    const fault = asFault(thrown);
    const dialog = dialogOf(tab);
    if (fault.code === 'dialog_open' && dialog) effect.dialog = dialog.message || dialog.type;
    else if (fault.code === 'internal' && !fault.more.dispatched && /context|object|navigat|Execution/i.test(fault.message)) effect.gone = true; // its world went with the document
    else if (fault.code === 'detached' && /frame|navigated/.test(fault.message)) effect.gone = true;
    else if (fault.code === 'not_editable') throw fault;
    else if (sent) effect.unknown = true; // the input got there; what came of it cannot be seen
    else throw new Fault('uncertain', `the page did not answer: ${fault.message}`, { dispatched: 'uncertain', effect: 'unknown' });
  } finally {
    end();
  }
  if (effect.dialog) effect.changes.push('dialog');
  if (effect.gone) effect.changes = ['document'];
  return effect;
}

/** @param {string} method @param {Effect} effect @param {import('./wire.js').Hit} hit @returns {Evidence} */
function evidence(method, { changes, gone, unknown, dialog, url, title }, hit) {
  return {
    dispatched: 'yes', effect: changes.length > 0 ? 'seen' : unknown ? 'unknown' : 'none_seen', settled: false, method, hit, changes,
    ...(url ? { url } : {}), ...(title ? { title } : {}), ...(gone ? { new_document: true } : {}), ...(dialog ? { dialog } : {}),
  };
}
