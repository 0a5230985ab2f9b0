// Parts: how a message travels that does not fit a frame (docs/PROTOCOL.md).

import { Fault } from './fault.js';
import { BadMessage, MaxMessage, MaxParts, narrow } from './wire.js';

/** @typedef {import('./wire.js').Part} Part */

const overhead = 256; // bounds a part's bytes beside its data
const encoder = new TextEncoder();

/**
 * @param {object} message
 * @param {number} limit of a frame, in bytes
 * @returns {Promise<object[]>} the message itself when it fits, else its parts, in order
 * @throws {Fault} too_large
 */
export async function toParts(message, limit) {
  const text = JSON.stringify(message);
  if (text.length * 3 <= limit) return [message];
  const bytes = encoder.encode(text);
  if (bytes.length <= limit) return [message];
  if (bytes.length > MaxMessage) throw new Fault('too_large', `a message of ${bytes.length} bytes; at most ${MaxMessage} are allowed`);
  const pieces = cut(text, limit - overhead);
  if (pieces.length > MaxParts) throw new Fault('too_large', `a message of ${pieces.length} parts; at most ${MaxParts} are allowed`);
  const id = crypto.randomUUID();
  const sha256 = await hash(bytes);
  return pieces.map((data, seq) => ({
    part: { id, seq, of: pieces.length, data, ...(seq === pieces.length - 1 ? { sha256 } : {}) },
  }));
}

/** Splits text between characters into pieces of at most limit bytes, as they are inside a JSON string. @param {string} text @param {number} limit */
function cut(text, limit) {
  const pieces = [];
  let start = 0;
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const pair = code >= 0xd800 && code < 0xdc00; // JSON.stringify leaves no lone surrogate
    const cost = code === 0x22 || code === 0x5c ? 2 : code < 0x80 ? 1 : code < 0x800 ? 2 : pair ? 4 : 3;
    if (bytes + cost > limit && at > start) {
      pieces.push(text.slice(start, at));
      start = at;
      bytes = 0;
    }
    bytes += cost;
    at += pair ? 2 : 1;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** Joins the parts of a link's messages; one message is under way at a time. */
export class Joiner {
  #id = '';
  #of = 0;
  /** @type {string[]} */
  #pieces = [];
  #size = 0;

  /**
   * @param {unknown} frame
   * @returns {Promise<unknown>} a whole message: the frame itself, or what it completes; undefined when more is to come
   * @throws {Fault} bad_frame for parts that do not follow each other or whose hash is another; too_large
   */
  async add(frame) {
    if (typeof frame !== 'object' || frame === null || !('part' in frame)) {
      if (this.#pieces.length > 0) throw new Fault('bad_frame', 'a message between the parts of another');
      return frame;
    }
    const { id, seq, of, data, sha256 } = partOf(frame.part);
    const due = this.#pieces.length;
    if (due === 0) [this.#id, this.#of] = [id, of];
    if (id !== this.#id || of !== this.#of || seq !== due || of < 1 || of > MaxParts) {
      throw new Fault('bad_frame', `part ${seq} of ${of} where part ${due} of ${this.#of} was due`);
    }
    this.#pieces.push(data);
    this.#size += encoder.encode(data).length;
    if (this.#size > MaxMessage) throw new Fault('too_large', `parts of over ${MaxMessage} bytes`);
    if (due + 1 < of) return undefined;
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#size = 0;
    if (sha256 !== await hash(encoder.encode(text))) throw new Fault('bad_frame', 'parts whose sha256 is not the one given');
    try {
      return JSON.parse(text);
    } catch {
      throw new Fault('bad_frame', 'parts that are not JSON when joined');
    }
  }
}

/** @param {unknown} value @returns {Part} */
function partOf(value) {
  try {
    return narrow('Part', value);
  } catch (thrown) {
    if (thrown instanceof BadMessage) throw new Fault('bad_frame', `a part that cannot be read: ${thrown.message}`);
    throw thrown;
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {Promise<string>} hex */
async function hash(bytes) {
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
