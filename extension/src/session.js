// CDP sessions: one attachment for each tab that is in use, and one session for
// each frame of it that has a process of its own (an OOPIF).
//
// Promises: a tab is attached once, by one caller at a time; it is detached 30 s
// after its last use; every command ends within its deadline, whatever happens to
// the page (a crash or an open dialog would leave it hanging); a new worker
// adopts or detaches what the one before it left attached.
//
//   await use(tab, async () => {
//     const { frameTree } = await send(tab, '', 'Page.getFrameTree');
//     const context = await world(tab, '', frameTree.frame.id);
//   });
//
// A target is named by its CDP targetId as in the protocol's Target: '' is the
// tab itself. All failures are Faults: detached, unknown_tab, restricted_page,
// debugger_taken, canceled_by_user, page_crashed, dialog_open, timeout, or
// internal with the CDP error's words in `cdp`.

import * as browser from './chrome.js';
import { Fault, asFault, detachCodes, quoted } from './fault.js';
import { tellInput } from './in-page.js';
import { restricted } from './tabs.js';

/** @typedef {import('devtools-protocol/types/protocol-mapping.js').ProtocolMapping.Commands} Commands */
/** @typedef {import('./wire.js').Code} Code */
/** @typedef {{targetId: string, type: string, message: string}} Dialog an open dialog of the page */
/** @typedef {{targetId: string, session: string, parent: string, parentFrameId: string}} Child an OOPIF's session; parent is the targetId above it */
/** @typedef {{targetId: string, method: string, reject: (fault: Fault) => void}} Call */
/** @typedef {(method: string, params: any, targetId: string) => void} Listener */

/**
 * @typedef {object} Attachment
 * @property {boolean} attached
 * @property {Fault} ended why it is not attached
 * @property {Promise<void>} queue attaching and detaching, one after the other
 * @property {number} uses
 * @property {number} last time of its last use
 * @property {ReturnType<typeof setTimeout> | undefined} idle
 * @property {Map<string, Child>} children by targetId
 * @property {Set<Promise<unknown>>} joining children being set up
 * @property {Set<Call>} calls commands without an answer yet
 * @property {Set<Listener>} listeners
 * @property {Dialog | null} dialog
 * @property {boolean} crashed
 * @property {Promise<void> | null} awake
 * @property {Set<string>} consoles sessions that tell of their console
 * @property {number} acts that are being done, whose input is not the person's
 */

const idleMs = 30_000;
const deadlineMs = 10_000;
const worldName = 'Handrail';
const inputBinding = 'handrailInput';
const attachedKey = 'attached:'; // + tab → time of its last use
const stoppedKey = 'stopped:'; // + tab: the user ended debugging there

/** @type {Map<number, Attachment>} */
const attachments = new Map();

/** Told what happens to tabs that are attached. @type {(event: import('./wire.js').Event) => void} */
let report = () => {};
/** @param {typeof report} listener */
export const onReport = listener => void (report = listener);

/** @param {number} tab */
function attachmentOf(tab) {
  let state = attachments.get(tab);
  if (!state) {
    state = {
      attached: false, ended: new Fault('detached', 'the tab is not attached'), queue: Promise.resolve(), uses: 0, last: 0, idle: undefined, children: new Map(), joining: new Set(),
      calls: new Set(), listeners: new Set(), dialog: null, crashed: false, awake: null, consoles: new Set(), acts: 0,
    };
    attachments.set(tab, state);
  }
  return state;
}

/** @template T @param {Attachment} state @param {() => Promise<T>} task @returns {Promise<T>} */
function inTurn(state, task) {
  const run = state.queue.then(task);
  state.queue = run.then(() => {}, () => {});
  return run;
}

/**
 * Runs work while the tab is attached. Uses may overlap.
 * @template T
 * @param {number} tab
 * @param {() => Promise<T>} work
 * @param {number} [last] when it was asked for, if not now
 * @returns {Promise<T>}
 */
export async function use(tab, work, last) {
  const state = attachmentOf(tab);
  state.uses++;
  clearTimeout(state.idle);
  try {
    await refuseRestricted(tab);
    if (!state.attached) await inTurn(state, () => attach(tab, state));
    return await work();
  } finally {
    state.uses--;
    state.last = Math.max(state.last, last ?? Date.now());
    rest(tab, state);
  }
}

/**
 * Refuses pages of the browser's own and of this extension, which could be
 * attached to: an act in the panel would switch on what its user has not.
 * @param {number} tab
 */
async function refuseRestricted(tab) {
  const { url = '' } = await browser.getTab(tab).catch(thrown => { throw asFault(thrown); });
  if (restricted(url)) throw new Fault('restricted_page', whyRestricted(url));
}

/** Starts the time after which a tab that nobody uses is detached. @param {number} tab @param {Attachment} state */
function rest(tab, state) {
  clearTimeout(state.idle);
  if (state.uses > 0) return;
  if (!state.attached) return;
  browser.sessionSet({ [attachedKey + tab]: state.last });
  state.idle = setTimeout(() => inTurn(state, () => detach(tab, state)), state.last + idleMs - Date.now());
}

/** @param {number} tab @param {Attachment} state */
async function attach(tab, state) {
  if (state.attached) return;
  const kept = await browser.sessionGet(stoppedKey + tab);
  if (kept[stoppedKey + tab]) throw new Fault('canceled_by_user');
  try {
    await browser.sessionSet({ [attachedKey + tab]: Date.now() });
    await takeDebugger(tab);
    state.attached = true;
    await setUp(tab, state, '');
  } catch (thrown) {
    const fault = asFault(thrown);
    if (state.attached) await detach(tab, state, true);
    else {
      if (fault.code === 'timeout') await browser.detachDebugger(tab).catch(() => {}); // it was this extension's, and could not be adopted
      await browser.sessionRemove(attachedKey + tab);
    }
    throw fault;
  }
}

/** Attaches the debugger, or adopts it when a worker before this one did. @param {number} tab */
async function takeDebugger(tab) {
  try {
    await browser.attachDebugger(tab);
  } catch (thrown) {
    const fault = asFault(thrown);
    if (fault.code === 'restricted_page') throw new Fault('restricted_page', whyRestricted((await browser.getTab(tab)).url ?? '', fault.message));
    if (fault.code !== 'debugger_taken') throw fault;
    // Child sessions of the worker before are unknown here: switched off and on, they are announced anew.
    const answer = browser.sendCommand(tab, '', 'Target.setAutoAttach', { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<never>} */
    const deadline = new Promise((_, reject) => { timer = setTimeout(() => reject(late('Target.setAutoAttach', deadlineMs)), deadlineMs); });
    await Promise.race([answer.catch(() => { throw fault; }), deadline]).finally(() => clearTimeout(timer));
  }
}

/** @param {string} method @param {number} ms */
const late = (method, ms) => new Fault('timeout', `the page did not answer ${method} within ${ms} ms: it is busy, or a dialog holds it up`);

/** @param {string} url @param {string} [words] the browser's own, for pages that look ordinary */
function whyRestricted(url, words) {
  return restricted(url) && URL.canParse(url) ? `the browser does not let extensions read ${new URL(url).protocol}// pages` : words;
}

/** Switches on what a session needs, and the same for every OOPIF below it. @param {number} tab @param {Attachment} state @param {string} targetId */
async function setUp(tab, state, targetId) {
  const ready = Promise.all([
    send(tab, targetId, 'Page.enable'),
    send(tab, targetId, 'Inspector.enable'),
    send(tab, targetId, 'Target.setAutoAttach', {
      autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{ type: 'iframe' }],
    }),
  ]);
  const source = `(${tellInput})(${JSON.stringify(inputBinding)})`;
  send(tab, targetId, 'Page.addScriptToEvaluateOnNewDocument', { source, worldName, runImmediately: true }).catch(() => {});
  await ready;
  while (targetId === '' && state.joining.size > 0) await Promise.all(state.joining);
}

/**
 * Has every frame of a session tell of input from here on, until the tab is
 * detached. Without Runtime.enable, which is dear, a binding is given to the worlds
 * that are there: it is given anew whenever a page is read. Nobody waits for it.
 * @param {number} tab in use @param {string} targetId
 */
export function watchInput(tab, targetId) {
  const binding = { name: inputBinding, executionContextName: worldName };
  send(tab, targetId, 'Runtime.removeBinding', { name: inputBinding }).catch(() => {});
  send(tab, targetId, 'Runtime.addBinding', binding).catch(() => {});
}

/**
 * Runs an act in a tab in use: input that the page tells of meanwhile is the act's.
 * @template T @param {number} tab @param {() => Promise<T>} act @returns {Promise<T>}
 */
export async function acting(tab, act) {
  const state = attachmentOf(tab);
  state.acts++;
  try {
    return await act();
  } finally {
    state.acts--;
  }
}

/** @param {number} tab @param {Attachment} state @param {boolean} [whatever] detach even while in use */
async function detach(tab, state, whatever = false) {
  if (!state.attached || (state.uses > 0 && !whatever)) return;
  drop(tab, state, new Fault('detached', 'the tab was let go of'));
  await browser.detachDebugger(tab).catch(() => {}); // it may be gone by itself
  report({ tab, kind: 'detached', reason: 'idle' });
}

/** Forgets an attachment that is over. @param {number} tab @param {Attachment} state @param {Fault} fault */
function drop(tab, state, fault) {
  state.attached = false;
  state.ended = fault;
  state.crashed = false;
  state.dialog = null;
  state.awake = null;
  state.consoles.clear();
  state.children.clear();
  for (const call of state.calls) call.reject(fault);
  clearTimeout(state.idle);
  browser.sessionRemove(attachedKey + tab);
}

/**
 * Sends a CDP command to a tab in use.
 * @template {keyof Commands} M
 * @param {number} tab
 * @param {string} targetId OOPIF's target; '' is the tab itself
 * @param {M} method
 * @param {Commands[M]['paramsType'][0]} [params]
 * @param {number} [ms] deadline
 * @returns {Promise<Commands[M]['returnType']>}
 */
export function send(tab, targetId, method, params, ms = deadlineMs) {
  const state = attachments.get(tab);
  const child = targetId ? state?.children.get(targetId) : undefined;
  if (!state?.attached) return Promise.reject(state?.ended ?? new Fault('detached'));
  if (targetId && !child) return Promise.reject(new Fault('detached', 'the frame is gone'));
  if (state.dialog && method !== 'Page.handleJavaScriptDialog') return Promise.reject(dialogFault(state.dialog));
  // A crashed page can only be loaded again.
  if (state.crashed && !targetId && method !== 'Page.navigate' && method !== 'Page.reload') return Promise.reject(new Fault('page_crashed'));
  return new Promise((resolve, reject) => {
    /** @type {Call} */
    const call = { targetId, method, reject: fault => { settle(); reject(fault); } };
    const timer = setTimeout(() => call.reject(late(method, ms)), ms);
    const settle = () => {
      clearTimeout(timer);
      state.calls.delete(call);
    };
    state.calls.add(call);
    browser.sendCommand(tab, child?.session ?? '', method, params ?? {}).then(
      result => { settle(); resolve(/** @type {any} */ (result)); },
      thrown => call.reject(asFault(thrown)));
  });
}

/**
 * Makes, or finds, this extension's isolated world in a frame.
 * @param {number} tab @param {string} targetId @param {string} frameId
 * @returns {Promise<number>} executionContextId
 */
export async function world(tab, targetId, frameId) {
  return (await send(tab, targetId, 'Page.createIsolatedWorld', { frameId, worldName })).executionContextId;
}

/** The OOPIFs of a tab in use, parents first. @param {number} tab @returns {Promise<Child[]>} */
export async function children(tab) {
  const state = attachmentOf(tab);
  while (state.joining.size > 0) await Promise.all(state.joining);
  return [...state.children.values()];
}

/** Forgets an OOPIF that was found to be gone without a word. @param {number} tab @param {string} targetId */
export function forgetChild(tab, targetId) {
  forget(attachmentOf(tab), targetId);
}

/** @param {Dialog} dialog */
const dialogFault = ({ type, message }) => new Fault('dialog_open', `a dialog of the page waits for an answer: ${type} ${quoted(message)}`);

/** The dialog that holds the tab up, if one is open. @param {number} tab */
export const dialogOf = tab => attachments.get(tab)?.dialog ?? null;

/** Refuses while a dialog holds the tab up. @param {number} tab */
export function noDialog(tab) {
  const dialog = dialogOf(tab);
  if (dialog) throw dialogFault(dialog);
}

/**
 * Listens to the CDP events of a tab in use. Enabled: Page and Inspector.
 * @param {number} tab @param {Listener} listener
 * @returns {() => void} ends it
 */
export function listen(tab, listener) {
  const { listeners } = attachmentOf(tab);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Makes a tab in the background render, as long as it is attached: its tree is
 * stale or empty otherwise.
 * @param {number} tab
 */
export function awake(tab) {
  const state = attachmentOf(tab);
  state.awake ??= (async () => {
    await Promise.all([
      send(tab, '', 'Emulation.setFocusEmulationEnabled', { enabled: true }),
      send(tab, '', 'Page.setWebLifecycleState', { state: 'active' }),
    ]);
    await send(tab, '', 'Runtime.evaluate', { expression: 'new Promise(requestAnimationFrame)', awaitPromise: true }, 1000).catch(() => {});
  })().catch(fault => { state.awake = null; throw fault; });
  return state.awake;
}

/**
 * Has a session tell what its console is told, from here on until the tab is
 * detached: what was told before is told again whenever that is switched on, which
 * takes 150 ms for a thousand objects. Nobody waits for it.
 * @param {number} tab @param {string} targetId
 */
export function tellConsole(tab, targetId) {
  const { children, consoles } = attachmentOf(tab);
  const session = children.get(targetId)?.session ?? '';
  if (consoles.has(session)) return;
  consoles.add(session);
  for (const domain of /** @type {const} */ (['Runtime', 'Log'])) send(tab, targetId, `${domain}.enable`).catch(() => consoles.delete(session));
}

// --- what the browser tells

/**
 * Takes CDP events. @param {number} tab @param {string} session @param {string} method @param {any} params
 */
export function handleEvent(tab, session, method, params) {
  const state = attachments.get(tab);
  if (!state?.attached && !state?.uses) return;
  const targetId = session ? targetOf(state, session) : '';
  if (targetId === undefined) return;
  events[method]?.(tab, state, targetId, params);
  for (const listener of state.listeners) listener(method, params, targetId);
}

/** @param {Attachment} state @param {string} session */
function targetOf(state, session) {
  for (const child of state.children.values()) if (child.session === session) return child.targetId;
  return undefined;
}

/** @type {Record<string, (tab: number, state: Attachment, targetId: string, params: any) => void>} */
const events = {
  'Target.attachedToTarget'(tab, state, parent, { sessionId, targetInfo }) {
    const { targetId, parentFrameId = '' } = targetInfo;
    state.children.set(targetId, { targetId, session: sessionId, parent, parentFrameId });
    // A frame that goes away while it is being set up is nobody's failure.
    const joining = setUp(tab, state, targetId).catch(() => {}).finally(() => state.joining.delete(joining));
    state.joining.add(joining);
  },
  'Target.detachedFromTarget'(_tab, state, _parent, { sessionId }) {
    const targetId = targetOf(state, sessionId);
    if (targetId) forget(state, targetId);
  },
  'Page.frameNavigated'(tab, state, targetId, { frame }) {
    if (frame.parentId) return;
    if (targetId === '') report({ tab, kind: 'navigated' });
  },
  'Page.navigatedWithinDocument'(tab, _state, targetId) {
    if (targetId === '') report({ tab, kind: 'navigated', reason: 'same document' });
  },
  'Runtime.bindingCalled'(tab, state, _targetId, { name }) {
    if (name === inputBinding && state.acts === 0) report({ tab, kind: 'input' });
  },
  'Page.javascriptDialogOpening'(_tab, state, targetId, { type, message }) {
    state.dialog = { targetId, type, message };
    for (const call of state.calls) if (call.method !== 'Page.handleJavaScriptDialog') call.reject(dialogFault(state.dialog));
  },
  'Page.javascriptDialogClosed'(_tab, state) {
    state.dialog = null;
  },
  'Inspector.targetCrashed'(tab, state, targetId) {
    if (targetId) return forget(state, targetId);
    state.crashed = true;
    for (const call of state.calls) call.reject(new Fault('page_crashed'));
    report({ tab, kind: 'navigated', reason: 'crashed' });
  },
  'Inspector.targetReloadedAfterCrash'(_tab, state, targetId) {
    if (targetId === '') state.crashed = false;
  },
};

/** Forgets an OOPIF and all below it, which are not announced one by one. @param {Attachment} state @param {string} targetId */
function forget(state, targetId) {
  state.children.delete(targetId);
  for (const call of state.calls) if (call.targetId === targetId) call.reject(new Fault('detached', 'the frame is gone'));
  for (const child of [...state.children.values()]) if (child.parent === targetId) forget(state, child.targetId);
}

/** Takes the end of an attachment that this worker did not ask for. @param {number} tab @param {string} reason */
export async function handleDetach(tab, reason) {
  const state = attachments.get(tab);
  if (state) state.attached = false; // nothing more is sent while the reason is found out
  let code = detachCodes[reason] ?? 'detached';
  if (code === 'canceled_by_user') await browser.sessionSet({ [stoppedKey + tab]: true });
  // A tab that moves to a page of the browser's own is let go of as if it were closed.
  if (code === 'unknown_tab' && await browser.getTab(tab).then(() => true, () => false)) code = 'restricted_page';
  if (state) drop(tab, state, new Fault(code));
  report({ tab, kind: 'detached', reason: code });
}

/** Takes the end of a tab. @param {number} tab */
export function handleClosed(tab) {
  attachments.delete(tab);
  browser.sessionRemove([attachedKey + tab, stoppedKey + tab]);
  report({ tab, kind: 'closed' });
}

/** The user asks for this tab again after ending its debugging. @param {number} tab */
export const allowAgain = tab => browser.sessionRemove(stoppedKey + tab);

/** Adopts the tabs that a worker before this one left attached; those idle for too long are let go of. */
export async function adopt() {
  const kept = await browser.sessionGet();
  await Promise.all(Object.entries(kept).map(async ([key, last]) => {
    if (!key.startsWith(attachedKey)) return;
    const tab = Number(key.slice(attachedKey.length));
    if (Date.now() - Number(last) < idleMs) {
      // Nobody asked for it: it is let go of when the worker before would have done so.
      return use(tab, async () => {}, Number(last)).catch(() => {});
    }
    await browser.detachDebugger(tab).catch(() => {}); // closed meanwhile
    await browser.sessionRemove(key);
  }));
}
