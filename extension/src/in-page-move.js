// Functions that run in the page for dragging, scrolling and uploading; like
// those of in-page.js each may use nothing but its arguments and the DOM.

/** Where the first box of a node begins in its frame's viewport. @this {Node} @returns {[number, number]} */
export function cornerOf() {
  let boxed = /** @type {Element | Range} */ (/** @type {Node} */ (this));
  if (!(this instanceof Element)) (boxed = document.createRange()).selectNodeContents(this);
  const [{ x, y } = new DOMRect()] = boxed.getClientRects();
  return [x, y];
}

// --- dragging

/**
 * What came of a drag so far.
 * @typedef {object} Dragged
 * @property {boolean} native the browser's own drag and drop began
 * @property {boolean} dropped a drop reached this frame
 * @property {string[]} changes order, moved, value
 * @property {string} [value] of a slider
 */

/**
 * @typedef {object} DragWatch stays in the page
 * @property {() => Dragged} state
 * @property {(x: number, y: number, native: boolean, other: Node | null) => string} over
 * @property {() => void} end
 */

/**
 * Watches an end of a drag: where it stands, and what it holds.
 * @this {Element}
 * @param {boolean} source it is what is dragged
 * @returns {DragWatch}
 */
export function watchDrag(source) {
  const element = /** @type {HTMLInputElement} */ (this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement);
  // What is selected would be dragged in the node's place.
  const selection = getSelection();
  if (source && selection && !selection.isCollapsed && selection.containsNode(element, true)) selection.removeAllRanges();
  const until = new AbortController();
  const options = { capture: true, signal: until.signal };
  /** @type {Event | undefined} */
  let began;
  let dropped = false;
  addEventListener('dragstart', event => { began = event; }, options);
  addEventListener('drop', () => { dropped = true; }, options);
  const value = () => (element.localName === 'input' && element.type === 'range' ? element.value : element.getAttribute('aria-valuenow') ?? undefined);
  const stand = () => ({ parent: element.parentNode, at: [...element.parentElement?.children ?? []].indexOf(element), ...element.getBoundingClientRect().toJSON(), value: value() });
  const before = stand();
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const known = new WeakSet(source ? [] : root.querySelectorAll('*'));
  return {
    state() {
      const now = stand();
      const changes = [];
      if (now.parent !== before.parent || now.at !== before.at) changes.push('order');
      if (Math.abs(now.x - before.x) > 1 || Math.abs(now.y - before.y) > 1) changes.push('moved');
      if (now.value !== before.value) changes.push('value');
      return { native: began !== undefined && !began.defaultPrevented, dropped, changes, ...(now.value === undefined ? {} : { value: now.value }) };
    },
    /** Why a drop at a point would not be one on the node: gone, covered; '' when it would, or would be where what is dragged has gone. */
    over(x, y, native, other) {
      if (!element.isConnected) return 'gone';
      const above = (/** @type {Node} */ at) => /** @type {Element} */ (at).assignedSlot ?? at.parentNode ?? (at instanceof ShadowRoot ? at.host : null);
      const isOne = (/** @type {Element} */ hit) => {
        for (let at = /** @type {Node | null} */ (hit); at; at = above(at)) if (at === element || at === other) return true;
        return false;
      };
      const [top, ...below] = root.elementsFromPoint(x, y);
      if (!top) return 'covered';
      if (isOne(top)) return '';
      // What was not there before: a placeholder in a sortable list, or a picture of what is dragged that goes with the mouse.
      if (!known.has(top) && (element.parentElement !== top && element.parentElement?.contains(top) || !native && below.some(isOne))) return '';
      return 'covered';
    },
    end: () => until.abort(),
  };
}
/** @this {DragWatch} */
export function dragState() {
  return this.state();
}
/** @this {DragWatch} @param {number} x @param {number} y @param {boolean} native @param {Node | null} other */
export function isOver(x, y, native, other) {
  return this.over(x, y, native, other);
}
/** @this {{end: () => void}} */
export function endMove() {
  this.end();
}

// --- scrolling

/**
 * Where a scroller stands, in CSS px.
 * @typedef {object} Standing
 * @property {number} top
 * @property {number} view
 * @property {number} height
 * @property {boolean} busy it says that more is being loaded
 * @property {{tag: string, rect: [number, number, number, number]}} hit
 * @property {string} url
 * @property {string} title
 */

/**
 * @typedef {object} Scroller stays in the page
 * @property {Element} element
 * @property {() => Standing} standing
 * @property {() => [number, number] | undefined} point
 * @property {(down: number) => void} by
 * @property {() => void} show
 * @property {(before: number) => Promise<Standing>} still
 * @property {() => string[]} lines
 * @property {(text: string) => '' | 'there' | 'brought'} find
 * @property {(down: number, text: string, ms: number) => Promise<Swept>} sweep
 * @property {() => void} end
 */

/** @typedef {{at: Standing, lines: string[]}} Swept where it came to, and the lines that were in view on the way */

/**
 * Finds what scrolls: the nearest node above this one that can, itself among
 * them, or else the page; of the page its main part.
 * @this {Element} @param {boolean} main
 * @returns {Scroller}
 */
export function scrollerOf(main) {
  const root = document.scrollingElement ?? document.documentElement;
  const above = (/** @type {Node} */ at) => /** @type {Element} */ (at).assignedSlot ?? at.parentNode ?? (at instanceof ShadowRoot ? at.host : null);
  const overflow = (/** @type {Element} */ at) => getComputedStyle(at).overflowY;
  /** Whether a person could scroll it. @param {Node} at @returns {at is Element} */
  const scrolls = at => {
    if (!(at instanceof Element) || at.scrollHeight <= at.clientHeight + 1) return false;
    const outer = overflow(document.documentElement);
    // The page's own overflow stands at html, or else at body.
    if (at === root) return !/hidden|clip/.test(outer === 'visible' && document.body ? overflow(document.body) : outer);
    if (at === document.body && outer === 'visible') return false;
    return at.clientHeight > 0 && /auto|scroll|overlay/.test(overflow(at));
  };
  /** The part of a box that can be seen: left, top, right, bottom. @param {Element} at @returns {[number, number, number, number]} */
  const seen = at => {
    if (at === root) return [0, 0, root.clientWidth, root.clientHeight];
    const { left, top } = at.getBoundingClientRect();
    const [x, y] = [left + at.clientLeft, top + at.clientTop];
    return [Math.max(0, x), Math.max(0, y), Math.min(innerWidth, x + at.clientWidth), Math.min(innerHeight, y + at.clientHeight)];
  };
  const area = (/** @type {Element} */ at) => {
    const [left, top, right, bottom] = seen(at);
    return Math.max(0, right - left) * Math.max(0, bottom - top);
  };
  const mainPart = () => {
    const least = 50; // px that a page may scroll by accident, round a part that is meant to
    const whole = scrolls(root);
    if (whole && root.scrollHeight - root.clientHeight >= least) return root;
    /** @type {(Document | ShadowRoot)[]} */
    const roots = [document];
    let [best, size] = [/** @type {Element} */ (root), whole ? 0.4 * innerWidth * innerHeight : 0];
    for (const within of roots) {
      for (const at of within.querySelectorAll('*')) {
        if (at.shadowRoot) roots.push(at.shadowRoot);
        if (at !== root && at.localName !== 'textarea' && scrolls(at) && at.checkVisibility({ visibilityProperty: true }) && area(at) > size) [best, size] = [at, area(at)];
      }
    }
    return best;
  };
  const nearest = () => {
    for (let at = /** @type {Node | null} */ (this); at; at = above(at)) if (scrolls(at)) return at;
    return root;
  };
  const element = main ? mainPart() : nearest();
  const top = () => element.scrollTop;
  const frame = () => Promise.race([new Promise(resolve => requestAnimationFrame(resolve)), new Promise(resolve => setTimeout(resolve, 50))]);

  // --- the wheel
  /** Whether a wheel over a node turns this scroller, and nothing else with it. @param {Node} hit */
  const turns = hit => {
    if (!(hit instanceof Element) || hit.matches('iframe, frame, object, embed, canvas, video, input, select') || (hit !== element && hit.matches('textarea'))) return false;
    for (let at = /** @type {Node | null} */ (hit); at; at = above(at)) {
      if (at === element) return true;
      if (scrolls(at) || (at instanceof Element && getComputedStyle(at).position === 'fixed' && element !== root)) return false;
    }
    return element === root;
  };
  const until = new AbortController();
  let armed = 0;
  /** @type {Element[]} */
  const hosts = [];
  for (let at = element.getRootNode(); at instanceof ShadowRoot; at = at.host.getRootNode()) hosts.push(at.host);
  addEventListener('wheel', event => {
    const hit = event.composedPath()[0];
    if (!event.isTrusted || performance.now() > armed || (hit instanceof Element && (hosts.includes(hit) || turns(hit)))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true, passive: false, signal: until.signal });

  // --- what it shows
  const fold = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim();
  /** Rendered text, block by block. @returns {{text: string, nodes: Text[]}[]} */
  const blocks = () => {
    /** @type {{block: Node, text: string, nodes: Text[]}[]} */
    const found = [];
    /** @type {[Node, Node, boolean][]} open nodes, last first; the block each is in, and whether it is shown */
    const open = [[element, element, true]];
    for (let next = open.pop(); next; next = open.pop()) {
      let [at, block, shown] = next;
      if (at instanceof Text) {
        if (!shown) continue;
        const last = found.at(-1);
        if (at.data.trim() === '') { // a node of its own between two words, as React makes it
          if (last?.block === block) last.text += ' ';
        } else if (last?.block === block) {
          last.text += (last.nodes.at(-1)?.parentNode === at.parentNode ? '' : ' ') + at.data;
          last.nodes.push(at);
        } else found.push({ block, text: at.data, nodes: [at] });
        continue;
      }
      if (at instanceof Element) {
        if (at.matches('script, style, noscript, template, textarea, select, head')) continue;
        const { display, visibility } = getComputedStyle(at);
        if (display === 'none') continue;
        shown = visibility === 'visible';
        if (!/^(inline|contents|ruby|table-cell)/.test(display)) block = at;
      } else if (!(at instanceof ShadowRoot)) continue;
      const slotted = at instanceof HTMLSlotElement ? at.assignedNodes() : [];
      const below = slotted.length > 0 ? slotted : [.../** @type {Element} */ (at).shadowRoot?.childNodes ?? at.childNodes];
      for (const child of below.toReversed()) open.push([child, block, shown]);
    }
    return found.map(({ text, nodes }) => ({ text: fold(text), nodes }));
  };
  /** @param {Text} node */
  const boxOf = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  /** @param {Text} node */
  const inView = node => {
    const { top, bottom, width, height } = boxOf(node);
    const [, from, , to] = seen(element);
    return width > 0 && height > 0 && bottom > from + 1 && top < to - 1;
  };

  /** @type {Scroller} */
  const scroller = {
    element,
    standing() {
      const { x, y, width, height } = element.getBoundingClientRect();
      const busy = element.matches('[aria-busy=true]') || [...element.querySelectorAll('[aria-busy=true], [role=progressbar], progress')].some(at => at.checkVisibility({ visibilityProperty: true }));
      return {
        top: top(), view: element.clientHeight, height: element.scrollHeight, busy,
        hit: { tag: element.localName, rect: [x, y, width, height] }, url: location.href, title: document.title,
      };
    },
    point() {
      const [left, upper, right, lower] = seen(element);
      const places = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9], [0.02, 0.5], [0.98, 0.5]];
      for (const [across, down] of right - left < 2 || lower - upper < 2 ? [] : places) {
        const at = /** @type {[number, number]} */ ([left + (right - left) * across, upper + (lower - upper) * down]);
        let hit = /** @type {Document} */ (element.getRootNode()).elementFromPoint(...at);
        for (let inner = hit; inner?.shadowRoot; hit = inner) {
          inner = inner.shadowRoot.elementFromPoint(...at);
          if (!inner || inner === hit) break;
        }
        if (!hit || !turns(hit)) continue;
        armed = performance.now() + 2000;
        return at;
      }
      return undefined;
    },
    /** What is out of view is turned by no wheel. */
    show: () => { if (element !== root) /** @type {Element & {scrollIntoViewIfNeeded?: (centre: boolean) => void}} */ (element).scrollIntoViewIfNeeded?.(true); },
    by: down => element.scrollBy({ top: down, behavior: 'instant' }),
    async still(before) {
      const [startMs, maxMs] = [150, 1500]; // until it moves, and until it stands again
      const began = performance.now();
      for (let last = top(), same = 0; same < 3 || (Math.abs(last - before) < 1 && performance.now() - began < startMs);) {
        await frame();
        same = top() === last ? same + 1 : 0;
        last = top();
        if (performance.now() - began > maxMs) break;
      }
      return scroller.standing();
    },
    lines: () => blocks().flatMap(({ text, nodes }) => (nodes.some(inView) ? [text.slice(0, 1000)] : [])),
    find(text) {
      const wanted = fold(text).toLowerCase();
      const all = blocks().map(({ text: said, nodes }) => ({ text: said.toLowerCase(), nodes }));
      const whole = all.map(block => block.text).join(' ');
      let begins = 0;
      const starts = all.map(block => (begins += block.text.length + 1) - block.text.length - 1);
      for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + 1)) {
        const { nodes } = all[starts.findLastIndex(from => from <= at)];
        // The node that the text begins in, or is in by itself.
        const node = nodes.find(one => fold(one.data).toLowerCase().includes(wanted)) ?? nodes[0];
        const { width, height } = boxOf(node);
        if (width === 0 || height === 0) continue;
        if (inView(node)) return 'there';
        node.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
        return 'brought';
      }
      return '';
    },
    async sweep(down, text, ms) {
      const drawMs = 300; // for rows to be drawn after the frame
      const began = performance.now();
      const lines = new Set(scroller.lines());
      for (let last = top(); performance.now() - began < ms;) {
        scroller.by(down);
        await frame();
        if (Math.abs(top() - last) < 1) break;
        last = top();
        let now = scroller.lines();
        for (const end = performance.now() + drawMs; (now.every(line => lines.has(line)) || scroller.standing().busy) && performance.now() < end; now = scroller.lines()) await frame();
        for (const line of now) lines.add(line);
        if (scroller.find(text) === '') continue;
        for (const line of scroller.lines()) lines.add(line); // it may have been brought into view
        break;
      }
      return { at: scroller.standing(), lines: [...lines] };
    },
    end: () => until.abort(),
  };
  return scroller;
}
/** @this {Scroller} */
export function scrollerElement() {
  return this.element;
}
/** @this {Scroller} */
export function standing() {
  return this.standing();
}
/** @this {Scroller} */
export function wheelPoint() {
  return this.point();
}
/** @this {Scroller} */
export function showScroller() {
  this.show();
}
/** @this {Scroller} @param {number} down */
export function scrollDown(down) {
  this.by(down);
}
/** @this {Scroller} @param {number} before */
export function stillFrom(before) {
  return this.still(before);
}
/** Scrolls on by steps, a frame each, until a text is there, or the end is, or for so many ms. @this {Scroller} @param {number} down @param {string} text @param {number} ms */
export function sweepOn(down, text, ms) {
  return this.sweep(down, text, ms);
}
/** @this {Scroller} */
export function linesInView() {
  return this.lines();
}
/** @this {Scroller} @param {string} text */
export function findIn(text) {
  return this.find(text);
}
/** Scrolls a node into view, where it is not. @this {Element} @returns {boolean} whether it had to */
export function intoView() {
  const element = this instanceof Element ? this : /** @type {Element} */ (/** @type {Node} */ (this).parentElement);
  const corner = () => String(element.getBoundingClientRect().toJSON().y) + element.getBoundingClientRect().x;
  const before = corner();
  /** @type {Element & {scrollIntoViewIfNeeded?: (centre: boolean) => void}} */ (element).scrollIntoViewIfNeeded?.(true);
  return corner() !== before;
}

// --- files

/**
 * @typedef {object} FileField
 * @property {boolean} multiple
 * @property {boolean} directory
 * @property {boolean} disabled
 */

/** The file field that a node is, or is the label of. @this {Node} @returns {Node | undefined} */
export function fileFieldOf() {
  const at = this instanceof Element ? this : this.parentElement?.closest('label');
  const field = at instanceof HTMLLabelElement ? at.control : at;
  return field instanceof HTMLInputElement && field.type === 'file' ? field : undefined;
}
/** @this {HTMLInputElement} @returns {FileField} */
export function fileField() {
  return { multiple: this.multiple, directory: this.webkitdirectory, disabled: this.matches(':disabled') };
}
/**
 * What a file field holds, and which of it the page says it does not accept.
 * @this {HTMLInputElement}
 * @returns {{names: string[], unfit: string[]}}
 */
export function filesOf() {
  const accepted = this.accept.toLowerCase().split(',').map(one => one.trim()).filter(Boolean);
  const fits = (/** @type {File} */ { name, type }) => accepted.some(one =>
    one.startsWith('.') ? name.toLowerCase().endsWith(one) : one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one);
  const files = [...this.files ?? []];
  return { names: files.map(({ name }) => name), unfit: accepted.length === 0 ? [] : files.filter(file => !fits(file)).map(({ name }) => name) };
}
