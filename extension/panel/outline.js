// What stands under what in the lines of a view, by their depths alone: of very many
// lines none is taken apart before it is drawn.

const overlays = '[open overlays]';

/** @param {string} text @param {number} indent */
function depthOf(text, indent) {
  const start = /^[+~>-] /u.test(text) ? 2 : 0;
  let at = start;
  while (text[at] === ' ') at++;
  return (at - start) / indent;
}

/**
 * @typedef {object} Outline
 * @property {Int32Array} depth
 * @property {Int32Array} end the first line that is no longer under a line
 * @property {Int32Array} parent -1 where there is none
 * @property {Int32Array} place among the lines beside it, from 1
 * @property {Int32Array} places how many stand beside each other
 */

/** @param {string[]} lines @param {number} indent spaces to a level @returns {Outline} */
export function outlineOf(lines, indent) {
  const count = lines.length;
  const [depth, end, parent, place, places] = Array.from({ length: 5 }, () => new Int32Array(count));
  const under = new Int32Array(count + 1); // children of each line so far, of the root at the end
  /** @type {number[]} */
  const open = [];
  let over = 0; // lines that lie over the page stand under their header
  for (let i = 0; i < count; i++) {
    const text = lines[i];
    if (over && /^page\b/u.test(text)) over = 0;
    depth[i] = depthOf(text, indent) + over;
    if (text === overlays) over = 1;
    while (open.length > 0 && depth[open[open.length - 1]] >= depth[i]) end[/** @type {number} */ (open.pop())] = i;
    parent[i] = open.at(-1) ?? -1;
    place[i] = ++under[parent[i] < 0 ? count : parent[i]];
    open.push(i);
  }
  for (const i of open) end[i] = count;
  for (let i = 0; i < count; i++) places[i] = under[parent[i] < 0 ? count : parent[i]];
  return { depth, end, parent, place, places };
}

/** The lines that are shown when some are folded. @param {Outline} outline @param {Set<number>} folded @returns {Int32Array} */
export function unfolded({ end }, folded) {
  const shown = new Int32Array(end.length);
  let count = 0;
  for (let i = 0; i < end.length; i = folded.has(i) ? end[i] : i + 1) shown[count++] = i;
  return shown.subarray(0, count);
}
