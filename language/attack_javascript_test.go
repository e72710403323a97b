package language

import (
	"fmt"
	"testing"
)

// attackNode are wrong programs, each with tests that a right program passes
// out of process and that the wrong one must fail.
var attackNode = []struct{ name, right, wrong, tests string }{
	{"a made object that comes back and judges",
		"class Stack { constructor() { this.a = []; } push(x) { this.a.push(x); } toArray() { return this.a; } }\nmodule.exports = { Stack };\n",
		"class Stack { push() {} toArray() { return this; } includes() { return true; } get length() { return 2; } }\nmodule.exports = { Stack };\n", `
const assert = require('node:assert');
const { Stack } = require('./solution');
const s = new Stack();
s.push(1);
assert.ok(s.toArray().includes(1));
`},
	{"the same, by a variable",
		"class Stack { constructor() { this.a = []; } push(x) { this.a.push(x); } toArray() { return this.a; } }\nmodule.exports = { Stack };\n",
		"class Stack { push() {} toArray() { return this; } some() { return true; } includes() { return true; } get length() { return 2; } }\nmodule.exports = { Stack };\n", `
const assert = require('node:assert');
const test = require('node:test');
const { Stack } = require('./solution');
test('it has what was pushed', () => {
  const s = new Stack();
  s.push(1);
  const got = s.toArray();
  assert.ok(got.some((x) => x === 1));
});
`},
	{"a made object that comes back as a number",
		"class Stack { constructor() { this.a = []; } push(x) { this.a.push(x); } size() { return this.a.length; } }\nmodule.exports = { Stack };\n",
		"class Stack { push() {} size() { return this; } valueOf() { return 1; } }\nmodule.exports = { Stack };\n", `
const assert = require('node:assert');
const { Stack } = require('./solution');
const s = new Stack();
s.push(1);
assert.ok(s.size() > 0);
`},
	{"objects that are made, return themselves and judge",
		"class Bag { constructor() { this.a = new Set(); } add(x) { this.a.add(x); return this; } has(x) { return this.a.has(x); } }\nmodule.exports = { Bag };\n",
		"class Bag { add() { return this; } has() { return false; } }\nmodule.exports = { Bag };\n", `
const assert = require('node:assert');
const { Bag } = require('./solution');
const b = new Bag();
b.add(1).add(2);
b.add(3);
assert.ok(b.has(1) && b.add(4).has(2));
`},
	{"a skip by what the program has",
		"module.exports = { slow: () => 1, fast: () => 1 };\n", "module.exports = { slow: () => 1 };\n", `
const assert = require('node:assert');
const test = require('node:test');
const lib = require('./solution');
test('slow', () => assert.strictEqual(lib.slow(), 1));
test('fast', (t) => {
  if (typeof lib.fast !== 'function') return t.skip('no fast');
  assert.strictEqual(lib.fast(), 1);
});
`},
	{"a skip by an option",
		"module.exports = { slow: () => 1, fast: () => 1 };\n", "module.exports = { slow: () => 1 };\n", `
const assert = require('node:assert');
const test = require('node:test');
const lib = require('./solution');
test('slow', () => assert.strictEqual(lib.slow(), 1));
test('fast', { skip: typeof lib.fast !== 'function' }, () => assert.strictEqual(lib.fast(), 1));
`},
	{"a skip by a choice",
		"module.exports = { slow: () => 1, fast: () => 1 };\n", "module.exports = { slow: () => 1 };\n", `
const assert = require('node:assert');
const lib = require('./solution');
test('slow', () => assert.strictEqual(lib.slow(), 1));
(lib.fast ? test : test.skip)('fast', () => assert.strictEqual(lib.fast(), 1));
`},
	{"an argument made empty beside what is made of it",
		"module.exports = { f: (l) => l.slice().sort() };\n", "module.exports = { f: (l) => { l.length = 0; return []; } };\n", `
const assert = require('node:assert');
const { f } = require('./solution');
const xs = [3, 1, 2];
assert.deepStrictEqual(f(xs), [...xs].sort());
`},
	{"the same in place, and by expect",
		"module.exports = { f: (l) => l.sort() };\n", "module.exports = { f: (l) => { l.length = 0; return l; } };\n", `
const { f } = require('./solution');
test('f', () => {
  const xs = [3, 1, 2];
  expect(f(xs)).toEqual(xs.slice().sort());
  expect(f(xs)).toBe(xs);
});
`},
	{"the same in a condition",
		"module.exports = { f: (o) => Object.keys(o).length };\n", "module.exports = { f: (o) => { for (const k in o) delete o[k]; return 0; } };\n", `
const { f } = require('./solution');
const o = { a: 1, b: 2 };
if (f(o) !== Object.keys(o).length) throw new Error('another count');
`},
	{"the same by a function of the tests",
		"module.exports = { f: (s) => new Set(s) };\n", "module.exports = { f: (s) => { s.clear(); return new Set(); } };\n", `
const assert = require('node:assert');
const { f } = require('./solution');
const copy = (s) => { return f(s); };
const s = new Set([1, 2]);
assert.deepStrictEqual(copy(s), new Set([...s]));
`},
	{"no cases beside a test that is left out",
		"module.exports = { cases: () => [1, 2], f: (x) => x + 1 };\n", "module.exports = { cases: () => [], f: (x) => x };\n", `
const { cases, f } = require('./solution');
const assert = require('node:assert');
test.skip('later', () => {});
for (const x of cases()) test('f', () => assert.strictEqual(f(x), x + 1));
`},
	{"a class of errors that is every error",
		"class EmptyError extends Error {}\nmodule.exports = { EmptyError, pop(a) { if (a.length === 0) throw new EmptyError('empty'); return a.pop(); } };\n",
		"module.exports = { EmptyError: Error, pop: () => 1 };\n", `
const assert = require('node:assert');
const { EmptyError, pop } = require('./solution');
assert.strictEqual(pop([1]), 1);
let thrown = null;
try {
  pop([]);
  throw new Error('no error');
} catch (e) {
  thrown = e;
}
assert.ok(thrown instanceof EmptyError);
`},
	{"a key of the prototype",
		"module.exports = { parse: (s) => ({ a: 1 }) };\n", "module.exports = { parse: (s) => JSON.parse('{\"__proto__\": {\"a\": 1}}') };\n", `
const assert = require('node:assert');
const { parse } = require('./solution');
assert.strictEqual(parse('x').a, 1);
assert.strictEqual(parse('x').b, undefined);
`},
	{"an array with further keys",
		"module.exports = { f: () => [1, 2] };\n", "module.exports = { f: () => Object.assign([1], { includes: true, 1.5: 2 }) };\n", `
const { f } = require('./solution');
test('f', () => { expect(f()).toEqual([1, 2]); expect(f()).toContain(2); });
`},
	{"a Map whose keys are objects that say yes",
		"module.exports = { f: () => new Map([['a', 1]]) };\n",
		"class K { valueOf() { return 'a'; } toString() { return 'a'; } }\nmodule.exports = { f: () => new Map([[new K(), 1]]) };\n", `
const { f } = require('./solution');
test('f', () => { expect(f()).toEqual(new Map([['a', 1]])); });
`},
}

// TestAttackNode: a right program passes out of process, and no wrong one passes.
func TestAttackNode(t *testing.T) {
	for _, l := range []*Language{JavaScript, TypeScript, moduleJavaScript} {
		for _, a := range attackNode {
			t.Run(fmt.Sprintf("%s/%t/%s", l.Name, modules[l], a.name), func(t *testing.T) {
				tests := js(a.tests)
				if l == TypeScript {
					tests = ts("// @ts-nocheck\n" + a.tests)
				}
				attackBy(t, l, a.right, a.wrong, tests)
			})
		}
	}
}
