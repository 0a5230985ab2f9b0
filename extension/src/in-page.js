// Functions that run in the page, in this extension's isolated world. Each is
// sent as source text, so it may use nothing but its arguments and the DOM.

/**
 * What a node is, as far as acts need to know.
 * @typedef {object} Probe
 * @property {string} tag
 * @property {string} type
 * @property {string} disabled why it is: disabled, fieldset, aria-disabled, inert; '' when it is not
 * @property {boolean} visible
 * @property {string} editable text, rich, or why not: readonly, kind
 * @property {string} href
 * @property {string} autocomplete
 * @property {string} id
 * @property {string} name
 */

/** @this {Node} @returns {Probe} */
export function probe() {
  const element = /** @type {HTMLElement} */ (this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement);
  const tag = element.localName;
  const input = /** @type {HTMLInputElement} */ (element);
  const type = tag === 'input' ? input.type : '';
  /** The ancestor, through shadow roots, that a selector matches. @param {string} selector */
  const closest = selector => {
    for (let at = /** @type {Element | null} */ (element); at;) {
      const found = at.closest(selector);
      if (found) return found;
      const root = at.getRootNode();
      at = root instanceof ShadowRoot ? root.host : null;
    }
    return null;
  };
  let disabled = '';
  if (element.matches(':disabled')) disabled = element.hasAttribute('disabled') ? 'disabled' : 'fieldset';
  else if (closest('[inert]')) disabled = 'inert';
  else if (closest('[aria-disabled="true" i]')) disabled = 'aria-disabled';

  const texts = ['text', 'search', 'email', 'url', 'tel', 'password', 'number'];
  let editable = 'kind';
  if (tag === 'textarea' || (tag === 'input' && texts.includes(type))) editable = input.readOnly ? 'readonly' : 'text';
  else if (element.isContentEditable) editable = 'rich';
  return {
    tag, type, disabled, editable,
    visible: element.checkVisibility({ visibilityProperty: true }),
    href: element instanceof HTMLAnchorElement ? element.href : '',
    autocomplete: element.getAttribute('autocomplete') ?? '', id: element.id, name: element.getAttribute('name') ?? '',
  };
}

/** Resolves two animation frames later, or soon where nothing is drawn. @this {Node} @returns {Promise<undefined>} */
export function twoFrames() {
  return Promise.race([
    new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
    new Promise(resolve => setTimeout(resolve, 250, undefined)),
  ]);
}

/** Scrolls a node to the middle of what scrolls. @this {Element} */
export function toCentre() {
  (this instanceof Element ? this : /** @type {Node} */ (this).parentElement)?.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
}

/** The first label of a control that is shown. @this {HTMLInputElement} @returns {HTMLLabelElement | undefined} */
export function firstLabel() {
  return [...this.labels ?? []].find(label => label.checkVisibility({ visibilityProperty: true }));
}

/**
 * Tells whether a click on hit is a click on this node: on itself, inside it
 * (through shadow roots), or on its label.
 * @this {Node} @param {Node} hit
 */
export function meets(hit) {
  const labels = new Set(/** @type {HTMLInputElement} */ (this).labels ?? []);
  for (let at = /** @type {Node | null} */ (hit); at; at = at.parentNode ?? (at instanceof ShadowRoot ? at.host : null)) {
    if (at === this || labels.has(/** @type {HTMLLabelElement} */ (at))) return true;
  }
  return false;
}

/**
 * Begins to watch what an act does. What was seen is kept in this world, where
 * the page cannot reach it.
 * @this {Node}
 */
export function watch() {
  const element = /** @type {HTMLElement} */ (this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement);
  const input = /** @type {HTMLInputElement} */ (element);
  const state = () => JSON.stringify([
    input.checked, /** @type {HTMLOptionElement} */ (/** @type {unknown} */ (element)).selected,
    ...['aria-checked', 'aria-expanded', 'aria-selected', 'aria-pressed', 'aria-current', 'open', 'disabled'].map(name => element.getAttribute(name)),
  ]);
  const focus = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at;
  };
  const seen = {
    pressed: false, clicked: false, mutations: 0, state, focus,
    before: { state: state(), focus: focus(), text: element.textContent, url: location.href, title: document.title }, element,
  };
  const options = { capture: true, once: true };
  addEventListener('mousedown', event => { if (event.isTrusted) seen.pressed = true; }, options);
  addEventListener('click', event => { if (event.isTrusted) seen.clicked = true; }, options);
  const observer = new MutationObserver(records => { seen.mutations += records.length; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  }
  Object.assign(globalThis, { handrailSeen: { ...seen, get pressed() { return seen.pressed; }, get clicked() { return seen.clicked; },
    get mutations() { seen.mutations += observer.takeRecords().length; return seen.mutations; } } });
}

/** What was seen since watch. @this {Node} @returns {{pressed: boolean, clicked: boolean, changes: string[], title: string, url: string}} */
export function seen() {
  const { handrailSeen: it } = /** @type {any} */ (globalThis);
  const changes = [];
  if (location.href !== it.before.url) changes.push('url');
  if (document.title !== it.before.title) changes.push('title');
  if (!it.element.isConnected) changes.push('removed');
  if (it.state() !== it.before.state) changes.push('state');
  if (it.focus() !== it.before.focus) changes.push('focus');
  if (it.element.textContent !== it.before.text) changes.push('text');
  if (it.mutations > 0) changes.push('mutations');
  return { pressed: it.pressed, clicked: it.clicked, changes, title: document.title, url: location.href };
}

/** The field's text. @this {Node} @returns {string} */
export function textOf() {
  const field = /** @type {HTMLInputElement} */ (this);
  return field.isContentEditable ? field.innerText : field.value;
}

/**
 * Selects all of a field, or puts the caret at its end; the field has focus.
 * @this {Node} @param {boolean} all
 * @returns {{focused: boolean, placed: boolean}} placed is false where only a key can move the caret
 */
export function place(all) {
  const field = /** @type {HTMLInputElement} */ (this);
  let active = /** @type {Element | null} */ (document.activeElement);
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  // A closed shadow root hides what has focus in it; its own root tells.
  const root = /** @type {ShadowRoot | Document} */ (field.getRootNode());
  const focused = [active, root.activeElement].some(at => at !== null && (at === field || field.contains(at) || (field.isContentEditable && at.contains(field))));
  if (field.isContentEditable) {
    const selection = getSelection();
    selection?.selectAllChildren(field);
    if (!all) selection?.collapseToEnd();
    return { focused, placed: true };
  }
  if (all) field.select();
  else {
    try {
      field.setSelectionRange(field.value.length, field.value.length);
    } catch {
      return { focused, placed: false }; // number and email fields have no range
    }
  }
  return { focused, placed: true };
}

/** Submits the field's form. @this {Node} @returns {boolean} false when there is none */
export function submitForm() {
  const { form } = /** @type {HTMLInputElement} */ (this);
  form?.requestSubmit();
  return Boolean(form);
}
