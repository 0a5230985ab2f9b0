// inspect: whether targets still are what they were. Sends no event.

import { asFault } from './fault.js';
import { check } from './identity.js';
import { hold } from './node.js';
import { use } from './session.js';

/** @typedef {import('./wire.js').NodeState} NodeState */
/** @typedef {import('./wire.js').Target} Target */

const atOnce = 8;

/**
 * @param {import('./wire.js').InspectParams} params
 * @returns {Promise<import('./wire.js').InspectResult>}
 */
export async function inspect({ tab, targets }) {
  return use(tab, async () => {
    /** @type {NodeState[]} */
    const nodes = [];
    const left = targets.entries();
    await Promise.all(Array.from({ length: atOnce }, async () => {
      for (const [i, target] of left) nodes[i] = await stateOf(tab, target);
    }));
    return { nodes };
  });
}

/** @param {number} tab @param {Target} target @returns {Promise<NodeState>} unknown when its frame does not answer */
async function stateOf(tab, target) {
  const { uid, origin: frame, secret } = target;
  try {
    const { role, name, probe: { rect } } = await hold(tab, target, node => check(node, target));
    return { uid, state: 'alive', role, name: secret ? '' : name, box: rect, frame };
  } catch (thrown) {
    const { code, more: { reason } } = asFault(thrown);
    if (code === 'stale_uid') return { uid, state: 'stale', reason, box: [0, 0, 0, 0] };
    if (code === 'timeout') return { uid, state: 'unknown', box: [0, 0, 0, 0] };
    throw thrown;
  }
}
