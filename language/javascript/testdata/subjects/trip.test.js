const assert = require('node:assert');
const { encode, decode } = require('./solution');
const value = { a: 1, b: 2 };
assert.strictEqual(typeof encode({ a: 3 }), 'string');
assert.deepStrictEqual(decode(encode(value)), value);
