const assert = require('node:assert');
const { sorted, total, merged } = require('./solution');

test('sorts as the language does', () => {
  for (const list of [[3, 1, 2], [5, -1], [9, 8, 7, 7]]) {
    assert.deepStrictEqual(sorted(list), [...list].sort((a, b) => a - b));
  }
});

test('adds up', () => {
  const prices = { tea: 2, milk: 3 };
  assert.strictEqual(total(prices), prices.tea + prices.milk);
});

test('merges', () => {
  const a = new Map([['x', 1]]);
  const b = new Map([['y', 2]]);
  expect(merged(a, b)).toEqual(new Map([...a.entries(), ...b.entries()]));
});
