const assert = require('assert');
const { greet } = require('./main');
assert.ok(greet('Cid').startsWith('Hello, C'));
assert.ok(greet('Cid').endsWith('d!'));
assert.ok(greet('Cid').match(/Cid/));
if (!greet('Dan').includes('Dan')) throw new Error('wrong');
