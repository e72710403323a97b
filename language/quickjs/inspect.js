'use strict';
// util.inspect and util.format, in the form of Node.js.

const types = part('types');
const { stackOf } = part('language');

const custom = Symbol.for('nodejs.util.inspect.custom');
const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const defaults = { depth: 2, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, showHidden: false, sorted: false, getters: false };

const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
const control = /[\x00-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const quote = (text) => {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
  const body = text.replace(control, (c) => escapes[c]
    ?? (c < '\u0100' ? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}` : `\\u${c.charCodeAt(0).toString(16)}`));
  return mark + (mark === "'" ? body.replace(/'/g, "\\'") : body) + mark;
};
const more = (n, what = 'item') => `... ${n} more ${what}${n > 1 ? 's' : ''}`;

function primitive(value, ctx, top) {
  switch (typeof value) {
    case 'string': {
      let tail = '';
      if (value.length > ctx.maxStringLength) {
        tail = more(value.length - ctx.maxStringLength, 'character');
        value = value.slice(0, ctx.maxStringLength);
      }
      if (!top && ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indent - 4 && value.includes('\n')) {
        return value.split(/(?<=\n)/).map(quote).join(` +\n${' '.repeat(ctx.indent + 2)}`) + tail;
      }
      return quote(value) + tail;
    }
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'symbol':
      return value.toString();
    default:
      return String(value);
  }
}

// nameOf is the name of what made an object; null for one without a prototype.
function nameOf(object) {
  for (let o = object, n = 0; o !== null && n < 100; o = Object.getPrototypeOf(o), n++) {
    const d = Object.getOwnPropertyDescriptor(o, 'constructor');
    if (d && typeof d.value === 'function' && d.value.name !== '' && (o !== object || object instanceof d.value)) return d.value.name;
  }
  return null;
}
const prefix = (name, tag, kind, size = '') => {
  const first = name === null ? `[${kind}${size}: null prototype] ` : `${name}${size} `;
  return tag && tag !== name ? `${first}[${tag}] ` : first;
};
const keysOf = (value, ctx) => {
  const keys = ctx.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value).filter((s) => ctx.showHidden || Object.prototype.propertyIsEnumerable.call(value, s));
  return [...keys, ...symbols];
};

function show(value, ctx, depth, top = false) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return primitive(value, ctx, top);
  if (types.isProxy(value)) {
    // What it stands for is shown through it, as far as that goes.
    try {
      Object.getPrototypeOf(value);
    } catch {
      return '<Revoked Proxy>';
    }
  }
  const own = value[custom];
  if (ctx.customInspect !== false && typeof own === 'function' && own !== inspect && !(value.constructor && value.constructor.prototype === value)) {
    const { seen, circular, indent, ...options } = ctx;
    const made = own.call(value, ctx.depth === Infinity || ctx.depth === null ? Infinity : ctx.depth - depth, { ...options, stylize: (s) => s }, inspect);
    if (made !== value) return typeof made === 'object' && made !== null ? show(made, ctx, depth) : String(made).replaceAll('\n', `\n${' '.repeat(ctx.indent)}`);
  }
  if (ctx.seen.includes(value)) {
    ctx.circular ??= new Map();
    if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
    return `[Circular *${ctx.circular.get(value)}]`;
  }
  return structure(value, ctx, depth);
}

function structure(value, ctx, depth) {
  const name = nameOf(value);
  let tag = value[Symbol.toStringTag];
  if (typeof tag !== 'string' || tag === '' || tag === name) tag = '';
  let keys = keysOf(value, ctx);
  let open = '{';
  let close = '}';
  let base = '';
  let fill = () => [];
  let list = false;
  if (Array.isArray(value)) {
    list = true;
    keys = keys.filter((k) => typeof k === 'symbol' || !/^(?:0|[1-9]\d*)$/.test(k));
    open = `${name === 'Array' && !tag ? '' : prefix(name, tag, 'Array', `(${value.length})`)}[`;
    close = ']';
    if (value.length === 0 && keys.length === 0) return `${open}]`;
    fill = () => arrayItems(value, ctx, depth);
  } else if (types.isSet(value)) {
    open = `${prefix(name, tag, 'Set', `(${value.size})`)}{`;
    fill = () => limited([...Set.prototype.values.call(value)], ctx, (v) => show(v, ctx, depth + 1));
    if (value.size === 0 && keys.length === 0) return `${open}}`;
  } else if (types.isMap(value)) {
    open = `${prefix(name, tag, 'Map', `(${value.size})`)}{`;
    fill = () => limited([...Map.prototype.entries.call(value)], ctx, ([k, v]) => `${show(k, ctx, depth + 1)} => ${show(v, ctx, depth + 1)}`);
    if (value.size === 0 && keys.length === 0) return `${open}}`;
  } else if (types.isTypedArray(value)) {
    list = true;
    keys = keys.filter((k) => typeof k === 'symbol' || !/^\d+$/.test(k));
    open = `${prefix(name, tag === value[Symbol.toStringTag] && name !== null ? '' : tag, 'TypedArray', `(${value.length})`)}[`;
    close = ']';
    if (value.length === 0 && keys.length === 0) return `${open}]`;
    fill = () => limited(Array.from(value), ctx, (v) => primitive(v, ctx));
  } else if (types.isMapIterator(value) || types.isSetIterator(value)) {
    open = `[${tag}] {`;
  } else if (types.isArgumentsObject(value)) {
    open = '[Arguments] {';
    if (keys.length === 0) return `${open}}`;
  } else if (typeof value === 'function') {
    base = functionText(value, name, tag);
  } else if (types.isRegExp(value)) {
    base = RegExp.prototype.toString.call(value);
    if (name !== 'RegExp') base = `${prefix(name, tag, 'RegExp')}${base}`;
  } else if (types.isDate(value)) {
    base = Number.isNaN(value.getTime()) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
    if (name !== 'Date') base = `${prefix(name, tag, 'Date')}${base}`;
  } else if (types.isError(value)) {
    base = errorText(value, keys, ctx);
    keys = keys.filter((k) => !['name', 'message', 'stack'].includes(k));
    for (const key of ['cause', 'errors']) {
      if (Object.hasOwn(value, key) && !keys.includes(key)) keys.push(key);
    }
  } else if (types.isAnyArrayBuffer(value)) {
    open = `${prefix(name, '', 'ArrayBuffer')}{`;
    fill = () => [`[Uint8Contents]: <${[...new Uint8Array(value).slice(0, 50)].map((b) => b.toString(16).padStart(2, '0')).join(' ')}>`, `byteLength: ${value.byteLength}`];
  } else if (types.isPromise(value)) {
    open = `${prefix(name, tag === 'Promise' ? '' : tag, 'Promise')}{`;
    fill = () => ['<pending>'];
  } else if (types.isWeakSet(value) || types.isWeakMap(value)) {
    open = `${prefix(name, '', name)}{`;
    fill = () => ['<items unknown>'];
  } else if (types.isBoxedPrimitive(value)) {
    const inner = value.valueOf();
    const kind = typeof inner;
    if (kind === 'string') keys = keys.filter((k) => typeof k === 'symbol' || !/^\d+$/.test(k));
    const title = kind === 'bigint' ? 'BigInt' : kind[0].toUpperCase() + kind.slice(1);
    base = `[${title}${name && name.toLowerCase() !== kind ? ` (${name})` : ''}: ${primitive(inner, ctx, true)}]`;
  } else if (types.isModuleNamespaceObject(value)) {
    open = '[Module: null prototype] {';
  } else if (name === 'Object' && !tag) {
    if (keys.length === 0) return '{}';
  } else {
    open = `${prefix(name, tag, 'Object')}{`;
    if (keys.length === 0) return `${open}}`;
  }
  if (base && keys.length === 0) return base;
  const deepest = ctx.depth === null ? Infinity : ctx.depth;
  if (depth > deepest) {
    const title = prefix(name, tag, Array.isArray(value) ? 'Array' : 'Object').trimEnd();
    return Array.isArray(value) ? '[Array]' : `[${title || 'Object'}]`;
  }
  if (base) open = `${base} {`;
  ctx.seen.push(value);
  ctx.current = depth;
  const outer = ctx.indent;
  ctx.indent += 2;
  const output = fill();
  for (const key of keys) output.push(property(value, key, ctx, depth));
  ctx.indent = outer;
  ctx.seen.pop();
  if (ctx.circular?.has(value)) {
    const mark = `<ref *${ctx.circular.get(value)}>`;
    open = `${mark} ${open}`;
  }
  if (ctx.sorted && !list) output.sort(ctx.sorted === true ? undefined : ctx.sorted);
  return reduce(ctx, output, base, open, close, list && ctx.compact >= 1, depth, value);
}

function functionText(value, name, tag) {
  const source = Function.prototype.toString.call(value);
  if (/^class\b/.test(source)) {
    const parent = Object.getPrototypeOf(value);
    return `[class ${Object.hasOwn(value, 'name') && value.name ? value.name : '(anonymous)'}${parent?.name ? ` extends ${parent.name}` : ''}]`;
  }
  const kind = types.isAsyncFunction(value) ? (types.isGeneratorFunction(value) ? 'AsyncGeneratorFunction' : 'AsyncFunction')
    : types.isGeneratorFunction(value) ? 'GeneratorFunction' : 'Function';
  return `[${kind}${value.name ? `: ${value.name}` : ' (anonymous)'}]${tag && tag !== kind ? ` [${tag}]` : ''}${name === null ? ' [null prototype]' : ''}`;
}

function errorText(error, keys, ctx) {
  let stack = stackOf(error);
  const name = error.name !== undefined ? String(error.name) : 'Error';
  const made = nameOf(error);
  const named = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?=:|\n\s+at|$)/.exec(stack)?.[1] ?? '';
  if (name !== 'Error' && !stack.includes(name)) {
    stack = name + stack.slice(named.length);
  } else if (made && name.endsWith('Error') && named === name && made !== name) {
    stack = (made.includes(name) ? made : `${made} [${name}]`) + stack.slice(named.length);
  }
  if (typeof error.code === 'string' && error.name !== undefined && !stack.includes(error.code) && /^ERR_|AssertionError/.test(`${error.code}`)) {
    stack = stack.replace(/^(\w+)/, `$1 [${error.code}]`);
  }
  if (!/\n\s+at /.test(stack)) stack = `[${stack}]`;
  return ctx.indent > 0 ? stack.replaceAll('\n', `\n${' '.repeat(ctx.indent)}`) : stack;
}

function limited(items, ctx, text) {
  const most = ctx.maxArrayLength ?? Infinity;
  const output = items.slice(0, most).map(text);
  if (items.length > most) output.push(more(items.length - most));
  return output;
}

function arrayItems(value, ctx, depth) {
  const output = [];
  const most = ctx.maxArrayLength ?? Infinity;
  let n = 0;
  for (; n < value.length && output.length < most; n++) {
    if (Object.hasOwn(value, n)) {
      output.push(show(value[n], ctx, depth + 1));
      continue;
    }
    let holes = 0;
    while (n < value.length && !Object.hasOwn(value, n)) { holes++; n++; }
    n--;
    output.push(`<${holes} empty item${holes > 1 ? 's' : ''}>`);
  }
  if (n < value.length) output.push(more(value.length - n));
  return output;
}

function property(value, key, ctx, depth) {
  const d = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
  let text;
  if ('value' in d) {
    text = show(d.value, ctx, depth + 1);
  } else if (d.get) {
    text = d.set ? '[Getter/Setter]' : '[Getter]';
  } else {
    text = d.set ? '[Setter]' : 'undefined';
  }
  let name;
  if (typeof key === 'symbol') name = `[${key.toString()}]`;
  else if (key === '__proto__') name = "['__proto__']";
  else if (d.enumerable === false) name = `[${key}]`;
  else name = identifier.test(key) ? key : quote(key);
  return `${name}: ${text}`;
}

const width = (text) => text.replace(/\p{M}/gu, '').replace(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e][\udc00-\udfff]/g, 'xx').length;

// group puts many short items into columns.
function group(ctx, output, value) {
  let total = 0;
  let longest = 0;
  let length = output.length;
  if (ctx.maxArrayLength < value?.length) length--; // "... more items"
  const lengths = [];
  for (let n = 0; n < length; n++) {
    const size = width(output[n]);
    lengths.push(size);
    total += size + 2;
    longest = Math.max(longest, size);
  }
  const actual = longest + 2;
  if (actual * 3 + ctx.indent >= ctx.breakLength || (total / actual <= 5 && longest > 6)) return output;
  // As square as text looks, whose characters are 2.5 times as high as wide.
  const biased = Math.max(actual - 3 - Math.sqrt(actual - total / output.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * biased * length) / biased), Math.floor((ctx.breakLength - ctx.indent) / actual), ctx.compact * 4, 15,
  );
  if (columns <= 1) return output;
  const grouped = [];
  const widths = [];
  for (let n = 0; n < columns; n++) {
    let most = 0;
    for (let k = n; k < length; k += columns) most = Math.max(most, lengths[k]);
    widths.push(most + 2);
  }
  const right = value !== undefined && value.every?.((v) => typeof v === 'number' || typeof v === 'bigint');
  for (let n = 0; n < length; n += columns) {
    const most = Math.min(n + columns, length);
    let row = '';
    let k = n;
    for (; k < most - 1; k++) {
      const pad = widths[k - n] - lengths[k] - 2;
      row += right ? `${' '.repeat(pad)}${output[k]}, ` : `${output[k]}, ${' '.repeat(pad)}`;
    }
    row += right ? ' '.repeat(widths[k - n] - lengths[k] - 2) + output[k] : output[k];
    grouped.push(row);
  }
  if (length < output.length) grouped.push(output[length]);
  return grouped;
}

function reduce(ctx, output, base, open, close, list, depth, value) {
  if (ctx.compact !== true) {
    const entries = output.length;
    if (list && entries > 6) output = group(ctx, output, Array.isArray(value) || types.isTypedArray(value) ? Array.from(value) : undefined);
    // Only the innermost levels are put on one line.
    if (ctx.current - depth < ctx.compact && entries === output.length) {
      let total = 2 * output.length + ctx.indent + open.length + 10;
      for (const text of output) total += text.length;
      if (total <= ctx.breakLength && !output.some((text) => text.includes('\n')) && !base.includes('\n')) {
        return `${open} ${output.join(', ')} ${close}`;
      }
    }
  }
  const indent = `\n${' '.repeat(ctx.indent)}`;
  return `${open}${indent}  ${output.join(`,${indent}  `)}${indent}${close}`;
}

function inspect(value, options, ...old) {
  if (typeof options === 'boolean') options = { showHidden: options, depth: old[0] };
  const given = Object.fromEntries(Object.entries(options ?? {}).filter(([, v]) => v !== undefined));
  const ctx = { ...defaults, ...given, seen: [], indent: 0, circular: undefined, current: 0 };
  if (ctx.compact === false) ctx.compact = 0;
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
  return show(value, ctx, 0, true);
}
inspect.custom = custom;
inspect.defaultOptions = defaults;

function formatWithOptions(options, first, ...rest) {
  let text = '';
  if (typeof first === 'string' && rest.length > 0) {
    text = first.replace(/%[sdifjoOc%]/g, (mark) => {
      if (mark === '%%') return '%';
      if (rest.length === 0) return mark;
      const value = rest.shift();
      switch (mark) {
        case '%s':
          if (typeof value === 'bigint') return `${value}n`;
          if (Object.is(value, -0)) return '-0';
          if (typeof value === 'object' && value !== null && !(Object.hasOwn(value, 'toString') || (types.isError(value)) || (value.toString !== Object.prototype.toString && nameOf(value) !== 'Object' && !Array.isArray(value) && !types.isDate(value) && !types.isMap(value)))) {
            return inspect(value, { ...options, depth: 0, compact: 3 });
          }
          return typeof value === 'symbol' ? value.toString() : String(value);
        case '%d':
          return typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' ? 'NaN' : primitive(typeof value === 'object' ? Number(value) : Number(value), defaults);
        case '%i':
          return typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' ? 'NaN' : primitive(parseInt(value, 10), defaults);
        case '%f':
          return typeof value === 'symbol' ? 'NaN' : primitive(parseFloat(value), defaults);
        case '%j':
          try {
            return JSON.stringify(value);
          } catch {
            return '[Circular]';
          }
        case '%o':
          return inspect(value, { ...options, showHidden: true, depth: 4 });
        case '%O':
          return inspect(value, options);
        default:
          return '';
      }
    });
  } else if (typeof first === 'string') {
    text = first;
  } else if (arguments.length > 1) {
    text = inspect(first, options);
  }
  for (const value of rest) text += ` ${typeof value === 'string' ? value : inspect(value, options)}`;
  return text;
}

module.exports = { inspect, formatWithOptions, format: (...args) => formatWithOptions({}, ...args), custom };
