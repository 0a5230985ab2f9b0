// Rows of which only those in sight are elements. A row's height is estimated until it
// was drawn; what stands in sight does not move when rows above turn out different.
import { Heights } from './heights.js';

const beyond = 300; // px drawn above and below what is in sight
const unseenView = 800; // px taken for a panel that has no height yet

/**
 * @param {HTMLElement} scroller what scrolls
 * @param {HTMLElement} list all that is in it; the rows become its children
 * @param {(row: number) => HTMLElement} render
 * @param {(row: number, width: number) => number} estimate px
 * @param {() => number} active the row that stays in sight when what is in sight gets smaller
 */
export function openRows(scroller, list, render, estimate, active) {
  let heights = new Heights(0, () => 0);
  /** @type {Map<number, HTMLElement>} */
  let drawn = new Map();
  let width = 0;
  let height = 0; // while it is shown

  const draw = () => {
    const { count } = heights;
    for (let tries = 0; tries < 4; tries++) {
      const top = scroller.scrollTop;
      const bottom = top + (scroller.clientHeight || unseenView);
      const first = heights.at(top - beyond);
      const end = count && heights.at(bottom + beyond) + 1;
      const seen = heights.at(top);
      /** @type {Map<number, HTMLElement>} */
      const now = new Map();
      for (let row = first; row < end; row++) now.set(row, drawn.get(row) ?? render(row));
      const fresh = now.size !== drawn.size || [...now.keys()].some(row => !drawn.has(row)) || list.childElementCount !== now.size;
      if (fresh) list.replaceChildren(...now.values());
      drawn = now;
      let moved = 0;
      let changed = false;
      for (const [row, element] of now) {
        const { height } = element.getBoundingClientRect();
        if (height === 0) continue; // the panel is hidden
        const by = heights.measure(row, height);
        changed ||= by !== 0;
        if (row < seen) moved += by;
      }
      list.style.paddingBlock = `${heights.top(first)}px ${heights.top(count) - heights.top(end)}px`;
      if (moved) scroller.scrollTop = top + moved;
      if (!changed) return;
    }
  };
  /** All rows anew. @param {number} count */
  const reset = count => {
    width = scroller.clientWidth;
    heights = new Heights(count, row => estimate(row, width || 400));
    drawn = new Map();
    draw();
  };
  /** Brings a row into sight by the shortest way. @param {number} row */
  const reveal = row => {
    for (let tries = 0; tries < 3; tries++) {
      const top = heights.top(row);
      const bottom = heights.top(row + 1);
      const view = scroller.clientHeight || unseenView;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (bottom > scroller.scrollTop + view) scroller.scrollTop = Math.min(top, bottom - view);
      draw();
    }
  };
  scroller.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(() => {
    const row = active();
    const top = scroller.scrollTop;
    const seen = row < heights.count && heights.top(row) < top + height && heights.top(row + 1) > top;
    if (scroller.clientWidth === width) draw();
    else reset(heights.count);
    if (scroller.clientHeight === 0) return; // hidden, with its tab
    height = scroller.clientHeight;
    if (seen) reveal(row);
  }).observe(scroller);

  return {
    draw,
    reset,
    /** The element of a row in sight. @param {number} row */
    element: row => drawn.get(row),
    reveal,
    /** How many rows fill what is in sight. */
    page: () => Math.max(1, heights.at(scroller.scrollTop + (scroller.clientHeight || unseenView)) - heights.at(scroller.scrollTop) - 1),
  };
}
