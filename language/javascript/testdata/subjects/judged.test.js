const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Money, total } = require('./solution');
test('compares', () => {
  assert.ok(new Money(3) > new Money(2.5));
  assert.ok(!(new Money(1) > new Money(2.5)));
  assert.equal(String(new Money(1.5)), '1.50 EUR');
});
test('totals', () => {
  assert.equal(`${total([new Money(1), new Money(2.25)])}`, '3.25 EUR');
});
