// The box that finds a text in the snapshot shown.
import { element } from './element.js';
import { focusable, renderLine } from './lines.js';

/**
 * @param {(text: string) => Promise<import('../src/wire.js').Found | undefined>} find undefined: there is nothing to show
 * @returns {() => void} takes away what was found
 */
export function openFind(find) {
  const form = element('seek', HTMLFormElement);
  const text = element('text', HTMLInputElement);
  const found = element('found', HTMLElement);
  const count = element('found-count', HTMLElement);
  const lines = element('found-lines', HTMLOListElement);
  let newest = 0;

  const clear = () => {
    newest++;
    found.hidden = true;
    lines.replaceChildren();
  };
  form.addEventListener('submit', async event => {
    event.preventDefault();
    clear();
    const asked = newest;
    const result = text.value ? await find(text.value) : undefined;
    if (!result || asked !== newest) return;
    const all = result.lines.split('\n');
    lines.dataset.handle = result.recovery_handle;
    lines.replaceChildren(...(result.total > 0 ? all.map(line => focusable(renderLine(line))) : []));
    count.textContent = foundOf(result.total, all.length);
    found.hidden = false;
  });
  text.addEventListener('input', () => { if (!text.value) clear(); });
  return clear;
}

/** @param {number} total @param {number} shown */
export const foundOf = (total, shown) =>
  total === 0 ? 'Nothing found' : `Found on ${total > shown ? `${total} lines, the first ${shown}` : total === 1 ? '1 line' : `${total} lines`}`;
