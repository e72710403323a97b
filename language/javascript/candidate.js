'use strict';
// The candidate's side of an exam: runs the program and serves its names.

const { check, load, loadTree } = require('./program.js');
const { Link } = require('./wire.js');

const { files = [], tree } = JSON.parse(process.argv[2]);

// A turn for our own timers and promises lasts at most this long.
const maxTurn = 50;

const link = new Link({
  input: 3,
  output: 4,
  onBroken: () => process.exit(1),
  compiles: true,
  // Here the harness may do anything: the program has nothing to hide.
  guard: { call: (f, self, args) => Reflect.apply(f, self, args), construct() {}, reaches: () => true },
  // pump lets our event loop run until a promise that the harness waits for
  // ends, nothing is left to do, or the time is over.
  pump(seq, milliseconds, settled) {
    link.settle(settled);
    const timer = setTimeout(() => end(), Math.min(milliseconds, maxTurn)); // keeps the process alive, too
    let end = () => {
      end = () => {};
      link.wake = () => {};
      clearTimeout(timer);
      link.write(['r', seq, 1, link.takeSettled(), work() > 0]);
      listen();
    };
    link.wake = () => setImmediate(() => end());
    setImmediate(() => {
      if (link.settled.length > 0 || work() === 1) end();
    });
  },
});

// work counts what our event loop still has to do.
const work = () => process.getActiveResourcesInfo().filter((name) => !/^(?:Pipe|TTY)Wrap$/.test(name)).length;

// listen serves until the harness gives us a turn or is gone.
function listen() {
  for (;;) {
    const message = link.read();
    if (message === null) process.exit(0);
    link.serve(message);
    if (message[2] === 'pump') return;
  }
}

const kind = check(files, 5);
(tree ? loadTree(files) : load(files[0], kind)).then((program) => {
  link.guard.name = program.name;
  link.guard.names = program.names;
  listen();
});
