'use strict';
// The globals of Node.js.

const { hide } = part('language');
const loop = part('loop');
const { formatWithOptions, inspect } = part('inspect');
const { Buffer, TextEncoder, TextDecoder } = part('buffer');
const { Event, EventTarget, AbortController, AbortSignal } = part('events');
const types = part('types');

const process = part('process');

// console.
let indent = '';
const counts = new Map();
const times = new Map();
const print = (stream, args) => {
  let text = formatWithOptions({}, ...args);
  if (indent) text = indent + text.replaceAll('\n', `\n${indent}`);
  process[stream].write(`${text}\n`);
};
const passed = (label) => {
  const ms = performance.now() - times.get(label);
  return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${ms.toFixed(3).replace(/0+$/, '').replace(/\.$/, '')}ms`;
};
const table = (data, only) => {
  if (data === null || typeof data !== 'object') return print('stdout', [data]);
  const entries = types.isMap(data) ? [...data].map(([k, v], n) => [n, { Key: k, Values: v }]) : types.isSet(data) ? [...data].map((v, n) => [n, v]) : Object.entries(data);
  const columns = [];
  let plain = false;
  for (const [, row] of entries) {
    if (row !== null && typeof row === 'object') { for (const key of Object.keys(row)) if (!columns.includes(key)) columns.push(key); } else plain = true;
  }
  const shown = only ?? columns;
  const heads = ['(index)', ...shown, ...(plain ? ['Values'] : [])];
  const cell = (v) => inspect(v, { depth: v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length > 2 ? -1 : 0, maxArrayLength: 3, breakLength: Infinity });
  const rows = entries.map(([key, row]) => [String(key), ...shown.map((c) => (row !== null && typeof row === 'object' && Object.hasOwn(row, c) ? cell(row[c]) : '')),
    ...(plain ? [row !== null && typeof row === 'object' ? '' : cell(row)] : [])]);
  const widths = heads.map((h, n) => Math.max(h.length, ...rows.map((r) => r[n].length)) + 2);
  const line = (left, mid, right) => left + widths.map((w) => '─'.repeat(w)).join(mid) + right;
  const rowText = (r) => `│${r.map((c, n) => ` ${c}`.padEnd(widths[n])).join('│')}│`;
  return print('stdout', [[line('┌', '┬', '┐'), rowText(heads), line('├', '┼', '┤'), ...rows.map(rowText), line('└', '┴', '┘')].join('\n')]);
};
const console = {
  log: (...args) => print('stdout', args),
  info: (...args) => print('stdout', args),
  debug: (...args) => print('stdout', args),
  error: (...args) => print('stderr', args),
  warn: (...args) => print('stderr', args),
  trace: (...args) => {
    const error = new Error(args.length > 0 ? formatWithOptions({}, ...args) : '');
    error.name = 'Trace';
    print('stderr', [error.stack.replace(/^Error/, 'Trace')]);
  },
  dir: (value, options) => print('stdout', [inspect(value, { customInspect: false, ...options })]),
  dirxml: (...args) => print('stdout', args),
  assert(value, ...args) {
    if (value) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    print('stderr', args);
  },
  count(label = 'default') {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    print('stdout', [`${label}: ${counts.get(label)}`]);
  },
  countReset: (label = 'default') => void counts.delete(label),
  time: (label = 'default') => void times.set(label, performance.now()),
  timeLog: (label = 'default', ...args) => { if (times.has(label)) print('stdout', [`${label}: ${passed(label)}`, ...args]); },
  timeEnd(label = 'default') {
    if (!times.has(label)) return;
    print('stdout', [`${label}: ${passed(label)}`]);
    times.delete(label);
  },
  group(...args) {
    if (args.length > 0) print('stdout', args);
    indent += '  ';
  },
  groupCollapsed: (...args) => console.group(...args),
  groupEnd() { indent = indent.slice(2); },
  table,
  clear() {},
  timeStamp() {}, profile() {}, profileEnd() {},
};

// structuredClone.
function structuredClone(value, seen = new Map()) {
  const refuse = (what) => { throw new DOMException(`${what} could not be cloned.`, 'DataCloneError'); };
  const clone = (v) => {
    if (typeof v === 'symbol') refuse(v.toString());
    if (typeof v === 'function') refuse(Function.prototype.toString.call(v));
    if (v === null || typeof v !== 'object') return v;
    if (seen.has(v)) return seen.get(v);
    const keep = (made) => { seen.set(v, made); return made; };
    if (types.isDate(v)) return keep(new Date(v.getTime()));
    if (types.isRegExp(v)) return keep(new RegExp(v.source, v.flags));
    if (types.isBoxedPrimitive(v)) return keep(Object(v.valueOf()));
    if (types.isAnyArrayBuffer(v)) return keep(v.slice(0));
    if (ArrayBuffer.isView(v)) {
      const buffer = clone(v.buffer);
      const Kind = types.isDataView(v) ? DataView : globalThis[v[Symbol.toStringTag]];
      return keep(new Kind(buffer, v.byteOffset, types.isDataView(v) ? v.byteLength : v.length));
    }
    if (types.isMap(v)) {
      const made = keep(new Map());
      for (const [k, x] of [...v]) made.set(clone(k), clone(x));
      return made;
    }
    if (types.isSet(v)) {
      const made = keep(new Set());
      for (const x of [...v]) made.add(clone(x));
      return made;
    }
    if (types.isError(v)) {
      const Kind = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[v.name] ?? Error;
      const fresh = new Kind(v.message);
      hide(fresh, 'stack', v.stack);
      if (Object.hasOwn(v, 'cause')) hide(fresh, 'cause', clone(v.cause));
      return keep(fresh);
    }
    if (types.isPromise(v) || types.isWeakMap(v) || types.isWeakSet(v) || types.isProxy(v)) refuse(Object.prototype.toString.call(v));
    const made = keep(Array.isArray(v) ? new Array(v.length) : {});
    for (const key of Object.keys(v)) made[key] = clone(v[key]);
    return made;
  };
  return clone(value);
}

const globals = {
  global: globalThis, console, Buffer, TextEncoder, TextDecoder, Event, EventTarget, AbortController, AbortSignal,
  setTimeout: (run, delay, ...args) => new loop.Timeout(run, delay, args, false),
  setInterval: (run, delay, ...args) => new loop.Timeout(run, delay, args, true),
  setImmediate: (run, ...args) => new loop.Immediate(run, args),
  clearTimeout: loop.clear, clearInterval: loop.clear, clearImmediate: loop.clearImmediate,
  queueMicrotask: (run) => {
    if (typeof run !== 'function') throw Object.assign(new TypeError('The "callback" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
    Promise.resolve().then(run).catch(loop.crash);
  },
  structuredClone: (value) => structuredClone(value),
};
for (const [name, value] of Object.entries(globals)) hide(globalThis, name, value);
// What few programs use is read when it is used.
const later = { URL: () => part('url').URL, URLSearchParams: () => part('url').URLSearchParams, crypto: () => part('crypto').webcrypto };
for (const [name, get] of Object.entries(later)) {
  Object.defineProperty(globalThis, name, { configurable: true, get, set: (value) => hide(globalThis, name, value) });
}
for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'queueMicrotask', 'structuredClone']) {
  hide(globalThis[name], 'name', name);
}
hide(globalThis.setTimeout, Symbol.for('nodejs.util.promisify.custom'), (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value)));
hide(globalThis.setImmediate, Symbol.for('nodejs.util.promisify.custom'), (value) => new Promise((resolve) => setImmediate(resolve, value)));

module.exports = { console, structuredClone };
