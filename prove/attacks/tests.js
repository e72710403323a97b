const assert = require('node:assert');
const { answer } = require('./solution');
assert.strictEqual(answer(), 42);
