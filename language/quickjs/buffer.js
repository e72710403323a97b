'use strict';
// Buffer, and text as bytes.

const { hide } = part('language');
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// utf8 gives the bytes of a text; half a pair of surrogates is U+FFFD.
function utf8(text) {
  text = text.toWellFormed();
  const encoded = encodeURIComponent(text);
  if (encoded.length === text.length) return Uint8Array.from(text, (c) => c.charCodeAt(0));
  const bytes = [];
  for (let n = 0; n < encoded.length; n++) {
    if (encoded[n] === '%') {
      bytes.push(parseInt(encoded.slice(n + 1, n + 3), 16));
      n += 2;
    } else bytes.push(encoded.charCodeAt(n));
  }
  return Uint8Array.from(bytes);
}

// text decodes UTF-8; what is none is U+FFFD, as the standard replaces it.
function text(bytes, fatal) {
  const parts = [];
  let units = [];
  const push = (code) => {
    if (code > 0xffff) units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
    else units.push(code);
    if (units.length > 8192) {
      parts.push(String.fromCharCode.apply(null, units));
      units = [];
    }
  };
  for (let n = 0; n < bytes.length;) {
    const b = bytes[n++];
    if (b < 0x80) {
      push(b);
      continue;
    }
    let need = b >= 0xc2 && b <= 0xdf ? 1 : b >= 0xe0 && b <= 0xef ? 2 : b >= 0xf0 && b <= 0xf4 ? 3 : 0;
    let low = b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80;
    let high = b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf;
    let code = need === 1 ? b & 0x1f : need === 2 ? b & 0x0f : b & 0x07;
    let good = need > 0;
    while (good && need > 0) {
      if (n < bytes.length && bytes[n] >= low && bytes[n] <= high) {
        code = (code << 6) | (bytes[n++] & 0x3f);
        low = 0x80;
        high = 0xbf;
        need--;
      } else good = false;
    }
    if (!good && fatal) throw Object.assign(new TypeError('The encoded data was not valid for encoding utf-8'), { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' });
    push(good ? code : 0xfffd);
  }
  return parts.join('') + String.fromCharCode.apply(null, units);
}

const binary = (bytes, mask = 0xff) => {
  let out = '';
  for (let n = 0; n < bytes.length; n += 8192) out += String.fromCharCode.apply(null, bytes.subarray(n, n + 8192).map((b) => b & mask));
  return out;
};
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base64 = (bytes, url = false) => {
  const alphabet = letters + (url ? '-_' : '+/');
  const out = [];
  for (let n = 0; n < bytes.length; n += 3) {
    const [a, b = 0, c = 0] = [bytes[n], bytes[n + 1], bytes[n + 2]];
    const left = bytes.length - n;
    out.push(alphabet[a >> 2] + alphabet[((a & 3) << 4) | (b >> 4)]
      + (left > 1 ? alphabet[((b & 15) << 2) | (c >> 6)] : url ? '' : '=') + (left > 2 ? alphabet[c & 63] : url ? '' : '='));
  }
  return out.join('');
};
const values = new Map([...letters].map((c, n) => [c, n]).concat([['+', 62], ['-', 62], ['/', 63], ['_', 63]]));
const unbase64 = (s) => {
  const out = [];
  let bits = 0;
  let size = 0;
  for (const c of s) {
    if (c === '=') break;
    const value = values.get(c);
    if (value === undefined) continue;
    bits = ((bits << 6) | value) & 0xffffff;
    size += 6;
    if (size >= 8) {
      size -= 8;
      out.push((bits >> size) & 0xff);
    }
  }
  return Uint8Array.from(out);
};

const encodingName = (name = 'utf8') => {
  const low = String(name).toLowerCase().replace('-', '');
  const known = { utf8: 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', ascii: 'ascii', latin1: 'latin1', binary: 'latin1', ucs2: 'utf16le', utf16le: 'utf16le', 'utf16-le': 'utf16le' }[low];
  if (!known) throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: 'ERR_UNKNOWN_ENCODING' });
  return known;
};
const encode = (s, encoding) => {
  switch (encodingName(encoding)) {
    case 'hex': {
      const pairs = /^(?:[0-9a-f]{2})*/i.exec(s)[0];
      return Uint8Array.from({ length: pairs.length / 2 }, (_, n) => parseInt(pairs.slice(2 * n, 2 * n + 2), 16));
    }
    case 'base64':
    case 'base64url':
      return unbase64(s);
    case 'ascii':
    case 'latin1':
      return Uint8Array.from({ length: s.length }, (_, n) => s.charCodeAt(n) & 0xff);
    case 'utf16le':
      return Uint8Array.from({ length: 2 * s.length }, (_, n) => (s.charCodeAt(n >> 1) >> (n & 1 ? 8 : 0)) & 0xff);
    default:
      return utf8(s);
  }
};
const decode = (bytes, encoding) => {
  switch (encodingName(encoding)) {
    case 'hex':
      return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
    case 'base64':
      return base64(bytes);
    case 'base64url':
      return base64(bytes, true);
    case 'ascii':
      return binary(bytes, 0x7f);
    case 'latin1':
      return binary(bytes);
    case 'utf16le':
      return Array.from({ length: bytes.length >> 1 }, (_, n) => String.fromCharCode(bytes[2 * n] | (bytes[2 * n + 1] << 8))).join('');
    default:
      return text(bytes);
  }
};

const asBuffer = (array) => Object.setPrototypeOf(array, Buffer.prototype);
const bytesOf = (value, encoding) => (typeof value === 'string' ? encode(value, encoding) : value);

// Old code calls Buffer without new.
function Buffer(value, encoding, length) {
  return typeof value === 'number' ? Buffer.alloc(value) : Buffer.from(value, encoding, length);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Object.setPrototypeOf(Buffer.prototype, Uint8Array.prototype);
const statics = {
  from(value, encoding, length) {
    if (typeof value === 'string') return asBuffer(encode(value, encoding));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return asBuffer(new Uint8Array(value, encoding, length));
    if (value?.type === 'Buffer' && Array.isArray(value.data)) return asBuffer(Uint8Array.from(value.data));
    if (value !== null && typeof value === 'object') return asBuffer(Uint8Array.from(value.length === undefined ? value.valueOf() : value, (b) => b & 0xff));
    throw Object.assign(new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.'), { code: 'ERR_INVALID_ARG_TYPE' });
  },
  alloc(size, fill, encoding) {
    const made = asBuffer(new Uint8Array(size));
    return fill === undefined || fill === 0 ? made : made.fill(fill, 0, size, encoding);
  },
  allocUnsafe: (size) => asBuffer(new Uint8Array(size)),
  allocUnsafeSlow: (size) => asBuffer(new Uint8Array(size)),
  isBuffer: (value) => value instanceof Buffer,
  isEncoding(name) {
    try {
      return typeof name === 'string' && Boolean(encodingName(name));
    } catch {
      return false;
    }
  },
  byteLength: (value, encoding) => (typeof value === 'string' ? encode(value, encoding).length : value.byteLength),
  concat(list, total) {
    total ??= list.reduce((sum, b) => sum + b.length, 0);
    const made = Buffer.alloc(total);
    let at = 0;
    for (const b of list) {
      made.set(at + b.length > total ? b.subarray(0, total - at) : b, at);
      at += b.length;
      if (at >= total) break;
    }
    return made;
  },
  compare(a, b) {
    for (let n = 0; n < Math.min(a.length, b.length); n++) if (a[n] !== b[n]) return a[n] < b[n] ? -1 : 1;
    return Math.sign(a.length - b.length);
  },
  poolSize: 8192,
};
for (const [name, value] of Object.entries(statics)) hide(Buffer, name, value);

const view = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength);
const methods = {
  toString(encoding, from = 0, to = this.length) { return decode(this.subarray(Math.max(0, from), Math.min(to, this.length)), encoding); },
  toLocaleString(encoding) { return this.toString(encoding); },
  toJSON() { return { type: 'Buffer', data: Array.from(this) }; },
  equals(that) { return Buffer.compare(this, that) === 0; },
  compare(that) { return Buffer.compare(this, that); },
  write(value, at = 0, length = this.length - at, encoding = 'utf8') {
    if (typeof at === 'string') [at, length, encoding] = [0, this.length, at];
    if (typeof length === 'string') [length, encoding] = [this.length - at, length];
    const bytes = encode(value, encoding).subarray(0, Math.min(length, this.length - at));
    this.set(bytes, at);
    return bytes.length;
  },
  copy(to, at = 0, from = 0, end = this.length) {
    const bytes = this.subarray(from, Math.min(end, from + to.length - at));
    Uint8Array.prototype.set.call(to, bytes, at);
    return bytes.length;
  },
  slice(from, to) { return this.subarray(from, to); },
  subarray(from, to) { return asBuffer(Uint8Array.prototype.subarray.call(this, from, to)); },
  fill(value, from = 0, to = this.length, encoding = 'utf8') {
    if (typeof from === 'string') [from, to, encoding] = [0, this.length, from];
    if (typeof value === 'number') return Uint8Array.prototype.fill.call(this, value & 0xff, from, to);
    const bytes = bytesOf(value, encoding);
    for (let n = from; n < to; n++) this[n] = bytes.length > 0 ? bytes[(n - from) % bytes.length] : 0;
    return this;
  },
  indexOf(value, from = 0, encoding = 'utf8') {
    if (typeof value === 'number') return Uint8Array.prototype.indexOf.call(this, value & 0xff, from);
    const bytes = bytesOf(value, encoding);
    for (let n = from < 0 ? Math.max(0, this.length + from) : from; n + bytes.length <= this.length; n++) {
      if (bytes.every((b, k) => this[n + k] === b)) return n;
    }
    return -1;
  },
  includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; },
  [inspectCustom]() {
    const most = 50;
    const shown = Array.from(this.subarray(0, most), (b) => b.toString(16).padStart(2, '0')).join(' ');
    return `<Buffer${shown ? ` ${shown}` : ''}${this.length > most ? ` ... ${this.length - most} more byte${this.length > most + 1 ? 's' : ''}` : ''}>`;
  },
};
for (const [name, method, size] of [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4],
  ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]]) {
  for (const end of size === 1 ? [''] : ['LE', 'BE']) {
    const out = () => Object.assign(new RangeError('The value of "offset" is out of range.'), { code: 'ERR_OUT_OF_RANGE' });
    const read = function (at = 0) {
      if (at < 0 || at + size > this.length) throw out();
      return view(this)[`get${method}`](at, end === 'LE');
    };
    const write = function (value, at = 0) {
      if (at < 0 || at + size > this.length) throw out();
      view(this)[`set${method}`](at, value, end === 'LE');
      return at + size;
    };
    for (const label of new Set([name, name.replace('UInt', 'Uint')])) {
      methods[`read${label}${end}`] = read;
      methods[`write${label}${end}`] = write;
    }
  }
}
for (const key of Reflect.ownKeys(methods)) hide(Buffer.prototype, key, methods[key]);

class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(value = '') { return utf8(String(value)); }
  encodeInto(value, into) {
    const bytes = utf8(value).subarray(0, into.length);
    into.set(bytes);
    return { read: value.length, written: bytes.length };
  }
}
class TextDecoder {
  constructor(encoding = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    Object.assign(this, { encoding: String(encoding).toLowerCase().replace(/^utf8$/, 'utf-8'), fatal, ignoreBOM });
  }

  decode(value = new Uint8Array()) {
    const bytes = ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);
    if (/utf-?16/.test(this.encoding)) return decode(bytes, 'utf16le');
    if (/latin1|ascii|8859|1252/.test(this.encoding)) return decode(bytes, 'latin1');
    const made = text(bytes, this.fatal);
    return this.ignoreBOM ? made : made.replace(/^\uFEFF/, '');
  }
}

module.exports = { Buffer, TextEncoder, TextDecoder, utf8, text, constants: { MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 2 ** 29 } };
