function add(a, b) { return a + b; }
const later = async (n) => add(n, 1);
function make(n) { return { total: n, list: [n, n + 1] }; }
function each(list, f) { return list.map((v) => f(v)); }
class Counter {
  #n = 0;
  constructor(start = 0) { this.#n = start; }
  up(by = 1) { this.#n += by; return this; }
  get value() { return this.#n; }
}
function fail(what) { throw new RangeError('no ' + what); }
module.exports = { add, later, make, each, Counter, fail };
