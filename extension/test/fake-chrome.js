// A fake of the part of chrome.* that src/chrome.js uses. What survives a worker
// (storage, tabs, debugger attachments) lives in the fake; newWorker() drops the
// listeners and ports of the one before.

/** An event of chrome.*. */
class FakeEvent {
  /** @type {Set<(...args: any[]) => any>} */
  #listeners = new Set();
  /** @param {(...args: any[]) => any} listener */
  addListener(listener) {
    this.#listeners.add(listener);
  }
  /** @param {any[]} args */
  emit(...args) {
    for (const listener of this.#listeners) listener(...args);
  }
  /** @param {(...args: any[]) => any} listener */
  removeListener(listener) {
    this.#listeners.delete(listener);
  }
  clear() {
    this.#listeners.clear();
  }
}

/** One end of a port; what is posted to it is handed to `receive`. */
export class FakePort {
  onMessage = new FakeEvent();
  onDisconnect = new FakeEvent();
  /** @type {any[]} */
  posted = [];
  open = true;
  /** @type {(message: any) => void} */
  receive = () => {};

  /** @param {string} name @param {{id: string, url?: string}} [sender] */
  constructor(name, sender) {
    this.name = name;
    this.sender = sender;
  }
  /** @param {any} message */
  postMessage(message) {
    if (!this.open) throw new Error('Attempting to use a disconnected port object');
    const copy = JSON.parse(JSON.stringify(message)); // as Chrome does
    this.posted.push(copy);
    this.receive(copy);
  }
  disconnect() {
    this.open = false;
  }
  /** The other end sends. @param {any} message */
  send(message) {
    this.onMessage.emit(message);
  }
  /** The other end goes away. */
  drop() {
    this.open = false;
    this.onDisconnect.emit(this);
  }
}

/** A storage area: values are copied, as Chrome does. */
class FakeArea {
  /** @type {Map<string, string>} */
  #items = new Map();
  /** @param {string | string[]} [keys] */
  async get(keys) {
    const wanted = keys === undefined ? [...this.#items.keys()] : [keys].flat();
    return Object.fromEntries(wanted.filter(key => this.#items.has(key)).map(key => [key, JSON.parse(this.#items.get(key) ?? '')]));
  }
  /** @param {string} key whether it holds more than an empty list */
  has(key) {
    return (this.#items.get(key) ?? '[]') !== '[]';
  }
  /** @param {Record<string, unknown>} items */
  async set(items) {
    for (const [key, value] of Object.entries(items)) this.#items.set(key, JSON.stringify(value));
  }
  /** @param {string | string[]} keys */
  async remove(keys) {
    for (const key of [keys].flat()) this.#items.delete(key);
  }
}

/**
 * Installs a fake as the global `chrome`.
 * @returns a handle to what happens behind it
 */
export function fakeChrome() {
  const events = {
    onConnect: new FakeEvent(), onStartup: new FakeEvent(), onInstalled: new FakeEvent(), onAlarm: new FakeEvent(),
    onEvent: new FakeEvent(), onDetach: new FakeEvent(), onRemoved: new FakeEvent(), onActivated: new FakeEvent(), onUpdated: new FakeEvent(), onCreated: new FakeEvent(), onButtonClicked: new FakeEvent(),
  };
  const fake = {
    events,
    /** @type {Map<number, any>} */
    tabs: new Map([[7, { id: 7, windowId: 1, active: true, url: 'https://example.test/', title: 'Example' }]]),
    /** @type {Set<number>} tabs whose debugger is attached */
    attached: new Set(),
    /** @type {FakePort[]} native ports, newest last */
    hosts: [],
    /** Called for each new native port. @type {(port: FakePort) => void} */
    onHost: _port => {},
    lastError: '',
    /** Every CDP command. @type {{tab: number, session: string, method: string, params: any}[]} */
    commands: [],
    /** Answers CDP commands; a promise that stays open is a page that hangs. @type {(command: {tab: number, session: string, method: string, params: any}) => any} */
    cdp: _command => ({}),
    /** @type {(tab: number) => void} throws what the browser says when it refuses */
    refuse: _tab => {},
    offscreen: 0,
    badge: '',
    /** Notifications that are shown. @type {Map<string, any>} */
    notices: new Map(),
    /** Whether a question is in storage.session; told by the last write. */
    keptQuestions: () => fake.session.has('questions'),
    session: new FakeArea(),
    local: new FakeArea(),
    /** The worker is stopped: its listeners and ports are gone, all else stays. */
    newWorker() {
      for (const event of Object.values(events)) event.clear();
      for (const port of fake.hosts) port.open = false;
    },
    /** A CDP event. @param {number} tab @param {string} session @param {string} method @param {object} params */
    emit(tab, session, method, params) {
      events.onEvent.emit(session ? { tabId: tab, sessionId: session } : { tabId: tab }, method, params);
    },
    /** A page of the extension opens a port. @param {string} name @param {{id: string, url?: string}} [sender] */
    connect(name, sender = { id: 'self', url: 'chrome-extension://self/panel/index.html' }) {
      const port = new FakePort(name, sender);
      events.onConnect.emit(port);
      return port;
    },
  };
  const tabOf = (/** @type {number} */ id) => {
    const tab = fake.tabs.get(id);
    if (!tab) throw new Error(`No tab with id: ${id}.`);
    return tab;
  };
  const chrome = {
    runtime: {
      id: 'self',
      get lastError() { return fake.lastError ? { message: fake.lastError } : undefined; },
      getURL: (/** @type {string} */ path) => `chrome-extension://self/${path}`,
      getManifest: () => ({ version: '0.1.0' }),
      getContexts: async () => Array(fake.offscreen).fill({}),
      connectNative() {
        const port = new FakePort('host');
        fake.hosts.push(port);
        queueMicrotask(() => fake.onHost(port));
        return port;
      },
      onConnect: events.onConnect, onStartup: events.onStartup, onInstalled: events.onInstalled,
    },
    alarms: { onAlarm: events.onAlarm, create: async () => {} },
    offscreen: { createDocument: async () => void fake.offscreen++ },
    action: { setBadgeText: async (/** @type {{text: string}} */ { text }) => { fake.badge = text; } },
    notifications: {
      onButtonClicked: events.onButtonClicked,
      create: async (/** @type {string} */ id, /** @type {any} */ options) => { fake.notices.set(id, options); },
      clear: async (/** @type {string} */ id) => fake.notices.delete(id),
    },
    sidePanel: { setPanelBehavior: async () => {} },
    storage: { session: fake.session, local: fake.local },
    debugger: {
      onEvent: events.onEvent, onDetach: events.onDetach,
      async attach(/** @type {{tabId: number}} */ { tabId }) {
        fake.refuse(tabId);
        tabOf(tabId);
        if (fake.attached.has(tabId)) throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
        fake.attached.add(tabId);
      },
      async detach(/** @type {{tabId: number}} */ { tabId }) {
        if (!fake.attached.delete(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
      },
      async sendCommand(/** @type {{tabId: number, sessionId?: string}} */ { tabId, sessionId = '' }, /** @type {string} */ method, /** @type {any} */ params) {
        if (!fake.attached.has(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
        const command = { tab: tabId, session: sessionId, method, params };
        fake.commands.push(command);
        return await fake.cdp(command) ?? {};
      },
    },
    tabs: {
      onRemoved: events.onRemoved, onActivated: events.onActivated, onUpdated: events.onUpdated, onCreated: events.onCreated,
      get: async (/** @type {number} */ id) => ({ ...tabOf(id) }),
      query: async () => [...fake.tabs.values()].map(tab => ({ ...tab })),
      async create(/** @type {any} */ options) {
        const tab = { id: Math.max(0, ...fake.tabs.keys()) + 1, windowId: 1, title: '', ...options };
        fake.tabs.set(tab.id, tab);
        return { ...tab };
      },
      async update(/** @type {number} */ id, /** @type {any} */ change) { return { ...Object.assign(tabOf(id), change) }; },
      async remove(/** @type {number} */ id) { tabOf(id); fake.tabs.delete(id); },
      async group(/** @type {any} */ { tabIds, groupId = 5 }) { tabOf(tabIds).groupId = groupId; return groupId; },
    },
    tabGroups: { query: async () => [], update: async () => {} },
    windows: { update: async () => {}, getAll: async () => [{ id: 1 }], getLastFocused: async () => ({ id: 1 }) },
  };
  Object.assign(globalThis, { chrome });
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36' }, configurable: true });
  return fake;
}

/** Waits until the condition holds. @param {() => unknown} holds @param {string} what */
export async function eventually(holds, what) {
  for (const deadline = performance.now() + 5000; !holds();) {
    if (performance.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}
