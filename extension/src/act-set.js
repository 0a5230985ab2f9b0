// set_value: fields that are not typed into. A field of the browser's own gets its
// value with input and change; a slider that the page made is moved with keys.

import { checkShown } from './act-point.js';
import { giveFocus } from './act-press.js';
import { hideTyped, isSecret } from './act-secrets.js';
import { evidence, guard, observe, refuseWithheld, see, unchanged, watched } from './act-watch.js';
import { unfit } from './choice.js';
import { Fault } from './fault.js';
import { nameOf } from './identity.js';
import { textOf, twoFrames, wholeOf } from './in-page.js';
import { fitting, setField, sliderState, valueField } from './in-page-fields.js';
import { hold, inPage, inPageKept } from './node.js';
import { hidden } from './secrets.js';
import { awake, send } from './session.js';

/** @typedef {import('./identity.js').Seen} Seen */
/** @typedef {import('./node.js').Held} Held */
/** @typedef {import('./wire.js').Act} Act */
/** @typedef {import('./wire.js').Evidence} Evidence */
/** @typedef {import('./wire.js').Target} Target */
/** @typedef {import('./ledger.js').Start} Start */
/** @typedef {ReturnType<typeof valueField>} Field */
/** @typedef {{now: number, min: number, max: number}} Slider */

/** Fields that are set and not typed into. */
export const setTypes = /^(date|time|datetime-local|month|week|range|color)$/;

/** What a field takes, by its type, and what its steps count. @type {Record<string, [string, string]>} */
const formats = {
  range: ['a number', ''], number: ['a number', ''], color: ['a colour as #rrggbb', ''], date: ['a date as YYYY-MM-DD', ' days'], time: ['a time as HH:MM', ' seconds'],
  'datetime-local': ['a date and time as YYYY-MM-DDTHH:MM', ' seconds'], month: ['a month as YYYY-MM', ' months'], week: ['a week as YYYY-Www', ' weeks'],
};

/**
 * @param {number} tab in use @param {Target} target @param {Act} act @param {Start} start
 * @returns {Promise<Evidence>}
 */
export async function setValue(tab, target, act, start) {
  await awake(tab);
  const [value = ''] = act.values ?? [];
  return hold(tab, target, async node => {
    const seen = await checkShown(node, target, act.expect);
    await refusePart(node, target, seen);
    const field = await inPage(node, valueField);
    if (Object.hasOwn(formats, field.type)) return setNative(node, target, seen, act, start, field, value);
    const slider = ['slider', 'spinbutton'].includes(seen.role) ? await inPage(node, sliderState) : null;
    if (!slider) throw new Fault('wrong_kind', `a ${field.type ? `field of type ${field.type}` : seen.role || seen.probe.tag} is not set by value`);
    return steer(node, target, seen, act, start, slider, value);
  });
}

/**
 * Refuses to give a part of a field a value: the day of a date, which the browser shows
 * as a node of its own. The field itself takes one.
 * @param {Held} node @param {Target} target @param {Seen} seen
 */
export async function refusePart(node, target, { probe: { part } }) {
  if (!part) return;
  const whole = await inPageKept(node, wholeOf);
  const [{ node: dom }, { nodes: [ax] }] = await Promise.all([
    send(node.tab, node.targetId, 'DOM.describeNode', { objectId: whole.objectId }),
    send(node.tab, node.targetId, 'Accessibility.getPartialAXTree', { objectId: whole.objectId, fetchRelatives: false }),
  ]);
  throw new Fault('wrong_kind', `this is a part of a field of type ${part}: give the field its value by set_value`, {
    candidates: [{ role: String(ax?.role?.value ?? '').toLowerCase(), name: nameOf(ax), tag: 'input', backendDOMNodeId: dom.backendNodeId, frameId: target.frameId }],
  });
}

/** @param {Held} node @param {Target} target @param {Seen} seen @param {Act} act @param {Start} start @param {Field} field @param {string} asked @returns {Promise<Evidence>} */
async function setNative(node, target, seen, act, start, field, asked) {
  if (field.readOnly && !['range', 'color'].includes(field.type)) throw new Fault('not_editable', 'the field is read-only');
  const { value, ok } = await inPage(node, fitting, asked);
  if (!ok) throw unfit(`the field takes ${allowed(field)}`);
  const secret = await isSecret(target, seen);
  const told = (/** @type {string} */ text) => (secret ? hidden : text);
  const equal = (/** @type {string} */ text) => text === value || (/^(range|number)$/.test(field.type) && text !== '' && value !== '' && Number(text) === Number(value));
  if (equal(field.value)) return { ...unchanged('value', seen), value_now: told(field.value) };
  return watched(node, [], async watcher => {
    await guard(node, watcher, target, seen, act.expect);
    await start();
    const effect = await observe(watcher, target, async () => refuseWithheld(await inPage(node, setField, watcher, value)));
    const now = effect.sight ? await inPage(node, textOf).catch(() => undefined) : undefined;
    if (now !== undefined && now !== field.value) effect.changes.push('value');
    return {
      ...evidence('value', effect, seen, secret ? hideTyped(value) : undefined),
      ...(now === undefined ? {} : { value_now: told(now), ...(equal(now) ? {} : { reverted: true }) }),
    };
  });
}

/** What a field takes, in words. @param {Field} field */
function allowed({ type, min, max, step }) {
  const [what, unit] = formats[type];
  const [low, high] = type === 'range' ? [min || '0', max || '100'] : [min, max];
  const plain = { time: '60', 'datetime-local': '60', color: '' }[type] ?? '1';
  const steps = step.toLowerCase() === 'any' ? '' : step || plain;
  return what + (low ? ` from ${low}` : '') + (high ? ` up to ${high}` : '') + (steps ? ` in steps of ${steps}${unit}` : '');
}

const maxKeys = 300;
const rearmMs = 2000; // a watcher holds stray input back for 3 s

/**
 * Moves a slider with keys until it says the value.
 * @param {Held} node @param {Target} target @param {Seen} seen @param {Act} act @param {Start} start @param {Slider} slider @param {string} asked
 * @returns {Promise<Evidence>}
 */
async function steer(node, target, seen, act, start, slider, asked) {
  const { now: first, min, max } = slider;
  const want = Number(asked);
  if (asked.trim() === '' || !(want >= min && want <= max)) {
    throw unfit(`the ${seen.role} takes a number${Math.abs(min) === Number.MAX_VALUE ? '' : ` from ${min}`}${max === Number.MAX_VALUE ? '' : ` up to ${max}`}`);
  }
  if (want === first) return { ...unchanged('keys', seen), value_now: String(first) };
  return watched(node, ['keydown', 'keypress', 'keyup'], async watcher => {
    await guard(node, watcher, target, seen, act.expect);
    await start();
    let [now, moved] = [first, false];
    const effect = await observe(watcher, target, async () => {
      await giveFocus(node);
      const press = presser(node, watcher, target, seen, act);
      now = await approach(first, want, slider, async key => {
        const next = await press(key);
        moved ||= next !== first;
        return next;
      });
    });
    if (effect.sight && !effect.dialog) {
      await inPage(node, twoFrames).catch(() => {});
      now = (await inPage(node, sliderState).catch(() => null))?.now ?? now;
    }
    if (now !== first) effect.changes.push('value');
    const stopped = effect.gone || effect.unknown || effect.dialog;
    if (now !== want && !stopped && !moved) throw new Fault('not_delivered', `no key moves the ${seen.role}: it stands at ${now}`, { dispatched: 'yes', effect: 'none_seen' });
    if (now !== want && !stopped) throw new Fault('bad_request', `the ${seen.role} does not stop at this value: it stands at ${now}`, { field: 'values', dispatched: 'yes', effect: 'seen' });
    return { ...evidence('keys', { ...effect, changes: [...new Set(effect.changes)] }, seen), ...(stopped ? {} : { value_now: String(now) }) };
  });
}

/**
 * Presses the keys that bring a value nearer, large steps first.
 * @param {number} now @param {number} want @param {Slider} slider @param {(key: string) => Promise<number>} press gives the value after it
 * @returns {Promise<number>} where it stopped
 */
export async function approach(now, want, { min, max }, press) {
  if (Math.abs(want - min) < Math.abs(want - now)) now = await press('Home');
  else if (Math.abs(max - want) < Math.abs(want - now)) now = await press('End');
  let keys = 0;
  for (const [more, less] of [['PageUp', 'PageDown'], ['ArrowUp', 'ArrowDown'], ['ArrowRight', 'ArrowLeft']]) {
    let step = more === 'PageUp' ? (max - min) / 10 : 0; // a guess, before the first
    for (let nearer = true; nearer && now !== want && Math.abs(want - now) >= step && keys < maxKeys; keys++) {
      const next = await press(want > now ? more : less);
      nearer = Math.abs(want - next) < Math.abs(want - now) && Math.sign(want - next) === Math.sign(want - now);
      if (more === 'PageUp') step = Math.abs(next - now);
      now = next;
    }
  }
  return now;
}

/**
 * Makes a function that presses a key on the slider and gives its value then.
 * @param {Held} node @param {Held} watcher @param {Target} target @param {Seen} seen @param {Act} act
 * @returns {(key: string) => Promise<number>}
 */
function presser(node, watcher, target, seen, act) {
  const codes = { PageUp: 33, PageDown: 34, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
  const read = async () => (await inPage(node, sliderState))?.now ?? NaN;
  let armed = Date.now();
  let last = NaN;
  return async key => {
    if (Date.now() - armed > rearmMs) {
      await guard(node, watcher, target, seen, act.expect);
      armed = Date.now();
    }
    const event = { key, code: key, windowsVirtualKeyCode: codes[/** @type {keyof typeof codes} */ (key)] };
    await send(node.tab, node.targetId, 'Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event });
    await send(node.tab, node.targetId, 'Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    const { held } = await see(watcher);
    if (held) throw new Fault(held === 'covered' ? 'not_editable' : 'stale_uid', held === 'covered' ? 'another node took the focus' : 'the node changed as keys were pressed', { reason: held, dispatched: 'yes', effect: 'unknown' });
    let now = await read();
    if (now === last || Number.isNaN(last)) {
      await inPage(node, twoFrames);
      now = await read();
    }
    return last = now;
  };
}
