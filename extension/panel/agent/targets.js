// What a uid stood for, in words that hold for another visit of the page: role, name
// and what is around it. Read from the lines that the model was shown.
import { parseLine } from '../lines.js';

/**
 * @typedef {object} Target
 * @property {string} role
 * @property {string} name
 * @property {string[]} row what else stands on its line: a table's row, a list's item
 * @property {string[]} path the items around it, outermost first, without the page
 * @property {boolean} [part] seen in a part of the page, which does not show all of what is around it
 */
/** @typedef {{depth: number, role: string, label: string, texts: string[]}} Around */

const fence = /<page (\S+)[^\n]*: data, not instructions>\n([\s\S]*?)\n<\/page \1>/g;
export const hidden = '‹hidden›'; // stands for a secret
const repeated = new Set(['listitem', 'row', 'article', 'group', 'region', 'dialog', 'form', 'option', 'generic']);
const most = 120; // characters of a text

/** What pages say in a tool's text. @param {string} text @returns {string[]} */
export const fenced = text => [...text.matchAll(fence)].map(([, , inside]) => inside);

/** A tool's text without what pages say. @param {string} text */
export const unfenced = text => text.replace(fence, '').split('\n').filter(Boolean).join('\n');

/**
 * Reads the targets that a tool's text shows, by uid.
 * @param {string} text
 * @param {boolean} part whether it shows the page in part
 * @returns {Map<string, Target>}
 */
export function targetsOf(text, part) {
  /** @type {Map<string, Target>} */
  const targets = new Map();
  for (const view of fenced(text)) readView(view, part, targets);
  return targets;
}

/** @param {string} view @param {boolean} part @param {Map<string, Target>} targets */
function readView(view, part, targets) {
  const lines = view.split('\n').map(line => {
    const { sign, depth, items } = parseLine(line);
    return { sign, depth, items: items.map(({ uid, parts }) => ({ uid, role: textOf(parts, 'role'), name: nameOf(parts) })) };
  });
  /** @type {Around[]} */
  const around = [];
  for (const [at, { sign, depth, items }] of lines.entries()) {
    while (around.length > 0 && around[around.length - 1].depth >= depth) around.pop();
    const [first] = items;
    if (sign !== '-') {
      for (const item of items) {
        if (!item.uid || targets.has(item.uid)) continue;
        const row = items.filter(other => other !== item && other.name).map(({ name }) => name).slice(0, 6);
        const path = around.filter(({ role }) => role !== 'page').map(({ role, label }) => [role, label && JSON.stringify(label)].filter(Boolean).join(' ')).filter(Boolean);
        targets.set(item.uid, { role: item.role, name: item.name, row, path, ...((part || sign) && { part: true }) });
      }
    }
    const label = first.name || (repeated.has(first.role) ? firstText(lines, at) : '');
    around.push({ depth, role: first.role, label, texts: [] });
  }
}

/** The first text below a line, which names what has no name. @param {{depth: number, items: {name: string}[]}[]} lines @param {number} at */
function firstText(lines, at) {
  const { depth, items } = lines[at];
  const beside = items.find(({ name }) => name);
  if (beside) return beside.name;
  for (const line of lines.slice(at + 1)) {
    if (line.depth <= depth) return '';
    const named = line.items.find(({ name }) => name);
    if (named) return named.name;
  }
  return '';
}

/** @param {import('../lines.js').Part[]} parts @param {string} kind */
const textOf = (parts, kind) => parts.find(one => one.kind === kind)?.text ?? '';

/** The name is a quoted text behind nothing but uid and role; a value follows a sign. @param {import('../lines.js').Part[]} parts */
function nameOf(parts) {
  const at = parts.findIndex(({ kind }) => kind === 'quoted');
  if (at < 0) return '';
  const before = parts.slice(0, at).filter(({ kind }) => kind === 'rest').map(({ text }) => text).join('').trim();
  return before === '' || /^(placeholder|hint)$/.test(before) ? unquoted(parts[at].text).slice(0, most) : '';
}

/** @param {string} quoted */
function unquoted(quoted) {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1).replace(/"$/, ''); // cut, or escaped as Go does
  }
}

/** @param {Target} target */
export const wordsOf = ({ role, name }) => [role || 'text', name && `"${name}"`].filter(Boolean).join(' ');

/**
 * Finds a target on a page of today.
 * @param {Target} target
 * @param {Map<string, Target>} page all that it shows
 * @returns {{uid: string} | {why: string}}
 */
export function findTarget(target, page) {
  const alike = [...page].filter(([, { role, name }]) => role === target.role && name === target.name);
  if (alike.length === 0) return { why: `there is no ${wordsOf(target)} on the page` };
  const same = alike.filter(([, one]) => (target.part ? holds(one, target) : equal(one.row, target.row) && equal(one.path, target.path)));
  if (same.length === 1) return { uid: same[0][0] };
  if (same.length > 1) return { why: `there are ${same.length} of ${wordsOf(target)}, and nothing tells them apart` };
  const where = [...target.path, ...target.row.map(text => `"${text}"`)].join(', ');
  return { why: `${wordsOf(target)} is there, but not in ${where || 'the page itself'}` };
}

/** @param {string[]} a @param {string[]} b */
const equal = (a, b) => a.length === b.length && a.every((text, i) => text === b[i]);

/** Whether a node has around it all that was seen around the target. @param {Target} one @param {Target} target */
function holds(one, target) {
  return target.row.every(text => one.row.includes(text)) && target.path.every(text => one.path.includes(text));
}
