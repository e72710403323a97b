'use strict';
// node:events.

const { hide } = part('language');

class EventEmitter {
  listenersOf() {
    if (!Object.hasOwn(this, '_events') || !(this._events instanceof Map)) hide(this, '_events', new Map());
    return this._events;
  }

  on(name, run) { return add.call(this, name, run); }
  once(name, run) { return add.call(this, name, run, false, true); }
  prependListener(name, run) { return add.call(this, name, run, true); }
  prependOnceListener(name, run) { return add.call(this, name, run, true, true); }

  off(name, run) {
    const all = this.listenersOf();
    const list = all.get(name) ?? [];
    const at = list.findLastIndex((e) => e.run === run);
    if (at >= 0) {
      const left = list.toSpliced(at, 1);
      if (left.length > 0) all.set(name, left);
      else all.delete(name);
      if (all.has('removeListener')) this.emit('removeListener', name, run);
    }
    return this;
  }

  emit(name, ...args) {
    const all = this.listenersOf();
    const list = all.get(name);
    if (!list || list.length === 0) {
      if (name !== 'error') return false;
      if (args[0] instanceof Error) throw args[0];
      throw Object.assign(new Error(`Unhandled error. (${part('inspect').inspect(args[0])})`), { code: 'ERR_UNHANDLED_ERROR', context: args[0] });
    }
    for (const entry of list) {
      if (entry.once) this.off(name, entry.run);
      Reflect.apply(entry.run, this, args);
    }
    return true;
  }

  removeAllListeners(name) {
    if (name === undefined) this.listenersOf().clear();
    else this.listenersOf().delete(name);
    return this;
  }

  listenerCount(name) { return this.listenersOf().get(name)?.length ?? 0; }
  listeners(name) { return (this.listenersOf().get(name) ?? []).map((e) => e.run); }
  rawListeners(name) { return this.listeners(name); }
  eventNames() { return [...this.listenersOf().keys()]; }
  setMaxListeners(n) { hide(this, '_maxListeners', n); return this; }
  getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners; }
}
function add(name, run, first = false, once = false) {
  if (typeof run !== 'function') {
    throw Object.assign(new TypeError(`The "listener" argument must be of type function. Received ${run === null ? 'null' : typeof run}`), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  const all = EventEmitter.prototype.listenersOf.call(this);
  if (name !== 'newListener' && all.has('newListener')) this.emit('newListener', name, run);
  const list = all.get(name) ?? [];
  all.set(name, first ? [{ run, once }, ...list] : [...list, { run, once }]);
  return this;
}
for (const [alias, name] of [['addListener', 'on'], ['removeListener', 'off']]) hide(EventEmitter.prototype, alias, EventEmitter.prototype[name]);

// Old code inherits with EventEmitter.call(this).
const Callable = new Proxy(EventEmitter, { apply: () => undefined });
hide(EventEmitter.prototype, 'constructor', Callable);
Object.assign(Callable, {
  EventEmitter: Callable,
  defaultMaxListeners: 10,
  once: (emitter, name) => new Promise((resolve, reject) => {
    const fail = (error) => { emitter.off(name, done); reject(error); };
    const done = (...args) => { emitter.off('error', fail); resolve(args); };
    emitter.once(name, done);
    if (name !== 'error') emitter.once('error', fail);
  }),
});

class Event {
  #stopped = false;
  #prevented = false;
  constructor(type, { cancelable = false } = {}) { Object.assign(this, { type: String(type), cancelable, timeStamp: performance.now(), target: null }); }
  get defaultPrevented() { return this.#prevented; }
  get stopped() { return this.#stopped; }
  preventDefault() { if (this.cancelable) this.#prevented = true; }
  stopImmediatePropagation() { this.#stopped = true; }
  stopPropagation() {}
}
class EventTarget {
  #listeners = new Map();
  addEventListener(type, run, options) {
    const list = this.#listeners.get(type) ?? [];
    if (!list.some((l) => l.run === run)) this.#listeners.set(type, [...list, { run, once: options?.once }]);
  }

  removeEventListener(type, run) { this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((l) => l.run !== run)); }
  dispatchEvent(event) {
    event.target = this;
    for (const l of this.#listeners.get(event.type) ?? []) {
      if (l.once) this.removeEventListener(event.type, l.run);
      if (typeof l.run === 'function') l.run.call(this, event);
      else l.run.handleEvent(event);
      if (event.stopped) break;
    }
    return !event.defaultPrevented;
  }
}
class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  throwIfAborted() { if (this.aborted) throw this.reason; }
  static abort(reason) {
    const c = new AbortController();
    c.abort(reason);
    return c.signal;
  }

  static timeout(ms) {
    const c = new AbortController();
    setTimeout(() => c.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref();
    return c.signal;
  }
}
class AbortController {
  signal = new AbortSignal();
  abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    const { signal } = this;
    if (signal.aborted) return;
    signal.aborted = true;
    signal.reason = reason;
    const event = new Event('abort');
    signal.onabort?.(event);
    signal.dispatchEvent(event);
  }
}

module.exports = { EventEmitter: Callable, Event, EventTarget, AbortController, AbortSignal };
