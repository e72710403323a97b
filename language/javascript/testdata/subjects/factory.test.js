const { createCounter, createCache, compose } = require('./solution');
test('counter', () => {
  const c = createCounter(5);
  expect(c.next()).toBe(6);
  expect(c.next()).toBe(7);
  expect(c.value).toBe(7);
});
test('cache', () => {
  const cache = createCache(2);
  cache.set('a', 1).set('b', 2).set('c', 3);
  expect(cache.has('a')).toBe(false);
  expect(cache.has('c')).toBe(true);
  expect(cache.get('b')).toBe(2);
  cache.evictAll();
  expect(cache.has('c')).toBe(false);
});
test('compose', () => expect(compose((a) => a + 1, (a) => a * 2)(5)).toBe(11));
