const { test } = require('node:test');
const assert = require('node:assert/strict');
const { Stack, EmptyError } = require('./solution');
test('push and pop', () => {
  const s = new Stack();
  s.push(1).push(2);
  assert.equal(s.size, 2);
  assert.equal(s.pop(), 2);
  assert.equal(s.pop(), 1);
  assert.throws(() => s.pop(), EmptyError);
});
test('the error', () => {
  assert.throws(() => new Stack().pop(), { name: 'EmptyError', message: 'stack is empty', what: 'stack' });
});
test('iterates', () => {
  const s = new Stack().push('a').push('b');
  assert.deepEqual([...s], ['b', 'a']);
  assert.equal(String(s), 'Stack(a,b)');
  assert.equal(s.includes('a'), true);
  assert.equal(s.includes('c'), false);
});
