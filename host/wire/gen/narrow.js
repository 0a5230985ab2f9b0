/** What is wrong with a message: the field, and a sentence about it. */
export class BadMessage extends Error {
  /** @param {string} field @param {string} what */
  constructor(field, what) {
    super(`${field === '' ? 'what was sent' : `the field ${JSON.stringify(field)}`} ${what}`);
    this.field = field;
  }
}

/**
 * Checks what came from the other end against its type. What is missing, of
 * another type, not among the allowed values or too long is refused, and so is,
 * in params, an unknown field.
 * @template {keyof Types} T
 * @param {T} type
 * @param {unknown} value
 * @returns {Types[T]}
 * @throws {BadMessage}
 */
export function narrow(type, value) {
  checkStruct(type, value, '');
  return /** @type {Types[T]} */ (value);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {string} key a key from outside, kept short */
const clip = key => [...key.slice(0, 120)].slice(0, 60).join('');

/** @param {string} type @param {unknown} value @param {string} path */
function checkStruct(type, value, path) {
  const schema = schemas[type];
  if (!schema) throw new TypeError(`no type ${type}`);
  if (!isObject(value)) throw new BadMessage(path, path === '' ? 'is not a JSON object' : 'must be of type object');
  const prefix = path === '' ? '' : path + '.';
  for (const [key, member] of Object.entries(value)) {
    const rule = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
    if (rule) checkValue(rule, member, prefix + key);
    else if (!schema.open) throw new BadMessage(prefix + clip(key), 'is unknown');
  }
  for (const [key, rule] of Object.entries(schema.fields)) {
    if (!rule.optional && !Object.hasOwn(value, key)) throw new BadMessage(prefix + key, 'is missing');
  }
}

/** @param {Rule} rule @param {unknown} value @param {string} path */
function checkValue(rule, value, path) {
  const wrong = () => new BadMessage(path, `must be of type ${rule.kind}`);
  switch (rule.kind) {
    case 'any':
      return;
    case 'string':
    case 'bytes':
      if (typeof value !== 'string') throw wrong();
      if (rule.oneOf && !rule.oneOf.includes(value)) throw new BadMessage(path, `must be one of ${rule.oneOf.join(', ')}`);
      if (rule.max && value.length * 3 > rule.max) {
        const bytes = new TextEncoder().encode(value).length;
        if (bytes > rule.max) throw new BadMessage(path, `has ${bytes} bytes; at most ${rule.max} are allowed`);
      }
      if (rule.kind === 'bytes' && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) throw wrong();
      return;
    case 'int':
      if (!Number.isSafeInteger(value)) throw wrong();
      return;
    case 'number':
      if (!Number.isFinite(value)) throw wrong();
      return;
    case 'bool':
      if (typeof value !== 'boolean') throw wrong();
      return;
    case 'array':
      if (!Array.isArray(value)) throw wrong();
      value.forEach((item, i) => checkMember(rule, item, `${path}[${i}]`));
      if (rule.length && value.length !== rule.length) throw new BadMessage(path, `must have ${rule.length} elements`);
      return;
    case 'map':
      if (!isObject(value)) throw wrong();
      for (const [key, item] of Object.entries(value)) checkMember(rule, item, `${path}.${clip(key)}`);
      return;
    case 'object':
      checkStruct(rule.of ?? '', value, path);
  }
}

/** @param {{of?: string, max?: number}} rule of the list, whose bound holds for each member @param {unknown} item @param {string} path */
function checkMember({ of = 'any', max }, item, path) {
  checkValue(Object.hasOwn(schemas, of) ? { kind: 'object', of } : { kind: of, max }, item, path);
}
