// The panel's link to the service worker, which forwards requests to the host.
import { connectWorker } from '../src/chrome.js';

/** @typedef {import('../src/wire.js').Policy} Policy */
/**
 * @callback Ask
 * @param {string} method
 * @param {object} params
 * @param {{signal?: AbortSignal, again?: boolean}} [more] signal: gives it up, and the answer is `canceled`;
 *   again: the person wants it, also where they ended debugging of the tab
 * @returns {Promise<any>}
 */
/** @typedef {{host: 'connected'|'connecting'|'none'|'skew', message?: string, policy?: Policy, dedicated?: boolean}} HostState */
/** @typedef {import('../src/wire.js').AskParams} Question */
/** @typedef {(id: string, answer: import('../src/wire.js').AskResult) => void} Answer */

/**
 * Opens the link and keeps it open: a worker that was stopped is started again
 * by connecting.
 * @param {(state: HostState) => void} onState called whenever the worker tells the host's state
 * @param {(questions: Question[]) => void} onQuestions called whenever others wait for the person
 * @returns {{ask: Ask, answer: Answer}} ask asks the host; rejects with {code, message, hint}
 */
export function openLink(onState, onQuestions) {
  /** @type {Map<number, {resolve: (result: any) => void, reject: (fault: object) => void}>} */
  const waiting = new Map();
  let next = 1;
  /** @type {chrome.runtime.Port | null} */
  let port = null;

  const connect = () => {
    const opened = connectWorker('panel');
    opened.onMessage.addListener(message => {
      if (message.state) return onState(message.state);
      if (message.questions) return onQuestions(message.questions);
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) asked?.reject(message.error);
      else asked?.resolve(message.result);
    });
    opened.onDisconnect.addListener(() => {
      port = null;
      for (const asked of waiting.values()) asked.reject({ code: 'detached', message: 'the worker was stopped', hint: 'try again', dispatched: 'uncertain' });
      waiting.clear();
      onQuestions([]); // their host went with the worker
      setTimeout(() => (port ??= connect()), 200);
    });
    return opened;
  };
  port = connect();

  return {
    ask: (method, params, { signal, again } = {}) => new Promise((resolve, reject) => {
      const id = next++;
      const giveUp = () => { if (waiting.has(id)) port?.postMessage({ cancel: id }); };
      const over = () => signal?.removeEventListener('abort', giveUp);
      waiting.set(id, { resolve: result => (over(), resolve(result)), reject: fault => (over(), reject(fault)) });
      signal?.addEventListener('abort', giveUp);
      (port ??= connect()).postMessage({ id, method, params, ...(again && { again }) });
    }),
    answer: (id, answer) => (port ??= connect()).postMessage({ question: id, answer }),
  };
}
