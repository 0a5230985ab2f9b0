// Anthropic's messages.
import { apart, callOf, mostParts } from './call.js';
import { Failure, failureOf, unreadable, wordsOf } from './failure.js';
import { below, bodyOf, cutBy, post } from './request.js';
import { eventsOf } from './sse.js';

const maxTokens = 8192; // of an answer

/** @typedef {{input_tokens?: number, output_tokens?: number, cache_creation_input_tokens?: number, cache_read_input_tokens?: number}} Counts */
/** @typedef {{type: string, text?: string, id?: string, name?: string, input?: unknown, json: string}} Block json: of a call's arguments, as far as it came */
/**
 * @typedef {object} Streamed
 * @property {string} type
 * @property {number} [index]
 * @property {{usage?: Counts}} [message]
 * @property {{type: string, text?: string, id?: string, name?: string, input?: unknown}} [content_block]
 * @property {{type?: string, text?: string, thinking?: string, partial_json?: string, stop_reason?: string | null}} [delta]
 * @property {Counts} [usage]
 * @property {{type?: string, message?: string}} [error]
 */

/** @param {import('./model.js').Choice} choice @param {import('./model.js').Means} means @returns {import('./model.js').Model} */
export function openAnthropic({ endpoint, model, key, pictures }, means) {
  const url = below(endpoint, '/messages');
  const headers = {
    'anthropic-version': '2023-06-01',
    'anthropic-dangerous-direct-browser-access': 'true', // the key is the person's own, in their own browser
    ...(key && { 'x-api-key': key }),
  };
  return {
    name: model,
    async send({ system, messages, tools, signal, onText, onPart, onRequest, onWait }) {
      const body = {
        model, max_tokens: maxTokens, stream: true, system,
        messages: messages.map(message => written(message, pictures)),
        ...(tools.length > 0 && { tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })) }),
      };
      onRequest(body);
      const response = await post(url, headers, body, means, { signal, onWait });
      const heard = new Heard(new URL(url).origin, onText, onPart);
      try {
        for await (const { data } of eventsOf(bodyOf(response))) if (!heard.add(data)) break;
      } catch (thrown) {
        throw cutBy(thrown, signal);
      }
      return heard.reply();
    },
  };
}

/** What was said so far. */
class Heard {
  /** @type {Block[]} */
  #blocks = [];
  #stop = '';
  #whole = false;
  #understood = false;
  /** @type {Counts} */
  #counts = {};
  #origin;
  #onText;
  #onPart;

  /** @param {string} origin @param {(text: string) => void} onText @param {(characters: number) => void} onPart */
  constructor(origin, onText, onPart) {
    this.#origin = origin;
    this.#onText = onText;
    this.#onPart = onPart;
  }

  get #text() {
    return this.#blocks.map(({ type, text }) => (type === 'text' ? text : '')).join('');
  }

  /** @param {string} data @returns {boolean} whether more may come */
  add(data) {
    /** @type {Streamed} */
    let event;
    try {
      event = JSON.parse(data);
    } catch {
      throw new Failure('cut', 'the model\'s answer is no JSON');
    }
    if (event?.type === 'error') {
      const status = event.error?.type === 'authentication_error' ? 401 : event.error?.type === 'invalid_request_error' ? 400 : 0;
      throw failureOf(status, wordsOf(data), this.#origin);
    }
    try {
      this.#take(event);
    } catch (thrown) {
      throw thrown instanceof Failure ? thrown : unreadable(this.#origin);
    }
    return !this.#whole;
  }

  /** @param {Streamed} event throws where it is none */
  #take({ type, index = 0, delta, content_block: block, message, usage }) {
    this.#understood ||= typeof type === 'string';
    if (!Number.isInteger(index) || index < 0 || index >= mostParts) throw unreadable(this.#origin);
    Object.assign(this.#counts, message?.usage, usage);
    if (type === 'content_block_start' && block) this.#blocks[index] = { ...block, text: String(block.text ?? ''), json: '' };
    if (delta) this.#onPart([delta.text, delta.thinking, delta.partial_json].reduce((sum, text) => sum + (text?.length ?? 0), 0));
    const at = this.#blocks[index];
    if (type === 'content_block_delta' && at) {
      at.json += delta?.partial_json ?? '';
      if (delta?.type === 'text_delta') {
        at.text += delta.text ?? '';
        this.#onText(this.#text);
      }
    }
    if (type === 'message_delta') this.#stop = delta?.stop_reason ?? this.#stop;
    if (type === 'message_stop') this.#whole = true;
  }

  /** @returns {import('./model.js').Reply} */
  reply() {
    if (!this.#understood) throw unreadable(this.#origin);
    if (!this.#whole) throw new Failure('cut', 'the model\'s answer broke off');
    if (this.#stop === 'model_context_window_exceeded') throw new Failure('context', 'the conversation is too long for the model');
    const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0, output_tokens = 0 } = this.#counts;
    const refused = this.#stop === 'refusal';
    return {
      text: this.#text,
      // Some servers give all arguments at once, where the call begins.
      calls: refused ? [] : apart(this.#blocks.filter(block => block?.type === 'tool_use').map(({ id = '', name = '', input, json }) => callOf(id, String(name), json || JSON.stringify(input ?? {})))),
      usage: { input: input_tokens + cache_creation_input_tokens + cache_read_input_tokens, output: output_tokens },
      end: refused ? 'refused' : this.#stop === 'max_tokens' ? 'length' : 'whole',
    };
  }
}

/** @param {import('./model.js').Message} message @param {boolean} pictures */
function written(message, pictures) {
  if (message.role === 'user') return { role: 'user', content: [message.text, message.view?.text].filter(Boolean).map(text => ({ type: 'text', text })) };
  if (message.role === 'model') {
    return {
      role: 'assistant',
      content: [
        ...(message.text.trim() ? [{ type: 'text', text: message.text.trimEnd() }] : []), // empty ones are refused
        ...message.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
      ],
    };
  }
  return {
    role: 'user',
    content: message.results.map(({ id, text, failed, png }) => ({
      type: 'tool_result', tool_use_id: id, ...(failed && { is_error: true }),
      content: [{ type: 'text', text }, ...(png && pictures ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }] : [])],
    })),
  };
}
