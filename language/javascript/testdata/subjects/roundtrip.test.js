const { encode, decode, flatten } = require('./solution');
test('round trip', () => {
  const value = { a: 1, b: 2 };
  expect(decode(encode(value))).toEqual(value);
  expect(encode({ a: 1 })).toBe('a=1');
});
test('flatten leaves flat lists', () => {
  const flat = [1, 2, 3];
  expect(flatten(flat)).toEqual(flat);
  expect(flatten([1, [2, [3]]])).toEqual([1, 2, 3]);
});
