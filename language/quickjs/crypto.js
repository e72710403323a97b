'use strict';
// node:crypto: random values, and the common digests.

const { Buffer } = part('buffer');
const { os } = host;

function random(bytes) {
  const fd = os.open('/dev/urandom', os.O_RDONLY);
  for (let at = 0; at < bytes.byteLength;) at += os.read(fd, bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at);
  os.close(fd);
  return bytes;
}
const randomUUID = () => {
  const b = random(new Uint8Array(16));
  b[6] = (b[6] & 0x0f) | 0x40;
  b[8] = (b[8] & 0x3f) | 0x80;
  return Buffer.from(b).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
function randomInt(least, most, done) {
  if (most === undefined || typeof most === 'function') [least, most, done] = [0, least, most];
  const range = most - least;
  if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || range <= 0 || range > 2 ** 48) {
    throw Object.assign(new RangeError(`The value of "max" is out of range. It must be greater than the value of "min" (${least}). Received ${most}`), { code: 'ERR_OUT_OF_RANGE' });
  }
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const b = random(new Uint8Array(6));
    const n = b.reduce((sum, v) => sum * 256 + v, 0);
    if (n >= limit) continue;
    const value = least + (n % range);
    if (done) setImmediate(() => done(null, value));
    return done ? undefined : value;
  }
}

// padded is a message as blocks: a bit, zeros, and the length in bits.
function padded(bytes, block, little) {
  const tail = block / 8;
  const size = Math.ceil((bytes.length + 1 + tail) / block) * block;
  const out = new Uint8Array(size);
  out.set(bytes);
  out[bytes.length] = 0x80;
  new DataView(out.buffer).setBigUint64(little ? size - tail : size - 8, BigInt(bytes.length) * 8n, little);
  return new DataView(out.buffer);
}
const left = (x, n) => (x << n) | (x >>> (32 - n));
const right = (x, n) => (x >>> n) | (x << (32 - n));

function md5(bytes) {
  const shifts = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
  const k = Array.from({ length: 64 }, (_, n) => Math.floor(Math.abs(Math.sin(n + 1)) * 2 ** 32) | 0);
  const h = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  const data = padded(bytes, 64, true);
  for (let at = 0; at < data.byteLength; at += 64) {
    let [a, b, c, d] = h;
    for (let n = 0; n < 64; n++) {
      const round = n >> 4;
      const f = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round];
      const g = [n, 5 * n + 1, 3 * n + 5, 7 * n][round] % 16;
      const next = (b + left((a + f + k[n] + data.getInt32(at + 4 * g, true)) | 0, shifts[round][n % 4])) | 0;
      [a, b, c, d] = [d, next, b, c];
    }
    [a, b, c, d].forEach((v, n) => (h[n] = (h[n] + v) | 0));
  }
  const out = Buffer.alloc(16);
  h.forEach((v, n) => out.writeInt32LE(v, 4 * n));
  return out;
}

function sha1(bytes) {
  const h = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0];
  const data = padded(bytes, 64, false);
  const w = new Int32Array(80);
  for (let at = 0; at < data.byteLength; at += 64) {
    for (let n = 0; n < 80; n++) w[n] = n < 16 ? data.getInt32(at + 4 * n) : left(w[n - 3] ^ w[n - 8] ^ w[n - 14] ^ w[n - 16], 1);
    let [a, b, c, d, e] = h;
    for (let n = 0; n < 80; n++) {
      const f = n < 20 ? (b & c) | (~b & d) : n < 40 || n >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
      const k = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][Math.floor(n / 20)];
      [a, b, c, d, e] = [(left(a, 5) + f + e + k + w[n]) | 0, a, left(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((v, n) => (h[n] = (h[n] + v) | 0));
  }
  const out = Buffer.alloc(20);
  h.forEach((v, n) => out.writeInt32BE(v, 4 * n));
  return out;
}

const primes = (count) => {
  const out = [];
  for (let n = 2; out.length < count; n++) if (out.every((p) => n % p !== 0)) out.push(n);
  return out;
};
// fraction is the first bits of a root's fraction, exactly.
const fraction = (n, root, bits) => {
  const wanted = BigInt(n) << BigInt(bits * root);
  let low = 0n;
  let high = 1n << BigInt(bits + 5);
  while (low < high) {
    const mid = (low + high + 1n) / 2n;
    if (mid ** BigInt(root) <= wanted) low = mid;
    else high = mid - 1n;
  }
  return low & ((1n << BigInt(bits)) - 1n);
};
const constants = new Map();
const once = (key, make) => {
  if (!constants.has(key)) constants.set(key, make());
  return constants.get(key);
};

function sha256(bytes) {
  const k = once('k256', () => primes(64).map((p) => Number(fraction(p, 3, 32)) | 0));
  const h = once('h256', () => primes(8).map((p) => Number(fraction(p, 2, 32)) | 0)).slice();
  const data = padded(bytes, 64, false);
  const w = new Int32Array(64);
  for (let at = 0; at < data.byteLength; at += 64) {
    for (let n = 0; n < 64; n++) {
      w[n] = n < 16 ? data.getInt32(at + 4 * n)
        : (w[n - 16] + (right(w[n - 15], 7) ^ right(w[n - 15], 18) ^ (w[n - 15] >>> 3)) + w[n - 7] + (right(w[n - 2], 17) ^ right(w[n - 2], 19) ^ (w[n - 2] >>> 10))) | 0;
    }
    let [a, b, c, d, e, f, g, i] = h;
    for (let n = 0; n < 64; n++) {
      const t = (i + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + k[n] + w[n]) | 0;
      const u = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, i] = [(t + u) | 0, a, b, c, (d + t) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, i].forEach((v, n) => (h[n] = (h[n] + v) | 0));
  }
  const out = Buffer.alloc(32);
  h.forEach((v, n) => out.writeInt32BE(v, 4 * n));
  return out;
}

function sha512(bytes) {
  const mask = (1n << 64n) - 1n;
  const turn = (x, n) => ((x >> BigInt(n)) | (x << BigInt(64 - n))) & mask;
  const k = once('k512', () => primes(80).map((p) => fraction(p, 3, 64)));
  const h = once('h512', () => primes(8).map((p) => fraction(p, 2, 64))).slice();
  const data = padded(bytes, 128, false);
  for (let at = 0; at < data.byteLength; at += 128) {
    const w = [];
    for (let n = 0; n < 80; n++) {
      w.push(n < 16 ? data.getBigUint64(at + 8 * n)
        : (w[n - 16] + (turn(w[n - 15], 1) ^ turn(w[n - 15], 8) ^ (w[n - 15] >> 7n)) + w[n - 7] + (turn(w[n - 2], 19) ^ turn(w[n - 2], 61) ^ (w[n - 2] >> 6n))) & mask);
    }
    let [a, b, c, d, e, f, g, i] = h;
    for (let n = 0; n < 80; n++) {
      const t = i + (turn(e, 14) ^ turn(e, 18) ^ turn(e, 41)) + ((e & f) ^ (~e & mask & g)) + k[n] + w[n];
      const u = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, i] = [(t + u) & mask, a, b, c, (d + t) & mask, e, f, g];
    }
    [a, b, c, d, e, f, g, i].forEach((v, n) => (h[n] = (h[n] + v) & mask));
  }
  const out = Buffer.alloc(64);
  h.forEach((v, n) => out.writeBigUInt64BE(v, 8 * n));
  return out;
}

const digests = { md5: [md5, 64], sha1: [sha1, 64], sha256: [sha256, 64], sha512: [sha512, 128] };
const digestOf = (name) => {
  const found = digests[String(name).toLowerCase().replace('-', '')];
  if (!found) throw Object.assign(new Error('Digest method not supported'), { code: 'ERR_CRYPTO_INVALID_DIGEST' });
  return found;
};
const bytesOf = (data, encoding) => {
  if (typeof data === 'string') return Buffer.from(data, encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw Object.assign(new TypeError('The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.'), { code: 'ERR_INVALID_ARG_TYPE' });
};
class Hash {
  constructor(name) { [this._run] = digestOf(name); this._parts = []; }
  update(data, encoding) {
    if (!this._parts) throw Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
    this._parts.push(bytesOf(data, encoding));
    return this;
  }

  copy() { return Object.assign(Object.create(Hash.prototype), { _run: this._run, _parts: [...this._parts] }); }
  digest(encoding) {
    if (!this._parts) throw Object.assign(new Error('Digest already called'), { code: 'ERR_CRYPTO_HASH_FINALIZED' });
    const made = this._finish(Buffer.concat(this._parts));
    this._parts = null;
    return encoding && encoding !== 'buffer' ? made.toString(encoding) : made;
  }

  _finish(data) { return this._run(data); }
}
class Hmac extends Hash {
  constructor(name, key) {
    super(name);
    const [run, block] = digestOf(name);
    key = bytesOf(key);
    this._key = Buffer.alloc(block);
    this._key.set(key.length > block ? run(key) : key);
  }

  _finish(data) {
    const with_ = (mask) => Buffer.from(this._key.map((b) => b ^ mask));
    return this._run(Buffer.concat([with_(0x5c), this._run(Buffer.concat([with_(0x36), data]))]));
  }
}

module.exports = {
  webcrypto: {
    getRandomValues(array) {
      random(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    },
    randomUUID,
    subtle: { digest: async (name, data) => new Uint8Array(digestOf(name.name ?? name)[0](new Uint8Array(data.buffer ?? data))).buffer },
  },
  crypto: {
    randomUUID, randomInt,
    randomBytes(size, done) {
      const made = random(Buffer.alloc(size));
      if (done) setImmediate(() => done(null, made));
      return done ? undefined : made;
    },
    randomFillSync: (array) => { random(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)); return array; },
    createHash: (name) => new Hash(name),
    createHmac: (name, key) => new Hmac(name, key),
    hash: (name, data, encoding = 'hex') => new Hash(name).update(data).digest(encoding),
    getHashes: () => Object.keys(digests),
    timingSafeEqual(a, b) {
      if (a.byteLength !== b.byteLength) throw Object.assign(new RangeError('Input buffers must have the same byte length'), { code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' });
      return a.every((v, n) => v === b[n]);
    },
  },
};
module.exports.crypto.webcrypto = module.exports.webcrypto;
