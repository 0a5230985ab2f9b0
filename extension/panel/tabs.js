// The panel's tabs, by the pattern of the ARIA practices: one is in the order of
// focus, the arrow keys, Home and End go to the others.

/**
 * @param {HTMLElement} list the tablist; each tab names its panel by aria-controls
 * @param {(name: string) => void} onShow called with the id of the panel that is shown now
 * @returns {(name: string) => void} shows the tab of a panel
 */
export function openTabs(list, onShow) {
  const tabs = [...list.querySelectorAll('[role=tab]')].filter(tab => tab instanceof HTMLElement);
  /** @param {HTMLElement} chosen */
  const show = chosen => {
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel) panel.hidden = !on;
    }
    onShow(chosen.getAttribute('aria-controls') ?? '');
  };
  list.addEventListener('click', event => {
    const tab = event.target instanceof Element ? event.target.closest('[role=tab]') : null;
    if (tab instanceof HTMLElement) show(tab);
  });
  list.addEventListener('keydown', event => {
    const at = tabs.findIndex(tab => tab === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    show(tab);
    tab.focus();
  });
  return name => {
    const tab = tabs.find(one => one.getAttribute('aria-controls') === name);
    if (tab) show(tab);
  };
}
