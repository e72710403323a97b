'use strict';
// URL and URLSearchParams, for the common schemes.

const ports = { 'http:': '80', 'https:': '443', 'ftp:': '21', 'ws:': '80', 'wss:': '443', 'file:': '' };
const invalid = (input) => Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input });
const escape = (text, keep) => encodeURI(text).replace(/%25([0-9a-f]{2})/gi, '%$1').replace(keep ?? /(?!)/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const form = (text) => encodeURIComponent(text.toWellFormed()).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const unform = (text) => {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
};

class URLSearchParams {
  #list = [];
  #changed = () => {};
  constructor(init = '') {
    if (typeof init === 'string') {
      for (const pair of init.replace(/^\?/, '').split('&')) {
        if (pair === '') continue;
        const at = pair.indexOf('=');
        this.#list.push(at < 0 ? [unform(pair), ''] : [unform(pair.slice(0, at)), unform(pair.slice(at + 1))]);
      }
    } else if (init !== null && typeof init[Symbol.iterator] === 'function') {
      for (const [k, v] of init) this.#list.push([String(k), String(v)]);
    } else {
      for (const [k, v] of Object.entries(init ?? {})) this.#list.push([k, String(v)]);
    }
  }

  static bind(params, changed) { params.#changed = changed; }
  get size() { return this.#list.length; }
  append(k, v) { this.#list.push([String(k), String(v)]); this.#changed(); }
  delete(k, v) { this.#list = this.#list.filter(([a, b]) => a !== k || (v !== undefined && b !== v)); this.#changed(); }
  get(k) { return this.#list.find(([a]) => a === String(k))?.[1] ?? null; }
  getAll(k) { return this.#list.filter(([a]) => a === String(k)).map(([, v]) => v); }
  has(k, v) { return this.#list.some(([a, b]) => a === String(k) && (v === undefined || b === String(v))); }
  set(k, v) {
    const at = this.#list.findIndex(([a]) => a === k);
    if (at < 0) this.#list.push([String(k), String(v)]);
    else {
      this.#list[at][1] = String(v);
      this.#list = this.#list.filter(([a], n) => a !== k || n === at);
    }
    this.#changed();
  }

  sort() { this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
  forEach(run, self) { for (const [k, v] of this) run.call(self, v, k, this); }
  *entries() { for (const [k, v] of this.#list) yield [k, v]; }
  *keys() { for (const [k] of this.#list) yield k; }
  *values() { for (const [, v] of this.#list) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#list.map(([k, v]) => `${form(k)}=${form(v)}`).join('&'); }
  [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
    return `URLSearchParams {${this.#list.length > 0 ? ` ${this.#list.map(([k, v]) => `${inspect(k)} => ${inspect(v)}`).join(', ')} ` : ''}}`;
  }
}

class URL {
  #p;
  #params;
  constructor(input, base) {
    input = String(input).trim();
    let m = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(input);
    if (!m) {
      if (base === undefined) throw invalid(input);
      const b = new URL(base);
      const [, rest, query, hash] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(input);
      if (rest.startsWith('//')) return new URL(b.protocol + input);
      if (b.origin === 'null' && b.protocol !== 'file:') throw invalid(input);
      const dir = b.pathname.slice(0, b.pathname.lastIndexOf('/') + 1);
      const pathname = rest === '' ? b.pathname : rest.startsWith('/') ? rest : dir + rest;
      const search = rest === '' && query === undefined ? b.search : query ?? '';
      const login = b.username ? `${b.username}${b.password ? `:${b.password}` : ''}@` : '';
      m = [null, b.protocol.slice(0, -1), `//${login}${b.host}${pathname}${search}${hash ?? ''}`];
    }
    const protocol = `${m[1].toLowerCase()}:`;
    const special = Object.hasOwn(ports, protocol);
    const rest = special ? m[2].replace(/^[/\\]*/, '//').replace(/\\/g, '/') : m[2];
    const parts = /^(?:\/\/(?:([^@/?#]*)@)?([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(protocol === 'file:' ? m[2].replace(/^\/*/, m[2].startsWith('//') && !m[2].startsWith('///') ? '//' : '///') : rest);
    if (!parts) throw invalid(input);
    const [, login = '', place = '', pathname, search = '', hash = ''] = parts;
    const [, hostname, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(place) ?? [];
    if (hostname === undefined || (special && protocol !== 'file:' && hostname === '') || Number(port) > 65535 || /[\s<>^|%]/.test(hostname)) throw invalid(input);
    const [username, password = ''] = login.split(/:(.*)/s);
    this.#p = {
      protocol, username, password, hostname: special ? hostname.toLowerCase() : hostname, port: port === ports[protocol] ? '' : port,
      pathname: special || place || pathname.startsWith('/') ? URL.#path(pathname) : pathname,
      search: search === '?' ? '' : escape(search, /'/g), hash: hash === '#' ? '' : escape(hash),
      opaque: !special && !m[2].startsWith('//'),
    };
    this.#params = new URLSearchParams(this.#p.search);
    URLSearchParams.bind(this.#params, () => {
      const text = this.#params.toString();
      this.#p.search = text ? `?${text}` : '';
    });
  }

  static #path(name) {
    const out = [];
    const parts = name.split('/').slice(1);
    parts.forEach((part, n) => {
      const last = n === parts.length - 1;
      if (/^(?:\.\.|%2e%2e)$/i.test(part)) {
        out.pop();
        if (last) out.push('');
      } else if (/^(?:\.|%2e)$/i.test(part)) {
        if (last) out.push('');
      } else out.push(part);
    });
    return escape(`/${out.join('/')}`, /[{}]/g);
  }

  static canParse(input, base) {
    try {
      return Boolean(new URL(input, base));
    } catch {
      return false;
    }
  }

  static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }
  get searchParams() { return this.#params; }
  get host() { return this.#p.hostname + (this.#p.port ? `:${this.#p.port}` : ''); }
  set host(value) { [this.#p.hostname, this.#p.port = ''] = String(value).split(':'); }
  get origin() { return Object.hasOwn(ports, this.#p.protocol) && this.#p.protocol !== 'file:' ? `${this.#p.protocol}//${this.host}` : 'null'; }
  get href() {
    const { protocol, username, password, pathname, search, hash, opaque } = this.#p;
    const login = username ? `${username}${password ? `:${password}` : ''}@` : '';
    return `${protocol}${opaque ? '' : `//${login}${this.host}`}${pathname}${search}${hash}`;
  }

  set href(value) { this.#p = new URL(value).#p; }
  toString() { return this.href; }
  toJSON() { return this.href; }
  static {
    for (const key of ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash']) {
      Object.defineProperty(URL.prototype, key, {
        enumerable: true,
        configurable: true,
        get() { return this.#p[key]; },
        set(value) {
          value = String(value);
          if (key === 'protocol') value = `${value.replace(/:.*$/s, '').toLowerCase()}:`;
          if (key === 'search' && value && !value.startsWith('?')) value = `?${value}`;
          if (key === 'hash' && value && !value.startsWith('#')) value = `#${value}`;
          if (key === 'port' && value === ports[this.#p.protocol]) value = '';
          this.#p[key] = key === 'pathname' ? URL.#path(value.startsWith('/') ? value : `/${value}`) : value;
          if (key === 'search') {
            this.#params = new URLSearchParams(value);
            URLSearchParams.bind(this.#params, () => {
              const text = this.#params.toString();
              this.#p.search = text ? `?${text}` : '';
            });
          }
        },
      });
    }
  }

  [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
    const { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash } = this;
    return `URL ${inspect({ href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash }, options)}`;
  }
}

const fileURLToPath = (url) => {
  url = typeof url === 'string' ? new URL(url) : url;
  if (url.protocol !== 'file:') throw Object.assign(new TypeError('The URL must be of scheme file'), { code: 'ERR_INVALID_URL_SCHEME' });
  return decodeURIComponent(url.pathname);
};
const pathToFileURL = (name) => new URL(`file://${part('path').resolve(name).replace(/[%?#\\\n\r\t]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}`);
const parse = (text, query = false) => {
  const m = /^([a-z][a-z0-9+.-]*:)?(\/\/)?(?:([^@/?#]*)@)?([^/?#:]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(text);
  const bare = !m[2];
  const hostname = bare ? null : m[4];
  const search = m[7] ?? null;
  return {
    protocol: m[1] ?? null, slashes: bare ? null : true, auth: m[3] ?? null, host: bare ? null : hostname + (m[5] ? `:${m[5]}` : ''), port: m[5] ?? null, hostname,
    hash: m[8] ?? null, search, query: query ? Object.fromEntries(new URLSearchParams(search ?? '')) : search?.slice(1) ?? null,
    pathname: (bare ? m[4] : '') + m[6] || (bare ? null : '/'), path: ((bare ? m[4] : '') + m[6] || (bare ? '' : '/')) + (search ?? '') || null, href: text,
  };
};
const querystring = {
  parse(text) {
    const out = Object.create(null);
    for (const [k, v] of new URLSearchParams(text)) out[k] = k in out ? [].concat(out[k], v) : v;
    return out;
  },
  stringify: (object) => Object.entries(object ?? {}).flatMap(([k, v]) => [].concat(v).map((x) => `${encodeURIComponent(k)}=${encodeURIComponent(x)}`)).join('&'),
  escape: encodeURIComponent,
  unescape: decodeURIComponent,
};

module.exports = { URL, URLSearchParams, url: { URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format: (u) => u.href ?? String(u), resolve: (a, b) => new URL(b, a).href }, querystring };
