import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { ExtensionID } from '../src/wire.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('manifest.json'));

test('the key gives the id that the host allows', () => {
  const hex = createHash('sha256').update(Buffer.from(manifest.key, 'base64')).digest('hex').slice(0, 32);
  assert.equal(hex.replace(/./g, digit => String.fromCharCode(97 + parseInt(digit, 16))), ExtensionID);
});

test('nobody can reach the extension from outside, and it is in no page', () => {
  assert.deepEqual(manifest.externally_connectable, { ids: [] });
  assert.equal(manifest.incognito, 'not_allowed');
  for (const key of ['content_scripts', 'web_accessible_resources', 'host_permissions', 'optional_permissions']) assert.equal(manifest[key], undefined);
  assert.deepEqual(manifest.permissions, ['debugger', 'nativeMessaging', 'offscreen', 'alarms', 'storage', 'tabs', 'tabGroups', 'sidePanel', 'notifications']);
  // The agent's model: what pages say travels in clear to this computer at most, and only a click allows a site.
  assert.deepEqual(manifest.optional_host_permissions, ['https://*/*', 'http://localhost/*', 'http://127.0.0.1/*']);
  assert.match(manifest.content_security_policy.extension_pages, /; connect-src https: http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*$/);
  assert.match(manifest.content_security_policy.extension_pages, /default-src 'none'; script-src 'self';/);
});

test('every file that the manifest names is there', () => {
  for (const path of [manifest.background.service_worker, manifest.side_panel.default_path, ...Object.values(manifest.icons)]) {
    assert.ok(existsSync(new URL(`../${path}`, import.meta.url)), path);
  }
});

const files = ['', 'src/', 'panel/', 'panel/agent/'].flatMap(folder =>
  readdirSync(new URL(`../${folder}`, import.meta.url)).filter(name => name.endsWith('.js')).map(name => folder + name));

test('only src/chrome.js names chrome.*', () => {
  const named = files.filter(file => /\bchrome\.[a-z]+\.[a-zA-Z]+\(|\bchrome\.[a-z]+\.on[A-Z]/.test(read(file)));
  assert.deepEqual(named, ['src/chrome.js']);
});

/** The modules that a module imports. @param {string} file @returns {string[]} */
const importsOf = file => [...read(file).matchAll(/^(?:import|export|\}) .*?\bfrom '(\..*?)';$/gm)].map(([, from]) => new URL(from, `file:///${file}`).pathname.slice(1));

test('modules import one way', () => {
  const left = new Map(files.map(file => [file, importsOf(file)]));
  assert.ok(left.get('src/worker.js')?.includes('src/port.js'));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [file, imports] of left) if (!imports.some(imported => left.has(imported))) left.delete(file);
  }
  assert.deepEqual([...left.keys()], []);
});

test('all that the panel loads is 300 KB at most', () => {
  const loaded = new Set(['panel/panel.js']);
  for (const file of loaded) for (const imported of importsOf(file)) loaded.add(imported);
  assert.ok(loaded.has('panel/agent/loop.js') && loaded.has('src/wire.js'));
  const bytes = ['panel/index.html', 'panel/panel.css', ...loaded].reduce((sum, file) => sum + Buffer.byteLength(read(file)), 0);
  assert.ok(bytes <= 300_000, `${bytes} bytes`);
});
