'use strict';
// Where the engine's language differs from V8's: messages, stacks, and what it
// leaves to a library of the world's languages.

const { defineProperty } = Object;
const hide = (object, key, value) => defineProperty(object, key, { value, writable: true, configurable: true });

// Messages.

const messages = [
  [/^unexpected token in expression: ''$/, 'Unexpected end of input'],
  [/^unexpected token in expression: '([^]*)'$/, "Unexpected token '$1'"],
  [/^cannot read property '([^]*)' of (null|undefined)$/, "Cannot read properties of $2 (reading '$1')"],
  [/^cannot set property '([^]*)' of (null|undefined)$/, "Cannot set properties of $2 (setting '$1')"],
  [/^'([^]*)' is read-only$/, 'Assignment to constant variable.'],
  [/^this is not initialized$/, "Must call super constructor in derived class before accessing 'this' or returning from derived constructor"],
  [/^([^ ]+) is not initialized$/, "Cannot access '$1' before initialization"],
  [/^class constructors must be invoked with 'new'$/, "Class constructor cannot be invoked without 'new'"],
  [/^cannot convert BigInt to number$/, 'Cannot mix BigInt and other types, use explicit conversions'],
  [/^cannot convert symbol to string$/, 'Cannot convert a Symbol value to a string'],
  [/^invalid array length$/, 'Invalid array length'],
  [/^value is not iterable$/, 'object is not iterable'],
  [/^invalid repeat count$/, 'Invalid count value'],
  [/^empty array$/, 'Reduce of empty array with no initial value'],
  [/^expecting hex digit$/, 'URI malformed'],
  [/^invalid number of digits$/, 'toFixed() digits argument must be between 0 and 100'],
  [/^Date value is NaN$/, 'Invalid time value'],
  [/^object is not extensible$/, 'Cannot add property, object is not extensible'],
  [/^([^]* in JSON at position \d+) \(line \d+ column \d+\)$/, '$1'],
  [/^circular reference$/, 'Converting circular structure to JSON'],
];
const translated = (text) => {
  for (const [pattern, form] of messages) if (pattern.test(text)) return text.replace(pattern, form);
  return text;
};

// Stacks, in the form of V8's. What is ours does not show; a file that was
// rewritten on its way to the engine shows under its own name.

const mapped = /^\/tmp\/\.node\/\d+(?=\/)/;
const maps = new Map(); // file → (line, column) => [line, column] or null
const ours = /^(?:<evalScript>|<input>|glovebox|\/opt\/glovebox\/)/;
const shifted = new Set(); // files whose first line has our wrapper before it
const wrapper = '(function (exports, require, module, __filename, __dirname, $import, $meta) {';

// place is where a frame is, in the words of the file's author.
function place(file, line, column) {
  file = file.replace(mapped, '');
  if (line === 1 && shifted.has(file)) column = Math.max(1, column - wrapper.length);
  const at = maps.get(file)?.(line, column);
  return at ? { file: at.file ?? file, line: at.line, column: at.column } : { file, line, column };
}

const frameOf = (site) => {
  const file = site.getFileName();
  if (typeof file !== 'string' || ours.test(file)) return null;
  const name = site.getFunctionName();
  const at = site.isNative() ? { file: '<anonymous>' } : place(file, site.getLineNumber(), site.getColumnNumber());
  return { name: name && name !== '<anonymous>' && name !== '<eval>' ? name : '', ...at };
};
const frameText = ({ name, file, line, column }) => {
  const at = line === undefined ? file : `${file}:${line}:${column}`;
  return name ? `    at ${name} (${at})` : `    at ${at}`;
};

const { toString } = Error.prototype;
const title = (error) => {
  try {
    return toString.call(error);
  } catch {
    return 'Error';
  }
};

let userPrepare;
Error.stackTraceLimit = 10;
const prepare = (error, sites) => {
  try {
    if (error instanceof Error && typeof error.message === 'string') {
      const better = translated(error.message);
      if (better !== error.message) hide(error, 'message', better);
    }
    const frames = sites.map(frameOf).filter(Boolean);
    // What only the engine calls is of no use.
    while (frames.length > 0 && frames.at(-1).line === undefined) frames.pop();
    if (typeof userPrepare === 'function') return userPrepare(error, sites);
    if (error instanceof SyntaxError && sites.length > 0 && !syntaxPlaces.has(error)) syntaxPlaces.set(error, [sites[0].getFileName(), sites[0].getLineNumber(), sites[0].getColumnNumber()]);
    const text = [head(error), ...frames.map(frameText)].join('\n');
    if (error !== null && typeof error === 'object') stacks.set(error, text);
    return text;
  } catch {
    return '';
  }
};
const syntaxPlaces = new WeakMap();
const stacks = new WeakMap(); // as they were made

// stackOf is an error's stack to be shown. V8 makes it when it is first asked
// for: what the error was called since it was made is its head.
function stackOf(error) {
  const { stack } = error;
  if (typeof stack !== 'string' || stack === '') return title(error);
  if (stack !== stacks.get(error)) return stack;
  const at = stack.indexOf('\n    at ');
  return title(error) + (at < 0 ? '' : stack.slice(at));
}
const head = (error) => (Object.prototype.toString.call(error) === '[object Error]' || error instanceof Error ? title(error) : 'Error');
Error.prepareStackTrace = prepare; // the engine's own accessor takes it
defineProperty(Error, 'prepareStackTrace', {
  configurable: true,
  get: () => userPrepare,
  set(value) { userPrepare = value; },
});

// The engine makes the stack before a subclass has set its name: as in V8, the
// head of a stack is the class's.
let asked; // the last error that was asked for its text
hide(Error.prototype, 'toString', function () {
  asked = this;
  return toString.call(this);
});

// Proxies are told apart by who made them: here.
const proxies = new WeakSet();
const PlainProxy = Proxy;
const { revocable } = Proxy;
globalThis.Proxy = new PlainProxy(PlainProxy, {
  construct(target, args, made) {
    const proxy = Reflect.construct(target, args, made);
    proxies.add(proxy);
    return proxy;
  },
  get(target, key) {
    if (key !== 'revocable') return Reflect.get(target, key);
    return (...args) => {
      const made = revocable.apply(target, args);
      proxies.add(made.proxy);
      return made;
    };
  },
});

// Numbers and text for people, in English.

const grouped = (value, { minimumFractionDigits: least, maximumFractionDigits: most, useGrouping = true, style, currency } = {}) => {
  const number = Number(value);
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number < 0 ? '-∞' : '∞';
  if (style === 'currency') { least ??= 2; most ??= Math.max(2, least); }
  if (style === 'percent') most ??= least ?? 0;
  least ??= 0;
  most = Math.max(least, most ?? 3);
  const scaled = style === 'percent' ? number * 100 : number;
  let [whole, part = ''] = (typeof value === 'bigint' ? String(value < 0n ? -value : value) : Math.abs(scaled).toFixed(most)).split('.');
  while (part.length > least && part.endsWith('0')) part = part.slice(0, -1);
  if (useGrouping) whole = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const text = part ? `${whole}.${part}` : whole;
  const symbol = { USD: '$', EUR: '€', GBP: '£', JPY: '¥' }[currency] ?? (currency ? `${currency}\u00a0` : '');
  return (number < 0 || Object.is(number, -0) ? '-' : '') + (style === 'currency' ? symbol : '') + text + (style === 'percent' ? '%' : '');
};
hide(Number.prototype, 'toLocaleString', function (_, options) { return grouped(Number(this), options); });
hide(BigInt.prototype, 'toLocaleString', function (_, options) { return grouped(BigInt(this), options); });
hide(Array.prototype, 'toLocaleString', function (...args) {
  return Array.from(this, (v) => (v === null || v === undefined ? '' : v.toLocaleString(...args))).join(',');
});

const pad = (n) => String(n).padStart(2, '0');
const dateText = (d) => `${d.getMonth() + 1}/${d.getDate()}/${d.getFullYear()}`;
const timeText = (d) => `${d.getHours() % 12 || 12}:${pad(d.getMinutes())}:${pad(d.getSeconds())} ${d.getHours() < 12 ? 'AM' : 'PM'}`;
hide(Date.prototype, 'toLocaleDateString', function () { return dateText(this); });
hide(Date.prototype, 'toLocaleTimeString', function () { return timeText(this); });
hide(Date.prototype, 'toLocaleString', function () { return `${dateText(this)}, ${timeText(this)}`; });
const dateToString = Date.prototype.toString;
hide(Date.prototype, 'toString', function () {
  const text = dateToString.call(this);
  return text.endsWith('GMT+0000') ? `${text} (Coordinated Universal Time)` : text;
});

// collate orders text as people do: letters without their case and marks first,
// then marks, then case.
const rank = (c) => (/\s/.test(c) ? 0 : /\p{L}/u.test(c) ? 4 : /\p{N}/u.test(c) ? 3 : /\p{P}/u.test(c) ? 1 : 2);
const plain = (s) => s.normalize('NFD').replace(/\p{M}/gu, '');
const ordered = (a, b) => {
  const [x, y] = [[...a], [...b]];
  for (let n = 0; n < x.length && n < y.length; n++) {
    if (x[n] === y[n]) continue;
    const by = rank(x[n]) - rank(y[n]);
    return by !== 0 ? by : x[n] < y[n] ? -1 : 1;
  }
  return x.length - y.length;
};
const collate = (a, b, { numeric, sensitivity } = {}) => {
  const low = (s) => plain(s).toLowerCase();
  let by = 0;
  if (numeric) {
    const split = (s) => low(s).split(/(\d+)/);
    const [x, y] = [split(a), split(b)];
    for (let n = 0; by === 0 && n < x.length && n < y.length; n++) {
      by = n % 2 === 1 ? Number(x[n]) - Number(y[n]) : ordered(x[n], y[n]);
    }
    by ||= x.length - y.length;
  } else {
    by = ordered(low(a), low(b));
  }
  if (by === 0 && sensitivity !== 'base' && sensitivity !== 'case') by = ordered(a.normalize('NFD').toLowerCase(), b.normalize('NFD').toLowerCase());
  // A small letter comes first.
  if (by === 0 && sensitivity !== 'base' && sensitivity !== 'accent') by = a === b ? 0 : a > b ? -1 : 1;
  return Math.sign(by);
};
hide(String.prototype, 'localeCompare', function (that, _, options) { return collate(String(this), String(that), options); });
hide(globalThis, 'Intl', {
  NumberFormat: class NumberFormat {
    constructor(_, options) { this.format = (value) => grouped(value, options); }
  },
  DateTimeFormat: class DateTimeFormat {
    constructor() { this.format = (date) => dateText(new Date(date ?? Date.now())); }
    resolvedOptions() { return { locale: 'en-US', timeZone: 'UTC' }; }
  },
  Collator: class Collator {
    constructor(_, options) { this.compare = (a, b) => collate(String(a), String(b), options); }
  },
});

module.exports = {
  hide, stackOf, maps, shifted, wrapper,
  isProxy: (value) => proxies.has(value),
  asked: () => asked,
  syntaxPlace: (error) => syntaxPlaces.get(error),
};
