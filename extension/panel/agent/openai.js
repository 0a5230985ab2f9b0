// OpenAI's chat completions, which many servers speak, local ones among them.
import { apart, callOf, mostParts } from './call.js';
import { Failure, failureOf, unreadable, wordsOf } from './failure.js';
import { below, bodyOf, cutBy, post } from './request.js';
import { eventsOf } from './sse.js';

/** @typedef {import('./model.js').Message} Message */
/** @typedef {{index?: number, id?: string, function?: {name?: string, arguments?: string | object}}} CallPart */
/** @typedef {{content?: string | {text?: string}[] | null, refusal?: string | null, reasoning?: string | null, reasoning_content?: string | null, tool_calls?: CallPart[]}} Part what is thought has no one name */
/** @typedef {{choices?: {delta?: Part, message?: Part, finish_reason?: string | null}[], usage?: {prompt_tokens?: number, completion_tokens?: number} | null, error?: unknown}} Chunk */

/** @param {import('./model.js').Choice} choice @param {import('./model.js').Means} means @returns {import('./model.js').Model} */
export function openOpenAI({ endpoint, model, key, pictures }, means) {
  const url = below(endpoint, '/chat/completions');
  return {
    name: model,
    async send({ system, messages, tools, signal, onText, onPart, onRequest, onWait }) {
      const body = {
        model, stream: true, stream_options: { include_usage: true },
        messages: [{ role: 'system', content: system }, ...messages.flatMap(message => written(message, pictures))],
        ...(tools.length > 0 && { tools: tools.map(({ name, description, inputSchema }) => ({ type: 'function', function: { name, description, parameters: inputSchema } })) }),
      };
      onRequest(body);
      const response = await post(url, key ? { authorization: `Bearer ${key}` } : {}, body, means, { signal, onWait });
      const heard = new Heard(new URL(url).origin, onText, onPart);
      try {
        if (response.headers.get('content-type')?.includes('json')) heard.addWhole(await response.text());
        else for await (const { data } of eventsOf(bodyOf(response))) if (!heard.add(data)) break;
      } catch (thrown) {
        throw cutBy(thrown, signal);
      }
      return heard.reply();
    },
  };
}

/** What was said so far. */
class Heard {
  #text = '';
  #refusal = '';
  #finish = '';
  #whole = false;
  #understood = false;
  /** @type {import('./model.js').Usage | undefined} */
  #usage;
  /** @type {{id: string, name: string, text: string}[]} */
  #calls = [];
  #origin;
  #onText;
  #onPart;

  /** @param {string} origin @param {(text: string) => void} onText @param {(characters: number) => void} onPart */
  constructor(origin, onText, onPart) {
    this.#origin = origin;
    this.#onText = onText;
    this.#onPart = onPart;
  }

  /** Takes the answer of a server that does not stream, which need not say that it ends. @param {string} data */
  addWhole(data) {
    this.add(data);
    this.#whole ||= this.#text !== '' || this.#refusal !== '' || this.#calls.length > 0;
  }

  /** @param {string} data @returns {boolean} whether more may come */
  add(data) {
    if (data === '[DONE]') {
      this.#whole = true;
      return false;
    }
    /** @type {Chunk} */
    let chunk;
    try {
      chunk = JSON.parse(data);
    } catch {
      throw new Failure('cut', 'the model\'s answer is no JSON');
    }
    if (chunk?.error) throw failureOf(0, wordsOf(data), this.#origin);
    try {
      this.#take(chunk);
    } catch (thrown) {
      throw thrown instanceof Failure ? thrown : unreadable(this.#origin);
    }
    return true;
  }

  /** @param {Chunk} chunk throws where it is none */
  #take({ choices, usage }) {
    this.#understood ||= Array.isArray(choices);
    if (usage) this.#usage = { input: usage.prompt_tokens ?? 0, output: usage.completion_tokens ?? 0 };
    const { delta, message, finish_reason: finish } = choices?.[0] ?? {};
    if (finish) {
      this.#finish = finish;
      this.#whole = true;
    }
    const part = delta ?? message ?? {};
    this.#onPart(lengthOf(part));
    this.#refusal += part.refusal ?? '';
    for (const call of part.tool_calls ?? []) this.#addCall(call);
    const said = textOf(part);
    if (!said) return;
    this.#text += said;
    this.#onText(this.#text);
  }

  /** @param {CallPart} part Some servers give no index: what has an id begins a call then. */
  #addCall({ index, id, function: called }) {
    const at = index ?? (id || this.#calls.length === 0 ? this.#calls.length : this.#calls.length - 1);
    if (!Number.isInteger(at) || at < 0 || at >= mostParts) throw unreadable(this.#origin);
    const call = this.#calls[at] ??= { id: '', name: '', text: '' };
    call.id ||= id ?? '';
    call.name ||= String(called?.name ?? '');
    const given = called?.arguments ?? '';
    call.text += typeof given === 'string' ? given : JSON.stringify(given);
  }

  /** @returns {import('./model.js').Reply} */
  reply() {
    if (!this.#understood && !this.#whole) throw unreadable(this.#origin);
    if (!this.#whole) throw new Failure('cut', 'the model\'s answer broke off');
    const refused = this.#refusal !== '' || this.#finish === 'content_filter';
    return {
      text: this.#refusal || this.#text,
      calls: refused ? [] : apart(this.#calls.filter(Boolean).map(({ id, name, text }) => callOf(id, name, text))),
      usage: this.#usage,
      end: refused ? 'refused' : this.#finish === 'length' ? 'length' : 'whole',
    };
  }
}

/** What was said: some servers give it in pieces. @param {Part} part */
const textOf = ({ content }) => (Array.isArray(content) ? content.map(piece => piece?.text ?? '').join('') : String(content ?? ''));

/** How many characters were said, thought and called. @param {Part} part */
function lengthOf({ refusal, reasoning, reasoning_content: thought, tool_calls: calls, ...part }) {
  return [textOf(part), refusal, reasoning, thought, calls && JSON.stringify(calls)].reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** @param {Message} message @param {boolean} pictures @returns {object[]} */
function written(message, pictures) {
  if (message.role === 'user') return [{ role: 'user', content: message.view ? `${message.text}\n\n${message.view.text}` : message.text }];
  if (message.role === 'model') {
    const calls = message.calls.map(({ id, name, arguments: given }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(given) } }));
    return [{ role: 'assistant', content: message.text, ...(calls.length > 0 && { tool_calls: calls }) }];
  }
  const seen = pictures ? message.results.filter(({ png }) => png) : [];
  return [
    ...message.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
    // A tool's answer is text: pictures follow it.
    ...(seen.length > 0 ? [{ role: 'user', content: seen.map(({ png }) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } })) }] : []),
  ];
}
