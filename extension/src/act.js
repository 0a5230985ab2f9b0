// perform: one act, once (docs/PROTOCOL.md, "An act happens at most once").
//
// Order: grant, ledger, epoch and expiry; then identity and actionability, which
// send nothing; then `started` is recorded and the first input event leaves. What
// fails before that says dispatched: no.

import { check } from './act-check.js';
import { click } from './act-click.js';
import { drag } from './act-drag.js';
import { setField } from './act-field.js';
import { answerDialog, evaluate, move } from './act-page.js';
import { blur, focus, focusedTarget, hover, press } from './act-press.js';
import { scroll } from './act-scroll.js';
import { clickOption, select } from './act-select.js';
import { setValue } from './act-set.js';
import { settling } from './act-settle.js';
import { submitOnce } from './act-submit.js';
import { type } from './act-type.js';
import { upload } from './act-upload.js';
import { nothingSeen } from './act-watch.js';
import { Fault } from './fault.js';
import { allowOnPage, kindOf, leave } from './grant.js';
import { acts } from './ledger.js';
import { acting, use } from './session.js';

/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {import('./methods.js').Request} Request */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').PerformParams} PerformParams */

/**
 * The acts on a node, by kind.
 * @type {Record<string, (tab: number, target: import('./wire.js').Target, act: import('./wire.js').Act, start: Start, to?: import('./wire.js').Target) => Promise<Evidence>>}
 */
const onNodes = {
  click: (tab, target, act, start) => (target.role === 'option' ? clickOption : click)(tab, target, act, start),
  type, set_field: setField, select, check, set_value: setValue, press, hover, focus, blur, drag, upload,
};

/**
 * @param {PerformParams} params
 * @param {Request} request
 * @returns {Promise<Evidence>}
 */
export async function perform(params, { epoch, live, dedicated, signal }) {
  const { act, tab, target, to, grant, expires } = params;
  const allow = leave(grant, dedicated);
  for (const node of [target, to]) if (node) allow(kindOf(act), node.origin);
  return acts.once(act.id, start => {
    if (params.epoch !== epoch || !live()) throw new Fault('old_epoch');
    if (Date.now() > expires) throw new Fault('expired');
    return run(() => {
      if (signal.aborted) throw new Fault('canceled');
      return start();
    });
  }, live, act.text);

  /** @param {Start} start @returns {Promise<Evidence>} */
  async function run(start) {
    if (!target && act.kind !== 'press' && !dedicated) await allowOnPage(allow, tab, act);
    switch (act.kind) {
      case 'eval':
        return evaluate(tab, act, start);
      case 'dialog':
        return answerDialog(tab, act, start);
      case 'navigate':
      case 'back':
      case 'forward':
      case 'reload':
        return move(tab, act, start, dedicated);
    }
    if (act.kind === 'scroll') return use(tab, () => acting(tab, () => scroll(tab, target, act, start))); // the page without a target
    if (!Object.hasOwn(onNodes, act.kind)) throw new Fault('bad_request', `there is no act ${act.kind}`, { field: 'kind' });
    if (!target && act.kind !== 'press') throw new Fault('bad_request', `${act.kind} needs a target`, { field: 'target' });
    return use(tab, () => acting(tab, async () => {
      const on = target ?? await focusedTarget(tab);
      if (!target) allow('act', on.origin);
      const go = () => submitOnce(tab, on, act, start, allow, begin => onNodes[act.kind](tab, on, act, begin, to));
      return fitting(await (act.settle ? settling(tab, on, go, act.text) : go()));
    }));
  }
}

/** Takes the hint that nothing was seen out of evidence that says otherwise. @param {Evidence} done @returns {Evidence} */
function fitting({ hint, ...done }) {
  return hint === undefined || (hint === nothingSeen && (done.effect === 'seen' || done.unchanged)) ? done : { ...done, hint };
}
