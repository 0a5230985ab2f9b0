// The heights of very many rows: a tree of sums, so that one more measurement and the
// row at a place cost a few steps however many rows there are.

export class Heights {
  #sums;
  #heights;

  /** @param {number} count @param {(row: number) => number} estimate px of a row that was not measured yet */
  constructor(count, estimate) {
    this.#heights = new Float64Array(count);
    this.#sums = new Float64Array(count + 1);
    for (let row = 0; row < count; row++) this.#heights[row] = estimate(row);
    for (let at = 1; at <= count; at++) {
      this.#sums[at] += this.#heights[at - 1];
      const above = at + (at & -at);
      if (above <= count) this.#sums[above] += this.#sums[at];
    }
  }

  get count() {
    return this.#heights.length;
  }

  /** Corrects a row's height. @param {number} row @param {number} height @returns {number} by how much */
  measure(row, height) {
    const by = height - this.#heights[row];
    if (by === 0) return 0;
    this.#heights[row] = height;
    for (let at = row + 1; at < this.#sums.length; at += at & -at) this.#sums[at] += by;
    return by;
  }

  /** Where a row begins; behind the last one, the height of all. @param {number} row */
  top(row) {
    let sum = 0;
    for (let at = row; at > 0; at -= at & -at) sum += this.#sums[at];
    return sum;
  }

  /** The row at a place; the nearest one outside. @param {number} y px */
  at(y) {
    let row = 0;
    let left = y;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(this.count, 1))); step >= 1; step /= 2) {
      if (row + step < this.#sums.length && this.#sums[row + step] <= left) {
        row += step;
        left -= this.#sums[row];
      }
    }
    return Math.max(0, Math.min(row, this.count - 1));
  }
}
