// Records the answers in fixtures/ from Chromium, through chrome.debugger and the
// pages of testdata/pages:  node extension/test/record.js
// To be run again when layout.js asks for other styles, or capture.js for more.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styles } from '../src/layout.js';

const path = (/** @type {string} */ from) => fileURLToPath(new URL(from, import.meta.url));
const profile = mkdtempSync(join(tmpdir(), 'handrail-record-'));
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://localhost');
  response.setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html');
  const file = path(`../../testdata/pages${pathname}`);
  response.end(existsSync(file) ? readFileSync(file) : '');
}).listen(0);
const address = server.address();
const port = typeof address === 'object' ? address?.port : 0;

const browser = spawn(process.env.HANDRAIL_CHROMIUM ?? 'chromium', [
  '--headless=new', '--no-sandbox', '--no-first-run', '--remote-debugging-pipe', '--enable-unsafe-extension-debugging', `--user-data-dir=${profile}`, 'about:blank',
], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
const [, , , out, into] = /** @type {any[]} */ (browser.stdio);
/** @type {Map<number, (answer: any) => void>} */
const waiting = new Map();
let unread = '';
into.on('data', (/** @type {Buffer} */ data) => {
  const messages = (unread + data).split('\0');
  unread = messages.pop() ?? '';
  for (const message of messages.map(text => JSON.parse(text))) waiting.get(message.id)?.(message);
});
const cdp = (/** @type {string} */ method, /** @type {object} */ params, /** @type {string} */ sessionId) => new Promise((resolve, reject) => {
  const id = waiting.size + 1;
  waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
  out.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
});
const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms));
const open = async (/** @type {string} */ url) => {
  const { targetId } = await cdp('Target.createTarget', { url }, '');
  await pause(1500); // its frames load, too
  return (await cdp('Target.attachToTarget', { targetId, flatten: true }, '')).sessionId;
};
const evaluate = async (/** @type {string} */ session, /** @type {string} */ expression) => {
  const { result, exceptionDetails } = await cdp('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, session);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
  return result.value;
};

/** Runs in a page of the extension. @param {any} chrome @param {string} page @param {string[]} styles */
async function record(chrome, page, styles) {
  const tab = (await chrome.tabs.query({})).find((/** @type {any} */ one) => one.url.includes(`/${page}.html`));
  const auto = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: [{ type: 'iframe' }] };
  /** @type {any[]} */
  const events = [];
  /** @type {any[]} */
  const replies = [];
  const send = (/** @type {string} */ sessionId, /** @type {string} */ method, /** @type {object} */ params = {}) =>
    chrome.debugger.sendCommand({ tabId: tab.id, ...(sessionId ? { sessionId } : {}) }, method, params);
  const keep = async (/** @type {string} */ session, /** @type {string} */ method, /** @type {any} */ params = undefined) => {
    const result = await send(session, method, params);
    replies.push({ session, method, ...(params?.frameId ? { params } : {}), result });
    return result;
  };
  chrome.debugger.onEvent.addListener((/** @type {any} */ { sessionId = '' }, /** @type {string} */ event, /** @type {any} */ params) => {
    if (event !== 'Target.attachedToTarget') return;
    events.push({ session: sessionId, event, params });
    send(params.sessionId, 'Target.setAutoAttach', auto);
  });
  await chrome.debugger.attach({ tabId: tab.id }, '1.3');
  await send('', 'Target.setAutoAttach', auto);
  await new Promise(resolve => setTimeout(resolve, 500));
  const frames = (/** @type {any} */ { frame, childFrames = [] }) => [frame, ...childFrames.flatMap(frames)];
  for (const session of ['', ...events.map(one => one.params.sessionId)]) {
    const [root, ...below] = frames((await keep(session, 'Page.getFrameTree')).frameTree);
    for (const { id: frameId } of [root, ...below]) await keep(session, 'Accessibility.getFullAXTree', { frameId });
    const inside = events.filter(one => one.session === session).map(one => one.params.targetInfo.targetId);
    for (const frameId of [...below.map(frame => frame.id), ...inside]) await keep(session, 'DOM.getFrameOwner', { frameId });
    await keep(session, 'DOMSnapshot.captureSnapshot', { computedStyles: styles });
  }
  await chrome.debugger.detach({ tabId: tab.id });
  return { tab: { id: 7, windowId: 1, active: true, url: tab.url, title: tab.title }, events, replies };
}

try {
  const { id } = await cdp('Extensions.loadUnpacked', { path: path('..') }, '');
  const extension = await open(`chrome-extension://${id}/offscreen.html`);
  for (const page of ['frames', 'secrets', 'targets']) {
    const query = new URLSearchParams({ cross: `http://localhost:${port}`, nested: `http://nested.localhost:${port}` });
    const session = await open(`http://127.0.0.1:${port}/${page}.html?${query}`);
    if (page === 'secrets') await evaluate(session, `document.getElementById('typed').value = 'typed-hunter2'`);
    const recorded = await evaluate(extension, `(${record})(chrome, '${page}', ${JSON.stringify(styles)})`);
    const text = JSON.stringify(recorded).replaceAll(`:${port}`, ':8080').replaceAll(`%3A${port}`, '%3A8080').replace(/\{"(session|backendDOMNodeId)":/g, '\n$&');
    writeFileSync(path(`fixtures/${page}.json`), text + '\n');
  }
} finally {
  process.kill(-Number(browser.pid), 'SIGKILL'); // with all its processes
  await new Promise(resolve => browser.once('exit', resolve));
  server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
}
