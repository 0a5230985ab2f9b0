// type: text into an editable node, entered as an input method enters it.

import { chordOf, maxKeys, strike, typeKeys } from './act-keys.js';
import { checkShown } from './act-point.js';
import { hideTyped, isSecret } from './act-secrets.js';
import { refusePart, setTypes } from './act-set.js';
import { submitFrom } from './act-submit.js';
import { evidence, guard, observe, watched } from './act-watch.js';
import { Fault } from './fault.js';
import { focusOn, textOf, twoFrames } from './in-page.js';
import { goneAsFocused, hold, inPage } from './node.js';
import { hidden } from './secrets.js';
import { awake, send } from './session.js';

/** @typedef {import('./act-watch.js').Effect} Effect */
/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */

const kinds = ['beforeinput', 'keydown', 'keypress', 'keyup'];
// Chromium enters a text line by line: 1,000 lines took 2 s, 2,000 took 7 s, 3,000 took 16 s.
const manyLines = 500;
const manyLinesMs = 25_000;

/**
 * Types into a target.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function type(tab, target, { text = '', clear = false, submit = false, keys = false, secret: mark = false, expect }, start) {
  await awake(tab);
  return hold(tab, target, node => watched(node, kinds, async watcher => {
    const seen = await checkShown(node, target, expect);
    await refusePart(node, target, seen);
    refuseText(seen);
    if (keys) refuseKeys(text, seen);
    const secret = await isSecret(target, seen, mark);
    await guard(node, watcher, target, seen, expect);
    const read = () => inPage(node, textOf);
    const before = await read();

    await start();
    const effect = await observe(watcher, target, () => enter(node, text, clear, keys ? watcher : undefined));
    if (text !== '' || (clear && before !== '')) delivered(effect);
    const typed = effect.sight ? await read().catch(() => undefined) : undefined;
    const { chosen, hint } = submit && effect.sight ? await submitFrom(node, watcher, target, effect) : {};
    const now = submit && effect.sight ? await read().catch(() => typed) : typed; // a page may empty what it took
    if (chosen || (typed !== undefined && typed !== before)) effect.changes.push('value');
    return {
      ...evidence(keys ? 'keys' : 'insertText', effect, seen, secret ? hideTyped(text) : undefined),
      ...(now === undefined ? {} : { value_now: secret ? hidden : now }),
      ...(typed === undefined || plain(typed) === plain((clear ? '' : before) + text) ? {} : { reverted: true }),
      ...(chosen ? { chosen: secret ? [hidden] : chosen } : {}), ...(hint ? { hint } : {}),
    };
  }));
}

/** Browsers and editors may break a text's lines differently. @param {string} text */
const plain = text => text.replace(/\s+/g, ' ').trim();

/** @param {string} tag @param {string} type */
function insteadOf(tag, type) {
  if (tag === 'select') return ': choose by select';
  if (setTypes.test(type)) return ': give it a value by set_value';
  return { checkbox: ': use check', radio: ': use check', file: ': use upload' }[type] ?? '';
}

/** @param {Seen} seen */
function refuseText({ role, probe: { editable, tag, type } }) {
  if (editable === 'kind') throw new Fault('wrong_kind', `a ${type ? `field of type ${type}` : role || tag} takes no text${insteadOf(tag, type)}`);
  if (editable === 'readonly') throw new Fault('not_editable', 'the field is read-only');
  if (editable === 'none') throw new Fault('not_editable', `a ${role || tag} takes no text`);
}

/** @param {string} text @param {Seen} seen */
function refuseKeys(text, { probe: { tag } }) {
  if (text.length > maxKeys) throw new Fault('bad_request', `key by key at most ${maxKeys} characters are typed`, { field: 'text' });
  if (tag === 'input' && /[\r\n]/.test(text)) throw new Fault('bad_request', 'Enter in a field of one line submits it: leave the line break out and say submit', { field: 'text' });
}

/** @param {Held} node @param {string} text @param {boolean} clear @param {Held} [watcher] for key by key */
async function enter(node, text, clear, watcher) {
  const { focused, placed, rich, gone } = await inPage(node, focusOn, clear);
  if (gone) throw goneAsFocused();
  if (!focused) throw new Fault('not_editable', 'the field does not take the focus', { dispatched: 'yes', effect: 'none_seen' });
  if (rich) { // once focused, an editor puts its own selection back, and it notes another one a moment later
    await inPage(node, twoFrames);
    await inPage(node, focusOn, clear);
    await inPage(node, twoFrames);
  }
  if (!placed) await strike(node, chordOf('End'));
  if (text === '') return clear ? strike(node, chordOf('Backspace')) : undefined;
  if (watcher) return typeKeys(node, watcher, text);
  const ms = text.split('\n').length > manyLines ? manyLinesMs : undefined;
  return send(node.tab, node.targetId, 'Input.insertText', { text }, ms);
}

/** Says so when text did not get to its field. @param {Effect} effect */
function delivered({ sight }) {
  if (!sight || (sight.began && !sight.held)) return;
  if (sight.held === '') throw new Fault('not_delivered', undefined, { dispatched: 'uncertain', effect: 'unknown' });
  const more = /** @type {const} */ ({ dispatched: sight.began ? 'yes' : 'no', effect: sight.began ? 'unknown' : 'none_seen' });
  if (sight.held === 'covered') throw new Fault('not_editable', 'another node took the focus', more);
  throw new Fault('stale_uid', 'the node changed as it was typed into', { reason: sight.held, ...more });
}
