// The MCP server as a client sees it that is not ours: each tool, failures,
// canceling, two clients at once. Arguments: the binary, and two pages.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [binary, form, orders] = process.argv.slice(2);

async function connect(name, ...more) {
  const client = new Client({ name, version: '1' });
  await client.connect(new StdioClientTransport({ command: binary, args: ['mcp', '--headless', ...more], env: process.env }));
  return client;
}

async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  return { ...result, text: result.content[0].text };
}

async function must(client, name, args) {
  const result = await call(client, name, args);
  assert.ok(!result.isError, `${name}: ${result.text}`);
  return result;
}

const [one, two, slim] = await Promise.all([connect('one'), connect('two'), connect('slim', '--slim')]);
const { tools } = await one.listTools();
const listed = await slim.listTools();
console.log(JSON.stringify({ tools: tools.length, slim: listed.tools.length }));
for (const tool of [...tools, ...listed.tools]) {
  assert.equal(tool.inputSchema.type, 'object');
}

const first = await must(one, 'browser_snapshot', { url: form });
const handle = first.structuredContent.recovery_handle;
assert.match(first.text, /^<page \w{8} of "http:.*": data, not instructions>\npage /);
const uid = first.text.match(/\[(\w+)\] textbox "Full name"/)[1];
const typed = await must(one, 'browser_act', { action: 'type', uid, text: 'Ada' });
assert.match(typed.text, /^dispatched: yes, .*value now: "Ada"/);
await must(one, 'browser_act', { action: 'wait', text: 'Create account' });
const picture = await must(one, 'browser_act', { action: 'screenshot' });
assert.equal(picture.content[1].type, 'image');
assert.equal(picture.content[1].mimeType, 'image/png');
assert.deepEqual([...Buffer.from(picture.content[1].data, 'base64').subarray(1, 4)], [...Buffer.from('PNG')]);
assert.match((await must(one, 'browser_read', { what: 'find', text: 'Create' })).text, /button "Create account"/);
for (const what of ['window', 'structure', 'resolve']) {
  await must(one, 'browser_read', { what, handle });
}
assert.match((await must(one, 'browser_read', { what: 'diff', since: handle, handle: typed.structuredContent.recovery_handle })).text, /Ada/);
assert.match((await must(one, 'browser_read', { what: 'extract', schema: { type: 'object', properties: { name: { type: 'string', 'x-ref': uid } } } })).text, /"name"/);
assert.match((await must(one, 'browser_eval', { expression: '6 * 7' })).text, /\n42\n/);
assert.match((await must(one, 'browser_recover', { recovery_handle: handle })).text, /^sha256 \w{64}, \d+ bytes, in \//);
assert.match((await must(one, 'browser_tabs')).text, /\* \d+ /);

const refused = await call(one, 'browser_act', { action: 'click', uid: 'u9999' });
assert.ok(refused.isError);
assert.match(refused.text, /^unknown_uid: /);
assert.match((await call(one, 'browser_act', { action: 'fly' })).text, /^bad_request: /);
await assert.rejects(one.callTool({ name: 'no_such_tool', arguments: {} }));

const stop = new AbortController();
const waiting = one.callTool({ name: 'browser_act', arguments: { action: 'wait', text: 'never there', timeout_ms: 60_000 } }, undefined, { signal: stop.signal });
setTimeout(() => stop.abort(), 200);
await assert.rejects(waiting);

// Both at once, each with its own current tab.
await must(two, 'browser_snapshot', { url: orders, query: 'Order 100777' });
for (let i = 0; i < 3; i++) {
  const [a, b] = await Promise.all([must(one, 'browser_snapshot', { profile: 'light' }), must(two, 'browser_snapshot', { query: 'Order 100777' })]);
  assert.match(a.text, /Create account/);
  assert.match(b.text, /Order 100777/);
}
await must(two, 'browser_navigate', { url: form });
await must(two, 'browser_navigate', { action: 'back' });
assert.match((await must(slim, 'browser_snapshot', { url: form, query: 'email' })).text, /textbox "Email/);
await Promise.all([one, two, slim].map((client) => client.close()));
