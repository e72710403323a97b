import assert from 'node:assert';
import { add, later, make } from './solution.js';

assert.strictEqual(add(1, 2), 3);
assert.strictEqual(add(20, 22), 42);
assert.strictEqual(await later(1), 2);
assert.deepStrictEqual(make(1), { total: 1, list: [1, 2] });
