// What a model is to the agent: one way to send messages and tools, whoever makes it.
// What it says comes as it is said, and the key is in nothing that leaves this file.
import { openAnthropic } from './anthropic.js';
import { Failure } from './failure.js';
import { openOpenAI } from './openai.js';
import { openPromptAPI } from './prompt-api.js';

/** @typedef {import('../../src/wire.js').Tool} Tool */
/**
 * A tool's call that a model asks for.
 * @typedef {object} Call
 * @property {string} id
 * @property {string} name
 * @property {Record<string, unknown>} arguments {} where they could not be read
 * @property {string} [broken] why they could not
 */
/**
 * What a tool answered.
 * @typedef {object} Result
 * @property {string} id of the call
 * @property {string} name
 * @property {string} text
 * @property {boolean} failed
 * @property {boolean} [view] a page, which makes those before it old
 * @property {string} [png] base64
 */
/** @typedef {{role: 'user', text: string, view?: Result} | {role: 'model', text: string, calls: Call[]} | {role: 'tools', results: Result[]}} Message view: the page that the task begins with */
/** @typedef {{input: number, output: number}} Usage in tokens */
/**
 * @typedef {object} Reply
 * @property {string} text
 * @property {Call[]} calls
 * @property {Usage} [usage] undefined when the model does not tell
 * @property {'whole' | 'length' | 'refused'} end
 */
/**
 * @typedef {object} Sent
 * @property {string} system
 * @property {Message[]} messages
 * @property {Tool[]} tools
 * @property {AbortSignal} signal
 * @property {(text: string) => void} onText called with all that was said so far
 * @property {(characters: number) => void} onPart called with the length of each part, thoughts and calls too; throws where that is enough
 * @property {(body: unknown) => void} onRequest called with what is sent, which never has the key
 * @property {(text: string) => void} onWait called when a request is made again later
 */
/** @typedef {{name: string, send: (sent: Sent) => Promise<Reply>}} Model send rejects with a Failure, or with an AbortError */
/** @typedef {'openai' | 'anthropic' | 'built-in'} Provider */
/** @typedef {{provider: Provider, endpoint: string, model: string, key: string, pictures: boolean}} Choice */
/** @typedef {{fetch: typeof fetch, pause: (ms: number, signal: AbortSignal) => Promise<void>, languageModel?: import('./prompt-api.js').LanguageModel}} Means what a model is reached by */

const secretLength = 12; // of a key: those of services have 20 and more

/** @type {Record<Provider, (choice: Choice, means: Means) => Model>} */
const providers = { openai: openOpenAI, anthropic: openAnthropic, 'built-in': openPromptAPI };

/** @param {Choice} choice @param {Means} means @returns {Model} */
export function openModel(choice, means) {
  const model = providers[choice.provider](choice, means);
  const { key } = choice;
  /** @param {string} text */
  const clean = text => (key ? text.replaceAll(key, '‹key›') : text);
  /** @template T @param {T} value @returns {T} */
  const cleaned = value => (key ? JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'string' ? clean(one) : one)) : value);
  // A stand-in such as `ollama` is no secret, but a word that a task may be about.
  /** @template T @param {T} reply @returns {T} */
  const cleanedReply = reply => (key.length >= secretLength ? cleaned(reply) : reply);
  return {
    name: model.name,
    async send(sent) {
      try {
        return cleanedReply(await model.send({
          ...sent,
          onText: text => sent.onText(cleanedReply(text)),
          onRequest: body => sent.onRequest(cleaned(body)),
        }));
      } catch (thrown) {
        if (sent.signal.aborted) throw thrown;
        const { kind, message } = thrown instanceof Failure ? thrown : new Failure('broken', String(thrown));
        throw new Failure(kind, clean(message)); // servers like to quote the key that they refuse
      }
    },
  };
}
