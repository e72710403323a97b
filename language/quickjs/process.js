'use strict';
// The process.

const { std, os } = host;
const { hide } = part('language');
const { EventEmitter } = part('events');
const { utf8 } = part('buffer');
const loop = part('loop');

const env = {};
for (const [key, value] of Object.entries(std.getenviron())) env[key] = value;

// What a stream is written to is opened by its name: descriptor 2 is for the
// engine's own complaints.
const output = (fd, name) => {
  const real = os.open(name, os.O_WRONLY);
  const stream = new EventEmitter();
  return Object.assign(stream, {
    fd, writable: true, isTTY: undefined, columns: undefined, writableLength: 0,
    write(chunk, encoding, done) {
      const bytes = typeof chunk === 'string' ? utf8(chunk) : chunk;
      if (!ArrayBuffer.isView(bytes)) throw Object.assign(new TypeError('The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView.'), { code: 'ERR_INVALID_ARG_TYPE' });
      for (let at = 0; at < bytes.byteLength;) {
        const n = os.write(real, bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at);
        if (n <= 0) break;
        at += n;
      }
      const then = typeof encoding === 'function' ? encoding : done;
      if (typeof then === 'function') loop.nextTick(then);
      return true;
    },
    end(chunk, encoding, done) {
      if (typeof chunk === 'string' || ArrayBuffer.isView(chunk)) stream.write(chunk, encoding);
      const then = [chunk, encoding, done].find((f) => typeof f === 'function');
      if (then) loop.nextTick(then);
      return stream;
    },
    cork() {}, uncork() {}, setEncoding: () => stream, getColorDepth: () => 1, hasColors: () => false,
  });
};

const began = performance.now();
const process = Object.assign(new EventEmitter(), {
  title: 'node', pid: 2, ppid: 1, arch: 'wasm32', platform: 'linux', version: 'v20.20.0',
  versions: { node: '20.20.0', v8: '0.0.0', quickjs: '0.15.1' },
  release: { name: 'node' }, config: { variables: {} }, features: {},
  argv: [], argv0: 'node', execArgv: [], execPath: '/usr/local/bin/node', env, exitCode: undefined,
  stdout: output(1, '/dev/fd/1'), stderr: output(2, '/dev/fd/2'),
  cwd: () => cwd,
  chdir(name) {
    const full = part('path').resolve(name);
    if (!part('files').fs.statSync(full).isDirectory()) throw Object.assign(new Error(`ENOTDIR: not a directory, chdir '${name}'`), { code: 'ENOTDIR' });
    cwd = full;
  },
  exit: (code) => loop.exit(code),
  reallyExit: (code) => std.exit(Number(code ?? 0) & 0xff),
  abort: () => std.exit(134),
  kill: () => { throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' }); },
  nextTick: (run, ...args) => {
    if (typeof run !== 'function') throw Object.assign(new TypeError('The "callback" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
    loop.nextTick(run, ...args);
  },
  hrtime: Object.assign((before) => {
    const now = performance.now();
    let [s, n] = [Math.floor(now / 1000), Math.floor((now % 1000) * 1e6)];
    if (before) {
      [s, n] = [s - before[0], n - before[1]];
      if (n < 0) [s, n] = [s - 1, n + 1e9];
    }
    return [s, n];
  }, { bigint: () => BigInt(Math.floor(performance.now() * 1e6)) }),
  uptime: () => (performance.now() - began) / 1000,
  memoryUsage: Object.assign(() => ({ rss: 2 ** 24, heapTotal: 2 ** 23, heapUsed: 2 ** 22, external: 0, arrayBuffers: 0 }), { rss: () => 2 ** 24 }),
  cpuUsage: () => ({ user: Math.floor((performance.now() - began) * 1000), system: 0 }),
  resourceUsage: () => ({}),
  umask: () => 0o022,
  getuid: () => 1000, geteuid: () => 1000, getgid: () => 1000, getegid: () => 1000,
  emitWarning(warning) { process.stderr.write(`(node:2) ${warning instanceof Error ? warning : `Warning: ${warning}`}\n`); },
  getActiveResourcesInfo: loop.resources,
  setUncaughtExceptionCaptureCallback() {},
  binding() { throw new Error('No such module'); },
});
let cwd = env.PWD || '/workspace';
hide(process, Symbol.toStringTag, 'process');

// Standard input, as a stream: all of it comes in one piece.
let input;
Object.defineProperty(process, 'stdin', {
  configurable: true,
  enumerable: true,
  get() {
    if (!input) input = part('stream').input();
    return input;
  },
});

loop.attach(process);
hide(globalThis, 'process', process);
module.exports = process;
