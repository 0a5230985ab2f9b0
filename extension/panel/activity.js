// The Activity tab: who is connected to this browser, and what they asked for.
import { legible } from '../src/fault.js';
import { element } from './element.js';
import { timeOf } from './history.js';

/** @typedef {import('../src/wire.js').ActivityResult} Activity */
/** @typedef {import('../src/wire.js').ActiveClient} ActiveClient */
/** @typedef {import('../src/wire.js').Request} Request */

const everyMs = 2000;

/** @param {ActiveClient} client @param {number} now Unix ms */
export function clientOf({ client, since, reads, acts, now: method }, now) {
  const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? '' : 's'}`;
  return `${legible(client).replace(':', ' ')}, since ${timeOf(since, now)}: ${count(reads, 'read')}, ${count(acts, 'act')}${method ? `, ${method} under way` : ''}`;
}

/** @param {Request} request @param {number} now Unix ms */
export function requestOf({ at, client, method, action, tab, code, ms }, now) {
  return `${timeOf(at, now)} ${legible(client).replace(':', ' ').trim()}: ${[method, action].filter(Boolean).join(' ')}${tab ? ` in tab ${tab}` : ''}, ${code || 'done'}, ${ms.toLocaleString()} ms`;
}

/** @param {import('./link.js').Ask} ask @returns {import('./panel.js').Tab} */
export function openActivity(ask) {
  const section = element('activity', HTMLElement);
  const state = element('activity-state', HTMLParagraphElement);
  const clients = element('activity-clients', HTMLUListElement);
  const requests = element('activity-requests', HTMLOListElement);
  let last = '';
  /** @param {string} words @param {string} label @param {object} what */
  const row = (words, label, what) => {
    const line = document.createElement('li');
    line.className = 'row';
    const text = document.createElement('span');
    text.textContent = words;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.setAttribute('aria-label', `${label}: ${words}`);
    button.addEventListener('click', () => ask('disconnect', what).then(look, fail));
    line.append(text, button);
    return line;
  };
  /** @param {{message?: string}} fault */
  const fail = fault => say(String(fault?.message ?? fault));
  /** Says it once, however often it is looked. @param {string} text */
  const say = text => { if (state.textContent !== text) state.textContent = text; };
  /** @param {Activity} found */
  const show = found => {
    const now = Date.now();
    say(found.clients.length === 0 ? 'No program is connected' : '');
    const said = JSON.stringify(found);
    if (said === last) return; // what has the focus stays
    last = said;
    const at = [...clients.querySelectorAll('button')].findIndex(button => button === document.activeElement);
    clients.replaceChildren(
      ...found.clients.map(client => row(clientOf(client, now), 'Disconnect', { id: client.id })),
      ...found.blocked.map(client => row(`${legible(client).replace(':', ' ')}: kept away`, 'Allow again', { allow: client })),
    );
    if (at >= 0) [...clients.querySelectorAll('button')].at(Math.min(at, clients.children.length - 1))?.focus();
    requests.replaceChildren(...found.requests.map(request => {
      const line = document.createElement('li');
      line.textContent = requestOf(request, now);
      return line;
    }));
  };
  const look = () => ask('activity', {}).then(show, fail);
  setInterval(() => { if (!section.hidden && document.visibilityState === 'visible') look(); }, everyMs);
  return { shown: () => void look() };
}
