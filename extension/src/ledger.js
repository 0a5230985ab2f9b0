// The extension's half of the ledger of acts: what was started here, and how it
// ended. It is in storage.session, so that it outlives the worker and ends with
// the browser. Texts that were typed are not in it.
//
// Promise: of one act id, at most one run gets to the page. `started` is stored
// before the first input event; what was started and has no end is uncertain and
// is never run again.

import { sessionGet, sessionRemove, sessionSet } from './chrome.js';
import { Fault } from './fault.js';

/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').LedgerRow} LedgerRow */

const prefix = 'act:';
const kept = 500;

/** Acts under way in this worker. @type {Map<string, Promise<Evidence>>} */
const running = new Map();

/** @param {string} id @returns {Promise<LedgerRow | undefined>} */
async function row(id) {
  return /** @type {LedgerRow | undefined} */ ((await sessionGet(prefix + id))[prefix + id]);
}

/**
 * Runs an act once.
 * @param {string} id
 * @param {(start: () => Promise<void>) => Promise<Evidence>} run calls start before its first input event
 * @param {() => boolean} live whether the port that asked still is the newest
 * @returns {Promise<Evidence>} of this run, or of the one before
 * @throws {Fault} of this run or the one before; uncertain when that one has no end
 */
export function once(id, run, live) {
  const under = running.get(id);
  if (under) return under;
  const act = first(id, run, live).finally(() => running.delete(id));
  running.set(id, act);
  return act;
}

/** @param {string} id @param {(start: () => Promise<void>) => Promise<Evidence>} run @param {() => boolean} live */
async function first(id, run, live) {
  const before = await row(id);
  if (before) return outcome(before);
  let started = false;
  const start = async () => {
    if (!live()) throw new Fault('old_epoch');
    await sessionSet({ [prefix + id]: { id, state: 'started' } });
    if (!live()) throw new Fault('old_epoch');
    started = true;
  };
  try {
    const result = await run(start);
    await end({ id, state: 'done', result });
    return result;
  } catch (thrown) {
    // What was refused before it was started left no trace and may be asked again.
    if (thrown instanceof Fault && started) await end({ id, state: 'failed', fault: thrown.data() });
    else if (thrown instanceof Fault) await sessionRemove(prefix + id);
    throw thrown;
  }
}

/** @param {LedgerRow} row @returns {Evidence} */
function outcome({ state, result, fault }) {
  if (state === 'done' && result) return result;
  if (state === 'failed' && fault) throw new Fault(fault.code, fault.message, fault);
  throw uncertain();
}

/** What is said of an act that was started and has no end. */
export const uncertain = () => new Fault('uncertain', undefined, { dispatched: 'uncertain', effect: 'unknown' });

/** Records an end, and forgets the oldest ends. @param {LedgerRow} last */
async function end(last) {
  await sessionSet({ [prefix + last.id]: { ...last, at: Date.now() } });
  const rows = Object.entries(await sessionGet()).filter(([key]) => key.startsWith(prefix));
  if (rows.length <= kept) return;
  const ends = rows.map(([key, value]) => ({ key, at: Number(/** @type {{at?: number}} */ (value).at ?? Infinity) })).sort((a, b) => a.at - b.at);
  await sessionRemove(ends.slice(0, rows.length - kept).map(({ key }) => key));
}

/**
 * Says what became of acts; of those it does not know it says nothing.
 * @param {import('./wire.js').LedgerParams} params
 * @returns {Promise<import('./wire.js').LedgerResult>}
 */
export async function ledger({ ids }) {
  await Promise.allSettled(ids.map(id => running.get(id)));
  const rows = await Promise.all(ids.map(row));
  return {
    acts: rows.flatMap(found => {
      if (!found) return [];
      const { id, state, result, fault } = found;
      return [{ id, state, ...(result ? { result } : {}), ...(fault ? { fault } : {}) }];
    }),
  };
}
