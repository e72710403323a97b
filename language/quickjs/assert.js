'use strict';
// node:assert.

const types = part('types');
const { inspect } = part('inspect');

const isURL = (value) => value instanceof part('url').URL;
const isParams = (value) => value instanceof part('url').URLSearchParams;
const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

// same tells whether two values are deeply equal, strictly or loosely.
function same(a, b, strict, seen = []) {
  if (a === b) return a !== 0 || !strict || Object.is(a, b);
  if (strict ? Object.is(a, b) : Number.isNaN(a) && Number.isNaN(b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    if (strict || (a !== null && typeof a === 'object') || (b !== null && typeof b === 'object') || typeof a === 'function' || typeof b === 'function') return false;
    return a == b; // eslint-disable-line eqeqeq
  }
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const tag = Object.prototype.toString.call(a);
  if (tag !== Object.prototype.toString.call(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (seen.some(([x, y]) => x === a && y === b)) return true;
  const next = (x, y) => same(x, y, strict, [...seen, [a, b]]);
  if (Array.isArray(a) && a.length !== b.length) return false;
  for (const is of [types.isDate, types.isRegExp, types.isError, types.isMap, types.isSet, types.isBoxedPrimitive, types.isTypedArray, types.isAnyArrayBuffer, types.isDataView, isURL, isParams]) {
    if (is(a) !== is(b)) return false;
  }
  if (types.isDate(a) && !Object.is(a.getTime(), b.getTime())) return false;
  if (types.isRegExp(a) && (String(a) !== String(b) || a.lastIndex !== b.lastIndex)) return false;
  if (types.isError(a) && (a.message !== b.message || a.name !== b.name || !next(a.cause, b.cause) || !next(a.errors, b.errors))) return false;
  if (types.isBoxedPrimitive(a) && !Object.is(a.valueOf(), b.valueOf())) return false;
  if (types.isTypedArray(a)) {
    if (a.length !== b.length) return false;
    for (let n = 0; n < a.length; n++) if (strict ? !Object.is(a[n], b[n]) : a[n] !== b[n] && !(Number.isNaN(a[n]) && Number.isNaN(b[n]))) return false;
  }
  if (types.isAnyArrayBuffer(a) && !next(new Uint8Array(a), new Uint8Array(b))) return false;
  if (types.isDataView(a) && !next(bytes(a), bytes(b))) return false;
  if (isURL(a) && a.href !== b.href) return false;
  if (types.isSet(a)) {
    if (a.size !== b.size) return false;
    const left = new Set(b);
    for (const v of a) {
      if (left.delete(v)) continue;
      if (strict && (v === null || typeof v !== 'object')) return false;
      const others = [...left];
      const at = others.findIndex((w) => (!strict || (w !== null && typeof w === 'object')) && next(v, w));
      if (at < 0) return false;
      left.delete(others[at]);
    }
  }
  if (types.isMap(a)) {
    if (a.size !== b.size) return false;
    const left = new Map(b);
    for (const [k, v] of a) {
      if (left.has(k) && next(v, left.get(k))) {
        left.delete(k);
        continue;
      }
      if (strict && (k === null || typeof k !== 'object')) return false;
      const found = [...left].find(([j, w]) => next(k, j) && next(v, w));
      if (!found) return false;
      left.delete(found[0]);
    }
  }
  const keys = (o) => [...Object.keys(o).filter((k) => !types.isTypedArray(o) || !/^\d+$/.test(k)),
    ...(strict ? Object.getOwnPropertySymbols(o).filter((s) => Object.prototype.propertyIsEnumerable.call(o, s)) : [])];
  const own = keys(a);
  return own.length === keys(b).length && own.every((key) => Object.hasOwn(b, key) && next(a[key], b[key]));
}

class AssertionError extends Error {
  constructor({ message, actual, expected, operator = 'fail', generated } = {}) {
    super(message === undefined ? `${inspect(actual)} ${operator} ${inspect(expected)}` : String(message));
    Object.defineProperty(this, 'name', { value: 'AssertionError', writable: true, configurable: true });
    Object.assign(this, { generatedMessage: generated ?? message === undefined, code: 'ERR_ASSERTION', actual, expected, operator });
    if (typeof this.stack === 'string') this.stack = this.stack.replace(/^(?:Error|AssertionError)(?=[:\n]|$)/, 'AssertionError [ERR_ASSERTION]');
  }

  toString() { return `${this.name} [${this.code}]: ${this.message}`; }
}

const text = (value) => inspect(value, { compact: false, depth: 1000, maxArrayLength: Infinity, sorted: true, breakLength: Infinity });
const difference = (title, actual, expected) => {
  const [a, b] = [text(actual).split('\n'), text(expected).split('\n')];
  if (a.length === 1 && b.length === 1 && a[0].length + b[0].length < 60) return `${title}\n\n${a[0]} !== ${b[0]}\n`;
  return `${title}\n+ actual - expected\n\n${[...a.map((l) => `+ ${l}`), ...b.map((l) => `- ${l}`)].slice(0, 60).join('\n')}`;
};

function fail(message, plain, actual, expected, operator) {
  if (message instanceof Error) throw message;
  const given = typeof message === 'function' ? undefined : message;
  throw new AssertionError({ message: given ?? plain(), actual, expected, operator, generated: given === undefined });
}
const need = (args, least) => {
  if (args.length < least) throw Object.assign(new TypeError(`The "actual" and "expected" arguments must be specified`), { code: 'ERR_MISSING_ARGS' });
};

function matches(error, wanted, message, operator) {
  if (wanted === undefined) return;
  if (typeof wanted === 'function') {
    if (wanted.prototype !== undefined && error instanceof wanted) return;
    if (wanted === Error || wanted.prototype instanceof Error) {
      fail(message, () => `The error is expected to be an instance of "${wanted.name}". Received "${error?.constructor?.name ?? inspect(error)}"\n\nError message:\n\n${error?.message}`, error, wanted, operator);
    }
    if (wanted.call({}, error) !== true) fail(message, () => `The ${wanted.name ? `"${wanted.name}" ` : ''}validation function is expected to return "true". Received ${inspect(wanted)}`, error, wanted, operator);
    return;
  }
  if (types.isRegExp(wanted)) {
    if (!wanted.test(String(error))) fail(message, () => `The input did not match the regular expression ${wanted}. Input:\n\n${inspect(String(error))}\n`, error, wanted, operator);
    return;
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const keys = Object.keys(wanted);
    if (wanted instanceof Error) keys.push('name', 'message');
    for (const key of keys) {
      const right = typeof error?.[key] === 'string' && types.isRegExp(wanted[key]) ? wanted[key].test(error[key]) : error !== null && error !== undefined && key in Object(error) && same(error[key], wanted[key], true);
      if (!right) fail(message, () => difference('Expected values to be strictly deep-equal:', error?.[key], wanted[key]), error, wanted, operator);
    }
  }
}
const caught = (run) => {
  if (typeof run !== 'function') throw Object.assign(new TypeError('The "fn" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
  try {
    run();
  } catch (error) {
    return [true, error];
  }
  return [false];
};
const awaited = async (run) => {
  const promise = typeof run === 'function' ? run() : run;
  if (typeof promise?.then !== 'function') throw Object.assign(new TypeError('Expected instance of Promise to be returned.'), { code: 'ERR_INVALID_RETURN_VALUE' });
  try {
    await promise;
  } catch (error) {
    return [true, error];
  }
  return [false];
};
const thrown = ([did, error], wanted, message, operator) => {
  if (typeof wanted === 'string') [wanted, message] = [undefined, wanted];
  if (!did) fail(message, () => `Missing expected ${operator === 'rejects' ? 'rejection' : 'exception'}${wanted?.name ? ` (${wanted.name})` : ''}.`, undefined, wanted, operator);
  matches(error, wanted, message, operator);
};
const notThrown = ([did, error], wanted, message, operator) => {
  if (!did) return;
  if (typeof wanted === 'string') [wanted, message] = [undefined, wanted];
  if (typeof wanted === 'function' && wanted.prototype !== undefined && !(error instanceof wanted)) throw error;
  if (types.isRegExp(wanted) && !wanted.test(String(error))) throw error;
  fail(message === undefined ? undefined : message, () => `Got unwanted ${operator === 'doesNotReject' ? 'rejection' : 'exception'}.\nActual message: "${error?.message}"`, error, wanted, operator);
};

function make(strict) {
  const ok = (...args) => {
    if (args.length === 0) fail(undefined, () => 'No value argument passed to `assert.ok()`', undefined, true, '==');
    if (!args[0]) fail(args[1], () => 'The expression evaluated to a falsy value', args[0], true, '==');
  };
  const assert = function assert(...args) { ok(...args); };
  const compare = (operator, title, holds) => (...args) => {
    need(args, 2);
    const [actual, expected, message] = args;
    const text = () => (title ? difference(title, actual, expected) : `${inspect(actual)} ${operator} ${inspect(expected)}`);
    if (!holds(actual, expected)) fail(message, text, actual, expected, operator);
  };
  const strictEqual = compare('strictEqual', 'Expected values to be strictly equal:', Object.is);
  const notStrictEqual = compare('notStrictEqual', 'Expected "actual" to be strictly unequal to:', (a, b) => !Object.is(a, b));
  const deepStrictEqual = compare('deepStrictEqual', 'Expected values to be strictly deep-equal:', (a, b) => same(a, b, true));
  const notDeepStrictEqual = compare('notDeepStrictEqual', 'Expected "actual" not to be strictly deep-equal to:', (a, b) => !same(a, b, true));
  const loose = (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b)); // eslint-disable-line eqeqeq
  Object.assign(assert, {
    ok, strictEqual, notStrictEqual, deepStrictEqual, notDeepStrictEqual,
    equal: strict ? strictEqual : compare('==', '', loose),
    notEqual: strict ? notStrictEqual : compare('!=', '', (a, b) => !loose(a, b)),
    deepEqual: strict ? deepStrictEqual : compare('deepEqual', 'Expected values to be loosely deep-equal:', (a, b) => same(a, b, false)),
    notDeepEqual: strict ? notDeepStrictEqual : compare('notDeepEqual', 'Expected "actual" not to be loosely deep-equal to:', (a, b) => !same(a, b, false)),
    fail(message = 'Failed') { fail(message, () => 'Failed', undefined, undefined, 'fail'); },
    throws: (run, wanted, message) => thrown(caught(run), wanted, message, 'throws'),
    doesNotThrow: (run, wanted, message) => notThrown(caught(run), wanted, message, 'doesNotThrow'),
    rejects: async (run, wanted, message) => thrown(await awaited(run), wanted, message, 'rejects'),
    doesNotReject: async (run, wanted, message) => notThrown(await awaited(run), wanted, message, 'doesNotReject'),
    match(value, pattern, message) {
      if (typeof value !== 'string' || !pattern.test(value)) fail(message, () => `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(value)}\n`, value, pattern, 'match');
    },
    doesNotMatch(value, pattern, message) {
      if (typeof value !== 'string' || pattern.test(value)) fail(message, () => `The input was expected to not match the regular expression ${pattern}. Input:\n\n${inspect(value)}\n`, value, pattern, 'doesNotMatch');
    },
    ifError(value) { if (value !== null && value !== undefined) fail(undefined, () => `ifError got unwanted exception: ${value.message ?? inspect(value)}`, value, null, 'ifError'); },
    AssertionError,
  });
  for (const key of ['throws', 'doesNotThrow', 'rejects', 'doesNotReject', 'ok', 'equal']) Object.defineProperty(assert[key], 'name', { value: key });
  return assert;
}
const assert = make(false);
assert.strict = make(true);
assert.strict.strict = assert.strict;

module.exports = { assert, isDeepStrictEqual: (a, b) => same(a, b, true) };
