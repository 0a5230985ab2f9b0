// reveal: the values of fields that captures hide, for one reply. Passwords are
// never among them, nor is any field that was one. Sends no event.

import { asFault } from './fault.js';
import { check } from './identity.js';
import { field } from './in-page.js';
import { hold, inPage } from './node.js';
import { markedOf, namesPassword, passwordsOf, secrecy } from './secrets.js';
import { use } from './session.js';

/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./wire.js').Revealed} Revealed */

/**
 * @param {import('./wire.js').RevealParams} params
 * @returns {Promise<import('./wire.js').RevealResult>} without the fields that are passwords, or not what they were
 */
export async function reveal({ tab, targets }) {
  return use(tab, async () => {
    /** @type {Revealed[]} */
    const fields = [];
    for (const target of targets) {
      const value = await valueOf(tab, target);
      if (value !== undefined) fields.push({ uid: target.uid, value });
    }
    return { fields };
  });
}

/** @param {number} tab @param {Target} target @returns {Promise<string | undefined>} */
async function valueOf(tab, target) {
  for (const kept of [await passwordsOf(target.loaderId), await markedOf(target.loaderId)]) if (kept.has(target.backendDOMNodeId)) return undefined;
  try {
    return await hold(tab, target, async node => {
      await check(node, target);
      const { value, label, ...attributes } = await inPage(node, field);
      const said = [label, target.name, attributes.id, attributes.name];
      return secrecy(attributes, label) === 'password' || said.some(namesPassword) ? undefined : value;
    });
  } catch (thrown) {
    if (asFault(thrown).code === 'stale_uid') return undefined;
    throw thrown;
  }
}
