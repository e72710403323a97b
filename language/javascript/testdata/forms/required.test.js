const { test, describe, it } = require('node:test');
const assert = require('node:assert/strict');
const { add, later, make, each, Counter, fail } = require('./solution');

test('adds', () => {
  assert.equal(add(1, 2), 3);
  assert.equal(add(20, 22), 42);
});
describe('the rest', () => {
  it('waits', async () => assert.equal(await later(41), 42));
  it('makes', () => assert.deepEqual(make(5), { total: 5, list: [5, 6] }));
  it('maps', (t) => assert.deepEqual(each([1, 2], (v) => v + 1), [2, 3]));
  it('counts', () => assert.equal(new Counter().up(2).value, 2));
  it('throws', () => assert.throws(() => fail('more'), { name: 'RangeError', message: 'no more' }));
});
