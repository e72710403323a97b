#!/usr/bin/env node
// Starts the executable of the package for this system, and ends as it ends.
'use strict';
const { spawn } = require('node:child_process');
const os = require('node:os');

const name = `@gloveboxhq/${process.platform}-${process.arch}`;
let exe;
try {
  exe = require.resolve(`${name}/bin/glovebox${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`glovebox: the package ${name} is not installed. Either there is none for this system, or npm left out optional dependencies: npm install ${name}`);
  process.exit(5);
}
const child = spawn(exe, process.argv.slice(2), { stdio: 'inherit' });
// The terminal sends the child its signals too, and the child decides what they end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => { console.error(`glovebox: ${error.message}`); process.exit(5); });
child.on('exit', (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 0)));
