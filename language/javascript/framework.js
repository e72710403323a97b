'use strict';
// Runs tests with the real Jest, Vitest or Mocha, in the candidate's box, and reads
// what the framework reports. The program runs in processes of the framework:
// what is reported resists accidents, not an attack.

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Report } = require('./exam.js');
const { check, parse, workspace } = require('./program.js');
const { choosing } = require('./text.js');

const config = JSON.parse(process.argv[2]);
const nonce = fs.readFileSync(3, 'utf8').trim();
fs.closeSync(3);
const report = new Report(5, nonce);

const tests = config.tests.map((name) => path.join(workspace, name));
const typed = (file) => /\.[cm]?ts$/.test(file); // the framework reads it
for (const [n, file] of tests.entries()) {
  if (typed(file)) continue;
  const { error } = parse(file, config.tests[n]);
  if (!error) continue;
  report.unrunnable(`the tests do not parse: ${config.tests[n]}, line ${error.line}: SyntaxError: ${error.message}`);
  process.exit(1);
}
const kind = check(config.loaded.files ?? [], 5, true);
const main = config.modules[0] ? path.join(workspace, config.modules[0]) : '';
const home = fs.mkdtempSync('/tmp/framework-');
const output = path.join(home, 'report.json');
const esm = tests.some((file) => typed(file) || parse(file, file).kind === 'module');

// Tests name the main file by what they like.
const aliases = '^(?:\\.{0,2}/)*(?:[^/]+/)*(?:solution|main|index|program|candidate)(?:\\.[cm]?[jt]s)?$';
const node = ['--no-warnings', '--experimental-vm-modules'];
// A file that says nothing of it is an ES module where its text is one.
if ((kind === 'module' || esm) && !fs.existsSync(path.join(workspace, 'package.json'))) {
  try {
    fs.writeFileSync(path.join(workspace, 'package.json'), '{"type":"module"}');
  } catch { /* then the framework says what is wrong */ }
}

const text = tests.map((file) => fs.readFileSync(file, 'utf8')).join('\n');

// free gives tests that import nothing of the program its names.
function free() {
  if (kind !== 'commonjs' || /\brequire\(\s*['"]\.|\bfrom\s*['"]\./.test(text)) return '';
  const words = [...new Set(text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [])];
  return `let look;
globalThis[Symbol.for('glovebox')] = (f) => { look ??= f; };
const whole = require(${JSON.stringify(main)});
for (const word of ${JSON.stringify(words)}) {
  if (word in globalThis) continue;
  try {
    const value = Object.hasOwn(Object(whole), word) ? whole[word] : look?.(word);
    if (value !== undefined) globalThis[word] = value;
  } catch {}
}`;
}

const commands = {
  jest() {
    const setup = path.join(home, 'setup.cjs');
    fs.writeFileSync(setup, esm ? 'globalThis.jest ??= require("@jest/globals").jest;' : free());
    const settings = {
      rootDir: workspace, testEnvironment: 'node', testMatch: tests, transform: {}, cacheDirectory: path.join(home, 'cache'),
      moduleNameMapper: main ? { [aliases]: main } : {}, watchman: false, haste: { enableSymlinks: false }, modulePaths: [path.join(path.dirname(config.command), '../node_modules')],
      setupFilesAfterEnv: [setup],
    };
    return [config.command, '--config', JSON.stringify(settings), '--json', '--outputFile', output, '--runInBand', '--ci', '--coverage=false'];
  },
  vitest() {
    const settings = path.join(home, 'vitest.config.mjs');
    fs.writeFileSync(settings, `export default { root: ${JSON.stringify(workspace)}, cacheDir: ${JSON.stringify(home)},
  resolve: { alias: ${main ? `[{ find: new RegExp(${JSON.stringify(aliases)}), replacement: ${JSON.stringify(main)} }, ` : '['}{ find: /^vitest$/, replacement: ${JSON.stringify(path.join(path.dirname(config.command), 'dist/index.js'))} }] },
  test: { globals: true, include: ${JSON.stringify(tests)}, watch: false, pool: 'forks', fileParallelism: false, reporters: ['json'], outputFile: ${JSON.stringify(output)} } };\n`);
    return [config.command, 'run', '--config', settings];
  },
  // Mocha loads files as Node.js does: what the tests import is found by hooks of
  // Node.js's own loaders.
  mocha() {
    const setup = path.join(home, 'setup.cjs');
    const hooks = path.join(home, 'hooks.mjs');
    const shared = path.join(path.dirname(config.command), '../..');
    // Mocha and chai are those that are here, whatever the program brings.
    const found = `const aliases = new RegExp(${JSON.stringify(aliases)}), main = ${JSON.stringify(main)}, shared = ${JSON.stringify(shared)};
const mine = (from) => String(from).includes(${JSON.stringify(workspace + '/')});
const library = (name) => /^(?:chai|mocha)(?:\\/|$)/.test(name);
const find = (name) => (main && aliases.test(name) ? main : undefined);\n`;
    fs.writeFileSync(hooks, `import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
${found}const shares = createRequire(shared + '/x.js');
export async function resolve(name, context, next) {
  if (mine(context.parentURL) && library(name)) return next(pathToFileURL(shares.resolve(name)).href, context);
  try {
    return await next(name, context);
  } catch (error) {
    const file = mine(context.parentURL) && find(name);
    if (!file) throw error;
    return next(pathToFileURL(file).href, context);
  }
}\n`);
    fs.writeFileSync(setup, `${found}const Module = require('node:module');
Module.register(${JSON.stringify('file://' + hooks)});
const shares = Module.createRequire(shared + '/x.js');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, from, ...more) {
  if (mine(from?.filename) && library(name)) return shares.resolve(name);
  try {
    return resolve.call(this, name, from, ...more);
  } catch (error) {
    const file = mine(from?.filename) && find(name);
    if (!file) throw error;
    return file;
  }
};
const chai = ${JSON.stringify(config.chai ?? '')} && require(shares.resolve('chai'));
if (chai) for (const [name, value] of Object.entries({ chai, expect: chai.expect })) globalThis[name] ??= value;
${/\bshould\s*\./.test(text) && config.chai ? 'chai.should();' : ''}
${free()}\n`);
    const ui = /\b(?:suite|setup|teardown)\s*\(/.test(text) && !/\bdescribe\b/.test(text) ? 'tdd' : 'bdd';
    return [config.command, '--no-config', '--no-package', '--ui', ui, '--reporter', 'json', '--reporter-option', 'output=' + output, '--require', setup, ...tests];
  },
};

const { stdout, stderr, status, error } = spawnSync(process.execPath, [...node, ...commands[config.framework]()], {
  cwd: workspace, encoding: 'utf8', maxBuffer: 16 << 20, stdio: ['ignore', 'pipe', 'pipe'],
  env: { ...process.env, HOME: home, CI: '1', NODE_OPTIONS: '--experimental-vm-modules --no-warnings', NODE_DISABLE_COLORS: '1', NO_COLOR: '1' },
});
process.stdout.write(stdout ?? '');
process.stderr.write(stderr ?? '');

let said;
try {
  said = JSON.parse(fs.readFileSync(output, 'utf8'));
} catch {
  if (status > 0) {
    // Mocha reports nothing where a file does not load.
    report.add(config.tests[0], 'error', { message: `${config.framework} ended with exit code ${status}:\n${(stderr ?? '').trim().slice(0, 2000)}` });
    report.done();
    process.exit(1);
  }
  report.broken(`${config.framework} gave no report: ${error?.message ?? `exit code ${status}`}`);
  process.exit(1);
}
const version = JSON.parse(fs.readFileSync(path.join(config.command.replace(/(\/node_modules\/(?:jest|vitest|mocha)\/).*/, '$1'), 'package.json'), 'utf8')).version;
report.framework = `${{ jest: 'Jest', vitest: 'Vitest', mocha: 'Mocha' }[config.framework]} ${version}`;
const states = { passed: 'passed', failed: 'failed' };
// A test that skips itself by what it found out of the program has failed.
let skipped = 0;
const chosen = Object.values(choosing(text)).includes(true);

// ofMocha is Mocha's report in the form of Jest's: what it lists as a failure may be a hook.
function ofMocha({ stats, passes = [], failures = [], pending = [] }) {
  const cases = [['passed', passes], ['failed', failures], ['pending', pending]].flatMap(([status, list]) =>
    list.map((test) => ({ title: test.fullTitle, status, failureMessages: test.err?.message ? [`${test.err.name ?? 'Error'}: ${test.err.message}`] : [] })));
  return { testResults: [{ name: '', status: 'passed', assertionResults: cases }], numPassedTests: stats?.passes, success: stats?.failures === 0 };
}
if (config.framework === 'mocha') said = ofMocha(said);
for (const file of said.testResults ?? []) {
  const place = path.relative(workspace, file.name ?? '');
  for (const test of file.assertionResults ?? []) {
    const name = [...(test.ancestorTitles ?? []), test.title].filter(Boolean).join(' > ');
    if (states[test.status]) report.add(name, states[test.status], { message: test.failureMessages?.join('\n') || undefined });
    else if (!chosen) report.add(name, 'skipped');
    else {
      skipped++;
      report.add(name, 'failed', { message: 'the test skipped itself' });
    }
  }
  if (file.status === 'failed' && !(file.assertionResults ?? []).some((t) => t.status === 'failed')) report.add(place, 'error', { message: String(file.message ?? '') });
}
// Its own count, and its exit code, are to say the same.
const failed = report.failed > skipped;
if (said.numPassedTests !== report.passed || (status !== 0) !== failed || said.success !== !failed) {
  report.add(config.framework, 'error', { message: `${report.framework} counts otherwise: ${said.numPassedTests} passed, exit code ${status}` });
}
if (report.total === 0) report.add(config.framework, 'failed', { message: 'no test ran' });
report.done();
