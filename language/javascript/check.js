'use strict';
// Loaded before the program: checks its files, then leaves no trace.

const { isMainThread } = require('node:worker_threads');

const files = process.env.GLOVEBOX_CHECK;
delete process.env.GLOVEBOX_CHECK;
process.execArgv = [];
if (files && isMainThread) {
  require('./program.js').check(files.split('\n'), 5);
  for (const file of Object.keys(require.cache)) delete require.cache[file];
}
