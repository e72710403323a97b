const { index, words } = require('./solution.js');
test('has', () => {
  expect(index([['a', 1]]).has('a')).toBe(true);
  expect(words('a b').has('b')).toBeTruthy();
});
