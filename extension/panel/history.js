// The History tab: what was shown and done in this browser, and what is stored of it.
import { activeTab, onActiveTab } from '../src/chrome.js';
import { legible } from '../src/fault.js';
import { bytesOf, save } from './download.js';
import { element } from './element.js';
import { focusable, renderLine } from './lines.js';

/** @typedef {import('../src/wire.js').HistoryEntry} Entry */

const page = 100; // entries asked for at once
const most = 500; // entries that the host gives at once
const everyMs = 2000;
const nothing = 'Nothing was shown or done yet';

/** When something was, in few characters. @param {number} at Unix ms @param {number} now Unix ms */
export function timeOf(at, now) {
  const then = new Date(at);
  const today = then.toDateString() === new Date(now).toDateString();
  return then.toLocaleString([], today ? { timeStyle: 'medium' } : { dateStyle: 'short', timeStyle: 'short' });
}

/** What an entry was, in words. @param {Entry} entry */
export function wordsOf({ handle, title, origin = '', path = '', tokens_before: before = 0, view_tokens: after = 0, superseded, pinned, action, uid, state, effect, code, client }) {
  const by = legible(client).replace(/^panel:$/, 'the panel').replace(/^panel:agent$/, 'the panel\'s agent').replace(/^(cli|mcp|program):/, '$1 ');
  if (!handle) return `${action}${uid ? ` ${uid}` : ''}: ${[state, code, effect && effect !== 'unknown' && `effect ${effect.replace('_', ' ')}`].filter(Boolean).join(', ')}; by ${by}`;
  const marks = [pinned && 'pinned', superseded && 'the page has moved on'].filter(Boolean).join(', ');
  return `${legible(title ?? '', 100) || origin + path || 'a page'}, ${before.toLocaleString()} → ${after.toLocaleString()} tokens, for ${by}${marks ? ` (${marks})` : ''}`;
}

/** @param {import('./link.js').Ask} ask @returns {import('./panel.js').Tab} */
export function openHistory(ask) {
  const list = element('history-entries', HTMLOListElement);
  const state = element('history-state', HTMLParagraphElement);
  const all = element('history-all', HTMLInputElement);
  const older = element('history-older', HTMLButtonElement);
  const compare = element('history-compare', HTMLButtonElement);
  const bundle = element('history-export', HTMLButtonElement);
  const stored = element('history-view', HTMLElement);
  const lines = element('history-lines', HTMLOListElement);
  const purge = element('history-purge', HTMLFormElement);
  const section = element('history', HTMLElement);
  /** What is listed, newest first. @type {Entry[]} */
  let shown = [];
  /** The rows of it. @type {Map<string, {said: string, item: HTMLLIElement}>} */
  let rows = new Map();
  let listed = -1; // tab whose entries are listed, 0 for all
  let newest = 0; // the listing asked for last
  let done = 0; // the last one that was answered
  /** What opened the stored view. @type {Element | null} */
  let opener = null;

  const chosen = () => [...new Set([...list.querySelectorAll('input:checked')].map(box => /** @type {HTMLInputElement} */ (box).value))];
  const choose = () => {
    compare.disabled = chosen().length !== 2;
    bundle.disabled = chosen().length === 0;
  };
  /** Does what the person asked for, and says what came of it. @param {() => Promise<string>} work */
  const run = async work => {
    state.textContent = '…';
    try {
      state.textContent = await work();
    } catch (fault) {
      const { message = String(fault), hint = '' } = /** @type {{message?: string, hint?: string}} */ (fault ?? {});
      state.textContent = hint ? `${message}: ${hint}` : message;
    }
  };
  /**
   * Lists anew. What is as it was stays, chosen or with the focus, and what is looked at stays in its place.
   * @param {boolean} [more] what is older than what is listed
   */
  const fill = async more => {
    const mine = ++newest;
    const tab = all.checked ? 0 : await activeTab();
    const same = tab === listed;
    const limit = same && !more ? Math.min(most, Math.max(page, shown.length)) : page;
    const asked = ask('history', { limit, ...(tab && { tab }), ...(more && shown.length > 0 && { before: shown[shown.length - 1].at }) });
    const { entries } = await asked.finally(() => { done = Math.max(done, mine); });
    if (mine !== newest) return '';
    listed = tab;
    if (more) shown = [...shown, ...entries];
    else shown = [...entries, ...(same && entries.length === limit ? shown.filter(({ at }) => at < entries[limit - 1].at) : [])];
    if (shown.length === entries.length || more) older.hidden = entries.length < limit;
    place();
    choose();
    return shown.length === 0 ? nothing : '';
  };
  /** Shows what is listed. The item of an entry stays, whatever becomes of the entry. */
  const place = () => {
    const before = rows;
    const now = Date.now();
    const focused = document.activeElement;
    const within = list !== focused && list.contains(focused);
    const { top } = list.getBoundingClientRect();
    const looked = list.scrollTop > 0 ? [...list.children].find(item => item.contains(focused)) ?? [...list.children].find(item => item.getBoundingClientRect().bottom > top) : undefined;
    const stood = looked?.getBoundingClientRect().top ?? 0;
    /** @type {Element | null | undefined} */
    let focus = focused;
    rows = new Map(shown.map(entry => {
      const key = `${entry.at} ${entry.handle ?? entry.act_id}`;
      const said = JSON.stringify(entry);
      const known = before.get(key);
      if (known?.said === said) return [key, known];
      const made = row(entry, now);
      if (!known) return [key, { said, item: made }];
      const { item } = known;
      const [olds, news] = [item, made].map(one => [...one.querySelectorAll('input, button')]);
      olds.forEach((control, i) => {
        if (control === focused) focus = news[i];
        if (control === opener) opener = news[i];
        if (control instanceof HTMLInputElement && news[i] instanceof HTMLInputElement) news[i].checked = control.checked;
      });
      item.replaceChildren(...made.childNodes);
      return [key, { said, item }];
    }));
    for (const [key, { item }] of before) if (!rows.has(key)) item.remove();
    let at = list.firstElementChild;
    for (const { item } of rows.values()) {
      if (item === at) at = item.nextElementSibling;
      else list.insertBefore(item, at);
    }
    if (within && !list.contains(focused)) {
      const next = focus instanceof HTMLElement && focus.isConnected ? focus : list;
      next.focus({ preventScroll: looked !== undefined });
    }
    if (looked?.isConnected) list.scrollTop += looked.getBoundingClientRect().top - stood;
  };
  /** @param {boolean} [more] */
  const load = more => run(() => fill(more));
  /** @param {string} label @param {string} of @param {() => Promise<string>} work */
  const button = (label, of, work) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = label;
    made.setAttribute('aria-label', `${label}: ${of}`);
    made.addEventListener('click', () => run(work));
    return made;
  };
  /** @param {Entry} entry @param {number} now */
  const row = (entry, now) => {
    const item = document.createElement('li');
    const words = wordsOf(entry);
    const line = document.createElement('label');
    const time = document.createElement('time');
    time.textContent = timeOf(entry.at, now);
    time.dateTime = new Date(entry.at).toISOString();
    const { handle } = entry;
    if (handle) {
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.value = handle;
      box.addEventListener('change', choose);
      line.append(box, ' ');
    }
    line.append(time, ` ${words}`);
    item.append(line);
    if (handle) {
      const acts = document.createElement('div');
      acts.className = 'row';
      acts.append(
        button('Open', words, () => show({ handle }, `The view ${handle}`)),
        button('Recover', words, async () => {
          const { payload, bytes } = await ask('recover', { handle });
          save(`${handle}.json`, bytesOf(payload));
          return `The payload, ${bytes.toLocaleString()} bytes, is saved`;
        }),
        button(entry.pinned ? 'Unpin' : 'Pin', words, async () => {
          await ask('pin', { handle, ...(entry.pinned && { off: true }) });
          await fill();
          return entry.pinned ? 'It may be let go again' : 'It is kept';
        }),
      );
      item.append(acts);
    }
    return item;
  };
  /** @param {{handle: string, since?: string}} what @param {string} heading */
  const show = async (what, heading) => {
    const by = document.activeElement;
    const view = await ask('read', what);
    opener = by;
    element('history-heading', HTMLElement).textContent = heading;
    lines.dataset.handle = view.recovery_handle;
    lines.replaceChildren(...view.uids.split('\n').map((/** @type {string} */ line) => focusable(renderLine(line))));
    stored.hidden = false;
    element('history-heading', HTMLElement).focus();
    return view.next_offset === null ? '' : 'The first window of it is shown';
  };

  all.addEventListener('change', () => load());
  older.addEventListener('click', () => load(true));
  compare.addEventListener('click', () => run(() => {
    const [newer, earlier] = chosen(); // listed newest first
    return show({ handle: newer, since: earlier }, 'What is different in the later one');
  }));
  bundle.addEventListener('click', () => run(async () => {
    const { name, bundle: packed } = await ask('export', { handles: chosen() });
    save(name, bytesOf(packed));
    return `${name} is saved`;
  }));
  element('history-close', HTMLButtonElement).addEventListener('click', () => {
    stored.hidden = true;
    const to = opener?.isConnected ? opener : list.querySelector('button');
    if (to instanceof HTMLElement) to.focus();
  });
  purge.addEventListener('submit', event => {
    event.preventDefault();
    const age = element('history-age', HTMLSelectElement).value;
    run(async () => {
      const { snapshots } = await ask('purge', age === 'all' ? { all: true } : { older_than_s: Number(age) });
      element('history-purging', HTMLDetailsElement).open = false;
      stored.hidden = true; // it may be of what was removed
      await fill();
      return snapshots === 1 ? '1 snapshot was removed' : `${snapshots.toLocaleString()} snapshots were removed`;
    });
  });
  onActiveTab(async () => {
    if (!section.hidden && !all.checked && await activeTab() !== listed) load();
  });
  setInterval(() => {
    if (section.hidden || document.visibilityState !== 'visible' || done < newest) return;
    fill().then(() => { if (['', nothing].includes(state.textContent)) state.textContent = shown.length === 0 ? nothing : ''; }, () => {}); // said when it is asked for
  }, everyMs);
  return {
    shown: () => void load(),
    read() {
      if (!section.hidden && list.children.length === 0) load();
    },
  };
}
