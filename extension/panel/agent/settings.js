// Which model the agent asks, what it may use, and the key, which belongs to the
// server that it was given for and to no other.

/** @typedef {import('./model.js').Provider} Provider */
/** @typedef {import('./model.js').Choice} Choice */
/** @typedef {{provider: Provider, endpoint: string, model: string, pictures: boolean, steps: number, tokens: number, key: string, keyOrigin: string}} Settings */

export const storageKey = 'agent';
export const defaults = { steps: 40, tokens: 300_000 };
const longest = { steps: 1000, tokens: 100_000_000 };

/** @type {Record<Provider, {label: string, endpoint: string}>} */
export const providers = {
  openai: { label: 'OpenAI-compatible', endpoint: 'http://localhost:11434/v1' },
  anthropic: { label: 'Anthropic', endpoint: 'https://api.anthropic.com/v1' },
  'built-in': { label: 'Built into Chrome', endpoint: '' },
};

/** Reads what was kept, which may be of another version. @param {unknown} kept @returns {Settings} */
export function settingsOf(kept) {
  const { provider, endpoint, model, pictures, steps, tokens, key, keyOrigin } = /** @type {Record<string, unknown>} */ (Object(kept));
  const known = /** @type {Provider[]} */ (Object.keys(providers)).find(one => one === provider) ?? 'openai';
  return {
    provider: known, endpoint: wordOf(endpoint) || providers[known].endpoint, model: wordOf(model), pictures: pictures === true,
    steps: countOf(steps, 'steps'), tokens: countOf(tokens, 'tokens'), key: wordOf(key), keyOrigin: wordOf(keyOrigin),
  };
}

/** @param {unknown} value */
const wordOf = value => (typeof value === 'string' ? value.trim() : '');

/** @param {unknown} value @param {'steps' | 'tokens'} what */
function countOf(value, what) {
  const count = Number(value);
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, longest[what]) : defaults[what];
}

/** The origin of an endpoint; '' where there is none. @param {Settings} settings */
export const originOf = ({ provider, endpoint }) => (provider === 'built-in' || !URL.canParse(endpoint) ? '' : new URL(endpoint).origin);

/**
 * Takes what a person chose. A key that was kept stays with its server: for another
 * one it has to be typed.
 * @param {Settings} before @param {unknown} chosen key: '' keeps the one before
 * @returns {Settings}
 */
export function change(before, chosen) {
  const now = settingsOf(chosen);
  const origin = originOf(now);
  if (now.key) return { ...now, keyOrigin: origin };
  const same = origin !== '' && origin === before.keyOrigin;
  // While another provider is chosen the key waits for its server.
  const waits = origin === '';
  return { ...now, key: same || waits ? before.key : '', keyOrigin: same || waits ? before.keyOrigin : '' };
}

/** Why settings cannot be used; '' when they can. @param {Settings} settings */
export function whyNot(settings) {
  const { provider, endpoint, model } = settings;
  if (provider === 'built-in') return '';
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) return 'The endpoint is no http or https address';
  const { protocol, hostname, username, password } = new URL(endpoint);
  if (username || password) return 'The endpoint holds a name or password: give a key instead';
  if (protocol === 'http:' && !/^(localhost|127\.0\.0\.1)$/.test(hostname)) return 'Over http only this computer can be asked (localhost, 127.0.0.1): what pages say would travel in clear';
  return model ? '' : 'Name a model';
}

/** @param {Settings} settings @returns {Choice} what a model is opened by */
export function choiceOf(settings) {
  const { provider, endpoint, model, pictures, key, keyOrigin } = settings;
  return { provider, endpoint, model, pictures, key: keyOrigin && keyOrigin === originOf(settings) ? key : '' };
}

/** The pattern by which Chrome lets the extension ask a server, on any port. @param {string} origin */
export function patternOf(origin) {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname}/*`;
}
