// Counts what each record of a test page receives, by the page's own key and
// not by DOM node. The server has the count before the event handler returns,
// so a test that reads it after an act's reply sees all that the act caused.
function count(key) {
  const request = new XMLHttpRequest();
  request.open('POST', `/count?key=${encodeURIComponent(key)}`, false);
  request.send();
}
// Counts every click on the page by the nearest data-key, whoever handles it.
addEventListener('click', event => {
  const keyed = event.composedPath().find(node => node.dataset?.key);
  if (keyed && keyed.dataset.count !== 'own') count(keyed.dataset.key);
}, true);
