// The side panel: the live view of the window's active tab.
import { activeTab, onActiveTab } from '../src/chrome.js';
import { openLink } from './link.js';
import { renderView } from './lines.js';

/** @template {Element} T @param {string} id @param {new () => T} kind @returns {T} */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`no ${kind.name} #${id}`);
  return found;
}
const form = element('ask', HTMLFormElement);
const query = element('query', HTMLInputElement);
const state = element('state', HTMLParagraphElement);
const cost = element('cost', HTMLParagraphElement);
const view = element('view', HTMLOListElement);
const switches = { acts: element('acts', HTMLInputElement), eval: element('eval', HTMLInputElement) };

const ask = openLink(({ host, message, policy }) => {
  say(host === 'connected' ? '' : message ?? 'The Handrail host is not installed: run ./install.sh', host !== 'connected');
  for (const [kind, box] of Object.entries(switches)) {
    box.disabled = host !== 'connected';
    if (policy) box.checked = policy[/** @type {'acts'|'eval'} */ (kind)];
  }
});

let handle = '';
let tab = 0;
let newest = 0;

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

/** Reads the tab; an answer that a newer reading has overtaken is dropped. */
async function read() {
  const reading = ++newest;
  say('Reading…');
  try {
    tab = await activeTab();
    const snapshot = await ask('snapshot', query.value ? { tab, query: query.value } : { tab });
    if (reading !== newest) return;
    handle = snapshot.recovery_handle;
    view.replaceChildren(renderView(snapshot.uids));
    const saved = snapshot.tokens_before - snapshot.view_tokens;
    cost.textContent = `${snapshot.tokens_before.toLocaleString()} → ${snapshot.view_tokens.toLocaleString()} tokens, ${(100 * saved / snapshot.tokens_before).toFixed(1)} % saved`;
    say(snapshot.note ?? '');
  } catch (fault) {
    if (reading !== newest) return;
    view.replaceChildren();
    cost.textContent = '';
    sayFault(fault);
  }
}

/** Draws a line's node in the page, or removes the drawing. @param {string} [uid] */
function highlight(uid) {
  if (handle) ask('highlight', uid ? { uid, handle } : { tab }).catch(sayFault);
}

/** @param {Event} event */
const uidAt = event => (event.target instanceof Element ? event.target.closest('li')?.dataset.uid : undefined);

form.addEventListener('submit', event => {
  event.preventDefault();
  read();
});
view.addEventListener('mouseover', event => highlight(uidAt(event)));
view.addEventListener('focusin', event => highlight(uidAt(event)));
view.addEventListener('mouseleave', () => highlight());
view.addEventListener('focusout', () => highlight());
for (const [kind, box] of Object.entries(switches)) {
  box.addEventListener('change', () => ask('policy', { [kind]: box.checked }).catch(sayFault));
}
onActiveTab(read);
read();
