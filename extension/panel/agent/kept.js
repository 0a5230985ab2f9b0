// A run outlives its panel as a report: the panel after it tells what was done, and
// does nothing more.
import { stoppedWords } from './loop.js';
import { exportOf } from './replay.js';
import { natureOf } from './tools.js';

/** @typedef {import('./loop.js').Run} Run */

const lost = 'Ended when the panel was closed or loaded anew';

/** What is kept of a run: without what pages said, and without secrets. @param {Run} run */
export const keptOf = run => exportOf(run);

/**
 * Reads what was kept by a panel before.
 * @param {unknown} kept
 * @returns {{run: Run, cut: boolean} | undefined} cut: it ended with its panel
 */
export function runOf(kept) {
  if (!kept) return undefined;
  const { handrail_run: _, ...rest } = /** @type {import('./replay.js').Export} */ (kept);
  const run = /** @type {Run} */ ({ ...rest, steps: rest.steps.map(step => ({ ...step, said: '', text: '' })) });
  if (run.end) return { run, cut: false };
  const last = run.steps.at(-1);
  const open = last?.state === 'under way' ? last : undefined;
  const acted = open && natureOf(open.tool, open.arguments) !== 'read';
  if (open) Object.assign(open, acted ? { state: 'failed', evidence: 'it is not known whether it reached the page' } : { state: 'not sent', evidence: 'stopped before it was done' });
  const why = acted ? 'the last act may have reached the page: look at it before going on' : stoppedWords(run).replace('Stopped; ', '');
  return { run: Object.assign(run, { end: 'cut', why: `${lost}; ${why}` }), cut: true };
}
