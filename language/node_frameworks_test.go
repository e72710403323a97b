package language

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestNodeFrameworks has tests that need the real framework.
func TestNodeFrameworks(t *testing.T) {
	program := "function greet(log) { log('hi ' + Math.floor(Math.random())); return log; }\nconst later = (f) => setTimeout(f, 1e6);\nmodule.exports = { greet, later };\n"
	for _, c := range []struct {
		name, tool string
		lang       *Language
		program    string
		file, text string
		want       string // what a failure has in it; empty means a pass
	}{
		{"spies", "jest", JavaScript, program, "t.test.js", "const lib = require('./solution');\ntest('spied', () => { const s = jest.spyOn(console, 'log').mockImplementation(() => {}); lib.greet(console.log); expect(s).toHaveBeenCalledWith('hi 0'); });\n", ""},
		{"timers", "jest", JavaScript, program, "t.test.js", "test('later', () => { jest.useFakeTimers(); const f = jest.fn(); later(f); jest.advanceTimersByTime(2e6); expect(f).toHaveBeenCalledTimes(1); });\n", ""},
		{"snapshots", "jest", JavaScript, program, "t.test.js", "test('snap', () => expect({ a: 1 }).toMatchInlineSnapshot(`{ \"a\": 2 }`));\n", "snap"},
		{"extended", "jest", JavaScript, program, "t.test.js", "expect.extend({ toBeOdd(n) { return { pass: n % 2 === 1, message: () => 'odd' }; } });\ntest('odd', () => expect(4).toBeOdd());\n", "odd"},
		{"a module", "jest", JavaScript, "export const f = () => Date.now();\n", "t.test.js", "import { f } from './main.js';\ntest('f', () => { jest.spyOn(Date, 'now').mockReturnValue(5); expect(f()).toBe(5); });\n", ""},
		{"types", "jest", TypeScript, "export const f = (): number => Date.now();\n", "t.test.ts", "import { f } from './solution';\ntest('f', () => { jest.spyOn(Date, 'now').mockReturnValue(5); const n: number = f(); expect(n).toBe(5); });\n", ""},
		{"spies", "vitest", JavaScript, "export const f = () => Date.now();\n", "t.test.js", "import { test, expect, vi } from 'vitest';\nimport { f } from './solution';\ntest('f', () => { vi.spyOn(Date, 'now').mockReturnValue(5); expect(f()).toBe(5); });\ntest('g', () => { vi.useFakeTimers(); expect(f()).toBe(6); });\n", "g"},
		{"types", "vitest", TypeScript, "export const f = (): number => Date.now();\n", "t.test.ts", "import { test, expect, vi } from 'vitest';\nimport { f } from './solution';\ntest('f', () => { vi.spyOn(Date, 'now').mockReturnValue(5); expect(f()).toBe(5); });\n", ""},
		{"chai", "mocha", JavaScript, "module.exports = { f: (x) => x + 1 };\n", "t.test.js", "const { expect } = require('chai');\nconst { f } = require('./solution');\ndescribe('f', () => { it('adds', () => expect(f(1)).to.equal(2)); it.skip('later', () => {}); });\n", ""},
		{"chai, wrong", "mocha", JavaScript, "export const f = (x) => x - 1;\n", "t.test.mjs", "import { assert } from 'chai';\nimport { it } from 'mocha';\nimport { f } from './solution.js';\nit('adds', () => assert.equal(f(1), 2));\nit('is there', () => assert.ok(f));\n", "to equal 2"},
		{"chai without an import", "mocha", JavaScript, "const f = (x) => x + 1;\n", "t.test.js", "it('adds', () => { expect(f(1)).to.equal(2); });\n", ""},
		{"chai, types", "mocha", TypeScript, "export const f = (x: number): number => x + 1;\n", "t.test.ts", "import { expect } from 'chai';\nimport { f } from './solution';\nit('adds', () => { const n: number = f(1); expect(n).to.equal(2); });\n", ""},
		{"a test that skips itself", "mocha", JavaScript, "module.exports = { f: () => 1 };\n", "t.test.js", "const { expect } = require('chai');\nconst lib = require('./solution');\nit('f', () => expect(lib.f()).to.equal(1));\nit('g', function () { if (!lib.g) this.skip(); });\n", "skipped itself"},
		{"a program that does not load", "mocha", JavaScript, "throw new Error('no luck');\n", "t.test.js", "const { expect } = require('chai');\nrequire('./solution');\nit('f', () => expect(1).to.equal(1));\n", "no luck"},
		{"a test that skips itself", "jest", JavaScript, "module.exports = { f: () => 1 };\n", "t.test.js", "const lib = require('./solution');\ntest('f', () => { jest.spyOn(console, 'log'); expect(lib.f()).toBe(1); });\n(lib.g ? test : test.skip)('g', () => {});\n", "skipped itself"},
		{"a test that skips itself", "", JavaScript, "module.exports = { f: () => 1 };\n", "t.test.js", "const { test, mock } = require('node:test'); const assert = require('node:assert'); const lib = require('./solution');\ntest('f', () => { mock.method(console, 'log', () => {}); assert.equal(lib.f(), 1); });\ntest('g', (t) => { if (!lib.g) return t.skip(); });\n", "skipped itself"},
		{"methods", "", JavaScript, program, "t.test.js", "const { test, mock } = require('node:test'); const assert = require('node:assert'); const { greet } = require('./solution');\ntest('spied', () => { const m = mock.method(console, 'log', () => {}); greet((...a) => console.log(...a)); assert.deepStrictEqual(m.mock.calls[0].arguments, ['hi 0']); });\n", ""},
		{"methods, wrong", "", JavaScript, program, "t.test.js", "const { test, mock } = require('node:test'); const assert = require('node:assert'); const { greet } = require('./solution');\ntest('spied', () => { const m = mock.method(console, 'log', () => {}); assert.strictEqual(m.mock.callCount(), 1); });\ntest('right', () => {});\n", "spied"},
	} {
		t.Run(strings.Join([]string{c.lang.Name, c.tool, c.name}, "/"), func(t *testing.T) {
			tc, _ := rigTool(t, c.lang)
			if c.tool != "" && tc.Tools[c.tool] == "" {
				t.Skipf("%[1]s is not installed: npm install -g %[1]s", c.tool)
			}
			v := rigExam(t, c.lang, one(c.lang, c.program), Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.text)}}})
			if v.pass != (c.want == "") || !strings.Contains(v.why, c.want) || v.proof != glovebox.ProofInProcess {
				t.Errorf("pass %t, proof %q, %q; want %q\n%s\n%s\n%s", v.pass, v.proof, v.why, c.want, v.candidate.stdout, v.candidate.stderr, v.candidate.report)
			}
		})
	}
}

// TestNodeUnrunnable has tests that cannot run here.
func TestNodeUnrunnable(t *testing.T) {
	tc := &Toolchain{Language: "javascript", Version: "20.19.0", Exe: nodeExe}
	for _, c := range []struct {
		file, text, reason string
		missing            []string
	}{
		{"t.test.js", "const _ = require('lodash');\nf();\n", "lodash", []string{"lodash"}},
		{"t.test.js", "import _ from 'lodash/fp';\nimport { expect } from 'chai';\n", "lodash/fp, chai", []string{"lodash/fp", "chai"}},
		{"t.test.js", "it('x', () => { expect(f()).to.equal(3); });\n", "chai", []string{"chai"}},
		{"t.test.js", "it('x', () => { sinon.stub(); });\n", "sinon", []string{"sinon"}},
		{"t.test.js", "// nothing\n/* to do */\n", "empty", nil},
		{"t.test.js", "", "empty", nil},
		{"t.test.js", "const { make } = require('./helpers');\nconst { f } = require('./solution');\ntest('a', () => expect(f()).toBe(make()));\n", `the tests need ./helpers, which is not here: the program's file is main.js, and tests may call it "solution"; to name it otherwise, name the file in the reply`, []string{"./helpers"}},
		{"t.test.js", "const { f } = require('./geo');\ntry { require('./helpers'); } catch {}\ntest('a', () => expect(f()).toBe(1));\n", "", nil},
		{"t.test.js", "const { f } = require('../src/main.js');\ntry { require('./helpers'); } catch {}\nif (f() !== 1) process.exit(1);\n", "", nil},
		{"t.py", "assert f(1) == 2\n", "no file of JavaScript", nil},
		{"t.test.ts", "f();\n", "TypeScript", nil},
		{"t.test.js", "test('x', () => { jest.spyOn(console, 'log'); });\n", "jest.spyOn, which only Jest has", []string{"jest"}},
		{"t.test.js", "test('x', () => expect(1).toMatchSnapshot());\n", "toMatchSnapshot", []string{"jest"}},
		{"t.test.js", "/** @jest-environment jsdom */\ntest('x', () => {});\n", "jsdom", []string{"jsdom"}},
		{"t.test.js", "// jest.spyOn(console) require('lodash')\nconst s = \"require('lodash') vi.mock\";\ntry { require('fsevents'); } catch {}\nimport('node:fs'); require('../main'); if (f()) throw new Error('x');\n", "", nil},
	} {
		_, err := JavaScript.Exam(tc, one(JavaScript, "function f() {}"), Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.text)}}})
		var u *Unrunnable
		if errors.As(err, &u) != (c.reason != "") || u != nil && (!strings.Contains(u.Reason, c.reason) || !slices.Equal(u.Missing, c.missing)) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// TestNodeShapes has tests in the shapes that people write.
func TestNodeShapes(t *testing.T) {
	for _, c := range []struct {
		name, program, tests string
		proof                glovebox.Proof
		want                 string // what a failure has in it; empty means a pass
	}{
		{"a callback that comes later", "const later = (f) => setTimeout(() => f(null, 5), 3);", "test('x', (done) => later((e, v) => { expect(v).toBe(5); done(); }));\n", glovebox.ProofOutOfProcess, ""},
		{"a promise made of a callback", "function later(v, f) { setTimeout(() => f(null, v), 3); }", "const { promisify } = require('util');\ntest('x', async () => expect(await promisify(later)(4)).toBe(4));\n", glovebox.ProofOutOfProcess, ""},
		{"a script with a callback", "const later = (f) => setTimeout(() => f(5), 3);", "const assert = require('assert');\nlater((v) => assert.equal(v, 6));\nlater((v) => assert.equal(v, 5));\n", glovebox.ProofOutOfProcess, "process ended"},
		{"an emitter", "const { EventEmitter } = require('events');\nclass Bus extends EventEmitter { fire() { setTimeout(() => this.emit('x', 3), 2); return this; } }", "test('x', (done) => { const b = new Bus(); b.on('x', (v) => { expect(v).toBe(3); done(); }); b.fire(); });\n", glovebox.ProofOutOfProcess, ""},
		{"a getter is not set", "class A { get x() { return 1; } }", "'use strict';\nconst assert = require('assert');\nassert.throws(() => { new A().x = 2; }, TypeError);\nassert.equal(new A().x, 1);\n", glovebox.ProofOutOfProcess, ""},
		{"no assertion", "function f() {}", "test('it does not throw', () => { f(); });\n", glovebox.ProofOutOfProcess, ""},
		{"no assertion, thrown", "function f() { throw new Error('no'); }", "test('it does not throw', () => { f(); });\n", glovebox.ProofOutOfProcess, "Error: no"},
		{"symbols and matches", "const f = () => ({ [Symbol.for('k')]: 1, a: 2 });\nconst g = () => /b/.exec('abc');\nconst h = () => ({ *[Symbol.iterator]() { yield 1; } });", "const assert = require('assert');\nassert.deepStrictEqual(f(), { a: 2, [Symbol.for('k')]: 1 });\nassert.equal(g().index, 1);\nassert.deepStrictEqual([...h()], [1]);\n", glovebox.ProofOutOfProcess, ""},
		{"patterns", "const f = () => /^a+$/i;", "const assert = require('assert');\nassert.ok(f().test('AA'));\nassert.deepStrictEqual(f(), /^a+$/i);\n", glovebox.ProofOutOfProcess, ""},
		{"objects of a class", "class P { constructor(x) { this.x = x; } }\nconst f = (x) => new P(x);", "const assert = require('assert');\nassert.deepStrictEqual(f(1), new P(1));\nassert.notDeepStrictEqual(f(1), new P(2));\n", glovebox.ProofCandidateJudged, ""},
		{"sets of a class", "class S extends Set {}\nconst f = (x) => new S([x]);", "const assert = require('assert');\nassert.deepStrictEqual(f(1), new S([2]));\n", glovebox.ProofOutOfProcess, "S(1)"},
		{"money", "class M { constructor(n) { this.n = n; } valueOf() { return this.n; } }\nconst f = () => new M(3);", "const assert = require('assert');\nassert.ok(new M(3) > new M(2));\n", glovebox.ProofCandidateJudged, ""},
		{"money of a result", "class M { constructor(n) { this.n = n; } valueOf() { return this.n; } }\nconst f = () => new M(3);", "const assert = require('assert');\nassert.ok(f() > 2);\n", glovebox.ProofOutOfProcess, "plain value"},
		{"text of a result", "class M { toString() { return 'M'; } toJSON() { return [1]; } }\nconst f = () => new M();", "const assert = require('assert');\nassert.equal(`${f()}`, 'M');\nassert.equal(JSON.stringify({ m: f() }), '{\"m\":[1]}');\n", glovebox.ProofOutOfProcess, ""},
		{"counted assertions", "const f = (g) => g;", "test('x', () => { expect.assertions(2); f(() => {}); expect(1).toBe(1); });\n", glovebox.ProofOutOfProcess, "2 assertions were expected"},
		{"left out and only", "const f = () => 1;", "xtest('a', () => expect(f()).toBe(2));\nxdescribe('b', () => { it('c', () => expect(1).toBe(2)); });\ntest.failing('d', () => expect(f()).toBe(2));\ntest('e', () => expect(f()).toBe(1));\n", glovebox.ProofOutOfProcess, ""},
		{"left out by names of a module", "module.exports = { f: () => 1 };", "const { f } = require('./solution');\nconst { test, xtest, expect } = require('@jest/globals');\ntest('a', () => expect(f()).toBe(1));\nxtest('b', () => expect(f()).toBe(2));\n", glovebox.ProofOutOfProcess, ""},
		{"an undefined error", "module.exports = { f() { throw new Error(); } };", "const { f, Missing } = require('./solution');\nrequire('assert').throws(() => f(), Missing);\n", glovebox.ProofOutOfProcess, "undefined"},
		{"a word of a module", "const util = { isDeepStrictEqual: () => true }; const f = () => 1;", "const assert = require('assert');\nassert.ok(util.isDeepStrictEqual(f(), 2));\n", glovebox.ProofOutOfProcess, "util is not defined"},
		{"an assertion of the program", "const assertEquals = () => {}; const f = () => 1;", "assertEquals(f(), 2);\n", glovebox.ProofOutOfProcess, "assertEquals is not defined"},
		{"results that say what they are equal to", "class P { constructor(x) { this.x = x; } equals(o) { return o.x === this.x; } }\nmodule.exports = { of: (x) => new P(x) };", "const assert = require('assert');\nconst { of } = require('./solution');\ntest('x', () => assert.ok(of(1).equals(of(1))));\n", glovebox.ProofCandidateJudged, ""},
		{"results of a class that the tests make", "class Bag { constructor(l) { this.l = l; } has(x) { return this.l.includes(x); } union(o) { return new Bag([...this.l, ...o.l]); } }\nmodule.exports = { Bag };", "const assert = require('assert');\nconst { Bag } = require('./solution');\ntest('x', () => { const a = new Bag([1]); assert.ok(a.has(1)); const u = a.union(new Bag([2])); assert.ok(u.has(2)); });\n", glovebox.ProofCandidateJudged, ""},
		{"made objects that say it", "class P { constructor(x) { this.x = x; } equals(o) { return o.x === this.x; } }\nmodule.exports = { P };", "const assert = require('assert');\nconst { P } = require('./solution');\ntest('x', () => { const a = new P(1); assert.ok(a.equals(new P(1))); assert.ok(!new P(2).equals(a)); });\n", glovebox.ProofOutOfProcess, ""},
		{"a factory of a module", "module.exports = { createBag() { const s = new Set(); return { add(x) { s.add(x); }, has: (x) => s.has(x) }; } };", "const assert = require('assert');\nconst lib = require('./solution');\nconst b = lib.createBag();\nb.add(1);\nassert.ok(b.has(1));\n", glovebox.ProofCandidateJudged, ""},
		{"functions that work in place", "const f = (l) => { l.sort(); };\nconst g = (l) => l.reverse();\nconst push = (l, x) => l.push(x);", "const assert = require('assert');\nconst l = [2, 3, 1];\nf(l);\nassert.deepStrictEqual(l, [1, 2, 3]);\nassert.deepStrictEqual(g(l), [...l].reverse());\nassert.strictEqual(l[0], 3);\nconst s = [];\nassert.deepStrictEqual([push(s, 1), push(s, 2), s.length], [1, 2, 2]);\nassert.strictEqual(push(s, 3) + push(s, 4), 7);\nassert.doesNotThrow(() => { f(l); assert.equal(l[0] + l.at(-1), 4); assert.equal(l[0], 1); });\n", glovebox.ProofOutOfProcess, ""},
		{"an argument that stays as it is", "const f = (l) => [...l].sort();", "test('x', () => { const xs = [3, 1, 2]; const copy = [...xs]; const out = f(xs); expect(out).toEqual([...xs].sort()); expect(xs).toEqual(copy); expect(out).not.toBe(xs); });\n", glovebox.ProofOutOfProcess, ""},
		{"an argument that is added to", "const push = (l, x) => l.push(x);", "test('x', () => { const xs = [1, 2]; const n = push(xs, 3); expect(n).toBe(3); expect(xs).toEqual([1, 2, 3]); expect(xs.length).toBe(3); expect(xs[2]).toBe(3); });\n", glovebox.ProofOutOfProcess, ""},
		{"an argument that is taken from", "const remove = (l) => l.pop();", "test('x', () => { const xs = [1, 2]; const got = remove(xs); const rest = xs.map((x) => x + 1); expect(got).toBe(2); expect(rest).toEqual([2]); });\n", glovebox.ProofOutOfProcess, ""},
		{"an argument that is filled", "let id = 0; const add = (l, text) => { const t = { id: ++id, text }; l.push(t); return t; };", "test('x', () => { const all = []; const t = add(all, 'a'); const u = add(all, 'b'); expect(all.length).toBe(2); expect(all[0]).toEqual(t); expect(all).toContainEqual(u); });\n", glovebox.ProofCandidateJudged, ""},
		{"a plan", "const each = (l, f) => setTimeout(() => l.forEach(f), 2);", "const { test } = require('node:test');\ntest('x', (t, done) => { t.plan(2); each([1, 1], (x) => t.assert.strictEqual(x, 1)); each([1], () => done()); });\n", glovebox.ProofOutOfProcess, ""},
		{"only what is not to be called", "const each = (l, f) => l.forEach(f);", "test('x', () => { each([], () => { expect(true).toBe(false); }); });\n", glovebox.ProofOutOfProcess, ""},
		{"orders of many kinds", "const f = (n) => n / 2;", "const assert = require('assert');\nlet n = 0\nfor (let i = 0; i < 3; i++) n += f(i) > 0.4 ? 1 : 0\nassert.equal(n, 2)\nassert.ok(1 << 2 >= 4 && `${f(1) < 1 ? 'a' : 'b'}` < 'b' && [3, 1].sort((a, b) => a < b ? -1 : 1)[0] <= 1)\nassert.ok(!(typeof f(1) > 'z') && -f(2) < -0.5 && new Date(0) < new Date(1))\n", glovebox.ProofOutOfProcess, ""},
		{"each test left out", "const f = () => 1;", "xit('a', () => expect(f()).toBe(1));\ntest.skip('b', () => {});\ndescribe.skip('c', () => { it('d', () => {}); });\n", glovebox.ProofOutOfProcess, "unrunnable"},
		{"a module that judges", "class Store { #m = new Map(); set(k) { this.#m.set(k, 1); } has(k) { return this.#m.has(k); } }\nmodule.exports = new Store();", "const store = require('./solution');\ntest('x', () => { store.set('a'); expect(store.has('a')).toBe(true); expect(store.has('b')).toBe(false); });\n", glovebox.ProofCandidateJudged, ""},
	} {
		eachWay(t, JavaScript, c.name, func(t *testing.T, l *Language) {
			if l != JavaScript && (c.name == "a word of a module" || c.name == "an assertion of the program") {
				t.Skip("QuickJS has undefined for a name that the harness's globals do not have")
			}
			v := rigExam(t, l, one(l, c.program), js(c.tests))
			if v.pass != (c.want == "") || !strings.Contains(v.why, c.want) || v.pass && v.worth() != c.proof {
				t.Errorf("pass %t, proof %q, %q; want %q\n%s\n%s\n%s", v.pass, v.worth(), v.why, c.want, v.candidate.stderr, v.harness.stderr, v.harness.report)
			}
		})
	}
}

// TestNodeForged has programs that are wrong, each a counterexample of its own:
// what a liar that a reviewer or the searcher found is, in the tests that it
// passed.
func TestNodeForged(t *testing.T) {
	const assert = "const assert = require('assert');\n"
	for _, c := range []struct{ name, program, tests string }{
		{"a result that judges", "const f = () => ({ includes: () => true, every: () => true, some: () => true });", assert + "assert(f([1]).includes(1));\nassert(f([1]).every((v) => v > 0));\n"},
		{"a function that judges", "const f = () => Object.assign(() => 1, { has: () => true });", assert + "assert(f([1]).has(1));\n"},
		{"a result of a method that judges", "class A { all() { return { includes: () => true }; } }", assert + "assert(new A().all().includes(3));\n"},
		{"what was made empty", "const f = (l) => { l.length = 0; return l; };", assert + "const l = [1, 2];\nassert.deepStrictEqual(f(l), l);\n"},
		{"what was made empty, below", "const f = (o) => { o.list.length = 0; return { list: [] }; };", assert + "const o = { list: [1] };\nassert.deepStrictEqual(f(o), o);\n"},
		{"a number that adapts", "let n = 0; const f = () => ({ valueOf: () => (n++ ? 9 : 1) });", assert + "const v = f();\nassert(v < 5);\nassert(v > 5);\n"},
		{"a number that is none", "const f = () => new (class {})();", "if (Math.abs(f() - 3) > 1e-6) throw new Error('far');\n"},
		{"a class of errors that judges", "module.exports = { E: () => true, f() { throw new Error('x'); } };", assert + "const { E, f } = require('./solution');\nassert.throws(() => f(), E);\n"},
		{"a class of errors that rejects", "module.exports = { E: () => true, async f() { throw new Error('x'); } };", "const { E, f } = require('./solution');\ntest('x', async () => { await expect(f()).rejects.toThrow(E); });\n"},
		{"objects of a class that are no objects of it", "class P { constructor() { return {}; } }\nconst f = () => ({});", assert + "assert.deepEqual(f(), new P(1));\n"},
		{"an error that is no text", "const f = () => { throw new (class extends Error { get message() { return { includes: () => true }; } })(); };", "test('x', () => expect(() => f()).toThrow('no such'));\n"},
		{"a spy of the program", "const f = () => ({ mock: { calls: { length: 1, some: () => true } } });", "test('x', () => { expect(f()).toHaveBeenCalledTimes(1); });\n"},
		{"an object in the place of a number", "const f = () => ({ valueOf: () => 5 });", "test('x', () => { expect(f()).toBeGreaterThan(4); });\n"},
		{"a constant that judges", "module.exports = { PRIMES: Object.assign(() => 1, { includes: () => true }) };", assert + "const { PRIMES } = require('./solution');\nassert(PRIMES.includes(7));\n"},
		{"a promise that never ends, and more", "const f = () => ({ then() {} });", assert + "assert(true);\n(async () => { await f(); assert(false); })();\n"},
		{"a test of the program", "globalThis.test = () => {}; const f = () => 1;", "test('x', () => expect(f()).toBe(2));\n"},
	} {
		eachWay(t, JavaScript, c.name, func(t *testing.T, l *Language) {
			v := rigExam(t, l, one(l, c.program), js(c.tests))
			if v.proof != glovebox.ProofOutOfProcess || v.pass && v.worth() == glovebox.ProofOutOfProcess {
				t.Errorf("pass %t, proof %q\n%s", v.pass, v.worth(), v.harness.report)
			}
		})
	}
}
