'use strict';
// node:fs: files through WASI, the descriptors of the box through /dev/fd.

const { std, os } = host;
const { Buffer, utf8 } = part('buffer');
const path = part('path');

const codes = { 2: 'EACCES', 20: 'EEXIST', 28: 'EINVAL', 29: 'EIO', 31: 'EISDIR', 32: 'ELOOP', 44: 'ENOENT', 54: 'ENOTDIR', 55: 'ENOTEMPTY', 58: 'ENOTSUP', 63: 'EPERM', 69: 'EROFS', 8: 'EBADF', 6: 'EAGAIN', 37: 'ENAMETOOLONG' };
const texts = {
  EACCES: 'permission denied', EEXIST: 'file already exists', EINVAL: 'invalid argument', EIO: 'i/o error', EISDIR: 'illegal operation on a directory',
  ENOENT: 'no such file or directory', ENOTDIR: 'not a directory', ENOTEMPTY: 'directory not empty', EPERM: 'operation not permitted',
  EROFS: 'read-only file system', EBADF: 'bad file descriptor', ELOOP: 'too many symbolic links encountered',
};
function failure(errno, syscall, name, other) {
  const code = codes[errno] ?? 'EIO';
  const where = name === undefined ? '' : ` '${name}'${other === undefined ? '' : ` -> '${other}'`}`;
  const error = new Error(`${code}: ${texts[code] ?? std.strerror(errno)}, ${syscall}${where}`);
  Object.assign(error, { errno: -errno, code, syscall });
  if (name !== undefined) error.path = name;
  if (other !== undefined) error.dest = other;
  return error;
}
const must = (result, syscall, name, other) => {
  if (result < 0) throw failure(-result, syscall, name, other);
  return result;
};
const nameOf = (name) => {
  if (name?.protocol === 'file:') name = decodeURIComponent(name.pathname);
  if (name instanceof Uint8Array) name = Buffer.from(name).toString();
  if (typeof name !== 'string') {
    throw Object.assign(new TypeError(`The "path" argument must be of type string or an instance of Buffer or URL. Received ${name === undefined ? 'undefined' : typeof name}`), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  return path.resolve(name);
};

// Descriptors as Node.js numbers them: below 10 the box's own, which are opened
// by their names when they are first used.
const given = new Map();
const closed = new Set();
const descriptor = (fd) => {
  if (typeof fd !== 'number') throw Object.assign(new TypeError('The "fd" argument must be of type number.'), { code: 'ERR_INVALID_ARG_TYPE' });
  if (fd >= 10) return fd - 10 + firstFree;
  if (closed.has(fd)) throw failure(8, 'read');
  if (!given.has(fd)) {
    const opened = os.open(`/dev/fd/${fd}`, fd === 1 || fd === 2 || fd === 4 || fd === 5 ? os.O_WRONLY : os.O_RDONLY);
    if (opened < 0) throw failure(8, 'open');
    given.set(fd, opened);
  }
  return given.get(fd);
};
const firstFree = 4;

const flagsOf = (flag) => {
  if (typeof flag === 'number') return flag;
  const found = { r: os.O_RDONLY, 'r+': os.O_RDWR, w: os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 'w+': os.O_RDWR | os.O_CREAT | os.O_TRUNC,
    wx: os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_EXCL, a: os.O_WRONLY | os.O_CREAT | os.O_APPEND, 'a+': os.O_RDWR | os.O_CREAT | os.O_APPEND }[flag];
  if (found === undefined) throw new TypeError(`The argument 'flags' is invalid. Received '${flag}'`);
  return found;
};
const bytesOf = (data, encoding) => {
  if (typeof data === 'string') return encoding && !/^utf-?8$/i.test(encoding) ? Buffer.from(data, encoding) : utf8(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw Object.assign(new TypeError('The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.'), { code: 'ERR_INVALID_ARG_TYPE' });
};
const encodingOf = (options) => (typeof options === 'string' ? options : options?.encoding);
const writeAll = (fd, bytes) => {
  for (let at = 0; at < bytes.length;) at += must(os.write(fd, bytes.buffer, bytes.byteOffset + at, bytes.length - at), 'write');
};
const readAll = (fd) => {
  const chunks = [];
  for (;;) {
    const chunk = new Uint8Array(65536);
    const n = must(os.read(fd, chunk.buffer, 0, chunk.length), 'read');
    if (n === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, n));
  }
};

class Stats {
  constructor(s) {
    Object.assign(this, { dev: s.dev, ino: s.ino, mode: s.mode, nlink: s.nlink, uid: 0, gid: 0, size: s.size, atimeMs: s.atime, mtimeMs: s.mtime, ctimeMs: s.ctime, birthtimeMs: s.ctime });
    for (const key of ['atime', 'mtime', 'ctime', 'birthtime']) this[key] = new Date(this[`${key}Ms`]);
  }

  isFile() { return (this.mode & os.S_IFMT) === os.S_IFREG; }
  isDirectory() { return (this.mode & os.S_IFMT) === os.S_IFDIR; }
  isSymbolicLink() { return (this.mode & os.S_IFMT) === os.S_IFLNK; }
  isFIFO() { return false; }
  isSocket() { return false; }
  isCharacterDevice() { return (this.mode & os.S_IFMT) === os.S_IFCHR; }
  isBlockDevice() { return false; }
}
const statOf = (name, options, syscall) => {
  const full = nameOf(name);
  const [found, errno] = os.stat(full);
  if (errno !== 0) {
    if (options?.throwIfNoEntry === false) return undefined;
    throw failure(errno, syscall, name);
  }
  return new Stats(found);
};

const fs = {
  constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, O_RDONLY: os.O_RDONLY, O_WRONLY: os.O_WRONLY, O_RDWR: os.O_RDWR, O_CREAT: os.O_CREAT, O_EXCL: os.O_EXCL, O_TRUNC: os.O_TRUNC, O_APPEND: os.O_APPEND },
  Stats,
  openSync(name, flag = 'r', mode = 0o666) { return must(os.open(nameOf(name), flagsOf(flag), mode), 'open', name) - firstFree + 10; },
  closeSync(fd) {
    if (fd >= 10) return void must(os.close(descriptor(fd)), 'close');
    os.close(descriptor(fd));
    given.delete(fd);
    closed.add(fd);
  },
  readSync(fd, buffer, offset = 0, length, position = null) {
    if (typeof offset === 'object' && offset !== null) ({ offset = 0, length, position = null } = offset);
    length ??= buffer.byteLength - offset;
    const real = descriptor(fd);
    if (typeof position === 'number') os.seek(real, position, std.SEEK_SET);
    return must(os.read(real, buffer.buffer, buffer.byteOffset + offset, length), 'read');
  },
  writeSync(fd, data, ...rest) {
    const real = descriptor(fd);
    if (typeof data === 'string') {
      const bytes = bytesOf(data, rest[1]);
      writeAll(real, bytes);
      return bytes.length;
    }
    const [offset = 0, length = data.byteLength - offset] = rest;
    return must(os.write(real, data.buffer, data.byteOffset + offset, length), 'write');
  },
  readFileSync(name, options) {
    const encoding = encodingOf(options);
    let bytes;
    if (typeof name === 'number') bytes = readAll(descriptor(name));
    else {
      const full = nameOf(name);
      const [found, errno] = os.stat(full);
      if (errno === 0 && (found.mode & os.S_IFMT) === os.S_IFDIR) throw failure(31, 'read');
      const fd = must(os.open(full, os.O_RDONLY), 'open', name);
      try {
        bytes = readAll(fd);
      } finally {
        os.close(fd);
      }
    }
    return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
  },
  writeFileSync(name, data, options) {
    const bytes = bytesOf(data, encodingOf(options));
    if (typeof name === 'number') return writeAll(descriptor(name), bytes);
    const fd = must(os.open(nameOf(name), flagsOf(options?.flag ?? 'w'), options?.mode ?? 0o666), 'open', name);
    try {
      writeAll(fd, bytes);
    } finally {
      os.close(fd);
    }
  },
  appendFileSync(name, data, options) { fs.writeFileSync(name, data, { ...(typeof options === 'string' ? { encoding: options } : options), flag: 'a' }); },
  existsSync(name) {
    try {
      return os.stat(nameOf(name))[1] === 0;
    } catch {
      return false;
    }
  },
  accessSync(name) { statOf(name, undefined, 'access'); },
  statSync: (name, options) => statOf(name, options, 'stat'),
  lstatSync: (name, options) => statOf(name, options, 'lstat'),
  fstatSync(fd) {
    descriptor(fd);
    return new Stats({ dev: 0, ino: 0, mode: fd < 10 ? os.S_IFIFO : os.S_IFREG, nlink: 1, size: 0, atime: 0, mtime: 0, ctime: 0 });
  },
  readdirSync(name, options) {
    const [names, errno] = os.readdir(nameOf(name));
    if (errno !== 0) throw failure(errno, 'scandir', name);
    const list = names.filter((n) => n !== '.' && n !== '..').sort();
    const out = [];
    for (const entry of list) {
      const full = path.join(String(name), entry);
      const stats = options?.withFileTypes || options?.recursive ? fs.statSync(full, { throwIfNoEntry: false }) : undefined;
      out.push(options?.withFileTypes ? Object.assign(Object.create(Stats.prototype), { name: entry, path: String(name), parentPath: String(name), mode: stats?.mode ?? 0 }) : entry);
      if (options?.recursive && stats?.isDirectory()) {
        for (const inner of fs.readdirSync(full, options)) out.push(typeof inner === 'string' ? path.join(entry, inner) : inner);
      }
    }
    return out;
  },
  mkdirSync(name, options) {
    if (options?.recursive) {
      const full = nameOf(name);
      let first;
      const parts = full.split('/');
      for (let n = 2; n <= parts.length; n++) {
        const dir = parts.slice(0, n).join('/');
        if (fs.existsSync(dir)) {
          if (n === parts.length && !fs.statSync(dir).isDirectory()) throw failure(20, 'mkdir', name);
          continue;
        }
        must(os.mkdir(dir), 'mkdir', name);
        first ??= dir;
      }
      return first;
    }
    must(os.mkdir(nameOf(name)), 'mkdir', name);
    return undefined;
  },
  mkdtempSync(prefix) {
    const name = prefix + Math.random().toString(36).slice(2, 8).padEnd(6, 'x');
    fs.mkdirSync(name);
    return name;
  },
  unlinkSync(name) {
    if (statOf(name, undefined, 'unlink').isDirectory()) throw failure(63, 'unlink', name);
    must(os.remove(nameOf(name)), 'unlink', name);
  },
  rmdirSync(name) {
    if (!statOf(name, undefined, 'rmdir').isDirectory()) throw failure(54, 'rmdir', name);
    must(os.remove(nameOf(name)), 'rmdir', name);
  },
  rmSync(name, options = {}) {
    const found = fs.statSync(name, { throwIfNoEntry: false });
    if (!found) {
      if (options.force) return;
      throw failure(44, 'rm', name);
    }
    if (found.isDirectory()) {
      if (!options.recursive) throw Object.assign(new Error(`Path is a directory: rm returned EISDIR (is a directory) ${name}`), { code: 'ERR_FS_EISDIR' });
      for (const entry of fs.readdirSync(name)) fs.rmSync(path.join(String(name), entry), options);
    }
    must(os.remove(nameOf(name)), 'rm', name);
  },
  renameSync(from, to) { must(os.rename(nameOf(from), nameOf(to)), 'rename', from, to); },
  copyFileSync(from, to) { fs.writeFileSync(to, fs.readFileSync(from)); },
  truncateSync(name, length = 0) { fs.writeFileSync(name, Buffer.concat([fs.readFileSync(name), Buffer.alloc(length)], length)); },
  utimesSync(name, atime, mtime) { must(os.utimes(nameOf(name), Number(atime) * 1000, Number(mtime) * 1000), 'utimes', name); },
  chmodSync() {},
  realpathSync: (name) => {
    statOf(name, undefined, 'realpath');
    return nameOf(name);
  },
};
fs.realpathSync.native = fs.realpathSync;

// With a callback, and as promises.
fs.promises = { constants: fs.constants };
for (const key of Object.keys(fs)) {
  if (!key.endsWith('Sync')) continue;
  const name = key.slice(0, -4);
  const run = fs[key];
  fs.promises[name] = async (...args) => run(...args);
  fs[name] = (...args) => {
    const done = args.pop();
    if (typeof done !== 'function') throw Object.assign(new TypeError('The "cb" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
    let result;
    let error = null;
    try {
      result = run(...args);
    } catch (e) {
      error = e;
    }
    part('loop').nextTick(() => (name === 'exists' ? done(result) : error ? done(error) : done(null, result)));
  };
}

const lines = new Map();
// sourceLine returns a line of a file, for the report of an error.
const sourceLine = (name, line) => {
  if (!lines.has(name)) lines.set(name, host.loadFile(name)?.split('\n') ?? null);
  return lines.get(name)?.[line - 1];
};

module.exports = { fs, sourceLine };
