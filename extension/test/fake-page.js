// A page for acts, as CDP answers for it: one button, or what a test makes of it.

/** @typedef {ReturnType<typeof fakePage>} FakePage */

/** @type {import('../src/wire.js').Target} */
export const button = {
  uid: 'u5', session: 0, targetId: '', frameId: 'F', loaderId: 'L', origin: 'https://example.test', backendDOMNodeId: 5, nodeId: '5',
  role: 'button', name: 'Review', context: 'Ada', contextNode: 0, nameExact: false, contextExact: false, secret: false,
};

/** @param {string} id @param {string} role @param {string} name @param {string[]} childIds @param {object} [more] */
export const ax = (id, role, name, childIds = [], more = {}) =>
  ({ nodeId: id, ignored: false, role: { value: role }, name: { value: name }, childIds, backendDOMNodeId: Number(id), ...more });

/** The tree of a row with a button, parents known from above. @param {string} name @param {string} record @param {object} [more] */
export const row = (name = 'Review', record = 'Ada', more = {}) => [
  ax('1', 'RootWebArea', 'List', ['2']), ax('2', 'row', '', ['3', '5'], { parentId: '1' }), ax('3', 'StaticText', record, [], { parentId: '2' }),
  ax('5', 'button', name, [], { parentId: '2', ...more }),
];

const probe = {
  connected: true, ariaHidden: false, skipped: false, tag: 'button', type: '', disabled: '', editable: 'kind', visible: true, rect: [10, 10, 80, 20],
  listed: false, labelled: false, href: '', navigates: false, autocomplete: '', id: '', name: '',
};
/** @type {import('../src/in-page.js').Sight} */
const sight = {
  began: true, clicked: true, menu: false, moved: 'own', held: '', now: '', disabled: false, changes: [], title: 'List', url: 'https://example.test/',
  before: [], after: [], value: null, nodes: 0, progress: '',
};

/**
 * Lets the fake browser answer for a page. What a test changes on the result
 * changes the page.
 * @param {ReturnType<typeof import('./fake-chrome.js').fakeChrome>} fake
 */
export function fakePage(fake) {
  const page = {
    loaderId: 'L',
    nodes: row(),
    probe: { ...probe },
    /** Changes to what is seen, look by look; the last one stays. @type {Partial<typeof sight>[]} */
    sights: [{}],
    armed: true,
    quads: [[10, 10, 90, 10, 90, 30, 10, 30]],
    /** The node at a point. @type {(x: number, y: number) => {backendNodeId: number, frameId: string}} */
    hit: () => ({ backendNodeId: 5, frameId: 'F' }),
    meets: '',
    /** The field's text, before and after. */
    texts: ['', ''],
    focus: { focused: true, placed: true },
    submitted: 'submitted',
    /** Answers of functions that run in the page, by name, which get their arguments. @type {Record<string, (...args: any[]) => any>} */
    calls: {},
    /** The list that the field owns, look by look; the last one stays. */
    lists: [{ owns: false, shown: false, options: /** @type {string[]} */ ([]), active: -1, value: 'x' }],
    /** How the node takes the focus; whether it has it, look by look. */
    takes: 'took',
    focuses: [false, true],
    /** What keys may change, before and after. */
    states: [{ value: /** @type {string | undefined} */ (undefined), selection: '', scroll: '' }],
    appears: false,
    /** The node of the form that an act would submit, 0 for none. */
    form: 0,
    /** Why it is no plain box, and how often it was clicked by a script. */
    unfit: '',
    again: 0,
    /** For how many ms it has been quiet, ask by ask. */
    idle: [0, 200],
    /** Answers of any command, before those of the page, which next gives. @type {Record<string, (params: any, next: () => any) => any>} */
    on: {},
    /** The input that was sent, in order. @type {string[]} */
    input: [],
    /** Whether `started` was stored when the first input came. */
    startedFirst: /** @type {boolean | undefined} */ (undefined),
  };
  /** @type {Record<string, (params: any) => any>} */
  const inPage = {
    probe: () => page.probe,
    arm: () => page.armed,
    sight: () => ({ ...sight, ...(page.sights.length > 1 ? page.sights.shift() : page.sights[0]) }),
    meets: () => page.meets,
    textOf: () => (page.texts.length > 1 ? page.texts.shift() : page.texts[0]),
    focusOn: () => page.focus,
    submitForm: () => page.submitted,
    listOf: () => page.lists.length > 1 ? page.lists.shift() : page.lists[0],
    takeFocus: () => page.takes,
    dropFocus: () => true,
    hasFocus: () => (page.focuses.length > 1 ? page.focuses.shift() : page.focuses[0]),
    keyState: () => (page.states.length > 1 ? page.states.shift() : page.states[0]),
    shownSince: () => page.appears,
    fields: () => [],
    notPlain: () => page.unfit,
    wordsOn: () => '',
    clickAgain: () => { page.again++; return ''; },
    idleTime: () => (page.idle.length > 1 ? page.idle.shift() : page.idle[0]),
  };
  /** @type {Record<string, (params: any) => any>} */
  const answers = {
    'Page.getFrameTree': () => ({ frameTree: { frame: { id: 'F', loaderId: page.loaderId } } }),
    'Page.createIsolatedWorld': () => ({ executionContextId: 3 }),
    'DOM.resolveNode': ({ backendNodeId }) => ({ object: { objectId: `node ${backendNodeId}` } }),
    'Accessibility.getPartialAXTree': () => ({ nodes: page.nodes }),
    'Accessibility.queryAXTree': () => ({ nodes: page.nodes }),
    'DOM.getContentQuads': () => ({ quads: page.quads }),
    'Page.getLayoutMetrics': () => ({ cssLayoutViewport: { clientWidth: 800, clientHeight: 600, pageX: 0, pageY: 0 } }),
    'DOM.getNodeForLocation': ({ x, y }) => page.hit(x, y),
    'DOM.describeNode': ({ objectId }) => ({ node: { localName: 'div', nodeName: 'DIV', ...(objectId === 'formOf' ? { backendNodeId: page.form } : {}) } }),
    'Runtime.callFunctionOn': ({ functionDeclaration, returnByValue, arguments: args }) => {
      const name = /^(?:async )?function (\w+)/.exec(functionDeclaration)?.[1] ?? '';
      const answer = page.calls[name];
      if (answer) {
        const value = answer(...args.map((/** @type {any} */ arg) => arg.value ?? arg.objectId));
        return { result: returnByValue ? { value } : { objectId: value } };
      }
      if (returnByValue) return { result: { value: inPage[name]?.({}) } };
      return { result: name === 'keyCandidate' || (name === 'formOf' && !page.form) ? {} : { objectId: name } };
    },
  };
  fake.cdp = async ({ method, params }) => {
    if (method.startsWith('Input.')) {
      page.startedFirst ??= Object.values(await fake.session.get()).some(row => row?.state === 'started');
      page.input.push(params.type ?? `insertText ${params.text}`);
    }
    const next = () => answers[method]?.(params);
    return page.on[method] ? page.on[method](params, next) : next();
  };
  return page;
}

/** What CDP says when it will not. @param {string} message */
export const cdpError = message => new Error(JSON.stringify({ code: -32000, message }));
