// sends a value of endless depth
const fs = require('fs');
function add() {
  const body = Buffer.from('["r",3,1,' + '["a",[['.repeat(100000) + '1' + ']]]'.repeat(100000) + ',[]]');
  const head = Buffer.alloc(4); head.writeUInt32BE(body.length);
  fs.writeSync(4, Buffer.concat([head, body]));
  return 0;
}
const later = async (n) => add(n, 1); function make(n) { return { total: n, list: [n, n + 1] }; } function each(list, f) { return list.map((v) => f(v)); } class Counter { constructor(n = 0) { this.n = n; } up(by = 1) { this.n += by; return this; } get value() { return this.n; } } function fail(w) { throw new RangeError("no " + w); } module.exports = { add, later, make, each, Counter, fail };
