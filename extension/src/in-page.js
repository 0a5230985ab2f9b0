// Functions that run in the page, in this extension's isolated world. Each is
// sent as source text, so it may use nothing but its arguments and the DOM.

/**
 * What a node is, as far as acts need to know.
 * @typedef {object} Probe
 * @property {boolean} connected
 * @property {boolean} skipped displayed, but not rendered while it is off-screen (content-visibility: auto)
 * @property {string} tag
 * @property {string} type
 * @property {string} disabled why it is: disabled, fieldset, aria-disabled, inert; '' when it is not
 * @property {boolean} visible
 * @property {boolean} ariaHidden the page hides it from the accessibility tree
 * @property {string} part of what type of field it is a part that the browser drew; '' when it is none
 * @property {boolean} listed an option of a list that is closed
 * @property {string} editable text, rich, or why not: readonly, kind, none
 * @property {[number, number, number, number]} rect x, y, width, height in its frame's viewport
 * @property {boolean} labelled it may be drawn by its label, which is clicked in its place
 * @property {string} href
 * @property {boolean} navigates it stands in a link to another document, or submits a form
 * @property {string} autocomplete
 * @property {string} id
 * @property {string} name
 */

/** @this {Node} @returns {Probe} */
export function probe() {
  const element = /** @type {HTMLElement} */ (this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement ?? document.documentElement);
  const tag = element.localName;
  const input = /** @type {HTMLInputElement} */ (element);
  const type = tag === 'input' ? input.type : '';
  const attribute = (/** @type {string} */ name) => element.getAttribute(name) ?? '';
  /** The nearest element, through shadow roots, that a selector matches. @param {string} selector */
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
  else if (closest('[aria-disabled="true" i], [aria-disabled="false" i]')?.matches('[aria-disabled="true" i]')) disabled = 'aria-disabled';

  let editable = 'none';
  if (tag === 'textarea' || ['text', 'search', 'email', 'url', 'tel', 'password', 'number'].includes(type)) editable = 'text';
  else if (element.isContentEditable) editable = 'rich';
  else if (['input', 'select', 'button', 'option', 'a', 'summary'].includes(tag) || closest('[role]')?.matches('[role=button i], [role=checkbox i], [role=radio i], [role=switch i], [role=link i]')) editable = 'kind';
  if ((editable === 'text' && input.readOnly) || (['text', 'rich'].includes(editable) && attribute('aria-readonly') === 'true')) editable = 'readonly';
  const leads = () => {
    const link = /** @type {HTMLAnchorElement | null} */ (closest('a[href], area[href]'));
    if (link) return /^(https?|file|blob|data):/.test(link.href) && !link.hasAttribute('download') && (link.href.split('#')[0] !== location.href.split('#')[0] || !link.href.includes('#'));
    const button = /** @type {HTMLButtonElement | null} */ (closest('button, input'));
    return button !== null && ['submit', 'image'].includes(button.type) && button.form !== null && !/^dialog$/i.test(button.getAttribute('formmethod') ?? button.form.getAttribute('method') ?? '');
  };
  const inner = element.getRootNode();
  const whole = inner instanceof ShadowRoot && inner.host instanceof HTMLInputElement ? inner.host.type : '';
  const { x, y, width, height } = element.getBoundingClientRect();
  const map = tag === 'area' ? element.closest('map') : null;
  const drawn = (map && [...document.images].find(image => image.useMap === `#${map.name}`)) || element; // an area is drawn by its image
  const visible = drawn.checkVisibility({ visibilityProperty: true });
  return {
    connected: this.isConnected, ariaHidden: false, skipped: visible && !drawn.checkVisibility({ contentVisibilityAuto: true }),
    tag, type, disabled, editable, visible, part: whole, rect: [x, y, width, height],
    listed: tag === 'option' && !visible && element.closest('select')?.checkVisibility() === true,
    labelled: ['checkbox', 'radio', 'file'].includes(type) && [...input.labels ?? []].some(label => label.checkVisibility({ visibilityProperty: true })),
    href: element instanceof HTMLAnchorElement ? element.href : '', navigates: leads(),
    autocomplete: attribute('autocomplete'), id: attribute('id'), name: attribute('name'),
  };
}

/**
 * The nth node of a large item that it may be known by: row headers first, then
 * headings, links and texts, each in document order.
 * @this {Node} @param {number} n
 * @returns {Node | undefined} none in an item that is read as quickly from the tree
 */
export function keyCandidate(n) {
  const large = 300; // elements
  if (!(this instanceof Element) || this.querySelectorAll('*').length < large) return undefined;
  const kinds = ['th, [role=rowheader i]', 'h1, h2, h3, h4, h5, h6, [role=heading i]', 'a[href], area[href], [role=link i]'];
  /** @type {Node[][]} */
  const found = [[], [], [], []];
  /** @type {Node[]} */
  const open = [this];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at instanceof Text) {
      if (at.data.trim() !== '') found[3].push(at);
      continue;
    }
    if (at !== this) kinds.forEach((kind, rank) => { if (at instanceof Element && at.matches(kind)) found[rank].push(at); });
    const slotted = at instanceof HTMLSlotElement ? at.assignedNodes() : [];
    open.push(...(slotted.length > 0 ? slotted : [.../** @type {Element} */ (at).shadowRoot?.childNodes ?? at.childNodes]).toReversed());
  }
  return found.flat()[n];
}

/** The field of which the browser drew a part. @this {Element} */
export function wholeOf() {
  return /** @type {ShadowRoot} */ (this.getRootNode()).host;
}

/** The label that can be clicked in a node's place. @this {HTMLInputElement} */
export function labelOf() {
  return [...this.labels ?? []].find(label => label.checkVisibility({ visibilityProperty: true }));
}

/** The image that an area is a part of. @this {HTMLAreaElement} */
export function imageOf() {
  const name = this.closest('map')?.name;
  return [...document.images].find(image => image.useMap === `#${name}`);
}

/**
 * Where in its image an area is, whose coordinates Chromium counts from the corner of the border.
 * @this {HTMLImageElement} @param {HTMLAreaElement} area
 * @returns {number[]} left, top, right, bottom as parts of the image's width and height
 */
export function areaIn(area) {
  const at = area.coords.split(/[\s,;]+/).map(Number);
  const [x, y, r] = at;
  const [xs, ys] = [at.filter((_, i) => i % 2 === 0), at.filter((_, i) => i % 2 === 1)];
  let box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  if (/^circ/i.test(area.shape)) box = [x - r, y - r, x + r, y + r];
  if (/^default$/i.test(area.shape) || box.some(Number.isNaN)) box = [0, 0, this.offsetWidth, this.offsetHeight];
  const cut = (/** @type {number} */ part) => Math.min(1, Math.max(0, part));
  return box.map((edge, i) => cut(edge / (i % 2 === 0 ? this.offsetWidth : this.offsetHeight)));
}

/**
 * Scrolls a node to the middle or to an end of what scrolls.
 * @this {Element} @param {'center' | 'end' | 'start'} block
 * @returns {boolean} whether that moved it
 */
export function scrollTo(block) {
  const element = this instanceof Element ? this : /** @type {Node} */ (this).parentElement;
  if (!element) return false;
  const before = element.getBoundingClientRect();
  element.scrollIntoView({ block, inline: 'center', behavior: 'instant' });
  const { x, y } = element.getBoundingClientRect();
  return x !== before.x || y !== before.y;
}

/** Resolves two animation frames later, or soon where nothing is drawn. @returns {Promise<undefined>} */
export function twoFrames() {
  return Promise.race([
    new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
    new Promise(resolve => setTimeout(resolve, 250, undefined)),
  ]);
}

/**
 * What a watcher has seen.
 * @typedef {object} Sight
 * @property {boolean} began the first event of an act reached the node
 * @property {boolean} clicked all clicks of the act did
 * @property {boolean} menu a context menu was asked for
 * @property {string} moved how the mouse came: '' not at all, own, other
 * @property {string} held why an event was held back: covered, gone, renamed, moved_context; '' when none was
 * @property {string} now why one would be, but for covered
 * @property {boolean} disabled
 * @property {string[]} changes since it began
 * @property {string[]} before states of the node that are others now: checked, expanded …
 * @property {string[]} after what they are now
 * @property {[string, string] | null} value the field's, before and now, where it is another; passwords' never
 * @property {number} nodes that were changed
 * @property {string} progress what shows that a click did something, beyond looks
 * @property {string} url
 * @property {string} title
 */

/**
 * @typedef {object} Watcher stays in the page
 * @property {Element} element
 * @property {(hit: Node) => '' | 'own' | 'nested' | 'label'} meets
 * @property {(name: string, context: string, item: Node | null, ...keys: Node[]) => boolean} arm
 * @property {() => Sight} sight
 * @property {() => string} begin what no input event announces begins now; why it must not, '' when it may
 * @property {() => Element | null} focus what has it
 * @property {() => void} end
 */

/**
 * Watches a node: what input does to it, and that input reaches it and nothing
 * else. While it is armed, an event that would go to another node, or to this one
 * when it has come to stand for something else, is held back from the page.
 * @this {Node}
 * @param {string[]} kinds the events that belong to the act, the one that begins it first
 * @param {string} controls a selector
 * @param {number} clicks that the act makes
 * @returns {Watcher}
 */
export function watch(kinds, controls, clicks) {
  // A worker that dies in between leaves nothing held. Told by ticks, not by the clock:
  // input that a busy page takes late is held still.
  const [ticks, tickMs] = [12, 250];
  const world = /** @type {{handrail?: Watcher}} */ (globalThis);
  world.handrail?.end(); // one that a dialog kept from being ended
  const element = /** @type {HTMLElement} */ (this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement);
  const input = /** @type {HTMLInputElement} */ (element);
  const labels = new Set(input.labels ?? []);
  const control = element instanceof HTMLLabelElement ? element.control : null;
  /** @param {Node} at @returns {Node | null} */
  const above = at => /** @type {Element} */ (at).assignedSlot ?? at.parentNode ?? (at instanceof ShadowRoot ? at.host : null);
  const holds = (/** @type {Node} */ outer, /** @type {Node} */ inner) => {
    for (let at = /** @type {Node | null} */ (inner); at; at = above(at)) if (at === outer) return true;
    return false;
  };
  /** @type {ShadowRoot[]} innermost first */
  const roots = [];
  /** @type {Element[]} the browser's own, a date field say, of which the node is a part: to watch in them crashes the page */
  const wholes = [];
  const hosts = /^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span|.*-.*)$/; // of what a page may attach
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    if (hosts.test(root.host.localName)) roots.push(root);
    else wholes.push(root.host);
  }

  // --- what it stands for
  const fold = (/** @type {string | null | undefined} */ text) => (text ?? '').replace(/\s+/g, ' ').trim();
  /** @param {Node} at @returns {string} */
  const textIn = at => {
    if (at instanceof Text) return at.data;
    if (at instanceof HTMLSlotElement && at.assignedNodes().length > 0) return at.assignedNodes().map(textIn).join('');
    return [.../** @type {Element} */ (at).shadowRoot?.childNodes ?? at.childNodes].map(textIn).join('');
  };
  /** The texts that a node may be named by. @param {Node} at @param {boolean} inside */
  const words = (at, inside) => {
    const texts = inside ? [textIn(at)] : [];
    if (at instanceof Element) {
      for (const name of ['aria-label', 'title', 'alt', 'value', 'placeholder']) texts.push(at.getAttribute(name) ?? '');
      const named = (at.getAttribute('aria-labelledby') ?? '').split(/\s+/).map(id => /** @type {Document} */ (at.getRootNode()).getElementById?.(id));
      const [legend] = at.querySelectorAll(':scope > legend, :scope > caption');
      for (const by of [...named, legend, .../** @type {HTMLInputElement} */ (at).labels ?? []]) if (by) texts.push(textIn(by));
    }
    return texts.map(fold);
  };
  /** @type {{own: string, place: string, item: Node | null, keys: Node[]}} */
  let was = { own: '', place: '', item: null, keys: [] };
  const place = () => {
    if (was.keys.length > 1) return [was.keys.map(key => fold(textIn(key))).join(' ')];
    return was.item ? words(was.keys[0] ?? was.item, was.keys.length > 0) : [];
  };
  const own = () => words(element, true);
  const change = () => {
    if (!element.isConnected) return 'gone';
    if (was.item && (!holds(was.item, element) || was.keys.some(key => !holds(/** @type {Node} */ (was.item), key)) || String(place()) !== was.place)) return 'moved_context';
    return !began && String(own()) !== was.own ? 'renamed' : '';
  };

  /** @type {Watcher['meets']} */
  const meets = hit => {
    let nested = false;
    for (let at = /** @type {Node | null} */ (hit); at; at = above(at)) {
      if (at === element || at === control) return nested ? 'nested' : 'own';
      if (labels.has(/** @type {HTMLLabelElement} */ (at))) return nested ? 'nested' : 'label';
      if (at instanceof Element && at.matches(controls)) nested = true;
    }
    // What is slotted into a closed shadow root does not know it.
    const slots = element.matches('slot') ? [element] : [...element.querySelectorAll('slot')];
    if (slots.some(slot => /** @type {HTMLSlotElement} */ (slot).assignedNodes({ flatten: true }).some(part => holds(part, hit)))) return 'own';
    // At the point of an area the browser finds its image; the event goes to the area.
    if (element instanceof HTMLAreaElement && hit instanceof HTMLImageElement && hit.useMap === `#${element.closest('map')?.name}`) return 'own';
    return roots.some(root => root.host === hit) || wholes.includes(/** @type {Element} */ (hit)) ? 'own' : '';
  };

  // --- events
  let armed = 0; // ticks that are left
  let ticking = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
  const disarm = () => {
    clearInterval(ticking);
    ticking = undefined;
    armed = 0;
  };
  const rearm = () => {
    armed = ticks;
    ticking ||= setInterval(() => { if (--armed === 0) disarm(); }, tickMs);
  };
  let began = false;
  let clicked = false;
  let menu = false;
  let moved = '';
  let held = '';
  let capture = () => {};
  const until = new AbortController();
  /** @param {Event} event */
  const take = event => {
    if (!event.isTrusted || armed === 0) return;
    const hit = /** @type {Element} */ (event.composedPath()[0] ?? event.target);
    // A closed shadow root shows what was hit to nobody but those inside.
    const inner = roots.find(root => root.mode === 'closed' && root.host === hit);
    if (inner && event.currentTarget !== inner) return;
    if (!(hit instanceof Node)) return; // the window itself
    const met = meets(hit) !== '';
    if (event.type === 'mousemove') {
      moved = met ? 'own' : 'other';
      return;
    }
    if (event.type === 'keyup' && began && !met) { // the focus has moved on: the end of the key is nobody's
      event.stopImmediatePropagation();
      return;
    }
    const captured = event instanceof PointerEvent && began && hit.hasPointerCapture?.(event.pointerId);
    const why = held || (met || captured ? change() : 'covered');
    if (why) {
      held = why;
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (!began) notice(observer.takeRecords()); // what moves by itself is no effect of the act
    began = true;
    // What comes up under the mouse as it is pressed, as a menu does, is not what was meant: the release belongs to the
    // node, once the page has had its say (some let go of every capture at first): when the press is looked at, which
    // a timer may come after.
    if (event instanceof PointerEvent && event.type === 'pointerdown' && kinds.includes('click')) {
      capture = () => {
        try {
          hit.setPointerCapture(event.pointerId);
        } catch {} // it is gone, or the page locked the pointer
      };
    }
    if (event.type === 'contextmenu') menu = true;
    if ((event.type === 'click' || event.type === 'auxclick') && --clicks === 0) {
      clicked = true;
      disarm();
    }
  };

  // --- effects
  /** @type {WeakSet<Node>} */
  const restless = new WeakSet();
  /** @type {Set<Node>} */
  const changed = new Set();
  let progress = '';
  const opens = 'dialog, [popover], [role=dialog i], [role=alertdialog i], [role=menu i], [role=listbox i]';
  /** What a change shows beyond looks: churn elsewhere and classes show nothing. @param {MutationRecord} record */
  const shows = ({ type, target, attributeName, addedNodes }) => {
    if (type === 'attributes' && /^(aria-(current|expanded|selected|checked|pressed)|open)$/.test(attributeName ?? '')) return attributeName ?? '';
    if ([...addedNodes].some(at => at instanceof Element && (at.matches(opens) || at.querySelector(opens)))) return 'opened';
    return holds(element, target) && !/^(class|style|title|alt|aria-label|aria-labelledby)$/.test(attributeName ?? '') ? 'mutation' : '';
  };
  const notice = (/** @type {MutationRecord[]} */ records) => {
    for (const record of records) {
      const { target, addedNodes, removedNodes } = record;
      if (!began) restless.add(target);
      else if (!restless.has(target)) {
        for (const at of [...addedNodes, ...removedNodes, ...(record.type === 'childList' ? [] : [target])]) changed.add(at);
        progress ||= shows(record);
      }
    }
  };
  const observer = new MutationObserver(notice);
  for (const root of [document, ...roots]) observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  /** The words for an element's states, by kind. @returns {Record<string, string>} */
  const states = () => {
    /** @type {Record<string, string>} */
    const found = {};
    for (const at of [element, control]) {
      if (!at) continue;
      const it = /** @type {HTMLInputElement & HTMLButtonElement & HTMLOptionElement & HTMLDetailsElement} */ (/** @type {unknown} */ (at));
      const say = (/** @type {string} */ kind, /** @type {string | boolean | null | undefined} */ is, /** @type {string} */ yes, /** @type {string} */ no) => {
        if (is !== null && is !== undefined && !found[kind]) found[kind] = String(is) === 'mixed' ? 'mixed' : String(is) === 'false' ? no : yes;
      };
      const aria = (/** @type {string} */ name) => at.getAttribute(`aria-${name}`);
      say('checked', it.matches('[type=checkbox i], [type=radio i]') ? (it.indeterminate ? 'mixed' : it.checked) : aria('checked'), 'checked', 'unchecked');
      const opened = it.matches('summary') ? it.parentElement?.hasAttribute('open') : it.matches('details, dialog') ? it.open : it.popoverTargetElement?.matches(':popover-open');
      say('expanded', aria('expanded') ?? opened, 'expanded', 'collapsed');
      say('selected', it.matches('option') ? it.selected : aria('selected'), 'selected', 'unselected');
      say('pressed', aria('pressed'), 'pressed', 'unpressed');
      say('disabled', it.matches(':disabled, [aria-disabled=true i]'), 'disabled', 'enabled');
      say('current', !['', 'false'].includes(aria('current') ?? ''), 'current', 'not current');
    }
    return found;
  };
  const value = () => (element.matches('input:not([type=password i]), textarea, select') ? String(input.value) : '');
  const focus = () => {
    let at = roots.find(root => root.activeElement)?.activeElement ?? document.activeElement; // a closed root tells nobody outside
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at;
  };
  const look = () => ({ states: states(), value: value(), focus: focus(), url: location.href, title: document.title });
  const before = look();

  return world.handrail = {
    element, meets, focus,
    arm(name, context, item, ...keys) {
      rearm();
      held = moved = '';
      was = { own: '', place: '', item, keys };
      Object.assign(was, { own: String(own()), place: String(place()) });
      Object.assign(before, look());
      const options = { capture: true, signal: until.signal };
      for (const at of [window, ...roots]) for (const kind of [...kinds, 'mousemove']) at.addEventListener(kind, take, options);
      return (name === '' || own().includes(name)) && (context === '' || place().includes(context)) && change() === '';
    },
    sight() {
      if (armed > 0) rearm(); // whoever looks is alive
      capture();
      capture = () => {};
      notice(observer.takeRecords());
      const changes = [];
      if (location.href !== before.url) changes.push('url');
      if (document.title !== before.title) changes.push('title');
      if (!element.isConnected) changes.push('removed');
      const [is, had] = [states(), before.states];
      const others = Object.keys({ ...had, ...is }).filter(kind => is[kind] !== had[kind]);
      if (others.length > 0) changes.push('state');
      // A press moves the focus to what is pressed, which is no effect but on a field.
      const now = focus();
      if (now !== before.focus && now !== document.body && now && (element.isContentEditable || element.matches('input, textarea, select') || (!holds(now, element) && !holds(element, now)))) changes.push('focus');
      if (String(own()) !== was.own) changes.push('name');
      if (changed.size > 0) changes.push('mutations');
      if (menu) changes.push('contextmenu');
      const said = value();
      return {
        began, clicked, menu, moved, held, now: change(), disabled: element.matches(':disabled'), changes, title: document.title, url: location.href,
        before: others.flatMap(kind => had[kind] ?? []), after: others.flatMap(kind => is[kind] ?? []), value: said === before.value ? null : [before.value, said],
        nodes: changed.size, progress: progress || (changes.find(change => ['url', 'focus', 'removed'].includes(change)) ?? ''),
      };
    },
    begin() {
      const why = change();
      if (why === '') {
        notice(observer.takeRecords());
        began = true;
      }
      return why;
    },
    end() {
      disarm();
      until.abort();
      observer.disconnect();
      delete world.handrail;
    },
  };
}

/** @this {Watcher} @param {Node} hit */
export function meets(hit) {
  return this.meets(hit);
}
/** @this {Watcher} @param {string} name @param {string} context @param {Node | null} item @param {...Node} keys */
export function arm(name, context, item, ...keys) {
  return this.arm(name, context, item, ...keys);
}
/** @this {Watcher} */
export function sight() {
  return this.sight();
}
/** @this {Watcher} */
export function endWatch() {
  this.end();
}

/** The field's text. @this {Node} @returns {string} */
export function textOf() {
  const field = /** @type {HTMLInputElement} */ (this);
  return (field.isContentEditable ? field.innerText : field.value) ?? '';
}

/**
 * Gives a field the focus and selects all of it, or puts the caret at its end.
 * @this {Node} @param {boolean} all
 * @returns {{focused: boolean, placed: boolean, rich?: boolean, gone?: boolean}} placed is false where only a key can move the caret; rich is an editor's, which may set its own selection
 */
export function focusOn(all) {
  let field = /** @type {HTMLInputElement} */ (this);
  // What is edited is the outermost editable element.
  while (field.isContentEditable && field.parentElement?.isContentEditable) field = /** @type {HTMLInputElement} */ (field.parentElement);
  field.focus();
  const root = /** @type {ShadowRoot | Document} */ (field.getRootNode());
  const focused = root.activeElement === field;
  if (!focused) return { focused, placed: false, gone: !field.isConnected };
  if (field.isContentEditable) {
    const selection = /** @type {Document} */ (root).getSelection?.() ?? getSelection();
    selection?.selectAllChildren(/** @type {Node} */ (this));
    if (!all) selection?.collapseToEnd();
    return { focused, placed: true, rich: true };
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

/**
 * Submits the field's form, once the field is left: till then many a page has not
 * been told what it holds.
 * @this {Node}
 * @returns {Promise<'' | 'submitted' | 'disabled' | 'gone' | 'invalid'>} '' when there is no form, disabled when its button is, gone when leaving the field took it away, invalid when the browser does not send what it holds
 */
export async function submitForm() {
  const field = /** @type {HTMLInputElement} */ (this);
  const { form } = field;
  if (!form) return '';
  field.blur();
  await new Promise(resolve => setTimeout(resolve));
  if (!form.isConnected) return 'gone';
  const button = /** @type {HTMLButtonElement | undefined} */ ([...form.elements].find(at => at.matches('button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]')));
  if (button?.matches(':disabled')) return 'disabled';
  const invalid = Element.prototype.matches.call(form, ':invalid:not([novalidate])') && !button?.hasAttribute('formnovalidate');
  HTMLFormElement.prototype.requestSubmit.call(form, button);
  return invalid ? 'invalid' : 'submitted';
}

/**
 * The fields of the node's document that hold something.
 * @this {Node}
 * @returns {{tag: string, type: string, autocomplete: string, id: string, name: string, label: string, value: string}[]}
 */
export function fields() {
  const found = [];
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (!element.matches('input, textarea, select, [contenteditable]')) continue;
      const field = /** @type {HTMLInputElement} */ (element);
      const value = (field.isContentEditable ? field.innerText : field.value) ?? '';
      if (value === '') continue;
      const attribute = (/** @type {string} */ name) => field.getAttribute(name) ?? '';
      const label = [attribute('aria-label'), ...[...field.labels ?? []].map(at => at.textContent), attribute('placeholder'), attribute('title')].join(' ');
      found.push({
        tag: field.localName, type: field.localName === 'input' ? field.type : '', autocomplete: attribute('autocomplete'),
        id: attribute('id'), name: attribute('name'), label, value,
      });
    }
  }
  return found;
}

/**
 * The field itself, as `fields` tells of all.
 * @this {Node}
 * @returns {{tag: string, type: string, autocomplete: string, id: string, name: string, label: string, value: string}}
 */
export function field() {
  const it = /** @type {HTMLInputElement} */ (this);
  const attribute = (/** @type {string} */ name) => it.getAttribute?.(name) ?? '';
  const label = [attribute('aria-label'), ...[...it.labels ?? []].map(at => at.textContent), attribute('placeholder'), attribute('title')].join(' ');
  return {
    tag: it.localName, type: it.localName === 'input' ? it.type : '', autocomplete: attribute('autocomplete'),
    id: attribute('id'), name: attribute('name'), label, value: (it.isContentEditable ? it.innerText : it.value) ?? '',
  };
}

/**
 * Whether a text is to be read in this frame, in any case, however its white space is broken.
 * @param {string} text
 */
export function textOn(text) {
  const fold = (/** @type {string} */ s) => s.replace(/\s+/g, ' ').trim().toLowerCase();
  const wanted = fold(text);
  /** @type {(Element | ShadowRoot)[]} */
  const roots = document.body ? [document.body] : [];
  for (const root of roots) {
    const said = root instanceof HTMLElement ? root.innerText : [...root.children].map(child => /** @type {HTMLElement} */ (child).innerText ?? '').join(' ');
    if (fold(said).includes(wanted)) return true;
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  return [...document.querySelectorAll('input, textarea')].some(field => {
    const { type, value } = /** @type {HTMLInputElement} */ (field);
    return type !== 'password' && fold(value).includes(wanted);
  });
}

/**
 * Whether this frame has changed within the last ms, or an animation that ends is
 * running. It watches from the first time it is asked.
 * @param {number} ms
 */
export function unrest(ms) {
  const kept = /** @type {{handrailUnrest?: {last: number}}} */ (globalThis);
  if (!kept.handrailUnrest) {
    const state = { last: performance.now() };
    const changed = () => { state.last = performance.now(); };
    new MutationObserver(changed).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    new ResizeObserver(changed).observe(document.documentElement);
    kept.handrailUnrest = state;
  }
  const moving = document.getAnimations().some(one => one.playState === 'running' && Number.isFinite(Number(one.effect?.getComputedTiming().endTime)));
  return moving || document.readyState !== 'complete' || performance.now() - kept.handrailUnrest.last < ms;
}

/** What a box or switch says it is. @this {Element} @returns {'checked' | 'unchecked' | 'mixed' | ''} */
export function checkedState() {
  const box = /** @type {HTMLInputElement} */ (this);
  if (box.localName === 'input' && (box.type === 'checkbox' || box.type === 'radio')) return box.indeterminate ? 'mixed' : box.checked ? 'checked' : 'unchecked';
  const said = this.getAttribute('aria-checked') ?? this.getAttribute('aria-pressed') ?? this.getAttribute('aria-selected');
  return said === 'true' ? 'checked' : said === 'mixed' ? 'mixed' : said === 'false' ? 'unchecked' : '';
}

/** What has the focus, in open shadow roots too. @this {Watcher} @returns {Element | null} */
export function focused() {
  return this.focus();
}

/**
 * Why a node is no plain box that could be clicked a second time; '' when it is one.
 * @this {Watcher}
 * @param {string} controls a selector
 * @param {string} toggles a selector
 */
export function notPlain(controls, toggles) {
  const { element } = this;
  /** The nearest element, through shadow roots, that a selector matches. @param {string} selector */
  const within = selector => {
    for (let at = /** @type {Element | null} */ (element); at;) {
      const found = at.closest(selector);
      if (found) return found;
      const root = at.getRootNode();
      at = root instanceof ShadowRoot ? root.host : null;
    }
    return null;
  };
  if (!element.isConnected) return 'gone';
  if (within('[download], [data-download]')) return 'a download';
  if (within('a, area, [role=link i]')) return 'a link';
  if (within(controls)) return 'a control';
  if (within(toggles)) return 'a toggle';
  if (within('form, fieldset')) return 'in a form';
  if (element.querySelector(`a, ${controls}, ${toggles}`)) return 'a control in it';
  if (element.hasAttribute('role') && !element.matches('[role=generic i], [role=none i], [role=presentation i]')) return 'not plain';
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return 'hidden';
  return getComputedStyle(element).pointerEvents === 'none' ? 'takes no clicks' : '';
}

/** The words on a node. @this {Watcher} @returns {string} */
export function wordsOn() {
  const { element } = this;
  const said = [element, ...element.querySelectorAll('*')].flatMap(at => ['aria-label', 'title', 'alt', 'value', 'data-action', 'name'].map(name => at.getAttribute(name) ?? ''));
  return [element.textContent ?? '', ...said].join(' ').slice(0, 4000);
}

/**
 * Clicks a node once as a script does, unless something came of the click before.
 * @this {Watcher}
 * @returns {string} why it did not, '' when it did
 */
export function clickAgain() {
  const { now, progress } = this.sight();
  if (now || progress) return now || progress;
  HTMLElement.prototype.click.call(this.element);
  return '';
}

/**
 * For how many ms the document has not changed: its nodes, its layout, its scrolling;
 * 0 while it loads. It is watched from the first call on, for a few seconds.
 * @returns {number}
 */
export function idleTime() {
  const watchedMs = 5000;
  const world = /** @type {{handrailIdle?: {last: number}}} */ (globalThis);
  if (!world.handrailIdle) {
    const idle = world.handrailIdle = { last: performance.now() };
    const touch = () => { idle.last = performance.now(); };
    const observer = new MutationObserver(touch);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const shifts = new PerformanceObserver(touch);
    shifts.observe({ type: 'layout-shift' });
    for (const kind of ['scroll', 'transitionrun', 'transitionend', 'load']) addEventListener(kind, touch, true);
    setTimeout(() => {
      observer.disconnect();
      shifts.disconnect();
      for (const kind of ['scroll', 'transitionrun', 'transitionend', 'load']) removeEventListener(kind, touch, true);
      delete world.handrailIdle;
    }, watchedMs);
  }
  return document.readyState === 'complete' ? performance.now() - world.handrailIdle.last : 0;
}

/**
 * Tells, by a function of this world, that somebody pressed a key or a button here.
 * Whose input it was the page cannot know.
 * @param {string} tell the function's name
 */
export function tellInput(tell) {
  const world = /** @type {Record<string, any>} */ (/** @type {unknown} */ (globalThis));
  if (world.handrailTells) return; // a tab that is attached again
  world.handrailTells = true;
  for (const kind of ['pointerdown', 'keydown', 'beforeinput', 'drop']) addEventListener(kind, event => { if (event.isTrusted) world[tell]?.(kind); }, { capture: true, passive: true });
}
