'use strict';
// Tests that need the program in their own process. The program could reach
// everything here: what is reported resists accidents, not an attack.

const fs = require('node:fs');
const { Exam, Report, mustRun } = require('./exam.js');
const { check, load, loadTree } = require('./program.js');

const config = JSON.parse(process.argv[2]);
const nonce = fs.readFileSync(3, 'utf8').trim();
fs.closeSync(3);

const report = new Report(5, nonce);
const { files = [], tree } = config.loaded;
const kind = check(files, 5, true);
mustRun(config, report);
let calls = 0;

process.on('unhandledRejection', (error) => {
  throw error;
});
(tree ? loadTree(files) : load(files[0], kind)).then((loaded) => {
  const program = {
    names: loaded.names,
    name(module, name) {
      calls++;
      return loaded.name(module, name)[1];
    },
    calls: () => calls,
    last: () => '',
    where: () => '',
    waits: () => false,
    read() {},
    judges: () => false,
    release() {},
    shown: (run) => run(),
    apart: false,
    isTheirs: () => false,
    plain: (actual, expected) => [actual, expected],
  };
  const exam = new Exam({ program, report, config });
  if (config.framework === 'node:test') require('./nodetest.js').exam = exam;
  exam.run().catch((error) => exam.crash(error));
});
