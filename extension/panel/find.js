// The box that finds a text in the snapshot shown.
import { element } from './element.js';
import { focusable, renderLine } from './lines.js';

/**
 * @param {(text: string) => Promise<import('../src/wire.js').Found | undefined>} find undefined: there is nothing to show
 * @returns {{clear: () => void, again: () => void}} clear takes away what was found; again: another view is shown, in which what is being looked for is looked for anew
 */
export function openFind(find) {
  const form = element('seek', HTMLFormElement);
  const text = element('text', HTMLInputElement);
  const found = element('found', HTMLElement);
  const count = element('found-count', HTMLElement);
  const lines = element('found-lines', HTMLOListElement);
  let newest = 0;
  let sought = ''; // what is being looked for

  const clear = () => {
    newest++;
    found.hidden = true;
    lines.replaceChildren();
  };
  const search = async () => {
    clear();
    const asked = newest;
    const result = sought ? await find(sought) : undefined;
    if (asked !== newest) return;
    sought = '';
    if (!result) return;
    const all = result.lines.split('\n');
    lines.dataset.handle = result.recovery_handle;
    lines.replaceChildren(...(result.total > 0 ? all.map(line => focusable(renderLine(line))) : []));
    count.textContent = foundOf(result.total, all.length);
    found.hidden = false;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    sought = text.value;
    search();
  });
  text.addEventListener('input', () => {
    if (text.value) return;
    sought = '';
    clear();
  });
  return { clear, again: () => { if (sought) search(); } };
}

/** @param {number} total @param {number} shown */
export const foundOf = (total, shown) =>
  total === 0 ? 'Nothing found' : `Found on ${total > shown ? `${total} lines, the first ${shown}` : total === 1 ? '1 line' : `${total} lines`}`;
