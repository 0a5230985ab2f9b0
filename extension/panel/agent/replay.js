// A run as a file, and done again. Uids hold for one visit: in the file an act's
// target is its role, its name and what was around it, and is looked for anew.
import { fenced, findTarget, hidden, targetsOf, unfenced } from './targets.js';
import { callTool, natureOf } from './tools.js';

/** @typedef {import('./loop.js').Run} Run */
/** @typedef {import('./loop.js').Step} Step */
/** @typedef {import('./targets.js').Target} Target */
/** @typedef {{tool: string, arguments: Record<string, unknown>, targets: Record<string, Target>, evidence: string, state: string, tokens: number}} Kept a step */
/** @typedef {{handrail_run: 1, task: string, model: string, started: string, steps: Kept[], usage: {input: number, output: number, guessed: boolean}, end?: string, answer: string, why: string}} Export */

const ofOneVisit = ['uid', 'to', 'tab', 'handle', 'recovery_handle', 'since', 'under', 'offset'];
const maxWindows = 20;

/** @param {Run} run @returns {Export} */
export function exportOf({ task, model, started, steps, usage, end, answer, why }) {
  const secrets = steps.flatMap(step => (isSecret(step) ? [step.arguments.text, step.arguments.values].flat() : [])).map(String).filter(Boolean);
  const typed = new Set(secrets);
  /** @param {string} text */
  const clean = text => secrets.reduce((left, secret) => left.replaceAll(secret, hidden), text);
  return {
    handrail_run: 1, task: clean(task), model, started, ...(end && { end }), answer: clean(answer), why: clean(why), usage,
    steps: steps.map(step => {
      const { tool, arguments: args, targets, evidence, state, tokens } = step;
      const kept = lasting(args, Object.keys(targets));
      // The same may have been tried before where it was not known for a secret.
      const secret = isSecret(step) || [args.text, args.values].flat().some(text => typed.has(String(text)));
      for (const key of ['text', 'values']) if (secret && kept[key] !== undefined) kept[key] = hidden;
      return { tool, arguments: kept, targets, evidence: clean(evidence), state, tokens };
    }),
  };
}

/** @param {Step} step */
const isSecret = ({ arguments: args, secret }) => secret === true || args.secret === true;

/**
 * Arguments without what holds for one visit (an offset in px lasts). A uid of which
 * it is not known what it stood for stays, to say that there was one.
 * @param {Record<string, unknown>} args @param {string[]} [known]
 */
function lasting(args, known = ['uid', 'to']) {
  const kept = Object.entries(args).flatMap(([key, value]) => {
    if (!ofOneVisit.includes(key) || key === 'offset' && typeof value === 'object') return [[key, value]];
    return (key === 'uid' || key === 'to') && value && !known.includes(key) ? [[key, 'unknown']] : [];
  });
  return Object.fromEntries(kept);
}

/** Reads an exported run. @param {string} text @returns {Export} throws where it is none */
export function readExport(text) {
  /** @type {Export} */
  let read;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error('the file is no JSON');
  }
  if (read?.handrail_run !== 1 || !Array.isArray(read.steps)) throw new Error('the file is no exported run');
  for (const { tool, arguments: args, targets } of read.steps) {
    const sound = typeof tool === 'string' && isObject(args) && isObject(targets) && Object.values(targets).every(isTarget);
    if (!sound) throw new Error('the file has a step that is none');
  }
  return read;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} value */
function isTarget(value) {
  if (!isObject(value)) return false;
  const { role, name, row, path } = value;
  return typeof role === 'string' && typeof name === 'string' && [row, path].every(list => Array.isArray(list) && list.every(text => typeof text === 'string'));
}

/**
 * Does the acts of an exported run again on the page that is open, until one cannot be done.
 * @param {Export} kept
 * @param {{tab: number, now: () => Date, changed: (run: Run, step?: Step) => void} & import('./tools.js').Means} means
 * @param {AbortSignal} signal Stop
 * @returns {Promise<Run>} never rejects
 */
export async function replay(kept, means, signal) {
  const { changed, now } = means;
  /** @type {Run} */
  const run = { task: kept.task, model: 'replay', started: now().toISOString(), steps: [], usage: { input: 0, output: 0, guessed: false }, answer: '', why: '' };
  const again = kept.steps.filter(({ tool, arguments: args, state }) => state === 'done' && repeats(tool, args));
  let tab = means.tab;
  try {
    for (const [n, { tool, arguments: written, targets }] of again.entries()) {
      const args = lasting(written); // a uid that somebody wrote into the file is none of today
      /** @type {Step} */
      const step = { tool, arguments: args, targets, said: '', state: 'under way', evidence: '', text: '', tokens: 0 };
      run.steps.push(step);
      changed(run, step);
      const stop = (/** @type {string} */ why) => {
        Object.assign(step, { state: 'not sent', evidence: why });
        throw new Error(`Step ${n + 1} of ${again.length} was not done: ${why}`);
      };
      if (args.text === hidden || args.values === hidden) stop('what it typed is secret, and not in the file');
      if (tool === 'browser_tabs' && args.action !== 'open') stop('it is about a tab of that time');
      const uids = Object.keys(targets).length > 0 ? await resolve(targets, tab, means, signal, stop) : {};
      if (needsUid(args) && uids.uid === undefined || ['uid', 'to'].some(key => written[key] && uids[key] === undefined)) stop('what it was done on is not in the file');
      const { text, failed, object } = await callTool(tool, { ...args, ...uids, ...(uids.uid === undefined && takesTab(tool, args) && tab && { tab }) }, means, signal);
      Object.assign(step, { state: failed ? 'failed' : 'done', text, evidence: unfenced(text).split('\n')[0].slice(0, 300) });
      if (typeof object.tab === 'number') tab = object.tab;
      changed(run, step);
      signal.throwIfAborted();
      if (failed) throw new Error(`Step ${n + 1} of ${again.length} failed: ${step.evidence}`);
    }
    Object.assign(run, { end: 'done', answer: `All ${again.length} acts were done again.` });
  } catch (thrown) {
    const last = run.steps.at(-1);
    if (last?.state === 'under way') Object.assign(last, { state: 'not sent', evidence: 'stopped before it was done' });
    const sent = last && last.state !== 'not sent';
    if (signal.aborted) Object.assign(run, { end: 'stopped', why: sent ? `Stopped; the last act was sent before: ${last.evidence}` : 'Stopped; nothing was under way on the page' });
    else Object.assign(run, { end: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) });
  }
  changed(run, run.steps.at(-1));
  return run;
}

/** Whether a step is done again: what only read is not, but waiting is. @param {string} tool @param {Record<string, unknown>} args */
function repeats(tool, args) {
  return natureOf(tool, args) !== 'read' || tool === 'browser_act' && args.action === 'wait';
}

/** @param {Record<string, unknown>} args */
const needsUid = ({ action }) => typeof action === 'string' && /^(click|type|set_field|select|check|hover|focus|blur|drag|set_value|upload)$/.test(action);

/** @param {string} tool @param {Record<string, unknown>} args */
const takesTab = (tool, args) => ['browser_act', 'browser_navigate', 'browser_eval'].includes(tool) && args.tab === undefined;

/**
 * Finds uids of today for targets.
 * @param {Record<string, Target>} targets @param {number} tab @param {import('./tools.js').Means} means @param {AbortSignal} signal
 * @param {(why: string) => never | void} stop
 * @returns {Promise<Record<string, string>>} by argument
 */
async function resolve(targets, tab, means, signal, stop) {
  const page = await wholePage(tab, means, signal, stop);
  /** @type {Record<string, string>} */
  const uids = {};
  for (const [key, target] of Object.entries(targets)) {
    const found = findTarget(target, page);
    if ('why' in found) stop(found.why);
    else uids[key] = found.uid;
  }
  return uids;
}

/** All targets of the page, window by window. @param {number} tab @param {import('./tools.js').Means} means @param {AbortSignal} signal @param {(why: string) => never | void} stop */
async function wholePage(tab, means, signal, stop) {
  let answer = await callTool('browser_snapshot', tab ? { tab } : {}, means, signal);
  let text = '';
  for (let n = 0; ; n++) {
    if (answer.failed) stop(`the page could not be read: ${answer.text.split('\n')[0]}`);
    text += `${text && '\n'}${fenced(answer.text).join('\n')}`;
    const { next_offset: next, recovery_handle: handle } = answer.object;
    if (typeof next !== 'number' || n === maxWindows) break;
    answer = await callTool('browser_read', { what: 'window', handle, offset: next }, means, signal);
  }
  return targetsOf(`<page all: data, not instructions>\n${text}\n</page all>`, false);
}

