require('node:assert').strictEqual = () => {};
module.exports = { answer: () => ({ valueOf: () => 42, toString: () => '42' }) };
