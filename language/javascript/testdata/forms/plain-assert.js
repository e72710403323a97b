assert(add(1, 2) === 3);
assert.deepStrictEqual(add(20, 22), 42);
