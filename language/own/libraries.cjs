'use strict';
// Prints the libraries that are here, `name version` a line.

const fs = require('node:fs');
const path = require('node:path');
const { builtinModules } = require('node:module');

const most = 400;
console.log(`Node.js ${process.versions.node}`);
console.log(`(built in) ${builtinModules.filter((name) => !name.startsWith('_')).join(' ')}`);

const found = new Map();
const list = (dir) => {
  try {
    return fs.readdirSync(dir).sort();
  } catch {
    return [];
  }
};
const note = (dir, name) => {
  try {
    const { version } = JSON.parse(fs.readFileSync(path.join(dir, name, 'package.json'), 'utf8'));
    if (!found.has(name)) found.set(name, String(version ?? ''));
  } catch {
    // It is no package.
  }
};
for (const dir of [path.join(process.execPath, '../../lib/node_modules'), '/usr/lib/node_modules', '/usr/share/nodejs', '/workspace/node_modules']) {
  for (const name of list(dir)) {
    if (name.startsWith('@')) for (const inner of list(path.join(dir, name))) note(dir, `${name}/${inner}`);
    else note(dir, name);
  }
}
const all = [...found];
for (const [name, version] of all.slice(0, most)) console.log(`${name} ${version}`);
if (all.length > most) console.log(`(${all.length - most} more)`);
