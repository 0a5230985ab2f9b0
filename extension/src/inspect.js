// inspect: whether targets still are what they were. Sends no event.

import { asFault } from './fault.js';
import { inScope, withheld } from './grant.js';
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
export async function inspect({ tab, targets, scope }) {
  return use(tab, async () => {
    await inScope(tab, scope);
    /** @type {NodeState[]} */
    const nodes = [];
    const left = targets.entries();
    /** @type {Map<string, import('./identity.js').Items>} by document */
    const items = new Map();
    await Promise.all(Array.from({ length: atOnce }, async () => {
      for (const [i, target] of left) {
        if (withheld(scope, target.origin, '')) {
          nodes[i] = { uid: target.uid, state: 'unknown', box: [0, 0, 0, 0] };
          continue;
        }
        const key = `${target.targetId} ${target.frameId} ${target.loaderId}`;
        if (!items.has(key)) items.set(key, new Map());
        nodes[i] = await stateOf(tab, target, items.get(key));
      }
    }));
    return { nodes };
  });
}

/** @param {number} tab @param {Target} target @param {import('./identity.js').Items} [items] @returns {Promise<NodeState>} unknown when its frame does not answer */
async function stateOf(tab, target, items) {
  const { uid, origin: frame, secret } = target;
  try {
    const { role, name, probe: { rect } } = await hold(tab, target, node => check(node, target, undefined, items));
    return { uid, state: 'alive', role, name: secret ? '' : name, box: rect, frame };
  } catch (thrown) {
    const { code, more: { reason } } = asFault(thrown);
    if (code === 'stale_uid') return { uid, state: 'stale', reason, box: [0, 0, 0, 0] };
    if (code === 'timeout') return { uid, state: 'unknown', box: [0, 0, 0, 0] };
    throw thrown;
  }
}
