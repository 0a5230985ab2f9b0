// Pointing at a uid, with the mouse or the keyboard, shows its node in the page.

/**
 * @param {HTMLElement} within elements with data-uid, in lists with data-handle
 * @param {(uid?: string, handle?: string) => void} draw without a uid the drawing goes
 */
export function openPointing(within, draw) {
  let at = '';
  /** @param {EventTarget | null} [target] */
  const point = target => {
    const element = target instanceof Element ? target.closest('[data-uid]') : null;
    const uid = element instanceof HTMLElement ? element.dataset.uid : undefined;
    const list = element?.closest('[data-handle]');
    const handle = list instanceof HTMLElement ? list.dataset.handle : undefined;
    const now = uid ? `${uid} ${handle}` : '';
    if (now === at) return;
    at = now;
    draw(uid, handle);
  };
  for (const kind of ['mouseover', 'focusin', 'click']) within.addEventListener(kind, event => point(event.target));
  for (const kind of ['mouseleave', 'focusout']) within.addEventListener(kind, () => point());
}
