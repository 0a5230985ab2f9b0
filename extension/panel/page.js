// The Page tab: the live view of the window's active tab.
import { activeTab, onActiveTab, reloadTab, tabURL } from '../src/chrome.js';
import { actsOf, evidenceOf, failureOf, nodeOf, optionsIn, titleOf } from './acts.js';
import { element } from './element.js';
import { openFind } from './find.js';
import { joinWindow, leftOut, parseLine } from './lines.js';
import { openMenu } from './menu.js';
import { openNotice } from './notice.js';
import { openOptions } from './options.js';
import { openPointing } from './point.js';
import { openQuestion } from './question.js';
import { stateOf } from './states.js';
import { headingOf, renderStructure } from './structure.js';
import { openTree } from './tree.js';

/** @typedef {import('../src/wire.js').Snapshot} Snapshot */
/** @typedef {import('./acts.js').Act} Act */
/** @typedef {import('./acts.js').Node} PageNode */

const query = element('query', HTMLInputElement);
const changed = element('changed', HTMLButtonElement);
const copy = element('copy', HTMLButtonElement);
const more = element('more', HTMLButtonElement);
const reading = element('reading', HTMLElement);
const state = element('state', HTMLParagraphElement);
const cost = element('cost', HTMLElement);
const size = element('size', HTMLElement);
const view = element('view', HTMLOListElement);
const structure = element('page-structure', HTMLDetailsElement);
const did = element('did', HTMLParagraphElement);

/** What is shown: the handle and its tab, the handle it is compared with, its lines and what they cost. */
let shown = { handle: '', tab: 0, since: '', lines: [''], indent: 1, tokens: 0, next: 0 };
/** What is asked for now. @type {AbortController | undefined} */
let asking;
let connected = false;
/** @type {import('./link.js').Ask} */
let ask;
/** Called when a view is shown. */
let whenRead = () => {};
/** @type {ReturnType<typeof openFind>} */
let finding;
/** What is chosen, once that is known. @type {(() => ReturnType<typeof import('./options.js').optionsOf>) | undefined} */
let chosen;
/** An act is under way: what would read the page meanwhile does so behind it. */
let acting = false;
let missed = false;
/** The tab in which a node is drawn, 0 for none. */
let marked = 0;

const tree = openTree(element('lines', HTMLElement), view, { point: line => point(line.querySelector('[data-uid]')), open: openLine });
const menu = openMenu(element('line-acts', HTMLElement));
const back = () => view.focus({ preventScroll: true });
const question = openQuestion(back);
const notice = openNotice(element('notice', HTMLElement), (remedy, text) => {
  switch (remedy) {
    case 'again': return readPage({ again: true });
    case 'reload': return void activeTab().then(reloadTab);
    case 'sites': return document.querySelector('[role=tab][aria-controls=sites]')?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    default: return answerDialog(remedy === 'accept', text);
  }
}, back);
const point = openPointing(element('content', HTMLElement), async pointed => {
  const { tab } = shown;
  if (marked && (marked !== tab || !pointed)) await ask('highlight', { tab: marked }).catch(() => {}); // the tab may be gone
  marked = pointed ? tab : 0;
  if (pointed) await ask('highlight', pointed).catch(sayFault);
});

/** Shows one line of state; what went wrong stands out. @param {string} text @param {boolean} [wrong] */
function say(text, wrong = false) {
  state.textContent = text;
  state.classList.toggle('wrong', wrong);
}

/** @param {unknown} fault */
function sayFault(fault) {
  if (codeOf(fault) === 'canceled') return say('Canceled: what was shown before is still shown');
  if (codeOf(fault) === 'unknown_handle') {
    const { title, text } = stateOf(fault);
    return say(`${title}. ${text}`, true);
  }
  const { message = String(fault), hint = '' } = /** @type {{message?: string, hint?: string}} */ (fault ?? {});
  say(hint ? `${message}: ${hint}` : message, true);
}

/** @param {unknown} fault */
const codeOf = fault => String(/** @type {{code?: string}} */ (fault ?? {}).code ?? '');

/** Says what keeps the page from being read. @param {unknown} fault */
async function showFault(fault) {
  if (!connected) return; // said above the tabs
  const url = codeOf(fault) === 'restricted_page' ? await tabURL(await activeTab()) : '';
  notice(stateOf(fault, url));
}

/**
 * Asks for one thing at a time, with a bar and Cancel: a view that was asked for before
 * is given up, and its answer dropped. What became of an act is waited for: nothing
 * else is asked for meanwhile.
 * @template T
 * @param {string} doing
 * @param {(signal: AbortSignal) => Promise<T>} asks
 * @param {(answer: T) => void} show
 * @param {(fault: unknown) => void} fail
 */
async function alone(doing, asks, show, fail) {
  if (acting) {
    missed = true;
    return;
  }
  const before = asking;
  const mine = asking = new AbortController();
  before?.abort();
  reading.hidden = false;
  element('reading-bar', HTMLElement).ariaLabel = doing;
  view.ariaBusy = 'true';
  say(doing);
  /** @param {() => void} then */
  const end = then => {
    if (mine !== asking) return;
    asking = undefined;
    const focused = reading.contains(document.activeElement);
    reading.hidden = true;
    view.ariaBusy = 'false';
    if (focused) back();
    say('');
    then();
  };
  mine.signal.addEventListener('abort', () => { if (!acting) end(() => fail({ code: 'canceled' })); });
  try {
    const answer = await asks(mine.signal);
    end(() => show(answer));
  } catch (fault) {
    end(() => fail(fault));
  }
}

/**
 * Asks for a view.
 * @param {(signal: AbortSignal) => Promise<Snapshot>} asks
 * @param {(snapshot: Snapshot) => string} show shows it and says what it is
 * @param {(fault: unknown) => void} [fail]
 */
const read = (asks, show, fail = sayFault) => alone('Reading the page…', asks, snapshot => {
  notice();
  const notes = [show(snapshot), snapshot.note, snapshot.superseded && 'The page has moved on since it was read',
    snapshot.smaller === false && 'The view is not smaller than the page\'s tree',
    snapshot.structure_reason && `No structure: ${snapshot.structure_reason}`];
  say(notes.filter(Boolean).join('. '));
  whenRead();
}, fail);

/** The choices and the query. */
const viewOptions = () => ({ ...chosen?.(), ...(query.value && { query: query.value }) });
/** @param {{profile?: string}} options */
const indentOf = ({ profile }) => (profile === 'full' ? 2 : 1);

/**
 * Reads the page anew. What is shown of the same tab stays until the answer is there.
 * @param {{since?: string, again?: boolean}} [how] since: only what is different from that handle; again: the person asked
 */
async function readPage({ since = '', again = false } = {}) {
  const options = viewOptions();
  await read(async signal => {
    const tab = await activeTab();
    signal.throwIfAborted();
    if (tab !== shown.tab) clear();
    return ask('snapshot', { tab, ...options, ...(since && { since }) }, { signal, again });
  }, snapshot => {
    showView(snapshot, since ? 1 : indentOf(options), since);
    return since ? 'What changed since the reading before' : '';
  }, fault => {
    if (!since) clear();
    showFault(fault);
  });
}

/** Reads what stands under a node of the snapshot shown. @param {string} uid */
function readUnder(uid) {
  const options = { ...chosen?.(), under: uid };
  read(signal => ask('read', { handle: shown.handle, ...options }, { signal }), snapshot => {
    showView(snapshot, indentOf(options));
    return `Under ${uid} only`;
  });
}

/** Reads the next window of what is shown. */
function readOn() {
  const { handle, since, next } = shown;
  read(signal => ask('read', { handle, offset: next, ...(since && { since }) }, { signal }), snapshot => {
    const { keep, add } = joinWindow(shown.lines, snapshot.uids.split('\n'));
    shown.lines.splice(keep, Infinity);
    for (const line of add) shown.lines.push(line);
    tree.show(shown.lines, shown.indent);
    tree.goTo(keep);
    showSize(snapshot);
    return '';
  });
}

function clear() {
  leave();
  shown = { handle: '', tab: 0, since: '', lines: [], indent: 1, tokens: 0, next: 0 };
  tree.show([], 1);
  cost.textContent = size.textContent = '';
  changed.disabled = copy.disabled = more.hidden = structure.hidden = true;
  finding.clear();
}

/** Takes away what is about the tab shown, before another one is: an act would go where nobody looks. */
function leave() {
  point();
  menu.close();
  question.close();
}

/** @param {Snapshot} snapshot @param {number} indent @param {string} [since] */
export function showView(snapshot, indent, since = '') {
  if (snapshot.tab !== shown.tab) {
    leave();
    did.textContent = '';
  }
  finding.clear();
  shown = { handle: snapshot.recovery_handle, tab: snapshot.tab, since, lines: snapshot.uids.split('\n'), indent, tokens: 0, next: 0 };
  view.dataset.handle = structure.dataset.handle = shown.handle;
  finding.again();
  tree.show(shown.lines, indent);
  changed.disabled = copy.disabled = false;
  showSize(snapshot);
  structure.hidden = !snapshot.structure;
  if (!snapshot.structure) return;
  const summary = /** @type {import('./structure.js').Structure} */ (snapshot.structure);
  element('structure-heading', HTMLElement).textContent = headingOf(summary);
  element('structure-lists', HTMLElement).replaceChildren(renderStructure(summary));
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

/** Opens the acts of a line. @param {HTMLElement} line @param {string} [_text] @param {string} [next] the line below */
function openLine(line, _text, next = '') {
  const spans = [...line.querySelectorAll('[data-uid]')].filter(span => span instanceof HTMLElement);
  openActs(spans, line.getBoundingClientRect(), back, optionsIn(parseLine(next, shown.indent)));
}

/** @param {HTMLElement[]} spans with data-uid @param {DOMRect} place @param {() => void} giveBack @param {string[]} [choices] */
function openActs(spans, place, giveBack, choices = []) {
  const list = spans[0]?.closest('[data-handle]');
  const handle = list instanceof HTMLElement ? list.dataset.handle ?? '' : '';
  menu.open(spans.map(span => {
    const parts = [...span.children].map(part => ({ kind: /** @type {import('./lines.js').Kind} */ (part.className), text: part.textContent ?? '' }));
    const node = nodeOf({ before: '', uid: span.dataset.uid ?? '', parts });
    return {
      title: titleOf(node),
      entries: [
        ...actsOf(node, choices).map(act => ({ label: act.label, run: () => prepare(act, node, handle) })),
        { label: 'Scroll into view', run: () => { ask('highlight', { uid: node.uid, handle, scroll: true }).catch(sayFault); } },
        { label: 'Read only this', run: () => readUnder(node.uid) },
        { label: 'Copy uid', run: () => copyText(node.uid, `Copied ${node.uid}`) },
      ],
    };
  }), place, giveBack);
}

/** Asks for the text that an act needs, and acts. @param {Act} act @param {PageNode} node @param {string} handle */
async function prepare(act, node, handle) {
  if (!act.question) return void perform(act, node, handle, '', false);
  const answer = await question.ask(act.question, act.label.replace('…', ''));
  if (answer) await perform(act, node, handle, answer.text, answer.submit);
}

/** @param {Act} act @param {PageNode} node @param {string} handle @param {string} text @param {boolean} submit */
async function perform(act, node, handle, text, submit) {
  const what = `${act.label.replace('…', '')} ${titleOf(node)}`;
  const options = viewOptions();
  await alone(`${what}…`, signal => {
    acting = true;
    missed = false;
    return ask('act', { uid: node.uid, handle, then: 'diff', ...act.params(text, submit) }, { signal });
  }, result => {
    acting = false;
    tell(what, evidenceOf(result));
    // Only a refused reading tells what kind of dialog it is: a prompt is answered with a text.
    if (result.dialog || missed || !result.recovery_handle) return void readPage();
    read(signal => ask('read', { handle: result.recovery_handle, ...options }, { signal }), snapshot => {
      showView(snapshot, indentOf(options));
      return '';
    });
  }, fault => tellFailed(what, fault, () => {
    if (/** @type {{dispatched?: string}} */ (fault ?? {}).dispatched !== 'no') readPage(); // to see what became of it
  }));
}

/** Says what came of an act. @param {string} what @param {string} evidence @param {boolean} [wrong] */
function tell(what, evidence, wrong = false) {
  did.textContent = `${what}: ${evidence}`;
  did.classList.toggle('wrong', wrong);
}

/** @param {string} what @param {unknown} fault @param {() => void} look called where nothing else is shown of it */
function tellFailed(what, fault, look) {
  acting = false;
  tell(what, failureOf(fault), true);
  if (missed) readPage();
  else if (/^(dialog_open|not_approved|page_crashed|debugger_taken|canceled_by_user|store_\w+|restricted_page|unknown_handle)$/.test(codeOf(fault))) showFault(fault);
  else look();
}

/** Answers the dialog, and reads the page: what was said of it may not hold any more. @param {boolean} accept @param {string} [text] */
function answerDialog(accept, text) {
  const what = accept ? 'Accept the dialog' : 'Dismiss the dialog';
  return alone(`${what}…`, async signal => {
    acting = true;
    missed = false;
    return ask('dialog', { tab: await activeTab(), accept, ...(accept && text !== undefined && { text }) }, { signal });
  }, result => {
    acting = false;
    tell(what, evidenceOf(result));
    readPage();
  }, fault => tellFailed(what, fault, readPage));
}

/** @param {string} text @param {string} done */
async function copyText(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch (thrown) {
    sayFault(thrown);
  }
}

/**
 * Opens the tab: reads the active tab now and whenever another one is.
 * @param {import('./link.js').Ask} link @param {() => void} onRead @returns {import('./panel.js').Tab}
 */
export function openPage(link, onRead) {
  ask = link;
  whenRead = onRead;
  finding = openFind(async text => {
    try {
      if (!shown.handle) return void say('Nothing is shown to find it in: read the page first', true);
      const found = await ask('find', { handle: shown.handle, text });
      if (found.superseded) say('The page has moved on since it was read');
      return found;
    } catch (fault) {
      sayFault(fault);
    }
  });
  changed.addEventListener('click', () => readPage({ since: shown.handle, again: true }));
  copy.addEventListener('click', () => copyText(shown.lines.join('\n'), `Copied ${shown.lines.length.toLocaleString()} lines`));
  more.addEventListener('click', readOn);
  element('cancel', HTMLButtonElement).addEventListener('click', () => asking?.abort());
  view.addEventListener('click', event => {
    const uid = event.target instanceof HTMLElement && event.target.dataset.under;
    if (uid) readUnder(uid);
  });
  for (const kind of ['keydown', 'contextmenu']) {
    for (const lists of [element('found', HTMLElement), structure]) {
      lists.addEventListener(kind, event => {
        const span = event.target instanceof Element ? event.target.closest('[data-uid]') : null;
        if (!(span instanceof HTMLElement) || (event instanceof KeyboardEvent && event.key !== 'Enter' && event.key !== ' ')) return;
        event.preventDefault();
        openActs([span], span.getBoundingClientRect(), () => span.focus());
      });
    }
  }
  openOptions(() => readPage({ again: true })).then(options => {
    chosen = options;
    element('ask', HTMLFormElement).addEventListener('submit', event => {
      event.preventDefault();
      readPage({ again: true });
    });
    onActiveTab(() => readPage());
    if (connected) readPage();
  });
  return {
    shown: tree.draw,
    host({ host }) {
      const now = host === 'connected';
      if (now === connected) return;
      connected = now;
      if (!now) notice();
      else if (chosen) readPage();
    },
  };
}
