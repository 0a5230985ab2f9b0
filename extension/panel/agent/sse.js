// Server-sent events, as models stream what they say.

import { Failure } from './failure.js';

const longest = 8 << 20; // characters of a line: an answer's largest part is far below

/** @typedef {{event: string, data: string}} ServerEvent */

/**
 * Gives the events of a stream as they come. One that was not ended by an empty line
 * was cut, and is none.
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* eventsOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  let half = false; // it ends in a CR
  let event = '';
  /** @type {string[]} */
  let data = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const come = decoder.decode(value, { stream: true });
      const goesOn = !half && !/[\r\n]/.test(come);
      unread += come;
      if (unread.length > longest) throw new Failure('broken', 'the model\'s server sends a line without an end');
      if (goesOn) continue;
      // A CR at the end may be half of a CR LF.
      const lines = unread.split(/\r\n|\n|\r(?!$)/);
      unread = lines.pop() ?? '';
      half = unread.endsWith('\r');
      for (const line of lines) {
        const [, field, text] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
        if (line === '') {
          if (data.length > 0) yield { event, data: data.join('\n') };
          event = '';
          data = [];
        } else if (field === 'data') data.push(text);
        else if (field === 'event') event = text;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever stops reading ends the request
  }
}
