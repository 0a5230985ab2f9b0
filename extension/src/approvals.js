// Questions that the host has for the person: kept while it waits, shown on the
// badge, as a notification and in the panels, and answered once. A host that gives
// one up, or ends, withdraws it. Their list is in storage.session: a worker takes
// down what the one before it put up, whose host went with it and asks anew.

import * as browser from './chrome.js';
import { Fault } from './fault.js';

/** @typedef {import('./wire.js').AskParams} Question */
/** @typedef {import('./wire.js').AskResult} Answer */

const storageKey = 'questions';
const buttons = ['Allow once', 'Not now'];

/** @type {Map<string, {question: Question, settle: (answer: Answer) => void}>} */
const open = new Map();
/** @type {(questions: Question[]) => void} */
let tell = () => {};
/** Writes follow each other. @type {Promise<unknown>} */
let kept = Promise.resolve();

/** What the person has to answer, oldest first. */
export const questions = () => [...open.values()].map(({ question }) => question);

/** @param {(questions: Question[]) => void} listener hears whenever they change */
export const onQuestions = listener => { tell = listener; };

function changed() {
  const now = questions();
  browser.setBadge(now.length > 0 ? String(now.length) : '');
  kept = kept.then(() => browser.sessionSet({ [storageKey]: now.map(({ id }) => id) })).catch(() => {});
  tell(now);
}

/** Takes down what the worker before this one put up. */
export async function forget() {
  const { [storageKey]: before } = await browser.sessionGet(storageKey);
  for (const id of /** @type {string[]} */ (before ?? [])) if (!open.has(id)) browser.clearNotice(id);
  if (open.size === 0) browser.setBadge('');
}

/**
 * Asks the person.
 * @param {Question} question @param {AbortSignal} signal withdraws it
 * @returns {Promise<Answer>} rejects with canceled when it is withdrawn
 */
export function ask(question, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Fault('canceled'));
    const { id } = question;
    const end = () => {
      signal.removeEventListener('abort', withdraw);
      open.delete(id);
      browser.clearNotice(id);
      changed();
    };
    const withdraw = () => {
      end();
      reject(new Fault('canceled'));
    };
    open.set(id, { question, settle: answer => { end(); resolve(answer); } });
    signal.addEventListener('abort', withdraw);
    browser.showNotice(id, titleOf(question), question.what, buttons);
    changed();
  });
}

/** Takes an answer; one to nothing that is open counts for nothing. @param {string} id @param {Answer} answer */
export function settle(id, answer) {
  open.get(id)?.settle(answer);
}

/** A button of a notification. @param {string} id @param {number} button */
export function handleNotice(id, button) {
  settle(id, { answer: button === 0 ? 'once' : 'deny' });
}

/** @type {Record<Question['kind'], string>} */
const wants = {
  read: 'read', act: 'act on', submit: 'submit or send something on', upload: 'upload files to', eval: 'run code on', reveal: 'see secret fields, but no passwords, of',
};

/** @param {string} origin */
export const siteOf = origin => ({ '': 'all sites', null: 'a page without a site', 'file://': 'files of this computer' }[origin] ?? origin);

/** What is asked, in a line. @param {Question} question */
export const titleOf = ({ kind, origin, client }) => `${client.name} (${client.kind}) wants to ${wants[kind]} ${siteOf(origin)}`;
