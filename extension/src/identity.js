// Identity: whether a target still is what it was when a view showed it
// (docs/FORMAT.md, "Targets"). Nothing here sends an event.
//
// A node is the same when its document is (loaderId), when it is connected, and
// when its role, name and context are. A backendDOMNodeId alone says little: after
// a cross-site navigation it names a node of the new page, and a list that is
// re-sorted by rebinding its nodes keeps node, role and name for another record.

import { Fault } from './fault.js';
import { keyCandidate, probe } from './in-page.js';
import { absent, alsoHold, inPage, inPageKept, stale } from './node.js';
import { send } from './session.js';
import { withholder } from './act-secrets.js';

/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXNode} AXNode */
/** @typedef {import('./in-page.js').Probe} Probe */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Target} Target */

/**
 * What a node is that is what it was.
 * @typedef {object} Seen
 * @property {string} role
 * @property {string} name
 * @property {string} context
 * @property {number} item backendDOMNodeId of the item around it; 0 without one
 * @property {number[]} keys those of the nodes in the item that its key is read from; none when the item is named
 * @property {Set<number>} above those of its ancestors
 * @property {Probe} probe
 */

const keyedRoles = new Set(['row', 'layouttablerow', 'listitem', 'option', 'article']);
const namedRoles = new Set(['group', 'radiogroup', 'form', 'region', 'dialog']);
const innerRoles = new Set(['row', 'layouttablerow', 'listitem', 'article']);
const controlRoles = new Set([
  'button', 'checkbox', 'combobox', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio',
  'searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem',
]);
const ranks = ['rowheader', 'heading', 'link', 'statictext']; // of what an item is known by
const maxContext = 200; // code points
const texts = ranks.indexOf('statictext');
// Unicode's White_Space, which is not what \s matches.
const space = '\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const runs = new RegExp(`[${space}]+`, 'gu');
const count = new RegExp(`[${space}]*[([][${space}]*[0-9][0-9.,${space}]*\\+?[${space}]*[)\\]]$`, 'u');

/** Folds white space and trims. @param {string} text */
export const fold = text => text.replace(runs, ' ').replace(/^ | $/g, '');

/** What names and contexts are compared by: a count at the end does not matter. @param {string} text */
export const normalize = text => fold(text).replace(count, '');

/** @param {AXNode | undefined} node */
const roleOf = node => fold(String(node?.role?.value ?? '')).toLowerCase();
/** @param {AXNode | undefined} node */
export const nameOf = node => fold(String(node?.name?.value ?? ''));

/**
 * The item around a node: the nearest row, list item, option, article or named
 * group above it that is not ignored.
 * @param {AXNode[]} nodes its ancestors among them
 * @param {number} id backendDOMNodeId
 * @returns {AXNode | undefined}
 */
export function itemOf(nodes, id) {
  const parents = new Map(nodes.flatMap(node => (node.childIds ?? []).map(child => /** @type {[string, AXNode]} */ ([child, node]))));
  const byId = new Map(nodes.map(node => [node.nodeId, node]));
  /** @param {AXNode} node */
  const above = node => parents.get(node.nodeId) ?? byId.get(node.parentId ?? '');
  const target = nodes.find(node => node.backendDOMNodeId === id);
  const seen = new Set([target]);
  for (let node = target && above(target); node && !seen.has(node); node = above(node)) {
    seen.add(node);
    if (node.ignored) continue;
    if (keyedRoles.has(roleOf(node)) || (namedRoles.has(roleOf(node)) && nameOf(node) !== '')) return node;
  }
  return undefined;
}

/**
 * What an item is known by, for a node in it: the item's name, or the first row
 * header, heading, link or text in it; or its first texts.
 * @param {AXNode} item
 * @param {AXNode[]} nodes the item's whole subtree among them
 * @param {number} id the node's backendDOMNodeId, which is no key of its own
 * @param {{contextNode: number, contextTexts?: number}} [known] of the target: whether the item is what tells the node from its twins, when a key has a letter; how many texts make the key
 * @returns {Key}
 */
export function keyOf(item, nodes, id, { contextNode, contextTexts = 0 } = { contextNode: 0 }) {
  const twins = contextNode > 0;
  if (!twins && namedRoles.has(roleOf(item))) return { text: clip(nameOf(item)), from: [] };
  const byId = new Map(nodes.map(node => [node.nodeId, node]));
  /** @type {AXNode[][]} by rank */
  const found = ranks.map(() => []);
  const seen = new Set([item.nodeId]);
  /** @type {[string, boolean][]} open nodes, last first, and whether they stand in a control */
  const open = (item.childIds ?? []).map(child => /** @type {[string, boolean]} */ ([child, false])).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const [nodeId, inControl] = next;
    const node = byId.get(nodeId);
    if (!node || seen.has(nodeId)) continue;
    seen.add(nodeId);
    if (node.backendDOMNodeId === id) continue;
    const role = roleOf(node);
    if (!node.ignored) {
      if (innerRoles.has(role)) continue;
      const rank = ranks.indexOf(role);
      if (rank >= 0 && nameOf(node) !== '' && !(rank === texts && inControl)) found[rank].push(node);
    }
    const below = inControl || isControl(node);
    for (const child of (node.childIds ?? []).toReversed()) open.push([child, below]);
  }
  const lettered = twins && contextTexts === 0 ? /\p{L}/u : /./u;
  const firsts = contextTexts > 0 ? found[texts].slice(0, contextTexts) : found.flatMap(ranked => ranked.filter(node => lettered.test(nameOf(node))).slice(0, 1)).slice(0, 1);
  return { text: clip(firsts.map(nameOf).join(' ')), from: firsts.map(node => node.backendDOMNodeId ?? 0) };
}
/** @typedef {{text: string, from: number[]}} Key from has the backendDOMNodeIds of the nodes that say it, none when it is the item */

/** @param {AXNode} node */
const isControl = node => !node.ignored && (node.backendDOMNodeId ?? 0) > 0 && (controlRoles.has(roleOf(node)) ||
  (node.properties ?? []).some(({ name, value }) => name === 'focusable' && value.value === true));

/** @param {string} text */
const clip = text => [...text].slice(0, maxContext).join('');

/** @param {string} was @param {string} is @param {boolean} exact */
const same = (was, is, exact) => (exact ? fold(was) === fold(is) : normalize(was) === normalize(is));

/** What is in the items of a frame, read once for many checks. @typedef {Map<number, Promise<AXNode[]>>} Items by backendDOMNodeId */

/**
 * Checks that a target's node is what it was.
 * @param {Held} node @param {Target} target
 * @param {string} [expect] another name that is accepted
 * @param {Items} [items]
 * @returns {Promise<Seen>}
 * @throws {Fault} stale_uid with its reason; not_visible when the tree leaves the node out
 */
export async function check(node, target, expect, items) {
  const id = target.backendDOMNodeId;
  const [found, { nodes }] = await Promise.all([
    inPage(node, probe),
    send(node.tab, node.targetId, 'Accessibility.getPartialAXTree', { objectId: node.objectId, fetchRelatives: true }),
  ]).catch(gone);
  if (!found.connected) throw stale('gone', 'the node is no longer in the page');
  // What the browser skips is in no tree: acts bring it into view first.
  if (found.skipped) return { role: target.role, name: target.name, context: target.context, item: 0, keys: [], above: new Set(), probe: found };
  const ax = nodes.find(one => one.backendDOMNodeId === id);
  const above = ancestors(nodes, ax);
  const shown = ax && !ax.ignored ? ax : undefined;
  if (!shown && (target.role !== 'generic' || target.name !== '')) {
    const left = leftOut(ax, found);
    if (left) return { role: target.role, name: target.name, context: target.context, item: 0, keys: [], above, probe: left };
  }
  // A node that only layout knows as clickable is ignored, and was.
  const [role, said] = shown ? [roleOf(shown), nameOf(shown)] : ['generic', ''];
  const withhold = withholder(node, target);
  const name = said === target.name ? said : fold(await withhold(said));
  const now = target.secret ? undefined : name;
  if (role !== target.role.toLowerCase()) throw stale('renamed', `the node was a ${target.role} and is a ${role}`, now);
  if (!same(target.name, name, target.nameExact) && !(expect !== undefined && same(expect, name, true))) throw stale('renamed', 'the node has another name now', now);

  const twins = target.contextNode > 0;
  const item = twins ? nodes.find(one => one.backendDOMNodeId === target.contextNode && above.has(target.contextNode)) : itemOf(nodes, id);
  const key = item ? await liveKey(node, item, nodes, target, items).catch(gone) : { text: '', from: [] };
  const context = key.text === target.context ? key.text : clip(fold(await withhold(key.text)));
  if (!same(target.context, context, target.contextExact)) {
    throw stale('moved_context', `the node stood at "${target.context}" and stands at "${context}" now`, now);
  }
  return { role, name, context, item: item?.backendDOMNodeId ?? 0, keys: key.from, above, probe: found };
}

/**
 * Of a node that the tree no longer shows role and name cannot be compared; the
 * reason, when there is one, refuses the act.
 * @param {AXNode | undefined} ax @param {Probe} found
 * @returns {Probe | undefined} with the reason; undefined when there is none
 */
function leftOut(ax, found) {
  if (!found.visible || found.disabled === 'inert') return found;
  const why = (ax?.ignoredReasons ?? []).map(({ name }) => String(name)).join();
  if (/inert|activeModalDialog|activeFullscreen/i.test(why)) return { ...found, disabled: 'inert' };
  return /ariaHidden/i.test(why) ? { ...found, ariaHidden: true } : undefined;
}

/** @param {Held} node @param {AXNode} item @param {AXNode[]} nodes @param {Target} target @param {Items} [items] */
async function liveKey(node, item, nodes, target, items) {
  const { backendDOMNodeId: id, context, contextNode, contextTexts = 0 } = target;
  const twins = contextNode > 0;
  if (!twins && namedRoles.has(roleOf(item))) return keyOf(item, nodes, id, target);
  const itemId = item.backendDOMNodeId ?? 0;
  const held = await alsoHold(node, itemId);
  if (!items && !twins && contextTexts === 0) {
    const first = await firstKey(node, held, itemId, id);
    if (first?.text === context) return first;
  }
  const read = items?.get(itemId) ?? send(node.tab, node.targetId, 'Accessibility.queryAXTree', { objectId: held.objectId }).then(below => below.nodes);
  items?.set(itemId, read);
  const below = await read;
  return keyOf(below.find(one => one.nodeId === item.nodeId) ?? item, below, id, target);
}

/**
 * The key of a large item, found by way of the DOM: reading all of it from the
 * tree takes 90 µs a node. What it finds counts only when it is what was expected.
 * @param {Held} node @param {Held} item @param {number} itemId @param {number} id
 * @returns {Promise<Key | undefined>}
 */
async function firstKey(node, item, itemId, id) {
  const tries = 4;
  for (let n = 0; n < tries; n++) {
    const found = await inPageKept(item, keyCandidate, n);
    if (!found.objectId) return undefined;
    const { nodes } = await send(node.tab, node.targetId, 'Accessibility.getPartialAXTree', { objectId: found.objectId, fetchRelatives: true });
    const [ax] = nodes;
    const byId = new Map(nodes.map(one => [one.nodeId, one]));
    const way = [];
    for (let at = byId.get(ax.parentId ?? ''); at && at.backendDOMNodeId !== itemId; at = byId.get(at.parentId ?? '')) way.push(at);
    const isKey = !ax.ignored && ranks.includes(roleOf(ax)) && nameOf(ax) !== '' && !(roleOf(ax) === 'statictext' && way.some(isControl));
    if (isKey && [ax, ...way].every(at => at.backendDOMNodeId !== id && (at.ignored || !innerRoles.has(roleOf(at))))) {
      return { text: clip(nameOf(ax)), from: [ax.backendDOMNodeId ?? 0] };
    }
  }
  return undefined;
}

/** @param {AXNode[]} nodes @param {AXNode | undefined} from @returns {Set<number>} backendDOMNodeIds */
function ancestors(nodes, from) {
  const byId = new Map(nodes.map(node => [node.nodeId, node]));
  const found = new Set();
  for (let node = byId.get(from?.parentId ?? ''); node && !found.has(node.backendDOMNodeId); node = byId.get(node.parentId ?? '')) found.add(node.backendDOMNodeId);
  return found;
}

/** @param {unknown} thrown @returns {never} */
function gone(thrown) {
  throw absent(thrown) ? stale('gone', 'the node is no longer in the page') : thrown;
}

/**
 * A node that was found just now, as a target that check compares with from here on.
 * @param {Held} node @param {Target} near a target in the same frame @param {number} id its backendDOMNodeId
 * @returns {Promise<Target>}
 */
export async function describe(node, near, id) {
  const { nodes } = await send(node.tab, node.targetId, 'Accessibility.getPartialAXTree', { objectId: node.objectId, fetchRelatives: true });
  const ax = nodes.find(one => one.backendDOMNodeId === id && !one.ignored);
  if (!ax) throw new Fault('not_visible', 'the page hides the node from the accessibility tree');
  const target = { ...near, backendDOMNodeId: id, nodeId: ax.nodeId, role: roleOf(ax), name: nameOf(ax), context: '', contextNode: 0, contextTexts: 0, nameExact: true, contextExact: true };
  const item = itemOf(nodes, id);
  return item ? { ...target, context: (await liveKey(node, item, nodes, target)).text } : target;
}
