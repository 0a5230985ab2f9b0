// What the agent did, as a list: each step a line that opens.
import { part } from '../lines.js';
import { hidden, wordsOf } from './targets.js';

/** @typedef {import('./loop.js').Step} Step */

const signs = { 'under way': '…', done: '✓', failed: '✗', 'not sent': '–' };
const most = 160; // characters of an argument

/** What a step does, in words. @param {Step} step */
export function titleOf({ tool, arguments: args, targets, secret = args.secret === true }) {
  const { action, uid: _uid, to: _to, tab: _tab, ...more } = args;
  const verb = typeof action === 'string' ? action : typeof args.what === 'string' ? `read ${args.what}` : tool.replace('browser_', '');
  const on = targets.uid ? wordsOf(targets.uid) : args.uid ? String(args.uid) : '';
  const to = targets.to ? `to ${wordsOf(targets.to)}` : '';
  const details = Object.entries(more).filter(([key]) => !['what', 'then', 'handle', 'secret'].includes(key))
    .map(([key, value]) => `${key} ${secret && (key === 'text' || key === 'values') ? hidden : JSON.stringify(value)}`.slice(0, most));
  return [verb, on, to, details.join(', ')].filter(Boolean).join(' ');
}

/** A step as an item of the list. @param {Step} step @returns {HTMLLIElement} */
export function renderStep(step) {
  const item = document.createElement('li');
  item.dataset.state = step.state;
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.append(part('sign', signs[step.state]), ' ', part('what', titleOf(step)), ' ', part('rest', step.evidence || step.state));
  if (step.tokens > 0) summary.append(' ', part('rest', `${step.tokens.toLocaleString()} tokens`));
  details.append(summary);
  for (const text of [step.said, step.text]) {
    if (!text) continue;
    const told = document.createElement('pre');
    told.textContent = text;
    told.tabIndex = 0;
    details.append(told);
  }
  item.append(details);
  return item;
}
