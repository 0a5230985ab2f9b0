// The Sites tab: what clients may do in this browser, by kind and by site.
import { siteOf } from '../src/approvals.js';
import { element } from './element.js';

/** @typedef {import('./link.js').Ask} Ask */
/** @typedef {import('../src/wire.js').Policy} Policy */
/** @typedef {import('../src/wire.js').SiteRule} SiteRule */

/** The selects by kind of request. */
const ids = { read: 'reads', act: 'acts', submit: 'submits', upload: 'uploads', eval: 'eval', reveal: 'reveal' };
const verdicts = ['ask', 'always', 'never'];

/** What holds of a kind on all sites: '' where submits are as acts. @param {Policy} policy @param {string} kind */
export const wideOf = ({ wide, rules }, kind) => (kind === 'submit' && !rules.some(rule => rule.origin === '' && rule.kind === kind) ? '' : wide[kind]);

/** A rule in words. @param {SiteRule} rule */
export function ruleOf({ origin, kind, verdict, expires }) {
  const until = expires ? ` until ${new Date(expires).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })}` : '';
  return `${siteOf(origin)}: ${verdict === 'ask' ? 'ask to' : verdict} ${kind}${until}`;
}

/** @param {Ask} ask @returns {import('./panel.js').Tab} */
export function openSites(ask) {
  const state = element('sites-state', HTMLParagraphElement);
  const list = element('rules', HTMLUListElement);
  /** What is in force, as far as it was told. @type {Policy | undefined} */
  let known;
  /** @param {Policy} policy */
  const show = policy => {
    known = policy;
    for (const [kind, id] of Object.entries(ids)) element(id, HTMLSelectElement).value = wideOf(policy, kind);
    const rules = policy.rules.filter(rule => rule.origin !== '');
    const at = [...list.querySelectorAll('button')].findIndex(button => button === document.activeElement);
    list.replaceChildren(...rules.map(row));
    element('no-rules', HTMLParagraphElement).hidden = rules.length > 0;
    if (at >= 0) ([...list.querySelectorAll('button')].at(Math.min(at, rules.length - 1)) ?? state).focus();
  };
  /** @param {object} change */
  const send = change => ask('policy', change).then(policy => {
    state.textContent = '';
    show(policy);
  }, fault => {
    if (known) show(known); // what was chosen is not in force
    state.textContent = fault?.code === 'detached' ? `${fault.message}: look again whether it was changed` : `Not changed: ${fault?.message ?? fault}`;
  });
  /** @param {SiteRule} rule */
  const row = rule => {
    const line = document.createElement('li');
    line.className = 'row';
    const words = document.createElement('span');
    words.textContent = ruleOf(rule);
    const revoke = document.createElement('button');
    revoke.type = 'button';
    revoke.textContent = 'Revoke';
    revoke.setAttribute('aria-label', `Revoke: ${ruleOf(rule)}`);
    revoke.addEventListener('click', () => send({ action: 'revoke', origin: rule.origin, kind: rule.kind }));
    line.append(words, revoke);
    return line;
  };
  for (const [kind, id] of Object.entries(ids)) {
    const select = element(id, HTMLSelectElement);
    if (kind === 'submit') select.append(new Option('as for acts', ''));
    for (const verdict of verdicts) select.append(new Option(verdict, verdict));
    select.addEventListener('change', () => send(select.value ? { action: 'set', kind, verdict: select.value } : { action: 'revoke', kind }));
  }
  return {
    host({ host, policy, dedicated }) {
      for (const id of Object.values(ids)) element(id, HTMLSelectElement).disabled = host !== 'connected' || dedicated === true;
      if (policy) show(policy);
    },
  };
}
