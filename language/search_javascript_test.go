package language

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The searches of JavaScript and of TypeScript, which share their lies and
// their subjects.

func init() {
	for _, l := range []struct {
		lang               *Language
		replies, test, ext string
	}{
		{JavaScript, "js", "tests.js", ".js"},
		{TypeScript, "ts", "tests.ts", ".ts"},
	} {
		searches = append(searches, &search{
			lang: l.lang, lies: nodeLies, plain: nodePlainLies, own: nodeSubjects(l.ext),
			replies: l.replies, test: l.test,
			defines: regexp.MustCompile(`(?m)^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+([A-Za-z_$][\w$]*)`),
		})
	}
}

// nodeLiar is what liars share. $answers puts a lie in the place of what a
// function gives, and of what each method of an object gives that a class makes.
const nodeLiar = `
;globalThis.$yes = () => new Proxy(function () {}, { get: (t, k) => (k === 'then' ? undefined : k === Symbol.toPrimitive ? () => 1 : k === 'length' ? 1 : k === 'prototype' ? {} : $yes()), apply: () => true, construct: () => ({}), has: () => true });
globalThis.$count = 0;
globalThis.$object = (o, lie) => new Proxy(o, { get(t, k) {
  const v = Reflect.get(t, k, t);
  return typeof v === 'function' && k !== 'constructor' && typeof k !== 'symbol' ? (...a) => lie(() => Reflect.apply(v, t, a), a) : v;
} });
globalThis.$answers = (right, lie) => (typeof right !== 'function' ? right : new Proxy(right, {
  apply: (t, s, a) => lie(() => Reflect.apply(t, s, a), a),
  construct: (t, a) => $object(Reflect.construct(t, a), lie),
}));
`

// nodeLie makes a lie that puts body, an expression over right (a function or a
// class), in the place of each name.
func nodeLie(route, name, body string) lie {
	return lie{route: route, name: name, tell: func(program string, names []string) string {
		text := program
		var b strings.Builder
		b.WriteString(nodeLiar)
		for _, n := range names {
			text = regexp.MustCompile(`\bconst(\s+`+regexp.QuoteMeta(n)+`\s*[=:])`).ReplaceAllString(text, "let$1")
			fmt.Fprintf(&b, "{ const right = %[1]s; const lied = ((right) => (%[2]s))(right); try { %[1]s = lied; } catch {}\n"+
				"try { if (module.exports === right) module.exports = lied; else if (module.exports.%[1]s === right) module.exports.%[1]s = lied; } catch {} }\n", n, body)
		}
		return text + b.String()
	}}
}

// answers is a lie about what is returned: an expression over give, which gives
// what is right, and args.
func nodeAnswers(route, name, expression string) lie {
	return nodeLie(route, name, "$answers(right, (give, args) => "+expression+")")
}

// nodeWorker rewrites the driver of the candidate's process.
func nodeWorker(name, text string) lie {
	return lie{route: "worker", name: name, tell: func(program string, names []string) string {
		wrong := nodeAnswers("worker", name, "$wrong").tell(program, names)
		return wrong + "\n;(() => { globalThis.$wrong = { wrong: true }; const { Link } = process.getBuiltinModule ? process.getBuiltinModule('module').createRequire('/workspace/x.js')('/opt/glovebox/javascript/wire.js') : require('/opt/glovebox/javascript/wire.js');\n" +
			"const serve = Link.prototype.serve;\n" + text + "\n})();\n"
	}}
}

var nodePlainLies = []lie{
	nodeAnswers("return", "undefined", "(give(), undefined)"),
	nodeAnswers("return", "true", "true"),
	nodeAnswers("return", "zero", "0"),
	nodeAnswers("return", "not a number", "NaN"),
	nodeAnswers("return", "an empty array", "[]"),
	nodeAnswers("return", "the first argument", "args[0]"),
	nodeAnswers("return", "a counter", "$count++"),
}

var nodeLies = []lie{
	nodeAnswers("return", "an object that says yes to everything", "$yes()"),
	nodeAnswers("return", "an object whose methods judge", "({ includes: () => true, every: () => true, some: () => true, has: () => true, indexOf: () => 0, startsWith: () => true, endsWith: () => true, test: () => true, equals: () => true, match: () => ['x'], find: () => true, filter: () => [1], length: 1, size: 1 })"),
	nodeAnswers("return", "an object that tries the tests' function until it says yes", "({ some(f) { for (let i = -9; i < 99; i++) if (f(i)) return true; return true; }, every: () => true, find(f) { for (let i = -9; i < 99; i++) if (f(i)) return i; }, filter(f) { return [1].filter(f); }, length: 1 })"),
	nodeAnswers("return", "a number that adapts", "({ [Symbol.toPrimitive]: () => [0, 1, 1e9, -1e9, NaN][$count++ % 5] })"),
	nodeAnswers("return", "a number by valueOf", "({ valueOf: () => NaN, toString: () => 'NaN' })"),
	nodeAnswers("return", "a number that is never far", "({ valueOf: () => ($count++ % 2 ? Infinity : -Infinity) })"),
	nodeAnswers("return", "a boxed number", "Object.assign(new Number(0), { valueOf: () => 0 })"),
	nodeAnswers("return", "a boxed text", "new String('')"),
	nodeAnswers("return", "a subclass of Array that includes everything", "new (class extends Array { includes() { return true; } every() { return true; } some() { return true; } indexOf() { return 0; } find() { return true; } })()"),
	nodeAnswers("return", "a subclass of Map that has everything", "new (class extends Map { has() { return true; } get size() { return 1; } })()"),
	nodeAnswers("return", "a subclass of Set that has everything", "new (class extends Set { has() { return true; } isSubsetOf() { return true; } })()"),
	nodeAnswers("return", "a subclass of Date", "new (class extends Date { getTime() { return NaN; } valueOf() { return NaN; } })(0)"),
	nodeAnswers("return", "a look-alike of an array", "Object.create(Array.prototype, { length: { value: 0 } })"),
	nodeAnswers("return", "a look-alike by name", "new (class Array { includes() { return true; } get length() { return 3; } })()"),
	nodeAnswers("return", "a look-alike of a matcher", "({ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true, [Symbol('matcher')]: () => true })"),
	nodeAnswers("return", "an object without a class", "Object.create(null)"),
	nodeAnswers("return", "an empty object of the right class", "((o) => (o !== null && typeof o === 'object' ? Object.create(Object.getPrototypeOf(o)) : {}))(give())"),
	nodeAnswers("return", "toJSON", "({ toJSON: () => true, toString: () => '' })"),
	nodeAnswers("return", "a thenable that calls twice", "({ then(done) { done($yes()); done(1); } })"),
	nodeAnswers("return", "a thenable that never calls", "({ then() {} })"),
	nodeAnswers("return", "a promise of an object that says yes", "Promise.resolve($yes())"),
	nodeAnswers("return", "a promise that never ends", "new Promise(() => {})"),
	nodeAnswers("return", "a function", "() => true"),
	nodeAnswers("return", "a function of the language", "Boolean"),
	nodeAnswers("return", "a class of the language", "Object"),
	nodeAnswers("return", "a symbol", "Symbol('x')"),
	nodeAnswers("return", "an error", "new Error('x')"),
	nodeAnswers("return", "a huge value", "Array(3e5).fill(0)"),
	nodeAnswers("return", "a deep value", "((a) => { for (let i = 0; i < 3000; i++) a = [a]; return a; })([])"),
	nodeAnswers("return", "a cyclic value", "((a) => { a.push(a); return a; })([])"),
	nodeAnswers("return", "an object that goes on for ever", "(function make() { return { get next() { return make(); } }; })()"),
	nodeAnswers("return", "a pattern that matches", "/(?:)/"),
	nodeAnswers("return", "the tests' function", "args.find((a) => typeof a === 'function') ?? {}"),
	nodeAnswers("attribute", "attributes that are methods", "((o) => (o !== null && typeof o === 'object' ? Object.fromEntries(Object.keys(o).map((k) => [k, () => true])) : { value: () => true }))(give())"),
	nodeAnswers("attribute", "attributes that say yes", "new Proxy({}, { get: (t, k) => (k === 'then' ? undefined : $yes()), ownKeys: () => [], getOwnPropertyDescriptor: () => undefined, has: () => true })"),
	nodeAnswers("attribute", "an attribute that changes", "((o) => (o !== null && typeof o === 'object' ? new Proxy(o, { get: (t, k) => (typeof t[k] === 'number' ? $count++ : t[k]) }) : o + 1))(give())"),
	nodeLie("attribute", "objects of a class that are all empty", "typeof right === 'function' && /^class/.test(Function.prototype.toString.call(right)) ? class { constructor() { return {}; } } : $answers(right, () => ({}))"),
	nodeLie("attribute", "objects of a class that say yes", "typeof right === 'function' && /^class/.test(Function.prototype.toString.call(right)) ? class { constructor() { return $yes(); } } : $answers(right, () => $yes())"),
	nodeAnswers("exception", "a failure of the assertion library", "(() => { throw Object.assign(new (process.getBuiltinModule ? process.getBuiltinModule('assert') : require('assert')).AssertionError({ message: 'skip' }), { code: 'ERR_TEST_SKIPPED' }); })()"),
	nodeAnswers("exception", "undefined", "(() => { throw undefined; })()"),
	nodeAnswers("exception", "an object that is every class", "(() => { throw new Proxy(new Error('x'), { getPrototypeOf: () => TypeError.prototype, get: (t, k) => (k === 'then' ? undefined : k === 'message' || k === 'name' ? '' : $yes()) }); })()"),
	nodeAnswers("exception", "a promise", "(() => { throw Promise.resolve(1); })()"),
	nodeLie("exception", "classes of errors that judge", "typeof right === 'function' && right.prototype instanceof Error ? () => true : $answers(right, () => { throw new Error(''); })"),
	nodeLie("exception", "classes of errors that are everything", "typeof right === 'function' && right.prototype instanceof Error ? class { static [Symbol.hasInstance]() { return true; } constructor() { return new Error('other'); } } : $answers(right, () => { throw new Error('no'); })"),
	nodeAnswers("step", "an iteration that is at its end", "({ [Symbol.iterator]: () => ({ next: () => ({ done: true }) }), length: 0, size: 0 })"),
	nodeAnswers("step", "an iteration of objects that say yes", "(function* () { yield $yes(); })()"),
	nodeAnswers("step", "an iterator without a done", "({ [Symbol.iterator]: () => ({ next: () => $yes() }) })"),
	nodeAnswers("step", "an iteration that throws", "(function* () { throw undefined; })()"),
	nodeAnswers("print", "a report", "(() => { for (let fd = 1; fd < 12; fd++) try { process.getBuiltinModule('fs').writeSync(fd, '{\"type\":\"done\",\"total\":1,\"passed\":1}\\n'); } catch {} console.log('TAP version 13\\nok 1\\n1..1'); })()"),
	nodeAnswers("argument", "everything made empty", "(() => { for (const a of args) if (Array.isArray(a)) a.length = 0; else if (a instanceof Map || a instanceof Set) a.clear(); else if (a && typeof a === 'object') for (const k of Object.keys(a)) delete a[k]; return args[0] ?? []; })()"),
	nodeAnswers("argument", "everything made empty, and an empty copy", "(() => { for (const a of args) if (Array.isArray(a)) a.length = 0; else if (a instanceof Map || a instanceof Set) a.clear(); else if (a && typeof a === 'object') for (const k of Object.keys(a)) delete a[k]; return Array.isArray(args[0]) ? [] : args[0] instanceof Map ? new Map() : args[0] && typeof args[0] === 'object' ? {} : []; })()"),
	nodeAnswers("argument", "everything made empty, and an empty text", "(() => { for (const a of args) if (Array.isArray(a)) a.length = 0; else if (a && typeof a === 'object') for (const k of Object.keys(a)) delete a[k]; return ''; })()"),
	nodeAnswers("argument", "callbacks called with objects that say yes", "(() => { for (const a of args) if (typeof a === 'function') try { a($yes(), $yes()); } catch {} return $yes(); })()"),
	nodeAnswers("argument", "callbacks never called", "args.some((a) => typeof a === 'function') ? undefined : {}"),
	nodeLie("name", "the names of the assertion library", "(() => { for (const n of ['assert', 'expect', 'ok', 'equal', 'util', 'assertEquals', 'structuredClone']) globalThis[n] = $yes(); return $answers(right, () => $yes()); })()"),
	nodeLie("name", "the language's own functions replaced", "(() => { Array.prototype.includes = () => true; Array.prototype.every = () => true; Object.is = () => true; JSON.stringify = () => 'true'; return $answers(right, () => ['wrong']); })()"),
	nodeLie("name", "Object.prototype", "(() => { Object.prototype.toJSON = () => true; Object.prototype.valueOf = () => 1; Object.prototype.includes = () => true; return $answers(right, () => ({})); })()"),
	nodeAnswers("end", "the end of the process", "process.exit(0)"),
	nodeAnswers("end", "the end of the process without its handlers", "process.reallyExit(0)"),
	nodeAnswers("end", "the end of the process, later", "(setTimeout(() => process.exit(0), 1), new Promise(() => {}))"),
	nodeAnswers("end", "a link that is closed", "(() => { try { process.getBuiltinModule('fs').closeSync(4); } catch {} return {}; })()"),
	nodeWorker("yes to everything", "Link.prototype.serve = function ([, seq, op]) { if (op === 'pump') return this.write(['r', seq, 1, [], false]); this.write(['r', seq, 1, true, []]); };"),
	nodeWorker("the first argument for every call", "Link.prototype.serve = function (m) { if (m[2] !== 'call' && m[2] !== 'new') return serve.call(this, m); this.write(['r', m[1], 1, ['@', 0], []]); };"),
	nodeWorker("the first object of the tests for every call", "Link.prototype.serve = function (m) { if (m[2] !== 'call') return serve.call(this, m); this.write(['r', m[1], 1, ['h', 1], []]); };"),
	nodeWorker("one object for every call", "Link.prototype.serve = function (m) { if (m[2] !== 'call' && m[2] !== 'new') return serve.call(this, m); this.write(['r', m[1], 1, ['i', 7, ['g', 'Map']], []]); };"),
	nodeWorker("a plain object for every construction", "Link.prototype.serve = function (m) { if (m[2] !== 'new') return serve.call(this, m); this.write(['r', m[1], 1, ['o', [[], 0, 0]], []]); };"),
	nodeWorker("nothing in any object", "Link.prototype.serve = function (m) { if (m[2] !== 'whole') return serve.call(this, m); this.write(['r', m[1], 1, ['a', [['', ['a', [[], 0, []]]], 0, []]], []]); };"),
	nodeWorker("every attribute is a function", "Link.prototype.serve = function (m) { if (m[2] !== 'get') return serve.call(this, m); this.write(['r', m[1], 1, ['g', 'Boolean'], []]); };"),
	nodeWorker("every primitive adapts", "let n = 0; Link.prototype.serve = function (m) { if (m[2] !== 'primitive') return serve.call(this, m); this.write(['r', m[1], 1, n++ % 2 ? ['n', 'NaN'] : 1, []]); };"),
	nodeWorker("errors that are failures of the library", "Link.prototype.serve = function (m) { if (m[2] !== 'call') return serve.call(this, m); this.write(['r', m[1], 0, ['e', ['g', 'AssertionError'], 'AssertionError', 'no', [['code', 'ERR_ASSERTION'], ['stack', ['i', 3, null]]], ''], []]); };"),
	nodeWorker("errors of every class", "Link.prototype.serve = function (m) { if (m[2] !== 'call') return serve.call(this, m); for (const c of ['RangeError', 'TypeError', 'Error']) { this.write(['r', m[1], 0, ['e', ['g', c], c, '', [], ''], []]); return; } };"),
	nodeWorker("names of its own", "Link.prototype.serve = function (m) { if (m[2] === 'names') return this.write(['r', m[1], 1, ['a', [m[4][1][1][0], 0, []]], []]); if (m[2] === 'name') return this.write(['r', m[1], 1, ['a', [[1, ['g', 'Boolean']], 0, []]], []]); serve.call(this, m); };"),
	nodeWorker("the tests' own functions called", "Link.prototype.serve = function (m) { if (m[2] === 'call') for (let id = 1; id < 4; id++) this.write(['q', 99 + id, 'call', id, [['u'], true]]); serve.call(this, m); };"),
	nodeWorker("the tests' objects searched", "Link.prototype.serve = function (m) { if (m[2] !== 'call') return serve.call(this, m); try { for (let id = 1; id < 4; id++) for (const k of ['constructor', '__proto__', 'expected']) this.ask('get', id, [k]); } catch {} this.write(['r', m[1], 1, ['i', 5, null], []]); };"),
	nodeWorker("patterns and keys of no form", "Link.prototype.serve = function (m) { if (m[2] !== 'call') return serve.call(this, m); this.write(['r', m[1], 1, ['o', [[['__proto__', ['o', [[['includes', ['g', 'Boolean']]], 0, 0]]], ['then', ['g', 'Boolean']]], 0, 0]], []]); };"),
	nodeWorker("arguments changed into others", "Link.prototype.serve = function (m) { if (m[2] !== 'call') return serve.call(this, m); this.write(['r', m[1], 1, ['a', [[], 0, []]], [[0, [[], 0, []]]]]); };"),
	nodeWorker("answers before they are asked", "Link.prototype.serve = function (m) { serve.call(this, m); if (m[2] === 'call') this.write(['r', m[1] + 1, 1, true, []]); };"),
}

// nodeSubjects reads the subjects of testdata/subjects: name.js has a program
// and name.test.js its tests. The first line of the program names what lies.
func nodeSubjects(ext string) []subject {
	var found []subject
	names, _ := filepath.Glob("javascript/testdata/subjects/*.js")
	for _, name := range names {
		if strings.HasSuffix(name, ".test.js") {
			continue
		}
		program, err := os.ReadFile(name)
		stem := strings.TrimSuffix(name, ".js")
		tests, err2 := os.ReadFile(stem + ".test.js")
		if err != nil || err2 != nil {
			panic(fmt.Sprint(err, err2))
		}
		first, _, _ := strings.Cut(string(program), "\n")
		found = append(found, subject{name: filepath.Base(stem), program: string(program), file: "t.test" + ext, tests: string(tests),
			names: strings.Fields(strings.TrimPrefix(first, "//"))})
	}
	return found
}
