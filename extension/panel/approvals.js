// Questions above the tabs: who wants what where. They take no focus, and their
// buttons are dead for a moment when they come or move, so that a press meant for
// what was there before does not answer them.
import { titleOf } from '../src/approvals.js';

/** @typedef {import('../src/wire.js').AskParams} Question */
/** @typedef {import('../src/wire.js').AskResult} Answer */

const deadMs = 400;

/** @type {{label: string, answer: Answer, rule?: true}[]} rule: for sites only, as it is kept by their origin */
const answers = [
  { label: 'Once', answer: { answer: 'once' } },
  { label: 'For an hour', answer: { answer: 'always', minutes: 60 }, rule: true },
  { label: 'Always', answer: { answer: 'always' }, rule: true },
  { label: 'Not now', answer: { answer: 'deny' } },
  { label: 'Never', answer: { answer: 'never' }, rule: true },
];

/** The answers that fit a question. @param {Question} question */
export const answersTo = ({ origin }) => answers.filter(({ rule }) => !rule || origin !== 'null');

/**
 * @param {HTMLElement} place
 * @param {(id: string, answer: Answer) => void} send
 * @returns {(questions: Question[]) => void} shows them
 */
export function openApprovals(place, send) {
  let movedAt = -deadMs; // when a card went, and those below it moved up
  /** Makes buttons dead for a moment. @param {HTMLElement} within */
  const rest = within => {
    const set = (/** @type {boolean} */ dead) => { for (const button of within.querySelectorAll('button')) button.disabled = dead; };
    set(true);
    setTimeout(() => { if (performance.now() - movedAt > deadMs - 10) set(false); }, deadMs); // else another rest ends later
  };
  /** @param {Question} question */
  const card = question => {
    const { id, what } = question;
    const card = document.createElement('article');
    card.dataset.question = id;
    card.tabIndex = -1;
    const title = document.createElement('h2');
    title.id = `question-${id}`;
    title.textContent = titleOf(question);
    card.setAttribute('aria-labelledby', title.id);
    const words = document.createElement('p');
    words.className = 'soft';
    words.textContent = what;
    const row = document.createElement('p');
    row.className = 'choices';
    for (const { label, answer } of answersTo(question)) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.addEventListener('click', () => send(id, answer));
      row.append(button);
    }
    card.append(title, words, row);
    rest(card);
    return card;
  };
  return questions => {
    const shown = new Map([...place.children].flatMap(one => (one instanceof HTMLElement ? [[one.dataset.question ?? '', one]] : [])));
    const had = place.contains(document.activeElement);
    for (const [id, one] of shown) {
      if (questions.some(question => question.id === id)) continue;
      one.remove();
      movedAt = performance.now();
      rest(place);
    }
    for (const question of questions) if (!shown.has(question.id)) place.append(card(question));
    place.hidden = questions.length === 0;
    // Who has just answered goes on with the next one, or with the panel.
    if (had && !place.contains(document.activeElement)) {
      const next = place.querySelector('article') ?? document.querySelector('[role=tab][aria-selected=true]');
      if (next instanceof HTMLElement) next.focus();
    }
  };
}
