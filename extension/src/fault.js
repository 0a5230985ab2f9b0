// Failures: what the browser says, mapped to the codes of the protocol. The
// browser has words and no codes, so this is the one place that matches words.

import { BadMessage, codes } from './wire.js';

/** @typedef {import('./wire.js').Code} Code */
/** @typedef {import('./wire.js').Fault} FaultData */

const maxQuoted = 300; // characters

/**
 * What a page says, within a sentence: it cannot end the quotation or its line, and
 * has no character that is not seen.
 * @param {string} text @param {number} [most] characters
 */
export const quoted = (text, most = maxQuoted) => JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text)
  .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, one => `\\u{${one.codePointAt(0)?.toString(16)}}`);

/** The same where no quotation marks stand. @param {string} text @param {number} [most] characters */
export const legible = (text, most) => quoted(text, most).slice(1, -1);

/** A failure with a code; what reached the page is "no" unless more says otherwise. */
export class Fault extends Error {
  /**
   * @param {Code} code
   * @param {string} [message] what happened in this case; the code's own sentence without it
   * @param {Partial<FaultData>} [more]
   */
  constructor(code, message = codes[code].message, more = {}) {
    super(message);
    this.code = code;
    this.more = more;
    /** The words of the CDP error behind it, '' where there is none. */
    this.cdp = '';
  }

  /** The fault as it crosses the port. @returns {FaultData} */
  data() {
    const { hint, retry } = codes[this.code];
    return { code: this.code, message: this.message, hint, retry, dispatched: 'no', effect: 'none_seen', settled: false, ...this.more };
  }
}

/** @type {[RegExp, Code, string?][]} */
const words = [
  [/^another debugger is already attached/i, 'debugger_taken'],
  [/^cannot (access|attach)|extensions gallery cannot|cannot be scripted/i, 'restricted_page'],
  [/^no tab with|^error in invocation of tabs\.\w+\(.*(parameter 'tabIds?'|no matching signature)/i, 'unknown_tab'], // the latter: numbers below 0, and beyond 32 bits
  [/^tabs cannot be edited right now/i, 'busy', 'a tab is being dragged'],
  [/debugger is not attached|detached while handling|session with given id not found|target closed/i, 'detached'],
  [/frame with the given \w+ (is|was) not found/i, 'detached', 'the frame went away'],
  [/target crashed|page crashed/i, 'page_crashed'],
  [/browser is shutting down/i, 'detached'],
  [/inspected target navigated or closed/i, 'detached', 'the frame was navigated or closed meanwhile'],
];

/**
 * Makes a Fault of whatever was thrown. A CDP error without a code of its own is
 * internal and keeps its words in cdp, for callers that expect it.
 * @param {unknown} thrown
 * @returns {Fault}
 */
export function asFault(thrown) {
  if (thrown instanceof Fault) return thrown;
  if (thrown instanceof BadMessage) return new Fault('bad_request', thrown.message, { field: thrown.field });
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  let text = said;
  try {
    text = JSON.parse(said).message ?? said;
  } catch {
    // Plain words: chrome.debugger gives either.
  }
  for (const [pattern, code, message] of words) {
    if (!pattern.test(text)) continue;
    const fault = new Fault(code, message ?? (code === 'restricted_page' ? text.replace(/\.$/, '').toLowerCase() : undefined));
    fault.cdp = text;
    return fault;
  }
  const fault = new Fault('internal', text);
  fault.cdp = text;
  return fault;
}

/** Why a debugger went away. @type {Record<string, Code>} */
export const detachCodes = {
  target_closed: 'unknown_tab',
  canceled_by_user: 'canceled_by_user',
  replaced_with_devtools: 'debugger_taken',
};

/** @type {[RegExp, string][]} */
const hostWords = [
  [/not found/i, 'The Handrail host is not installed: run ./install.sh'],
  [/forbidden/i, 'The Handrail host does not know this extension: run handrail install'],
  [/has exited/i, 'The Handrail host could not run: its log says why'],
  [/communicating/i, 'The Handrail host did not speak the protocol: install the extension and the host of one release'],
];

/** What to tell a person about a native port that closed. @param {string} words the browser's */
export const whyNoHost = words =>
  hostWords.find(([pattern]) => pattern.test(words))?.[1] ?? 'The Handrail host has ended; it is started again';
