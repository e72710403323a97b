'use strict';
// The event loop, and how a process ends. Our host calls the loop's turn again
// and again; promises have their turns in between.

const { std } = host;
const { asked, hide } = part('language');

let events; // the process's, once there is one
let ending = false;

const ticks = []; // process.nextTick
const soon = []; // setImmediate
const timers = new Set();
let order = 0;
const now = () => performance.now();

// Timeout is what setTimeout returns.
class Timeout {
  constructor(run, delay, args, repeat) {
    if (typeof run !== 'function') {
      throw Object.assign(new TypeError('The "callback" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
    }
    delay = Number(delay);
    this._delay = delay >= 1 && delay <= 2147483647 ? Math.trunc(delay) : 1;
    this._run = run;
    this._args = args;
    this._repeat = repeat;
    this._kept = true;
    this._order = ++order;
    this._at = now() + this._delay;
    timers.add(this);
  }

  ref() { this._kept = true; return this; }
  unref() { this._kept = false; return this; }
  hasRef() { return this._kept; }
  refresh() { this._at = now() + this._delay; timers.add(this); return this; }
  close() { timers.delete(this); return this; }
  [Symbol.toPrimitive]() { return this._order; }
}

class Immediate {
  constructor(run, args) {
    this._run = run;
    this._args = args;
    this._kept = true;
    soon.push(this);
  }

  ref() { this._kept = true; return this; }
  unref() { this._kept = false; return this; }
  hasRef() { return this._kept; }
}

const clear = (timer) => {
  if (timer instanceof Timeout) timers.delete(timer);
  else if (timer !== undefined && timer !== null) for (const t of timers) if (t._order === Number(timer)) timers.delete(t);
};
const clearImmediate = (immediate) => {
  const at = soon.indexOf(immediate);
  if (at >= 0) soon.splice(at, 1);
};

// guarded runs a callback; what it throws, and nobody catches, ends the process.
function guarded(run, self, args) {
  try {
    Reflect.apply(run, self, args);
  } catch (error) {
    crash(error);
  }
}

const runTicks = () => {
  while (ticks.length > 0) {
    const [run, args] = ticks.shift();
    guarded(run, undefined, args);
  }
};

// turn does what is next, and returns in how many milliseconds to be called
// again.
function turn() {
  if (ticks.length > 0) {
    runTicks();
    return 0;
  }
  // A timer of no time comes before setImmediate, as it mostly does in Node.js.
  const due = [...timers].filter((t) => t._at <= now() + 1).sort((a, b) => a._at - b._at || a._order - b._order)[0];
  if (due) {
    if (due._repeat) due._at = now() + due._delay;
    else timers.delete(due);
    guarded(due._run, due, due._args);
    runTicks();
    return 0;
  }
  if (soon.length > 0) {
    const next = soon.shift();
    guarded(next._run, next, next._args);
    runTicks();
    return 0;
  }
  const waits = [...timers].filter((t) => t._kept).map((t) => t._at);
  if (waits.length > 0) return Math.max(0, Math.min(...[...timers].map((t) => t._at)) - now());
  if (!ending) {
    events.emit('beforeExit', events.exitCode ?? 0);
    if (ticks.length + soon.length + timers.size > 0 && [...timers, ...soon].some((t) => t._kept)) return 0;
  }
  return exit();
}

// exit tells who wants to know, and ends the process.
function exit(code) {
  if (code !== undefined) events.exitCode = code;
  if (!ending) {
    ending = true;
    try {
      events.emit('exit', Number(events.exitCode ?? 0));
    } catch (error) {
      report(error);
      std.exit(7);
    }
  }
  return events.reallyExit(events.exitCode);
}

// crash is the end of a process by an error that nothing caught.
function crash(error, origin = 'uncaughtException') {
  if (events.listenerCount('uncaughtException') > 0 && !ending) {
    try {
      events.emit('uncaughtException', error, origin);
      return;
    } catch (second) {
      error = second;
    }
  }
  report(error, origin);
  exit(origin === 'uncaughtException' && ending ? 7 : 1);
}

// report prints an error as Node.js does.
function report(error, origin) {
  const { inspect } = part('inspect');
  const { sourceLine } = part('files');
  const { isError } = part('types');
  let text;
  try {
    if (isError(error)) text = inspect(error);
    else if (origin === 'unhandledRejection') {
      text = '[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, '
        + `or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${inspect(error)}".] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}`;
    } else text = typeof error === 'object' || typeof error === 'function' ? `Uncaught:\n${inspect(error)}` : String(error);
  } catch {
    text = 'Uncaught';
  }
  const at = /^\s+at .*?(?:file:\/\/)?(\/[^\s():]+):(\d+):(\d+)\)?(?: \{)?$/m.exec(text);
  let top = 'node:internal:1\n\n^\n';
  if (at) {
    const line = sourceLine(at[1], Number(at[2])) ?? '';
    top = `${at[1]}:${at[2]}\n${line}\n${line.slice(0, Math.max(0, Number(at[3]) - 1)).replace(/[^\t]/g, ' ')}^\n`;
  }
  events.stderr.write(`${top}\n${text}\n\nNode.js v${events.versions.node} (QuickJS)\n`);
}

hide(globalThis, Symbol.for('glovebox.turn'), turn);
// The engine found a promise that was rejected and that nobody waits for. It
// has just asked the reason for its text.
hide(globalThis, Symbol.for('glovebox.rejected'), () => {
  const error = asked() ?? new Error('a promise was rejected');
  try {
    if (events.listenerCount('unhandledRejection') > 0) events.emit('unhandledRejection', error, Promise.resolve());
    else crash(error, 'unhandledRejection');
  } catch (thrown) {
    crash(thrown);
  }
  return 0;
});

module.exports = {
  runTicks,
  Timeout, Immediate, clear, clearImmediate, crash, exit,
  nextTick: (run, ...args) => void ticks.push([run, args]),
  // What keeps the process alive, by Node's names.
  resources: () => [...[...timers].filter((t) => t._kept).map(() => 'Timeout'), ...soon.filter((t) => t._kept).map(() => 'Immediate')],
  attach: (process) => (events = process),
};
