'use strict';
// The harness's side of an exam: runs the tests in a process that the candidate
// cannot reach, against proxies for the candidate's names.

const util = require('node:util');
const { AssertionError } = require('node:assert');
const { Exam, Report, mustRun } = require('./exam.js');
const { factories, results, siblings, plainly, equality, sparse, stringly } = require('./text.js');
const { Link, everyError } = require('./wire.js');

const config = JSON.parse(process.argv[2]);
process.argv = [process.execPath, '/workspace/' + config.tests[0]];
process.execArgv = [];

const report = new Report(5);
let calls = 0;
let asked = new Map(); // what the tests ask of what methods give
let whole = ''; // what the tests call what a module exports
let last = null;

const link = new Link({
  input: 3,
  output: 4,
  // Nothing can clear this: no code of the tests runs any more.
  onBroken(reason) {
    report.broken(`the candidate's side of the tests cannot be trusted any more: ${reason}`);
    process.reallyExit(1);
  },
  guard: {
    call(f, self, args) {
      if (typeof f !== 'function') throw new TypeError('it is not a function');
      try {
        return Reflect.apply(f, self, args);
      } catch (error) {
        // An assertion in a callback counts, even if the candidate hides it.
        if (error instanceof AssertionError) exam.fail('callback', error, 'failed');
        throw error;
      }
    },
    construct(f) {
      if (typeof f !== 'function') throw new TypeError('it is not a class');
    },
    // Of our objects the candidate sees what the tests defined in them and
    // their classes, never a way to the language's own objects.
    reaches(object, holder, key) {
      if (typeof object === 'function' || typeof holder === 'function' || util.types.isProxy(object)) return false;
      return !['constructor', '__proto__', 'prototype'].includes(key);
    },
    names: () => [],
    name: () => [0],
  },
  policy: { strict: true, sparse: false, texts: new Set(), place: () => exam.place(), reads: () => exam.place().reads === true, factories: new Set(), judged: new Set(), siblings: new Set(), plain: (name, key) => plainly(asked, name, key), equality: false, holds: () => exam.holds(), mark: () => exam.mark(), refuse: (why) => exam.refuse(why) },
  pump() {
    link.broken('it asked for a turn');
  },
});
link.used = (doing, ok, result) => {
  last = { doing, ok, result };
  alive = true;
  arm();
};

// While our event loop waits, the candidate's runs, in short turns.
const turn = 4; // milliseconds
let alive = true;
let now = null;
let soon = null;

// arm sees to the next turn: at once while the tests wait for the candidate,
// else as long as something of their own keeps us running.
function arm() {
  if (now) return;
  if (alive && link.settlers.size + link.thens > 0) {
    clearTimeout(soon);
    soon = null;
    now = setImmediate(tick);
  } else {
    soon ??= setTimeout(tick, turn).unref();
  }
}

function tick() {
  now = soon = null;
  if (alive || link.settled.length > 0) {
    const [, settled, still] = link.ask('pump', turn, link.takeSettled());
    alive = still === true || link.settled.length > 0;
    link.settle(settled);
  }
  arm();
}
link.wake = () => {
  alive = true;
  arm();
};
// The program may call the tests later: as long as it has something to do, and
// the tests something to wait for, nobody is at the end.
process.on('beforeExit', () => {
  if (!alive || now || exam.over()) return;
  now = setImmediate(tick);
});

const program = {
  names(module, names) {
    const found = link.use(() => 'loading', 'names', 0, module, names);
    last = null;
    return Array.isArray(found) ? found.filter((name) => names.includes(name)) : [];
  },
  name(module, name) {
    const before = last;
    const found = link.use(() => `looking for ${name}`, 'name', 0, module, name);
    last = before;
    calls++;
    let value = Array.isArray(found) && found[0] === 1 ? found[1] : undefined;
    // A class of the program that would be the class of every error is none.
    if (everyError.has(value) && value.name !== name) value = undefined;
    const spelled = name === 'default' || name === '*' ? whole : name;
    if (link.policy.judged.has(spelled)) exam.mark();
    if (value !== null && link.theirIds.has(Object(value))) link.spelled.set(value, spelled);
    return value;
  },
  calls: () => calls,
  last: () => last && `${last.doing()}: it ${last.ok === 1 ? 'returned' : 'threw'} ${show(last.result)}`,
  where: (error) => link.where.get(error),
  // read tells what the tests' own text is.
  read(text) {
    const found = factories(text);
    link.policy.factories = found.factories;
    link.policy.judged = found.judged;
    link.policy.siblings = siblings(text);
    link.policy.equality = equality(text);
    link.policy.sparse = sparse(text);
    link.policy.texts = stringly(text);
    asked = results(text);
    if (found.whole.size > 0) whole = [...found.whole].find((name) => found.judged.has(name)) ?? [...found.whole][0];
  },
  // judges tells whether the text of a test has results judge.
  judges: (text) => link.policy.equality && /\.\s*(?:equals|compare)\s*\(/.test(text),
  release: () => link.release(),
  shown: (run) => link.shown(run),
  apart: true,
  isTheirs: (value) => value !== null && link.theirIds.has(Object(value)),
  // plain returns what the tests compare, where objects of the program are
  // copies. What a call returned is compared with what its arguments were before.
  plain(actual, expected) {
    const mine = { theirs: false, made: false };
    const wanted = { theirs: false, made: false };
    const past = link.came.has(Object(actual)) || link.came.has(Object(expected));
    const pair = [link.whole(actual, { notes: mine, past: past && !link.came.has(Object(actual)) }), link.whole(expected, { notes: wanted, past: past && !link.came.has(Object(expected)) })];
    if (wanted.made || (mine.made && (wanted.theirs || link.came.has(Object(expected))))) exam.mark();
    return pair;
  },
  waits: () => link.settlers.size + link.thens > 0,
};

const show = (value) => {
  const text = util.inspect(value, { depth: 3, breakLength: Infinity, maxArrayLength: 20, maxStringLength: 200 });
  return text.length > 500 ? text.slice(0, 500) + '…' : text;
};

mustRun(config, report);
const exam = new Exam({ program, report, config });
exam.run().catch((error) => exam.crash(error));
