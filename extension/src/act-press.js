// press, hover, focus, blur.

import { chordOf, strike } from './act-keys.js';
import { checkShown, locate } from './act-point.js';
import { hideTyped, isSecret } from './act-secrets.js';
import { evidence, guard, noEffect, observe, see, unsent, watched } from './act-watch.js';
import { Fault } from './fault.js';
import { flatten } from './frames.js';
import { fold, nameOf } from './identity.js';
import { probe } from './in-page.js';
import { dropFocus, focusedIn, hasFocus, keyState, shownNow, shownSince, takeFocus } from './in-page-keys.js';
import { goneAsFocused, hold, inPage, inPageKept } from './node.js';
import { originIn } from './origins.js';
import { hidden } from './secrets.js';
import { awake, children, send, world } from './session.js';

/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */

/**
 * Presses a key or chord at a node.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function press(tab, target, { key = '', expect }, start) {
  const chord = chordOf(key);
  await awake(tab);
  return hold(tab, target, node => watched(node, ['keydown', 'keypress', 'keyup', 'beforeinput'], async watcher => {
    const asked = target.uid !== '';
    const seen = asked ? await checkShown(node, target, expect) : await unasked(node, target);
    const secret = await isSecret(target, seen);
    await guard(node, watcher, target, asked ? seen : { ...seen, name: '' }, expect);
    /** @type {ReturnType<typeof keyState> | undefined} */
    let before;

    await start();
    const effect = await observe(watcher, target, async () => {
      if (asked) await giveFocus(node);
      before = await inPage(node, keyState);
      await strike(node, chord);
    });
    const { sight } = effect;
    // Once it began, what is held back is the rest of a key whose press moved the focus.
    if (sight && !sight.began) {
      if (!sight.held) throw new Fault('not_delivered', undefined, { dispatched: 'uncertain', effect: 'unknown' });
      if (sight.held !== 'covered') unsent(new Fault('stale_uid', 'the node changed as the key was pressed', { reason: sight.held }));
      unsent(new Fault('not_delivered', 'another node took the focus'));
    }
    const now = sight ? await inPage(node, keyState).catch(() => undefined) : undefined;
    if (now && before) {
      if (now.value !== before.value) effect.changes.push('value');
      else if (now.selection !== before.selection) effect.changes.push('selection');
      if (now.scroll !== before.scroll) effect.changes.push('scroll');
    }
    return {
      ...evidence('keys', effect, seen, secret && now?.value ? hideTyped(now.value) : undefined),
      ...(now?.value === undefined ? {} : { value_now: secret ? hidden : now.value }),
    };
  }));
}

/** What has the focus, which nobody has seen before. @param {Held} node @param {Target} target @returns {Promise<Seen>} */
const unasked = async (node, { role, name }) => ({ role, name, context: '', item: 0, keys: [], above: new Set(), probe: await inPage(node, probe) });

/** Gives a node the focus, before keys. @param {Held} node */
export async function giveFocus(node) {
  const how = await inPage(node, takeFocus);
  if (how === 'gone') throw goneAsFocused();
  if (how === 'none') throw new Fault('wrong_kind', 'the node cannot have the focus', { dispatched: 'no', effect: 'none_seen' });
  if (how === 'passed on') throw new Fault('wrong_kind', 'the node passes the focus on to another', { dispatched: 'yes', effect: 'seen' });
}

/**
 * The node that has the focus, in whichever frame; the document's body where none has.
 * @param {number} tab in use
 * @returns {Promise<Target>} without a uid
 */
export async function focusedTarget(tab) {
  await awake(tab);
  const group = `handrail-focus-${tab}`;
  let targetId = '';
  let frames = await framesOf(tab, targetId);
  for (let frame = frames[0]; ;) {
    const contextId = await world(tab, targetId, frame.id);
    const { result } = await send(tab, targetId, 'Runtime.evaluate', { expression: 'document', contextId, objectGroup: group });
    const { objectId } = await inPageKept({ tab, targetId, objectId: result.objectId ?? '', contextId, group, zoom: 1 }, focusedIn);
    const [{ node }, { nodes }] = await Promise.all([
      send(tab, targetId, 'DOM.describeNode', { objectId }),
      send(tab, targetId, 'Accessibility.getPartialAXTree', { objectId, fetchRelatives: false }),
    ]);
    send(tab, targetId, 'Runtime.releaseObjectGroup', { objectGroup: group }).catch(() => {}); // with its document, if not before
    const inner = node.frameId;
    if (inner && (await children(tab)).some(child => child.targetId === inner)) frames = await framesOf(tab, targetId = inner);
    const below = inner && frames.find(({ id }) => id === inner);
    if (below) {
      frame = below;
      continue;
    }
    const ax = nodes.find(one => one.backendDOMNodeId === node.backendNodeId && !one.ignored);
    return {
      uid: '', session: 0, targetId, frameId: frame.id, loaderId: frame.loaderId, origin: await originIn(tab, targetId, frame), backendDOMNodeId: node.backendNodeId, nodeId: ax?.nodeId ?? '',
      role: ax ? fold(String(ax.role?.value ?? '')).toLowerCase() : 'generic', name: nameOf(ax), context: '', contextNode: 0, nameExact: false, contextExact: false, secret: false,
    };
  }
}

/** @param {number} tab @param {string} targetId */
const framesOf = async (tab, targetId) => flatten((await send(tab, targetId, 'Page.getFrameTree')).frameTree);

const budgetMs = 2000;
const showMs = 1000; // for what a page shows only after the mouse has rested: 700 ms is usual
const lookMs = 50;

/**
 * Moves the mouse to a node.
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function hover(tab, target, { expect, timeoutMs }, start) {
  await awake(tab);
  return hold(tab, target, node => watched(node, ['pointerover', 'pointermove'], async watcher => {
    const seen = await checkShown(node, target, expect, true); // a disabled control may say why
    const { x, y } = await locate(node, watcher, target, seen, Date.now() + (timeoutMs || budgetMs));
    await guard(node, watcher, target, seen, expect);
    const shown = await inPageKept(node, shownNow);
    let appeared = false;

    await start();
    const effect = await observe(watcher, target, async () => {
      await send(tab, node.targetId, 'Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
      let sight = await see(watcher);
      // A mouse that is there already has to move to be noticed.
      if (!sight.began && !sight.held) await send(tab, node.targetId, 'Input.dispatchMouseEvent', { type: 'mouseMoved', x: x + 1, y });
      // Counted, not timed: a page that stalls has not rested.
      for (let looks = showMs / lookMs; ; looks--) {
        appeared = await inPage(shown, shownSince, node);
        sight = await see(watcher);
        if (appeared || sight.held || sight.changes.length > 0 || looks <= 0) return;
        await new Promise(resolve => setTimeout(resolve, lookMs));
      }
    });
    const { sight } = effect;
    if (sight && !sight.began) {
      if (sight.held === '') throw new Fault('not_delivered', undefined, { dispatched: 'uncertain', effect: 'unknown' });
      unsent(sight.held === 'covered' ? new Fault('covered', 'another node came over the point') : new Fault('stale_uid', 'the node changed as the mouse came', { reason: sight.held }));
    }
    if (appeared && sight) effect.changes.push('shown');
    return evidence('mouse', effect, seen);
  }));
}

/**
 * Gives a node the focus. @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export const focus = (tab, target, act, start) => refocus(tab, target, act, start, true);

/**
 * Takes the focus from a node. @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export const blur = (tab, target, act, start) => refocus(tab, target, act, start, false);

/** @param {number} tab @param {Target} target @param {Act} act @param {Start} start @param {boolean} to whether to have it @returns {Promise<Evidence>} */
async function refocus(tab, target, { kind, expect }, start, to) {
  await awake(tab);
  return hold(tab, target, node => watched(node, to ? ['focus', 'focusin'] : ['blur', 'focusout'], async watcher => {
    const seen = await checkShown(node, target, expect);
    await guard(node, watcher, target, seen, expect);
    if (await inPage(node, hasFocus) === to) {
      return { ...evidence(kind, noEffect(), seen), dispatched: 'no', unchanged: true };
    }

    await start();
    const effect = await observe(watcher, target, async () => {
      if (to) await giveFocus(node);
      else if (!await inPage(node, dropFocus)) throw new Fault('not_delivered', 'the node keeps the focus', { dispatched: 'yes', effect: 'none_seen' });
    });
    if (effect.sight?.held && effect.sight.held !== 'covered') throw new Fault('stale_uid', 'the node changed meanwhile', { reason: effect.sight.held, dispatched: 'yes', effect: 'unknown' });
    if (effect.sight && await inPage(node, hasFocus) !== to) {
      throw new Fault('not_delivered', to ? 'the page took the focus away again' : 'the page gave the focus back', { dispatched: 'yes', effect: 'seen' });
    }
    if (effect.sight && !effect.changes.includes('focus')) effect.changes.push('focus');
    return evidence(kind, effect, seen);
  }));
}
