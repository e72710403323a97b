'use strict';
// As much of node:stream and node:readline as programs use that read their
// input and print.

const { EventEmitter } = part('events');
const { Buffer } = part('buffer');
const loop = part('loop');

// Readable is a stream whose chunks are known, or pushed.
class Readable extends EventEmitter {
  constructor(options = {}) {
    super();
    this.readable = true;
    this.readableEnded = false;
    this._chunks = [];
    this._ended = false;
    this._flowing = false;
    if (options.read) this._read = options.read;
  }

  static from(list) {
    const made = new Readable();
    (async () => {
      for await (const item of list) made.push(item);
      made.push(null);
    })();
    return made;
  }

  setEncoding(encoding) { this._encoding = encoding ?? 'utf8'; return this; }
  push(chunk) {
    if (chunk === null) this._ended = true;
    else this._chunks.push(chunk);
    this._pump();
    return true;
  }

  on(name, run) {
    super.on(name, run);
    if (name === 'data') this.resume();
    if (name === 'readable') loop.nextTick(() => { if (!this.readableEnded) { this.emit('readable'); if (this._ended) this._finish(); } });
    return this;
  }

  addListener(name, run) { return this.on(name, run); }
  resume() { this._flowing = true; this._pump(); return this; }
  pause() { this._flowing = false; return this; }
  isPaused() { return !this._flowing; }
  unref() { return this; }
  ref() { return this; }
  destroy(error) { this._chunks = []; if (error) loop.nextTick(() => this.emit('error', error)); loop.nextTick(() => this.emit('close')); return this; }
  _text(chunk) { return this._encoding && typeof chunk !== 'string' ? Buffer.from(chunk).toString(this._encoding) : chunk; }
  _finish() {
    if (this.readableEnded) return;
    this.readableEnded = true;
    this.readable = false;
    loop.nextTick(() => { this.emit('end'); this.emit('close'); });
  }

  _pump() {
    if (!this._flowing || this._pumping) return;
    this._pumping = true;
    loop.nextTick(() => {
      this._pumping = false;
      while (this._flowing && this._chunks.length > 0) this.emit('data', this._text(this._chunks.shift()));
      if (this._flowing && this._ended && this._chunks.length === 0) this._finish();
    });
  }

  read() {
    if (this._chunks.length === 0) return null;
    const all = this._chunks.splice(0).map((c) => this._text(c));
    return typeof all[0] === 'string' ? all.join('') : Buffer.concat(all);
  }

  pipe(to) {
    this.on('data', (chunk) => to.write(chunk));
    this.on('end', () => { if (to !== globalThis.process.stdout && to !== globalThis.process.stderr) to.end(); });
    return to;
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this._chunks.length > 0) yield this._text(this._chunks.shift());
      if (this._ended) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

class Writable extends EventEmitter {
  constructor(options = {}) {
    super();
    this.writable = true;
    if (options.write) this._write = options.write;
    if (options.final) this._final = options.final;
  }

  write(chunk, encoding, done) {
    const then = typeof encoding === 'function' ? encoding : done;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this._write(bytes, 'buffer', (error) => { if (error) this.emit('error', error); then?.(error); });
    return true;
  }

  _write(_chunk, _encoding, done) { done(); }
  end(chunk) {
    if (chunk !== undefined && typeof chunk !== 'function') this.write(chunk);
    const finish = () => loop.nextTick(() => { this.emit('finish'); this.emit('close'); });
    if (this._final) this._final(finish);
    else finish();
    return this;
  }
}

class Duplex extends Readable {
  write(...args) { return Writable.prototype.write.apply(this, args); }
  end(...args) { return Writable.prototype.end.apply(this, args); }
}
class Transform extends Duplex {
  constructor(options = {}) {
    super(options);
    if (options.transform) this._transform = options.transform;
    if (options.flush) this._flush = options.flush;
  }

  _write(chunk, encoding, done) {
    this._transform(chunk, encoding, (error, made) => {
      if (made !== undefined && made !== null) this.push(made);
      done(error);
    });
  }

  end(chunk) {
    if (chunk !== undefined) this.write(chunk);
    const finish = () => this.push(null);
    if (this._flush) this._flush((error, made) => { if (made !== undefined && made !== null) this.push(made); finish(); });
    else finish();
    loop.nextTick(() => this.emit('finish'));
    return this;
  }
}
class PassThrough extends Transform {
  _transform(chunk, _, done) { done(null, chunk); }
}

// input is standard input.
function input() {
  const { fs } = part('files');
  const stream = new Readable();
  Object.assign(stream, { fd: 0, isTTY: undefined, setRawMode: () => stream });
  let taken = false;
  const take = () => {
    if (taken) return;
    taken = true;
    const data = fs.readFileSync(0);
    if (data.length > 0) stream._chunks.push(data);
    stream._ended = true;
  };
  for (const name of ['_pump', 'read', '_finish']) {
    const plain = stream[name];
    stream[name] = (...args) => { take(); return plain.apply(stream, args); };
  }
  const iterate = stream[Symbol.asyncIterator];
  stream[Symbol.asyncIterator] = () => { take(); return iterate.call(stream); };
  return stream;
}

class Interface extends EventEmitter {
  constructor({ input: from, output }) {
    super();
    Object.assign(this, { input: from, output, closed: false, _lines: [], _questions: [], terminal: false });
    let rest = '';
    from.setEncoding?.('utf8');
    from.on('data', (chunk) => {
      const parts = (rest + chunk).split(/\r\n|\n|\r/);
      rest = parts.pop();
      for (const line of parts) this._line(line);
    });
    from.on('end', () => {
      if (rest !== '') this._line(rest);
      this.close();
    });
  }

  _line(line) {
    const asked = this._questions.shift();
    if (asked) asked(line);
    else if (this.listenerCount('line') > 0) this.emit('line', line);
    else this._lines.push(line);
  }

  on(name, run) {
    super.on(name, run);
    if (name === 'line') for (const line of this._lines.splice(0)) loop.nextTick(() => this.emit('line', line));
    return this;
  }

  question(text, options, done = options) {
    this.output?.write?.(text);
    const line = this._lines.shift();
    if (line !== undefined) loop.nextTick(() => done(line));
    else this._questions.push(done);
  }

  close() {
    if (this.closed) return;
    this.closed = true;
    loop.nextTick(() => loop.nextTick(() => this.emit('close')));
  }

  setPrompt(text) { this._prompt = text; }
  prompt() { this.output?.write?.(this._prompt ?? '> '); }
  write() {}
  pause() { return this; }
  resume() { return this; }
  async *[Symbol.asyncIterator]() {
    const waiting = [];
    let wake = () => {};
    this.on('line', (line) => { waiting.push(line); wake(); });
    this.on('close', () => wake());
    for (;;) {
      while (waiting.length > 0) yield waiting.shift();
      if (this.closed) {
        await new Promise((resolve) => setImmediate(resolve));
        while (waiting.length > 0) yield waiting.shift();
        return;
      }
      await new Promise((resolve) => (wake = resolve));
    }
  }
}
const createInterface = (options, output) => new Interface(options.input ? options : { input: options, output });
const promised = (options, output) => {
  const made = createInterface(options, output);
  const ask = made.question.bind(made);
  made.question = (text) => new Promise((resolve) => ask(text, resolve));
  return made;
};

module.exports = {
  input,
  stream: Object.assign(Readable, { Readable, Writable, Duplex, Transform, PassThrough, Stream: Readable }),
  readline: { createInterface, Interface, promises: { createInterface: promised }, clearLine() {}, cursorTo() {}, moveCursor() {} },
};
