// What keeps the panel from its work, said plainly, each with what a person can do.

/** @typedef {'again' | 'accept' | 'dismiss' | 'reload' | 'sites'} Remedy */
/**
 * @typedef {object} State
 * @property {string} title what is the matter
 * @property {string} [text] the case, and what to do
 * @property {string} [command] to run in a terminal
 * @property {Remedy[]} [remedies] buttons
 */

const program = '~/.local/share/handrail/bin/handrail';

/** What to do without a host, by the worker's words (src/fault.js). @type {[RegExp, State][]} */
const hostStates = [
  [/not installed/, { title: 'The Handrail host is not installed', text: 'Run this in the folder of Handrail. The panel goes on by itself.', command: './install.sh' }],
  [/does not know this extension/, { title: 'The Handrail host does not know this extension', text: 'Register it, then start the browser anew.', command: `${program} install` }],
  [/could not run/, { title: 'The Handrail host could not run', text: 'This tries each step, and names what puts it right.', command: `${program} doctor` }],
  [/did not speak the protocol/, { title: 'The Handrail host did not speak the protocol', text: 'Something prints on its output, or it is of another release. This tries each step.', command: `${program} doctor` }],
];

/** The state of the host, undefined when all is well. @param {import('./link.js').HostState} state @returns {State | undefined} */
export function hostStateOf({ host, message = '' }) {
  switch (host) {
    case 'connected': return undefined;
    case 'connecting': return { title: 'Connecting to the Handrail host…' };
    case 'skew': return {
      title: 'The extension and the host are of different versions',
      text: 'Install both from one release, then reload the extension in chrome://extensions.', command: './install.sh',
    };
    default: return hostStates.find(([words]) => words.test(message))?.[1] ?? { title: message || 'There is no Handrail host' };
  }
}

/** What kind of page the browser keeps from extensions. @param {string} url @returns {State} */
function restrictedState(url) {
  const { protocol = '', host = '', pathname = '' } = URL.canParse(url) ? new URL(url) : {};
  if (protocol === 'chrome-extension:' && host === 'mhjfbmdgcfjbbpaeojofohoefgiehjai' || /\.pdf$/i.test(pathname)) {
    return { title: 'A PDF cannot be read', text: 'The browser shows it in a viewer that extensions may not enter. Open the document as a web page, if there is one.' };
  }
  if (protocol === 'chrome-extension:') return { title: 'This is a page of an extension', text: 'The browser keeps extensions out of each other\'s pages. Go to a web page.' };
  if (/^https:\/\/(chromewebstore\.google\.com|chrome\.google\.com\/webstore)/.test(url)) {
    return { title: 'The Web Store cannot be read', text: 'The browser keeps extensions out of it. Go to another web page.' };
  }
  if (protocol === 'file:') return { title: 'This file cannot be read', text: 'Switch on "Allow access to file URLs" for Handrail in chrome://extensions.', remedies: ['again'] };
  if (protocol && !/^https?:$/.test(protocol)) return { title: 'This is a page of the browser\'s own', text: `Extensions may not read ${protocol}// pages. Go to a web page.` };
  return { title: 'This page cannot be read', text: 'A frame in it belongs to another extension, or the browser\'s policy forbids it. Switch that extension off for this page, then read again.', remedies: ['again'] };
}

/** By code; what has none here is told in its own words. @type {Record<string, State>} */
const states = {
  debugger_taken: { title: 'Another debugger holds this tab', text: 'Close DevTools, or the other extension that debugs it, then read again.', remedies: ['again'] },
  canceled_by_user: { title: 'Debugging of this tab was ended', text: 'It was ended in the browser\'s own bar. Nothing is read until you ask for it.', remedies: ['again'] },
  page_crashed: { title: 'The page has crashed', text: 'Reload it; what was recorded of it is still there.', remedies: ['reload'] },
  capture_failed: { title: 'The page could not be read', remedies: ['again', 'reload'] },
  timeout: { title: 'The page did not answer in time', text: 'It is busy, or very large. Read again; if it lasts, reload it.', remedies: ['again', 'reload'] },
  canceled: { title: 'Canceled', text: 'The page was not read.', remedies: ['again'] },
  detached: { title: 'The connection to the browser was lost', text: 'It comes back by itself.', remedies: ['again'] },
  unknown_handle: { title: 'What was read is no longer stored', text: 'It was removed, or the store is another one now. Read the page again.', remedies: ['again'] },
  unknown_tab: { title: 'The tab is gone', text: 'Go to another one.' },
  no_page: { title: 'No page is open', text: 'Open one, and it is read.' },
  store_full: { title: 'The disk is full', text: 'Nothing can be recorded, so nothing is read. Free some space, or delete old snapshots.', command: `${program} purge --older-than 7d`, remedies: ['again'] },
  store_read_only: { title: 'The store is read-only', text: 'Nothing can be recorded, so nothing is read. Make its directory writable, or set HANDRAIL_HOME to another one.', command: 'chmod -R u+rwX ~/.local/state/handrail', remedies: ['again'] },
  store_io: { title: 'The disk gave an error', text: 'Check the disk that holds the store.', command: `${program} doctor`, remedies: ['again'] },
  store_newer: { title: 'The store is of a newer Handrail', text: 'Install that release, or set HANDRAIL_HOME to another directory.', command: './install.sh' },
  no_store: { title: 'The state directory cannot be used', text: 'Set HANDRAIL_HOME to a directory that you can write to.', command: `${program} doctor`, remedies: ['again'] },
  busy: { title: 'The store is in use', text: 'Another program holds it for a moment.', remedies: ['again'] },
  not_approved: { title: 'Acts in this browser are not allowed', text: 'Nothing reached the page. Allow it under Sites, then act again.', remedies: ['sites'] },
};

/**
 * The state that a failure stands for.
 * @param {unknown} fault
 * @param {string} [url] of the page
 * @returns {State}
 */
export function stateOf(fault, url = '') {
  const { code = '', message = String(fault), hint = '' } = /** @type {{code?: string, message?: string, hint?: string}} */ (fault ?? {});
  if (code === 'restricted_page') return restrictedState(url);
  if (code === 'dialog_open') return { title: 'The page has a dialog open', text: message.replace(/^a dialog of the page waits for an answer: /, ''), remedies: ['accept', 'dismiss'] };
  if (Object.hasOwn(states, code)) return { text: message, ...states[code] };
  return { title: message, text: hint && `${hint[0].toUpperCase()}${hint.slice(1)}.`, remedies: ['again'] };
}
