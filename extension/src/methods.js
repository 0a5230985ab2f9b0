// What the host may ask of the extension: one handler for each method.

import { perform } from './act.js';
import { ask } from './approvals.js';
import { capture } from './capture.js';
import { Fault } from './fault.js';
import { inspect } from './inspect.js';
import { ledger } from './ledger.js';
import { mark } from './mark.js';
import { reveal } from './reveal.js';
import { shoot } from './shoot.js';
import { tabs } from './tabs.js';
import { wait } from './wait.js';
import { narrow } from './wire.js';

/**
 * Who asks, and until when it matters.
 * @typedef {object} Request
 * @property {AbortSignal} signal aborted when the host cancels or its port ends
 * @property {number} epoch of the host's port
 * @property {() => boolean} live false once another port has taken over
 * @property {boolean} dedicated the browser was started by Handrail
 */

/** @type {Record<string, (params: unknown, request: Request) => Promise<unknown>>} */
const methods = {
  capture: (params, { signal }) => capture(narrow('CaptureParams', params), signal),
  ask: (params, { signal }) => ask(narrow('AskParams', params), signal),
  perform: (params, request) => perform(narrow('PerformParams', params), request),
  inspect: params => inspect(narrow('InspectParams', params)),
  ledger: params => ledger(narrow('LedgerParams', params)),
  mark: params => mark(narrow('HighlightParams', params)),
  await: (params, { signal }) => wait(narrow('AwaitParams', params), signal),
  shoot: params => shoot(narrow('ShootParams', params)),
  reveal: params => reveal(narrow('RevealParams', params)),
  tabs: (params, { dedicated }) => tabs(narrow('TabsParams', params), dedicated),
};

/**
 * Answers a request of the host's.
 * @param {string} method @param {unknown} params @param {Request} request
 * @returns {Promise<unknown>}
 * @throws {Fault} unknown_method, bad_request, and whatever the method may throw
 */
export async function answer(method, params, request) {
  if (!Object.hasOwn(methods, method)) throw new Fault('unknown_method', `there is no method "${method.slice(0, 60)}"`);
  return methods[method](params, request);
}
