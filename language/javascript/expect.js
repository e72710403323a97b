'use strict';
// A modest stand-in for Jest's expect.

const util = require('node:util');
const { AssertionError } = require('node:assert');

const matcher = Symbol('matcher');

// equal compares as toEqual does; strict as toStrictEqual. Matchers such as
// expect.any stand in the expected value.
function equal(actual, expected, strict, depth = 0) {
  if (expected !== null && typeof expected === 'object' && expected[matcher]) return expected[matcher](actual);
  if (Object.is(actual, expected)) return true;
  if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null) return false;
  if (depth > 1000) return false;
  const next = (a, b) => equal(a, b, strict, depth + 1);
  if (Array.isArray(expected) !== Array.isArray(actual)) return false;
  if (strict && Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) return false;
  if (util.types.isPromise(actual) || util.types.isPromise(expected)) return false;
  if (util.types.isNativeError(expected) !== util.types.isNativeError(actual)) return false;
  if (util.types.isNativeError(expected)) return util.types.isNativeError(actual) && actual.message === expected.message;
  for (const [is, same] of comparers) {
    if (is(expected) !== is(actual)) return false;
    if (is(expected)) return same(actual, expected, next);
  }
  const keys = (o) => Object.keys(o).filter((key) => strict || o[key] !== undefined);
  const wanted = keys(expected);
  const got = keys(actual);
  if (Array.isArray(expected) && actual.length !== expected.length) return false;
  return wanted.length === got.length && wanted.every((key) => Object.hasOwn(actual, key) && next(actual[key], expected[key]));
}

const comparers = [
  [util.types.isDate, (a, b) => Object.is(a.getTime(), b.getTime())],
  [util.types.isRegExp, (a, b) => String(a) === String(b)],
  [util.types.isBoxedPrimitive, (a, b) => Object.is(a.valueOf(), b.valueOf())],
  [util.types.isAnyArrayBuffer, (a, b) => Buffer.from(a).equals(Buffer.from(b))],
  [util.types.isTypedArray, (a, b) => util.isDeepStrictEqual(a, b)],
  [util.types.isSet, (a, b, next) => a.size === b.size && [...b].every((v) => a.has(v) || [...a].some((w) => next(w, v)))],
  [util.types.isMap, (a, b, next) => a.size === b.size && [...b].every(([k, v]) =>
    a.has(k) ? next(a.get(k), v) : [...a].some(([l, w]) => next(l, k) && next(w, v)))],
];

// includes tells whether actual has at least what expected has.
function includes(actual, expected) {
  if (expected === null || typeof expected !== 'object' || expected[matcher]) return equal(actual, expected);
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length && expected.every((v, n) => includes(actual[n], v));
  }
  if (Object.getPrototypeOf(expected) !== Object.prototype) return equal(actual, expected);
  if (actual === null || typeof actual !== 'object') return false;
  return Object.keys(expected).every((key) => key in actual && includes(actual[key], expected[key]));
}

function property(object, path) {
  const keys = Array.isArray(path) ? path : path.split(/[.[\]]+/).filter(Boolean);
  for (const key of keys) {
    if (object === null || object === undefined || !(key in Object(object))) return [false];
    object = object[key];
  }
  return [true, object];
}

// thrown tells whether an error is the wanted one: none, a part of its
// message, a pattern, a class or an error with the same message.
function thrown(error, wanted) {
  const message = String(error?.message ?? error);
  if (wanted === undefined) return true;
  if (typeof wanted === 'string') return message.includes(wanted);
  if (util.types.isRegExp(wanted)) return wanted.test(message);
  if (typeof wanted === 'function') return wanted.prototype === undefined ? holdsOf(wanted, error) : error instanceof wanted;
  if (wanted[matcher]) return wanted[matcher](error);
  return message === wanted.message;
}

// numbers throws where a matcher for numbers is given something else.
function numbers(...values) {
  for (const v of values) {
    if (typeof v !== 'number' && typeof v !== 'bigint') throw new TypeError(`a number is expected, and ${util.inspect(v, { depth: 1 }).slice(0, 200)} came`);
  }
  return true;
}

// deep are the matchers that look into objects.
const deep = /^to(?:Equal|StrictEqual|MatchObject|ContainEqual|HaveProperty)$/;

// holdsOf reports whether a check of an error passes.
function holdsOf(check, error) {
  try {
    return check(error) === true;
  } catch (failure) {
    if (failure instanceof AssertionError) return false;
    throw failure;
  }
}

// The matchers: each tells whether actual is as wanted.
const matchers = {
  toBe: (a, b) => Object.is(a, b),
  toEqual: (a, b) => equal(a, b, false),
  toStrictEqual: (a, b) => equal(a, b, true),
  toBeTruthy: (a) => Boolean(a),
  toBeFalsy: (a) => !a,
  toBeNull: (a) => a === null,
  toBeUndefined: (a) => a === undefined,
  toBeDefined: (a) => a !== undefined,
  toBeNaN: (a) => Number.isNaN(a),
  toBeGreaterThan: (a, b) => numbers(a, b) && a > b,
  toBeGreaterThanOrEqual: (a, b) => numbers(a, b) && a >= b,
  toBeLessThan: (a, b) => numbers(a, b) && a < b,
  toBeLessThanOrEqual: (a, b) => numbers(a, b) && a <= b,
  toBeCloseTo: (a, b, digits = 2) => numbers(a, b) && (Object.is(a, b) || Math.abs(a - b) < 10 ** -digits / 2),
  toBeInstanceOf: (a, b) => a instanceof b,
  toBeTypeOf: (a, b) => typeof a === b,
  toMatch: (a, b) => typeof a === 'string' && (typeof b === 'string' ? a.includes(b) : b.test(a)),
  toMatchObject: (a, b) => includes(a, b),
  toContain: (a, b) => (typeof a === 'string' ? a.includes(b) : [...a].includes(b)),
  toContainEqual: (a, b) => [...a].some((v) => equal(v, b)),
  toHaveLength: (a, b) => a?.length === b,
  toHaveProperty(a, path, ...value) {
    const [found, got] = property(a, path);
    return found && (value.length === 0 || equal(got, value[0]));
  },
  toHaveBeenCalled: (a) => a.mock.calls.length > 0,
  toHaveBeenCalledOnce: (a) => a.mock.calls.length === 1,
  toHaveReturned: (a) => returned(a).length > 0,
  toHaveReturnedTimes: (a, n) => returned(a).length === n,
  toHaveReturnedWith: (a, b) => returned(a).some((v) => equal(v, b)),
  toHaveLastReturnedWith: (a, b) => returned(a).length > 0 && equal(returned(a).at(-1), b),
  toHaveNthReturnedWith: (a, n, b) => returned(a).length >= n && equal(returned(a)[n - 1], b),
  toHaveBeenCalledTimes: (a, n) => a.mock.calls.length === n,
  toHaveBeenCalledWith: (a, ...args) => a.mock.calls.some((call) => equal(call, args)),
  toHaveBeenLastCalledWith: (a, ...args) => a.mock.calls.length > 0 && equal(a.mock.calls.at(-1), args),
  toHaveBeenNthCalledWith: (a, n, ...args) => equal(a.mock.calls[n - 1], args),
};

const spies = new Set();

const returned = (f) => f.mock.results.filter((r) => r.type === 'return').map((r) => r.value);

// Their older names.
for (const [old, name] of [['toBeCalled', 'toHaveBeenCalled'], ['toBeCalledTimes', 'toHaveBeenCalledTimes'], ['toBeCalledWith', 'toHaveBeenCalledWith'],
  ['lastCalledWith', 'toHaveBeenLastCalledWith']]) matchers[old] = matchers[name];

// spy is jest.fn: a function that remembers its calls.
function spy(implementation) {
  const once = [];
  const f = function (...args) {
    // A call is its arguments, as Jest has it, and names them, as node:test does.
    for (const [key, value] of [['arguments', [...args]], ['this', this], ['result'], ['error']]) {
      Object.defineProperty(args, key, { value, writable: true });
    }
    f.mock.calls.push(args);
    const run = once.shift() ?? implementation;
    let value;
    try {
      value = run?.apply(this, args);
    } catch (error) {
      args.error = error;
      f.mock.results.push({ type: 'throw', value: error });
      throw error;
    }
    args.result = value;
    f.mock.results.push({ type: 'return', value });
    return value;
  };
  spies.add(f);
  f.mock = { calls: [], results: [], callCount: () => f.mock.calls.length };
  const become = (run) => {
    implementation = run;
    return f;
  };
  const next = (run) => {
    once.push(run);
    return f;
  };
  Object.assign(f.mock, {
    resetCalls: () => void f.mockClear(),
    mockImplementation: (run) => void become(run),
    mockImplementationOnce: (run) => void next(run),
  });
  return Object.assign(f, {
    mockImplementation: become,
    mockReturnValue: (value) => become(() => value),
    mockResolvedValue: (value) => become(async () => value),
    mockRejectedValue: (value) => become(async () => { throw value; }),
    mockImplementationOnce: next,
    mockReturnValueOnce: (value) => next(() => value),
    mockResolvedValueOnce: (value) => next(async () => value),
    mockRejectedValueOnce: (value) => next(async () => { throw value; }),
    mockClear() {
      f.mock.calls.length = f.mock.results.length = 0;
      return f;
    },
    mockReset() {
      f.mockClear();
      return become(undefined);
    },
  });
}

spy.all = (what) => {
  for (const f of spies) f[what]();
};

const show = (value) => util.inspect(value, { depth: 4, breakLength: 100, maxArrayLength: 30, maxStringLength: 500 });

// expectFor makes an expect whose every use is a case of the exam.
function expectFor(exam) {
  const verify = (name, negated, holds, actual, expected) =>
    exam.check(`expect.${negated ? 'not.' : ''}${name}`, () => {
      if (holds === negated) {
        const wish = expected.length ? ' ' + expected.map(show).join(', ') : '';
        throw new AssertionError({
          message: `expected ${show(actual)} ${negated ? 'not ' : ''}${name}${wish}`, actual, expected: expected[0], operator: name,
        });
      }
    }, false);

  const assertions = (actual, negated) => {
    const set = {};
    for (const [name, holds] of Object.entries(matchers)) {
      set[name] = (...expected) => exam.program.shown(() => {
        if (/^toBe(?:Greater|Less|CloseTo)/.test(name)) [actual, ...expected].forEach((v) => exam.finite(v));
        if (/Called|Returned/.test(name) && !spies.has(actual)) throw new TypeError(`${name} needs a function that jest.fn() made`);
        exam.program.release();
        let got = actual;
        let wanted = expected;
        if (/(?:Called|Returned)With$/.test(name)) {
          const { calls, results } = actual.mock;
          const [plain, given] = exam.program.plain([calls.map((c) => [...c]), results], expected);
          got = { mock: { calls: plain[0], results: plain[1] } };
          wanted = given;
        } else if (deep.test(name)) [got, wanted] = exam.program.plain(actual, expected);
        verify(name, negated, Boolean(holds(got, ...wanted)), got, wanted);
      });
    }
    set.toThrow = set.toThrowError = (...rest) => {
      const wanted = rest.length > 0 ? exam.wanted(rest[0]) : undefined;
      let error;
      let threw = false;
      exam.quiet++;
      try {
        actual();
      } catch (e) {
        error = e;
        threw = true;
      } finally {
        exam.quiet--;
      }
      verify('toThrow', negated, threw && thrown(error, wanted), threw ? error : 'no error', wanted === undefined ? [] : [wanted]);
    };
    return set;
  };

  // later waits for a promise, then applies the matcher to what came of it.
  const later = (promise, rejects, negated) => new Proxy({}, {
    get: (_, name) => async (...expected) => {
      let value;
      let threw = false;
      try {
        value = typeof promise === 'function' ? promise() : promise;
        if (typeof value?.then !== 'function') return verify(rejects ? 'rejects' : 'resolves', false, false, value, []);
        value = await value;
      } catch (error) {
        value = error;
        threw = true;
      }
      if (threw !== rejects) return verify(rejects ? 'rejects' : 'resolves', false, false, value, []);
      if (/^toThrow/.test(name)) {
        const wanted = expected.length > 0 ? exam.wanted(expected[0]) : undefined;
        return verify(name, negated, thrown(value, wanted), value, expected);
      }
      return assertions(value, negated)[name](...expected);
    },
  });

  const expect = (actual) => Object.assign(assertions(actual, false), {
    not: Object.assign(assertions(actual, true), { resolves: later(actual, false, true), rejects: later(actual, true, true) }),
    resolves: Object.assign(later(actual, false, false), {}),
    rejects: later(actual, true, false),
  });
  const make = (holds, inverse) => ({ [matcher]: (actual) => Boolean(holds(actual)) !== Boolean(inverse) });
  const any = (type) => make((a) => a !== null && a !== undefined && (Object(a) instanceof type || (type === Object && typeof a === 'object')));
  const makers = (inverse) => ({
    objectContaining: (wanted) => make((a) => Object(a) === a && Object.keys(wanted).every((k) => equal(a[k], wanted[k])), inverse),
    arrayContaining: (wanted) => make((a) => Array.isArray(a) && wanted.every((v) => Array.prototype.some.call(a, (w) => equal(w, v))), inverse),
    stringContaining: (wanted) => make((a) => typeof a === 'string' && a.includes(wanted), inverse),
    stringMatching: (wanted) => make((a) => typeof a === 'string' && new RegExp(wanted).test(a), inverse),
  });
  return Object.assign(expect, makers(false), {
    not: makers(true),
    any,
    anything: () => make((a) => a !== null && a !== undefined),
    closeTo: (wanted, digits) => make((a) => matchers.toBeCloseTo(a, wanted, digits)),
    assertions: (n) => void (exam.expects.wanted = n),
    hasAssertions: () => void (exam.expects.wanted = true),
    fail: (message) => verify('fail', false, false, message, []),
    spy,
  });
}

module.exports = { expectFor };
