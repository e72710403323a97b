// Money total
class Money {
  #cents;
  constructor(n) { this.#cents = Math.round(n * 100); }
  valueOf() { return this.#cents / 100; }
  toString() { return `${(this.#cents / 100).toFixed(2)} EUR`; }
  plus(o) { return new Money(this + o); }
}
function total(list) { return list.reduce((a, b) => a.plus(b), new Money(0)); }
module.exports = { Money, total };
