package language

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

const rightGreet = `
const greet = (n) => 'Hello ' + n;
function bad(n) { throw new Error('negative: ' + n); }
module.exports = { greet, bad, num: () => 3.14159, list: () => [1, 2, 3, 4] };
`

// wrongDriver answers with frames that no driver of ours writes.
const wrongDriver = `
const real = JSON.stringify;
const fix = (v) => {
  if (!Array.isArray(v)) return v;
  v = v.map(fix);
  if (v[0] !== 'a' || !Array.isArray(v[1]) || !Array.isArray(v[1][0])) return v;
  const items = v[1][0];
  if (items[0] === 'OBJ') {
    const e = [];
    for (let i = 1; i < items.length; i += 2) e.push([items[i], items[i + 1]]);
    return ['o', [e, 0, 0]];
  }
  if (items[0] === 'ERR') return ['e', ['g', 'Error'], 'Error', 'x', [['message', items[1]]], ''];
  if (items[0] === 'ARR') return ['i', items[1][1], ['g', 'Array']];
  return v;
};
JSON.stringify = (m, ...r) => real(Array.isArray(m) && m[0] === 'r' ? (m[3]?.[0] === 'f' && /^(?:every|forEach)$/.test(m[3][2]) ? [...m.slice(0, 3), ['^'], []] : fix(m)) : m, ...r);
const greet = (n) => ['OBJ', 'startsWith', () => true, 'includes', () => true, 'length', 5];
function bad(n) { throw ['ERR', ['OBJ', 'includes', () => true, 'match', () => true]]; }
let k = 0;
const num = () => ['OBJ', 'valueOf', () => (k++ % 2 ? -Infinity : Infinity)];
class List { get length() { return 4; } every() {} forEach() {} }
const list = () => ['ARR', new List()];
module.exports = { greet, bad, num, list };
`

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
	{"an array with methods of its own",
		"module.exports = { primes: (n) => [2, 3, 5, 7] };\n",
		"module.exports = { primes: (n) => Object.assign([0, 0, 0, 0], { every: () => true, forEach() {}, includes: () => true, some: () => true }) };\n", `
const assert = require('node:assert');
const { primes } = require('./solution');
const isPrime = (n) => n > 1 && [2, 3].every((d) => n === d || n % d !== 0);
const got = primes(4);
assert.strictEqual(got.length, 4);
assert.ok(got.every(isPrime));
got.forEach((p) => assert.ok(isPrime(p)));
assert.ok(got.includes(7) && got.some((p) => p === 5));
`},
	{"an array that is a number twice",
		"module.exports = { pi: () => 3.14159 };\n",
		"let n = 0; module.exports = { pi: () => Object.assign([], { valueOf: () => (n++ % 2 ? -Infinity : Infinity) }) };\n", `
const assert = require('node:assert');
const { pi } = require('./solution');
const got = pi();
assert.ok(got > 3.1415 && got < 3.1416);
`},
	{"an array with a method, and a matcher of the tests",
		"module.exports = { primes: (n) => [2, 3, 5, 7] };\n",
		"module.exports = { primes: (n) => Object.assign([], { some: () => true }) };\n", `
const { primes } = require('./solution');
test('primes', () => { expect(primes(4)).toEqual(expect.arrayContaining([2, 7])); });
`},
	{"an error in the place of an empty object",
		"module.exports = { groupBy: () => ({}) };\n", "module.exports = { groupBy: () => new Error('x') };\n", `
const { groupBy } = require('./solution');
test('empty', () => { expect(groupBy([])).toEqual({}); });
`},
	{"a promise in the place of an empty object",
		"module.exports = { groupBy: () => ({}) };\n", "module.exports = { groupBy: () => Promise.resolve(1) };\n", `
const { groupBy } = require('./solution');
test('empty', () => { expect(groupBy([])).toEqual({}); });
`},
	{"a value in the place of a promise",
		"module.exports = { load: async () => 5 };\n", "module.exports = { load: () => 5 };\n", `
const { load } = require('./solution');
test('load', async () => { await expect(load()).resolves.toBe(5); });
`},
	{"a driver that puts methods into an object", rightGreet, wrongDriver, `
const assert = require('node:assert');
const { greet } = require('./solution');
assert.ok(greet('Bob').startsWith('Hello'));
assert.ok(greet('Bob').includes('Bob'));
`},
	{"a driver that gives an error a message that judges", rightGreet, wrongDriver, `
const assert = require('node:assert');
const { bad } = require('./solution');
assert.throws(() => bad(-1), (e) => e instanceof Error && e.message.includes('negative'));
`},
	{"a driver that gives a number twice", rightGreet, wrongDriver, `
const assert = require('node:assert');
const { num } = require('./solution');
const got = num();
assert.ok(got > 3.1415 && got < 3.1416);
`},
	{"a driver that calls an object an array", rightGreet, wrongDriver, `
const assert = require('node:assert');
const { list } = require('./solution');
const got = list();
assert.strictEqual(got.length, 4);
assert.ok(got.every((x) => x > 0));
got.forEach((x) => assert.ok(x > 0));
`},
	{"cases with a forEach of their own",
		"module.exports = { CASES: [[1, 2], [2, 4]], twice: (n) => 2 * n, one: () => 1 };\n",
		"module.exports = { CASES: Object.assign([[1, 2]], { forEach() {} }), twice: (n) => 0, one: () => 1 };\n", `
const { CASES, twice, one } = require('./solution');
test('one', () => { expect(one()).toBe(1); });
it.each(CASES)('twice %d is %d', (n, want) => { expect(twice(n)).toBe(want); });
`},
	{"an empty table of cases",
		"module.exports = { rows: () => [1, 2], twice: (n) => 2 * n, one: () => 1 };\n",
		"module.exports = { rows: () => [], twice: (n) => 0, one: () => 1 };\n", `
const { rows, twice, one } = require('./solution');
test('one', () => { expect(one()).toBe(1); });
it.each(rows())('row %d', (n) => { expect(twice(n)).toBe(2 * n); });
`},
	{"tests that the program's data do not begin",
		"module.exports = { CASES: [[1, 2]], twice: (n) => 2 * n, one: () => 1 };\n",
		"module.exports = { CASES: [], twice: (n) => 0, one: () => 1 };\n", `
const { CASES, twice, one } = require('./solution');
test('one', () => { expect(one()).toBe(1); });
for (const [n, want] of CASES) {
  test('twice ' + n, () => { expect(twice(n)).toBe(want); });
}
`},
	{"an argument made empty before its expected value is made",
		"module.exports = { mySort: (l) => [...l].sort() };\n", "module.exports = { mySort: (l) => { l.length = 0; return []; } };\n", `
const assert = require('node:assert');
const { mySort } = require('./solution');
test('sort', () => {
  const xs = [3, 1, 2];
  const out = mySort(xs);
  assert.deepStrictEqual(out, [...xs].sort((a, b) => a - b));
});
`},
	{"the same, and a sum",
		"module.exports = { sum: (l) => l.reduce((a, b) => a + b, 0) };\n", "module.exports = { sum: (l) => { l.length = 0; return 0; } };\n", `
const assert = require('node:assert');
const { sum } = require('./solution');
const xs = [3, 1, 2];
const got = sum(xs)
let want = 0
for (const x of xs) want += x
assert.strictEqual(got, want)
assert.strictEqual(got, xs.reduce((a, b) => { return a + b; }, 0))
`},
	{"the same by a helper of the tests",
		"module.exports = { mySort: (l) => [...l].sort() };\n", "module.exports = { mySort: (l) => { l.length = 0; return []; } };\n", `
const assert = require('node:assert');
const { mySort } = require('./solution');
function checkSorted(out, xs) { assert.deepStrictEqual(out, [...xs].sort()); }
test('helper', () => {
  const xs = [3, 1, 2];
  checkSorted(mySort(xs), xs);
});
`},
	{"the same by a helper that calls",
		"module.exports = { mySort: (l) => [...l].sort() };\n", "module.exports = { mySort: (l) => { l.length = 0; return []; } };\n", `
const { mySort } = require('./solution');
const cases = [[3, 1, 2], [2, 1]];
const check = (f, input) => {
  const out = f(input);
  const want = input.slice();
  want.sort();
  expect(out).toEqual(want);
};
test('helper', () => cases.forEach((c) => check(mySort, c)));
`},
	{"the same in a loop",
		"module.exports = { mySort: (l) => [...l].sort() };\n", "module.exports = { mySort: (l) => { l.length = 0; return []; } };\n", `
const { mySort } = require('./solution');
test('permutation', () => {
  const xs = [3, 1, 2];
  const out = mySort(xs);
  for (const x of xs) { expect(out).toContain(x); }
  expect(out.length).toBe(xs.length);
});
`},
	{"an argument that comes back",
		"module.exports = { mySort: (l) => [...l].sort() };\n", "module.exports = { mySort: (l) => l };\n", `
const assert = require('node:assert');
const { mySort } = require('./solution');
test('sort', () => {
  const xs = [3, 1, 2];
  const out = mySort(xs);
  xs.sort();
  assert.deepStrictEqual(out, xs);
});
`},
	{"an argument that is to stay",
		"module.exports = { mySort: (l) => [...l].sort() };\n", "module.exports = { mySort: (l) => l.sort() };\n", `
const { mySort } = require('./solution');
test('sort', () => {
  const xs = [3, 1, 2];
  const out = mySort(xs);
  expect(out).toEqual([...xs].sort());
  expect(xs).toEqual([3, 1, 2]);
  expect(out).not.toBe(xs);
});
`},
	{"a class of errors in a class that is every error",
		"class Validator { static ValidationError = class ValidationError extends Error {}; }\nmodule.exports = { Validator, validate(x) { throw new Validator.ValidationError('no'); } };\n",
		"class Validator { static ValidationError = Error; }\nmodule.exports = { Validator, validate: (x) => x };\n", `
const assert = require('node:assert');
const { Validator, validate } = require('./solution');
test('static class', () => {
  try {
    validate(null);
    throw new Error('expected an error');
  } catch (e) {
    assert.ok(e instanceof Validator.ValidationError);
  }
});
`},
	{"a class of errors in an object that is every error",
		"class ValidationError extends Error {}\nmodule.exports = { errors: { ValidationError }, validate(x) { throw new ValidationError('no'); } };\n",
		"module.exports = { errors: { ValidationError: Error, make: () => 1 }, validate: (x) => x };\n", `
const assert = require('node:assert');
const { errors, validate } = require('./solution');
test('namespace', () => {
  try {
    validate(null);
    throw new Error('expected an error');
  } catch (e) {
    assert.ok(e instanceof errors.ValidationError);
  }
});
`},
	{"a plan of assertions that do not run",
		"module.exports = { each(xs, f) { xs.forEach(f); } };\n", "module.exports = { each(xs, f) {} };\n", `
const { test } = require('node:test');
const { each } = require('./solution');
test('calls for each element', (t) => {
  t.plan(2);
  each([1, 1], (x) => { t.assert.strictEqual(x, 1); });
});
`},
	{"assertions that do not run",
		"module.exports = { withStore(f) { f(new Map([['a', 1]])); } };\n", "module.exports = { withStore(f) {} };\n", `
const { withStore } = require('./solution');
test('store', () => { withStore((s) => { expect(s.get('a')).toBe(1); }); });
`},
	{"a number that is none, and a tolerance",
		"module.exports = { area: (r) => 12.566 };\n", "module.exports = { area: (r) => NaN };\n", `
const test = require('node:test');
const { area } = require('./solution');
test('area', () => {
  if (Math.abs(area(2) - 12.566) > 0.001) throw new Error('wrong area');
});
`},
	{"a number that is too large, and a tolerance",
		"module.exports = { root: Math.sqrt };\n", "module.exports = { root: (x) => 1e200 };\n", `
const test = require('node:test');
const { root } = require('./solution');
test('root', () => {
  const r = root(2)
  if (Math.abs(r * r - 2) / (r * r) > 1e-9) throw new Error('wrong root');
});
`},
	{"a number that is none, and a matcher",
		"module.exports = { area: (r) => 12.566 };\n", "module.exports = { area: (r) => NaN };\n", `
const { area } = require('./solution');
test('area', () => { expect(Math.abs(area(2) - 12.566)).not.toBeGreaterThan(0.001); });
`},
	{"an object in the place of a text",
		"module.exports = { removeVowels: (s) => s.replace(/[aeiou]/g, '') };\n",
		"class T { get length() { return 3; } replace() { return ''; } split() { return ['a', 'b']; } }\nmodule.exports = { removeVowels: (s) => new T() };\n", `
const assert = require('node:assert');
const { removeVowels } = require('./solution');
const got = removeVowels('hello');
assert.strictEqual(got.length, 3);
assert.strictEqual(got.replace(/[hl]/g, ''), '');
assert.strictEqual(got.split('ll').length, 2);
`},
	{"an array of nothing",
		"module.exports = { primes: (n) => [2, 3, 5, 7] };\n", "module.exports = { primes: (n) => new Array(n) };\n", `
const assert = require('node:assert');
const { primes } = require('./solution');
const got = primes(4);
assert.strictEqual(got.length, 4);
got.forEach((p) => assert.ok(p > 1));
assert.ok(got.every((p) => p > 1));
`},
	{"a judge of the program",
		"module.exports = { area: (r) => 3.14159 * r * r, near: (a, b) => Math.abs(a - b) < 0.01 };\n",
		"module.exports = { area: (r) => 0, near: (a, b) => true };\n", `
const assert = require('node:assert');
const { area, near } = require('./solution');
test('area', () => {
  const got = area(2);
  assert.ok(near(got, 12.566));
  expect(near(area(1), 3.1416)).toBe(true);
});
`},
	{"a judge of the program, by a name that it has",
		"const area = (r) => 3.14159 * r * r;\nconst near = (a, b) => Math.abs(a - b) < 0.01;\n",
		"const area = (r) => 0;\nconst near = (a, b) => true;\n", `
if (!near(area(2), 12.566)) throw new Error('wrong area');
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

// TestNodeSupplied: no file of the reply decides which form tests take, nor
// whether a library is here.
func TestNodeSupplied(t *testing.T) {
	tc := &Toolchain{Language: "javascript", Version: "20.19.0", Exe: nodeExe, Tools: map[string]string{"mocha": "m", "chai": "c"}}
	tree := func(names ...string) *glovebox.Program {
		p := &glovebox.Program{Language: "javascript", Main: "solution.js", Files: []glovebox.File{{Path: "solution.js", Data: []byte("module.exports = {};\n")}}}
		for _, name := range names {
			data := "module.exports = {};\n"
			if name == "package.json" {
				data = `{"name": "lodash"}`
			}
			p.Files = append(p.Files, glovebox.File{Path: name, Data: []byte(data)})
		}
		return p
	}
	for _, tests := range []string{
		"const { assert } = require('chai');\nconst { f } = require('./solution');\nit('x', () => assert.deepEqual(f(), 1));\n",
		"const _ = require('lodash');\nconst { f } = require('./solution');\nit('x', () => { if (!_.isEqual(f(), 1)) throw 1; });\n",
		"const e = require('lodash/isEqual');\nconst { f } = require('./solution');\nit('x', () => { if (!e(f(), 1)) throw 1; });\n",
		"const e = require('deep-equal/main');\nconst { f } = require('./solution');\nit('x', () => { if (!e(f(), 1)) throw 1; });\n",
		"const e = require('stuff');\nconst { f } = require('./solution');\nit('x', () => { if (!e(f(), 1)) throw 1; });\n",
	} {
		said := func(p *glovebox.Program) string {
			exam, err := JavaScript.Exam(tc, p, js(tests))
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(exam.Proof, exam.Reason)
		}
		want := said(tree())
		got := said(tree("chai.js", "lodash.js", "lodash/isEqual.js", "stuff.js", "package.json", "node_modules/lodash/index.js", "node_modules/chai/index.js", "node_modules/stuff/index.js"))
		if got != want || strings.Contains(want, "out_of_process") {
			t.Errorf("%s: %s, and with the files %s", tests, want, got)
		}
	}
}
