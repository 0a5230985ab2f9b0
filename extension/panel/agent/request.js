// A request to a model's server. The key travels in it to that server alone: redirects
// are not followed, and what Chrome keeps for the site does not go along.
import { Failure, failureOf, wordsOf } from './failure.js';

const tries = 4;
const waitMs = 1000; // doubled each time, where the server does not ask for longer
const patienceMs = 60_000;

/** @typedef {import('./model.js').Means} Means */
/** @typedef {{signal: AbortSignal, onWait: (text: string) => void}} Wait */

/**
 * Posts JSON until the server takes it, some times at most.
 * @param {string} url @param {Record<string, string>} headers @param {unknown} body
 * @param {Means} means @param {Wait} wait
 * @returns {Promise<Response>} an answer that is one
 */
export async function post(url, headers, body, { fetch, pause }, { signal, onWait }) {
  const { origin } = new URL(url);
  for (let n = 1; ; n++) {
    /** @type {Response} */
    let response;
    try {
      response = await fetch(url, {
        method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body), signal,
        redirect: 'error', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store',
      });
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      throw new Failure('unreachable', `${origin} cannot be reached, sends on to another address, or does not let this extension in: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
    if (response.ok) return api(response, origin);
    const failure = failureOf(response.status, wordsOf(await response.text().catch(() => '')), origin);
    if (failure.kind !== 'busy') throw failure;
    if (n === tries) throw new Failure('wait', failure.message);
    const ms = Math.max(afterMs(response.headers.get('retry-after')) ?? 0, waitMs * 2 ** (n - 1));
    if (ms > patienceMs) throw new Failure('wait', `${failure.message}; it asks to wait ${Math.ceil(ms / 1000)} s`);
    onWait(`${failure.message}; asking again in ${Math.ceil(ms / 1000)} s`);
    await pause(ms, signal);
  }
}

/** An answer that is no web page: those come from an address beside the API's. @param {Response} response @param {string} origin */
function api(response, origin) {
  if (!response.headers.get('content-type')?.includes('text/html')) return response;
  response.body?.cancel().catch(() => {});
  throw new Failure('absent', `${origin} answers with a web page and not as a model: look at the endpoint's path, which mostly ends in /v1`);
}

/** How long a retry-after asks to wait, in ms. @param {string | null} text seconds or a date @param {number} [now] */
export function afterMs(text, now = Date.now()) {
  if (!text) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** An address below an endpoint. @param {string} endpoint @param {string} path */
export const below = (endpoint, path) => endpoint.replace(/\/+$/, '') + path;

/** Reads an answer's stream; what breaks off was cut. @param {Response} response @returns {ReadableStream<Uint8Array>} */
export function bodyOf(response) {
  if (!response.body) throw new Failure('cut', 'the model gave an empty answer');
  return response.body;
}

/** What was thrown while a stream was read, as a failure. @param {unknown} thrown @param {AbortSignal} signal */
export function cutBy(thrown, signal) {
  if (signal.aborted || thrown instanceof Failure) return thrown;
  return new Failure('cut', `the model's answer broke off: ${thrown instanceof Error ? thrown.message : thrown}`);
}
