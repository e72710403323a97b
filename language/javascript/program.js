'use strict';
// The program under test, in the process that runs it.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const Module = require('node:module');
const { spawnSync } = require('node:child_process');
const { pathToFileURL } = require('node:url');

const workspace = '/workspace';
const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
// prologue is what the Go side puts before the first statement of the program.
const prologue = 'globalThis[Symbol.for("glovebox")]?.($glovebox=>eval($glovebox));';
const esmOnly =
  /^(?:Cannot use import statement outside a module|Unexpected token 'export'|Cannot use 'import\.meta' outside a module|await is only valid in async functions and the top level bodies of modules)/;

// parse has the language's own parser read a file, without running it. It
// returns {kind: "module" | "commonjs"} or {error: {line, column, message}}.
function parse(file, name) {
  const source = fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '').replace(/^#!/, '//').replace(prologue, '');
  if (file.endsWith('.json')) return { kind: 'json' };
  if (!/\.m[jt]s$/.test(file)) {
    try {
      vm.compileFunction(source, parameters, { filename: name });
      return { kind: 'commonjs' };
    } catch (error) {
      if (/\.c[jt]s$/.test(file) || !esmOnly.test(error.message)) return { error: position(error.stack, error.message) };
    }
  }
  return parseModule(source, name);
}

// parseModule starts a second interpreter only to learn the line of an error.
function parseModule(source, name) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    new vm.SourceTextModule(source, { identifier: name });
    return { kind: 'module' };
  } catch (error) {
    const checked = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '--check', '-'], { input: source });
    return { error: position(String(checked.stderr), error.message) };
  } finally {
    process.emitWarning = emitWarning;
  }
}

// position reads "file:3\nsource\n   ^^^\n".
function position(text, message) {
  const at = /^[^\n]*:(\d+)\n([^\n]*)\n([ \t]*)\^/m.exec(text);
  return at ? { line: Number(at[1]), column: at[3].length + 1, message } : { line: 0, message };
}

// check reports what the parser says of the files, the main one first, on the
// report descriptor, and closes it: nothing that runs later can write there.
// It returns the kind of the main file, or ends the process.
function check(files, descriptor, keep = false) {
  let main;
  for (const name of files) {
    const { kind, error } = parse(path.join(workspace, name), name);
    if (error) {
      fs.writeSync(descriptor, JSON.stringify({ type: 'syntax', syntax: { file: name, ...error } }) + '\n');
      process.exit(1);
    }
    main ??= kind;
  }
  fs.writeSync(descriptor, '{"type":"checked"}\n');
  if (!keep) fs.closeSync(descriptor);
  return main;
}

// load runs the program as node would, and returns its names. Its first
// statement, which we put there, hands us a function that looks a name up in
// its scope.
async function load(main, kind) {
  const file = path.join(workspace, main);
  let scope;
  const key = Symbol.for('glovebox');
  Object.defineProperty(globalThis, key, {
    configurable: true,
    value(lookup) {
      scope = lookup;
      delete globalThis[key];
    },
  });
  process.argv = [process.execPath, file];
  process.execArgv = [];
  const requireHere = Module.createRequire(file);
  let exported;
  if (kind === 'module') {
    exported = await import(pathToFileURL(file));
  } else {
    exported = Module._load(file, null, true);
  }

  return named((module) => (module === '' ? exported : requireHere(path.join(workspace, module))), (name) => scope?.(name), () => scope);
}

// loadTree loads those files of a tree that its tests import. One that fails
// to load fails the tests when they ask for it.
async function loadTree(files) {
  const requireHere = Module.createRequire(path.join(workspace, 'tests.js'));
  process.execArgv = [];
  const loaded = new Map();
  for (const name of files) {
    const file = path.join(workspace, name);
    try {
      const whole = name.endsWith('.json') ? undefined : await import(pathToFileURL(file));
      let exported = whole;
      try {
        exported = requireHere(file);
      } catch (error) {
        if (error?.code !== 'ERR_REQUIRE_ESM' && error?.code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
      }
      loaded.set(name, { exported });
    } catch (error) {
      loaded.set(name, { error });
    }
  }
  return named((module) => {
    const found = loaded.get(module);
    if (!found) return module === '' ? undefined : requireHere(path.join(workspace, module));
    if ('error' in found) throw found.error;
    return found.exported;
  }, () => undefined, () => null);
}

// named serves the names of modules. exportsOf gives what one exports, scope
// looks a name up in the main one.
function named(exportsOf, scope, hasScope) {
  // lookup returns [found, value].
  const lookup = (module, name) => {
    const whole = exportsOf(module);
    if (name === '*') return [1, whole];
    if (whole !== null && whole !== undefined && name in Object(whole) && !(name in Object.prototype)) return [1, whole[name]];
    if (name === 'default') return [1, whole];
    if (module !== '' || !hasScope() || !/^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name)) return [0];
    try {
      return [1, scope(name)];
    } catch (error) {
      if (error instanceof ReferenceError || error instanceof SyntaxError) return [0];
      throw error;
    }
  };
  return {
    name: lookup,
    names: (module, names) => names.filter((name) => !foreign.has(name) && lookup(module, name)[0] === 1),
  };
}

// foreign are the names that every program has: the tests mean the language's.
const foreign = new Set([...Object.getOwnPropertyNames(globalThis), ...parameters, 'arguments', 'this']);

module.exports = { check, load, loadTree, parse, workspace };
