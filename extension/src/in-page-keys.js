// More functions that run in the page (see in-page.js): the focus, what keys
// change, the form that an act submits, and the list that a field owns.

/**
 * The form that an act on a node would submit.
 * @this {Node}
 * @param {'click' | 'Enter' | 'Space' | 'submit'} how
 * @returns {HTMLFormElement | undefined}
 */
export function formOf(how) {
  const element = this instanceof Element ? this : this.parentElement;
  const field = /** @type {HTMLInputElement} */ (element);
  if (how === 'submit') return field?.form ?? undefined;
  /** @param {Element | null | undefined} at */
  const submitted = at => (at?.matches('button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]') ? /** @type {HTMLButtonElement} */ (at).form ?? undefined : undefined);
  if (how === 'click') {
    /** @type {Node | null} */
    let at = element;
    for (; at; at = /** @type {Element} */ (at).assignedSlot ?? at.parentNode ?? (at instanceof ShadowRoot ? at.host : null)) {
      if (!(at instanceof Element) || !at.matches('button, input, select, textarea, a[href], summary, label')) continue;
      return submitted(at instanceof HTMLLabelElement ? at.control : at);
    }
    return undefined;
  }
  if (how === 'Space' || submitted(element)) return submitted(element);
  // Enter in a field submits, unless it takes an option of the field's list.
  const chooses = field?.getAttribute('aria-expanded') !== 'false' && (field?.getAttribute('aria-activedescendant') ?? '') !== '';
  return field?.matches('input:not([type=button i]):not([type=reset i]):not([type=file i])') && !chooses ? field.form ?? undefined : undefined;
}

/**
 * Gives a node the focus. What is edited is the outermost editable element.
 * @this {Node}
 * @returns {'had' | 'took' | 'passed on' | 'none' | 'gone'} none: the node cannot have the focus
 */
export function takeFocus() {
  let element = /** @type {HTMLElement} */ (this instanceof Element ? this : this.parentElement);
  while (element.isContentEditable && element.parentElement?.isContentEditable) element = element.parentElement;
  const root = /** @type {ShadowRoot | Document} */ (element.getRootNode());
  if (root.activeElement === element && document.hasFocus()) return 'had';
  let came = root.activeElement === element;
  element.addEventListener('focus', () => { came = true; }, { once: true, capture: true });
  element.focus();
  if (root.activeElement === element) return 'took';
  if (!element.isConnected) return 'gone';
  return came ? 'passed on' : 'none';
}

/** Takes the focus from a node. @this {Node} @returns {boolean} whether it let go of it */
export function dropFocus() {
  let element = /** @type {HTMLElement} */ (this instanceof Element ? this : this.parentElement);
  while (element.isContentEditable && element.parentElement?.isContentEditable) element = element.parentElement;
  const root = /** @type {ShadowRoot | Document} */ (element.getRootNode());
  element.blur();
  return root.activeElement !== element;
}

/** What has the focus in a document; its body when nothing has. @this {Document} @returns {Element | null} */
export function focusedIn() {
  let at = this.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at ?? this.documentElement;
}

/**
 * What keys may change that no mutation tells of.
 * @this {Node}
 * @returns {{value: string | undefined, selection: string, scroll: string}} value is undefined where nothing is edited
 */
export function keyState() {
  const element = /** @type {HTMLInputElement} */ (this instanceof Element ? this : this.parentElement);
  const texts = element.matches('textarea, input:not([type=checkbox i]):not([type=radio i]):not([type=button i]):not([type=submit i]):not([type=reset i]):not([type=image i]):not([type=file i])');
  const { anchorOffset, focusOffset, anchorNode } = getSelection() ?? {};
  let selection = [anchorOffset, focusOffset, anchorNode?.textContent?.length].join();
  if (texts) selection = [element.selectionStart, element.selectionEnd, element.selectionDirection].join();
  const scroll = [];
  for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement) scroll.push(at.scrollTop, at.scrollLeft);
  scroll.push(document.scrollingElement?.scrollTop, document.scrollingElement?.scrollLeft);
  const value = texts || element.matches('select') ? element.value : element.isContentEditable ? element.innerText : undefined;
  return { value, selection, scroll: scroll.join() };
}

/** The elements that are displayed; of a very large page the first ones. @this {Node} @returns {Set<Element>} */
export function shownNow() {
  const limit = 5000;
  const roots = new Set([document, /** @type {Document | ShadowRoot} */ (this.getRootNode())]);
  return new Set([...roots].flatMap(root => [...root.querySelectorAll('*')].slice(0, limit)).filter(at => at.checkVisibility({ visibilityProperty: true, opacityProperty: true })));
}

/** Whether elements are displayed that were not. @this {Set<Element>} @param {Node} node @returns {boolean} */
export function shownSince(node) {
  const limit = 5000;
  const roots = new Set([document, /** @type {Document | ShadowRoot} */ (node.getRootNode())]);
  return [...roots].some(root => [...root.querySelectorAll('*')].slice(0, limit).some(at => !this.has(at) && at.checkVisibility({ visibilityProperty: true, opacityProperty: true })));
}

/** Whether a node has the focus; of what is edited the outermost editable element has it. @this {Node} */
export function hasFocus() {
  let element = /** @type {HTMLElement} */ (this instanceof Element ? this : this.parentElement);
  while (element.isContentEditable && element.parentElement?.isContentEditable) element = element.parentElement;
  return /** @type {ShadowRoot | Document} */ (element.getRootNode()).activeElement === element && document.hasFocus();
}

/**
 * The list of options that a field owns. Another list of the page is none of its own.
 * @this {Node}
 * @returns {{owns: boolean, shown: boolean, options: string[], active: number, value: string}} active is the option that Enter would take, -1 when none is known
 */
export function listOf() {
  const field = /** @type {HTMLInputElement} */ (this instanceof Element ? this : this.parentElement);
  const lists = '[role=listbox i], [role=tree i], [role=grid i], [role=menu i], [role=dialog i]';
  const wrapper = field.parentElement?.closest('[role=combobox i]'); // as ARIA 1.1 has it
  const owners = [field, ...(wrapper ? [wrapper] : [])];
  const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
  /** @param {string} name */
  const named = name => owners.flatMap(at => (at.getAttribute(name) ?? '').split(/\s+/)).filter(Boolean).flatMap(id => root.getElementById(id) ?? document.getElementById(id) ?? []);
  const [pointed] = named('aria-activedescendant');
  const found = [...['aria-controls', 'aria-owns'].flatMap(named).flatMap(at => (at.matches(lists) ? at : at.querySelector(lists) ?? [])), ...(pointed ? [pointed.closest(lists)] : [])];
  const says = owners.some(at => at.matches('[role=combobox i], [aria-autocomplete=list i], [aria-autocomplete=both i]'));
  const none = { owns: says || found.length > 0, shown: false, options: [], active: -1, value: (field.isContentEditable ? field.innerText : field.value) ?? '' };
  const visible = (/** @type {Element} */ at) => at.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && at.getClientRects().length > 0;
  const list = found.find(at => at && visible(at));
  if (!list || field.matches('select') || owners.some(at => at.getAttribute('aria-expanded') === 'false')) return none;
  const options = [...list.querySelectorAll('[role=option i], [role=treeitem i], [role=row i], [role^=menuitem i]')].filter(at => visible(at) && at.getAttribute('aria-disabled') !== 'true');
  const focused = root.activeElement;
  const marked = options.findIndex(at => at === focused || at.matches('[data-highlighted], [data-headlessui-state~=active], [aria-selected=true i]'));
  return {
    ...none, shown: options.length > 0, options: options.map(at => (at.getAttribute('aria-label') ?? at.textContent ?? '').replace(/\s+/g, ' ').trim()),
    active: pointed ? options.findIndex(at => at.contains(pointed)) : marked,
  };
}
