/** Of the parts of an answer: a server that counts on would make lists that are never gone through. */
export const mostParts = 1000;

/** Gives each call of an answer an id of its own: what it came to is told under it. @param {import('./model.js').Call[]} calls */
export function apart(calls) {
  /** @type {Set<string>} */
  const ids = new Set();
  return calls.map((call, i) => {
    const id = call.id && !ids.has(call.id) ? call.id : `call_${i}`;
    ids.add(id);
    return { ...call, id };
  });
}

/** Reads a call's arguments. @param {string} id @param {string} name @param {string} text JSON @returns {import('./model.js').Call} */
export function callOf(id, name, text) {
  try {
    const read = JSON.parse(text || '{}');
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { id, name, arguments: read };
    return { id, name, arguments: {}, broken: 'the arguments are no JSON object' };
  } catch (thrown) {
    return { id, name, arguments: {}, broken: `the arguments are no JSON: ${thrown instanceof Error ? thrown.message : thrown}` };
  }
}
