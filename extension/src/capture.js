// Capture: one tab read into a bundle (docs/FORMAT.md), over all its frames and
// CDP sessions, secrets blanked.
//
// Promises: a frame that fails, navigates or goes away meanwhile says so in its
// own `error` and never fails the whole; only the root frame's failure does. What
// stands in `nodes` is what Accessibility.getFullAXTree gave, but for secrets.

import * as browser from './chrome.js';
import { Fault, asFault } from './fault.js';
import { flatten, leftOut } from './frames.js';
import { onOrigin, opaque, originOfPage, withheld } from './grant.js';
import { factsOfAttributes, layoutOf, layoutOfListeners, skips, styles } from './layout.js';
import { originIn } from './origins.js';
import { blank, markedOf, passwordsOf, rememberPasswords } from './secrets.js';
import { awake, children, forgetChild, send, use, watchInput, world } from './session.js';

/** @typedef {import('devtools-protocol').Protocol.Accessibility.AXNode} AXNode */
/** @typedef {import('./session.js').Commands} Commands */
/** @typedef {import('./session.js').Child} Child */
/** @typedef {import('./wire.js').CaptureParams} CaptureParams */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./layout.js').Layout} Layout */

/**
 * One frame of the bundle.
 * @typedef {object} FrameEntry
 * @property {string} frameId
 * @property {string} parent frameId; '' for the root
 * @property {number} ownerBackendNodeId its element in the parent's session; 0 for the root
 * @property {number} session ordinal of its CDP session
 * @property {string} targetId CDP target of that session; '' is the tab's own
 * @property {string} loaderId
 * @property {string} url
 * @property {string} origin
 * @property {AXNode[]} nodes
 * @property {number[]} pending
 * @property {string | null} error why it was not read: left_out, not_allowed, over_limit, timeout, detached, failed
 */
/**
 * @typedef {{v: 1, capture: string, tab: number, url: string, title: string, time: number, complete: boolean,
 *   frames: FrameEntry[], layout: Record<string, Layout>, redacted: number}} Bundle
 */
/** @typedef {{targetId: string, parent: string, ordinal: number, elements: number, frames: FrameEntry[]}} Session parent: the targetId above it */
/**
 * A capture under way. deadline: of all child frames, Unix ms; root: the root frame's tree, asked for early; again: it is the second try.
 * @typedef {CaptureParams & {signal: AbortSignal, deadline: number, again?: boolean, root?: Promise<Commands['Accessibility.getFullAXTree']['returnType']>}} Reading
 */

// A DOMSnapshot of more elements takes longer than it is worth: 6.5 s at 20,000 table rows.
const maxSnapshotElements = 60_000;
// Larger pages are not read twice to see what content-visibility: auto leaves out.
const maxShownElements = 20_000;
// Fields whose attributes are asked one by one when there is no snapshot.
const maxFieldsAsked = 1000;
// Failures of the root frame that say more than "could not be read".
const telling = new Set(['canceled', 'canceled_by_user', 'debugger_taken', 'detached', 'dialog_open', 'not_approved', 'page_crashed', 'restricted_page', 'unknown_tab']);

/**
 * @param {CaptureParams} params
 * @param {AbortSignal} signal
 * @returns {Promise<{bundle: Bundle}>}
 */
export async function capture(params, signal) {
  const { tab, limits } = params;
  try {
    return { bundle: await use(tab, () => read({ ...params, signal, deadline: Date.now() + limits.totalMs })) };
  } catch (thrown) {
    const fault = asFault(thrown);
    throw telling.has(fault.code) ? fault : new Fault('capture_failed', fault.message);
  }
}

/** @param {Reading} reading @returns {Promise<Bundle>} */
async function read(reading) {
  const { capture, tab, limits } = reading;
  // The root's tree takes nearly all the time of a capture, so it is asked for before anything is known.
  const found = findFrames(reading);
  reading.root = ask(reading, '', 'Accessibility.getFullAXTree', {}, reading.limits.stallMs);
  reading.root.catch(() => {}); // whoever awaits it is told
  const [{ title = '' }, { sessions, unseen }] = await Promise.all([browser.getTab(tab), found]);
  if (unseen) {
    await awake(tab);
    reading.root = undefined;
  }
  for (const { targetId } of sessions) watchInput(tab, targetId);
  const [root] = sessions[0].frames;
  const { loaderId } = root;
  const allowed = () => onOrigin(root.origin === opaque ? originOfPage(root.url) : root.origin, reading.scope);
  allowed();
  const [facts] = await Promise.all([
    Promise.all(sessions.map(session => readSession(reading, session))),
    findOwners(reading, sessions),
  ]);
  const all = sessions.flatMap(session => session.frames);
  // The page was replaced meanwhile, or a frame of it moved to another process: all is read again, once.
  if (!reading.again && (root.loaderId !== loaderId || all.some(({ error }) => error === 'detached'))) {
    return read({ ...reading, again: true, root: undefined, deadline: Date.now() + limits.totalMs });
  }
  allowed(); // the page may have moved on meanwhile
  const wasRead = new Set(all.flatMap(({ frameId, error }) => error ? [] : [frameId]));
  const gone = new Set();
  const frames = all.filter(({ frameId, parent, ownerBackendNodeId, error }) => {
    if (!parent || !error && !gone.has(parent)) return true;
    if (error === 'detached' || gone.has(parent)) gone.add(frameId);
    // A session can outlive its frame, and a frame its process: what has no element, was read wasRead or stands in what is gone is not there.
    return ownerBackendNodeId && !gone.has(parent) && !wasRead.has(frameId);
  });
  return {
    v: 1, capture, tab, url: root.url, title, time: Date.now(), complete: true, frames,
    layout: Object.fromEntries(sessions.map(({ ordinal }, at) => [ordinal, facts[at].layout])),
    redacted: facts.reduce((sum, { redacted }) => sum + redacted, 0),
  };
}

/**
 * Lists the frames by session, parents first, and says which will not be read.
 * @param {Reading} reading
 * @returns {Promise<{sessions: Session[], unseen: boolean}>} unseen: the page is not being rendered
 */
async function findFrames(reading) {
  const { tab, ordinals, limits, scope } = reading;
  /** @param {string} targetId @param {number} [ms] */
  const look = (targetId, ms) => Promise.all([
    ask(reading, targetId, 'Page.getFrameTree', undefined, ms),
    // Not to be had where scripts are switched off.
    ask(reading, targetId, 'Runtime.evaluate', { expression: '[document.all.length, document.hidden]', returnByValue: true }, ms).catch(() => undefined),
  ]).then(async ([{ frameTree }, size]) => {
    const [elements, unseen] = /** @type {unknown[]} */ (size?.result.value ?? []);
    const frames = await Promise.all(flatten(frameTree).map(async frame => ({ ...frame, origin: await originIn(tab, targetId, frame) })));
    return { frames, elements: Number(elements), unseen: unseen === true };
  });

  const [root, below] = await Promise.all([look('', limits.stallMs), children(tab)]);
  const found = await Promise.all(below.map(child => look(child.targetId, limits.frameMs).then(
    seen => [{ ...child, ...seen }],
    thrown => {
      if (asFault(thrown).code !== 'detached') return [{ ...child, ...unanswered(child) }];
      forgetChild(tab, child.targetId);
      return [];
    })));
  let { next } = reading;
  let budget = limits.frames;
  const sessions = [{ targetId: '', parent: '', ...root }, ...found.flat()]
    .map(({ targetId, parent, frames, elements }) => {
      const ordinal = targetId === '' ? 0 : ordinals[targetId] ?? next++;
      return {
        targetId, parent, ordinal, elements,
        frames: frames.map(({ id, parentId = '', loaderId, url, urlFragment = '', origin }) => {
          const entry = {
            frameId: id, parent: parentId, ownerBackendNodeId: 0, session: ordinal, targetId, loaderId, url: url + urlFragment,
            origin, nodes: [], pending: [], error: /** @type {string | null} */ (null),
          };
          if (loaderId === '') entry.error = 'timeout';
          else if (parentId && withheld(scope, entry.origin, entry.url)) entry.error = 'not_allowed';
          else if (parentId && leftOut(url)) entry.error = 'left_out';
          else if (parentId && budget-- <= 0) entry.error = 'over_limit';
          return entry;
        }),
      };
    });
  return { sessions, unseen: root.unseen };
}

/** What is known of an OOPIF that does not answer. @param {Child} child */
const unanswered = ({ targetId, parentFrameId }) => ({
  elements: 0,
  frames: [/** @type {Frame & {origin: string}} */ ({ id: targetId, parentId: parentFrameId, loaderId: '', url: '', origin: opaque })],
});

/** Joins the frames to their elements. @param {Reading} reading @param {Session[]} sessions */
async function findOwners(reading, sessions) {
  await Promise.all(sessions.flatMap(({ targetId, parent, frames }) => frames.map(async frame => {
    if (!frame.parent) return;
    const above = frame.frameId === targetId ? parent : targetId;
    const owner = await ask(reading, above, 'DOM.getFrameOwner', { frameId: frame.frameId }, reading.limits.frameMs).catch(thrown => asFault(thrown));
    if (!(owner instanceof Fault)) frame.ownerBackendNodeId = owner.backendNodeId;
    else fail(frame, owner);
  })));
}

/**
 * Reads the nodes and layout of one session's frames and blanks their secrets.
 * @param {Reading} reading @param {Session} session
 * @returns {Promise<{layout: Layout, redacted: number}>}
 */
async function readSession(reading, session) {
  const { frames } = session;
  const [snapshot] = await Promise.all([snapshotOf(reading, session), readTrees(reading, session)]);
  const shown = snapshot && session.elements <= maxShownElements && skips(snapshot, frames.map(frame => frame.nodes))
    ? await readShown(reading, session) : undefined;
  const which = new Map(frames.flatMap(frame => frame.nodes.flatMap(wanted)));
  const texts = new Set(frames.flatMap(frame => frame.nodes.flatMap(node => isText(node) ? [node.backendDOMNodeId ?? 0] : [])));
  const layout = snapshot ? layoutOf(snapshot, which, texts) : await layoutWithout(reading, session);
  // What was shown for a moment only is known from then; all else stands where it stood.
  for (const [id, facts] of Object.entries(shown ? layoutOf(shown, which, texts) : {})) layout[id] ??= facts;
  let redacted = 0;
  for (const { nodes, loaderId } of frames) {
    const found = blank(nodes, id => layout[id], await passwordsOf(loaderId), await markedOf(loaderId));
    redacted += found.redacted;
    await rememberPasswords(loaderId, found.passwords);
  }
  return { layout, redacted };
}

/** Reads the frames' AX trees, one after the other since one process answers for all. @param {Reading} reading @param {Session} session */
async function readTrees(reading, { targetId, frames }) {
  const { limits } = reading;
  /** @param {FrameEntry} frame */
  const tree = async frame => {
    const ms = frame.parent ? Math.min(limits.frameMs, reading.deadline - Date.now()) : limits.stallMs;
    if (ms <= 0) throw new Fault('timeout', `over the limit of ${limits.totalMs} ms for all frames`);
    const asked = !frame.parent && reading.root || ask(reading, targetId, 'Accessibility.getFullAXTree', { frameId: frame.frameId }, ms);
    frame.nodes = (await asked).nodes;
    if (frame.parent) return;
    reading.root = undefined;
    reading.deadline = Date.now() + limits.totalMs; // the root's time is its own
    if (!frame.nodes.some(node => !node.ignored)) throw new Fault('capture_failed', 'the page is empty');
  };
  /** @param {FrameEntry[]} some */
  const each = async some => {
    for (const frame of some) {
      if (frame.error) continue;
      await tree(frame).catch(thrown => fail(frame, asFault(thrown)));
    }
  };
  await each(frames);
  // A document that was replaced meanwhile is read again, once.
  const after = await ask(reading, targetId, 'Page.getFrameTree', undefined, limits.frameMs).catch(asFault);
  if (after instanceof Fault) return frames.forEach(frame => fail(frame, after));
  const now = new Map(flatten(after.frameTree).map(frame => [frame.id, frame]));
  const replaced = [];
  for (const frame of frames) {
    const is = now.get(frame.frameId);
    if (is?.loaderId === frame.loaderId || frame.error) continue;
    if (!is) {
      fail(frame, new Fault('detached'));
      continue;
    }
    Object.assign(frame, { loaderId: is.loaderId, url: is.url + (is.urlFragment ?? ''), origin: await originIn(reading.tab, targetId, is) });
    if (frame.parent && withheld(reading.scope, frame.origin, frame.url)) Object.assign(frame, { nodes: [], error: 'not_allowed' });
    else replaced.push(frame);
  }
  await each(replaced);
}

// Run in an isolated world, so that the page's own code is not called. What stands in the middle of the viewport stays there.
const show = `{ const sheet = new CSSStyleSheet(), middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  sheet.replaceSync(':not([hidden]) { content-visibility: visible !important }');
  globalThis.shown = { sheet, middle, top: middle?.getBoundingClientRect().top };
  document.adoptedStyleSheets.push(sheet); }`;
const unshow = `{ const { sheet, middle, top } = globalThis.shown;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter(one => one !== sheet);
  if (middle) scrollBy({ top: middle.getBoundingClientRect().top - top, behavior: 'instant' }); }`;

/**
 * Reads the frames again while all that content-visibility: auto leaves out is shown.
 * @param {Reading} reading @param {Session} session
 */
async function readShown(reading, session) {
  const { tab } = reading;
  const { targetId, frames } = session;
  const worlds = await Promise.all(frames.filter(frame => !frame.error).map(frame => world(tab, targetId, frame.frameId).catch(() => undefined)));
  /** @param {string} expression */
  const run = expression => Promise.all(worlds.map(contextId =>
    contextId && send(tab, targetId, 'Runtime.evaluate', { expression, contextId }).catch(() => undefined))); // a frame that went away
  await run(show);
  try {
    return (await Promise.all([snapshotOf(reading, session), readTrees(reading, session)]))[0];
  } finally {
    await run(unshow);
  }
}

/** @param {FrameEntry} frame @param {Fault} fault @throws when it is the root that failed */
function fail(frame, fault) {
  if (!frame.parent || fault.code === 'canceled') throw fault;
  frame.nodes = [];
  frame.error ??= fault.code === 'internal' ? 'failed' : fault.code;
}

/** @param {Reading} reading @param {Session} session */
async function snapshotOf(reading, { targetId, elements }) {
  if (elements > maxSnapshotElements) return undefined;
  const { stallMs, frameMs } = reading.limits;
  return ask(reading, targetId, 'DOMSnapshot.captureSnapshot', { computedStyles: styles }, targetId ? frameMs : stallMs).catch(() => undefined);
}

/** @param {AXNode} node */
const isText = ({ ignored, role }) => !ignored && role?.value === 'StaticText';

/** Nodes whose place is worth telling; true for those whose attributes are, too. @param {AXNode} node @returns {[number, boolean][]} */
function wanted({ ignored, role, backendDOMNodeId, properties = [] }) {
  if (ignored || !backendDOMNodeId || /^(StaticText|InlineTextBox|LineBreak|ListMarker)$/.test(role?.value)) return [];
  return [[backendDOMNodeId, properties.some(({ name, value }) => name === 'focusable' && value.value === true) || /^(image|img|svgroot|button|link|tab|menuitem.*)$/i.test(role?.value)]];
}

/**
 * Layout facts without a snapshot: who listens to clicks, and the attributes of fields.
 * @param {Reading} reading @param {Session} session
 * @returns {Promise<Layout>}
 */
async function layoutWithout(reading, { targetId, frames }) {
  /** @type {Layout} */
  const layout = {};
  const { result } = await ask(reading, targetId, 'Runtime.evaluate', { expression: 'document' }).catch(() => ({ result: undefined }));
  if (result?.objectId) {
    const { listeners } = await ask(reading, targetId, 'DOMDebugger.getEventListeners', { objectId: result.objectId, depth: -1, pierce: true }).catch(() => ({ listeners: [] }));
    Object.assign(layout, layoutOfListeners(listeners, frames.map(frame => frame.nodes)));
    await ask(reading, targetId, 'Runtime.releaseObject', { objectId: result.objectId }).catch(() => {});
  }
  const fields = frames.flatMap(frame => frame.nodes.filter(node => node.value?.value && node.backendDOMNodeId)).slice(0, maxFieldsAsked);
  await Promise.all(fields.map(async ({ backendDOMNodeId: id = 0 }) => {
    const described = await ask(reading, targetId, 'DOM.describeNode', { backendNodeId: id }).catch(() => undefined);
    if (described) layout[id] = { ...layout[id], ...factsOfAttributes(described.node.localName, described.node.attributes ?? []) };
  }));
  return layout;
}

/**
 * Sends a command unless the capture was canceled, and answers when it is.
 * @template {keyof Commands} M
 * @param {Reading} reading @param {string} targetId @param {M} method
 * @param {Commands[M]['paramsType'][0]} [params] @param {number} [ms]
 * @returns {Promise<Commands[M]['returnType']>}
 */
function ask({ tab, signal }, targetId, method, params, ms) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Fault('canceled'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    send(tab, targetId, method, params, ms).then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
