'use strict';
// A fuzzer of both ends of the link and of the readers of the tests' text:
// node fuzz.js harness|candidate|text SEED SECONDS TRIES TEXTS… It ends with the
// exit code 1 and what it found where a frame does anything but give a value, an
// error of the other side, or a clear refusal.

const fs = require('node:fs');
const { Link, Broken } = require('/opt/glovebox/javascript/wire.js');
const text = require('/opt/glovebox/javascript/text.js');
const { shares } = require('/opt/glovebox/javascript/share.js');

const [, , end, seed, seconds, tries, ...files] = process.argv;
let state = Number(seed) >>> 0;
const below = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};
const pick = (list) => list[below(list.length)];

// Memory is a link whose frames are in memory.
class Memory extends Link {
  constructor(more) {
    super({ guard, onBroken() {}, pump() {}, ...more });
    this.frames = Buffer.alloc(0);
    this.sent = [];
  }
  readFully(size) {
    if (this.frames.length < size) return null;
    const head = this.frames.subarray(0, size);
    this.frames = this.frames.subarray(size);
    return head;
  }
  write(message) {
    this.sent.push(JSON.stringify(message));
  }
}

const guard = {
  call: (f, self, args) => (typeof f === 'function' ? Reflect.apply(f, self, args) : undefined),
  construct(f) { if (typeof f !== 'function') throw new TypeError('no class'); },
  reaches: (object, holder, key) => typeof object !== 'function' && typeof holder !== 'function' && !['constructor', '__proto__', 'prototype'].includes(key),
  names: () => [],
  name: () => [0],
};

// Values of all kinds, as the other end packs them.
class Point { constructor() { this.x = 1; } get y() { return 2; } }
const values = [1, -0, NaN, 1n, 'text', null, undefined, Symbol.for('s'), Symbol('t'), [1, , 'a'], Object.assign([1], { index: 0 }), { a: 1, b: [{}] },
  new Map([[1, new Set([2])]]), new Date(5), /a+/gi, new Uint8Array(3), new Float64Array(2), Buffer.from('ab'), new ArrayBuffer(4), Object(1), new RangeError('no', { cause: 1 }),
  Object.freeze({ f: [1] }), Object.create(null), new Point(), () => 1, class A extends Array {}, Promise.resolve(1), Math.max, Object];
const cycle = [];
cycle.push(cycle, { cycle });
values.push(cycle);
const other = new Memory();
other.idOf(() => pick(values));
const frames = values.map((value) => {
  other.ours.set(1, () => value);
  other.sent = [];
  other.serve(['q', 1, 'call', 1, [['u'], ['a', [[1, 2], 0, []]]]]);
  return other.sent.at(-1);
});
const operations = ['call', 'new', 'get', 'set', 'has', 'delete', 'keys', 'primitive', 'whole', 'names', 'name', 'pump', 'other'];
const odd = [0, 1, 2, -1, 1.5, 1e18, '', '__proto__', 'constructor', 'then', '@@iterator', 'AssertionError', 'Buffer', 'Function', '('.repeat(9), '9'.repeat(5000), null, true, [], {}, ['_'], ['u'], ['@', 0], ['h', 1], ['i', 1, null], ['f', 1, 'f', 1, null],
  ['p', 1], ['g', 'Object'], ['n', 'NaN'], ['b', '1'], ['R', '(', ''], ['R', 'a', 'zz'], ['t', ['Uint8Array', '!']], ['t', ['Float64Array', 'AA==']], ['d', 'x'], ['e', ['u'], '', '', [], ''], ['^'], ['y', 'k'], ['Y', 1, 't'], ['B', null]];

// copy is a copy of a tree, or 0 of one that is too large or too deep.
function copy(tree) {
  try {
    const text = JSON.stringify(tree);
    return text.length > 1e6 ? 0 : JSON.parse(text);
  } catch {
    return 0;
  }
}

// mutate changes some places of a tree of JSON.
function mutate(tree) {
  const places = [];
  (function walk(node) {
    if (node === null || typeof node !== 'object') return;
    for (const key of Object.keys(node)) {
      places.push([node, key]);
      walk(node[key]);
    }
  })(tree);
  for (let n = below(4); n >= 0 && places.length > 0; n--) {
    const [node, key] = pick(places);
    const kind = below(30) === 0 ? 3 : pick([0, 1, 2, 4, 5]);
    if (kind === 0 && Array.isArray(node)) node.splice(key, 1);
    else if (kind === 1 && Array.isArray(node)) node.splice(key, 0, copy(pick(odd)));
    else if (kind === 2) node[key] = copy(pick(places)[0]);
    else if (kind === 3) for (let depth = below(1700); depth > 0; depth--) node[key] = ['a', [[node[key]], 0, []]];
    else node[key] = copy(pick(odd));
  }
  return copy(tree) || [0];
}

// frame makes the bytes of a frame, some of them wrong.
function frame(message) {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  const whole = Buffer.alloc(body.length + 4);
  whole.writeUInt32BE(below(40) === 0 ? below(2 ** 31) : body.length, 0);
  body.copy(whole, 4);
  if (below(8) === 0) for (let n = below(4); n >= 0; n--) whole[4 + below(body.length)] = below(256);
  return below(40) === 0 ? whole.subarray(0, below(whole.length)) : whole;
}

const limits = /^(?:a value (?:is nested|of \d+ bytes)|an object of the program is too large)|is not a function|is not iterable|it is (?:not a function|no class)|cannot be changed|Cannot (?:convert|create)|no class|Invalid (?:array|Array)|Maximum call stack/;

// one tries one message. Of what the other side says nothing is thrown but what
// it says, refusals, and the limits of the language.
function harness() {
  const link = new Memory();
  const answer = JSON.parse(pick(frames));
  const list = [frame(mutate(answer))];
  while (below(3) === 0) list.unshift(frame(mutate(['q', below(9), pick(operations), below(4), [['u'], copy(pick(odd))]])));
  link.frames = Buffer.concat(list);
  link.idOf({ mine: 1 });
  link.idOf([1, 2]);
  const given = [[1, 2], { a: 1 }];
  let thrown;
  try {
    const got = link.use(() => 'fuzzing', 'call', 1, ...given);
    link.whole(got, { notes: {} });
    link.whole(given, { notes: {}, past: true });
    if (got !== null && typeof got === 'object') for (const key of Object.keys(got).slice(0, 9)) void got[key];
    String(got?.constructor?.name);
  } catch (error) {
    thrown = error;
  }
  link.release();
  if (thrown instanceof Error && !(thrown instanceof Broken) && !link.where.has(thrown) && !limits.test(thrown.message)) throw thrown;
}

function candidate() {
  const link = new Memory();
  const program = { list: [1], add: (a, b) => a + b, Point, later: async () => 1, throws() { throw new TypeError('x'); } };
  for (const value of Object.values(program)) link.idOf(value);
  const values = [['u'], ...JSON.parse(JSON.stringify(frames.map((f) => JSON.parse(f)[3]))).slice(below(20), below(9) + 20)];
  const message = mutate(['q', 1, pick(operations), 1 + below(5), values]);
  link.frames = frame(message);
  try {
    const got = link.read();
    if (got === null) return;
    link.serve(got);
  } catch (error) {
    if (!(error instanceof Broken) && !limits.test(error?.message)) throw error;
    return;
  }
  for (const sent of link.sent) JSON.parse(sent);
}

const texts = files.map((file) => fs.readFileSync(file, 'utf8'));
const pieces = ['`', '${', '}', '{', '(', ')', '[', ']', '/', '\\', '"', "'", '\n', '/*', '*/', '//', '.skip(', 'skip:', 'new ', '=>', '...', 'assert(', 'expect(', '.equals(', 'if (', '\u{1F600}', '\u0000', '<!--', '#!'];
function reading() {
  let source = pick(texts);
  for (let n = below(9); n >= 0; n--) {
    const at = below(source.length + 1);
    source = source.slice(0, at) + (below(3) ? pick(pieces) : pick(texts).slice(below(200), 200 + below(300))) + source.slice(at + below(below(2) ? 2 : 60));
  }
  read(source);
}

// found are texts that this fuzzer found a fault with.
const found = ["= require('node:test');\nconst { Stack = require('./solution');\nconst {"];

function read(source) {
  const all = text.tokens(source);
  if (all.length !== all.places.length || all.places.some((place, n) => place < (all.places[n - 1] ?? 0) || place > source.length)) throw new Error(`places of ${JSON.stringify(source)}`);
  for (const { from, to } of text.comparisons(source)) if (!(from < to)) throw new Error(`a comparison of ${JSON.stringify(source)}`);
  text.factories(source);
  text.siblings(source);
  text.leaves(source);
  text.equality(source);
  text.choosing(source);
  text.idle(source);
  const shared = shares(source);
  if (shared && !(shared.at >= 0 && shared.at <= source.length)) throw new Error(`a place of ${JSON.stringify(source)}`);
  text.plainly(text.results(source), 'list', 'includes');
}

const whole = (o) => Reflect.ownKeys(o).map(String).join();
const before = [Object.prototype, Array.prototype, Function.prototype].map(whole);
const run = { harness, candidate, text: reading }[end];
if (end === 'text') found.forEach(read);
let tried = 0;
for (const stop = Date.now() + 1000 * Number(seconds); tried < Number(tries) && Date.now() < stop; tried++) {
  const began = state;
  try {
    run();
    if (end !== 'candidate' && [Object.prototype, Array.prototype, Function.prototype].some((o, n) => whole(o) !== before[n])) throw new Error('a prototype of the language was changed');
  } catch (error) {
    console.log(`after ${tried} tries, state ${began}: ${error?.stack ?? error}`);
    process.exitCode = 1;
    break;
  }
}
console.log(`${end}: ${tried} tries, seed ${seed}`);
