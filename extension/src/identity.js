// Identity: whether a target still is what it was when a view showed it
// (docs/FORMAT.md, "Targets"). Nothing here sends an event.
//
// A node is the same when its document is (loaderId), when it is connected, and
// when its role, name and context are. A backendDOMNodeId alone says little: after
// a cross-site navigation it names a node of the new page, and a list that is
// re-sorted by rebinding its nodes keeps node, role and name for another record.

import { Fault } from './fault.js';
import { flatten } from './frames.js';
import { send, world } from './session.js';

/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXNode} AXNode */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {'gone' | 'document' | 'renamed' | 'moved_context'} Reason */

/**
 * A target that is what it was.
 * @typedef {object} Node
 * @property {string} objectId in this extension's world of its frame, where the page cannot lie about it
 * @property {number} contextId
 * @property {string} role
 * @property {string} name
 * @property {AXNode} ax
 */

const keyedRoles = new Set(['row', 'layouttablerow', 'listitem', 'option', 'article']);
const namedRoles = new Set(['group', 'radiogroup', 'form', 'region', 'dialog']);
const innerRoles = new Set(['row', 'layouttablerow', 'listitem', 'article']);
const controlRoles = new Set([
  'button', 'checkbox', 'combobox', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio',
  'searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem',
]);
const maxContext = 200; // code points
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
 * header, heading, link or text in it.
 * @param {AXNode} item
 * @param {AXNode[]} nodes the item's whole subtree among them
 * @param {number} id the node's backendDOMNodeId, which is no key of its own
 * @param {boolean} [twins] the item is what tells the node from its twins: a key has a letter
 */
export function keyOf(item, nodes, id, twins = false) {
  if (!twins && namedRoles.has(roleOf(item))) return clip(nameOf(item));
  const byId = new Map(nodes.map(node => [node.nodeId, node]));
  const found = { rowheader: '', heading: '', link: '', statictext: '' };
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
      const key = /** @type {keyof typeof found} */ (role);
      if (Object.hasOwn(found, key) && found[key] === '' && !(role === 'statictext' && inControl) &&
        (!twins || /\p{L}/u.test(nameOf(node)))) found[key] = nameOf(node);
    }
    const below = inControl || isControl(node);
    for (const child of (node.childIds ?? []).toReversed()) open.push([child, below]);
  }
  return clip(found.rowheader || found.heading || found.link || found.statictext);
}

/** @param {AXNode} node */
const isControl = node => !node.ignored && (node.backendDOMNodeId ?? 0) > 0 && (controlRoles.has(roleOf(node)) ||
  (node.properties ?? []).some(({ name, value }) => name === 'focusable' && value.value === true));

/** @param {string} text */
const clip = text => [...text].slice(0, maxContext).join('');

/** @param {string} was @param {string} is @param {boolean} exact */
const same = (was, is, exact) => (exact ? fold(was) === fold(is) : normalize(was) === normalize(is));

/** @param {Reason} reason @param {string} message @param {string} [now] */
const stale = (reason, message, now) => new Fault('stale_uid', message, { reason, ...(now === undefined ? {} : { now }) });

/**
 * Finds a target's node and checks that it is what it was.
 * @param {number} tab in use
 * @param {Target} target
 * @param {string} [expect] another name that is accepted
 * @returns {Promise<Node>}
 * @throws {Fault} stale_uid with its reason; nothing was sent to the page
 */
export async function identify(tab, target, expect) {
  const { targetId, frameId, backendDOMNodeId: backendNodeId } = target;
  await checkDocument(tab, target);
  const contextId = await world(tab, targetId, frameId).catch(gone);
  const { object } = await send(tab, targetId, 'DOM.resolveNode', { backendNodeId, executionContextId: contextId }).catch(gone);
  const objectId = object.objectId ?? '';
  const { result } = await send(tab, targetId, 'Runtime.callFunctionOn', {
    objectId, functionDeclaration: 'function () { return this.isConnected }', returnByValue: true,
  }).catch(gone);
  if (result.value !== true) throw stale('gone', 'the node is no longer in the page');

  const { nodes } = await send(tab, targetId, 'Accessibility.getPartialAXTree', { backendNodeId, fetchRelatives: true }).catch(gone);
  const ax = nodes.find(node => node.backendDOMNodeId === backendNodeId);
  // A node that lost its place in the tree (hidden, say) still is itself, without role and name to compare.
  if (!ax || ax.ignored) return { objectId, contextId, role: target.role, name: target.name, ax: ax ?? /** @type {AXNode} */ ({ nodeId: '', ignored: true }) };
  const [role, name] = [roleOf(ax), nameOf(ax)];
  if (role !== target.role.toLowerCase()) throw stale('renamed', `the node was a ${target.role} and is a ${role}`, name);
  const accepted = same(target.name, name, target.nameExact) || (expect !== undefined && same(expect, name, true));
  if (!accepted && !target.secret) throw stale('renamed', 'the node has another name now', name);
  const { contextNode } = target;
  const item = contextNode ? nodes.find(node => node.backendDOMNodeId === contextNode) : itemOf(nodes, backendNodeId);
  const context = item ? await liveKey(tab, targetId, item, nodes, backendNodeId, contextNode > 0) : '';
  if (!same(target.context, context, target.contextExact)) {
    throw stale('moved_context', `the node stood at "${target.context}" and stands at "${context}" now`, name);
  }
  return { objectId, contextId, role, name, ax };
}

/** @param {number} tab @param {string} targetId @param {AXNode} item @param {AXNode[]} nodes @param {number} id @param {boolean} twins */
async function liveKey(tab, targetId, item, nodes, id, twins) {
  if (!twins && namedRoles.has(roleOf(item))) return keyOf(item, nodes, id);
  const below = await send(tab, targetId, 'Accessibility.queryAXTree', { backendNodeId: item.backendDOMNodeId });
  return keyOf(below.nodes.find(node => node.nodeId === item.nodeId) ?? item, below.nodes, id, twins);
}

/**
 * Checks that a target's frame still shows the document it was seen in.
 * @param {number} tab @param {Target} target
 */
export async function checkDocument(tab, { targetId, frameId, loaderId }) {
  const { frameTree } = await send(tab, targetId, 'Page.getFrameTree').catch(gone);
  const frame = flatten(frameTree).find(({ id }) => id === frameId);
  if (!frame) throw stale('gone', 'the frame is no longer in the page');
  if (frame.loaderId !== loaderId) throw stale('document', 'the page has moved on to another document');
}

/** A session or node that is not there is gone; what keeps the tab from answering is told as it is. @param {unknown} thrown @returns {never} */
function gone(thrown) {
  if (thrown instanceof Fault && (thrown.code === 'internal' || (thrown.code === 'detached' && /frame/.test(thrown.message)))) {
    throw stale('gone', 'the node is no longer in the page');
  }
  throw thrown;
}
