// perform: one act, once (docs/PROTOCOL.md, "An act happens at most once").
//
// Order: grant, epoch, expiry, ledger; then identity and actionability, which
// send nothing; then `started` is recorded and the first input event leaves. What
// fails before that says dispatched: no.

import { click, type } from './act-input.js';
import { answerDialog, evaluate, move } from './act-page.js';
import { Fault } from './fault.js';
import { once } from './ledger.js';
import { use } from './session.js';

/** @typedef {import('./methods.js').Request} Request */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').PerformParams} PerformParams */

/**
 * @param {PerformParams} params
 * @param {Request} request
 * @returns {Promise<Evidence>}
 */
export async function perform(params, { epoch, live, dedicated }) {
  const { act, tab, target, grant, expires } = params;
  // A grant that this browser's kind does not have is none.
  if (grant === 'dedicated' && !dedicated) throw new Fault('not_approved');
  if (params.epoch !== epoch || !live()) throw new Fault('old_epoch');
  if (Date.now() > expires) throw new Fault('expired');
  return once(act.id, start => run(start), live);

  /** @param {() => Promise<void>} start @returns {Promise<Evidence>} */
  function run(start) {
    switch (act.kind) {
      case 'eval':
        return evaluate(tab, act, start);
      case 'dialog':
        return answerDialog(tab, act, start);
      case 'click':
      case 'type':
        if (!target) throw new Fault('bad_request', `${act.kind} needs a target`, { field: 'target' });
        return use(tab, () => (act.kind === 'click' ? click : type)(tab, target, act, start));
      default:
        return move(tab, act, start, dedicated);
    }
  }
}
