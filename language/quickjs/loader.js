'use strict';
// Loads the files of a program: CommonJS by itself, ES modules through the
// engine, which is given copies whose imports name what the loader found.
//
// What the engine reads lies for a moment in /tmp/.node: it has no other way to
// be told the name of a file.

const { std } = host;
const language = part('language');
const { shifted, wrapper, hide } = language;
const { fs } = part('files');
const path = part('path');
const { builtin, names } = part('builtin');
const { scan, replace } = part('lexer');
const { SourceMap, noteMap } = part('maps');
const { loadScript, evalScript } = std;

const strip = (text) => text.replace(/^\uFEFF/, '').replace(/^#!/, '//');
const room = '/tmp/.node';
let copies = 0;

// copy writes what the engine is to read as the file named, and returns where.
function copy(name, text) {
  const place = `${room}/${++copies}${name}`;
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, text);
  return place;
}
// load imports a copy, and removes all of them when no module is being loaded
// any more: nothing of them is the program's.
let loads = 0;
async function load(place) {
  loads++;
  try {
    return await nativeImport(place);
  } finally {
    if (--loads === 0) fs.rmSync(room, { recursive: true, force: true });
  }
}

// script evaluates a text as a script that has a file's name.
function script(name, text) {
  const place = copy(name, text);
  try {
    return loadScript(place);
  } finally {
    fs.rmSync(loads > 0 ? place : room, { recursive: true, force: true });
  }
}

const nativeImport = evalScript('(specifier) => import(specifier)');

// inScript is a script whose import() is ours.
const inScript = (text) => (/\bimport\b/.test(text)
  ? replace(text, scan(text), ({ kind }) => (kind === 'dynamic' ? '$import' : undefined)) : text);

// Syntax.

const moduleOnly = 'Cannot use import statement outside a module';

// complaint is a syntax error as V8 tells it: with the place as the head of its
// stack.
function complaint(error, name, text, at) {
  const [line, column] = at;
  const source = text.split('\n')[line - 1] ?? '';
  // The engine says where the statement, or the token before, began.
  const token = /'([^']+)'/.exec(error.message)?.[1];
  const found = token ? source.indexOf(token, Math.max(0, column - 1)) : -1;
  const mark = found >= 0 ? found : Math.max(0, Math.min(column - 1, source.length));
  const made = new SyntaxError(error.message);
  hide(made, 'stack', `${name}:${line}\n${source}\n${source.slice(0, mark).replace(/[^\t]/g, ' ')}^\n\nSyntaxError: ${error.message}`);
  return made;
}
const placeOf = (error) => {
  const [, line, column] = language.syntaxPlace(error) ?? [];
  return [line ?? 1, column ?? 1];
};

// compile makes a function of a script's text.
function compile(name, text, parameters = ['exports', 'require', 'module', '__filename', '__dirname']) {
  const usual = parameters.length === 5;
  const head = usual ? wrapper : `(function (${parameters.join(', ')}, $import, $meta) {`;
  if (usual) shifted.add(name);
  try {
    return script(name, `${head}${inScript(text)}\n})`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    let [line, column] = placeOf(error);
    if (line === 1) column = Math.max(1, column - head.length);
    if (isModule(text)) {
      throw Object.assign(complaint(new SyntaxError(moduleOnly), name, text, [line, column]), { outside: true });
    }
    const lines = text.split('\n');
    if (line > lines.length) [line, column] = [lines.length, lines.at(-1).length + 1];
    throw complaint(error, name, text, [line, column]);
  }
}

// isModule tells whether a text that is no script is a module.
function isModule(text) {
  if (scan(text).some(({ kind }) => kind === 'from' || kind === 'export' || kind === 'meta')) return true;
  return /\bawait\b/.test(text) && checkModule('', text) === null;
}

// checkModule has the engine read a module; it returns what is wrong, or null.
function checkModule(name, text) {
  const blind = replace(text, scan(text), ({ kind, start, end }) => (kind === 'from' ? JSON.stringify('\u0000').padEnd(end - start) : undefined));
  try {
    evalScript(blind, { compile_only: true, compile_module: true });
  } catch (error) {
    // A name that cannot be found is none of the text's faults.
    if (error instanceof SyntaxError && language.syntaxPlace(error)?.[0] === '<evalScript>') return complaint(error, name, text, placeOf(error));
  }
  return null;
}

// kindOf tells what a file is.
function kindOf(name, text) {
  const ext = path.extname(name);
  if (ext === '.json') return 'json';
  if (ext === '.mjs') return 'module';
  if (ext === '.cjs') return 'commonjs';
  return scan(text).some(({ kind }) => kind === 'from' || kind === 'export' || kind === 'meta') || (/\bawait\b/.test(text) && !parses(name, text)) ? 'module' : 'commonjs';
}
function parses(name, text) {
  try {
    compile(name, text);
    return true;
  } catch (error) {
    return !error.outside;
  }
}

// CommonJS.

const cache = Object.create(null);

class Module {
  constructor(id, parent) {
    Object.assign(this, { id, path: path.dirname(id), exports: {}, filename: id, loaded: false, children: [], paths: Module._nodeModulePaths(path.dirname(id)) });
    hide(this, 'parent', parent);
  }

  require(specifier) { return Module._load(specifier, this, false); }

  static _nodeModulePaths(dir) {
    const out = [];
    for (let at = dir; ; at = path.dirname(at)) {
      out.push(path.join(at, 'node_modules'));
      if (at === '/' || at === '.') return out;
    }
  }

  static _resolveFilename(specifier, parent) { return resolve(specifier, parent?.filename ?? '/workspace/.'); }

  static _load(specifier, parent, isMain) {
    const known = builtin(specifier);
    if (known !== undefined) return known;
    const name = specifier.startsWith('/') && fs.existsSync(specifier) && fs.statSync(specifier).isFile() ? specifier : Module._resolveFilename(specifier, parent);
    const found = cache[name];
    if (found) return found.exports;
    const text = strip(fs.readFileSync(name, 'utf8'));
    const kind = kindOf(name, text);
    if (kind === 'module') {
      throw Object.assign(new Error(`require() of ES Module ${name}${parent ? ` from ${parent.filename}` : ''} not supported.`), { code: 'ERR_REQUIRE_ESM' });
    }
    const module = new Module(name, parent);
    if (isMain) module.id = '.';
    cache[name] = module;
    if (isMain) globalThis.process.mainModule = main = module;
    parent?.children.push(module);
    try {
      if (kind === 'json') module.exports = parseJSON(name, text);
      else {
        noteMap(name, text);
        compile(name, text).call(module.exports, module.exports, requireOf(module), module, name, path.dirname(name), importFrom(name), undefined);
      }
    } catch (error) {
      delete cache[name];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  static createRequire(name) {
    if (String(name).startsWith('file:')) name = part('url').url.fileURLToPath(name);
    const module = new Module(name);
    return requireOf(module);
  }

  static isBuiltin(name) { return builtin(name) !== undefined; }
}
let main;
Object.assign(Module, { Module, _cache: cache, builtinModules: names, SourceMap, _extensions: { '.js': true, '.json': true, '.node': true }, syncBuiltinESMExports() {}, findSourceMap() {} });

const parseJSON = (name, text) => {
  try {
    return JSON.parse(text);
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  }
};

function requireOf(module) {
  const require = (specifier) => {
    if (typeof specifier !== 'string') throw Object.assign(new TypeError('The "id" argument must be of type string.'), { code: 'ERR_INVALID_ARG_TYPE' });
    return Module._load(specifier, module, false);
  };
  require.resolve = (specifier) => (builtin(specifier) !== undefined ? specifier : Module._resolveFilename(specifier, module));
  require.main = main;
  require.cache = cache;
  require.extensions = Module._extensions;
  return require;
}

const isFile = (name) => fs.statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
const asFile = (name) => [name, `${name}.js`, `${name}.json`, `${name}.cjs`, `${name}.mjs`].find(isFile);
function asDirectory(name) {
  try {
    const { main: start, exports } = JSON.parse(fs.readFileSync(`${name}/package.json`, 'utf8'));
    const first = (e) => (typeof e === 'string' ? e : e && typeof e === 'object' ? first(e['.'] ?? e.require ?? e.default ?? e.import) : undefined);
    const wanted = first(exports) ?? start;
    if (wanted) {
      const full = path.join(name, wanted);
      const found = asFile(full) ?? asFile(path.join(full, 'index'));
      if (found) return found;
    }
  } catch { /* it has none that says something */ }
  return asFile(path.join(name, 'index'));
}

// resolve finds the file that a specifier means.
function resolve(specifier, from) {
  let found;
  if (/^\.{0,2}\/|^\.{1,2}$/.test(specifier)) {
    const full = path.resolve(path.dirname(from), specifier);
    found = (specifier.endsWith('/') ? undefined : asFile(full)) ?? asDirectory(full);
  } else {
    for (const dir of Module._nodeModulePaths(path.dirname(from))) {
      const full = path.join(dir, specifier);
      found = asFile(full) ?? asDirectory(full);
      if (found) break;
    }
  }
  if (found) return found;
  const error = new Error(`Cannot find module '${specifier}'\nRequire stack:\n- ${from}`);
  throw Object.assign(error, { code: 'MODULE_NOT_FOUND', requireStack: [from] });
}

// ES modules.

const modules = new Map(); // what a copy says of itself: number → values
hide(globalThis, Symbol.for('glovebox.modules'), modules);
const made = new Map(); // file or built-in → the copy that the engine reads
let count = 0;

const isName = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

// synthetic makes a module of values, and returns its copy.
function synthetic(label, values) {
  const n = ++count;
  modules.set(n, values);
  const names = Object.keys(values).filter((k) => isName.test(k) && k !== 'default');
  const text = `const v = globalThis[Symbol.for('glovebox.modules')].get(${n});\nexport default v.default;\n`
    + names.map((k, at) => `const v${at} = v[${JSON.stringify(k)}];`).join('')
    + (names.length > 0 ? `\nexport { ${names.map((k, at) => `v${at} as ${k}`).join(', ')} };\n` : '');
  return copy(`/glovebox/${label.replace(/[^\w]/g, '_')}.mjs`, text);
}
// valuesOf are the exports of a CommonJS module as an ES module sees them.
const valuesOf = (exports) => {
  const values = { default: exports };
  if (exports !== null && (typeof exports === 'object' || typeof exports === 'function')) {
    for (const key of [...Object.keys(exports), ...(typeof exports === 'function' ? Object.getOwnPropertyNames(exports).filter((k) => !['length', 'name', 'prototype', 'arguments', 'caller'].includes(k)) : [])]) {
      if (key !== 'default') values[key] = exports[key];
    }
  }
  return values;
};

// source writes a module's text for the engine: find tells the copy that an
// import means.
function source(name, text, { find, dynamic, meta }) {
  const n = ++count;
  modules.set(n, { dynamic, meta });
  const places = scan(text);
  const uses = places.some(({ kind }) => kind === 'dynamic' || kind === 'meta');
  const body = replace(text, places, ({ kind, value }) => {
    if (kind === 'from') return JSON.stringify(find(value.replace(/\\(.)/g, '$1')));
    if (kind === 'dynamic') return `$glovebox${n}.dynamic`;
    if (kind === 'meta') return `$glovebox${n}.meta`;
    return undefined;
  });
  return (uses ? `const $glovebox${n} = globalThis[Symbol.for('glovebox.modules')].get(${n});` : '') + body;
}

// instance returns the copy of what a specifier means, and of all it imports.
function instance(specifier, from) {
  const known = builtin(specifier);
  if (known !== undefined) {
    const key = `node:${specifier.replace(/^node:/, '')}`;
    if (!made.has(key)) made.set(key, synthetic(key, valuesOf(known)));
    return made.get(key);
  }
  let name = specifier;
  if (specifier.startsWith('file:')) name = part('url').url.fileURLToPath(specifier);
  else if (!specifier.startsWith('/') || from) {
    name = /^\.{1,2}\/|^\//.test(specifier) ? path.resolve(path.dirname(from), specifier) : resolve(specifier, from);
  }
  if (made.has(name)) return made.get(name);
  if (!isFile(name)) {
    throw Object.assign(new Error(`Cannot find module '${name}' imported from ${from ?? '/workspace/'}`), { code: 'ERR_MODULE_NOT_FOUND' });
  }
  const text = strip(fs.readFileSync(name, 'utf8'));
  const kind = kindOf(name, text);
  if (kind !== 'module') {
    const copied = synthetic(name, valuesOf(Module._load(name, undefined, false)));
    made.set(name, copied);
    return copied;
  }
  const wrong = checkModule(name, text);
  if (wrong) throw wrong;
  noteMap(name, text);
  const place = `${room}/${++copies}${name}`;
  made.set(name, place); // modules may import each other
  const written = source(name, text, {
    find: (s) => instance(s, name),
    dynamic: importFrom(name),
    meta: Object.assign(Object.create(null), { dirname: path.dirname(name), filename: name, resolve: (s) => (builtin(s) !== undefined ? s : part('url').url.pathToFileURL(path.resolve(path.dirname(name), s)).href), url: part('url').url.pathToFileURL(name).href }),
  });
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, written);
  return place;
}

// importFrom is import() in a file.
function importFrom(from) {
  return async (specifier) => {
    loads++; // what is made for it stays until it is read
    let place;
    try {
      place = instance(String(specifier), from);
    } finally {
      loads--;
    }
    return load(place);
  };
}

module.exports = { Module, compile, checkModule, isModule, synthetic, source, copy, load, importFrom, kindOf, strip };
