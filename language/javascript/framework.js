'use strict';
// Runs tests with the real Jest or Vitest, in the candidate's box, and reads
// what the framework reports. The program runs in processes of the framework:
// what is reported resists accidents, not an attack.

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Report } = require('./exam.js');
const { check, parse, workspace } = require('./program.js');

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

// free gives tests that import nothing of the program its names.
function free() {
  const text = tests.map((file) => fs.readFileSync(file, 'utf8')).join('\n');
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
  report.broken(`${config.framework} gave no report: ${error?.message ?? `exit code ${status}`}`);
  process.exit(1);
}
const version = JSON.parse(fs.readFileSync(path.join(config.command.replace(/(\/node_modules\/(?:jest|vitest)\/).*/, '$1'), 'package.json'), 'utf8')).version;
report.framework = `${config.framework === 'jest' ? 'Jest' : 'Vitest'} ${version}`;
const states = { passed: 'passed', failed: 'failed' };
for (const file of said.testResults ?? []) {
  const name = path.relative(workspace, file.name ?? '');
  for (const test of file.assertionResults ?? []) {
    report.add([...(test.ancestorTitles ?? []), test.title].filter(Boolean).join(' > '), states[test.status] ?? 'skipped', { message: test.failureMessages?.join('\n') || undefined });
  }
  if (file.status === 'failed' && !(file.assertionResults ?? []).some((t) => t.status === 'failed')) report.add(name, 'error', { message: String(file.message ?? '') });
}
// Its own count, and its exit code, are to say the same.
if (said.numPassedTests !== report.passed || (status === 0) !== (report.failed === 0) || said.success !== (report.failed === 0)) {
  report.add(config.framework, 'error', { message: `${report.framework} counts otherwise: ${said.numPassedTests} passed, exit code ${status}` });
}
if (report.total === 0) report.add(config.framework, 'failed', { message: 'no test ran' });
report.done();
