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
