'use strict';
// The command line: node's options as far as we give them, a script, and its
// arguments.

const { std } = host;
const { hide } = part('language');
const { Module, importFrom, kindOf, strip } = part('loader');
const { fs } = part('files');
const path = part('path');
const { builtin } = part('builtin');

// Our own drivers are scripts, too, that need a little less of a loader: they
// are not the program's, and no stack tells of them.
const drivers = new Map();
function driver(name) {
  if (!drivers.has(name)) {
    const module = { exports: {} };
    drivers.set(name, module);
    const require = Object.assign((specifier) => builtin(specifier) ?? driver(path.resolve(path.dirname(name), specifier)), { cache: Object.create(null) });
    host.code(name)(module.exports, require, module, importFrom('/workspace/.'));
  }
  return drivers.get(name).exports;
}
const isDriver = (name) => name.startsWith('/opt/glovebox/');

module.exports = (argv) => {
  const { process } = globalThis;
  const preload = [];
  let strict = false;
  while (argv[0]?.startsWith('--')) {
    const option = argv.shift();
    if (option === '--require') preload.push(argv.shift());
    if (option === '--disallow-code-generation-from-strings') strict = true;
  }
  const main = argv.shift();
  process.argv = [process.execPath, path.resolve(main), ...argv];
  for (const name of preload) driver(name);
  if (isDriver(main)) {
    if (strict) forbidCode();
    driver(main);
    return;
  }
  const full = path.resolve(main);
  const text = strip(fs.readFileSync(full, 'utf8'));
  if (kindOf(full, text) === 'module') importFrom('/workspace/.')(full).catch(part('loop').crash);
  else Module._load(full, null, true);
};

// forbidCode leaves no way to make code of text, but ours.
function forbidCode() {
  const refuse = function () { throw new EvalError('Code generation from strings disallowed for this context'); };
  hide(globalThis, 'eval', refuse);
  for (const f of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    const prototype = Object.getPrototypeOf(f);
    const Kind = prototype.constructor;
    const Closed = new Proxy(Kind, { apply: refuse, construct: refuse });
    hide(prototype, 'constructor', Closed);
    if (Kind === Function) hide(globalThis, 'Function', Closed);
  }
}
