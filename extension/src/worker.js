// The worker's life: it keeps a link to the host as long as it lives, and is
// started again when it was stopped. Chrome stops a worker that has nothing to
// do and never starts it by itself, so the offscreen page holds a port that is
// opened anew when it drops, which starts the worker; an alarm is the second net.
//
// Who may connect: pages of this extension, nobody else. The panel's requests go
// to the host as they are; the host judges them.

import { forget, onQuestions, questions, settle } from './approvals.js';
import * as browser from './chrome.js';
import { Fault, asFault, whyNoHost } from './fault.js';
import { unmark } from './mark.js';
import { answer } from './methods.js';
import { Link } from './port.js';
import { adopt, allowAgain, onReport } from './session.js';
import { PartToHost, Protocol, ProtocolMin, narrow } from './wire.js';

/** @typedef {import('./wire.js').Policy} Policy */
/** @typedef {import('./wire.js').Welcome} Welcome */
/** @typedef {{host: 'connected' | 'connecting' | 'none' | 'skew', message?: string, policy?: Policy, dedicated?: boolean}} HostState what the panel is told */

const helloMs = 5000;
const panelMs = 120_000; // a snapshot of a large page, at most
const patienceMs = 3000; // a panel's request waits this long for the host
const retryMs = [50, 200, 500, 1000, 2000, 5000, 15_000, 30_000];
const steadyMs = 10_000; // a link that lasted this long starts the retries anew
const wakeMinutes = 0.5; // the shortest that Chrome allows

/** @type {Link | undefined} a link whose hello was answered */
let link;
/** @type {HostState} */
let state = { host: 'connecting', message: 'connecting to the Handrail host' };
/** @type {Set<browser.Port>} */
const panels = new Set();
/** @type {Set<() => void>} called when a link is there */
const waiting = new Set();
let epoch = 0;
let failures = 0;
let connecting = false;
let started = false;

/** Does what a worker has to do; called for everything that starts or wakes it. */
export function wake() {
  if (!started) {
    started = true;
    onQuestions(now => { for (const panel of panels) panel.postMessage({ questions: now }); });
    forget();
    onReport(event => link?.notify('event', event));
    browser.wakeEvery(wakeMinutes);
    browser.openOffscreen('offscreen.html').catch(() => {}); // opened by a worker before this one
    browser.openPanelOnClick();
    adopt();
  }
  connect();
}

/** Opens a port to a new host, unless there is one. */
async function connect() {
  if (link || connecting) return;
  connecting = true;
  const began = Date.now();
  let why = '';
  try {
    epoch = await nextEpoch();
    const mine = epoch;
    /** @type {Welcome | undefined} */
    let welcome;
    /** @type {Link} */
    const opened = new Link(browser.connectHost(), (method, params, signal) => method === 'rules' ? learn() : answer(method, params, {
      signal, epoch: mine, live: () => link === opened && opened.open, dedicated: welcome?.dedicated ?? false,
    }), reason => {
      why = reason;
      if (link === opened) ended(reason, Date.now() - began);
    });
    try {
      welcome = narrow('Welcome', await opened.call('hello', await hello(mine), helloMs));
    } catch (thrown) {
      opened.close();
      throw thrown;
    }
    opened.part = Math.min(welcome.part || PartToHost, PartToHost);
    if (!opened.open) throw new Fault('detached');
    link = opened;
    tell({ host: 'connected', policy: welcome.policy, dedicated: welcome.dedicated });
    for (const resolve of waiting) resolve();
  } catch (thrown) {
    const fault = asFault(thrown);
    const skew = fault.code === 'bad_version' || fault.code === 'bad_request';
    tell(skew ? { host: 'skew', message: new Fault('bad_version').message } : { host: 'none', message: whyNoHost(why) });
    retry();
  } finally {
    connecting = false;
  }
}

/** @param {string} why @param {number} lasted ms */
function ended(why, lasted) {
  link = undefined;
  if (lasted > steadyMs) failures = 0;
  tell({ host: 'none', message: whyNoHost(why) });
  retry();
}

function retry() {
  setTimeout(connect, retryMs[Math.min(failures++, retryMs.length - 1)]);
}

/** Ports are numbered for the life of the browser; the number is kept before the port is opened. */
async function nextEpoch() {
  const { epoch: last } = await browser.sessionGet('epoch');
  const next = Number(last ?? 0) + 1;
  await browser.sessionSet({ epoch: next });
  return next;
}

/** @param {number} epoch @returns {Promise<import('./wire.js').Hello>} */
async function hello(epoch) {
  let instance = await browser.localGet('instance');
  if (typeof instance !== 'string') {
    instance = crypto.randomUUID();
    await browser.localSet({ instance });
  }
  return {
    min: ProtocolMin, max: Protocol, version: browser.version(), epoch,
    browser: { instance: String(instance), ...browser.browserName() },
  };
}

/** Learns of other rules and tells the panels. */
async function learn() {
  if (link) tell({ ...state, policy: narrow('Policy', await link.call('policy', {}, helloMs)) });
}

/** @param {HostState} now */
function tell(now) {
  state = now;
  for (const panel of panels) panel.postMessage({ state });
}

/** @returns {Promise<Link>} rejects with detached when no host is to be had */
function host() {
  if (link) return Promise.resolve(link);
  connect();
  return new Promise((resolve, reject) => {
    const ready = () => {
      clearTimeout(timer);
      waiting.delete(ready);
      if (link) resolve(link);
    };
    const timer = setTimeout(() => {
      waiting.delete(ready);
      reject(new Fault(state.host === 'skew' ? 'bad_version' : 'detached', state.message));
    }, patienceMs);
    waiting.add(ready);
  });
}

/** Takes a port that a page opened: the panel's requests are forwarded, the offscreen page only holds on. @param {browser.Port} port */
export function handleConnect(port) {
  if (!browser.ownPage(port)) return port.disconnect();
  if (port.name !== 'panel') return;
  panels.add(port);
  /** @type {Map<unknown, AbortController>} */
  const running = new Map();
  port.onDisconnect.addListener(() => {
    panels.delete(port);
    for (const giveUp of running.values()) giveUp.abort(); // nobody waits for it
    unmark();
  });
  port.onMessage.addListener(async message => {
    const { id, cancel } = /** @type {Record<string, unknown>} */ (message ?? {});
    if (cancel !== undefined) return running.get(cancel)?.abort();
    const giveUp = new AbortController();
    running.set(id, giveUp);
    await forward(port, message, giveUp.signal);
    running.delete(id);
  });
  port.postMessage({ questions: questions() });
  port.postMessage({ state });
}

/** @param {browser.Port} panel @param {unknown} message @param {AbortSignal} signal the panel gave it up */
async function forward(panel, message, signal) {
  const { id, method, params, again, question, answer: given } = /** @type {Record<string, unknown>} */ (message ?? {});
  if (typeof question === 'string') return settle(question, narrow('AskResult', given));
  /** @param {object} answer */
  const reply = answer => { if (panels.has(panel)) panel.postMessage({ id, ...answer }); };
  try {
    if (typeof method !== 'string') throw new Fault('bad_request', 'a request without a method');
    const { tab } = /** @type {{tab?: unknown}} */ (params ?? {});
    if (again === true && typeof tab === 'number') await allowAgain(tab);
    const result = await (await host()).call(method, params, panelMs, signal);
    if (method === 'policy') tell({ ...state, policy: narrow('Policy', result) });
    reply({ result });
  } catch (thrown) {
    reply({ error: asFault(thrown).data() });
  }
}
