// shoot: a picture of a tab or of a node, with the uids drawn on the nodes where
// asked for. The marks are drawn on the picture, not in the page.

import { Fault, asFault } from './fault.js';
import { flatten } from './frames.js';
import { inScope, withheld } from './grant.js';
import { check } from './identity.js';
import { scrollTo } from './in-page.js';
import { hold, inPage, zoomOf } from './node.js';
import { originIn } from './origins.js';
import { awake, children, send, use } from './session.js';

/** @typedef {import('./wire.js').Picture} Picture */
/** @typedef {import('./wire.js').ShootParams} ShootParams */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {{x: number, y: number, width: number, height: number}} Box CSS px of the tab's viewport */

const shotMs = 20_000;
const maxSide = 16_384; // of a canvas, device px
const atOnce = 8;

/** @param {ShootParams} params @returns {Promise<Picture>} */
export async function shoot({ tab, target, full = false, marks = [], scope }) {
  return use(tab, async () => {
    await awake(tab);
    await inScope(tab, scope);
    await unhidden(tab, scope);
    const box = target && await hold(tab, target, async node => {
      await check(node, target);
      await inPage(node, scrollTo, 'center');
      return boxOf(tab, target, node.zoom);
    });
    const { cssVisualViewport: view, cssContentSize: content } = await send(tab, '', 'Page.getLayoutMetrics');
    const area = box ?? (full ? { x: 0, y: 0, width: content.width, height: content.height }
      : { x: view.pageX, y: view.pageY, width: view.clientWidth, height: view.clientHeight });
    const clip = box ? { ...box, x: box.x + view.pageX, y: box.y + view.pageY } : area;
    if (clip.width < 1 || clip.height < 1) throw new Fault('not_visible', 'the node has no box to take a picture of');
    if (clip.height > maxSide || clip.width > maxSide) throw new Fault('too_large', `the page is larger than ${maxSide} px: take the viewport, or a node`);
    const { data } = await send(tab, '', 'Page.captureScreenshot', { format: 'png', clip: { ...clip, scale: 1 }, captureBeyondViewport: full || box !== undefined }, shotMs);
    const boxes = await boxesOf(tab, marks);
    return draw(data, boxes.map(({ uid, x, y, width, height }) => ({ uid, width, height, x: x + view.pageX - clip.x, y: y + view.pageY - clip.y })), clip.width);
  });
}

/** Refuses a picture in which a frame may stand that is never read. @param {number} tab @param {import('./wire.js').Scope} [scope] */
async function unhidden(tab, scope) {
  if (!scope || scope.never.length === 0 && !scope.only) return;
  for (const targetId of ['', ...(await children(tab)).map(child => child.targetId)]) {
    const { frameTree } = await send(tab, targetId, 'Page.getFrameTree');
    for (const frame of flatten(frameTree)) {
      const origin = await originIn(tab, targetId, frame);
      if (withheld(scope, origin, frame.url)) throw new Fault('not_approved', `a frame of ${origin} is in the page, which is never read`, { retry: 'never' });
    }
  }
}

/** The box of a target in the tab's viewport. @param {number} tab @param {Target} target @param {number} zoom of its frame @returns {Promise<Box>} */
async function boxOf(tab, { targetId, backendDOMNodeId: backendNodeId }, zoom) {
  if (targetId !== '') throw new Fault('wrong_kind', 'the node is in a frame of another process: take the page');
  const { model: { border } } = await send(tab, '', 'DOM.getBoxModel', { backendNodeId });
  const [x, y, right, , , bottom] = border.map(px => px * zoom);
  return { x, y, width: right - x, height: bottom - y };
}

/** The boxes of those marks that are what they were and can be seen. @param {number} tab @param {Target[]} marks @returns {Promise<(Box & {uid: string})[]>} */
async function boxesOf(tab, marks) {
  /** @type {(Box & {uid: string})[]} */
  const boxes = [];
  const left = marks.values();
  const root = marks.length > 0 ? (await send(tab, '', 'Page.getFrameTree')).frameTree.frame.id : '';
  /** @type {Map<string, Promise<number>>} */
  const zooms = new Map();
  const zoomIn = (/** @type {Target} */ { targetId, frameId }) => {
    if (!zooms.has(frameId)) zooms.set(frameId, targetId === '' ? zoomOf(tab, '', frameId, root) : Promise.resolve(1));
    return zooms.get(frameId) ?? 1;
  };
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const mark of left) {
      try {
        boxes.push({ uid: mark.uid, ...await boxOf(tab, mark, await zoomIn(mark)) });
      } catch (thrown) {
        const { code } = asFault(thrown);
        if (code !== 'internal' && code !== 'wrong_kind') throw thrown; // gone, or without a box
      }
    }
  }));
  return boxes;
}

/** @param {string} data PNG, base64 @param {(Box & {uid: string})[]} marks CSS px of the picture @param {number} width of it @returns {Promise<Picture>} */
async function draw(data, marks, width) {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), c => c.charCodeAt(0))]));
  const picture = { png: data, width: image.width, height: image.height };
  if (marks.length === 0) return picture;
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext('2d');
  if (!pen) return picture;
  pen.drawImage(image, 0, 0);
  const scale = image.width / width;
  pen.scale(scale, scale);
  pen.font = 'bold 11px monospace';
  pen.textBaseline = 'top';
  let marked = 0;
  for (const { uid, x, y, width: w, height: h } of marks) {
    if (w < 1 || h < 1 || x + w < 0 || y + h < 0 || x > image.width / scale || y > image.height / scale) continue;
    marked++;
    pen.strokeStyle = '#c2185b';
    pen.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    const { width: text } = pen.measureText(uid);
    const top = Math.max(0, y - 13);
    pen.fillStyle = '#c2185b';
    pen.fillRect(Math.max(0, x), top, text + 4, 13);
    pen.fillStyle = '#ffffff';
    pen.fillText(uid, Math.max(0, x) + 2, top + 1);
  }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return { ...picture, png: btoa(binary), marked };
}
