// The box below the lines that asks for the text an act needs.
import { element } from './element.js';

/** @typedef {{text: string, submit: boolean}} Answer */

/**
 * @param {() => void} back takes the focus when the box had it and goes
 * @returns {{ask: (question: import('./acts.js').Question, verb: string) => Promise<Answer | undefined>, close: () => void}} ask: undefined when the person thought better of it
 */
export function openQuestion(back) {
  const form = element('question', HTMLFormElement);
  const label = element('question-label', HTMLElement);
  const text = element('question-text', HTMLInputElement);
  const choices = element('question-choices', HTMLDataListElement);
  const submits = element('question-submits', HTMLElement);
  const submit = element('question-submit', HTMLInputElement);
  const go = element('question-go', HTMLButtonElement);
  /** @type {(answer?: Answer) => void} */
  let answer = () => {};

  const end = (/** @type {Answer | undefined} */ given) => {
    const focused = form.contains(document.activeElement);
    form.hidden = true;
    if (focused) back();
    text.value = '';
    answer(given);
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    end({ text: text.value, submit: submit.checked && !submits.hidden });
  });
  form.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    end(undefined);
  });
  element('question-cancel', HTMLButtonElement).addEventListener('click', () => end(undefined));

  const ask = (/** @type {import('./acts.js').Question} */ question, /** @type {string} */ verb) => {
    answer(undefined);
    label.textContent = question.label;
    go.textContent = verb;
    text.value = question.value;
    choices.replaceChildren(...(question.choices ?? []).map(choice => new Option(choice)));
    submits.hidden = !question.submits;
    submit.checked = false;
    form.hidden = false;
    text.focus();
    text.select();
    return new Promise(resolve => { answer = resolve; });
  };
  return { ask, close: () => end(undefined) };
}
