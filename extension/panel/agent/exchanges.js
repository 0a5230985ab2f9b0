// The debug view: the last requests to the model and its replies, each with what the
// tools that it called answered.

/** @typedef {import('./loop.js').Exchange} Exchange */

export const most = 200;

/** Adds to a list that holds the newest. @param {Exchange[]} kept @param {Exchange} exchange */
export function keep(kept, exchange) {
  kept.push(exchange);
  kept.splice(0, Math.max(0, kept.length - most));
}

/** An exchange as text; of a picture its size. @param {Exchange} exchange */
export function textOf({ request, reply, failure, results }) {
  return JSON.stringify({ request, reply, failure, results }, (_, value) => (
    typeof value === 'string' && /^(data:image\/png;base64,)?iVBOR/.test(value) ? `‹picture, ${value.length} characters›` : value), 2);
}
