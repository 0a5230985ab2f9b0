// The Agent tab: a task is stated, and a model does it with the host's tools.
import { activeTab, dropOrigin, localGet, localSet, ownWindow, requestOrigin, sessionGet, sessionRemove, sessionSet } from '../src/chrome.js';
import { keep, textOf } from './agent/exchanges.js';
import { keptOf, runOf } from './agent/kept.js';
import { runTask } from './agent/loop.js';
import { openModel } from './agent/model.js';
import { builtIn, whyAbsent } from './agent/prompt-api.js';
import { exportOf, readExport, replay } from './agent/replay.js';
import { change, choiceOf, originOf, patternOf, providers, settingsOf, storageKey, whyNot } from './agent/settings.js';
import { renderStep } from './agent/steps.js';
import { untilStop } from './agent/tools.js';
import { element } from './element.js';

/** @typedef {import('./agent/loop.js').Run} Run */
/** @typedef {import('./agent/loop.js').Step} Step */

const form = element('agent-task', HTMLFormElement);
const task = element('task', HTMLTextAreaElement);
const run = element('agent-run', HTMLButtonElement);
const stop = element('agent-stop', HTMLButtonElement);
const save = element('agent-export', HTMLButtonElement);
const file = element('agent-replay', HTMLInputElement);
const state = element('agent-state', HTMLParagraphElement);
const usage = element('agent-usage', HTMLParagraphElement);
const saying = element('agent-saying', HTMLParagraphElement);
const heading = element('agent-answer-heading', HTMLElement);
const answer = element('agent-answer-text', HTMLElement);
const steps = element('agent-steps', HTMLOListElement);
const debug = element('agent-debug', HTMLOListElement);
const fields = {
  provider: element('agent-provider', HTMLSelectElement), endpoint: element('agent-endpoint', HTMLInputElement), model: element('agent-model', HTMLInputElement),
  key: element('agent-key', HTMLInputElement), steps: element('agent-max-steps', HTMLInputElement), tokens: element('agent-max-tokens', HTMLInputElement),
};
const pictures = element('agent-pictures', HTMLInputElement);
const settingsState = element('agent-settings-state', HTMLParagraphElement);

/** @type {import('./link.js').Ask} */
let ask;
let settings = settingsOf(undefined);
/** @type {AbortController | undefined} of what is under way */
let running;
/** @type {Run | undefined} */
let last;
/** The run of this window, for the panel after this one. */
const lastKey = ownWindow().then(window => `agent run ${window}`);
/** @type {import('./agent/loop.js').Exchange[]} */
const exchanges = [];
/** @type {WeakMap<Step, HTMLLIElement>} */
const items = new WeakMap();

const longMs = 20_000; // of waiting for the model, after which it is said

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/** @param {string} text @param {boolean} [wrong] */
function say(text, wrong = false) {
  clearTimeout(waiting);
  if (state.textContent !== text) state.textContent = text; // said once
  state.classList.toggle('wrong', wrong);
}

/** Says that the model is asked, and when that takes long: one that never answers looks the same. */
function sayAsking() {
  say('Asking the model');
  waiting = setTimeout(() => say(`Asking the model, which has said nothing for ${longMs / 1000} s: it may be thinking or loading, or not be there. Stop ends the run.`), longMs);
}

/** Waits, but not after Stop. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
const pause = (ms, signal) => new Promise((resolve, reject) => {
  signal.throwIfAborted();
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', over);
    resolve();
  }, ms);
  const over = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  signal.addEventListener('abort', over, { once: true });
});

const newID = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');

/** Shows how far a run is, and keeps it. @param {Run} now @param {Step} [step] */
function show(now, step) {
  keepRun(now);
  draw(now, step);
}

/** @param {Run} now */
async function keepRun(now) {
  const kept = keptOf(now);
  await sessionSet({ [await lastKey]: kept }).catch(() => {}); // without room it is shown here alone
}

/** @param {Run} now @param {Step} [step] */
function draw(now, step) {
  last = now;
  const { input, output, guessed } = now.usage;
  const did = `${now.steps.length} step${now.steps.length === 1 ? '' : 's'}`;
  usage.textContent = input + output === 0 ? did : `${did}, ${guessed ? 'about ' : ''}${(input + output).toLocaleString()} tokens (${input.toLocaleString()} read, ${output.toLocaleString()} written)`;
  if (!step) return;
  const item = renderStep(step);
  const shown = items.get(step);
  items.set(step, item);
  if (shown) {
    item.querySelector('details')?.toggleAttribute('open', shown.querySelector('details')?.open);
    shown.replaceWith(item);
  } else steps.append(item);
  item.scrollIntoView({ block: 'nearest' });
}

/** @param {import('./agent/loop.js').Exchange} exchange */
function showExchange(exchange) {
  keep(exchanges, exchange);
  const item = document.createElement('li');
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = `Request at ${new Date(exchange.at).toLocaleTimeString()}`;
  details.append(summary);
  details.addEventListener('toggle', () => {
    details.querySelector('pre')?.remove();
    if (!details.open) return;
    const text = document.createElement('pre');
    text.tabIndex = 0;
    text.textContent = textOf(exchange);
    details.append(text);
  });
  item.append(details);
  debug.append(item);
  while (debug.children.length > exchanges.length) debug.firstElementChild?.remove();
}

/** @param {Run} run that has ended */
function sayEnd({ end, why, answer: text }) {
  const words = { done: 'Done', stopped: 'Stopped', budget: 'Stopped', refused: 'Refused', failed: 'Failed', cut: 'Ended' }[end ?? 'failed'];
  say(why ? (why.startsWith(words) ? why : `${words}: ${why}`) : words, end === 'failed' || end === 'refused');
  heading.hidden = !text;
  answer.textContent = text;
}

/** Tells the run of the panel before this one. @param {() => void} onCut called when it ended with that panel */
async function showLast(onCut) {
  const key = await lastKey;
  const { [key]: kept } = await sessionGet(key);
  const before = runOf(kept);
  if (!before || running || last) return;
  const { run: ended, cut } = before;
  task.value ||= ended.task;
  draw(ended);
  for (const step of ended.steps) draw(ended, step);
  sayEnd(ended);
  save.disabled = false;
  if (!cut) return;
  keepRun(ended);
  onCut();
}

/** Does something that Stop ends. @param {(signal: AbortSignal, tab: number) => Promise<Run>} work */
async function begin(work) {
  if (running) return;
  const mine = running = new AbortController();
  const focused = document.activeElement === run;
  run.disabled = save.disabled = file.disabled = true;
  stop.disabled = false;
  if (focused) stop.focus();
  steps.replaceChildren();
  heading.hidden = true;
  answer.textContent = saying.textContent = usage.textContent = '';
  last = undefined;
  say('Reading the page');
  try {
    await sessionRemove(await lastKey);
    sayEnd(await work(mine.signal, await activeTab()));
  } catch (thrown) {
    const { message } = /** @type {{message?: string}} */ (Object(thrown));
    if (mine.signal.aborted) say('Stopped; nothing was under way on the page');
    else say(`Failed: ${message ?? thrown}`, true);
  } finally {
    running = undefined;
    run.disabled = file.disabled = false;
    const unfocused = document.activeElement === stop || document.activeElement === document.body;
    stop.disabled = true;
    if (unfocused) run.focus();
    save.disabled = !last;
    saying.textContent = '';
  }
}

/** @param {string} text @param {AbortSignal} signal @param {number} tab */
async function doTask(text, signal, tab) {
  const model = openModel(choiceOf(settings), { fetch: (...args) => fetch(...args), pause, languageModel: builtIn() });
  const { tools, instructions } = /** @type {import('../src/wire.js').ToolsResult} */ (await untilStop(ask('tools', {}, { signal }), signal));
  return runTask({
    task: text, tab, model, tools, instructions, budget: settings, ask, pause, newID, now: () => new Date(),
    watch: {
      changed: (now, step) => {
        show(now, step);
        if (step) saying.textContent = '';
        if (signal.aborted || now.end) return;
        if (step?.state === 'under way') say(`Step ${now.steps.length}`);
        else sayAsking();
      },
      says: text => {
        saying.textContent = text;
        if (!signal.aborted) sayAsking();
      },
      notes: text => { if (!signal.aborted) say(text); },
      exchanged: showExchange,
    },
  }, signal);
}

function showSettings() {
  for (const [name, field] of Object.entries(fields)) if (name !== 'key') field.value = String(settings[/** @type {'provider'} */ (name)]);
  pictures.checked = settings.pictures;
  showProvider();
}

function showProvider() {
  const remote = fields.provider.value !== 'built-in';
  element('agent-server', HTMLElement).hidden = !remote;
  fields.key.value = '';
  fields.key.placeholder = settings.key ? `kept for ${settings.keyOrigin}` : 'none';
  element('agent-forget', HTMLButtonElement).hidden = !settings.key;
}

/** @param {string} text @param {boolean} [wrong] */
function saySettings(text, wrong = false) {
  settingsState.textContent = text;
  settingsState.classList.toggle('wrong', wrong);
}

/** Keeps what is chosen; Chrome asks the person whether the extension may reach the server. */
async function saveSettings() {
  const before = settings;
  for (const [name, field] of Object.entries({ 'Steps at most': fields.steps, 'Tokens at most': fields.tokens })) {
    if (field.value && field.validity.valid) continue;
    field.focus();
    return saySettings(`${name}: ${field.validationMessage || 'how many?'}`, true);
  }
  const chosen = change(before, { ...Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])), pictures: pictures.checked });
  const why = whyNot(chosen);
  if (why) return saySettings(why, true);
  const origin = originOf(chosen);
  const allowed = origin ? requestOrigin(patternOf(origin)) : undefined; // at once: it takes the person's click
  settings = chosen;
  await localSet({ [storageKey]: chosen });
  showSettings();
  saySettings(before.key && !chosen.key ? `Saved; the key for ${before.keyOrigin} was forgotten` : 'Saved');
  const old = originOf(before);
  if (old && origin && patternOf(old) !== patternOf(origin)) dropOrigin(patternOf(old)).catch(() => {});
  if (chosen.provider === 'built-in') return saySettings(['Saved', await whyAbsent(builtIn())].filter(Boolean).join('; '));
  if (await allowed?.catch(() => false) === false) saySettings(`Saved; without the permission ${origin} answers only if it lets the extension in by itself`);
}

/** @param {string} name @param {string} text */
function download(name, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // by then it is read
}

/**
 * Opens the tab.
 * @param {import('./link.js').Ask} link @param {() => void} onCut called when the panel before this one left a run in the middle
 * @returns {import('./panel.js').Tab}
 */
export function openAgent(link, onCut) {
  ask = link;
  showLast(onCut).catch(() => {});
  for (const [value, { label }] of Object.entries(providers)) fields.provider.add(new Option(label, value));
  const known = localGet(storageKey).then(kept => {
    settings = settingsOf(kept);
    showSettings();
    element('agent-settings', HTMLDetailsElement).open = whyNot(settings) !== '';
  });
  fields.provider.addEventListener('change', () => {
    const provider = /** @type {import('./agent/model.js').Provider} */ (fields.provider.value);
    if (Object.values(providers).some(({ endpoint }) => endpoint === fields.endpoint.value)) fields.endpoint.value = providers[provider].endpoint;
    showProvider();
  });
  element('agent-choices', HTMLFormElement).addEventListener('submit', event => {
    event.preventDefault();
    saveSettings().catch(thrown => saySettings(String(thrown), true));
  });
  element('agent-forget', HTMLButtonElement).addEventListener('click', async () => {
    settings = { ...settings, key: '', keyOrigin: '' };
    await localSet({ [storageKey]: settings });
    showProvider();
    const next = fields.provider.value === 'built-in' ? fields.provider : fields.key;
    next.focus(); // the button that had it is gone
    saySettings('The key was forgotten');
  });
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const text = task.value.trim();
    if (!text) return;
    await known;
    const why = whyNot(settings);
    if (why) {
      element('agent-settings', HTMLDetailsElement).open = true;
      return say(why, true);
    }
    await begin((signal, tab) => doTask(text, signal, tab));
  });
  task.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  stop.addEventListener('click', () => {
    stop.disabled = true;
    say('Stopping: an act that was sent before is waited for');
    running?.abort();
  });
  save.addEventListener('click', () => {
    if (last) download('handrail-run.json', JSON.stringify(exportOf(last), null, 2));
  });
  file.addEventListener('change', async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    try {
      const text = await chosen.text();
      file.value = ''; // so that the same file can be chosen again
      const kept = readExport(text);
      task.value = kept.task;
      await begin((signal, tab) => replay(kept, {
        tab, ask, pause, newID, now: () => new Date(),
        changed: (now, step) => {
          show(now, step);
          if (step?.state === 'under way' && !signal.aborted) say(`Step ${now.steps.length}`);
        },
      }, signal));
    } catch (thrown) {
      say(`Not replayed: ${thrown instanceof Error ? thrown.message : thrown}`, true);
    }
  });
  return {};
}
