'use strict';
// Checks JavaScript and TypeScript files without running them: see lint.py for
// what is printed. Node's own parser reads JavaScript; esbuild's reads
// TypeScript, and a compiler of the image, where it has one, checks its types.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { createRequire } = require('node:module');

const strip = '/opt/glovebox/typescript/strip';
const found = [];
const say = (file, line, column, message) => found.push(`${file}:${line || 1}:${column || 1}: ${String(message).replace(/\s+/g, ' ')}`);

const javascript = (file) => {
  const { error } = require('/opt/glovebox/javascript/program.js').parse(path.resolve(file), file);
  if (error) say(file, error.line, error.column, error.message);
};

const typescript = (file) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lint-'));
  const name = path.basename(file);
  fs.copyFileSync(file, path.join(dir, name));
  const job = JSON.stringify({ files: [name] });
  const done = spawnSync(strip, [job, process.execPath, '--version'], { cwd: dir, stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'] });
  if (done.error) return false;
  const event = String(done.output[5]).split('\n')[0];
  if (event) {
    const { line, column, message } = JSON.parse(event).syntax;
    say(file, line, column, message);
  }
  return true;
};

// compiler finds TypeScript's own, where the image has it: never the tree's.
const compiler = () => {
  for (const dir of [path.join(process.execPath, '../../lib/node_modules'), '/usr/lib/node_modules', '/usr/share/nodejs']) {
    try {
      return createRequire(path.join(dir, 'x.js'))(path.join(dir, 'typescript'));
    } catch {
      // It is not there.
    }
  }
  return null;
};

const types = (ts, files) => {
  const config = ts.findConfigFile('.', ts.sys.fileExists);
  const read = config ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, '.').options : { strict: true };
  const program = ts.createProgram(files, { ...read, noEmit: true, skipLibCheck: true });
  for (const d of ts.getPreEmitDiagnostics(program)) {
    if (!d.file) continue;
    const name = path.relative('.', d.file.fileName);
    if (!files.includes(name)) continue;
    const at = ts.getLineAndCharacterOfPosition(d.file, d.start ?? 0);
    say(name, at.line + 1, at.character + 1, ts.flattenDiagnosticMessageText(d.messageText, ' '));
  }
};

const files = process.argv.slice(2).filter((file) => fs.existsSync(file));
const plain = files.filter((file) => /\.[cm]?js$/.test(file));
const typed = files.filter((file) => /\.[cm]?ts$/.test(file));
let reason = plain.length + typed.length === 0 ? 'no file of JavaScript or TypeScript is among those to check' : '';
plain.forEach(javascript);
for (const file of typed) {
  if (file.endsWith('.d.ts')) continue;
  if (!typescript(file)) reason = 'TypeScript cannot be parsed in this image';
}
if (typed.length > 0 && found.length === 0 && !reason) {
  const ts = compiler();
  if (ts) types(ts, typed);
  else reason = 'the syntax is right; the types were not checked: the image has no package typescript';
}
for (const line of found) console.log(line);
if (reason) console.error(reason);
process.exitCode = found.length > 0 ? 1 : reason ? 3 : 0;
