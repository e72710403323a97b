'use strict';
// Runs tests against a program and reports what came of them. Where the
// program runs is of no concern here: see harness.js and inprocess.js.

const fs = require('node:fs');
const path = require('node:path');
const util = require('node:util');
const vm = require('node:vm');
const Module = require('node:module');
const nodeAssert = require('node:assert');
const { expectFor } = require('./expect.js');
const { parse } = require('./program.js');
const { changes, ordered } = require('./flow.js');
const { shares } = require('./share.js');
const { choosing, idle, leaves, spells, tokens } = require('./text.js');

const { writeSync } = fs;
const { stringify } = JSON;
const workspace = '/workspace';

const maxText = 2048;
const maxCases = 50_000; // the engine counts the reports, too

const bounded = (text) => (text.length > maxText ? text.slice(0, maxText) + '…' : text);

// Report counts the cases and writes them as events, one JSON object a line.
class Report {
  constructor(descriptor, nonce) {
    this.descriptor = descriptor;
    this.nonce = nonce;
    this.total = this.passed = this.failed = 0;
    this.ended = false;
    this.named = null; // how often a name was reported, where names are to be unique
  }

  event(event) {
    const line = Buffer.from(stringify({ nonce: this.nonce, ...event }) + '\n');
    for (let at = 0; at < line.length;) at += writeSync(this.descriptor, line, at);
  }

  // add reports one case; what is undefined is left out.
  add(name, status, { message, expected, actual, line, proof } = {}) {
    if (this.ended) return;
    if (this.named) {
      const before = this.named.get(name) ?? 0;
      this.named.set(name, before + 1);
      if (before > 0) name += ` #${before + 1}`;
    }
    this.total++;
    if (status === 'passed') this.passed++;
    if (status === 'failed' || status === 'error') this.failed++;
    if (this.total > maxCases && status === 'passed') return;
    const text = (v) => (v === undefined ? undefined : bounded(v));
    this.event({
      type: 'case',
      case: {
        name: bounded(name), status, message: text(message), expected: text(expected), actual: text(actual), line,
        proof: status === 'passed' ? proof : undefined,
      },
    });
  }

  // unrunnable says, before any case, why the tests cannot run here.
  unrunnable(reason, missing) {
    if (!this.ended) this.event({ type: 'unrunnable', reason: bounded(reason), missing });
    this.ended = true;
  }

  // fallback says, before any case, why the tests need the program in their own process.
  fallback(reason) {
    this.event({ type: 'fallback', reason: bounded(reason) });
    this.ended = true;
  }

  broken(reason) {
    if (!this.ended) this.event({ type: 'broken', reason: bounded(reason) });
    this.ended = true;
  }

  done() {
    if (!this.ended) this.event({ type: 'done', total: this.total, passed: this.passed, failed: this.failed, framework: this.framework });
    this.ended = true;
  }
}

// textsOf are the files of the tests that have code, with their texts.
const textsOf = (config) => config.files.filter((file) => /\.[cm]?js$/.test(file)).map((file) => [file, fs.readFileSync(path.join(workspace, file), 'utf8')]);

// mustRun ends the process where the tests cannot run, whatever the program is. It
// is called before the program is.
function mustRun(config, report) {
  const why = (reason) => {
    report.unrunnable(reason);
    process.exit(1);
  };
  for (const name of config.tests) {
    const { error } = parse(path.join(workspace, name), name);
    if (error) why(`the tests do not parse: ${name}${error.line ? `, line ${error.line}` : ''}: SyntaxError: ${error.message}`);
  }
  if (textsOf(config).every(([, text]) => idle(text))) why('the tests are empty: their text has no test and no assertion');
}

// Exam is one run of test files.
class Exam {
  // program has names(module, names) and name(module, name), see program.js;
  // calls(), last(), where(error) and waits(); read(text), which is told the
  // tests, and judges(text), which is told of one; release(), which shows what
  // calls changed; and plain(actual, expected) and isTheirs(value), which know
  // the objects that stand for the program's.
  constructor({ program, report, config }) {
    this.program = program;
    this.report = report;
    this.config = config;
    this.assertions = 0;
    this.quiet = 0; // inside an assertion about a throw, where failures are expected
    this.suspended = new Set(); // assertions about promises that have not ended
    this.tests = [];
    this.suite = { name: '', hooks: newHooks(), parent: null };
    this.running = null;
    this.judged = false; // outside of tests: the candidate judged something
    this.stage = 'loading';
    this.modules = new Map();
    this.maps = new Map();
    this.flow = new Map(); // file → where changes of arguments show, and where the program judges
    this.begun = 0; // assertions
    this.assert = this.counted(nodeAssert, 'assert');
    this.assert.strict = this.counted(nodeAssert.strict, 'assert.strict');
    this.assert.strict.strict = this.assert.strict;
    this.expect = expectFor(this);
    this.util = { ...util, isDeepStrictEqual: (a, b) => util.isDeepStrictEqual(...this.program.plain(a, b)) };
    this.util.default = this.util;
    this.framework = this.makeFramework();
    if (config.names) report.named = new Map();
  }

  // Running.

  async run() {
    if (this.program.apart) this.share();
    process.on('uncaughtException', (error) => this.crash(error));
    process.on('exit', (code) => this.finish(code));
    this.install();
    for (const [n, file] of this.config.tests.entries()) {
      this.file = file;
      // Of more files than one, a case has its file's name first.
      this.label = this.config.names?.[n] ?? '';
      if (this.label) this.suite = { name: this.label, hooks: newHooks(), parent: null };
      await this.load(file);
    }
    this.nothing();
    this.vanished();
    this.stage = 'testing';
    for (const test of this.tests) await this.runTest(test);
    this.stage = 'ended';
  }

  // share ends the exam where the text of a file rests on what is shared with the program.
  share() {
    for (const [file, text] of textsOf(this.config)) {
      const full = path.join(workspace, file);
      this.map(full, text);
      let found = { what: 'the text of the tests cannot be followed', word: file, at: 0 };
      try {
        found = shares(text);
      } catch { /* in doubt it does */ }
      if (found === undefined) continue;
      const { what, word, at } = found;
      const before = text.slice(0, at).split('\n');
      const line = this.maps.get(full)?.findEntry(before.length - 1, before.at(-1).length)?.originalLine;
      const place = `line ${line === undefined ? before.length : line + 1}`;
      this.report.fallback(`${what} (${word}, ${this.config.files.length > 1 ? `${file}, ` : ''}${place})`);
      process.exit(1);
    }
  }

  // map reads where TypeScript's lines are.
  map(full, text) {
    const inline = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/.exec(text);
    if (inline) this.maps.set(full, new Module.SourceMap(JSON.parse(Buffer.from(inline[1], 'base64').toString())));
  }

  // nothing ends the exam where each test is left out by the tests' own text.
  nothing() {
    if (!this.leaves || this.report.total > 0 || this.failures || this.tests.some((t) => !t.skip && !t.todo && !t.suite.skip)) return;
    this.report.unrunnable('the tests leave out each of their tests: nothing is left to run');
    process.exit(1);
  }

  // holds tells in which comparison the tests are, and on which side of it: what
  // calls change shows later. It is undefined elsewhere.
  holds() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 60;
    const { stack } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    let inside = false;
    for (const frame of stack.split('\n').slice(1)) {
      const [, file, line, column] = /\(?(?:file:\/\/)?(\/workspace\/[^\s():]+):(\d+)(?::(\d+))?\)?$/.exec(frame) ?? [];
      if (file === undefined) {
        if (inside && /\/opt\/glovebox\/|node:/.test(frame)) return undefined;
        continue;
      }
      inside = true;
      const { ranges, lines } = this.flow.get(file) ?? { ranges: [], lines: [] };
      const at = lines[line - 1] + Number(column ?? 1) - 1;
      const range = ranges.find(({ from, to, blocks }) => from <= at && at < to && !blocks.some(([begin, end]) => begin <= at && at < end));
      if (range) return { range, side: range.sides.filter((begin) => begin <= at).length };
    }
    return undefined;
  }

  // place is the statement of the tests that calls, of those that flow.js reads.
  place() {
    const { flow, at } = this.where();
    return flow?.statements.findLast(({ from, to }) => from <= at && at < to) ?? { keep: true };
  }

  // vanished fails tests that the program's data were to begin, and that are not there.
  vanished() {
    for (const { tables, began, text } of this.flow.values()) {
      for (const { from, to } of tables) {
        if (began.some((at) => from <= at && at < to)) continue;
        const line = text.slice(0, from).split('\n').length;
        this.report.add(`tests, line ${line}`, 'failed', { message: 'what the program gave begins no test here', line });
      }
    }
  }

  // where is the place of the tests' text that calls.
  where() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 60;
    const { stack } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    for (const frame of stack.split('\n').slice(1)) {
      const [, file, line, column] = /\(?(?:file:\/\/)?(\/workspace\/[^\s():]+):(\d+)(?::(\d+))?\)?$/.exec(frame) ?? [];
      const flow = this.flow.get(file);
      if (flow === undefined) continue;
      const at = flow.lines[line - 1] + Number(column ?? 1) - 1;
      return { flow, at };
    }
    return {};
  }

  // marked reports whether the text of a test lets the program judge, or leaves
  // open whether it reads what a call changed.
  marked(test) {
    for (const { text, marked } of this.flow.values()) {
      const at = marked.length > 0 ? text.indexOf(test) : -1;
      if (at >= 0 && marked.some(({ from, to }) => from <= at && at < to)) return true;
    }
    return false;
  }

  // crash is the end of the tests by an error that nothing caught.
  crash(error) {
    const name = this.running?.name ?? this.file ?? 'tests';
    if (!error || !this.failures?.has(error)) this.fail(name, error, 'error');
    process.exit(1);
  }

  // finish is the end of the process. Only the tests themselves can end it
  // before everything has run.
  finish(code) {
    if (this.report.ended) return;
    const last = this.running ?? [...this.suspended][0] ?? (this.program.waits() && !this.left ? { name: this.file } : undefined);
    if (code === 0 && last) {
      this.report.add(last.name, 'failed', { message: 'it never ended: a promise or a callback was not settled' });
    } else if (code === 0 && this.stage === 'loading' && !this.left) {
      this.report.add(this.file ?? 'tests', 'failed', { message: 'the tests did not run to their end' });
    } else if (code !== 0 && this.report.failed === 0) {
      this.report.add(this.file ?? 'tests', 'failed', { message: `the tests ended with exit code ${code}` });
    }
    if (this.report.failed === 0 && this.assertions === 0) {
      // Tests that throw by themselves assert by that.
      if (this.throwing && this.program.calls() > 0 && this.report.total === 0) this.report.add(this.file, 'passed', { proof: this.proof() });
      else if (!this.ran && (this.report.passed === 0 || this.report.total === 0 || !this.throwing)) {
        this.report.add(this.file ?? 'tests', 'failed', { message: 'no assertion ran' });
      }
    }
    this.report.done();
  }

  // over reports whether nothing that the program does later can matter.
  over() {
    return this.report.ended || (this.stage === 'ended' && this.tests.length > 0) || this.left;
  }

  // mark notes that the candidate judges something in the case that runs, or in
  // all that follow where none does.
  mark() {
    if (this.running && !this.preparing) this.running.judged = true;
    else this.judged = true;
  }

  // proof is what a pass of the case is worth that ends now.
  proof() {
    return this.judged || this.running?.judged ? 'candidate_judged' : undefined;
  }

  // refuse fails the test, whatever becomes of the error that it throws.
  refuse(why) {
    const error = new TypeError(why);
    this.fail(this.file ?? 'tests', error, 'failed', this.line(error));
    throw error;
  }

  // install gives the tests their globals.
  install() {
    const text = this.config.tests.map((file) => fs.readFileSync(path.join(workspace, file), 'utf8')).join('\n');
    this.throwing = /\bthrow\b|\bprocess\.exit|\bexitCode\b/.test(text);
    const words = [...new Set(text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [])];
    this.words = words;
    this.choosing = choosing(text);
    this.leaves = leaves(text);
    const code = new Set(tokens(text));
    const any = (...list) => list.some((word) => code.has(word));
    this.names = { nan: any('NaN', 'isNaN', 'toBeNaN', 'isFinite'), infinite: any('Infinity', 'POSITIVE_INFINITY', 'NEGATIVE_INFINITY', 'isFinite') };
    this.orders = !(this.names.nan && this.names.infinite);
    Object.defineProperty(globalThis, '$ordered', { value: (value) => this.finite(value) });
    this.program.read(text);
    // Names by which tests judge, and the language's own modules, are never the
    // program's unless the tests import them from it by name.
    const ours = { ...this.framework.globals, expect: this.expect, assert: this.assert };
    for (const [name, value] of Object.entries(ours)) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    }
    const consoleAssert = console.assert;
    console.assert = (value, ...rest) => {
      this.check('console.assert', () => nodeAssert.ok(value, rest.length ? util.format(...rest) : undefined), false);
      consoleAssert.call(console, value, ...rest);
    };
    const { exit } = process;
    process.exit = (code) => {
      this.left = true;
      exit.call(process, code);
    };
    const free = words.filter((word) => (!Object.hasOwn(globalThis, word) && !foreign.test(word)) || word === this.config.entry);
    const names = new Set(this.program.names('', free));
    const { entry } = this.config;
    if (entry && !names.has('candidate') && this.program.names('', [entry]).length > 0) {
      Object.defineProperty(globalThis, 'candidate', {
        get: () => this.program.name('', entry),
        set: (value) => Object.defineProperty(globalThis, 'candidate', { value, writable: true }),
        configurable: true,
      });
    }
    // A name that nothing else defines is the program's.
    Object.setPrototypeOf(globalThis, new Proxy(Object.create(Object.prototype), {
      has: (target, key) => names.has(key) || Reflect.has(target, key),
      get: (target, key, receiver) => (names.has(key) ? this.program.name('', key) : Reflect.get(target, key, receiver)),
    }));
  }

  // Modules of the tests.

  async load(file) {
    const full = path.join(workspace, file);
    const source = this.source(full);
    if (!/\.m[jt]s$/.test(file)) {
      try {
        this.compile(full, source);
      } catch (error) {
        if (!(error instanceof SyntaxError) || parse(full, file).kind !== 'module') throw error;
        return this.importModule(full);
      }
      return this.requireFile(full);
    }
    return this.importModule(full);
  }

  source(full) {
    const text = fs.readFileSync(full, 'utf8').replace(/^\uFEFF/, '').replace(/^#!/, '//');
    return this.read(full, text);
  }

  // read reads a file of the tests, and has the operands of its orders looked at.
  read(full, text) {
    this.map(full, text);
    if (this.program.apart && this.orders) text = this.ordered(full, text);
    const lines = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
    let found = { ranges: [], statements: [], marked: [], tables: [] };
    try {
      if (this.program.apart) found = changes(text);
    } catch {
      found.all = true; // a text that cannot be read
    }
    this.flow.set(full, { ...found, lines, text, began: [] });
    if (found.all) this.judged = true;
    return text;
  }

  // ordered is a text whose orders go through ours, where its marks can be told from others.
  ordered(full, text) {
    const made = ordered(text, '$ordered');
    try {
      if (parse(full, full).kind === 'module') new vm.SourceTextModule(made, { identifier: full });
      else this.compile(full, made);
      return made;
    } catch {
      this.judged = true;
      return text;
    }
  }

  // finite refuses a number that is none, or is too large, where tests that do not
  // name such a number order it: each answer would be false.
  finite(value) {
    if (typeof value !== 'number' || !this.program.apart) return value;
    if (Number.isNaN(value) ? !this.names.nan : Math.abs(value) === Infinity && !this.names.infinite) {
      this.refuse(`the tests order ${value}, and expect a number`);
    }
    return value;
  }

  compile(full, source) {
    return vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], {
      filename: full,
      importModuleDynamically: (specifier) => this.dynamic(specifier, full),
    });
  }

  requireFile(full) {
    if (this.modules.has(full)) return this.modules.get(full).exports;
    if (full.endsWith('.json')) return JSON.parse(fs.readFileSync(full, 'utf8'));
    const module = { exports: {}, id: full, filename: full, children: [], paths: [], loaded: false };
    this.modules.set(full, module);
    const require = (specifier) => this.require(specifier, full);
    require.main = module;
    require.cache = {};
    require.resolve = (specifier) => specifier;
    this.compile(full, this.source(full)).call(module.exports, module.exports, require, module, full, path.dirname(full));
    module.loaded = true;
    return module.exports;
  }

  require(specifier, from) {
    const found = this.resolve(specifier, from);
    if (found.file) return this.requireFile(found.file);
    if (found.module !== undefined) return this.namespace(found.module);
    return found.value;
  }

  // resolve tells what a specifier of the tests means.
  resolve(specifier, from) {
    const name = specifier.replace(/^node:/, '');
    const provided = {
      assert: this.assert, 'assert/strict': this.assert.strict,
      '@jest/globals': { ...this.framework.globals, expect: this.expect },
      vitest: { ...this.framework.globals, expect: this.expect },
      mocha: this.framework.globals,
    };
    if (specifier === 'node:test') return { value: this.config.framework === 'node:test' ? require('node:test') : this.framework.nodeTest };
    if (name === 'util') return { value: this.util };
    if (Object.hasOwn(provided, name)) return { value: provided[name] };
    if (/^\.{0,2}(?:\/|$)/.test(specifier)) return this.resolveFile(path.resolve(path.dirname(from), specifier));
    if (Module.builtinModules.includes(name)) return { value: require(specifier) };
    const module = this.bareModule(name);
    if (module !== null) return { module };
    throw Object.assign(new Error(`Cannot find module '${specifier}'`), { code: 'MODULE_NOT_FOUND' });
  }

  resolveFile(full) {
    for (const ending of ['', '.js', '.cjs', '.mjs', '.json', '/index.js']) {
      const name = path.relative(workspace, full + ending);
      if (this.config.files.includes(name)) return { file: full + ending };
      // TypeScript names a sibling by its own ending, too.
      const made = name.replace(/\.([cm]?)ts$/, '.$1js');
      if (made !== name && this.config.files.includes(made)) return { file: path.join(workspace, made) };
    }
    const module = this.programModule(path.relative(workspace, full));
    if (module === null && this.config.loaded.tree) {
      throw Object.assign(new Error(`Cannot find module '${path.relative(workspace, full)}'`), { code: 'MODULE_NOT_FOUND' });
    }
    return { module: module ?? '' };
  }

  // bareModule is programModule for a name that is no path: no file of the program
  // is meant but by its package's name, and its main one by those that it may have.
  bareModule(name) {
    const own = this.config.package;
    if (own && (name === own || name.startsWith(`${own}/`))) {
      return this.config.loaded.tree || name !== own ? this.programModule(name === own ? '' : name.slice(own.length + 1)) : '';
    }
    if (!/^(?:(?:src|lib|app|dist)\/)?(?:solution|main|index|program|candidate)(?:\.[cm]?[jt]sx?)?$/.test(name)) return null;
    return this.programModule(name);
  }

  // programModule returns the file of the program that tests mean by a path,
  // "" for the main one, or null.
  programModule(name) {
    const bare = (file) => file.replace(/\.[cm]?[jt]sx?$/, '').replace(/(?:^|\/)index$/, '');
    if (this.config.loaded.tree) return this.treeModule(name, bare);
    const at = this.config.modules.findIndex((file) => bare(file) === bare(name));
    if (at >= 0) return at === 0 ? '' : this.config.modules[at];
    return ['', 'solution', 'main', 'index', 'program', 'candidate'].includes(path.basename(bare(name))) ? '' : null;
  }

  // treeModule is programModule where there is no main file.
  treeModule(name, bare) {
    const { modules, root } = this.config;
    if (name === '') return root ?? null;
    return modules.find((file) => file === name || bare(file) === bare(name)) ?? null;
  }

  // namespace is what require of a module of the program gives.
  namespace(module) {
    const whole = this.program.name(module, '*');
    if (typeof whole === 'function') return whole;
    // An object of a class is what the module is.
    if (whole !== null && typeof whole === 'object' && ![Object.prototype, null].includes(Object.getPrototypeOf(whole))) return whole;
    const get = (key) => (typeof key === 'string' ? this.program.name(module, key) : undefined);
    return new Proxy({}, {
      // So a default import that was compiled to require means the default export.
      get: (target, key) => (key === '__esModule' ? true : get(key) ?? Reflect.get(target, key)),
      has: (_, key) => typeof key === 'string' && this.program.names(module, [key]).length > 0,
      ownKeys: () => this.program.names(module, this.words),
      getOwnPropertyDescriptor: (_, key) => {
        const value = get(key);
        return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
      },
    });
  }

  dynamic(specifier, from) {
    return this.link(specifier, from).then(async (module) => {
      if (module.status === 'unlinked') await module.link((s, m) => this.link(s, m.identifier));
      if (module.status === 'linked') await module.evaluate();
      return module;
    });
  }

  async importModule(full) {
    await this.dynamic(full, full);
  }

  // link makes the module that an import of the tests means.
  async link(specifier, from) {
    const found = this.resolve(specifier.replace(/^file:\/\//, ''), from);
    const key = found.file ?? (found.module !== undefined ? 'program:' + found.module : specifier);
    if (this.modules.has('esm:' + key)) return this.modules.get('esm:' + key);
    const module = this.makeModule(found, key);
    this.modules.set('esm:' + key, module);
    return module;
  }

  makeModule(found, key) {
    if (found.file && !/\.c[jt]s$/.test(found.file)) {
      return new vm.SourceTextModule(this.source(found.file), {
        identifier: found.file,
        importModuleDynamically: (specifier, module) => this.dynamic(specifier, module.identifier),
        initializeImportMeta: (meta) => {
          meta.url = 'file://' + found.file;
          meta.filename = found.file;
          meta.dirname = path.dirname(found.file);
        },
      });
    }
    let names;
    let get;
    if (found.module !== undefined) {
      names = this.program.names(found.module, this.words);
      get = (name) => this.program.name(found.module, name);
    } else {
      const value = found.file ? this.requireFile(found.file) : found.value;
      names = Object.keys(Object(value));
      get = (name) => (name === 'default' ? value : value[name]);
    }
    names = [...new Set([...names, 'default'])];
    return new vm.SyntheticModule(names, function () {
      for (const name of names) this.setExport(name, get(name));
    }, { identifier: key });
  }

  // Assertions.

  // counted is assert (or assert.strict) whose every use is a case.
  counted(assert, name) {
    const wrap = (run, label, key = '') => {
      const throwing = /^(?:throws|doesNotThrow|rejects|doesNotReject)$/.test(key);
      const deep = /^(?:not|partial)?deep/i.test(key);
      return (...args) => this.check(label, () => {
        if (deep && args.length > 1) args.splice(0, 2, ...this.program.plain(args[0], args[1]));
        if (throwing && args.length > 1) args[1] = this.wanted(args[1]);
        return Reflect.apply(run, assert, args);
      }, throwing);
    };
    const copy = wrap(assert, name);
    for (const key of Object.keys(assert)) {
      const value = assert[key];
      if (key === 'strict') continue;
      const plain = typeof value !== 'function' || key === 'AssertionError' || key === 'CallTracker';
      copy[key] = plain ? value : wrap(value, `${name}.${key}`, key);
    }
    return copy;
  }

  // wanted is what an error is compared with. A class of the program is asked
  // for nothing: the error is of that class or it is not.
  wanted(wanted) {
    if (wanted === undefined) throw new TypeError('the class of the error that the tests expect is undefined: the program does not export it');
    if (typeof wanted !== 'function' || !this.program.isTheirs(wanted)) return wanted;
    return (error) => {
      if (error instanceof wanted) return true;
      throw new nodeAssert.AssertionError({ message: `the error is no ${wanted.name}: ${util.inspect(error, { depth: 1 }).slice(0, 500)}`, actual: error, expected: wanted });
    };
  }

  // check runs one assertion.
  check(label, run, throwing, fatal = true) {
    this.program.release();
    if (this.quiet === 0) this.begun++;
    const line = this.line(new Error());
    const at = this.label && !this.running ? `${this.label} > ` : '';
    const name = line ? `${at}${label}, line ${line}` : at + label;
    const settle = (error, failed) => {
      if (this.quiet > 0) return;
      this.assertions++;
      if (this.expects) this.expects.ran++;
      if (failed) this.fail(name, error, 'failed', line);
      else if (!this.running) this.report.add(name, 'passed', { line, proof: this.proof() });
    };
    if (throwing) this.quiet++;
    let result;
    try {
      result = this.program.shown(run);
    } catch (error) {
      if (throwing) this.quiet--;
      settle(error, true);
      if (fatal && label !== 'console.assert') throw error;
      return undefined;
    }
    if (throwing) this.quiet--;
    if (!util.types.isPromise(result)) {
      settle(undefined, false);
      return result;
    }
    const pending = { name };
    this.suspended.add(pending);
    const promise = result.then(
      (value) => {
        this.suspended.delete(pending);
        settle(undefined, false);
        return value;
      },
      (error) => {
        this.suspended.delete(pending);
        settle(error, true);
        throw error;
      },
    );
    return promise;
  }

  // fail reports an error, once. Inside a test it marks the test, which is the
  // case.
  fail(name, error, status, line) {
    this.failures ??= new Set();
    if (error !== null && typeof error === 'object') {
      if (this.failures.has(error)) return;
      this.failures.add(error);
    }
    if (this.running) {
      this.running.failure ??= { error, status, line };
      return;
    }
    this.report.add(name, status, this.explain(error, line));
  }

  explain(error, line) {
    const show = (value) => util.inspect(value, { depth: 4, breakLength: 100, maxArrayLength: 50, maxStringLength: 1000 });
    const known = error !== null && typeof error === 'object';
    const details = { line: line ?? (known ? this.line(error) : undefined) };
    if (!known) return { ...details, message: `thrown: ${show(error)}` };
    const text = (value, otherwise) => (typeof value === 'string' ? value : otherwise);
    const type = text(error.name, 'Error');
    let message = text(error.message, '');
    if (error instanceof nodeAssert.AssertionError) {
      // Node.js shows the call that it sees, which is ours.
      const [falsy] = /^The expression evaluated to a falsy value/.exec(message) ?? [];
      if (falsy) message = `${falsy}: ${this.spelled(error, details.line)}`;
      details.expected = show(error.expected);
      details.actual = show(error.actual);
    } else {
      message = `${type}: ${message}`;
    }
    const where = this.program.where(error);
    if (where) message += ` (at ${where})`;
    const last = this.program.last();
    if (last) message += `\nThe last call was ${last}`;
    return { ...details, message };
  }

  // line returns the line of the tests where an error comes from.
  line(error) {
    const { file, line, column } = this.frame(error);
    const entry = this.maps.get(file)?.findEntry(line - 1, column - 1);
    return entry?.originalLine !== undefined ? entry.originalLine + 1 : line;
  }

  // frame is the first place of the tests in an error's stack.
  frame(error) {
    const stack = typeof error?.stack === 'string' ? error.stack : '';
    for (const [, file, line, column] of stack.matchAll(/\(?(?:file:\/\/)?(\/workspace\/[^\s():]+):(\d+):(\d+)\)?$/gm)) {
      if (this.config.files.includes(path.relative(workspace, file))) return { file, line: Number(line), column: Number(column) };
    }
    return {};
  }

  // spelled is the line of the tests that an error comes from.
  spelled(error, otherwise) {
    const { file = path.join(workspace, this.file), line = otherwise } = this.frame(error);
    return fs.readFileSync(file, 'utf8').split('\n')[line - 1]?.trim() ?? '';
  }

  // The test functions of node:test, Jest and Mocha.

  makeFramework() {
    const exam = this;
    const parse = (args) => {
      const fn = args.find((a) => typeof a === 'function');
      const options = args.find((a) => a !== null && typeof a === 'object') ?? {};
      return { name: typeof args[0] === 'string' ? args[0] : fn?.name || 'test', fn, options };
    };
    const register = (node, extra = {}) => (...args) => {
      const { name, fn, options } = parse(args);
      return exam.addTest({ name, fn, node, ...options, ...extra, optional: Boolean(options.skip || options.todo) });
    };
    const suite = (skip, only) => (...args) => {
      const { name, fn, options } = parse(args);
      exam.addSuite(name, fn, skip || options.skip, only || options.only, options.skip);
    };
    const each = (add) => (table, ...values) => {
      // each`a | b` and each([[…], …])
      const rows = table.raw ? tableRows(table, values) : table;
      return (name, fn) => {
        if (!Array.isArray(rows) || rows.length === 0) {
          exam.report.add(name, 'failed', { message: 'the table of cases is empty, or no array' });
          return;
        }
        Array.from(rows).forEach((row, n) => {
          const args = Array.isArray(row) ? row : [row];
          let at = 0;
          const title = name.replace(/%[sdifjop#]/g, (m) => (m === '%#' ? n : util.inspect(args[at++], { breakLength: Infinity })));
          add(title, Object.assign(function () { return fn.apply(this, args); }, { text: String(fn) }));
        });
      };
    };
    const family = (node) => {
      const test = register(node);
      const forms = { skip: register(node, { skip: true }), todo: register(node, { todo: true }), only: register(node, { only: true }), failing: register(node, { failing: true }) };
      Object.assign(test, forms, { each: each(test), concurrent: test });
      for (const form of Object.values(forms)) form.each = each(form);
      const describe = suite(false);
      Object.assign(describe, { skip: suite(true), todo: suite(true), only: suite(false, true), each: each(describe) });
      describe.only.each = each(describe.only);
      describe.skip.each = each(describe.skip);
      const more = node ? {} : {
        xit: test.skip, xtest: test.skip, xdescribe: describe.skip, xcontext: describe.skip, fit: test.only, fdescribe: describe.only,
      };
      return { test, it: test, describe, suite: describe, context: describe, specify: test, ...more };
    };
    const hooks = {};
    for (const [name, kind] of [['before', 'before'], ['beforeAll', 'before'], ['after', 'after'], ['afterAll', 'after'],
      ['beforeEach', 'beforeEach'], ['afterEach', 'afterEach']]) {
      hooks[name] = (...args) => exam.suite.hooks[kind].push(args.find((a) => typeof a === 'function'));
    }
    const plain = family(false);
    const node = family(true);
    const { spy } = this.expect;
    const jest = { fn: spy, setTimeout() {}, useRealTimers() {}, clearAllMocks: () => spy.all('mockClear'), resetAllMocks: () => spy.all('mockReset'), restoreAllMocks() {} };
    const mock = { fn: (original, implementation) => this.expect.spy(typeof implementation === 'function' ? implementation : original) };
    const nodeTest = Object.assign(node.test, node, hooks, { default: node.test, mock });
    return { globals: { ...plain, ...hooks, jest, vi: jest }, nodeTest };
  }

  addSuite(name, fn, skip, only, optional) {
    const outer = this.suite;
    const inner = { name: outer.name ? `${outer.name} > ${name}` : name, hooks: newHooks(), parent: outer, skip: skip || outer.skip, optional: optional || outer.optional, only: only || outer.only };
    this.suite = inner;
    try {
      const made = fn?.call({ timeout() {}, retries() {}, slow() {} });
      if (util.types.isPromise(made)) this.report.add(inner.name, 'error', { message: 'a describe cannot be asynchronous' });
    } finally {
      this.suite = outer;
    }
  }

  addTest(test) {
    test.suite = this.suite;
    const { flow, at } = this.program.apart ? this.where() : {};
    flow?.began.push(at);
    test.only ||= this.suite.only;
    test.name = this.suite.name ? `${this.suite.name} > ${test.name}` : test.name;
    if (this.running) {
      // A test in a test runs at once, as node:test has it.
      test.name = `${this.running.name} > ${test.name}`;
      this.running.subtests = (this.running.subtests ?? 0) + 1;
      return this.runTest(test);
    }
    this.tests.push(test);
    return new Promise((resolve) => (test.resolve = resolve));
  }

  async runTest(test) {
    const outer = this.running;
    if (test.skip || test.todo || test.suite.skip || !test.fn || (this.tests.some((t) => t.only) && !test.only && !outer)) {
      const skips = test.skip || test.todo || test.suite.skip;
      const byItself = skips && (test.optional || test.suite.optional ? this.choosing.option : this.choosing.form);
      this.skip(test.name, byItself);
      test.resolve?.();
      return;
    }
    this.running = test;
    const text = test.fn.text ?? String(test.fn);
    if (this.program.judges(text) || this.marked(text)) test.judged = true;
    const chain = [];
    for (let s = test.suite; s; s = s.parent) chain.unshift(s);
    const guarded = async (fn) => {
      try {
        await fn();
      } catch (error) {
        if (error !== undefined && error !== null && this.failures?.has(error)) test.failure ??= { error, status: 'failed' };
        else this.fail(test.name, error, error instanceof nodeAssert.AssertionError ? 'failed' : 'error');
      }
    };
    await guarded(async () => {
      for (const s of outer ? [] : chain) {
        this.preparing = true; // what a hook made is there for all tests
        if (!s.ready) for (const hook of s.hooks.before) await this.call(hook, test);
        this.preparing = false;
        s.ready = true;
        for (const hook of s.hooks.beforeEach) await this.call(hook, test);
      }
      this.expects = { ran: 0, wanted: undefined };
      const before = this.begun;
      await this.call(test.fn, test);
      const spelled = spells(text);
      const planned = () => (/\.\s*assert\b/.test(text) ? test.counted ?? 0 : this.begun - before) + (test.subtests ?? 0);
      const lacks = () => (spelled && this.begun === before && !test.skipped) || (test.plan !== undefined && planned() < test.plan);
      // What the program calls later may still assert.
      for (let n = 0; n < 200 && lacks() && this.program.waits(); n++) await new Promise((resolve) => setImmediate(resolve));
      if (test.plan !== undefined && planned() !== test.plan && !test.skipped) {
        throw new nodeAssert.AssertionError({ message: `${test.plan} assertions were planned, and ${planned()} ran` });
      }
      if (lacks()) throw new nodeAssert.AssertionError({ message: 'the test has assertions, and none of them ran' });
      const { ran, wanted } = this.expects;
      if (wanted !== undefined && (wanted === true ? ran === 0 : ran !== wanted)) {
        throw new nodeAssert.AssertionError({ message: `${wanted === true ? 'an assertion was' : `${wanted} assertions were`} expected, and ${ran} ran` });
      }
    });
    if (test.failing) test.failure = test.failure ? undefined : { error: new Error('the test passes, and it is to fail'), status: 'failed' };
    await guarded(async () => {
      for (const s of outer ? [] : chain.reverse()) {
        for (const hook of s.hooks.afterEach) await this.call(hook, test);
      }
    });
    if (!outer) {
      test.ended = true;
      for (const s of chain) {
        const left = this.tests.some((t) => !t.ended && inside(t.suite, s));
        if (!left) await guarded(async () => { for (const hook of s.hooks.after) await this.call(hook, test); });
      }
    }
    this.preparing = false;
    const proof = this.proof();
    this.running = outer;
    const { failure } = test;
    if (outer && failure) outer.failure ??= failure;
    if (outer && proof) outer.judged = true;
    this.ran = true;
    if (failure) this.report.add(test.name, failure.status, this.explain(failure.error, failure.line));
    else if (test.skipped) this.skip(test.name, !skipsFirst.test(String(test.fn)));
    else this.report.add(test.name, 'passed', { proof });
    test.resolve?.();
  }

  // skip reports a test that does not run. One that skips itself by what it
  // found out of the program has failed.
  skip(name, byItself) {
    if (byItself) this.report.add(name, 'failed', { message: 'the test skipped itself' });
    else this.report.add(name, 'skipped');
  }

  // ofTest is assert as a test's context has it, which counts for its plan.
  ofTest(test) {
    const counts = (run) => (...args) => {
      test.counted = (test.counted ?? 0) + 1;
      return run(...args);
    };
    const made = counts(this.assert);
    for (const [key, value] of Object.entries(this.assert)) made[key] = typeof value === 'function' && key !== 'AssertionError' ? counts(value) : value;
    return made;
  }

  // call runs a test's function in the form that its parameters ask for.
  call(fn, test) {
    const context = Object.assign(() => {}, {
      test: this.framework.nodeTest.test, it: this.framework.nodeTest.test, skip: () => void (test.skipped = true), todo: () => void (test.skipped = true), diagnostic() {}, plan: (n) => void (test.plan = n),
      timeout() {}, assert: this.ofTest(test), mock: this.framework.nodeTest.mock,
      before() {}, after() {}, beforeEach: (f) => test.suite.hooks.beforeEach.push(f), afterEach() {},
    });
    Object.defineProperty(context, 'name', { value: test.name });
    const wantsDone = test.node ? fn.length > 1 : fn.length > 0;
    if (!wantsDone) return fn.call(context, context);
    return new Promise((resolve, reject) => {
      const done = Object.assign((error) => (error ? reject(error) : resolve()), { fail: reject });
      const made = test.node ? fn.call(context, context, done) : fn.call(context, done);
      if (util.types.isPromise(made)) made.catch(reject);
    });
  }
}

// foreign are the words that no program supplies: modules of the language, and
// what libraries of assertions define.
const foreign = new RegExp(`^(?:${Module.builtinModules.filter((name) => /^\w+$/.test(name) && name !== 'constants').join('|')}|_|lodash|chai|should|sinon|tap|QUnit|vi|cy|jasmine|mocha|(?:assert|expect)[A-Z_]\\w*|(?:not|deep|strict|deepStrict|notStrict|notDeep|notDeepStrict|partialDeepStrict)Equal|throws|doesNotThrow|rejects|doesNotReject|spyOn|ok|equal|xit|xtest|xdescribe|fit|fdescribe|setup|teardown|suiteSetup|suiteTeardown)$`);

// skipsFirst finds a function whose first statement skips its test.
const skipsFirst = /^(?:async\s+)?(?:function\b[^(]*)?(?:\([^)]*\)|[\w$]+)\s*(?:=>)?\s*\{?\s*(?:return\s+)?(?:await\s+)?[\w$]+\.(?:skip|todo)\(/;

const newHooks = () => ({ before: [], after: [], beforeEach: [], afterEach: [] });

const inside = (suite, outer) => {
  for (let s = suite; s; s = s.parent) if (s === outer) return true;
  return false;
};

// tableRows reads each`a | b\n${1} | ${2}`.
const tableRows = (table, values) => {
  const heads = table[0].trim().split('\n')[0].split('|').map((h) => h.trim());
  const rows = [];
  for (let n = 0; n < values.length; n += heads.length) {
    rows.push(Object.fromEntries(heads.map((head, k) => [head, values[n + k]])));
  }
  return rows;
};

module.exports = { Exam, Report, mustRun };
