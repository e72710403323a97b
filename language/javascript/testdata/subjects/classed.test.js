const assert = require('node:assert');
const { parse, ValidationError } = require('./solution');
assert.strictEqual(parse('4'), 4);
assert.throws(() => parse('x'), ValidationError);
