'use strict';
// The built-in modules of Node.js, by name.

const { hide } = part('language');
const { fs } = part('files');
const types = part('types');
const { inspect, format, formatWithOptions } = part('inspect');
const events = part('events');
const buffer = part('buffer');
const process = globalThis.process;

const custom = Symbol.for('nodejs.util.promisify.custom');
const util = {
  inspect, format, formatWithOptions, types,
  isDeepStrictEqual: (a, b) => part('assert').isDeepStrictEqual(a, b),
  TextEncoder: buffer.TextEncoder, TextDecoder: buffer.TextDecoder,
  promisify: Object.assign((run) => run[custom] ?? function (...args) {
    return new Promise((resolve, reject) => run.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value))));
  }, { custom }),
  callbackify: (run) => (...args) => {
    const done = args.pop();
    run(...args).then((value) => process.nextTick(done, null, value), (error) => process.nextTick(done, error));
  },
  inherits(child, parent) {
    hide(child, 'super_', parent);
    Object.setPrototypeOf(child.prototype, parent.prototype);
  },
  deprecate: (run) => run,
  debuglog: () => Object.assign(() => {}, { enabled: false }),
  stripVTControlCharacters: (s) => s.replace(/\u001b\[[0-9;]*[A-Za-z]/g, ''),
  toUSVString: (s) => String(s).toWellFormed(),
  styleText: (_, s) => s,
  parseArgs: () => ({ values: {}, positionals: process.argv.slice(2) }),
  isArray: Array.isArray,
};
const { performance } = globalThis;
class StringDecoder {
  constructor(encoding = 'utf8') { this.encoding = encoding; this.rest = []; }
  write(bytes) {
    const all = [...this.rest, ...bytes];
    let end = all.length;
    // What may be the begin of a character waits for its end.
    for (let back = 1; back <= 3 && back <= all.length; back++) {
      const b = all[all.length - back];
      if ((b & 0xc0) === 0x80) continue;
      if ((b >= 0xc0 && back < 2) || (b >= 0xe0 && back < 3) || (b >= 0xf0 && back < 4)) end -= back;
      break;
    }
    this.rest = all.slice(end);
    return buffer.Buffer.from(all.slice(0, end)).toString(this.encoding);
  }

  end(bytes) {
    const made = (bytes ? this.write(bytes) : '') + buffer.Buffer.from(this.rest).toString(this.encoding);
    this.rest = [];
    return made;
  }
}
const later = (run) => globalThis[run];
const timers = Object.fromEntries(['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'].map((n) => [n, later(n)]));
timers.promises = {
  setTimeout: timers.setTimeout[custom],
  setImmediate: timers.setImmediate[custom],
  setInterval: async function* (ms, value) { for (;;) yield await timers.promises.setTimeout(ms, value); },
  scheduler: { wait: (ms) => timers.promises.setTimeout(ms), yield: () => timers.promises.setImmediate() },
};
const absent = (name) => new Proxy({}, {
  get(_, key) {
    if (typeof key === 'symbol' || key === 'then') return undefined;
    return () => { throw Object.assign(new Error(`node:${name} has no ${key} here: code runs in WebAssembly, without processes and a network`), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' }); };
  },
});

// spawnSync starts nothing, and says so as for a file that is not there; but our
// own driver has Node.js check a module once more.
const spawnSync = (file, args, options) => part('vm').checkModule(file, args, options) ?? {
  error: Object.assign(new Error(`spawnSync ${file} ENOENT`), { code: 'ENOENT', errno: -2, syscall: `spawnSync ${file}`, path: file, spawnargs: args ?? [] }),
  status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null,
};
const processes = absent('child_process');
const childProcess = new Proxy(processes, { get: (target, key) => (key === 'spawnSync' ? spawnSync : target[key]) });

class AsyncLocalStorage {
  run(store, run, ...args) {
    const before = this._store;
    this._store = store;
    try {
      return run(...args);
    } finally {
      this._store = before;
    }
  }

  getStore() { return this._store; }
  enterWith(store) { this._store = store; }
}

const lazy = {
  assert: () => part('assert').assert,
  'assert/strict': () => part('assert').assert.strict,
  async_hooks: () => ({ AsyncLocalStorage, AsyncResource: class AsyncResource {}, createHook: () => ({ enable() {}, disable() {} }) }),
  buffer: () => ({ Buffer: buffer.Buffer, constants: buffer.constants, kMaxLength: 2 ** 32, atob, btoa, SlowBuffer: buffer.Buffer }),
  child_process: () => childProcess,
  console: () => Object.assign(function Console() { return console; }, console),
  constants: () => fs.constants,
  crypto: () => part('crypto').crypto,
  diagnostics_channel: () => ({ channel: () => ({ hasSubscribers: false, publish() {}, subscribe() {} }) }),
  events: () => events.EventEmitter,
  fs: () => fs,
  'fs/promises': () => fs.promises,
  module: () => part('loader').Module,
  os: () => ({
    EOL: '\n', platform: () => 'linux', type: () => 'Linux', arch: () => 'wasm32', release: () => '0', hostname: () => 'glovebox', homedir: () => '/workspace', tmpdir: () => '/tmp',
    cpus: () => [{ model: 'WebAssembly', speed: 0, times: {} }], availableParallelism: () => 1, totalmem: () => 2 ** 29, freemem: () => 2 ** 28, uptime: () => 1, loadavg: () => [0, 0, 0],
    networkInterfaces: () => ({}), userInfo: () => ({ uid: 1000, gid: 1000, username: 'glovebox', homedir: '/workspace', shell: null }), endianness: () => 'LE', constants: { signals: {} },
  }),
  path: () => part('path'),
  'path/posix': () => part('path'),
  perf_hooks: () => ({ performance, PerformanceObserver: class PerformanceObserver { observe() {} disconnect() {} } }),
  process: () => process,
  punycode: () => absent('punycode'),
  querystring: () => part('url').querystring,
  readline: () => part('stream').readline,
  'readline/promises': () => part('stream').readline.promises,
  stream: () => part('stream').stream,
  'stream/promises': () => ({ finished: (s) => new Promise((resolve, reject) => s.on('end', resolve).on('finish', resolve).on('error', reject)) }),
  string_decoder: () => ({ StringDecoder }),
  sys: () => util,
  timers: () => timers,
  'timers/promises': () => timers.promises,
  tty: () => ({ isatty: () => false }),
  url: () => part('url').url,
  util: () => util,
  'util/types': () => types,
  v8: () => ({ serialize: (v) => buffer.Buffer.from(JSON.stringify(v)), deserialize: (b) => JSON.parse(b.toString()), getHeapStatistics: () => ({}) }),
  vm: () => part('vm').vm,
  worker_threads: () => ({ isMainThread: true, parentPort: null, workerData: null, threadId: 0, Worker: absent('worker_threads').Worker }),
};
for (const name of ['cluster', 'dgram', 'dns', 'http', 'http2', 'https', 'inspector', 'net', 'tls', 'zlib']) lazy[name] = () => absent(name);

const made = new Map();
// builtin returns a built-in module, or undefined.
function builtin(specifier) {
  const name = specifier.replace(/^node:/, '');
  if (!Object.hasOwn(lazy, name)) return undefined;
  if (!made.has(name)) made.set(name, lazy[name]());
  return made.get(name);
}

module.exports = { builtin, names: Object.keys(lazy), util };
