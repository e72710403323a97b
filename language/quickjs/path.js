'use strict';
// node:path, for POSIX.

const normal = (name) => {
  const absolute = name.startsWith('/');
  const out = [];
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') out.push(part);
    else if (out.length > 0 && out.at(-1) !== '..') out.pop();
    else if (!absolute) out.push('..');
  }
  return (absolute ? '/' : '') + out.join('/');
};
const text = (value, name = 'path') => {
  if (typeof value === 'string') return value;
  throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${value === null || value === undefined ? value : `type ${typeof value}`}`), { code: 'ERR_INVALID_ARG_TYPE' });
};
const cwd = () => globalThis.process?.cwd() ?? '/workspace';

const path = {
  sep: '/',
  delimiter: ':',
  normalize(name) {
    if (text(name) === '') return '.';
    const made = normal(name);
    return (made || (name.startsWith('/') ? '/' : '.')) + (made && made !== '/' && name.endsWith('/') ? '/' : '');
  },
  join: (...names) => path.normalize(names.map((n) => text(n)).filter(Boolean).join('/')),
  resolve(...names) {
    let made = '';
    for (let n = names.length - 1; n >= 0 && !made.startsWith('/'); n--) if (text(names[n])) made = made ? `${names[n]}/${made}` : names[n];
    if (!made.startsWith('/')) made = `${cwd()}/${made}`;
    return normal(made) || '/';
  },
  isAbsolute: (name) => text(name).startsWith('/'),
  dirname(name) {
    const trimmed = text(name).replace(/\/+$/, '') || (name.startsWith('/') ? '/' : '');
    const at = trimmed.lastIndexOf('/');
    return at < 0 ? (trimmed === '/' ? '/' : '.') : trimmed.slice(0, at).replace(/\/+$/, '') || '/';
  },
  basename(name, suffix) {
    const base = text(name).replace(/\/+$/, '').split('/').at(-1);
    return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
  },
  extname(name) {
    const base = path.basename(name);
    const at = base.lastIndexOf('.');
    return at <= 0 || base === '..' ? '' : base.slice(at);
  },
  relative(from, to) {
    const a = path.resolve(from).split('/').filter(Boolean);
    const b = path.resolve(to).split('/').filter(Boolean);
    let n = 0;
    while (n < a.length && n < b.length && a[n] === b[n]) n++;
    return [...a.slice(n).map(() => '..'), ...b.slice(n)].join('/');
  },
  parse(name) {
    const base = path.basename(name);
    const ext = path.extname(name);
    const dir = path.dirname(name);
    return { root: name.startsWith('/') ? '/' : '', dir: dir === '.' && !name.startsWith('.') ? '' : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
  },
  format({ dir, root = '', base, name = '', ext = '' }) {
    base ??= name + (ext && !ext.startsWith('.') ? `.${ext}` : ext);
    return dir ? (dir === root ? dir + base : `${dir}/${base}`) : root + base;
  },
  toNamespacedPath: (name) => name,
};
path.posix = path;
path.win32 = path;

module.exports = path;
