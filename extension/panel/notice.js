// A notice: a state in words, with a command to copy and buttons for what can be done.

/** @typedef {import('./states.js').State} State */
/** @typedef {import('./states.js').Remedy} Remedy */

/** @type {Record<Remedy, string>} */
const words = { again: 'Read again', accept: 'Accept', dismiss: 'Dismiss', reload: 'Reload the page', sites: 'Go to Sites' };

/**
 * @param {HTMLElement} notice
 * @param {(remedy: Remedy, text?: string) => void} [remedy] called for a button; text: what was written for a dialog that asks
 * @param {() => void} [back] takes the focus when the notice had it and goes
 * @returns {(state?: State) => void} shows a state, or none
 */
export function openNotice(notice, remedy = () => {}, back = () => {}) {
  return state => {
    const focused = notice.contains(document.activeElement);
    notice.replaceChildren();
    notice.hidden = !state;
    if (!state) {
      if (focused) back();
      return;
    }
    const title = document.createElement('p');
    title.className = 'title';
    title.textContent = state.title;
    notice.append(title);
    if (state.text) notice.append(paragraph(state.text));
    if (state.command) notice.append(commandRow(state.command));
    if (!state.remedies?.length) return;
    const row = document.createElement('p');
    row.className = 'row';
    /** @type {HTMLInputElement | undefined} */
    let text;
    if (/^prompt\b/.test(state.text ?? '')) {
      text = document.createElement('input');
      text.ariaLabel = 'Answer';
      row.append(text);
    }
    for (const one of state.remedies) row.append(button(words[one], () => remedy(one, text?.value)));
    notice.append(row);
    if (focused) notice.querySelector('button')?.focus();
  };
}

/** @param {string} text */
function paragraph(text) {
  const shown = document.createElement('p');
  shown.textContent = text;
  return shown;
}

/** @param {string} label @param {() => void} run */
function button(label, run) {
  const shown = document.createElement('button');
  shown.type = 'button';
  shown.textContent = label;
  shown.addEventListener('click', run);
  return shown;
}

/** @param {string} command */
function commandRow(command) {
  const row = document.createElement('p');
  row.className = 'row';
  const code = document.createElement('code');
  code.textContent = command;
  const copy = button('Copy', async () => {
    const copied = await navigator.clipboard.writeText(command).then(() => true, () => false);
    copy.textContent = copied ? 'Copied' : 'Not copied';
    if (!copied) getSelection()?.selectAllChildren(code); // for the keyboard's own way
  });
  copy.ariaLabel = `Copy ${command}`;
  row.append(code, copy);
  return row;
}
