// Stack EmptyError
class EmptyError extends Error {
  constructor(what) { super(`${what} is empty`); this.name = 'EmptyError'; this.what = what; }
}
class Stack {
  #items = [];
  static of(...items) { const s = new Stack(); for (const i of items) s.push(i); return s; }
  push(v) { this.#items.push(v); return this; }
  pop() { if (this.#items.length === 0) throw new EmptyError('stack'); return this.#items.pop(); }
  get size() { return this.#items.length; }
  includes(v) { return this.#items.includes(v); }
  *[Symbol.iterator]() { yield* [...this.#items].reverse(); }
  toString() { return `Stack(${this.#items.join(',')})`; }
}
module.exports = { Stack, EmptyError };
