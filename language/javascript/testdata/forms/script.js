const assert = require('node:assert');
function test() {
  let candidate = add;
  assert.deepEqual(candidate(1, 2), 3);
  assert.deepEqual(candidate(20, 22), 42);
  assert.deepEqual(make(5), { total: 5, list: [5, 6] });
  assert.deepStrictEqual(each([1, 2, 3], (v) => v * 2), [2, 4, 6]);
  assert.strictEqual(new Counter(1).up().up(3).value, 5);
  assert.throws(() => fail('more'), RangeError);
}
test();
