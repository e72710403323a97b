const assert = require('node:assert');
const { Bag } = require('./solution');

test('it has what it was given', () => {
  const bag = new Bag([1]);
  assert.strictEqual(bag.has(1), true);
  assert.strictEqual(bag.has(2), false);
});

test('a union has both', () => {
  const both = new Bag([1]).union(new Bag([2]));
  assert.strictEqual(both.has(1), true);
  assert.strictEqual(both.has(2), true);
  assert.strictEqual(both.has(3), false);
  assert.ok(both.equals(new Bag([1, 2])));
  assert.ok(!both.equals(new Bag([1])));
});
