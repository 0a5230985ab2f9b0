// How a model fails, in words for the person who waits for it.

/** @typedef {'key' | 'wait' | 'busy' | 'context' | 'cut' | 'spent' | 'absent' | 'unreachable' | 'broken'} Kind busy and cut may be over when it is asked again, wait is not soon */

export class Failure extends Error {
  /** @param {Kind} kind @param {string} message */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

const tooLong = /context.{0,20}(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|exceeds? .{0,30}context|input is too long/i;
const most = 300; // characters of a server's words

/**
 * What an answer that is none means.
 * @param {number} status HTTP's, 0 for a failure within a stream
 * @param {string} said the server's words
 * @param {string} origin of the server
 * @returns {Failure}
 */
export function failureOf(status, said, origin) {
  const words = said.length > most ? `${said.slice(0, most)}…` : said;
  const quoted = words && `: ${words}`;
  if (status === 429) return new Failure('busy', `${origin} limits how often it is asked${quoted}`); // also where it counts tokens
  if (tooLong.test(said) || status === 413) return new Failure('context', `the conversation is too long for the model${quoted}`);
  if (status === 401) return new Failure('key', `${origin} refused the key${quoted}`);
  if (status === 403) {
    return new Failure('key', `${origin} refused the request${quoted} (it may be the key, or that it does not let this extension in: Ollama asks for OLLAMA_ORIGINS=chrome-extension://*)`);
  }
  if (status === 404) return new Failure('absent', `${origin} knows no such address or model${quoted}`);
  if (status === 0 || status >= 500) return new Failure('busy', `${origin} failed${quoted}`);
  return new Failure('broken', `${origin} refused the request with status ${status}${quoted}`);
}

/** The words in a failed answer's body; '' where it has none for people. @param {string} body @returns {string} */
export function wordsOf(body) {
  if (/^\s*<|^\s*\{\s*\}\s*$/.test(body)) return ''; // a web page of some server on the way, or nothing
  try {
    const read = JSON.parse(body);
    const { error, message, detail } = Object([read].flat()[0]); // Google's come in a list
    const words = error?.message ?? error ?? message ?? detail?.[0]?.msg ?? detail;
    return typeof words === 'string' ? words : body;
  } catch {
    return body;
  }
}

/** That an answer is none of a model. @param {string} origin */
export const unreadable = origin => new Failure('cut', `${origin} gives no answer that can be read as a model's: look at the provider and the endpoint`);
