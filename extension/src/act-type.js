// type: text into an editable node, entered as an input method enters it.

import { checkShown } from './act-point.js';
import { hideTyped } from './act-secrets.js';
import { evidence, guard, observe, watched } from './act-watch.js';
import { Fault } from './fault.js';
import { focusOn, submitForm, textOf } from './in-page.js';
import { hold, inPage } from './node.js';
import { hidden, passwordsOf, rememberPasswords, secrecy } from './secrets.js';
import { awake, send } from './session.js';

/** @typedef {import('./act-watch.js').Effect} Effect */
/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

const kinds = ['beforeinput', 'keydown', 'keypress', 'keyup'];

/**
 * Types into a target.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function type(tab, target, { text = '', clear = false, submit = false, expect }, start) {
  await awake(tab);
  return hold(tab, target, node => watched(node, kinds, async watcher => {
    const seen = await checkShown(node, target, expect);
    refuseText(seen);
    const secret = await isSecret(target, seen);
    await guard(node, watcher, target, seen, expect);
    const read = () => inPage(node, textOf);
    const before = await read();

    await start();
    const effect = await observe(watcher, target, () => enter(node, text, clear));
    if (text !== '' || (clear && before !== '')) delivered(effect);
    const now = effect.sight ? await read().catch(() => undefined) : undefined;
    if (submit && effect.sight) await submitFrom(node, watcher, target, effect);
    if (now !== undefined && now !== before) effect.changes.push('value');
    return {
      ...evidence('insertText', effect, seen, secret ? hideTyped(text) : undefined),
      ...(now === undefined ? {} : { value_now: secret ? hidden : now }),
      ...(now === undefined || plain(now) === plain((clear ? '' : before) + text) ? {} : { reverted: true }),
    };
  }));
}

/** Browsers and editors may break a text's lines differently. @param {string} text */
const plain = text => text.replace(/\s+/g, ' ').trim();

/** @param {Seen} seen */
function refuseText({ role, probe: { editable, tag, type } }) {
  if (editable === 'kind') throw new Fault('wrong_kind', `a ${type ? `field of type ${type}` : role || tag} takes no text`);
  if (editable === 'readonly') throw new Fault('not_editable', 'the field is read-only');
  if (editable === 'none') throw new Fault('not_editable', `a ${role || tag} takes no text`);
}

/** Whether what a field holds must not be told; a password field is remembered. @param {Target} target @param {Seen} seen */
async function isSecret({ loaderId, backendDOMNodeId, secret }, { name, probe }) {
  if (probe.type === 'password') await rememberPasswords(loaderId, [backendDOMNodeId]);
  return secret || secrecy(probe, name) !== '' || (await passwordsOf(loaderId)).has(backendDOMNodeId);
}

/** @param {Held} node @param {string} text @param {boolean} clear */
async function enter(node, text, clear) {
  const { focused, placed } = await inPage(node, focusOn, clear);
  if (!focused) throw new Fault('not_editable', 'the field does not take the focus', { dispatched: 'yes', effect: 'none_seen' });
  if (!placed) await key(node, 'End', 35);
  if (text !== '') await send(node.tab, node.targetId, 'Input.insertText', { text });
  else if (clear) await key(node, 'Backspace', 8);
}

/** Says so when text did not get to its field. @param {Effect} effect */
function delivered({ sight }) {
  if (!sight || (sight.began && !sight.held)) return;
  if (sight.held === '') throw new Fault('not_delivered', undefined, { dispatched: 'uncertain', effect: 'unknown' });
  const more = /** @type {const} */ ({ dispatched: sight.began ? 'yes' : 'no', effect: sight.began ? 'unknown' : 'none_seen' });
  if (sight.held === 'covered') throw new Fault('not_editable', 'another node took the focus', more);
  throw new Fault('stale_uid', 'the node changed as it was typed into', { reason: sight.held, ...more });
}

/** Submits the field's form, or presses Enter where there is none, and adds what that does. @param {Held} node @param {Held} watcher @param {Target} target @param {Effect} effect */
async function submitFrom(node, watcher, target, effect) {
  const { changes } = effect;
  const sent = await observe(watcher, target, async () => {
    const how = await inPage(node, submitForm);
    if (how === 'disabled') throw new Fault('disabled', 'the text was typed, but the button that submits it is disabled', { reason: how, dispatched: 'yes', effect: 'seen' });
    if (how === '') await key(node, 'Enter', 13, '\r');
  });
  Object.assign(effect, sent, { changes: sent.gone ? sent.changes : [...new Set([...changes, ...sent.changes])] });
}

/** @param {Held} node @param {string} name @param {number} windowsVirtualKeyCode @param {string} [text] */
async function key({ tab, targetId }, name, windowsVirtualKeyCode, text) {
  const event = { key: name, code: name, windowsVirtualKeyCode };
  await send(tab, targetId, 'Input.dispatchKeyEvent', text ? { type: 'keyDown', ...event, text } : { type: 'rawKeyDown', ...event });
  await send(tab, targetId, 'Input.dispatchKeyEvent', { type: 'keyUp', ...event });
}
