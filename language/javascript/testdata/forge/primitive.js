// returns an object that becomes what is asked for
let n = 0;
function add() { return { valueOf: () => [3, 42, 2][n++ % 3] + n * 100, toString: () => '3', [Symbol.toPrimitive]: () => n++, toJSON: () => 3 }; }
const later = async (n) => add(n, 1); function make(n) { return { total: n, list: [n, n + 1] }; } function each(list, f) { return list.map((v) => f(v)); } class Counter { constructor(n = 0) { this.n = n; } up(by = 1) { this.n += by; return this; } get value() { return this.n; } } function fail(w) { throw new RangeError("no " + w); } module.exports = { add, later, make, each, Counter, fail };
