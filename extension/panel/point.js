// Pointing at a uid, with the mouse or the keyboard, shows its node in the page; a
// click brings it into view.

/** @typedef {{uid: string, handle: string, scroll?: boolean}} Pointed */

/**
 * @param {HTMLElement} within elements with data-uid, in lists with data-handle
 * @param {(pointed?: Pointed) => Promise<unknown>} draw without one the drawing goes
 * @returns {(element?: Element | null) => void} points at an element
 */
export function openPointing(within, draw) {
  let at = '';
  let drawing = false;
  /** @type {{pointed?: Pointed} | undefined} */
  let next;
  // One drawing at a time: of those that came meanwhile only the newest counts.
  const drawNext = async () => {
    if (drawing || !next) return;
    const { pointed } = next;
    next = undefined;
    drawing = true;
    await draw(pointed);
    drawing = false;
    drawNext();
  };
  /** @param {Element | null} [element] @param {boolean} [scroll] */
  const point = (element, scroll = false) => {
    const found = element?.closest('[data-uid]');
    const uid = found instanceof HTMLElement ? found.dataset.uid : undefined;
    const list = found?.closest('[data-handle]');
    const handle = list instanceof HTMLElement ? list.dataset.handle : undefined;
    const now = uid ? `${uid} ${handle}` : '';
    if (now === at && !scroll) return;
    at = now;
    next = { pointed: uid && handle ? { uid, handle, ...(scroll && { scroll }) } : undefined };
    drawNext();
  };
  /** @param {Event} event */
  const target = event => (event.target instanceof Element ? event.target : null);
  for (const kind of ['mouseover', 'focusin']) within.addEventListener(kind, event => point(target(event)));
  within.addEventListener('click', event => { if (target(event)?.closest('[data-uid]') && !target(event)?.closest('button')) point(target(event), true); });
  for (const kind of ['mouseleave', 'focusout']) within.addEventListener(kind, () => point());
  return element => point(element);
}
