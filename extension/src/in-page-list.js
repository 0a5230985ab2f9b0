// Functions that run in the page, as those of in-page.js do: lists of options that
// the page made itself (ARIA listboxes, and comboboxes that open one).

/** @typedef {import('./choice.js').Option} Option */

/**
 * What a finder sees of a list.
 * @typedef {object} View
 * @property {boolean} open it is shown
 * @property {number} several so many lists came up, none of which the combobox says is its own
 * @property {boolean} busy its options are still to come
 * @property {boolean} multiple
 * @property {(Option & {place: string})[]} options those that are there, in order
 * @property {string} text what the combobox shows, or holds
 * @property {string} around likewise, with what stands near it
 * @property {number} top how far it is scrolled
 * @property {number} view height of what is in view
 * @property {number} end how far it can be scrolled
 */

/**
 * @typedef {object} Finder stays in the page
 * @property {() => View} look
 * @property {(n: number) => Element | undefined} option of the last look
 * @property {(option: Element) => string} label
 * @property {(top: number) => void} scroll
 * @property {(n: number) => boolean} show scrolls the nth option of the last look into view; false when it was
 */

/** What offers options: a list that stands in the page, or a combobox that opens one. @this {Element} @returns {'' | 'list' | 'popup'} */
export function offers() {
  if (/** @type {HTMLInputElement} */ (this).list) return ''; // suggestions of the browser's own
  if (this.matches('[role=listbox i]')) return 'list';
  return this.matches('[aria-haspopup=listbox i], [aria-autocomplete=list i], [aria-autocomplete=both i]') || this.closest('[role=combobox i]') ? 'popup' : '';
}

/**
 * Finds the list that a node offers, now and later: of a combobox it is the one
 * that it says it controls, else the one that is shown and was not when this began.
 * @this {Element} @param {boolean} standing the node is the list
 * @returns {Finder}
 */
export function findList(standing) {
  const box = this;
  const outer = box.closest('[role=combobox i]') ?? box;
  const fold = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim();
  const shown = (/** @type {Element} */ at) => at.checkVisibility({ visibilityProperty: true }) && at.getBoundingClientRect().height > 0;
  /** The text that a node shows. @param {Node} at @param {Node | null} [without] @returns {string} */
  const textIn = (at, without) => {
    if (at instanceof Text) return at.data;
    if (!(at instanceof Element) || at === without || at.matches('[aria-hidden=true i], script, style') || !at.checkVisibility({ visibilityProperty: true })) return '';
    if (at.matches('input:not([type=hidden]), textarea')) return ` ${/** @type {HTMLInputElement} */ (at).value} `;
    const parts = [...at instanceof HTMLSlotElement && at.assignedNodes().length > 0 ? at.assignedNodes() : (at.shadowRoot ?? at).childNodes].map(part => textIn(part, without)).join('');
    return getComputedStyle(at).display.startsWith('inline') ? parts : ` ${parts} `;
  };
  const label = (/** @type {Element} */ option) => fold(option.getAttribute('aria-label') || textIn(option));

  const listsShown = () => {
    /** @type {(Document | ShadowRoot)[]} */
    const roots = [document];
    for (let root = box.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) roots.push(root);
    for (const root of roots) for (const at of root.querySelectorAll('*')) if (at.shadowRoot && !roots.includes(at.shadowRoot)) roots.push(at.shadowRoot);
    return roots.flatMap(root => [...root.querySelectorAll('[role=listbox i]')]).filter(shown);
  };
  const parts = () => new Set([box, outer, ...outer.querySelectorAll('[aria-controls], [aria-owns], [aria-activedescendant]')]);
  /** Another combobox says that the list is its own. @param {Element} list */
  const others = list => list.id !== '' && [...document.querySelectorAll('[aria-controls], [aria-owns]')].some(at => !parts().has(at) && !list.contains(at)
    && `${at.getAttribute('aria-controls')} ${at.getAttribute('aria-owns')}`.split(/\s+/).includes(list.id));
  const controlled = () => {
    for (const part of parts()) {
      for (const name of ['aria-controls', 'aria-owns', 'aria-activedescendant']) {
        for (const id of (part.getAttribute(name) ?? '').split(/\s+/).filter(Boolean)) {
          const at = /** @type {Document} */ (part.getRootNode()).getElementById?.(id) ?? document.getElementById(id);
          const list = at && (at.closest('[role=listbox i]') ?? at.querySelector('[role=listbox i]') ?? (at.querySelector('[role=option i]') ? at : null));
          if (list && shown(list)) return list;
        }
      }
    }
    return null;
  };
  const expanded = [box, outer].some(at => at.getAttribute('aria-expanded') === 'true');
  const before = standing || expanded ? [] : listsShown();
  /** @returns {Element[]} */
  const lists = () => {
    if (standing) return [box];
    const own = controlled();
    return own ? [own] : listsShown().filter(list => !before.includes(list) && !others(list));
  };

  /** @type {Element[]} */
  let options = [];
  /** What scrolls the options. @type {Element | null} */
  let scroller = null;
  const scrolls = (/** @type {Element} */ at) => at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY);

  return {
    look() {
      const found = lists();
      const list = found.length === 1 ? found[0] : null;
      options = list ? [...list.querySelectorAll('[role=option i]')].filter(shown) : [];
      scroller = null;
      for (let at = /** @type {Element | null | undefined} */ (options[0] ?? list), beyond = 0; at && beyond < 4 && !scroller; at = at.parentElement) {
        if (scrolls(at)) scroller = at;
        if (at === list || beyond > 0) beyond++;
      }
      const on = (/** @type {Element} */ at, /** @type {string} */ name) => at.getAttribute(name)?.toLowerCase() === 'true';
      const near = box.parentElement?.parentElement;
      return {
        open: list !== null, several: found.length > 1 ? found.length : 0, busy: list !== null && (on(list, 'aria-busy') || on(list.parentElement ?? list, 'aria-busy')),
        multiple: list !== null && on(list, 'aria-multiselectable'),
        options: options.map(at => ({
          label: label(at), value: at.getAttribute('data-value') ?? at.getAttribute('value') ?? '',
          group: fold(at.closest('[role=group i]')?.getAttribute('aria-label') ?? ''), disabled: on(at, 'aria-disabled'),
          selected: on(at, 'aria-selected') || on(at, 'aria-checked') || at.getAttribute('data-state') === 'checked', place: at.getAttribute('aria-posinset') ?? '',
        })),
        text: standing ? '' : fold(box.matches('input, textarea') ? /** @type {HTMLInputElement} */ (box).value : textIn(box, list)),
        around: standing ? '' : fold(textIn(near && near !== document.body && near !== document.documentElement ? near : box.parentElement ?? box, list)),
        top: scroller?.scrollTop ?? 0, view: scroller?.clientHeight ?? 0, end: scroller ? scroller.scrollHeight - scroller.clientHeight : 0,
      };
    },
    option: n => options[n],
    label,
    scroll(top) {
      scroller?.scrollTo({ top, behavior: 'instant' });
    },
    show(n) {
      if (!scroller) return false;
      const [at, view] = [options[n].getBoundingClientRect(), scroller.getBoundingClientRect()];
      const by = at.top + at.height / 2 - (view.top + view.height / 2);
      if ((at.top >= view.top && at.bottom <= view.bottom) || Math.abs(by) < 1) return false;
      const before = scroller.scrollTop;
      scroller.scrollTo({ top: before + by, behavior: 'instant' });
      return scroller.scrollTop !== before;
    },
  };
}

/** @this {Finder} */
export function lookAtList() {
  return this.look();
}
/** @this {Finder} @param {number} n */
export function showOption(n) {
  return this.show(n);
}
/** The nth option of the last look, if it still has its label. @this {Finder} @param {number} n @param {string} label */
export function optionAt(n, label) {
  const option = this.option(n);
  return option?.isConnected && this.label(option) === label ? option : undefined;
}
/** @this {Finder} @param {number} top */
export function scrollList(top) {
  this.scroll(top);
}
/**
 * Scrolls through a list that shows a part of its options, from its start.
 * @this {Finder} @param {string} exact ends it @param {number} ms
 * @returns {Promise<{options: (View['options'][number] & {top: number})[], whole: boolean}>} top is where the list has the option in view
 */
export async function walkList(exact, ms) {
  /** @type {Map<string, View['options'][number] & {top: number}>} */
  const all = new Map();
  for (let at = 0, until = performance.now() + ms; ; ) {
    this.scroll(at);
    await new Promise(resolve => { setTimeout(resolve, 250); requestAnimationFrame(() => requestAnimationFrame(resolve)); });
    const { options, top, view, end } = this.look();
    for (const option of options) {
      const key = JSON.stringify([option.place, option.label, option.value]);
      if (!all.has(key)) all.set(key, { ...option, top });
      if (option.label === exact) return { options: [{ ...option, top }], whole: true };
    }
    if (top >= end - 1 || performance.now() > until) return { options: [...all.values()], whole: top >= end - 1 };
    at = top + Math.max(20, view - 40); // a row is seen twice rather than never
  }
}
/** Whether an option is there, has its label, and is selected. @this {Finder} @param {Element} option @param {string} label */
export function optionState(option, label) {
  const on = (/** @type {string} */ name) => option.getAttribute(name)?.toLowerCase() === 'true';
  return { there: option.isConnected && this.label(option) === label, selected: on('aria-selected') || on('aria-checked') || option.getAttribute('data-state') === 'checked' };
}
