// A link to the host: JSON-RPC 2.0 in both directions over one native port.
//
// Promises: every request ends, with an answer, at its deadline or with the port;
// what the host asked for is given up when it cancels or the port ends; a message
// that cannot be understood is answered with a code, or dropped when it has no id,
// and never throws. Messages leave and are handled in order, each whole: one that
// does not fit a frame travels in parts.

import { lastError } from './chrome.js';
import { Fault, asFault } from './fault.js';
import { Joiner, toParts } from './parts.js';
import { PartToHost, codes, narrow } from './wire.js';

/** @typedef {import('./chrome.js').Port} Port */
/** @typedef {(method: string, params: unknown, signal: AbortSignal) => Promise<unknown>} Serve answers the host; may throw */
/** @typedef {{resolve: (result: unknown) => void, reject: (fault: Fault) => void, timer: ReturnType<typeof setTimeout>}} Asked */

const rpcFault = -32000; // JSON-RPC's number for all failures; data has the Fault

export class Link {
  /** Largest frame that leaves, in bytes; the host may lower it. */
  part = PartToHost;
  #port;
  #serve;
  #open = true;
  #nextId = 1;
  /** @type {Map<unknown, Asked>} */
  #asked = new Map();
  /** @type {Map<unknown, AbortController>} */
  #running = new Map();
  #joiner = new Joiner();
  /** @type {Promise<unknown>} */
  #out = Promise.resolve();
  /** @type {Promise<unknown>} */
  #in = Promise.resolve();

  /** @param {Port} port @param {Serve} serve @param {(why: string) => void} onEnd called when the host ends the link, with the browser's words */
  constructor(port, serve, onEnd) {
    this.#port = port;
    this.#serve = serve;
    port.onMessage.addListener(frame => {
      this.#in = this.#in.then(() => this.#receive(frame)).catch(() => this.close());
    });
    port.onDisconnect.addListener(() => {
      const why = lastError();
      this.#end();
      onEnd(why);
    });
  }

  /** Whether this is a link still. */
  get open() {
    return this.#open;
  }

  /**
   * Asks the host.
   * @param {string} method @param {unknown} params @param {number} ms deadline
   * @param {AbortSignal} [signal] gives the request up; it is answered all the same
   * @returns {Promise<unknown>} its result; rejects with a Fault
   */
  call(method, params, ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Fault('canceled'));
      if (!this.#open) return reject(new Fault('detached'));
      const id = this.#nextId++;
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        this.notify('cancel', { id });
        reject(new Fault('timeout', `the host did not answer ${method} within ${ms} ms`, { dispatched: 'uncertain' }));
      }, ms);
      this.#asked.set(id, { resolve, reject, timer });
      signal?.addEventListener('abort', () => { if (this.#asked.has(id)) this.notify('cancel', { id }); }, { once: true });
      this.#send({ jsonrpc: '2.0', id, method, params }).catch(thrown => {
        this.#asked.delete(id);
        clearTimeout(timer);
        reject(asFault(thrown));
      });
    });
  }

  /** Tells the host. @param {string} method @param {unknown} params */
  notify(method, params) {
    this.#send({ jsonrpc: '2.0', method, params }).catch(() => {}); // nobody waits for it
  }

  /** Ends the link from this side. */
  close() {
    this.#end();
    this.#port.disconnect();
  }

  #end() {
    this.#open = false;
    for (const { reject, timer } of this.#asked.values()) {
      clearTimeout(timer);
      reject(new Fault('detached', 'the host has ended', { dispatched: 'uncertain' })); // it may have done it
    }
    this.#asked.clear();
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
  }

  /** @param {object} message @returns {Promise<void>} rejects when it is too large */
  #send(message) {
    const sent = this.#out.then(async () => {
      for (const frame of await toParts(message, this.part)) if (this.#open) this.#port.postMessage(frame);
    });
    this.#out = sent.catch(() => {});
    return sent;
  }

  /** @param {unknown} frame */
  async #receive(frame) {
    const message = await this.#joiner.add(frame);
    if (typeof message !== 'object' || message === null) return;
    const { id, method, params, result, error } = /** @type {Record<string, unknown>} */ (message);
    if (typeof method !== 'string') return this.#answered(id, result, error);
    if (method === 'cancel') return this.#cancel(params);
    this.#handle(id, method, params);
  }

  /** @param {unknown} params */
  #cancel(params) {
    const { id } = /** @type {{id?: unknown}} */ (params ?? {});
    this.#running.get(id)?.abort();
  }

  /** @param {unknown} id @param {unknown} result @param {unknown} error */
  #answered(id, result, error) {
    const asked = this.#asked.get(id);
    if (!asked) return; // given up meanwhile
    this.#asked.delete(id);
    clearTimeout(asked.timer);
    if (error === undefined) asked.resolve(result);
    else asked.reject(faultOf(error));
  }

  /** @param {unknown} id @param {string} method @param {unknown} params */
  async #handle(id, method, params) {
    const running = new AbortController();
    const known = typeof id === 'number';
    try {
      if (this.#running.has(id)) throw new Fault('bad_request', `request id ${id} is in use`);
      if (known) this.#running.set(id, running);
      const result = await this.#serve(method, params ?? {}, running.signal);
      if (known) await this.#send({ jsonrpc: '2.0', id, result });
    } catch (thrown) {
      const data = asFault(thrown).data();
      if (known) await this.#send({ jsonrpc: '2.0', id, error: { code: rpcFault, message: data.message, data } }).catch(() => this.close());
    } finally {
      if (this.#running.get(id) === running) this.#running.delete(id);
    }
  }
}

/** The fault that the host answered with. @param {unknown} error @returns {Fault} */
function faultOf(error) {
  try {
    const data = narrow('Fault', /** @type {{data?: unknown}} */ (error).data);
    if (Object.hasOwn(codes, data.code)) return new Fault(data.code, data.message, data);
  } catch {
    // Not one of ours: an answer all the same.
  }
  const { message } = /** @type {{message?: unknown}} */ (error ?? {});
  return new Fault('internal', typeof message === 'string' ? message : undefined);
}
