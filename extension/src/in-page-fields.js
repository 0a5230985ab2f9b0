// Functions that run in the page, as those of in-page.js do: selects, toggles and
// fields that are set by their value.

/** @typedef {import('./choice.js').Option} Option */
/** @typedef {import('./in-page.js').Watcher} Watcher */

/**
 * The options of a select that it shows.
 * @this {HTMLSelectElement}
 * @returns {{multiple: boolean, options: (Option & {index: number})[]}}
 */
export function optionsOf() {
  const options = [...this.options].map((option, index) => {
    const group = option.parentElement instanceof HTMLOptGroupElement ? option.parentElement : null;
    return {
      index, label: option.label.replace(/\s+/g, ' ').trim(), value: option.value, group: group?.label ?? '', disabled: option.matches(':disabled'), selected: option.selected,
      shown: [option, group].every(at => !at || getComputedStyle(at).display !== 'none'),
    };
  });
  // What is selected is told even where it is hidden, as "Choose…" often is.
  return { multiple: this.multiple, options: options.filter(({ shown, selected }) => shown || selected).map(({ shown, ...option }) => ({ ...option, disabled: option.disabled || !shown })) };
}

/** The closed list of an option, and its place there. @this {HTMLOptionElement} */
export function selectOf() {
  return this.closest('select');
}
/** @this {HTMLOptionElement} */
export function placeOf() {
  return this.index;
}

/**
 * Why a field was not set; began is false when nothing at all happened.
 * @typedef {{held: string, began: boolean}} Withheld
 */

/**
 * Selects options, and no others, as a person who picks them does.
 * @this {Node}
 * @param {Watcher} watcher @param {number[]} indices @param {string[]} labels those that the options must still have
 * @returns {Withheld | undefined}
 */
export function selectOptions(watcher, indices, labels) {
  const held = watcher.begin();
  const list = /** @type {HTMLSelectElement} */ (this);
  if (held) return { held, began: false };
  list.focus();
  // The page may have filled the list anew as it got the focus.
  if (!list.isConnected) return { held: 'gone', began: true };
  if (indices.some((at, n) => list.options[at]?.label.replace(/\s+/g, ' ').trim() !== labels[n])) return { held: 'renamed', began: true };
  if (list.multiple) [...list.options].forEach((option, at) => { option.selected = indices.includes(at); });
  else list.selectedIndex = indices[0];
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return undefined;
}

/**
 * The state of what is checked: checked, unchecked or mixed; '' when the node is nothing of the kind.
 * @this {Element}
 * @returns {{state: '' | 'checked' | 'unchecked' | 'mixed', radio: boolean}}
 */
export function checkedState() {
  const input = /** @type {HTMLInputElement} */ (this);
  const role = (this.getAttribute('role') ?? '').trim().toLowerCase();
  if (this.localName === 'input' && (input.type === 'checkbox' || input.type === 'radio')) {
    return { state: input.indeterminate && input.type === 'checkbox' ? 'mixed' : input.checked ? 'checked' : 'unchecked', radio: input.type === 'radio' };
  }
  const kinds = ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'];
  const said = this.getAttribute('aria-checked') ?? this.getAttribute('aria-pressed');
  if (said === null && !kinds.includes(role)) return { state: '', radio: false };
  return { state: said === 'mixed' ? said : said === 'true' ? 'checked' : 'unchecked', radio: role === 'radio' || role === 'menuitemradio' };
}

/**
 * A field that is set by its value.
 * @this {Element}
 * @returns {{type: string, value: string, min: string, max: string, step: string, readOnly: boolean}}
 */
export function valueField() {
  const { type, value, min, max, step, readOnly } = /** @type {HTMLInputElement} */ (this);
  return { type: this.localName === 'input' ? type : '', value: value ?? '', min: min ?? '', max: max ?? '', step: step ?? '', readOnly: readOnly === true };
}

/**
 * A value as the field would hold it, and whether it may: the browser's own rules,
 * tried on a field that is on no page.
 * @this {HTMLInputElement} @param {string} value
 * @returns {{value: string, ok: boolean}}
 */
export function fitting(value) {
  const { type } = this;
  if (type === 'color') return { value: value.toLowerCase(), ok: /^#[0-9a-f]{6}$/i.test(value) };
  const twin = document.createElement('input');
  twin.type = type === 'range' ? 'number' : type; // a range moves what does not fit
  for (const name of ['min', 'max', 'step', 'value']) if (this.hasAttribute(name)) twin.setAttribute(name, this.getAttribute(name) ?? '');
  twin.value = value.trim();
  const { rangeUnderflow, rangeOverflow, stepMismatch } = twin.validity;
  let ok = (twin.value !== '' || value === '') && !rangeUnderflow && !rangeOverflow && !stepMismatch;
  if (type === 'range') ok &&= twin.value !== '' && Number(twin.value) >= Number(this.min || 0) && Number(twin.value) <= Number(this.max || 100);
  return { value: twin.value, ok };
}

/**
 * Sets a field's value, as a person who picks it does.
 * @this {Node} @param {Watcher} watcher @param {string} value
 * @returns {Withheld | undefined}
 */
export function setField(watcher, value) {
  const held = watcher.begin();
  const field = /** @type {HTMLInputElement} */ (this);
  if (held) return { held, began: false };
  field.focus();
  if (!field.isConnected) return { held: 'gone', began: true };
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
  return undefined;
}

/**
 * A slider of the page's own making; null when it says no value.
 * @this {Element}
 * @returns {{now: number, min: number, max: number} | null}
 */
export function sliderState() {
  const [now, min, max] = ['aria-valuenow', 'aria-valuemin', 'aria-valuemax'].map(name => Number(parseFloat(this.getAttribute(name) ?? '').toPrecision(12))); // 0.1 + 0.2 is 0.3
  const slider = (this.getAttribute('role') ?? '').toLowerCase() === 'slider';
  // JSON knows no infinity.
  return Number.isFinite(now) ? { now, min: Number.isFinite(min) ? min : slider ? 0 : -Number.MAX_VALUE, max: Number.isFinite(max) ? max : slider ? 100 : Number.MAX_VALUE } : null;
}
