const test = require('node:test');
const assert = require('node:assert/strict');
const { primes, chunks, ticks } = require('./solution');
test('primes', () => {
  const got = [];
  for (const p of primes()) {
    if (p > 20 || got.length > 50) break;
    got.push(p);
  }
  assert.deepEqual(got, [2, 3, 5, 7, 11, 13, 17, 19]);
});
test('chunks', () => assert.deepEqual([...chunks([1, 2, 3], 2)], [[1, 2], [3]]));
test('ticks', async () => {
  const got = [];
  for await (const t of ticks(4)) got.push(t);
  assert.deepEqual(got, [0, 1, 4, 9]);
});
