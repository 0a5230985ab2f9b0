// What the host was given leave for (docs/PROTOCOL.md, Approvals). The host
// decides; here it is compared with what the page is at the moment of the request.
// What is lacking is said in `need`, and nothing was sent then.

import * as browser from './chrome.js';
import { Fault, asFault } from './fault.js';

/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Grant} Grant */
/** @typedef {import('./wire.js').Permit} Permit */
/** @typedef {import('./wire.js').Scope} Scope */
/** @typedef {(kind: Permit['kind'], origin: string) => void} Allow throws not_approved where there is no leave */

/** The origin of pages and frames without a site: data:, sandboxed. */
export const opaque = 'null';
const blank = new Set(['', 'about:blank', 'chrome://newtab/', 'chrome://new-tab-page/']);

/** The origin of an address; '' for a blank page. @param {string} url */
export function originOfPage(url) {
  if (blank.has(url)) return '';
  if (!URL.canParse(url)) return opaque;
  const { protocol, origin } = new URL(url);
  if (protocol === 'file:') return 'file://';
  return /^https?:/.test(origin) ? origin : opaque;
}

/** @param {Permit['kind']} kind @param {string} origin */
const lacking = (kind, origin) => new Fault('not_approved', undefined, { need: { kind, origin } });

/** What a grant allows. @param {Grant} grant @param {boolean} dedicated @returns {Allow} @throws {Fault} not_approved when it is none of this browser */
export function leave({ by, permits }, dedicated) {
  if (by === 'dedicated') {
    if (!dedicated) throw new Fault('not_approved');
    return () => {};
  }
  return (kind, origin) => {
    if (!permits.some(one => one.kind === kind && one.origin === (origin || opaque))) throw lacking(kind, origin || opaque);
  };
}

/** @param {Act} act @returns {Permit['kind']} */
export const kindOf = ({ kind }) => (kind === 'eval' || kind === 'upload' ? kind : 'act');

/** The origin of the page in a tab; '' for a blank one. @param {number} tab */
async function pageOf(tab) {
  const { url = '' } = await browser.getTab(tab).catch(thrown => { throw asFault(thrown); });
  return originOfPage(url);
}

/** Checks the leave for an act on a tab's page. @param {Allow} allow @param {number} tab @param {Act} act */
export async function allowOnPage(allow, tab, act) {
  const page = await pageOf(tab);
  if (act.kind !== 'navigate' && !/^(back|forward|reload)$/.test(act.kind)) return allow(kindOf(act), page);
  if (page !== '') allow('act', page);
  const to = originOfPage(act.url ?? '');
  if (to !== '' && (to !== page || to === opaque)) allow('read', to);
}

/** Checks that a tab shows the page that may be read. @param {number} tab @param {Scope} [scope] without one all may be */
export async function inScope(tab, scope) {
  if (scope) onOrigin(await pageOf(tab), scope);
}

/** @param {string} origin @param {Scope} [scope] */
export function onOrigin(origin, scope) {
  if (scope && (origin || opaque) !== scope.origin) throw lacking('read', origin || opaque);
}

/** Whether a frame is never to be read. @param {Scope | undefined} scope @param {string} origin @param {string} url what a sandboxed frame shows is its address's */
export function withheld(scope, origin, url) {
  if (!scope) return false;
  const address = originOfPage(url);
  const { never, only } = scope;
  return never.includes(origin) || never.includes(address)
    || only !== undefined && !['', scope.origin, ...only].includes(origin === opaque ? address : origin);
}
