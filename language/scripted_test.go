package language

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// one makes a program of one file.
func one(l *Language, text string) *glovebox.Program {
	return &glovebox.Program{Language: l.Name, Main: l.Main, Files: []glovebox.File{{Path: l.Main, Data: []byte(text)}}}
}

// TestScriptedRun runs small programs: what they print, and what is read from
// how they fail.
func TestScriptedRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		lang    *Language
		text    string
		stdin   string
		stdout  string
		failure *glovebox.Failure
		syntax  *glovebox.SyntaxError
	}{
		{name: "commonjs", lang: JavaScript, text: "const fs = require('fs');\nconsole.log(fs.readFileSync(0, 'utf8').trim().length, require.main === module);\n", stdin: "four\n", stdout: "4 true\n"},
		{name: "module", lang: JavaScript, text: "import fs from 'node:fs';\nconst n = await Promise.resolve(fs.readFileSync(0, 'utf8').length);\nconsole.log(n, import.meta.url);\n", stdin: "abc", stdout: "3 file:///workspace/main.js\n"},
		{name: "no trace of us", lang: JavaScript, text: "console.log(process.argv.length, process.execArgv, process.env.GLOVEBOX_CHECK, Object.keys(require.cache).length);", stdout: "2 [] undefined 1\n"},
		{name: "hashbang and directive", lang: JavaScript, text: "#!/usr/bin/env node\n'use strict'\nconsole.log(this === module.exports, (function () { return this })());\n", stdout: "true undefined\n"},
		{name: "thrown", lang: JavaScript, text: "function f() {\n  throw new RangeError('too\\nfar');\n}\n\nf();\n", failure: &glovebox.Failure{Type: "RangeError", Message: "too", File: "main.js", Line: 2}},
		{name: "thrown in a module", lang: JavaScript, text: "import 'node:fs';\nexport const f = () => { null.x; };\nf();\n", failure: &glovebox.Failure{Type: "TypeError", Message: "Cannot read properties of null (reading 'x')", File: "main.js", Line: 2}},
		{name: "thrown string", lang: JavaScript, text: "\nthrow 'text';\n", failure: &glovebox.Failure{Message: "text", File: "main.js", Line: 2}},
		{name: "rejected", lang: JavaScript, text: "Promise.reject(new Error('later'));\n", failure: &glovebox.Failure{Type: "Error", Message: "later", File: "main.js", Line: 1}},
		{name: "missing module", lang: JavaScript, text: "require('leftpad');\n", failure: &glovebox.Failure{Type: "Error", Message: "Cannot find module 'leftpad'", File: "main.js", Line: 1}},
		{name: "syntax", lang: JavaScript, text: "let a = 1;\nlet b = (a;\n", syntax: &glovebox.SyntaxError{File: "main.js", Line: 2, Column: 11, Message: "Unexpected token ';'"}},
		{name: "syntax in a module", lang: JavaScript, text: "import 'fs';\nexport const a = ;\n", syntax: &glovebox.SyntaxError{File: "main.js", Line: 2, Column: 18, Message: "Unexpected token ';'"}},

		{name: "types", lang: TypeScript, text: "import * as fs from 'fs';\ninterface P { x: number }\nenum E { A = 4 }\nconst p: P = { x: E.A };\nconsole.log(p.x, fs.readFileSync(0, 'utf8') as string);\n", stdin: "in", stdout: "4 in\n"},
		{name: "top-level await", lang: TypeScript, text: "const n: number = await Promise.resolve(3);\nconsole.log(n);\nexport {};\n", failure: nil, stdout: "3\n"},
		{name: "thrown in types", lang: TypeScript, text: "interface A {\n  b: string;\n}\n\nfunction f(a: A): never {\n  throw new TypeError(a.b);\n}\nf({ b: 'no' });\n", failure: &glovebox.Failure{Type: "TypeError", Message: "no", File: "main.ts", Line: 6}},
		{name: "syntax of types", lang: TypeScript, text: "type A = {\n  b: string\n\nconst c = 1;\n", syntax: &glovebox.SyntaxError{File: "main.ts", Line: 4, Column: 9, Message: `Unexpected "="`}},

		{name: "run", lang: PHP, text: "<?php\necho strlen(trim(fgets(STDIN))), ' ', strrev('1'), \"\\n\";\n", stdin: "four\n", stdout: "4 1\n"},
		{name: "no tag", lang: PHP, text: "echo 'x';\n", stdout: "x"},
		{name: "exception", lang: PHP, text: "<?php\nfunction f() {\n    throw new InvalidArgumentException('bad');\n}\nf();\n", failure: &glovebox.Failure{Type: "InvalidArgumentException", Message: "bad", File: "main.php", Line: 3}},
		{name: "error", lang: PHP, text: "<?php\n\nundefined_function();\n", failure: &glovebox.Failure{Type: "Error", Message: "Call to undefined function undefined_function()", File: "main.php", Line: 3}},
		{name: "assertion", lang: PHP, text: "<?php\nassert(1 === 2);\n", failure: &glovebox.Failure{Type: "AssertionError", Message: "assert(1 === 2)", File: "main.php", Line: 2}},
		{name: "parse error", lang: PHP, text: "<?php\n$a = [1, 2;\n", syntax: &glovebox.SyntaxError{File: "main.php", Line: 2, Message: `syntax error, unexpected token ";", expecting "]"`}},
		{name: "compile error", lang: PHP, text: "<?php\nfunction f($a, $a) {}\n", syntax: &glovebox.SyntaxError{File: "main.php", Line: 2, Message: "Redefinition of parameter $a"}},

		{name: "run", lang: Bash, text: "read -r x\nfor i in $(seq 3); do echo -n \"$i$x \"; done\necho '2 + 3' | bc | tr 5 6\nprintf '%s\\n' b a | sort | awk '{print NR $1}'\n", stdin: "!\n", stdout: "1! 2! 3! 6\n1a\n2b\n"},
		{name: "not found", lang: Bash, text: "set -e\n\nnosuchthing 1\n", failure: &glovebox.Failure{Message: "nosuchthing: command not found", File: "main.sh", Line: 3}},
		{name: "unbound", lang: Bash, text: "set -u\necho \"$nothing\"\n", failure: &glovebox.Failure{Message: "nothing: unbound variable", File: "main.sh", Line: 2}},
		{name: "syntax", lang: Bash, text: "if true; then\n  echo x\ndone\n", syntax: &glovebox.SyntaxError{File: "main.sh", Line: 3, Message: "syntax error near unexpected token `done'"}},
		{name: "unfinished", lang: Bash, text: "echo \"x\n", syntax: &glovebox.SyntaxError{File: "main.sh", Line: 1, Message: "unexpected EOF while looking for matching `\"'"}},
	} {
		eachWay(t, c.lang, c.name, func(t *testing.T, l *Language) {
			c.lang = l
			run := rigPlan(t, c.lang, one(c.lang, c.text), c.stdin)
			var syntax *glovebox.SyntaxError
			for _, e := range run.events {
				if e.Type == "syntax" {
					syntax = e.Syntax
				}
			}
			switch {
			case c.syntax != nil:
				if syntax == nil || *syntax != *c.syntax {
					t.Errorf("syntax error %+v, want %+v\n%s", syntax, c.syntax, run.stderr)
				}
				if run.exit == 0 {
					t.Error("exit code 0")
				}
			case syntax != nil:
				t.Fatalf("syntax error %+v", syntax)
			case c.failure != nil:
				if got := c.lang.ReadFailure([]byte(run.stderr)); got == nil || *got != *c.failure {
					t.Errorf("failure %+v, want %+v\n%s", got, c.failure, run.stderr)
				}
				if run.exit == 0 {
					t.Error("exit code 0")
				}
			default:
				if run.exit != 0 {
					t.Errorf("exit code %d: %s", run.exit, run.stderr)
				}
				if got := c.lang.ReadFailure([]byte(run.stderr)); got != nil {
					t.Errorf("failure %+v where there is none", got)
				}
			}
			if c.stdout != "" && run.stdout != c.stdout {
				t.Errorf("stdout %q, want %q\n%s", run.stdout, c.stdout, run.stderr)
			}
		})
	}
}

// TestScriptedInProcess has tests that need the program in their own process.
func TestScriptedInProcess(t *testing.T) {
	for _, c := range []struct {
		name string
		lang *Language
		text string
		test glovebox.File
		pass bool
	}{
		{"spied console", JavaScript, "function hello() { console.log('hi'); }",
			glovebox.File{Path: "a.test.js", Data: []byte("const out = [];\nconsole.log = (x) => out.push(x);\nhello();\nrequire('assert').deepEqual(out, ['hi']);\n")}, true},
		{"spied console, wrong", JavaScript, "function hello() { console.log('ho'); }",
			glovebox.File{Path: "a.test.js", Data: []byte("const out = [];\nconsole.log = (x) => out.push(x);\nhello();\nrequire('assert').deepEqual(out, ['hi']);\n")}, false},
		{"extended class", JavaScript, "class A { f() { return 1; } }\nmodule.exports = { A };",
			glovebox.File{Path: "a.test.js", Data: []byte("const { A } = require('./solution');\nclass B extends A { f() { return super.f() + 1; } }\ntest('b', () => expect(new B().f()).toBe(2));\n")}, true},
		{"ends at once", JavaScript, "process.exit(0);",
			glovebox.File{Path: "a.test.js", Data: []byte("class B extends A {}\nrequire('assert').ok(new B());\n")}, false},
		{"extended class", TypeScript, "export class A { f(): number { return 1; } }",
			glovebox.File{Path: "a.test.ts", Data: []byte("import { A } from './solution';\nclass B extends A { f(): number { return super.f() + 1; } }\ntest('b', () => expect(new B().f()).toBe(2));\n")}, true},
		{"extended class", PHP, "<?php\nabstract class A { abstract function f(); function g() { return $this->f() + 1; } }",
			glovebox.File{Path: "t.php", Data: []byte("<?php\nclass B extends A { function f() { return 1; } }\nassert((new B)->g() === 2);\n")}, true},
		{"extended class, wrong", PHP, "<?php\nabstract class A { abstract function f(); function g() { return $this->f(); } }",
			glovebox.File{Path: "t.php", Data: []byte("<?php\nclass B extends A { function f() { return 1; } }\nassert((new B)->g() === 2);\n")}, false},
		{"ends at once", PHP, "<?php\nexit(0);",
			glovebox.File{Path: "t.php", Data: []byte("<?php\nclass B extends A {}\nassert(new B instanceof A);\n")}, false},
		{"shared file", Bash, "count() { wc -l <\"$1\"; }",
			glovebox.File{Path: "t.sh", Data: []byte("f=$(mktemp)\nprintf 'a\\nb\\n' >\"$f\"\n[[ $(count \"$f\") -eq 2 ]] || exit 1\n")}, true},
		{"shared file, wrong", Bash, "count() { echo 1; }",
			glovebox.File{Path: "t.sh", Data: []byte("f=$(mktemp)\nprintf 'a\\nb\\n' >\"$f\"\n[[ $(count \"$f\") -eq 2 ]] || exit 1\n")}, false},
		{"ends at once", Bash, "exit 0",
			glovebox.File{Path: "t.sh", Data: []byte("f=$(mktemp)\n[[ -f $f ]] || exit 1\n")}, false},
	} {
		eachWay(t, c.lang, c.name, func(t *testing.T, l *Language) {
			c.lang = l
			v := rigExam(t, c.lang, one(c.lang, c.text), Tests{Files: []glovebox.File{c.test}})
			if v.pass != c.pass || v.proof != glovebox.ProofInProcess {
				t.Errorf("pass %t, want %t; proof %q; %s\n%s\n%s", v.pass, c.pass, v.proof, v.why, v.candidate.stderr, v.candidate.report)
			}
		})
	}
}

// TestScriptedExam has tests that use a program in ways of their own.
func TestScriptedExam(t *testing.T) {
	for _, c := range []struct {
		name  string
		lang  *Language
		text  string
		tests Tests
		want  string // what the reason of a failure has in it; empty means a pass
	}{
		{"values", JavaScript, "const same = (v) => v;", js(`const assert = require('assert');
for (const v of [undefined, null, NaN, Infinity, -Infinity, -0, 10n ** 30n, 'a\ud800', [1, , 3], { __proto__: null, a: 1 }, new Map([[{ a: 1 }, [2]]]), new Set([1, 'x']), new Date(5), new Uint8Array([1, 2]), Buffer.from('xyz'), Symbol.for('s'), [[[]]], { a: { b: [{}] } }, Math.max, Number]) {
  assert.deepStrictEqual(same(v), v);
}
assert.ok(Object.is(same(-0), -0));
assert.deepStrictEqual(Object.keys(same(JSON.parse('{"__proto__": {"x": 1}}'))), ['__proto__']);
assert.strictEqual({}.x, undefined);
const a = [1]; assert.strictEqual(same(a), a);
`), ""},
		{"changes come back", JavaScript, "function change(list, o, m) { list.push(4); list[0] = 9; o.deep.x = 2; delete o.gone; m.set('k', list); }", js(`const assert = require('assert');
const list = [1, 2], o = { deep: { x: 1 }, gone: 1 }, m = new Map();
change(list, o, m);
assert.deepStrictEqual([list, o, [...m]], [[9, 2, 4], { deep: { x: 2 } }, [['k', [9, 2, 4]]]]);
assert.strictEqual(m.get('k'), list);
`), ""},
		{"callbacks and time", JavaScript, "function debounce(f, ms) { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => f(...a), ms); }; }\nasync function mapAll(list, f) { return Promise.all(list.map(f)); }\nfunction* naturals() { let n = 0; for (;;) yield n++; }\nasync function* slow() { yield 1; yield 2; }", js(`const test = require('node:test'); const assert = require('assert');
test('debounce', async () => {
  let seen = [];
  const d = debounce((v) => seen.push(v), 5);
  d(1); d(2);
  await new Promise((r) => setTimeout(r, 60));
  assert.deepEqual(seen, [2]);
});
test('mapAll', async () => assert.deepEqual(await mapAll([1, 2, 3], async (v) => v * 2), [2, 4, 6]));
test('lazy', () => { const got = []; for (const n of naturals()) { if (n > 3) break; got.push(n); } assert.deepEqual(got, [0, 1, 2, 3]); });
test('async lazy', async () => { const got = []; for await (const n of slow()) got.push(n); assert.deepEqual(got, [1, 2]); });
test('rejects', async () => assert.rejects(mapAll([1], async () => { throw new TypeError('no'); }), TypeError));
`), ""},
		{"classes", JavaScript, "class ValidationError extends Error { constructor(m) { super(m); this.name = 'ValidationError'; this.code = 7; } }\nclass Stack { #items = []; static of(...v) { const s = new Stack(); v.forEach((x) => s.push(x)); return s; } push(v) { this.#items.push(v); return this; } pop() { if (!this.#items.length) throw new ValidationError('empty'); return this.#items.pop(); } get size() { return this.#items.length; } *[Symbol.iterator]() { yield* this.#items; } toString() { return 'Stack(' + this.#items + ')'; } }\nclass Point { constructor(x, y) { this.x = x; this.y = y; } }\nconst mid = (a, b) => new Point((a.x + b.x) / 2, (a.y + b.y) / 2);\nexport { Stack, Point, mid, ValidationError };", js(`const { Stack, Point, mid, ValidationError } = require('./solution.js');
describe('Stack', () => {
  let s;
  beforeEach(() => { s = Stack.of(1, 2); });
  it('works', () => { expect(s.push(3).size).toBe(3); expect([...s]).toEqual([1, 2, 3]); expect(String(s)).toBe('Stack(1,2,3)'); expect(s).toBeInstanceOf(Stack); });
  it('is empty', () => { s.pop(); s.pop(); expect(() => s.pop()).toThrow(ValidationError); try { s.pop(); } catch (e) { expect(e instanceof ValidationError && e instanceof Error && e.code === 7 && e.name === 'ValidationError').toBe(true); } });
  it('is a point', () => { const p = mid(new Point(0, 0), new Point(2, 4)); expect(p.x).toBe(1); p.x = 5; expect(p).toEqual(new Point(5, 2)); expect({ ...p }).toEqual({ x: 5, y: 2 }); require('assert').deepStrictEqual(p, new Point(5, 2)); });
});
`), ""},
		{"entry", JavaScript, "function f(a) { return a + 1; }", Tests{Entry: "f", Files: []glovebox.File{{Path: "t.js", Data: []byte("require('assert').equal(candidate(1), 2);")}}}, ""},
		{"callback assertion hidden", JavaScript, "function each(l, f) { l.forEach((v) => { try { f(v); } catch {} }); }", js("const assert = require('assert');\nassert.ok(true);\neach([1], (v) => assert.equal(v, 2));\n"), "1 == 2"},
		{"nothing asserted", JavaScript, "function f() {}", js("f();\n"), "unrunnable: the tests are empty: their text has no test and no assertion"},
		{"an assertion of truth", JavaScript, "const f = () => 1;", js("const assert = require('assert');\nassert(f() === 1 && f() > 1);\n"), "a falsy value: assert(f() === 1 && f() > 1);"},
		{"no test in a suite", JavaScript, "module.exports = (x) => x;\n", js("const f = require('./solution');\ndescribe('f', () => {\n  // nothing yet: expect(f(1)).toBe(1)\n});\n"), "unrunnable: the tests are empty: their text has no test and no assertion"},
		{"test that never ends", JavaScript, "function f(cb) {}", js("test('x', (done) => f(done));\n"), "never ended"},
		{"missing name", JavaScript, "function g() {}", js("require('assert').equal(f(), 1);\n"), "f is not defined"},
		{"a module in a .js file", JavaScript, "export default function add(a, b) { return a + b; }\nexport const two = 2;", js(`import test from 'node:test';
import assert from 'node:assert/strict';
import { expect } from '@jest/globals';
import add, { two } from './main.js';
test('add', () => { assert.equal(add(1, two), 3); expect(add(2, 2)).toBe(4); });
`), ""},
		{"vitest in a .js file", JavaScript, "module.exports = { f: () => 1 };", js("import { it, expect } from 'vitest';\nimport { f } from './solution.js';\nit('f', () => expect(f()).toBe(1));\n"), ""},
		{"mocks of node:test", JavaScript, "const twice = (f) => [f(1), f(2, 3)];", js(`const { test, mock } = require('node:test'); const assert = require('assert');
test('twice', () => {
  const f = mock.fn((n) => n * 2);
  twice(f);
  assert.deepStrictEqual(f.mock.calls.map((c) => c.arguments), [[1], [2, 3]]);
  assert.strictEqual(f.mock.calls[1].result, 4);
  f.mock.resetCalls();
  assert.strictEqual(f.mock.callCount(), 0);
});
`), ""},
		{"mocks of jest", JavaScript, "const twice = (f) => [f(1), f(2, 3)];", js("test('twice', () => { const f = jest.fn(); twice(f); expect(f.mock.calls).toStrictEqual([[1], [2, 3]]); expect(f).toHaveBeenCalledWith(2, 3); });\n"), ""},
		{"default function", TypeScript, "export default function f(n: number): number { return n + 1; }\nexport const g = 5;", ts("import f, { g } from './solution';\nimport * as all from './solution';\ntest('f', () => { expect(f(1)).toBe(2); expect(g).toBe(5); expect(all.default(2)).toBe(3); });\n"), ""},
		{"default class", TypeScript, "export default class A { constructor(private n: number) {} get(): number { return this.n; } }", ts("import A from './main';\ntest('A', () => { expect(new A(3).get()).toBe(3); });\n"), ""},
		{"default of module.exports", TypeScript, "function f(): number { return 1; }\nexport = f;", ts("import f from './main';\ntest('f', () => { expect(f()).toBe(1); });\n"), ""},
		{"tests that do not parse", JavaScript, "function f() {}", js("const a = 1;\nconst b = ;\n"), "unrunnable: the tests do not parse: t.test.js, line 2: SyntaxError: Unexpected token ';'"},
		{"a module that does not parse", JavaScript, "function f() {}", js("import 'node:test';\nconst b = ;\n"), "unrunnable: the tests do not parse: t.test.js, line 2: SyntaxError"},
		{"a missing module", JavaScript, "function f() {}", js("require('leftpad');\n"), "the tests need leftpad, which is not here"},
		{"a missing module of a module", JavaScript, "function f() {}", js("import 'leftpad';\n"), "the tests need leftpad, which is not here"},
		{"tests of another language", JavaScript, "function f() {}", ts("f();\n"), "the tests are TypeScript and the program is JavaScript"},
		{"tests with an error", TypeScript, "export const f = (): number => 1;", Tests{Files: []glovebox.File{{Path: "t.ts", Data: []byte("import { f } from './main';\nconst x: = 1;\n")}}}, "the tests do not parse: t.ts, line 2: SyntaxError"},
		{"several files", TypeScript, "import { g } from './lib/util';\nexport const f = (n: number): number => g(n) + 1;", Tests{Files: []glovebox.File{{Path: "t.test.ts", Data: []byte("import { f } from './main';\nimport { g } from './lib/util';\nit('f', () => { expect(f(1)).toBe(3); expect(g(2)).toBe(4); });\n")}}}, ""},
		{"line of a failure", TypeScript, "export const f = (n: number): number => n;", Tests{Files: []glovebox.File{{Path: "t.test.ts", Data: []byte("import { f } from './main';\ninterface X {\n  a: number;\n}\nconst x: X = { a: f(1) };\nconsole.assert(x.a === 2);\n")}}}, "console.assert, line 6"},

		{"values", PHP, "<?php\nfunction same($v) { return $v; }", php(`<?php
foreach ([null, true, 1, 1.0, -0.0, INF, PHP_INT_MIN, "\xff\x00", 'é', [1, 2], ['a' => 1, 5 => [null]], [1 => 'x']] as $v) { assert(same($v) === $v); }
assert(is_nan(same(NAN)));
assert(same(new DateTimeImmutable('2020-01-02 03:04:05.6 UTC')) == new DateTimeImmutable('2020-01-02 03:04:05.6 UTC'));
assert(same((object) ['a' => 1]) == (object) ['a' => 1]);
`), ""},
		{"no assertion", PHP, "<?php\nfunction f() { return 1; }", php("<?php\nf();\n"), "the tests have no test"},
		{"failed", PHP, "<?php\nfunction f($x) { return 1; }", php("<?php\nassert(f(2) === 2);\n"), "AssertionError: assert(f(2) === 2)\nThe last call was f(2): it returned 1"},
		{"missing", PHP, "<?php\nfunction g() {}", php("<?php\nassert(f() === 2);\n"), "Call to undefined function f()"},

		{"failed", Bash, "f() { echo 1; }", bashTest("set -e\n[[ $(f 2) = 2 ]]\n"), "The last call was f 2 : status 0, stdout: 1"},
		{"failed and left", Bash, "f() { echo 1; }", bashTest("[[ $(f 1) = 1 ]] || exit 1\n\n[[ $(f 2) = 2 ]] || exit 1\n"), `"name":"[[ $(f 2) = 2 ]]","status":"failed","line":3`},
		{"failed and went on", Bash, "f() { echo 1; }", bashTest("[[ $(f 2) = 2 ]]\n[ $(f 1) = 1 ]\n"), `"name":"[[ $(f 2) = 2 ]]","status":"failed","line":1`},
		{"failed otherwise", Bash, "f() { return 7; }", bashTest("set -e\n[[ 1 = 1 ]]\nf 1\n"), `"status":"failed","line":3,"message":"exit status 7: f 1`},
		{"not called", Bash, "f() { echo 1; }", bashTest("[[ 1 = 1 ]]\n"), "never called"},
		{"stdin and status", Bash, "f() { tr a-z A-Z; return 4; }", bashTest("out=$(echo hey | f) || status=$?\n[ \"$out/$status\" = HEY/4 ] || exit 1\n"), ""},
		{"entry", Bash, "solve() { echo $(($1 * 2)); }", Tests{Entry: "solve", Files: []glovebox.File{{Path: "t.sh", Data: []byte("[[ $(candidate 4) == 8 ]] || exit 1\n")}}}, ""},
	} {
		eachWay(t, c.lang, c.name, func(t *testing.T, l *Language) {
			c.lang = l
			p := one(c.lang, c.text)
			if c.name == "several files" {
				p.Files = append(p.Files, glovebox.File{Path: "lib/util.ts", Data: []byte("export function g(n: number): number {\n  return n * 2;\n}\n")})
				p.Files[0].Data = []byte(strings.Replace(c.text, "g(n) + 1", "g(n) + 1 as number", 1))
			}
			v := rigExam(t, c.lang, p, c.tests)
			if v.proof != glovebox.ProofOutOfProcess && !strings.HasPrefix(v.why, "no exam: ") {
				t.Errorf("proof %q", v.proof)
			}
			if v.pass != (c.want == "") || !strings.Contains(v.why+v.harness.report, c.want) && !strings.Contains(v.why, c.want) {
				t.Errorf("pass %t, %q; want %q\ncandidate: %s\nharness: %s\n%s", v.pass, v.why, c.want, v.candidate.stderr, v.harness.stderr, v.harness.report)
			}
		})
	}
}

// TestMakes has what the stripping of types leaves in a workspace.
func TestMakes(t *testing.T) {
	tc := &Toolchain{Language: "typescript", Version: "20.19.0"}
	p := one(TypeScript, "import './lib/a.mjs';\n")
	p.Files = append(p.Files, glovebox.File{Path: "lib/a.mts"}, glovebox.File{Path: "types.d.ts"}, glovebox.File{Path: "plain.js"})
	want := []string{"main.js", "lib/a.mjs"}
	plan, err := TypeScript.Plan(tc, p)
	if err != nil || !slices.Equal(plan.Run.Makes, want) {
		t.Errorf("a plain run makes %q (%v), want %q", plan.Run.Makes, err, want)
	}
	exam, err := TypeScript.Exam(tc, p, ts("test('x', () => {});\n"))
	if err != nil || !slices.Equal(exam.Candidate.Makes, want) {
		t.Errorf("a tested run makes %q (%v), want %q", exam.Candidate.Makes, err, want)
	}
}

func js(text string) Tests {
	return Tests{Files: []glovebox.File{{Path: "t.test.js", Data: []byte(text)}}}
}

func ts(text string) Tests {
	return Tests{Files: []glovebox.File{{Path: "t.test.ts", Data: []byte(text)}}}
}

func php(text string) Tests {
	return Tests{Files: []glovebox.File{{Path: "t.php", Data: []byte(text)}}}
}

func bashTest(text string) Tests {
	return Tests{Files: []glovebox.File{{Path: "t.sh", Data: []byte(text)}}}
}

func TestScriptedIsTest(t *testing.T) {
	for _, c := range []struct {
		lang *Language
		path string
		want bool
	}{
		{JavaScript, "a.test.js", true}, {JavaScript, "a.spec.mjs", true}, {JavaScript, "__tests__/a.js", true}, {JavaScript, "test.js", true},
		{JavaScript, "contest.js", false}, {JavaScript, "main.js", false}, {TypeScript, "a_test.ts", true}, {TypeScript, "latest.ts", false},
		{PHP, "CounterTest.php", true}, {PHP, "test_a.php", true}, {PHP, "tests.php", true}, {PHP, "latest.php", false}, {PHP, "main.php", false},
		{Bash, "test_a.sh", true}, {Bash, "a_test.sh", true}, {Bash, "tests.sh", true}, {Bash, "latest.sh", false}, {Bash, "main.sh", false},
	} {
		if got := c.lang.IsTest(glovebox.File{Path: c.path}); got != c.want {
			t.Errorf("%s: %s: %t", c.lang.Name, c.path, got)
		}
	}
}

func fuzzFailure(f *testing.F, l *Language, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stderr []byte) {
		if got := l.ReadFailure(stderr); got != nil {
			if got.Line < 0 || strings.HasPrefix(got.File, "/workspace/") || len(got.Message) > 4*failureBytes {
				t.Errorf("%+v", got)
			}
		}
		l.ReadSyntax(CheckOutput{Stderr: stderr, Stdout: stderr, ExitCode: 1})
	})
}

func FuzzJSFailure(f *testing.F) {
	fuzzFailure(f, JavaScript, "/workspace/main.js:3\n    throw x;\n    ^\n\nTypeError: no\n    at f (/workspace/main.js:3:11)\n\nNode.js v20.1.0\n",
		"node:internal/x:1\n\nUncaught 'x'\n", "FATAL ERROR: heap out of memory\n", "/a:99999999999999999999\n\n:\n")
}

func FuzzPHPFailure(f *testing.F) {
	fuzzFailure(f, PHP, "\nFatal error: Uncaught E: bad\nthing in /workspace/a.php:2\nStack trace:\n#0 {main}\n", "Parse error: x in a.php on line 3\n",
		"\nFatal error: Uncaught E: bad in /workspace\x00.php:2\nStack trace:")
}

func FuzzBashFailure(f *testing.F) {
	fuzzFailure(f, Bash, "main.sh: line 3: foo: command not found\n", "/opt/x: line 99999999999999999999: y\n")
}
