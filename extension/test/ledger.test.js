import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeChrome } from './fake-chrome.js';

const fake = fakeChrome();
const { Fault } = await import('../src/fault.js');
const { Ledger } = await import('../src/ledger.js');
/** @typedef {import('../src/wire.js').Evidence} Evidence */

const live = () => true;
/** @type {Evidence} */
const done = { dispatched: 'yes', effect: 'seen', settled: false, method: 'mouse', url: 'https://example.test/' };
/** A run that gets to the page. @param {(start: () => Promise<void>) => Promise<void>} [then] */
function counter(then = async () => {}) {
  const run = Object.assign(async (/** @type {() => Promise<void>} */ start) => {
    await start();
    run.count++;
    await then(start);
    return done;
  }, { count: 0 });
  return run;
}
const kept = async (/** @type {string} */ id) => (await fake.session.get(`act:${id}`))[`act:${id}`];

test('the same id runs once and calls its result again', async () => {
  const run = counter();
  const ledger = new Ledger();
  assert.deepEqual(await Promise.all([ledger.once('a', run, live), ledger.once('a', run, live)]), [done, done]);
  assert.deepEqual(await new Ledger().once('a', run, live), done);
  assert.deepEqual(await new Ledger().find('a'), { id: 'a', state: 'done', result: done });
  assert.equal(run.count, 1);
});

test('a failure is given again, too', async () => {
  const run = counter(async () => { throw new Fault('not_editable', 'no focus', { dispatched: 'yes' }); });
  await assert.rejects(new Ledger().once('b', run, live), { code: 'not_editable' });
  await assert.rejects(new Ledger().once('b', run, live), ({ code, message, more }) => code === 'not_editable' && message === 'no focus' && more.dispatched === 'yes');
  assert.equal(run.count, 1);
});

test('what was refused before it started may be asked again', async () => {
  await assert.rejects(new Ledger().once('c', async () => { throw new Fault('disabled'); }, live), ({ code, more }) => code === 'disabled' && !more.dispatched);
  assert.equal(await new Ledger().find('c'), undefined);
  assert.deepEqual(await new Ledger().once('c', counter(), live), done);
});

test('what broke off after it started may have reached the page', async () => {
  const broken = counter(async () => { throw new TypeError('a slip'); });
  for (let i = 0; i < 2; i++) {
    await assert.rejects(new Ledger().once('d', broken, live), ({ code, more }) => code === 'internal' && more.dispatched === 'uncertain');
  }
  assert.equal(broken.count, 1);
});

test('what was started and has no end is uncertain, and is never run again', async () => {
  await fake.session.set({ 'act:e': { id: 'e', state: 'started' } });
  const run = counter();
  await assert.rejects(new Ledger().once('e', run, live), ({ code, more }) => code === 'uncertain' && more.dispatched === 'uncertain');
  assert.deepEqual(await new Ledger().find('e'), { id: 'e', state: 'started' });
  assert.equal(run.count, 0);
});

test('a port that was replaced starts nothing', async () => {
  for (const [name, answers] of /** @type {[string, boolean[]][]} */ ([['before', [false]], ['while it was written', [true, false]]])) {
    const run = counter();
    await assert.rejects(new Ledger().once('f', run, () => answers.shift() ?? false), { code: 'old_epoch' }, name);
    assert.equal(run.count, 0, name);
    assert.equal(await kept('f'), undefined, name);
  }
});

test('no text that was typed is kept', async () => {
  const typed = 'se cret&1';
  for (const url of ['https://example.test/?q=se+cret%261', 'https://example.test/#se%20cret%261']) {
    /** @type {Evidence} */
    const evidence = { ...done, url, title: `about ${typed}`, dialog: typed, value_now: typed };
    const ledger = new Ledger();
    assert.deepEqual(await ledger.once(url, async () => evidence, live, typed), evidence);
    assert.deepEqual(Object.keys((await kept(url)).result), ['dispatched', 'effect', 'settled', 'method']);
  }
});

test('a result too large to keep is not made up', async () => {
  const value = 'x'.repeat(10_000);
  assert.equal((await new Ledger().once('g', async () => ({ ...done, value }), live)).value, value);
  await assert.rejects(new Ledger().once('g', counter(), live), ({ code, more }) => code === 'uncertain' && more.dispatched === 'yes');
});

test('the newest ends are kept, those of workers before too', async () => {
  const fake = fakeChrome();
  for (let i = 0; i < 3; i++) {
    const ledger = new Ledger();
    for (let k = 0; k < 300; k++) await ledger.once(`act ${i * 300 + k}`, counter(), live);
  }
  const ids = Object.values(await fake.session.get()).map(row => Number(row.id.slice(4)));
  assert.equal(ids.length, 500);
  assert.ok(Math.min(...ids) >= 300, `act ${Math.min(...ids)} is kept`);
});

test('a storage that is full keeps an act from starting, not from ending', async () => {
  const full = async () => { throw new Error('QUOTA_BYTES quota exceeded'); };
  const storage = { sessionGet: async () => ({}), sessionSet: full, sessionRemove: async () => {} };
  const run = counter();
  await assert.rejects(new Ledger(storage).once('h', run, live), ({ code, more }) => code === 'internal' && !more.dispatched);
  assert.equal(run.count, 0);
  let writes = 0;
  const ledger = new Ledger({ ...storage, sessionSet: async () => { if (writes++ > 0) await full(); } });
  assert.deepEqual(await ledger.once('h', run, live), done);
});

// A host, a worker and their storage, in every order that a seed calls: at each
// step one pending call of the worker ends, or the worker dies (with what it had
// pending either done or not), or its port is replaced, or the host asks again.
test('10,000 interleavings: never twice, and done only when it ran', async () => {
  for (let seed = 1; seed <= 10_000; seed++) {
    const world = new World(seed);
    await world.play();
    const told = `seed ${seed}: ${world.story.join(', ')}`;
    assert.ok(world.count <= 1, told);
    for (const { answer, count } of world.answers) {
      if (answer === 'done') assert.equal(count, 1, told);
      if (answer === 'no') assert.equal(count, 0, told);
    }
    if (world.stored.get('act:x')?.state === 'done') assert.equal(world.count, 1, told);
  }
});

class World {
  count = 0;
  /** @type {{answer: string, count: number}[]} what the host was told (done, or what was dispatched), and what the page had counted */
  answers = [];
  /** @type {string[]} */
  story = [];
  /** @type {Map<string, any>} */
  stored = new Map();
  #epoch = 1;
  #life = 0;
  #deaths = 0;
  #ports = 0;
  #asked = 0;
  /** @type {{life: number, does: string, now: () => void, end: (fails?: boolean) => void}[]} */
  #pending = [];
  #random;
  /** @type {InstanceType<typeof Ledger>} */
  #ledger;

  /** @param {number} seed */
  constructor(seed) {
    let state = seed * 2654435761 >>> 0;
    this.#random = (/** @type {number} */ n) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor(state / 2 ** 32 * n);
    };
    this.#ledger = this.#worker();
  }

  #worker() {
    const life = ++this.#life;
    return new Ledger({
      sessionGet: keys => this.#call(life, 'get', () => Object.fromEntries([...this.stored].filter(([key]) => keys === undefined || keys === key).map(entry => structuredClone(entry)))),
      sessionSet: items => this.#call(life, 'set', () => Object.entries(items).forEach(([key, value]) => this.stored.set(key, structuredClone(value)))),
      sessionRemove: keys => this.#call(life, 'remove', () => [keys].flat().forEach(key => this.stored.delete(key))),
    });
  }

  /** A call that takes effect, and ends, when its turn comes. @template T @param {number} life @param {string} does @param {() => T} effect @returns {Promise<T>} */
  #call(life, does, effect) {
    return new Promise((resolve, reject) => {
      /** @type {T} */
      let result;
      this.#pending.push({
        life, does, now: () => { result = effect(); },
        end: fails => (fails ? reject(new Fault('timeout')) : resolve(result)),
      });
    });
  }

  /** The host asks for the act. */
  #ask() {
    this.#asked++;
    const [life, mine] = [this.#life, this.#epoch];
    const ledger = this.#ledger;
    const tell = (/** @type {string} */ answer) => { if (life === this.#life && mine === this.#epoch) this.answers.push({ answer, count: this.count }); };
    ledger.once('x', async start => {
      await this.#call(life, 'look', () => {});
      await start();
      await this.#call(life, 'press', () => { this.count++; });
      return done;
    }, () => this.#epoch === mine).then(() => tell('done'), fault => tell(fault.data().dispatched));
  }

  async play() {
    this.#ask();
    for (let step = 0; step < 60; step++) {
      await settle();
      const die = this.#deaths < 2 && this.#random(8) === 0;
      const move = this.#ports < 2 && this.#random(8) === 0;
      const again = this.#asked < 4 && this.#random(6) === 0;
      if (die) {
        this.#deaths++;
        this.story.push('the worker dies');
        for (const call of this.#pending.splice(0)) if (this.#random(2)) { call.now(); this.story.push(`after ${call.does}`); }
        this.#epoch++;
        this.#ledger = this.#worker();
      } else if (move) {
        this.#ports++;
        this.story.push('another port');
        this.#epoch++;
      } else if (again) {
        this.story.push('asked again');
        this.#ask();
      } else if (this.#pending.length > 0) {
        const [call] = this.#pending.splice(this.#random(this.#pending.length), 1);
        const fails = call.does === 'press' && this.#random(5) === 0; // it took effect, and nobody heard
        this.story.push(fails ? `${call.does} without an answer` : call.does);
        call.now();
        call.end(fails);
      } else if (this.#asked >= 4) return;
      else this.#ask();
    }
  }
}

/** Lets everything run that waits for nothing. */
async function settle() {
  for (let i = 0; i < 12; i++) await undefined;
}
