const assert = require('assert');
const { evens } = require('./solution.js');
assert(evens([1, 2, 4]).includes(2));
assert(evens([1, 2, 4]).every((v) => v % 2 === 0));
assert(evens([2, 4]).some((v) => v === 4));
assert(evens([2, 4]).find((v) => v === 4));
assert(evens([1, 2, 4]).indexOf(4) >= 0);
