// A menu of buttons at a place, by the pattern of the ARIA practices: it has the
// focus while it is open, Escape and Tab close it.

/** @typedef {{label: string, run: () => void}} Entry */
/** @typedef {{title: string, entries: Entry[]}} Group */

/**
 * @param {HTMLElement} menu
 * @returns {{open: (groups: Group[], place: DOMRect, back: () => void) => void, close: () => void}} back gives the focus back
 */
export function openMenu(menu) {
  let back = () => {};
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  const close = (refocus = true) => {
    if (menu.hidden) return;
    menu.hidden = true;
    menu.replaceChildren();
    if (refocus) back();
  };
  /** @param {number} to */
  const focus = to => buttons[(to + buttons.length) % buttons.length]?.focus();

  menu.addEventListener('keydown', event => {
    const at = buttons.findIndex(button => button === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) focus(to);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (/^\p{L}$/u.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const next = [...buttons.keys()].map(i => (at + 1 + i) % buttons.length);
      focus(next.find(i => buttons[i].textContent?.toLowerCase().startsWith(event.key.toLowerCase())) ?? at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  menu.addEventListener('focusout', event => { if (!(event.relatedTarget instanceof Node && menu.contains(event.relatedTarget))) close(false); });

  const open = (/** @type {Group[]} */ groups, /** @type {DOMRect} */ place, /** @type {() => void} */ giveBack) => {
    close(false);
    back = giveBack;
    buttons = [];
    for (const { title, entries } of groups) {
      const group = document.createElement('div');
      group.role = 'group';
      group.ariaLabel = title;
      const heading = document.createElement('div');
      heading.className = 'soft';
      heading.ariaHidden = 'true';
      heading.textContent = title;
      group.append(heading);
      for (const { label, run } of entries) {
        const button = document.createElement('button');
        button.type = 'button';
        button.role = 'menuitem';
        button.tabIndex = -1;
        button.textContent = label;
        button.addEventListener('click', () => {
          close();
          run();
        });
        group.append(button);
        buttons.push(button);
      }
      menu.append(group);
    }
    menu.hidden = false;
    const { width, height } = menu.getBoundingClientRect();
    const below = place.bottom + height <= innerHeight ? place.bottom : place.top - height;
    menu.style.top = `${Math.max(4, Math.min(below, innerHeight - height - 4))}px`;
    menu.style.left = `${Math.max(4, Math.min(place.left, innerWidth - width - 4))}px`;
    menu.scrollTop = 0;
    focus(0);
  };
  return { open, close };
}
