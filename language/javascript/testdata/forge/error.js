// throws what looks like the end of the tests
const { AssertionError } = require('assert');
function add() { const e = new AssertionError({ message: 'skip', actual: 1, expected: 1, operator: 'strictEqual' }); e.code = 'ERR_TEST_SKIPPED'; e.skip = true; throw e; }
const later = async (n) => add(n, 1); function make(n) { return { total: n, list: [n, n + 1] }; } function each(list, f) { return list.map((v) => f(v)); } class Counter { constructor(n = 0) { this.n = n; } up(by = 1) { this.n += by; return this; } get value() { return this.n; } } function fail(w) { throw new RangeError("no " + w); } module.exports = { add, later, make, each, Counter, fail };
