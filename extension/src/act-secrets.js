// Secrets in what acts say: names, contexts and addresses hold copies of values
// that were typed (a label around a field, a form sent by GET). They are hidden
// as capture hides them.

import { fields, textOf } from './in-page.js';
import { absent, alsoHold, inPage } from './node.js';
import { hidden, hider, markedOf, passwordsOf, rememberMarked, rememberPasswords, secrecy } from './secrets.js';

/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Target} Target */

/**
 * Makes a function that hides the secrets of a node's document in a text; they
 * are looked for when it is first called.
 * @param {Held} node @param {Target} target
 * @returns {(text: string) => Promise<string>}
 */
export function withholder(node, target) {
  /** @type {Promise<(text: string) => string> | undefined} */
  let hide;
  return async text => (text === '' ? text : (await (hide ??= secretsOf(node, target)))(text));
}

/** @param {Held} node @param {Target} target @returns {Promise<(text: string) => string>} */
async function secretsOf(node, { loaderId }) {
  /** @param {ReadonlySet<number>} ids */
  const textsOf = async ids => {
    const texts = [];
    for (const id of ids) {
      try {
        texts.push(await inPage(await alsoHold(node, id), textOf));
      } catch (thrown) {
        if (!absent(thrown)) throw thrown; // the field is no longer there
      }
    }
    return texts;
  };
  const [passwords, marked] = [await textsOf(await passwordsOf(loaderId)), await textsOf(await markedOf(loaderId))];
  const found = (await inPage(node, fields)).map(field => ({ value: field.value, kind: secrecy(field, field.label) }));
  const values = (/** @type {string} */ kind) => found.flatMap(field => (field.kind === kind ? [field.value] : []));
  const hiders = [hider([...passwords, ...values('password')], ''), hider([...marked, ...values('secret')], hidden)];
  return text => hiders.reduce((left, hide) => hide?.(left) ?? left, text);
}

/**
 * Makes a function that hides a text that was typed into a secret field, also as
 * a form puts it into its address.
 * @param {string} typed
 * @returns {(text: string) => string}
 */
export function hideTyped(typed) {
  const query = new URLSearchParams([['', typed]]).toString().slice(1);
  // Of a digit of a code copies stand everywhere, and where one is hidden in what is known, it is told: http://‹hidden›27.0.0.‹hidden›.
  if (typed.length < 3) return text => text.replace(/=([^&#]*)/g, (whole, value) => (value === query ? `=${hidden}` : whole));
  return hider([typed, query, encodeURIComponent(typed), encodeURI(typed)], hidden) ?? (text => text);
}

/**
 * Whether what a field holds must not be told; what it is by its type, or is said
 * to be, is remembered.
 * @param {Target} target @param {import('./identity.js').Seen} seen @param {boolean} [mark] it is said to be
 */
export async function isSecret({ loaderId, backendDOMNodeId, secret }, { name, probe }, mark = false) {
  if (probe.type === 'password') await rememberPasswords(loaderId, [backendDOMNodeId]);
  if (mark) await rememberMarked(loaderId, [backendDOMNodeId]);
  const kept = [await passwordsOf(loaderId), await markedOf(loaderId)];
  return secret || secrecy(probe, name) !== '' || kept.some(ids => ids.has(backendDOMNodeId));
}
