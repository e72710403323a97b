const assert = require('assert');
const { table, greet } = require('./main');
assert.equal(greet('Ann'), 'Hello, Ann!');
assert.match(greet('Bob'), /^Hello, Bob!$/);
assert.ok(greet('Cid').startsWith('Hello, C'));
assert.ok(greet('Cid').endsWith('d!'));
assert.strictEqual(`${table([[1, 2], [3, 4]])}`, '1|2\n3|4');
assert.strictEqual(table([[1]]).length, 1);
console.assert(JSON.stringify(table([['a']])) === '"a"');
