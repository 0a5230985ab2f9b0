// The Page tab: the live view of the window's active tab.
import { activeTab, onActiveTab } from '../src/chrome.js';
import { element } from './element.js';
import { openFind } from './find.js';
import { joinWindow, leftOut, renderLines } from './lines.js';
import { openOptions } from './options.js';
import { openPointing } from './point.js';
import { headingOf, renderStructure } from './structure.js';

/** @typedef {import('../src/wire.js').Snapshot} Snapshot */

const query = element('query', HTMLInputElement);
const changed = element('changed', HTMLButtonElement);
const more = element('more', HTMLButtonElement);
const state = element('state', HTMLParagraphElement);
const cost = element('cost', HTMLElement);
const size = element('size', HTMLElement);
const view = element('view', HTMLOListElement);
const structure = element('page-structure', HTMLDetailsElement);

/** What is shown: the handle and its tab, the handle it is compared with, its lines and what they cost. */
let shown = { handle: '', tab: 0, since: '', lines: [''], indent: 1, tokens: 0, next: 0 };
let newest = 0;
/** @type {import('./link.js').Ask} */
let ask;
/** Takes away what was found. @type {() => void} */
let clearFound;
/** @type {() => ReturnType<typeof import('./options.js').optionsOf>} */
let chosen;

/** Shows one line of state; what went wrong stands out. @param {string} text @param {boolean} [wrong] */
function say(text, wrong = false) {
  state.textContent = text;
  state.classList.toggle('wrong', wrong);
}

/** @param {unknown} fault */
function sayFault(fault) {
  const { message = String(fault), hint = '' } = /** @type {{message?: string, hint?: string}} */ (fault ?? {});
  say(hint ? `${message}: ${hint}` : message, true);
}

/**
 * Asks for a view; an answer that a newer question has overtaken is dropped.
 * @param {() => Promise<Snapshot>} asking
 * @param {(snapshot: Snapshot) => string} show shows it and says what it is
 */
async function read(asking, show) {
  const reading = ++newest;
  say('Reading…');
  try {
    const snapshot = await asking();
    if (reading !== newest) return;
    const notes = [show(snapshot), snapshot.note, snapshot.superseded && 'The page has moved on since it was read',
      snapshot.smaller === false && 'The view is not smaller than the page\'s tree',
      snapshot.structure_reason && `No structure: ${snapshot.structure_reason}`];
    say(notes.filter(Boolean).join('. '));
  } catch (fault) {
    if (reading === newest) sayFault(fault);
  }
}

/** Reads the page anew. @param {string} [since] handle: only what is different from then */
async function readPage(since = '') {
  if (!since) clear();
  const options = { ...chosen(), ...(query.value && { query: query.value }) };
  await read(async () => ask('snapshot', { tab: await activeTab(), ...options, ...(since && { since }) }), snapshot => {
    showView(snapshot, options.profile === 'full' && !since ? 2 : 1, since);
    return since ? 'What changed since the reading before' : '';
  });
}

/** Reads what stands under a node of the snapshot shown. @param {string} uid */
function readUnder(uid) {
  const options = { ...chosen(), under: uid };
  read(() => ask('read', { handle: shown.handle, ...options }), snapshot => {
    showView(snapshot, options.profile === 'full' ? 2 : 1);
    return `Under ${uid} only`;
  });
}

/** Reads the next window of what is shown. */
function readOn() {
  const { handle, since, next } = shown;
  read(() => ask('read', { handle, offset: next, ...(since && { since }) }), snapshot => {
    const { keep, add } = joinWindow(shown.lines, snapshot.uids.split('\n'));
    shown.lines.splice(keep, Infinity, ...add);
    while (view.children.length > keep) view.lastElementChild?.remove();
    view.append(renderLines(add, shown.indent));
    view.children[keep]?.scrollIntoView({ block: 'center' });
    showSize(snapshot);
    return '';
  });
}

function clear() {
  shown = { handle: '', tab: 0, since: '', lines: [], indent: 1, tokens: 0, next: 0 };
  view.replaceChildren();
  cost.textContent = size.textContent = '';
  changed.disabled = more.hidden = structure.hidden = true;
  clearFound();
}

/** @param {Snapshot} snapshot @param {number} indent @param {string} [since] */
function showView(snapshot, indent, since = '') {
  clear();
  shown = { ...shown, handle: snapshot.recovery_handle, tab: snapshot.tab, since, lines: snapshot.uids.split('\n'), indent };
  view.dataset.handle = structure.dataset.handle = shown.handle;
  view.replaceChildren(renderLines(shown.lines, indent));
  changed.disabled = false;
  showSize(snapshot);
  if (!snapshot.structure) return;
  const summary = /** @type {import('./structure.js').Structure} */ (snapshot.structure);
  element('structure-heading', HTMLElement).textContent = headingOf(summary);
  element('structure-lists', HTMLElement).replaceChildren(renderStructure(summary));
  structure.hidden = false;
}

/** Says what the windows shown cost, and what is left. @param {Snapshot} snapshot the last window */
function showSize(snapshot) {
  shown.tokens += snapshot.view_tokens;
  const before = snapshot.tokens_before;
  cost.textContent = `${before.toLocaleString()} → ${shown.tokens.toLocaleString()} tokens, ${(100 * (before - shown.tokens) / Math.max(before, 1)).toFixed(1)} % saved`;
  const left = leftOut(shown.lines);
  size.textContent = [`${snapshot.total_chars.toLocaleString()} characters, ${snapshot.total_nodes.toLocaleString()} nodes`,
    left.at >= 0 && `${left.chars.toLocaleString()} characters, ${left.controls.toLocaleString()} controls left`].filter(Boolean).join('; ');
  more.hidden = typeof snapshot.next_offset !== 'number';
  shown.next = Number(snapshot.next_offset ?? 0);
}

/** Opens the tab: reads the active tab now and whenever another one is. @param {import('./link.js').Ask} link @returns {import('./panel.js').Tab} */
export function openPage(link) {
  ask = link;
  clearFound = openFind(async text => {
    try {
      const found = shown.handle ? await ask('find', { handle: shown.handle, text }) : undefined;
      if (found?.superseded) say('The page has moved on since it was read');
      return found;
    } catch (fault) {
      sayFault(fault);
    }
  });
  openPointing(element('content', HTMLElement), (uid, handle) => {
    if (shown.handle) ask('highlight', uid ? { uid, handle } : { tab: shown.tab }).catch(sayFault);
  });
  changed.addEventListener('click', () => readPage(shown.handle));
  more.addEventListener('click', readOn);
  view.addEventListener('click', event => {
    const uid = event.target instanceof HTMLElement && event.target.dataset.under;
    if (uid) readUnder(uid);
  });
  openOptions(() => readPage()).then(options => {
    chosen = options;
    element('ask', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault();
      readPage();
    });
    onActiveTab(() => readPage());
    readPage();
  });
  return {};
}
