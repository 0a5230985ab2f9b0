// The lines of views, diffs and findings (docs/FORMAT.md) as elements. What a page
// says stands in quotes, and only what stands outside them is read as uid, sign or
// separator. Page text only ever becomes text nodes.

// Quoted strings as Go writes them (the last may be cut), separators of items, the rest.
const token = /"(?:[^"\\]|\\.)*(?:"|\\?$)| [·|](?= |$)|(?:(?! [·|](?: |$))[^"])+/gsu;
const start = /^(?<bracket>\[(?<uid>(?:f\d+)?u[0-9a-z]+(?:_\d+)?)\] )?(?<role>[a-z][\w-]*)?/u;
const below = /… \d+ nodes, \d+ controls below/u;
const marker = /^… (?<chars>\d+) characters, (?<controls>\d+) controls left out by the limit of .*, next offset \d+$/u;

/** @typedef {'uid' | 'role' | 'quoted' | 'below' | 'rest'} Kind */
/** @typedef {{kind: Kind, text: string}} Part */
/** @typedef {{before: string, uid: string, parts: Part[]}} Item before: the separator from the item before */
/** @typedef {{sign: string, depth: number, items: Item[]}} Line sign: + - ~ > in a diff, else '' */

/**
 * Takes a line apart. Joined again, what stands before the items and in their parts is
 * the line without sign and indentation.
 * @param {string} text
 * @param {number} [indent] spaces to a level: two in the profile full
 * @returns {Line}
 */
export function parseLine(text, indent = 1) {
  const [lead = '', sign = '', spaces = ''] = /^(?:([+~>-]) )?( *)/u.exec(text) ?? [];
  const rest = text.slice(lead.length);
  const items = [item('')];
  if (rest === '[open overlays]' || marker.test(rest)) items[0].parts.push({ kind: 'rest', text: rest });
  else for (const [piece] of rest.matchAll(token)) {
    if (/^ [·|]$/u.test(piece)) items.push(item(piece));
    else addPiece(items[items.length - 1], piece);
  }
  return { sign, depth: spaces.length / indent, items };
}

/** @param {string} before @returns {Item} */
const item = before => ({ before, uid: '', parts: [] });

/** @param {Item} item @param {string} piece a quoted string, or what stands outside quotes */
function addPiece(item, piece) {
  /** @param {Kind} kind @param {string | undefined} text */
  const add = (kind, text) => { if (text) item.parts.push({ kind, text }); };
  if (piece.startsWith('"')) return add('quoted', piece);
  let rest = piece;
  if (item.parts.length === 0) {
    if (item.before && rest.startsWith(' ')) {
      item.before += ' ';
      rest = rest.slice(1);
    }
    const { bracket = '', uid = '', role = '' } = start.exec(rest)?.groups ?? {};
    item.uid = uid;
    add('uid', bracket);
    add('role', role);
    rest = rest.slice(bracket.length + role.length);
  }
  const cut = below.exec(rest);
  if (!cut) return add('rest', rest);
  add('rest', rest.slice(0, cut.index));
  add('below', cut[0]);
  add('rest', rest.slice(cut.index + cut[0].length));
}

/**
 * Finds the line that says what a window leaves out.
 * @param {string[]} lines
 * @returns {{at: number, chars: number, controls: number}} at: -1 when there is none
 */
export function leftOut(lines) {
  const at = lines.findLastIndex(line => marker.test(line));
  const { chars, controls } = marker.exec(lines[at] ?? '')?.groups ?? {};
  return { at, chars: Number(chars ?? 0), controls: Number(controls ?? 0) };
}

/**
 * Says how the next window of a view continues the lines shown: the line of what is left
 * out and the tail behind it go, as the next window has them again.
 * @param {string[]} shown
 * @param {string[]} next the lines of the next window
 * @returns {{keep: number, add: string[]}} how many lines stay, and what follows them
 */
export function joinWindow(shown, next) {
  const { at } = leftOut(shown);
  if (at < 0) return { keep: shown.length, add: next };
  const cut = /^(.*)…\+\d+$/su.exec(shown[at - 1] ?? ''); // a line larger than the window goes on
  return cut ? { keep: at - 1, add: [cut[1] + next[0], ...next.slice(1)] } : { keep: at, add: next };
}

const kinds = {
  control: /^(button|checkbox|combobox|link|menuitem\w*|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem|clickable|summary|options|listbox|date|inputtime|colorwell)$/,
  heading: /^(h[1-6]|heading|page|caption|legend)$/,
  landmark: /^(main|nav|aside|header|footer|region|form|search|dialog|alertdialog|iframe|article|banner|navigation|complementary|contentinfo)$/,
  table: /^(table|grid|treegrid|row|th|cell|gridcell|columnheader|rowheader|rowgroup|list|li|listitem)$/,
};

/** Which kind of role it is, for its colour. @param {string} role */
const kindOf = role => Object.entries(kinds).find(([, words]) => words.test(role))?.[0] ?? 'other';

/**
 * Makes the list item of a line. Each uid is a target of its own: an element with
 * data-uid; what is cut below one is a button with data-under. What went away is none.
 * @param {string} text
 * @param {number} [indent] spaces to a level
 * @param {number} [level] the depth to show, where it is not the line's own
 * @returns {HTMLLIElement}
 */
export function renderLine(text, indent = 1, level) {
  const { sign, depth, items } = parseLine(text, indent);
  const line = document.createElement('li');
  line.style.setProperty('--depth', String(level ?? depth));
  line.append(part('fold', ''));
  if (sign) {
    line.dataset.sign = sign;
    line.append(`${sign} `);
  }
  for (const { before, uid, parts } of items) {
    const shown = target(sign === '-' ? '' : uid);
    for (const { kind, text } of parts) shown.append(kind === 'below' && shown.dataset.uid ? under(uid, text) : part(kind, text));
    line.append(before, shown);
  }
  return line;
}

/** An element that can be pointed at when it has a uid. @param {string} [uid] */
export function target(uid) {
  const span = document.createElement('span');
  if (uid) span.dataset.uid = uid;
  return span;
}

/** A target outside the tree of lines, which the keyboard comes to by itself. @param {HTMLElement} within @returns {HTMLElement} it */
export function focusable(within) {
  for (const span of within.querySelectorAll('[data-uid]')) {
    if (!(span instanceof HTMLElement)) continue;
    span.tabIndex = 0;
    span.role = 'button';
    span.ariaHasPopup = 'menu';
  }
  return within;
}

/** @param {string} kind @param {string} text */
export function part(kind, text) {
  const span = document.createElement('span');
  span.className = kind;
  if (kind === 'role') span.dataset.kind = kindOf(text);
  span.textContent = text;
  return span;
}

/** @param {string} uid @param {string} text */
function under(uid, text) {
  const button = document.createElement('button');
  button.type = 'button';
  button.tabIndex = -1; // the acts of the line have it for the keyboard
  button.dataset.under = uid;
  button.textContent = text;
  return button;
}
