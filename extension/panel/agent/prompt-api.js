// The model built into Chrome, by its Prompt API. It knows no tools: its answer is
// held to a JSON Schema of which each form is a tool's call or the final answer.
import { callOf } from './call.js';
import { Failure } from './failure.js';

/** @typedef {{role: 'system' | 'user' | 'assistant', content: string}} Prompt */
/** @typedef {{promptStreaming: (input: string, options: {signal: AbortSignal, responseConstraint: object, omitResponseConstraintInput: boolean}) => ReadableStream<string>, destroy: () => void, inputUsage?: number, contextUsage?: number}} Session */
/** @typedef {{availability: () => Promise<string>, create: (options: {initialPrompts: Prompt[], signal: AbortSignal}) => Promise<Session>}} LanguageModel */
/** @typedef {import('./model.js').Tool} Tool */

const languages = { expectedInputs: [{ type: 'text', languages: ['en'] }], expectedOutputs: [{ type: 'text', languages: ['en'] }] };

/** The built-in model, where there is one. @returns {LanguageModel | undefined} */
export const builtIn = () => /** @type {{LanguageModel?: LanguageModel}} */ (globalThis).LanguageModel;

/**
 * Says why the built-in model cannot be used.
 * @param {LanguageModel | undefined} model
 * @returns {Promise<string>} '' when it can
 */
export async function whyAbsent(model) {
  if (!model) return 'this browser has no built-in model: it takes Chrome 138 or newer with the Prompt API';
  const state = await model.availability();
  if (state === 'available') return '';
  if (state === 'unavailable') return 'this device cannot run Chrome\'s built-in model';
  return `Chrome's built-in model is not there yet (${state}): Chrome loads it when it is first used`;
}

/** @param {import('./model.js').Choice} _choice @param {import('./model.js').Means} means @returns {import('./model.js').Model} */
export function openPromptAPI(_choice, { languageModel }) {
  return {
    name: 'Chrome\'s built-in model',
    async send({ system, messages, tools, signal, onText, onPart, onRequest }) {
      const why = await whyAbsent(languageModel);
      if (!languageModel || /no built-in|cannot run/.test(why)) throw new Failure('absent', why);
      const said = messages.map(written);
      const initialPrompts = [{ role: /** @type {const} */ ('system'), content: `${system}\n\n${described(tools)}` }, ...said.slice(0, -1)];
      const input = said[said.length - 1].content;
      const responseConstraint = constraint(tools);
      onRequest({ initialPrompts, input, responseConstraint });
      /** @type {Session | undefined} */
      let session;
      let text = '';
      try {
        session = await languageModel.create({ ...languages, initialPrompts, signal });
        const reader = session.promptStreaming(input, { signal, responseConstraint, omitResponseConstraintInput: true }).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          text += part.value;
          onPart(part.value.length);
          onText(text);
        }
        const used = session.contextUsage ?? session.inputUsage; // its name changed
        return { ...replyOf(text), usage: used === undefined ? undefined : { input: used, output: Math.ceil(text.length / 4) } };
      } catch (thrown) {
        if (signal.aborted || thrown instanceof Failure) throw thrown;
        const { name, message } = thrown instanceof Error ? thrown : { name: '', message: String(thrown) };
        if (name === 'QuotaExceededError') throw new Failure('context', 'the conversation is too long for the built-in model');
        if (name === 'NotReadableError') return { text: message, calls: [], end: 'refused' }; // its filter
        throw new Failure('broken', `the built-in model failed: ${message}`);
      } finally {
        session?.destroy();
      }
    },
  };
}

/** @param {Tool[]} tools */
const described = tools => [
  'Answer with one JSON object: {"tool": NAME, "arguments": {…}} calls a tool, {"answer": TEXT} is your final answer. The tools, with the JSON Schema of their arguments:',
  ...tools.map(({ name, description, inputSchema }) => `${name}: ${description}\n${JSON.stringify(inputSchema)}`),
].join('\n\n');

/** @param {Tool[]} tools */
const constraint = tools => ({
  anyOf: [
    { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false },
    ...tools.map(({ name, inputSchema }) => ({
      type: 'object', properties: { tool: { type: 'string', enum: [name] }, arguments: inputSchema }, required: ['tool', 'arguments'], additionalProperties: false,
    })),
  ],
});

/** @param {string} text @returns {import('./model.js').Reply} */
function replyOf(text) {
  const { arguments: read, broken } = callOf('', '', text);
  if (typeof read.answer === 'string') return { text: read.answer, calls: [], end: 'whole' };
  const call = callOf('call', String(read.tool ?? ''), JSON.stringify(read.arguments ?? {}));
  return { text: '', calls: [broken ? { ...call, broken: broken.replace('the arguments are', 'the answer is') } : call], end: 'whole' };
}

/** @param {import('./model.js').Message} message @returns {Prompt} */
function written(message) {
  if (message.role === 'user') return { role: 'user', content: [message.text, message.view?.text].filter(Boolean).join('\n\n') };
  if (message.role === 'model') {
    const [call] = message.calls;
    return { role: 'assistant', content: JSON.stringify(call ? { tool: call.name, arguments: call.arguments } : { answer: message.text }) };
  }
  return { role: 'user', content: message.results.map(({ name, text }) => `${name} answered:\n${text}`).join('\n\n') };
}
