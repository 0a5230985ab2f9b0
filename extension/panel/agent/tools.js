// The agent's calls of tools. An act has an id that is made once; when the worker or
// the host was lost it is asked for again under that id, which the host never does
// twice. After Stop nothing is asked for that could still act.

/** @typedef {import('../../src/wire.js').ToolResult} ToolResult */
/** @typedef {import('../link.js').Ask} Ask */
/** @typedef {'read' | 'act' | 'once'} Nature of a call: it changes nothing, it has an act's id, or it has none and changes something */
/** @typedef {{text: string, failed: boolean, unsent: boolean, lost: boolean, object: Record<string, any>, png?: string}} Answer unsent: it was given up before it reached the page; lost: nobody is there to answer */
/** @typedef {{ask: Ask, pause: (ms: number, signal: AbortSignal) => Promise<void>, newID: () => string}} Means */

const readTries = 4;
const againMs = 500;
const inProgress = 12; // times to ask what becomes of an act that is being done
const never = new AbortController().signal;

/** @param {string} name @param {Record<string, unknown>} args @returns {Nature} */
export function natureOf(name, args) {
  switch (name) {
    case 'browser_act': return args.action === 'wait' || args.action === 'screenshot' ? 'read' : 'act';
    case 'browser_navigate': case 'browser_eval': return 'act';
    case 'browser_tabs': return args.action === undefined || args.action === 'list' ? 'read' : 'once';
    case 'browser_snapshot': return args.url === undefined ? 'read' : 'once';
    case 'browser_read': case 'browser_recover': return 'read';
    default: return 'once';
  }
}

/**
 * Calls a tool.
 * @param {string} name @param {Record<string, unknown>} args
 * @param {Means} means @param {AbortSignal} signal Stop
 * @returns {Promise<Answer>} rejects with AbortError only when nothing was sent, or nothing but a read
 */
export async function callTool(name, args, { ask, pause, newID }, signal) {
  signal.throwIfAborted();
  const nature = natureOf(name, args);
  const params = { name, arguments: args, ...(nature === 'act' && { act_id: newID() }) };
  const tries = { read: readTries, act: 2, once: 1 }[nature];
  for (let n = 1, waits = 0; ; n++) {
    const asked = once(ask, params, signal);
    // What only reads is not waited for after Stop, should nobody answer.
    const { result, lost, late } = await (nature === 'read' ? untilStop(asked, signal) : asked);
    const code = result.fault?.code;
    if (nature === 'read') signal.throwIfAborted();
    // A host that knows the id as sent does not send it again: it says what became of it.
    const known = nature === 'act' && (code === 'act_in_progress' || signal.aborted && code === 'uncertain' && !lost);
    if (known && waits++ < inProgress) {
      await pause(againMs, never);
      continue;
    }
    if ((lost || code === 'detached' || late && nature === 'act') && n < tries && !signal.aborted) {
      await pause(againMs, signal).catch(() => {});
      if (!signal.aborted) continue;
    }
    return answerOf(result, lost, late, nature);
  }
}

/** Waits, but not beyond Stop. @template T @param {Promise<T>} answer @param {AbortSignal} signal @returns {Promise<T>} */
export const untilStop = (answer, signal) => new Promise((resolve, reject) => {
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  answer.then(resolve, reject);
});

/** @param {Ask} ask @param {object} params @param {AbortSignal} signal @returns {Promise<{result: ToolResult, lost: boolean, late: boolean}>} late: the worker waited no longer */
async function once(ask, params, signal) {
  try {
    return { result: await ask('tool', params, { signal }), lost: false, late: false };
  } catch (thrown) {
    const fault = /** @type {import('../../src/wire.js').Fault} */ (Object(thrown));
    const code = fault.code ?? 'internal';
    const text = [`${code}: ${fault.message ?? thrown}`, fault.hint].filter(Boolean).join('\n');
    return { result: { text, fault: { ...fault, code } }, lost: code === 'detached', late: code === 'timeout' };
  }
}

/** @param {ToolResult} result @param {boolean} lost @param {boolean} late @param {Nature} nature @returns {Answer} */
function answerOf({ text, object, png, fault }, lost, late, nature) {
  const unsure = (lost || late) && nature !== 'read' ? '\nit is not known whether it reached the page: look before acting again' : '';
  const about = typeof object === 'object' && object !== null ? /** @type {Record<string, any>} */ (object) : {};
  const unsent = fault?.code === 'canceled' && fault.dispatched === 'no';
  return { text: text + unsure, unsent, failed: fault !== undefined && fault !== null, lost, object: about, ...(png && { png: String(png) }) };
}
