'use strict';
// Values and calls between two processes, one turn at a time.
//
// A frame is four bytes of length and a JSON text. A request is
// ["q", seq, op, …] and its answer ["r", seq, ok, …]; while one side waits for
// its answer it serves the requests of the other. So at any time exactly one
// side runs, and every call is synchronous, callbacks included.
//
// Plain values travel as tagged JSON. Containers of one call are numbered in
// the order in which both sides meet them; what a call changed in them comes
// back with its answer. Everything else stays with its owner: the other side
// gets a proxy that forwards what is done to it. Nothing that is received is
// ever compiled, and no setter is ever called.
//
// The harness uses its end with a Guard (see harness.js), which limits what the
// other side may do to its objects, and with a Policy, which decides what the
// tests may ask of an object of the program:
//
//   factories   the names that the tests' own text calls to make objects
//   judged      the names of the program whose methods it lets judge
//   siblings    the methods whose results judge as objects that the tests make do
//   plain(name, key)  whether it asks key of what the method name gives, as of a plain value
//   strict      whether their answers are checked for what no driver of ours gives
//   sparse      whether the tests know of arrays with holes
//   texts       the functions of whose results the tests ask what only a text has
//   place()     of the statement of the tests that calls: whether what it changes in arguments shows
//               later (keep), and whether a result may be the same object as an argument (alias)
//   reads()     whether the tests assert of an argument by itself
//   equality    whether it has results say what they are equal to
//   holds()     in which comparison, and on which side of it, the tests are, where what
//               a call changes shows on the other sides when all values are there
//   mark()      what is asked is for the candidate to judge
//   refuse(why) what is asked fails the test; it does not return

const fs = require('node:fs');
const util = require('node:util');

const maxFrame = 32 << 20;
const maxDepth = 1500;
const maxItems = 16e6;
const maxHandles = 2e6;
const maxWhole = 200; // how deep objects of theirs are compared

// Values of the language itself travel by their names. Nothing here makes code
// from text.
const named = new Map();
for (const name of ['Object', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Map', 'Set', 'WeakMap',
  'WeakSet', 'Date', 'RegExp', 'Promise', 'ArrayBuffer', 'DataView', 'Uint8Array', 'Int8Array', 'Uint8ClampedArray',
  'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array',
  'BigUint64Array', 'Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError',
  'AggregateError', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'Buffer', 'URL', 'URLSearchParams']) {
  named.set(name, globalThis[name]);
}
named.set('AssertionError', require('node:assert').AssertionError);
for (const space of ['Math', 'Number', 'String', 'Array', 'Object', 'Date', 'JSON']) {
  for (const key of Object.getOwnPropertyNames(globalThis[space])) {
    const value = globalThis[space][key];
    // None that changes its argument: who calls it would not be the program.
    if (typeof value === 'function' && !/^(?:assign|define|set|freeze|seal|preventExt)/.test(key)) named.set(space + '.' + key, value);
  }
}
const nameOf = new Map();
for (const [name, value] of named) if (!nameOf.has(value)) nameOf.set(value, name);

// Methods by which a value of the language says what holds of an argument. An
// object of the program in such a value's place does not judge itself.
const judges = new Set(['includes', 'indexOf', 'lastIndexOf', 'has', 'startsWith', 'endsWith', 'match', 'search', 'test',
  'localeCompare', 'hasOwnProperty', 'propertyIsEnumerable', 'isPrototypeOf', 'isSubsetOf', 'isSupersetOf',
  'isDisjointFrom', 'equals', 'compare']);
// The same, where the argument is a function of the tests.
const tries = new Set(['some', 'every', 'find', 'findIndex', 'findLast', 'findLastIndex', 'filter']);
const typedArrays = ['Uint8Array', 'Int8Array', 'Uint8ClampedArray', 'Uint16Array', 'Int16Array', 'Uint32Array',
  'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'];
const wellKnown = ['iterator', 'asyncIterator'];
const errorNames = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError',
  'AggregateError', 'AssertionError'];

// Their objects are every error, and those that assertions throw.
const everyError = new Set([Object, Error, named.get('AssertionError')]);

// define gives an object a property of its own. Only a key that nothing above
// it knows is assigned, which is quicker.
const define = (object, key, value) => {
  if (key in object) Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
};

// Broken is what the link throws when the other side cannot be believed any
// more. The owner of the link ends the process on it: nobody can clear it.
class Broken extends Error {}

// lenient is the policy of the candidate's side, which judges nothing.
const lenient = { factories: new Set(), judged: new Set(), siblings: new Set(), texts: new Set(), plain: () => false, sparse: true, place: () => ({ alias: true }), reads: () => false, holds: () => undefined, mark() {}, refuse() {} };

class Link {
  // guard decides what the other side may do to our objects; onBroken must not
  // return.
  constructor({ input, output, guard, policy = lenient, onBroken, pump }) {
    this.input = input;
    this.output = output;
    this.guard = guard;
    this.onBroken = onBroken;
    this.pump = pump;
    this.policy = policy;
    this.made = new WeakSet(); // objects of theirs that our own text constructs
    this.kin = new WeakSet(); // objects of theirs that siblings gave
    this.back = new WeakMap(); // a made object that they gave us later → by what names, undefined where we do not know
    this.keys = new WeakMap(); // function of theirs → the names that our text got it by
    this.spelled = new WeakMap(); // function of theirs → what our text calls it
    this.came = new WeakSet(); // values that calls gave
    this.held = new Map(); // container of ours that a call changed → [tag, what it was, what it will be]
    this.holding = undefined; // where
    this.before = new WeakMap(); // container of ours that a call changed → a copy of what it was
    this.kept = new Map(); // container of ours that a call changed → what tests see of it, and what the program does
    this.texts = new WeakSet(); // objects of theirs that stand where the tests expect a text
    this.thens = 0; // thenables of theirs that have not answered
    this.seq = 0;
    this.doing = null; // what is being asked for, as a function that tells it
    this.ours = new Map(); // id → object of ours that the other side knows
    this.ids = new Map(); // and back
    this.theirs = new Map(); // id → proxy or promise for an object of theirs
    this.theirIds = new WeakMap(); // and back
    this.settlers = new Map(); // id → [resolve, reject] of their promises
    this.settled = []; // our promises that ended and were not told yet
    this.waiting = new Map(); // id → our promise that they wait for
    this.where = new WeakMap(); // error of theirs → where it was thrown
    this.wake = () => {};
    this.used = () => {};
  }

  broken(reason) {
    this.onBroken(this.doing ? `${reason} during ${this.doing()}` : reason);
    throw new Broken(reason);
  }

  // Frames.

  readFully(size) {
    const buffer = Buffer.allocUnsafe(size);
    for (let at = 0; at < size;) {
      let n = 0;
      try {
        n = fs.readSync(this.input, buffer, at, size - at, null);
      } catch (error) {
        if (error.code === 'EAGAIN') {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
          continue;
        }
        if (error.code !== 'EOF') this.broken(`the link failed (${error.code})`);
      }
      if (n === 0) return null;
      at += n;
    }
    return buffer;
  }

  read() {
    const head = this.readFully(4);
    if (head === null) return null;
    const size = head.readUInt32BE(0);
    if (size > maxFrame) this.broken(`a message of ${size} bytes came`);
    const body = this.readFully(size);
    if (body === null) return null;
    let message;
    try {
      message = JSON.parse(body.toString('utf8'));
    } catch {
      this.broken('a message came that is not JSON');
    }
    if (!Array.isArray(message) || message.length < 3) this.broken('a malformed message came');
    return message;
  }

  write(message) {
    const body = Buffer.from(JSON.stringify(message), 'utf8');
    if (body.length > maxFrame) throw new RangeError(`a value of ${body.length} bytes is too large to be passed`);
    const frame = Buffer.allocUnsafe(4 + body.length);
    frame.writeUInt32BE(body.length, 0);
    body.copy(frame, 4);
    for (let at = 0; at < frame.length;) {
      try {
        at += fs.writeSync(this.output, frame, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') this.broken(error.code === 'EPIPE' ? 'the process ended' : `the link failed (${error.code})`);
      }
    }
  }

  // Requests.

  // ask sends a request and returns the answer's parts after ok.
  ask(op, ...parts) {
    const seq = ++this.seq;
    this.write(['q', seq, op, ...parts]);
    for (;;) {
      const message = this.read();
      if (message === null) this.broken('the process ended');
      if (message[0] === 'q') {
        this.serve(message);
      } else if (message[0] === 'r' && message[1] === seq) {
        return message.slice(2);
      } else {
        this.broken('an answer came that nobody asked for');
      }
    }
  }

  // use asks for something to be done with values, and returns the value of
  // the answer or throws its error.
  use(doing, op, id, ...values) {
    const outer = this.doing;
    this.doing = outer ?? doing;
    const side = this.held.size > 0 ? this.policy.holds() : undefined;
    const again = this.resume(side);
    try {
      const sent = new Packer(this);
      const packed = values.map((v) => sent.pack(v));
      for (const object of sent.met) this.before.delete(object);
      const [ok, value, changes] = this.ask(op, id, packed);
      const got = new Unpacker(this, sent.met);
      let result = got.unpack(value);
      const changed = got.apply(changes);
      if (changed.length > 0 || again || got.aliased) result = this.arrive(changed, again, result, got.aliased);
      if (ok !== 1 && ok !== 0) this.broken('a malformed answer came');
      if (result !== null && typeof result === 'object') this.came.add(result);
      for (const object of got.made) if (object !== result || op !== 'call') this.noteBack(object, [op === 'get' && object === result ? values[0] : undefined]);
      this.used(doing, ok, result);
      if (ok === 1) return result;
      throw result;
    } finally {
      this.doing = outer;
    }
  }

  // arrive decides what the tests see of what a call changed.
  arrive(changed, again, result, aliased) {
    if (!this.policy.strict) return result;
    const { keep, alias } = this.policy.place();
    if (aliased && !alias) result = this.detached(result, new Map());
    if (this.policy.holds() !== undefined) return this.hold(changed, again, result);
    if (!keep || (aliased && alias)) return result;
    for (const [object, tag, was] of changed) {
      this.kept.set(object, { tag, was, is: shallow(object, tag) });
      this.before.delete(object);
      put(object, tag, was);
    }
    return result;
  }

  // detached copies a plain value: what tests do to an argument is not done to it.
  detached(value, seen) {
    if (value === null || typeof value !== 'object' || this.theirIds.has(value)) return value;
    if (seen.has(value)) return seen.get(value);
    const tag = new Packer(this).kind(value);
    if (!tag) return value;
    const from = this.current(value);
    const copy = tag === 'A' ? from.slice(0) : shallow(from, tag);
    seen.set(value, copy);
    const below = (v) => this.detached(v, seen);
    if (tag === 'm') {
      copy.clear();
      for (const [k, v] of from) copy.set(below(k), below(v));
    } else if (tag === 's') {
      copy.clear();
      for (const v of from) copy.add(below(v));
    } else if (tag === 'a' || tag === 'o') {
      for (const key of further(copy, false)) {
        const own = Object.getOwnPropertyDescriptor(copy, key);
        Object.defineProperty(copy, key, { ...own, value: below(own.value) });
      }
    }
    return copy;
  }

  // current is what the program sees of a container of ours: what its calls made of it,
  // unless the tests changed it since.
  current(object) {
    const entry = this.kept.get(object);
    if (entry === undefined) return object;
    if (same(object, entry.was, entry.tag)) return entry.is;
    this.kept.delete(object);
    return object;
  }

  // shown runs an assertion that sees what calls changed in arguments.
  shown(run) {
    if (this.kept.size === 0 || !this.policy.reads()) return run();
    const seen = [...this.kept].map(([object, { tag }]) => [object, tag, shallow(object, tag), this.current(object)]).filter(([object, , , is]) => is !== object);
    for (const [object, tag, , is] of seen) put(object, tag, is);
    try {
      return run();
    } finally {
      for (const [object, tag, was] of seen) put(object, tag, was);
    }
  }

  // hold gives containers what they had before a call of a comparison, until
  // release. The result is what the call made of it.
  hold(changed, again, result) {
    const side = this.policy.holds();
    if (side === undefined) return result;
    this.holding = side;
    for (const [object, tag, was] of changed) if (!this.held.has(object)) this.held.set(object, [tag, was]);
    const now = again ? [...this.held.keys()] : changed.map(([object]) => object);
    for (const object of now) {
      const entry = this.held.get(object);
      const [tag, was] = entry;
      entry[2] = shallow(object, tag);
      if (object === result) result = shallow(object, tag);
      put(object, tag, was);
    }
    return result;
  }

  // resume shows what calls changed to a further call on the same side, and for
  // good where the comparison is over. It reports whether to hold it again.
  resume(side) {
    if (this.held.size === 0) return false;
    if (side === undefined || side.range !== this.holding.range) this.release();
    else if (side.side !== this.holding.side) return false;
    for (const [object, [tag, , is]] of this.held) put(object, tag, is);
    return this.held.size > 0;
  }

  release() {
    for (const [object, [tag, , is]] of this.held) put(object, tag, is);
    this.held.clear();
  }

  // serve answers one request of the other side.
  serve([, seq, op, id, values]) {
    if (op === 'pump') return this.pump(seq, id, values);
    let got;
    let ok = 1;
    let result;
    let before;
    try {
      got = new Unpacker(this, []);
      if (!Array.isArray(values)) this.broken('a malformed request came');
      values = values.map((v) => got.unpack(v));
      const packer = new Packer(this, got.met);
      before = got.met.map((object) => JSON.stringify(packer.body(object)));
      const run = operations[op];
      if (!Object.hasOwn(operations, op)) this.broken('an unknown request came');
      result = run.call(this, id, values);
    } catch (error) {
      if (error instanceof Broken) throw error;
      ok = 0;
      result = error;
    }
    let answer;
    try {
      const sent = new Packer(this, got.met);
      const value = result === inherited ? ['^'] : op === 'new' && ok ? sent.handle(result) : sent.pack(result);
      const changes = [];
      for (let n = 0; n < before.length; n++) {
        const body = sent.body(got.met[n]);
        if (JSON.stringify(body) !== before[n]) changes.push([n, body]);
      }
      answer = ['r', seq, ok, value, changes];
      this.write(answer);
    } catch (error) {
      if (error instanceof Broken) throw error;
      this.write(['r', seq, 0, ['e', ['g', 'RangeError'], 'RangeError', String(error.message), [], ''], []]);
    }
  }

  // Our objects.

  idOf(object) {
    let id = this.ids.get(object);
    if (id === undefined) {
      id = this.ids.size + 1;
      if (id > maxHandles) this.broken('too many objects were passed');
      this.ids.set(object, id);
      this.ours.set(id, object);
    }
    return id;
  }

  our(id) {
    if (!this.ours.has(id)) this.broken('an object was named that was never passed');
    return this.ours.get(id);
  }

  // watch tells the other side when our promise ends.
  watch(promise) {
    const id = this.idOf(promise);
    if (this.waiting.has(id)) return id;
    this.waiting.set(id, promise);
    const end = (ok) => (value) => {
      this.waiting.delete(id);
      this.settled.push([id, ok, value]);
      this.wake();
    };
    promise.then(end(1), end(0));
    return id;
  }

  // takeSettled packs the ends of our promises for one message.
  takeSettled() {
    return this.settled.splice(0).map(([id, ok, value]) => [id, ok, new Packer(this).pack(value)]);
  }

  // settle ends the promises of theirs that a message says have ended.
  settle(list) {
    if (!Array.isArray(list)) this.broken('a malformed answer came');
    for (const [id, ok, value] of list) {
      const settlers = this.settlers.get(id);
      if (!settlers) continue;
      this.settlers.delete(id);
      const got = new Unpacker(this, []);
      const result = got.unpack(value);
      for (const object of got.made) this.noteBack(object, [undefined]);
      if (result !== null && typeof result === 'object') this.came.add(result);
      settlers[ok === 1 ? 0 : 1](result);
    }
  }

  // Their objects.

  theirPromise(id) {
    if (!this.theirs.has(id)) {
      const promise = new Promise((...settlers) => this.settlers.set(id, settlers));
      this.theirs.set(id, promise);
      this.theirIds.set(promise, id);
    }
    return this.theirs.get(id);
  }

  noteBack(object, names) {
    const known = this.back.get(object) ?? new Set();
    for (const name of names) known.add(name);
    this.back.set(object, known);
  }

  keep(id, proxy) {
    if (this.theirs.size > maxHandles) this.broken('too many objects were passed');
    this.theirs.set(id, proxy);
    this.theirIds.set(proxy, id);
    return proxy;
  }

  // property reads a property of theirs.
  property(id, key, receiver, target) {
    const value = this.use(() => `reading .${key}`, 'get', id, key);
    // Only what each object and each function has is the language's own.
    if (value === inherited) return !this.policy.strict || key in Function.prototype ? Reflect.get(target, key, receiver) : undefined;
    // A class of the program that would be the class of every error is none.
    if (this.policy.strict && everyError.has(value) && value.name !== key) return undefined;
    if (typeof value !== 'function') return value;
    if (key in String.prototype && !(key in Object.prototype) && this.texts.has(this.theirs.get(id))) {
      this.policy.refuse(`the program returned an object that answers .${key}() by itself: the tests expect a text`);
    }
    const owner = this.spelled.get(this.theirs.get(id));
    if (owner !== undefined && this.theirIds.has(value)) this.spelled.set(value, `${owner}.${key}`);
    if (key === 'then') return this.thenable(value);
    if (this.theirIds.has(value)) this.keys.set(value, (this.keys.get(value) ?? new Set()).add(key));
    const object = this.theirs.get(id);
    // What the program gave in the place of a plain value is no made object.
    const result = [...this.back.get(object) ?? []].some((name) => this.policy.plain(name, key));
    const free = (this.made.has(object) && !result) || this.policy.judged.has(owner);
    const judging = judges.has(key) || tries.has(key);
    if (judging && !free && (this.kin.has(object) || (this.policy.equality && /^(?:equals|compare)$/.test(key)))) {
      this.policy.mark();
      return value;
    }
    return judging && !free ? this.judging(key, value) : value;
  }

  // judging is a method of a result by which a value of the language would say
  // what holds of an argument.
  judging(key, method) {
    const link = this;
    return function (...args) {
      if (args.some((a) => link.made.has(a))) link.policy.mark();
      else if (judges.has(key) ? args.length > 0 : args.some((a) => typeof a === 'function')) {
        link.policy.refuse(`the program returned an object that answers .${key}() by itself: the tests expect a plain value, such as an array, a string, a Set or a Map`);
      }
      return Reflect.apply(method, this, args);
    };
  }

  // primitive is what an object of theirs is to an operator of ours, or to
  // String, or to Number.
  primitive(proxy, id, hint) {
    if (hint !== 'string') {
      if (this.made.has(proxy) && !this.back.has(proxy)) this.policy.mark();
      else this.policy.refuse('the program returned an object where the tests expect a plain value: they compare or calculate with it');
    }
    const value = this.use(() => 'making text of an object', 'primitive', id, hint);
    if (value === inherited) return '[object Object]';
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) throw new TypeError('Cannot convert object to primitive value');
    return value;
  }

  // isTheirs reports whether a value stands for an object of theirs.
  isTheirs(value) {
    return value !== null && typeof value === 'object' && this.theirIds.has(value) && !util.types.isPromise(value);
  }

  // isOurs reports whether whole would leave a value as it is.
  isOurs(value, past) {
    const seen = new Set();
    const todo = [value];
    while (todo.length > 0) {
      const object = todo.pop();
      if (seen.has(object)) continue;
      if (seen.size > maxItems || this.isTheirs(object) || (past && this.before.has(object))) return false;
      seen.add(object);
      const prototype = Object.getPrototypeOf(object);
      const below = (v) => {
        if (v !== null && typeof v === 'object') todo.push(v);
      };
      if (util.types.isMap(object)) for (const [k, v] of object) below(k), below(v);
      else if (util.types.isSet(object)) object.forEach(below);
      else if (Array.isArray(object)) for (let n = 0; n < object.length; n++) below(object[n]);
      else if (prototype !== Object.prototype && prototype !== null) continue;
      if (Array.isArray(object) && onlyItems(object)) continue;
      for (const key of Reflect.ownKeys(object)) below(Object.getOwnPropertyDescriptor(object, key).value);
    }
    return true;
  }

  // whole makes of objects of theirs in a value, and below, copies of ours. It
  // asks for everything at once: no comparison asks them again. notes gets
  // what was met; past takes of a container what it was before calls changed it.
  whole(value, { notes, past = false, seen = new Map(), depth = 0 }) {
    if (value === null || typeof value !== 'object' || (depth === 0 && this.isOurs(value, past))) return value;
    if (seen.has(value)) return seen.get(value);
    if (depth > maxWhole || seen.size > maxItems) throw new RangeError('an object of the program is too large or too deep to be compared');
    const next = (v) => this.whole(v, { notes, past, seen, depth: depth + 1 });
    if (!this.isTheirs(value)) {
      const was = past ? this.before.get(value) ?? value : value;
      const kind = new Packer(this).kind(value);
      if (!['a', 'o', 'm', 's'].includes(kind)) return was;
      // What has nothing of theirs in it stays what it is.
      const copy = kind === 'a' ? [] : kind === 'm' ? new Map() : kind === 's' ? new Set() : Object.create(Object.getPrototypeOf(was));
      seen.set(value, copy);
      let same = was === value;
      const other = (v) => {
        const made = next(v);
        if (!Object.is(made, v)) same = false;
        return made;
      };
      if (kind === 'a') copy.length = was.length;
      if (kind === 'm') for (const [k, v] of was) copy.set(other(k), other(v));
      else if (kind === 's') for (const v of was) copy.add(other(v));
      for (const key of Reflect.ownKeys(was)) {
        const own = Object.getOwnPropertyDescriptor(was, key);
        if (key === 'length' && kind === 'a') continue;
        if ('value' in own) own.value = other(own.value);
        Object.defineProperty(copy, key, own);
      }
      if (same) seen.set(value, value);
      return seen.get(value);
    }
    notes.theirs = true;
    if (this.made.has(value)) notes.made = true;
    const got = this.use(() => 'reading an object', 'whole', this.theirIds.get(value));
    if (!Array.isArray(got) || typeof got[0] !== 'string' || !Array.isArray(got[1])) this.broken('a malformed answer came');
    const [kind, entries, content] = got;
    if (['a', 'm', 's'].includes(kind) && !Array.isArray(content)) this.broken('a malformed answer came');
    const copy = kind === 'a' ? [] : kind === 'm' ? new Map() : kind === 's' ? new Set() : kind === 'd' ? new Date(Number(content)) : kind === 'e' ? new Error() : {};
    if (kind === 'e') delete copy.stack;
    seen.set(value, copy);
    if (kind === 'm') for (const [k, v] of content) copy.set(next(k), next(v));
    if (kind === 's') for (const v of content) copy.add(next(v));
    if (kind === 'a') for (const v of content) copy.push(next(v));
    for (const entry of entries) {
      if (!Array.isArray(entry) || (typeof entry[0] !== 'string' && typeof entry[0] !== 'symbol')) this.broken('a malformed answer came');
      const part = next(entry[1]);
      if (typeof part === 'function' && entry[0] in copy) this.broken('a malformed answer came');
      define(copy, entry[0], part);
    }
    Object.setPrototypeOf(copy, Object.getPrototypeOf(value));
    return copy;
  }

  // thenable counts who waits for a then of theirs.
  thenable(then) {
    const link = this;
    return function (...settlers) {
      let waits = true;
      link.thens++;
      const once = (settle) => (value) => {
        if (waits) link.thens--;
        waits = false;
        return settle?.(value);
      };
      return Reflect.apply(then, this, settlers.map((s) => (typeof s === 'function' ? once(s) : s)));
    };
  }

  theirFunction(id, name, length, parent) {
    const link = this;
    const target = function () {};
    Object.defineProperty(target, 'name', { value: name, configurable: true });
    Object.defineProperty(target, 'length', { value: length, configurable: true });
    const proxy = new Proxy(target, {
      apply(_, self, args) {
        const result = link.use(() => describe(name, args), 'call', id, self, ...args);
        const names = link.keys.get(proxy) ?? [undefined];
        if (link.policy.factories.has(link.spelled.get(proxy))) {
          link.policy.mark();
          if (link.isTheirs(result)) link.made.add(result);
          return result;
        }
        if ([...names].some((key) => link.policy.siblings.has(key))) {
          link.policy.mark();
          if (link.isTheirs(result)) link.kin.add(result);
        }
        if (link.made.has(result)) link.noteBack(result, names);
        else if (link.isTheirs(result) && link.policy.texts.size > 0 && link.policy.texts.has((link.spelled.get(proxy) ?? [...names][0])?.split('.').at(-1))) link.texts.add(result);
        return result;
      },
      construct(_, args, made) {
        if (made !== proxy) link.broken(`a class of the tests extends ${name}`);
        const object = link.use(() => describe('new ' + name, args), 'new', id, ...args);
        if (object === null || !link.theirIds.has(Object(object))) link.broken(`new ${name} made no object`);
        link.made.add(object);
        return object;
      },
      get(_, key, receiver) {
        if (typeof key === 'symbol' || Reflect.has(target, key)) return Reflect.get(target, key, receiver);
        return link.property(id, key, receiver, target);
      },
      set(_, key, value) {
        return link.use(() => `setting ${name}.${String(key)}`, 'set', id, String(key), value) === true;
      },
      ownKeys: () => Reflect.ownKeys(target),
      defineProperty: () => false,
      deleteProperty: () => false,
      preventExtensions: () => false,
      setPrototypeOf: () => false,
    });
    const above = typeof parent === 'function' && Reflect.get(parent, 'prototype', parent);
    target.prototype = Object.create(above || Object.prototype, {
      constructor: { value: proxy, writable: true, configurable: true },
    });
    return this.keep(id, proxy);
  }

  theirObject(id, constructor) {
    const link = this;
    const prototype = typeof constructor === 'function' ? Reflect.get(constructor, 'prototype', constructor) : null;
    const target = Object.create(prototype || null);
    const symbols = new Map(wellKnown.map((name) => [Symbol[name], '@@' + name]));
    const keyOf = (key) => (typeof key === 'symbol' ? symbols.get(key) : key);
    const local = (key) => keyOf(key) === undefined || key === 'constructor' || key === '__proto__';
    const has = (key) => !local(key) && link.use(() => `looking for .${String(key)}`, 'has', id, keyOf(key)) === 2;
    const proxy = new Proxy(target, {
      get(_, key, receiver) {
        if (key === Symbol.toPrimitive) return (hint) => link.primitive(proxy, id, hint);
        if (local(key)) return Reflect.get(target, key, receiver);
        return link.property(id, keyOf(key), receiver, target);
      },
      set(_, key, value) {
        if (local(key)) return false;
        return link.use(() => `setting .${String(key)}`, 'set', id, keyOf(key), value) === true;
      },
      has: (_, key) =>
        Reflect.has(target, key) || (!local(key) && link.use(() => `looking for .${String(key)}`, 'has', id, keyOf(key)) > 0),
      deleteProperty(_, key) {
        if (!local(key)) link.use(() => `deleting .${String(key)}`, 'delete', id, keyOf(key));
        return true;
      },
      ownKeys() {
        const keys = link.use(() => 'listing the properties', 'keys', id);
        if (!Array.isArray(keys)) link.broken('a malformed answer came');
        return [...new Set(keys.map(String))];
      },
      getOwnPropertyDescriptor(_, key) {
        if (!has(key)) return undefined;
        return { value: proxy[key], writable: true, enumerable: true, configurable: true };
      },
      defineProperty(_, key, descriptor) {
        if (local(key) || !('value' in descriptor)) return false;
        return link.use(() => `setting .${String(key)}`, 'set', id, keyOf(key), descriptor.value) === true;
      },
      preventExtensions: () => false,
      setPrototypeOf: () => false,
    });
    return this.keep(id, proxy);
  }
}

// describe shows a call, shortly.
function describe(name, args) {
  let shown;
  try {
    shown = args.map((a) => util.inspect(a, { depth: 2, breakLength: Infinity, maxArrayLength: 8, maxStringLength: 60 }));
  } catch {
    shown = ['…'];
  }
  shown = shown.join(', ');
  return `${name}(${shown.length > 200 ? shown.slice(0, 200) + '…' : shown})`;
}

// inherited is the answer for a property that comes from the language itself.
const inherited = Symbol('inherited');
const languages = new Set([Object.prototype, Function.prototype]);

// holder returns the object of the chain that has the property.
function holder(object, key) {
  for (let o = Object(object), n = 0; o !== null && n < 100; o = Object.getPrototypeOf(o), n++) {
    if (Object.hasOwn(o, key)) return o;
  }
  return null;
}

const realKey = (key) => {
  if (typeof key === 'string' && key.startsWith('@@')) return wellKnown.includes(key.slice(2)) ? Symbol[key.slice(2)] : key;
  return key;
};

// reached returns an object of ours whose property may be changed.
const reached = (link, id, key) => {
  const object = link.our(id);
  if (!link.guard.reaches(object, object, key)) throw new TypeError(`${String(key)} cannot be changed from here`);
  return object;
};

// operations are what may be asked about objects of ours.
const operations = {
  call(id, [self, ...args]) {
    return this.guard.call(this.our(id), self, args);
  },
  new(id, args) {
    const target = this.our(id);
    this.guard.construct(target);
    return Reflect.construct(target, args);
  },
  get(id, [key]) {
    const object = this.our(id);
    key = realKey(key);
    const at = holder(object, key);
    if (at === null) return undefined;
    if (languages.has(at) || !this.guard.reaches(object, at, key)) return inherited;
    return object[key];
  },
  set(id, [key, value]) {
    return Reflect.set(reached(this, id, key), realKey(key), value);
  },
  has(id, [key]) {
    const object = this.our(id);
    key = realKey(key);
    if (Object.hasOwn(object, key)) return 2;
    return key in object ? 1 : 0;
  },
  delete(id, [key]) {
    Reflect.deleteProperty(reached(this, id, key), realKey(key));
  },
  keys(id) {
    const object = this.our(id);
    return Object.keys(object);
  },
  // What an object is to an operator, and what it has in it.
  primitive(id, [hint]) {
    const object = this.our(id);
    if (!this.guard.reaches(object, object, 'toString')) return inherited;
    const special = object[Symbol.toPrimitive];
    if (special !== undefined && special !== null) return Reflect.apply(special, object, [hint]);
    for (const key of hint === 'string' ? ['toString', 'valueOf'] : ['valueOf', 'toString']) {
      if (typeof object[key] !== 'function') continue;
      const value = object[key]();
      if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
    }
    throw new TypeError('Cannot convert object to primitive value');
  },
  whole(id) {
    const object = this.our(id);
    if (!this.guard.reaches(object, object, 'valueOf')) return ['', []];
    const list = Array.isArray(object);
    const entries = Reflect.ownKeys(object)
      .filter((key) => Object.prototype.propertyIsEnumerable.call(object, key) && !(list && /^\d+$/.test(String(key))))
      .map((key) => [key, object[key]]);
    if (list) return ['a', entries, Array.from(object)];
    if (util.types.isMap(object)) return ['m', entries, [...Map.prototype.entries.call(object)]];
    if (util.types.isSet(object)) return ['s', entries, [...Set.prototype.values.call(object)]];
    if (util.types.isDate(object)) return ['d', entries, Date.prototype.getTime.call(object)];
    if (util.types.isNativeError(object)) return ['e', [['name', object.name], ['message', object.message], ...entries]];
    return ['', entries];
  },
  // Of a program: which of the names a module of it has, and what one means.
  names(id, [module, names]) {
    return this.guard.names(module, names);
  },
  name(id, [module, name]) {
    return this.guard.name(module, name);
  },
};

const isPlain = (object) => {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Reflect.ownKeys(object).every((key) => {
    const own = Object.getOwnPropertyDescriptor(object, key);
    return own !== undefined && Object.hasOwn(own, 'value') && typeof own.value !== 'function';
  });
};

// isList reports whether an array has only plain values beside its items.
const isList = (list) => onlyItems(list) || further(list, true).every((key) => typeof list[key] !== 'function' && !(key in Array.prototype));

// further are the enumerable keys of a container that are no part of its kind.
const further = (object, list) => Reflect.ownKeys(object).filter(
  (key) => Object.prototype.propertyIsEnumerable.call(object, key) && !(list && isIndex(key)));
// onlyItems reports whether an array has no further keys. To list the keys of a
// long one takes longer than to compare it with a copy of its items.
const onlyItems = (list) => (list.length < 100
  ? Object.keys(list).length === list.length && Object.getOwnPropertySymbols(list).length === 0
  : util.isDeepStrictEqual(list, Array.prototype.slice.call(list)));
const isIndex = (key) => typeof key === 'string' && /^(?:0|[1-9]\d{0,9})$/.test(key);

const typedName = (value) => {
  if (Buffer.isBuffer(value)) return 'Buffer';
  const name = value[Symbol.toStringTag];
  return typedArrays.includes(name) ? name : '';
};

// Packer turns values into JSON. met lists the containers of this exchange.
class Packer {
  constructor(link, met = []) {
    this.link = link;
    this.met = [...met];
    this.number = new Map(this.met.map((object, n) => [object, n]));
    this.depth = 0;
  }

  pack(value) {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'undefined':
        return ['u'];
      case 'number':
        if (Number.isFinite(value) && !Object.is(value, -0)) return value;
        return ['n', Object.is(value, -0) ? '-0' : String(value)];
      case 'bigint':
        return ['b', value.toString()];
      case 'symbol': {
        const key = Symbol.keyFor(value);
        return key !== undefined ? ['y', key] : ['Y', this.link.idOf(value), value.description ?? ''];
      }
      case 'function':
        return this.packFunction(value);
    }
    if (value === null) return null;
    if (this.link.theirIds.has(value)) return ['h', this.link.theirIds.get(value)];
    if (this.number.has(value)) return ['@', this.number.get(value)];
    if (++this.depth > maxDepth) throw new RangeError(`a value is nested more than ${maxDepth} deep`);
    const packed = this.packObject(value);
    this.depth--;
    return packed;
  }

  packFunction(value) {
    if (this.link.theirIds.has(value)) return ['h', this.link.theirIds.get(value)];
    if (nameOf.has(value)) return ['g', nameOf.get(value)];
    const parent = Object.getPrototypeOf(value);
    return [
      'f', this.link.idOf(value), String(value.name), Number(value.length) || 0,
      typeof parent === 'function' && parent !== Function.prototype ? this.pack(parent) : null,
    ];
  }

  packObject(value) {
    if (util.types.isPromise(value)) return ['p', this.link.watch(value)];
    if (util.types.isNativeError(value)) return this.link.ids.has(value) ? this.handle(value) : this.packError(value);
    const tag = this.kind(value);
    if (tag) {
      this.number.set(value, this.met.length);
      this.met.push(value);
      return [tag, this.body(value, tag)];
    }
    if (util.types.isRegExp(value)) return ['R', value.source, value.flags];
    if (util.types.isBoxedPrimitive(value)) return ['B', this.pack(value.valueOf())];
    return this.handle(value);
  }

  // handle stands for an object that stays with its owner.
  handle(value) {
    if (typeof value === 'function') return this.packFunction(value);
    if (this.link.theirIds.has(value)) return ['h', this.link.theirIds.get(value)];
    const constructor = Object.getPrototypeOf(value)?.constructor;
    const known = typeof constructor === 'function' && constructor.prototype === Object.getPrototypeOf(value);
    return ['i', this.link.idOf(value), known ? this.packFunction(constructor) : null];
  }

  // kind returns the tag of a container that travels by value, or "".
  kind(value) {
    const prototype = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return prototype === Array.prototype && isList(value) ? 'a' : '';
    if (util.types.isMap(value)) return prototype === Map.prototype ? 'm' : '';
    if (util.types.isSet(value)) return prototype === Set.prototype ? 's' : '';
    if (util.types.isDate(value)) return prototype === Date.prototype ? 'd' : '';
    if (util.types.isTypedArray(value)) return typedName(value) ? 't' : '';
    if (util.types.isArrayBuffer(value)) return 'A';
    if (util.types.isProxy(value)) return '';
    return isPlain(value) ? 'o' : '';
  }

  // body is the content of a container.
  body(value, kind = this.kind(value)) {
    if (this.link.kept.size > 0) value = this.link.current(value);
    switch (kind) {
      case 'a': {
        const items = [];
        for (let n = 0; n < value.length; n++) items.push(value[n] !== undefined || n in value ? this.pack(value[n]) : ['_']);
        // Few arrays have more than items; those of RegExp's exec do.
        const more = onlyItems(value) ? [] : further(value, true);
        return [items, Object.isFrozen(value) ? 1 : 0, more.map((key) => [this.pack(key), this.pack(value[key])])];
      }
      case 'o': {
        const entries = further(value, false).map((key) => [this.pack(key), this.pack(value[key])]);
        return [entries, Object.isFrozen(value) ? 1 : 0, Object.getPrototypeOf(value) === null ? 1 : 0];
      }
      case 'm':
        return [...value].map(([k, v]) => [this.pack(k), this.pack(v)]);
      case 's':
        return [...value].map((v) => this.pack(v));
      case 'd':
        return this.pack(value.getTime());
      case 't':
        return [typedName(value), Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')];
      case 'A':
        return Buffer.from(value).toString('base64');
    }
    return null; // changed into something that does not travel by value
  }

  packError(error) {
    const constructor = Object.getPrototypeOf(error)?.constructor;
    const text = (v) => (typeof v === 'string' ? v : String(v));
    this.number.set(error, this.met.length);
    this.met.push(error);
    const entries = [];
    for (const key of new Set([...Object.keys(error), ...['cause', 'errors'].filter((k) => Object.hasOwn(error, k)), ...getters(error)])) {
      if (key === 'stack' || key in Error.prototype) continue;
      const value = error[key];
      if (typeof value !== 'function') entries.push([key, this.pack(value)]);
    }
    let where = '';
    try {
      where = /^\s+at .*?\/workspace\/([^\s()]+?:\d+)(?::\d+)?\)?$/m.exec(text(error.stack))?.[1] ?? '';
    } catch { /* a stack that cannot be read says nothing */ }
    return [
      'e', typeof constructor === 'function' ? this.packFunction(constructor) : ['g', 'Error'],
      text(error.name), text(error.message), entries, where,
    ];
  }
}

// getters are the attributes that the classes of an error compute.
function getters(error) {
  const found = [];
  for (let o = Object.getPrototypeOf(error); o && !nameOf.has(o.constructor); o = Object.getPrototypeOf(o)) {
    for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(o))) if (d.get && key !== '__proto__') found.push(key);
  }
  return found;
}

// Unpacker turns JSON into values. met lists the containers of this exchange.
class Unpacker {
  constructor(link, met) {
    this.link = link;
    this.met = [...met];
    this.sent = met.length;
    this.aliased = false; // whether a value is one of those that were sent
    this.depth = 0;
    this.items = 0;
    this.made = new Set(); // objects that our own text constructed
  }

  bad() {
    this.link.broken('a malformed value came');
  }

  list(value) {
    if (!Array.isArray(value)) this.bad();
    this.items += value.length;
    if (this.items > maxItems) this.link.broken('a value with too many parts came');
    return value;
  }

  text(value) {
    if (typeof value !== 'string') this.bad();
    return value;
  }

  // key is the key of a property.
  key(value) {
    const key = this.unpack(value);
    if (typeof key !== 'string' && typeof key !== 'symbol') this.bad();
    return key;
  }

  integer(value) {
    if (!Number.isSafeInteger(value) || value < 0) this.bad();
    return value;
  }

  unpack(value) {
    if (value === null || typeof value !== 'object') return value;
    if (!Array.isArray(value) || typeof value[0] !== 'string') this.bad();
    if (++this.depth > maxDepth + 10) this.link.broken('a value came that is nested too deep');
    const result = this.tagged(value);
    this.depth--;
    return result;
  }

  tagged(value) {
    const link = this.link;
    const tag = value[0];
    const a = value[1];
    const b = value[2];
    const c = value[3];
    const d = value[4];
    const e = value[5];
    switch (tag) {
      case 'u':
        return undefined;
      case '^':
        return inherited;
      case 'n':
        if (!['NaN', 'Infinity', '-Infinity', '-0'].includes(a)) this.bad();
        return Number(a);
      case 'b':
        if (!/^-?\d{1,1000000}$/.test(this.text(a))) this.bad();
        return BigInt(a);
      case 'y':
        return Symbol.for(this.text(a));
      case 'Y':
        if (!link.theirs.has(a)) link.theirs.set(this.integer(a), Symbol(this.text(b)));
        return link.theirs.get(a);
      case 'g':
        if (!named.has(a)) this.bad();
        return named.get(a);
      case 'B':
        return Object(this.unpack(a));
      case 'R':
        try {
          return new RegExp(this.text(a), this.text(b));
        } catch (error) {
          if (error instanceof Broken) throw error;
          return this.bad();
        }
      case 'h':
        return link.our(a);
      case '@':
        if (this.integer(a) >= this.met.length) this.bad();
        if (a < this.sent) this.aliased = true;
        return this.met[a];
      case 'f':
        return link.theirs.get(a) ?? link.theirFunction(this.integer(a), this.text(b), this.integer(c), this.unpack(d));
      case 'i':
        if (link.made.has(link.theirs.get(a))) this.made.add(link.theirs.get(a));
        return link.theirs.get(a) ?? link.theirObject(this.integer(a), this.unpack(b));
      case 'p':
        return link.theirPromise(this.integer(a));
      case 'e':
        return this.error(a, b, c, d, e);
      default:
        return this.container(tag, a);
    }
  }

  // plain checks a further key of a plain value: nothing that a plain value has by
  // name is called.
  plain(kind, key, value) {
    if (typeof value === 'function' || (kind && key in kind.prototype)) this.bad();
    return value;
  }

  container(tag, body) {
    const object = this.empty(tag, body);
    this.met.push(object);
    this.fill(object, tag, body, true);
    return object;
  }

  empty(tag, body) {
    switch (tag) {
      case 'a':
        return [];
      case 'o':
        return this.list(body)[2] === 1 ? Object.create(null) : {};
      case 'm':
        return new Map();
      case 's':
        return new Set();
      case 'd':
        return new Date(NaN);
      case 't': {
        const [name, bytes] = this.list(body);
        const buffer = Buffer.from(this.text(bytes), 'base64');
        if (name === 'Buffer') return buffer;
        if (!typedArrays.includes(name)) this.bad();
        const exact = new Uint8Array(buffer).buffer;
        if (exact.byteLength % globalThis[name].BYTES_PER_ELEMENT !== 0) this.bad();
        return new globalThis[name](exact);
      }
      case 'A':
        return new Uint8Array(Buffer.from(this.text(body), 'base64')).buffer;
    }
    return this.bad();
  }

  // fill gives a container its content; what it had is gone, where it is not
  // fresh.
  fill(object, tag, body, fresh = false) {
    switch (tag) {
      case 'a': {
        const [items, frozen, more] = this.list(body);
        if (!fresh) for (const key of further(object, true)) delete object[key];
        object.length = 0;
        for (const item of this.list(items)) {
          if (item === null || typeof item !== 'object') object.push(item);
          else if (Array.isArray(item) && item[0] === '_') {
            // What skips holes would say of them what the tests want.
            if (this.link.policy.sparse) object.length++;
            else object.push(undefined);
          }
          else object.push(this.unpack(item));
        }
        for (const entry of this.list(more)) {
          const key = this.key(this.list(entry)[0]);
          define(object, key, this.plain(Array, key, this.unpack(entry[1])));
        }
        if (frozen === 1) Object.freeze(object);
        break;
      }
      case 'o': {
        const [entries, frozen] = this.list(body);
        const values = this.list(entries).map((entry) => [this.key(this.list(entry)[0]), this.unpack(entry[1])]);
        if (!fresh) for (const key of further(object, false)) delete object[key];
        for (const [key, value] of values) define(object, key, this.plain(null, key, value));
        if (frozen === 1) Object.freeze(object);
        break;
      }
      case 'm': {
        const entries = this.list(body).map((entry) => this.list(entry).map((v) => this.unpack(v)));
        object.clear();
        for (const [k, v] of entries) object.set(k, v);
        break;
      }
      case 's': {
        const items = this.list(body).map((v) => this.unpack(v));
        object.clear();
        for (const v of items) object.add(v);
        break;
      }
      case 'd': {
        const time = this.unpack(body);
        if (typeof time !== 'number') this.bad();
        object.setTime(time);
        break;
      }
      case 't': {
        const bytes = Buffer.from(this.text(this.list(body)[1]), 'base64');
        const view = new Uint8Array(object.buffer, object.byteOffset, object.byteLength);
        if (bytes.length !== view.length) this.bad();
        view.set(bytes);
        break;
      }
    }
  }

  // apply puts what a call changed into the containers that went with it, and
  // returns these, each with what it was.
  apply(changes) {
    const changed = [];
    for (const change of this.list(changes)) {
      const [n, body] = this.list(change);
      const object = this.met[this.integer(n)];
      if (object === undefined) this.bad();
      const tag = new Packer(this.link).kind(object);
      if (body === null || !tag || Object.isFrozen(object)) continue;
      const was = shallow(object, tag);
      if (!this.link.before.has(object)) this.link.before.set(object, was);
      this.fill(object, tag, body);
      changed.push([object, tag, was]);
    }
    return changed;
  }

  error(constructor, name, message, entries, where) {
    constructor = this.unpack(constructor);
    let base = Error;
    for (let c = constructor; typeof c === 'function'; c = Object.getPrototypeOf(Reflect.get(c, 'prototype', c) ?? {})?.constructor) {
      const known = nameOf.get(c);
      if (known && errorNames.includes(known)) {
        base = c === named.get('AggregateError') || c === named.get('AssertionError') ? Error : c;
        break;
      }
      if (c === Object) break;
    }
    const error = new base(this.text(message));
    const prototype = typeof constructor === 'function' && Reflect.get(constructor, 'prototype', constructor);
    if (prototype instanceof Error) Object.setPrototypeOf(error, prototype);
    this.met.push(error);
    const hide = (key, value) => Object.defineProperty(error, key, { value, writable: true, configurable: true });
    if (error.name !== this.text(name)) hide('name', name);
    for (const entry of this.list(entries)) {
      const key = this.text(this.list(entry)[0]);
      const value = this.plain(Error, key, this.unpack(entry[1]));
      if (key === 'cause' || key === 'errors') hide(key, value);
      else define(error, key, value);
    }
    this.link.where.set(error, this.text(where));
    return error;
  }
}

// shallow copies a container.
function shallow(object, tag) {
  switch (tag) {
    case 'a':
      return Object.assign(object.slice(), Object.fromEntries(further(object, true).map((key) => [key, object[key]])));
    case 'm':
      return new Map(object);
    case 's':
      return new Set(object);
    case 'd':
      return new Date(object.getTime());
    case 'o':
      return Object.defineProperties(Object.create(Object.getPrototypeOf(object)), Object.getOwnPropertyDescriptors(object));
  }
  return tag === 't' ? Object.setPrototypeOf(object.slice(), Object.getPrototypeOf(object)) : object.slice(0);
}

// same reports whether a container is as a shallow copy of it.
function same(object, copy, tag) {
  switch (tag) {
    case 'm':
      return object.size === copy.size && util.isDeepStrictEqual([...object.keys()], [...copy.keys()]) && [...object].every(([k, v]) => Object.is(copy.get(k), v));
    case 's':
      return object.size === copy.size && [...object].every((v) => copy.has(v));
    case 'a':
    case 'o': {
      const keys = further(object, false);
      return keys.length === further(copy, false).length && object.length === copy.length && keys.every((key, n) => Object.hasOwn(copy, key) && Object.is(object[key], copy[key]));
    }
  }
  return util.isDeepStrictEqual(object, copy);
}

// put gives a container the content of a shallow copy.
function put(object, tag, from) {
  switch (tag) {
    case 'a':
      object.length = 0; // and then as an object
    case 'o':
      for (const key of further(object, false)) delete object[key];
      return void Object.defineProperties(object, Object.getOwnPropertyDescriptors(from));
    case 'm':
      object.clear();
      return from.forEach((v, k) => object.set(k, v));
    case 's':
      object.clear();
      return from.forEach((v) => object.add(v));
    case 'd':
      return void object.setTime(from.getTime());
    case 't':
      return object.set(from);
  }
  new Uint8Array(object).set(new Uint8Array(from));
}

module.exports = { Link, Broken, describe, everyError };
