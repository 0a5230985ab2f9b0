// The Sites tab: what is allowed in this browser.
import { element } from './element.js';

/** @typedef {import('./link.js').Ask} Ask */

/** @param {Ask} ask @returns {import('./panel.js').Tab} */
export function openSites(ask) {
  const state = element('sites-state', HTMLParagraphElement);
  const switches = { acts: element('acts', HTMLInputElement), eval: element('eval', HTMLInputElement), reveal: element('reveal', HTMLInputElement) };
  for (const [kind, box] of Object.entries(switches)) {
    box.addEventListener('change', () => ask('policy', { [kind]: box.checked }).catch(fault => { state.textContent = String(fault?.message ?? fault); }));
  }
  return {
    host({ host, policy }) {
      for (const [kind, box] of Object.entries(switches)) {
        box.disabled = host !== 'connected';
        if (policy) box.checked = policy[/** @type {'acts'|'eval'|'reveal'} */ (kind)];
      }
    },
  };
}
