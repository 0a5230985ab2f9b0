// The extension's half of the ledger of acts: what was started here, and how it
// ended. It is in storage.session, so that it outlives the worker and ends with
// the browser. Texts that were typed are not in it.
//
// Promise: of one act id, at most one run gets to the page. `started` is stored
// before the first input event; what was started and has no end is uncertain and
// is never run again.

import * as browser from './chrome.js';
import { Fault, asFault } from './fault.js';

/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').LedgerRow} LedgerRow */
/** @typedef {() => Promise<void>} Start records that the act is about to reach the page; throws when it may not */

const prefix = 'act:'; // + id → row
const maxEnds = 500;
const maxResult = 8192; // characters of JSON; the browser gives storage.session 10 MB in all

export class Ledger {
  #storage;
  /** Acts under way in this worker. @type {Map<string, Promise<Evidence>>} */
  #running = new Map();
  /** Ids of the acts that have ended, oldest first. @type {Promise<Set<string>> | undefined} */
  #ends;

  /** @param {Pick<typeof browser, 'sessionGet' | 'sessionSet' | 'sessionRemove'>} storage */
  constructor(storage = browser) {
    this.#storage = storage;
  }

  /**
   * Runs an act once.
   * @param {string} id
   * @param {(start: Start) => Promise<Evidence>} run calls start before its first input event
   * @param {() => boolean} live whether the port that asked still is the newest
   * @param {string} [typed] what is not to be kept
   * @returns {Promise<Evidence>} of this run, or of the one before
   * @throws {Fault} of this run or the one before; uncertain when that one has no end
   */
  once(id, run, live, typed = '') {
    const under = this.#running.get(id);
    if (under) return under;
    const act = this.#first(id, run, live, typed).finally(() => this.#running.delete(id));
    this.#running.set(id, act);
    return act;
  }

  /** What became of an act, once it is no longer under way. @param {string} id @returns {Promise<LedgerRow | undefined>} */
  async find(id) {
    await this.#running.get(id)?.catch(() => {});
    const kept = await this.#row(id);
    if (!kept) return undefined;
    const { state, result, fault } = kept;
    return { id, state, ...(result ? { result } : {}), ...(fault ? { fault } : {}) };
  }

  /** @param {string} id @returns {Promise<LedgerRow | undefined>} */
  async #row(id) {
    return /** @type {LedgerRow | undefined} */ ((await this.#storage.sessionGet(prefix + id))[prefix + id]);
  }

  /** @param {string} id @param {(start: Start) => Promise<Evidence>} run @param {() => boolean} live @param {string} typed */
  async #first(id, run, live, typed) {
    const before = await this.#row(id);
    if (before) return outcome(before);
    let started = false;
    const start = async () => {
      if (started) return;
      if (!live()) throw new Fault('old_epoch');
      await this.#storage.sessionSet({ [prefix + id]: { id, state: 'started' } });
      if (!live()) {
        await this.#storage.sessionRemove(prefix + id);
        throw new Fault('old_epoch');
      }
      started = true;
    };
    try {
      const result = await run(start);
      await this.#end({ id, state: 'done', ...kept(result, typed) });
      return result;
    } catch (thrown) {
      const fault = asFault(thrown);
      if (!started) throw fault; // it left no trace and may be asked again
      // What broke off without a word about the page may have reached it.
      if (!fault.more.dispatched) Object.assign(fault.more, { dispatched: 'uncertain', effect: 'unknown' });
      await this.#end({ id, state: 'failed', fault: fault.data() });
      throw fault;
    }
  }

  /** Records an end and forgets the oldest ones. What cannot be written stays `started`. @param {LedgerRow} row */
  async #end(row) {
    try {
      const ends = await (this.#ends ??= this.#load());
      await this.#storage.sessionSet({ [prefix + row.id]: { ...row, at: Date.now() } });
      ends.add(row.id);
      const old = [...ends].slice(0, Math.max(0, ends.size - maxEnds));
      if (old.length === 0) return;
      for (const id of old) ends.delete(id);
      await this.#storage.sessionRemove(old.map(id => prefix + id));
    } catch {
      this.#ends = undefined;
    }
  }

  async #load() {
    const rows = Object.entries(await this.#storage.sessionGet()).flatMap(([key, value]) => {
      const { id, at } = /** @type {{id: string, at?: number}} */ (value ?? {});
      return key.startsWith(prefix) && at !== undefined ? [{ id, at }] : [];
    });
    return new Set(rows.sort((a, b) => a.at - b.at).map(({ id }) => id));
  }
}

/** The part of a result that is kept: no text that was typed, and nothing large. @param {Evidence} evidence @param {string} typed @returns {{result?: Evidence}} */
function kept(evidence, typed) {
  const { value_now: _typed, ...result } = evidence;
  const [query, encoded] = [new URLSearchParams([['', typed]]).toString().slice(1), encodeURIComponent(typed)]; // a form may send it in its address
  for (const field of /** @type {const} */ (['url', 'title', 'dialog'])) {
    if (typed && [typed, query, encoded].some(text => result[field]?.includes(text))) delete result[field];
  }
  return JSON.stringify(result).length > maxResult ? {} : { result };
}

/** @param {LedgerRow} row @returns {Evidence} */
function outcome({ state, result, fault }) {
  if (state === 'done' && result) return result;
  if (state === 'failed' && fault) throw new Fault(fault.code, fault.message, fault);
  throw new Fault('uncertain', state === 'done' ? 'the act was done; its result was too large to keep' : undefined, {
    dispatched: state === 'done' ? 'yes' : 'uncertain', effect: 'unknown',
  });
}

/** The ledger of this browser. */
export const acts = new Ledger();

/**
 * Says what became of acts; of those it does not know it says nothing.
 * @param {import('./wire.js').LedgerParams} params
 * @returns {Promise<import('./wire.js').LedgerResult>}
 */
export async function ledger({ ids }) {
  const rows = await Promise.all(ids.map(id => acts.find(id)));
  return { acts: rows.flatMap(row => row ?? []) };
}
