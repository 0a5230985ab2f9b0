// The lines of a view (docs/FORMAT.md) as elements. Page text only ever becomes
// text nodes.

const line = /^( *)(?:\[(\w+)\] )?("(?:[^"\\]|\\.)*"|[^ ]+)( "(?:[^"\\]|\\.)*")?(.*)$/su;

/**
 * Takes one line of a view apart.
 * @param {string} text
 * @returns {{depth: number, uid: string, role: string, name: string, rest: string}}
 */
export function parseLine(text) {
  const [, indent = '', uid = '', role = text, name = '', rest = ''] = line.exec(text) ?? [];
  return { depth: indent.length / 2, uid, role, name: name.trimStart(), rest };
}

/**
 * Makes the list items of a view.
 * @param {string} view
 * @returns {DocumentFragment}
 */
export function renderView(view) {
  const all = document.createDocumentFragment();
  for (const text of view.split('\n')) {
    const { depth, uid, role, name, rest } = parseLine(text);
    const item = document.createElement('li');
    item.style.setProperty('--depth', String(depth));
    if (uid) {
      item.dataset.uid = uid;
      item.tabIndex = 0;
      item.append(part('uid', `[${uid}] `));
    }
    item.append(part('role', role));
    if (name) item.append(' ', part('name', name));
    if (rest) item.append(part('rest', rest));
    all.append(item);
  }
  return all;
}

/** @param {string} kind @param {string} text */
function part(kind, text) {
  const span = document.createElement('span');
  span.className = kind;
  span.textContent = text;
  return span;
}
