// Keys of a US keyboard, and how they are struck: trusted events with the key,
// code and text that the keyboard itself would give.

import { see } from './act-watch.js';
import { Fault } from './fault.js';
import { send } from './session.js';

/** @typedef {import('./node.js').Held} Held */
/** @typedef {{key: string, code: string, windowsVirtualKeyCode: number, text?: string}} Key */
/** @typedef {{key: Key, modifiers: string[]}} Chord */

/** What a modifier is to CDP, and its own key. @type {Record<string, {bit: number, key: Key}>} */
const modifiers = {
  Alt: { bit: 1, key: { key: 'Alt', code: 'AltLeft', windowsVirtualKeyCode: 18 } },
  Control: { bit: 2, key: { key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17 } },
  Meta: { bit: 4, key: { key: 'Meta', code: 'MetaLeft', windowsVirtualKeyCode: 91 } },
  Shift: { bit: 8, key: { key: 'Shift', code: 'ShiftLeft', windowsVirtualKeyCode: 16 } },
};

/** @type {Record<string, Key>} */
const named = Object.fromEntries(/** @type {[string, number, string?][]} */ ([
  ['Enter', 13, '\r'], ['Escape', 27], ['Tab', 9], ['Backspace', 8], ['Delete', 46], ['Insert', 45], ['Home', 36], ['End', 35], ['PageUp', 33], ['PageDown', 34],
  ['ArrowLeft', 37], ['ArrowUp', 38], ['ArrowRight', 39], ['ArrowDown', 40],
  ...Array.from({ length: 12 }, (_, i) => [`F${i + 1}`, 112 + i]),
]).map(([key, windowsVirtualKeyCode, text]) => [key, { key, code: key, windowsVirtualKeyCode, ...(text ? { text } : {}) }]));

/** Keys that give a character: what, what with Shift, code. @type {Map<string, {plain: string, shifted: string, code: string, windowsVirtualKeyCode: number}>} by either character */
const characters = new Map(/** @type {[string, string, string, number][]} */ ([
  ['`', '~', 'Backquote', 192], ['-', '_', 'Minus', 189], ['=', '+', 'Equal', 187], ['[', '{', 'BracketLeft', 219], [']', '}', 'BracketRight', 221],
  ['\\', '|', 'Backslash', 220], [';', ':', 'Semicolon', 186], ['\'', '"', 'Quote', 222], [',', '<', 'Comma', 188], ['.', '>', 'Period', 190],
  ['/', '?', 'Slash', 191], [' ', ' ', 'Space', 32],
  ...[...')!@#$%^&*('].map((shifted, i) => [`${i}`, shifted, `Digit${i}`, 48 + i]),
  ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map(letter => [letter.toLowerCase(), letter, `Key${letter}`, letter.charCodeAt(0)]),
]).flatMap(([plain, shifted, code, windowsVirtualKeyCode]) => [plain, shifted].map(one => [one, { plain, shifted, code, windowsVirtualKeyCode }])));

// Chords by which a person leaves the page: tabs, windows, history, the address bar, developer tools.
const ofBrowser = new Set([
  ...['T', 'N', 'W', 'R', 'Q', 'L', 'Tab', 'PageUp', 'PageDown', 'F4', 'F5', 'Shift+T', 'Shift+N', 'Shift+W', 'Shift+R', 'Shift+Q', 'Shift+I', 'Shift+J', 'Shift+Tab', 'Shift+Delete'].map(key => `Control+${key}`),
  ...['F4', 'Tab', 'Shift+Tab', 'D', 'Home', 'ArrowLeft', 'ArrowRight'].map(key => `Alt+${key}`),
  ...['F5', 'F6', 'F11', 'F12', 'Shift+F5'],
]);

const allowed = `a character of a US keyboard, Space, ${Object.keys(named).slice(0, -12).join(', ')} or F1 to F12, after Alt+, Control+, Meta+, Shift+`;

/**
 * Reads a key or chord, as in "Enter" or "Control+Shift+K".
 * @param {string} said
 * @returns {Chord}
 * @throws {Fault} bad_request when there is no such key; wrong_kind when it is the browser's
 */
export function chordOf(said) {
  const parts = /^(?:.*\+)?\+$/su.test(said) ? [...said.slice(0, -1).split('+').slice(0, -1), '+'] : said.split('+');
  const name = parts.pop() ?? '';
  const char = characters.get(name === 'Space' ? ' ' : name);
  if ((!char && !Object.hasOwn(named, name)) || new Set(parts).size < parts.length || !parts.every(part => Object.hasOwn(modifiers, part))) {
    throw new Fault('bad_request', `there is no key "${said}": ${allowed}`, { field: 'key' });
  }
  const held = new Set(parts);
  const command = ['Alt', 'Control', 'Meta'].some(part => held.has(part));
  // A capital alone is typed with Shift; in a chord it is how the key is written.
  if (char && name === char.shifted && name !== char.plain && !(command && /\p{L}/u.test(name))) held.add('Shift');
  const order = Object.keys(modifiers).filter(part => held.has(part));
  const written = (/** @type {string[]} */ of) => [...of, char ? char.plain.toUpperCase() : name].join('+');
  const asControl = written(order.map(part => (part === 'Meta' ? 'Control' : part)));
  if (ofBrowser.has(asControl)) {
    throw new Fault('wrong_kind', `${written(order)} is for the browser, not for the page: there are acts that move, reload, open and close tabs`);
  }
  const key = char ? keyOf(char, held.has('Shift'), command) : command ? { ...named[name], text: undefined } : named[name];
  return { key, modifiers: order };
}

/** @param {{plain: string, shifted: string, code: string, windowsVirtualKeyCode: number}} char @param {boolean} shift @param {boolean} command @returns {Key} */
function keyOf({ plain, shifted, code, windowsVirtualKeyCode }, shift, command) {
  const key = shift ? shifted : plain;
  return { key, code, windowsVirtualKeyCode, ...(command ? {} : { text: key }) };
}

/** Presses a chord and lets go of it. @param {Held} node @param {Chord} chord */
export async function strike(node, chord) {
  let bits = 0;
  for (const name of chord.modifiers) await keyEvent(node, 'rawKeyDown', modifiers[name].key, bits |= modifiers[name].bit);
  await stroke(node, chord, bits);
  for (const name of chord.modifiers.toReversed()) await keyEvent(node, 'keyUp', modifiers[name].key, bits &= ~modifiers[name].bit);
}

/** @param {Held} node @param {Chord} chord @param {number} bits */
async function stroke(node, { key }, bits) {
  await keyEvent(node, key.text ? 'keyDown' : 'rawKeyDown', key, bits);
  await keyEvent(node, 'keyUp', key, bits);
}

/** @param {Held} node @param {'keyDown' | 'rawKeyDown' | 'keyUp'} type @param {Key} key @param {number} bits */
const keyEvent = ({ tab, targetId }, type, { text, ...key }, bits) =>
  send(tab, targetId, 'Input.dispatchKeyEvent', { type, ...key, ...(bits ? { modifiers: bits } : {}), ...(type === 'keyDown' && text ? { text } : {}) });

export const maxKeys = 2000; // characters that are typed key by key
const lookEvery = 20;
const budgetMs = 20_000;

/**
 * Types a text key by key. What a US keyboard has no key for comes as an input
 * method would enter it.
 * @param {Held} node @param {Held} watcher @param {string} text
 */
export async function typeKeys(node, watcher, text) {
  const deadline = Date.now() + budgetMs;
  let n = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.replace(/\r\n?/g, '\n'))) {
    const char = characters.get(segment);
    const shift = char !== undefined && segment !== char.plain;
    if (char) await stroke(node, { key: keyOf(char, shift, false), modifiers: [] }, shift ? modifiers.Shift.bit : 0);
    else if (segment === '\n') await stroke(node, { key: named.Enter, modifiers: [] }, 0);
    else await send(node.tab, node.targetId, 'Input.insertText', { text: segment });
    // Looking keeps the watcher armed, and says when there is no use in going on.
    if (++n % lookEvery === 0 && (await see(watcher)).held) return;
    if (Date.now() > deadline) throw new Fault('timeout', `the page took ${n} characters within ${budgetMs} ms`, { dispatched: 'yes', effect: 'unknown' });
  }
}
