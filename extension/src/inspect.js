// inspect: whether targets still are what they were. Sends no event.

import { asFault } from './fault.js';
import { identify } from './identity.js';
import { send, use } from './session.js';

/** @typedef {import('./wire.js').NodeState} NodeState */
/** @typedef {import('./wire.js').Target} Target */

/**
 * @param {import('./wire.js').InspectParams} params
 * @returns {Promise<import('./wire.js').InspectResult>}
 */
export async function inspect({ tab, targets }) {
  return use(tab, async () => {
    const nodes = [];
    for (const target of targets) nodes.push(await stateOf(tab, target));
    return { nodes };
  });
}

/** @param {number} tab @param {Target} target @returns {Promise<NodeState>} */
async function stateOf(tab, target) {
  const { uid, targetId, backendDOMNodeId: backendNodeId, origin } = target;
  try {
    const { role, name } = await identify(tab, target);
    const box = await send(tab, targetId, 'DOM.getBoxModel', { backendNodeId }).then(({ model: { border, width, height } }) =>
      /** @type {NodeState['box']} */ ([border[0], border[1], width, height].map(Math.round)), () => /** @type {NodeState['box']} */ ([0, 0, 0, 0]));
    return { uid, state: 'alive', role, name: target.secret ? '' : name, box, frame: origin };
  } catch (thrown) {
    const fault = asFault(thrown);
    if (fault.code !== 'stale_uid') throw fault;
    return { uid, state: 'stale', reason: fault.more.reason, box: [0, 0, 0, 0] };
  }
}
