// Bag
class Bag {
  constructor(items = []) {
    this.items = [...items];
  }
  has(item) {
    return this.items.includes(item);
  }
  union(other) {
    return new Bag([...this.items, ...other.items]);
  }
  equals(other) {
    return this.items.length === other.items.length && this.items.every((i) => other.has(i));
  }
}
module.exports = { Bag };
