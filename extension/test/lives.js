// Lets a test start the worker's modules anew, as Chrome does with a worker that
// was stopped: import('../sw.js?life=2') gives that life's own copy of every module.

import { register } from 'node:module';

register('data:text/javascript,' + encodeURIComponent(`
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    const life = /[?]life=\\w+$/.exec(context.parentURL ?? '');
    if (life && resolved.url.startsWith('file:') && !resolved.url.includes('?')) resolved.url += life[0];
    return resolved;
  }`));

// The worker's long timers (a tab is let go of after 30 s) must not keep a test's
// process alive. To end it by force would lose tests that have not begun.
const longMs = 10_000;
const { setTimeout: timer } = globalThis;
globalThis.setTimeout = /** @type {typeof setTimeout} */ (/** @type {unknown} */ ((/** @type {any[]} */ ...args) => {
  const set = timer(.../** @type {[() => void, number]} */ (args));
  if (Number(args[1]) >= longMs) set.unref();
  return set;
}));

let lives = 0;

/**
 * Imports a module of the extension into a life of its own.
 * @param {string} path from extension/
 * @param {number} [life] that of an earlier import, to be in the same
 */
export const start = (path, life = ++lives) => import(new URL(`../${path}?life=${life}`, import.meta.url).href);

/** The life that the next start() will have. */
export const nextLife = () => lives + 1;
