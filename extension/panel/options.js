// The choices of what a view shows, by the words of the protocol. They are kept for
// the next time.
import { localGet, localSet } from '../src/chrome.js';
import { element } from './element.js';

/** @typedef {Pick<import('../src/wire.js').SnapshotParams, 'profile' | 'filter' | 'urls' | 'handles' | 'structure' | 'max_depth'>} Options */

const key = 'panel';
const profiles = /** @type {const} */ (['balanced', 'light', 'full']);
const filters = /** @type {const} */ (['all', 'visible', 'viewport', 'interactive']);

/**
 * Gives the options that choices stand for, without those that are defaults. What is
 * no choice counts as the default: what is kept may be of another version.
 * @param {unknown} choices
 * @returns {Options}
 */
export function optionsOf(choices) {
  const { profile, filter, urls, handles, structure, max_depth } = /** @type {Record<string, unknown>} */ (choices ?? {});
  const chosenProfile = profiles.slice(1).find(one => one === profile);
  const chosenFilter = filters.slice(1).find(one => one === filter);
  const depth = Number(max_depth);
  return {
    ...(chosenProfile && { profile: chosenProfile }),
    ...(chosenFilter && { filter: chosenFilter }),
    ...(urls === true && { urls }),
    ...(handles === 'all' && { handles }),
    ...(structure === true && { structure }),
    ...(Number.isSafeInteger(depth) && depth > 0 && { max_depth: depth }),
  };
}

/** The choices in a line. @param {Options} options */
export function summaryOf({ profile, filter, urls, handles, structure, max_depth }) {
  const words = [profile, filter, urls && 'urls', handles && 'handles=all', structure && 'structure', max_depth && `max_depth ${max_depth}`].filter(Boolean);
  return words.length > 0 ? `Options: ${words.join(', ')}` : 'Options';
}

/**
 * Shows the choices kept, and keeps what is chosen.
 * @param {() => void} onChange
 * @returns {Promise<() => Options>} gives what is chosen now
 */
export async function openOptions(onChange) {
  const summary = element('options-summary', HTMLElement);
  const profile = element('profile', HTMLSelectElement);
  const filter = element('filter', HTMLSelectElement);
  const depth = element('max_depth', HTMLInputElement);
  const boxes = { urls: element('urls', HTMLInputElement), handles: element('handles', HTMLInputElement), structure: element('structure', HTMLInputElement) };
  for (const name of profiles) profile.add(new Option(name));
  for (const name of filters) filter.add(new Option(name));

  const kept = optionsOf(await localGet(key));
  profile.value = kept.profile ?? profiles[0];
  filter.value = kept.filter ?? filters[0];
  depth.value = String(kept.max_depth ?? '');
  boxes.urls.checked = Boolean(kept.urls);
  boxes.handles.checked = Boolean(kept.handles);
  boxes.structure.checked = Boolean(kept.structure);
  summary.textContent = summaryOf(kept);

  const chosen = () => optionsOf({
    profile: profile.value, filter: filter.value, max_depth: depth.value,
    urls: boxes.urls.checked, handles: boxes.handles.checked ? 'all' : undefined, structure: boxes.structure.checked,
  });
  const wrong = element('max_depth-wrong', HTMLElement);
  element('options', HTMLDetailsElement).addEventListener('change', event => {
    wrong.textContent = depth.validationMessage;
    depth.ariaInvalid = String(!depth.validity.valid);
    if (event.target === depth && !depth.validity.valid) return; // the view is as it was
    const now = chosen();
    summary.textContent = summaryOf(now);
    localSet({ [key]: now });
    onChange();
  });
  return chosen;
}
