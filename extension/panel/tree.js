// The lines of a view as a tree, by the pattern of the ARIA practices: the list has
// the focus, the arrow keys go from line to line, left and right fold, Enter opens
// the acts of a line. Only the lines in sight are elements.
import { renderLine } from './lines.js';
import { outlineOf, unfolded } from './outline.js';
import { openRows } from './rows.js';

const [rowHeight, charWidth, levelWidth, margins] = [18, 7.3, 12, 40]; // px, as panel.css has them: an estimate

/** Where a line stands now: as it was, or with its first uid. @param {string[]} lines @param {string} [line] */
function placeOf(lines, line) {
  const at = line === undefined ? -1 : lines.indexOf(line);
  const [uid] = (at < 0 && /\[(?:f\d+)?u[0-9a-z_]+\] /u.exec(line ?? '')) || [];
  return uid ? lines.findIndex(one => one.includes(uid)) : at;
}

/**
 * @param {HTMLElement} scroller
 * @param {HTMLElement} list
 * @param {object} on
 * @param {(line: HTMLElement) => void} on.point called with the line that the keyboard came to
 * @param {(line: HTMLElement, text: string, next: string) => void} on.open called for a line's acts
 */
export function openTree(scroller, list, { point, open }) {
  /** @type {string[]} */
  let lines = [];
  let indent = 1;
  let outline = outlineOf([], 1);
  /** @type {Set<number>} lines */
  const folded = new Set();
  let shown = unfolded(outline, folded);
  let at = 0; // row that is active

  const rows = openRows(scroller, list, row => {
    const i = shown[row];
    const line = renderLine(lines[i], indent, outline.depth[i]);
    line.id = `line-${i}`;
    line.dataset.row = String(row);
    line.role = 'treeitem';
    line.ariaLevel = String(outline.depth[i] + 1);
    line.ariaPosInSet = String(outline.place[i]);
    line.ariaSetSize = String(outline.places[i]);
    line.ariaSelected = String(row === at);
    if (outline.end[i] > i + 1) line.ariaExpanded = String(!folded.has(i));
    if (line.querySelector('[data-uid]')) {
      line.ariaHasPopup = 'menu';
      const acts = document.createElement('button'); // for the mouse; the keyboard has Enter
      acts.type = 'button';
      acts.className = 'acts';
      acts.tabIndex = -1;
      acts.ariaHidden = 'true';
      acts.title = 'Acts';
      line.append(acts);
    }
    return line;
  }, (row, width) => {
    const i = shown[row];
    const columns = Math.max(8, Math.floor((width - margins - outline.depth[i] * levelWidth) / charWidth));
    return rowHeight * Math.max(1, Math.ceil((lines[i].length - outline.depth[i] * indent) / columns));
  }, () => at);

  /** @param {number} row */
  const goTo = row => {
    const before = at;
    at = Math.max(0, Math.min(row, shown.length - 1));
    const old = rows.element(before);
    if (old) old.ariaSelected = 'false';
    rows.reveal(at);
    const line = rows.element(at);
    if (!line) return;
    line.ariaSelected = 'true';
    list.setAttribute('aria-activedescendant', line.id);
    return line;
  };
  /** @param {number} row @param {boolean} fold */
  const fold = (row, fold) => {
    const i = shown[row];
    if (outline.end[i] === i + 1 || folded.has(i) === fold) return;
    if (fold) folded.add(i);
    else folded.delete(i);
    const active = shown[at];
    shown = unfolded(outline, folded);
    at = rowOf(active);
    rows.reset(shown.length);
    goTo(rowOf(i));
  };
  /** The row of a line, or of what it is folded in. @param {number} i */
  const rowOf = i => {
    let [low, high] = [0, shown.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (shown[middle] <= i) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  /** @param {number} row */
  const openLine = row => {
    const line = goTo(row);
    const i = shown[at];
    if (line?.querySelector('[data-uid]')) open(line, lines[i], lines[i + 1] ?? '');
    else fold(at, !folded.has(i));
  };

  list.addEventListener('keydown', event => {
    if (shown.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const i = shown[at];
    const has = outline.end[i] > i + 1;
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1, PageDown: at + rows.page(), PageUp: at - rows.page(),
      ArrowRight: has && !folded.has(i) ? at + 1 : at,
      ArrowLeft: (!has || folded.has(i)) && outline.parent[i] >= 0 ? rowOf(outline.parent[i]) : at,
    }[event.key];
    if (to !== undefined) {
      if (event.key === 'ArrowRight' && folded.has(i)) fold(at, false);
      else if (event.key === 'ArrowLeft' && has && !folded.has(i)) fold(at, true);
      else {
        const line = goTo(to);
        if (line) point(line);
      }
    } else if (event.key === 'Enter' || event.key === ' ' || event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) openLine(at);
    else return;
    event.preventDefault();
  });
  /** @param {Event} event */
  const rowAt = event => {
    const line = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    return line instanceof HTMLElement ? Number(line.dataset.row) : -1;
  };
  list.addEventListener('click', event => {
    const row = rowAt(event);
    if (row < 0 || !(event.target instanceof Element)) return;
    if (event.target.matches('.acts')) openLine(row);
    else if (event.target.matches('.fold')) fold(row, !folded.has(shown[row]));
    else goTo(row);
  });
  list.addEventListener('contextmenu', event => {
    const row = rowAt(event);
    if (row < 0 || !rows.element(row)?.querySelector('[data-uid]')) return;
    event.preventDefault();
    openLine(row);
  });
  list.addEventListener('focus', () => { if (shown.length > 0) goTo(at); });

  return {
    /**
     * Shows lines. What was folded and active stays so where the same lines are there.
     * @param {string[]} now @param {number} spaces to a level
     */
    show(now, spaces) {
      const active = lines[shown[at]];
      const was = new Set([...folded].map(i => lines[i]));
      const top = scroller.scrollTop;
      lines = now;
      indent = spaces;
      outline = outlineOf(lines, indent);
      folded.clear();
      if (was.size > 0) lines.forEach((line, i) => { if (was.has(line) && outline.end[i] > i + 1) folded.add(i); });
      shown = unfolded(outline, folded);
      const same = lines[shown[at]] === active ? shown[at] : placeOf(lines, active);
      at = same < 0 ? 0 : rowOf(same);
      list.removeAttribute('aria-activedescendant');
      rows.reset(shown.length);
      scroller.scrollTop = same < 0 ? 0 : top;
      rows.draw();
      if (document.activeElement === list && shown.length > 0) goTo(at);
    },
    /** Goes to a line. @param {number} i */
    goTo(i) {
      at = rowOf(i);
      goTo(at);
    },
    draw: rows.draw,
  };
}
