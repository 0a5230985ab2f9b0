// What a person cannot see of a document although it has a box and its tree holds
// it: clipped, off the page, too small to read, or in the colour of what is behind it.
//
// Source: DOMSnapshot.captureSnapshot with `sight` among its computed styles.
// Whatever scrolling can bring into view counts as seen, and so does what is not
// certain: text over images, over other boxes than its ancestors', in SVG.

/** @typedef {import('devtools-protocol').Protocol.DOMSnapshot.DocumentSnapshot} DocumentSnapshot */
/** @typedef {[number, number, number, number]} Colour red, green, blue: 0 to 255; alpha: 0 to 1 */
/**
 * What layout.js has read of the document already.
 * @typedef {object} Drawn
 * @property {string[]} tags
 * @property {Int32Array} boxOf place in the layout; -1: no box
 * @property {Float64Array} opacity product over the ancestors
 * @property {(node: number, name: string) => string | undefined} attribute
 * @property {(node: number) => boolean} shown not visibility: hidden
 * @property {[x: number, y: number, width: number, height: number]} view the viewport, in the document
 * @property {boolean} framed it may stand transparent in another document
 */

export const sight = [
  'overflow-x', 'overflow-y', 'position', 'clip', 'clip-path', 'color-scheme',
  '-webkit-text-fill-color', '-webkit-text-stroke-width', 'text-shadow', 'background-color', 'background-image', 'background-clip',
];
const [overflowX, overflowY, position, clip, clipPath, scheme, fill, stroke, shadow, colour, image, painting] = sight.map((_, at) => at);

export const minOpacity = 0.05; // what is fainter is not seen
const minContrast = 1.1; // of WCAG 2 contrast ratios, 1 to 21
const maxScrollBar = 20; // px
const replaced = new Set(['img', 'video', 'canvas', 'iframe', 'object', 'embed', 'svg', 'input']);
const unknown = -1; // as a background

/**
 * @param {DocumentSnapshot} snapshot @param {string[]} strings
 * @param {number} at place of the first of `sight` among the styles
 * @param {Drawn} drawn
 */
export function unseen({ nodes, layout: boxes }, strings, at, { tags, boxOf, opacity, attribute, shown, view, framed }) {
  const { parentIndex = [] } = nodes;
  const size = tags.length;
  const style = (/** @type {number} */ node, /** @type {number} */ which) => (boxOf[node] < 0 ? '' : strings[boxes.styles[boxOf[node]][at + which]] ?? '');
  const isText = (/** @type {number} */ node) => tags[node] === '#text';
  const placed = (/** @type {number} */ node) => (isText(node) ? 'static' : style(node, position));

  // Where the content of a box starts, which is as far as it scrolls back.
  const startX = new Float64Array(size).fill(Infinity);
  const startY = new Float64Array(size).fill(Infinity);
  const full = new Uint8Array(size); // it has children with boxes
  for (let node = 1; node < size; node++) {
    const parent = parentIndex[node];
    if (boxOf[node] === -1) continue;
    full[parent] = 1;
    if (placed(node) !== 'static') continue;
    const [x, y] = boxes.bounds[boxOf[node]];
    startX[parent] = Math.min(startX[parent], x);
    startY[parent] = Math.min(startY[parent], y);
  }

  // One pass down. The region of a node is where its children have to be to be seen, now or after scrolling.
  const left = new Float64Array(size);
  const top = new Float64Array(size);
  const right = new Float64Array(size).fill(Infinity);
  const bottom = new Float64Array(size).fill(Infinity);
  const holder = new Int32Array(size); // the nearest positioned element, itself or above
  const cut = new Uint8Array(size); // by clip-path or clip, of itself or above
  const clipped = new Uint8Array(size); // it is itself
  const inSvg = new Uint8Array(size);
  const background = new Int32Array(size); // 0xrrggbb
  const textOnly = new Uint8Array(size); // a background is drawn in the letters, its own or one above
  /** @type {{node: number, box: number[], colour: number}[]} */
  const painted = [];
  const html = tags.findIndex((tag, node) => tag === 'html' && boxOf[node] !== -1); // not the doctype of that name
  const [viewX, viewY, wide, viewHeight] = view;
  const [rootX = 0, , rootWidth = 0] = boxes.bounds[boxOf[html]] ?? [];
  // The viewport has a scroll bar in it, which the root element leaves free.
  const viewWidth = wide - rootX - rootWidth <= maxScrollBar && rootX + rootWidth > 0 ? Math.min(wide, rootX + rootWidth) : wide;
  const leftwards = [html, tags.indexOf('body')].some(node => node >= 0 && attribute(node, 'dir')?.toLowerCase() === 'rtl');
  if (leftwards) left[0] = -Infinity;
  background[0] = framed || html >= 0 && style(html, scheme).includes('dark') ? unknown : 0xffffff;
  for (let node = 1; node < size; node++) {
    const parent = parentIndex[node];
    const tag = tags[node];
    const box = boxOf[node] < 0 ? undefined : boxes.bounds[boxOf[node]];
    const where = box ? placed(node) : 'static';
    const from = where === 'absolute' ? holder[parent] : parent; // whose region it has to meet
    left[node] = left[from];
    top[node] = top[from];
    right[node] = right[from];
    bottom[node] = bottom[from];
    if (where === 'fixed' && viewWidth > 0) {
      [left[node], top[node], right[node], bottom[node]] = [viewX, viewY, viewX + viewWidth, viewY + viewHeight];
    }
    holder[node] = where === 'static' || where === '' ? holder[parent] : node;
    cut[node] = cut[parent];
    inSvg[node] = tag === 'svg' ? 1 : tag === 'foreignobject' ? 0 : inSvg[parent];
    background[node] = background[parent];
    textOnly[node] = textOnly[parent];
    if (!box) continue;
    const [x, y, width, height] = box;
    const outside = width > 0 && height > 0 && (x + width <= left[node] || x >= right[node] || y + height <= top[node] || y >= bottom[node]);
    clipped[node] = cut[node] || outside ? 1 : 0;
    if (tag.startsWith('#')) continue;
    if (cutsAll(style(node, clipPath), width, height) || (where === 'absolute' || where === 'fixed') && rectIsEmpty(style(node, clip))) cut[node] = clipped[node] = 1;
    if (tag !== 'html' && tag !== 'body') narrow(node, box);
    paint(node, box);
  }

  /** Narrows the region of a node to what it lets be seen. @param {number} node @param {number[]} box */
  function narrow(node, [x, y, width, height]) {
    const across = style(node, overflowX);
    const along = style(node, overflowY);
    const hidesX = across !== 'visible' && across !== '';
    const hidesY = along !== 'visible' && along !== '';
    if (!hidesX && !hidesY) return;
    const seenX = Math.min(right[node], x + width) - Math.max(left[node], x);
    const seenY = Math.min(bottom[node], y + height) - Math.max(top[node], y);
    if (hidesX && seenX <= 1 || hidesY && seenY <= 1 || clipped[node]) {
      left[node] = Infinity; // nothing can be there
      if (full[node]) clipped[node] = 1;
      return;
    }
    if (across === 'hidden' || across === 'clip') {
      left[node] = Math.max(left[node], x);
      right[node] = Math.min(right[node], x + width);
    } else if (hidesX) {
      left[node] = !leftwards && startX[node] < Infinity ? Math.min(x, startX[node]) : -Infinity;
      right[node] = Infinity;
    }
    if (along === 'hidden' || along === 'clip') {
      top[node] = Math.max(top[node], y);
      bottom[node] = Math.min(bottom[node], y + height);
    } else if (hidesY) {
      top[node] = startY[node] < Infinity ? Math.min(y, startY[node]) : -Infinity;
      bottom[node] = Infinity;
    }
  }

  /** Puts the background of a node over what is behind it. @param {number} node @param {number[]} box */
  function paint(node, box) {
    const drawsImage = style(node, image) !== 'none' && style(node, image) !== '';
    const [red, green, blue, alpha] = parse(style(node, colour)) ?? [0, 0, 0, style(node, colour) === '' ? 0 : NaN];
    if (style(node, painting).includes('text')) {
      if (drawsImage || alpha !== 0) textOnly[node] = 1;
      return;
    }
    const behind = background[node];
    if (drawsImage || Number.isNaN(alpha)) background[node] = unknown;
    else if (alpha === 1) background[node] = pack(red, green, blue);
    else if (alpha > 0 && behind !== unknown) background[node] = pack(...over([red, green, blue, alpha], behind));
    if ((drawsImage || alpha !== 0 || replaced.has(tags[node])) && opacity[node] >= minOpacity && shown(node)) {
      painted.push({ node, box, colour: drawsImage || replaced.has(tags[node]) ? unknown : background[node] });
    }
  }

  /** Something else than its ancestors may stand behind a text. @param {number} node @param {number} ink */
  function overOther(node, ink) {
    const [x, y, width, height] = boxes.bounds[boxOf[node]];
    return painted.some(({ node: other, box, colour }) =>
      x < box[0] + box[2] && y < box[1] + box[3] && x + width > box[0] && y + height > box[1] &&
      (colour === unknown || contrast(ink, colour) >= minContrast) && !within(node, other));
  }
  /** @param {number} node @param {number} ancestor */
  function within(node, ancestor) {
    while (node > ancestor) node = parentIndex[node];
    return node === ancestor;
  }

  return {
    /** @param {number} node an element */
    clipped: node => clipped[node] === 1,
    /** Nothing of a text can be brought into view, or it is too small to be read. @param {number} node a text @param {boolean} laidOut */
    textClipped(node, laidOut) {
      const [, , width, height] = boxes.bounds[boxOf[node]];
      if (width === 0 && height === 0 && !laidOut) return cut[node] === 1;
      const tiny = !inSvg[node] && (Math.min(width, height) <= 1 || height <= 2);
      return clipped[node] === 1 || tiny || left[node] === Infinity;
    },
    /** Its colours, where it does not stand out. @param {number} node a text @returns {{color: string, background?: string} | undefined} */
    faint(node) {
      const ink = parse(style(node, fill));
      if (!ink || inSvg[node] || textOnly[node]) return undefined;
      if ((style(node, shadow) || 'none') !== 'none' || parseFloat(style(node, stroke)) > 0) return undefined;
      const behind = background[node];
      if (ink[3] < minOpacity) return { color: hex(pack(...ink), ink[3]), ...behind !== unknown && { background: hex(behind) } };
      if (behind === unknown) return undefined;
      const seen = pack(...over(ink, behind));
      return contrast(seen, behind) < minContrast && !overOther(node, seen) ? { color: hex(pack(...ink), ink[3]), background: hex(behind) } : undefined;
    },
  };
}

/** A clip-path that leaves nothing. @param {string} value computed @param {number} width @param {number} height */
function cutsAll(value, width, height) {
  const [, shape, given = ''] = /^(inset|circle|ellipse|polygon)\((.*?)\)/.exec(value) ?? [];
  if (shape === undefined) return false;
  if (shape === 'polygon') return new Set(given.replace(/^\w+, /, '').split(', ')).size < 3;
  const lengths = given.split(/ (?:at|round) /)[0].split(' ');
  if (shape !== 'inset') return lengths.some(length => parseFloat(length) === 0);
  const [above, beside = above, below = above, before = beside] = lengths;
  const of = (/** @type {string} */ length, /** @type {number} */ whole) => (length.endsWith('%') ? whole * parseFloat(length) / 100 : parseFloat(length));
  return of(above, height) + of(below, height) >= height || of(beside, width) + of(before, width) >= width;
}

/** The clip property shows no more than a pixel. @param {string} value computed */
function rectIsEmpty(value) {
  const [above, after, below, before] = value.match(/-?[\d.]+(?=px)|auto/g) ?? [];
  return Number(below) - Number(above) <= 1 || Number(after) - Number(before) <= 1;
}

/** @type {Map<string, Colour | undefined>} */
const parsed = new Map();
/** @param {string} value computed: rgb(), rgba() or color(srgb); others are not known @returns {Colour | undefined} */
function parse(value) {
  if (parsed.has(value)) return parsed.get(value);
  const [, space, given] = /^(rgba?\(|color\(srgb )(.*)\)$/.exec(value) ?? [];
  const [red, green, blue, alpha = 1] = (given?.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
  const unit = space?.startsWith('color') ? 255 : 1;
  /** @type {Colour | undefined} */
  const read = blue === undefined ? undefined : [red * unit, green * unit, blue * unit, alpha];
  if (parsed.size > 1000) parsed.clear();
  parsed.set(value, read);
  return read;
}

const pack = (/** @type {number} */ red, /** @type {number} */ green, /** @type {number} */ blue, /** @type {number} */ _alpha = 1) =>
  [red, green, blue].reduce((all, one) => all * 256 + Math.min(255, Math.max(0, Math.round(one))), 0);
const unpack = (/** @type {number} */ packed) => [packed >> 16, packed >> 8 & 255, packed & 255];

/** @param {Colour} above @param {number} behind @returns {[number, number, number]} */
function over([red, green, blue, alpha], behind) {
  const mixed = unpack(behind).map((one, at) => one * (1 - alpha) + [red, green, blue][at] * alpha);
  return [mixed[0], mixed[1], mixed[2]];
}

/** Contrast ratio of WCAG 2. @param {number} one @param {number} other */
function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance of WCAG 2. @param {number} packed */
function luminance(packed) {
  const [red, green, blue] = unpack(packed).map(one => (one <= 10 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hex = (/** @type {number} */ packed, alpha = 1) =>
  `#${packed.toString(16).padStart(6, '0')}${alpha < 1 ? Math.round(alpha * 255).toString(16).padStart(2, '0') : ''}`;
