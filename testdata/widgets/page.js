// What the widgets' pages share: a place for each widget, and a line that says
// what the widget itself holds, by which a test tells what was really done.
export function place(name) {
  const at = document.createElement('div');
  document.body.append(at);
  const held = document.createElement('output');
  held.id = name;
  document.body.append(held);
  return { at, hold: value => { held.textContent = typeof value === 'string' ? value : JSON.stringify(value); } };
}

// Counts what a record received, before the handler returns.
export function count(key) {
  const request = new XMLHttpRequest();
  request.open('POST', `/count?key=${encodeURIComponent(key)}`, false);
  request.send();
}
