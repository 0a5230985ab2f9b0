// What a model is told of what was before: bounded, however long the task goes on.

/** @typedef {import('./model.js').Message} Message */
/** @typedef {import('./model.js').Result} Result */

import { unfenced } from './targets.js';

const room = 30_000; // tokens of what tools answered beside the newest view
const tight = 4_000;
const small = 100; // tokens that are not worth a line in their place

/** About how many tokens a text has. @param {string} text */
export const tokensOf = text => Math.ceil(text.length / 4);

/**
 * Gives the messages to send: of views only the newest, of other answers the newest
 * ones, and in place of the rest a line each.
 * @param {Message[]} messages
 * @param {boolean} [hard] the model found them too long
 * @returns {Message[]}
 */
export function shorten(messages, hard = false) {
  let left = hard ? tight : room;
  let seen = false;
  let pictured = false;
  /** @param {Result} result @returns {Result} */
  const kept = ({ png, ...result }) => {
    const picture = png && !pictured ? { png } : {};
    pictured ||= Boolean(png);
    if (result.view && !seen) {
      seen = true;
      return { ...result, ...picture };
    }
    const tokens = tokensOf(result.text);
    if (!result.view && (tokens <= left || tokens <= small)) {
      left -= tokens;
      return { ...result, ...picture };
    }
    const beside = unfenced(result.text).slice(0, 400);
    const line = result.view ? 'an older view is left out here' : `what followed, about ${tokens} tokens, is left out here`;
    return { ...result, ...picture, text: [result.view ? '' : beside, `[${line}: browser_snapshot reads the page again]`].filter(Boolean).join('\n') };
  };
  return messages.toReversed().map(message => {
    if (message.role === 'tools') return { ...message, results: message.results.toReversed().map(kept).toReversed() };
    return message.role === 'user' && message.view ? { ...message, view: kept(message.view) } : message;
  }).toReversed();
}
