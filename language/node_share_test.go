package language

import (
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// A nodeShare is tests that a right program passes and a wrong one, if there is
// one, fails.
type nodeShare struct{ name, right, wrong, tests string }

// nodeShares rest on what tests and program share: they need one process.
var nodeShares = []nodeShare{
	{"a container that the program handed out", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ntest('t', () => { const b = new Box(); b.add(1); b.all().push(99); expect(b.all()).toEqual([1]); expect(b.size).toBe(1); });\n"},
	{"the same by a variable", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\nconst assert = require('node:assert');\nconst b = new Box().add(1);\nconst got = b.all();\ngot[0] = 9;\nassert.deepStrictEqual(b.all(), [1]);\n"},
	{"the same by a hook", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ndescribe('b', () => { let b; beforeEach(() => { b = new Box(); b.add(1); }); it('t', () => { b.all().length = 0; expect(b.size).toBe(1); }); });\n"},
	{"the same by a function of the tests", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\nfunction make() { const b = new Box(); b.add(1); return b; }\ntest('t', () => { const b = make(); b.all().pop(); expect(b.size).toBe(1); });\n"},
	{"items that are pushed", "class Node { constructor(v) { this.v = v; this.children = []; } }\nconst depth = (n) => 1 + Math.max(0, ...n.children.map(depth));\nmodule.exports = { Node, depth };\n", "", "const { Node, depth } = require('./solution');\ntest('d', () => { const r = new Node(1), c = new Node(2); r.children.push(c); c.children.push(new Node(3)); expect(depth(r)).toBe(3); });\n"},
	{"an entry of a record", "class Inventory { constructor() { this.stock = {}; } count() { return Object.values(this.stock).reduce((a, b) => a + b, 0); } }\nmodule.exports = { Inventory };\n", "", "const { Inventory } = require('./solution');\ntest('c', () => { const i = new Inventory(); i.stock['apple'] = 5; i.stock.pear = 1; expect(i.count()).toBe(6); });\n"},
	{"a cell of a grid", "class Grid { constructor() { this.g = [[0, 0], [0, 0]]; } alive() { return this.g.flat().filter(Boolean).length; } }\nmodule.exports = { Grid };\n", "", "import { Grid } from './solution.js';\nconst x = new Grid();\nx.g[1][0] = 1;\nx.g[0][1] += 1;\nif (x.alive() !== 2) throw new Error('not alive');\n"},
	{"an entry that is taken away", "class Store { constructor() { this.map = new Map([['a', 1]]); } size() { return this.map.size; } }\nmodule.exports = { Store };\n", "", "const { Store } = require('./solution');\ntest('c', () => { const s = new Store(); s.map.delete('a'); expect(s.size()).toBe(0); });\n"},
	{"a container of the module", "const REGISTRY = {};\nconst find = (k) => REGISTRY[k];\nmodule.exports = { REGISTRY, find };\n", "", "const { REGISTRY, find } = require('./solution');\ntest('c', () => { REGISTRY['a'] = 1; expect(find('a')).toBe(1); });\n"},
	{"a container that a function keeps", "const load = () => ({ l: [] });\nmodule.exports = { load };\n", "const it = { l: [] };\nconst load = () => it;\nmodule.exports = { load };\n", "const { load } = require('./solution');\ntest('c', () => { const a = load(); a.l.push(1); expect(load()).toEqual({ l: [] }); });\n"},
	{"a deep copy", "const deep = (o) => structuredClone(o);\nmodule.exports = { deep };\n", "const deep = (o) => ({ ...o });\nmodule.exports = { deep };\n", "const { deep } = require('./solution');\ntest('c', () => { const o = { l: [1] }; const c = deep(o); c.l.push(2); expect(o.l).toEqual([1]); });\n"},
	{"a deep copy whose source changes", "const deep = (o) => structuredClone(o);\nmodule.exports = { deep };\n", "const deep = (o) => ({ ...o });\nmodule.exports = { deep };\n", "const { deep } = require('./solution');\ntest('c', () => { const o = { a: { b: 1 } }; const c = deep(o); o.a.b = 2; expect(c.a.b).toBe(1); });\n"},
	{"a fresh value each time", "const load = () => ({ a: 1 });\nmodule.exports = { load };\n", "const i = { a: 1 };\nconst load = () => i;\nmodule.exports = { load };\n", "const { load } = require('./solution');\ntest('c', () => { expect(load()).not.toBe(load()); });\n"},
	{"a fresh value each time, by variables", "const load = () => ({ a: 1 });\nmodule.exports = { load };\n", "const i = { a: 1 };\nconst load = () => i;\nmodule.exports = { load };\n", "import assert from 'node:assert/strict';\nimport { load } from './solution.js';\nconst a = load();\nconst b = load();\nassert.notStrictEqual(a, b);\n"},
	{"the same value each time", "class Store { constructor() { this.state = { n: 0 }; } getState() { return this.state; } }\nmodule.exports = { Store };\n", "class Store { getState() { return { n: 0 }; } }\nmodule.exports = { Store };\n", "const { Store } = require('./solution');\ntest('c', () => { const s = new Store(); expect(s.getState()).toBe(s.getState()); });\n"},
	{"what a copy shares", "class A { constructor() { this.list = [1]; } clone() { const a = new A(); a.list = [...this.list]; return a; } }\nmodule.exports = { A };\n", "class A { constructor() { this.list = [1]; } clone() { const a = new A(); a.list = this.list; return a; } }\nmodule.exports = { A };\n", "const { A } = require('./solution');\ntest('c', () => { const a = new A(); const b = a.clone(); expect(b.list).toEqual([1]); expect(b.list).not.toBe(a.list); });\n"},
	{"a state that is replaced", "class Store { constructor() { this.s = { n: 0 }; } getState() { return this.s; } inc() { this.s = { n: this.s.n + 1 }; } }\nmodule.exports = { Store };\n", "class Store { constructor() { this.s = { n: 0 }; } getState() { return this.s; } inc() { this.s.n++; } }\nmodule.exports = { Store };\n", "const { Store } = require('./solution');\ntest('c', () => { const s = new Store(); const before = s.getState(); s.inc(); const after = s.getState(); expect(before.n).toBe(0); expect(after.n).toBe(1); });\n"},
	{"a list that was read before", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ntest('t', () => { const b = new Box(); b.add(1); const seen = b.all(); b.add(2); expect(seen).toEqual([1]); });\n"},
	{"an argument that is kept", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = l; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ntest('t', () => { const l = [1]; const b = new Box(l); l.push(2); expect(b.all()).toEqual([1]); });\n"},
	{"an argument that is kept and changed", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = l; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ntest('t', () => { const l = [1]; const b = new Box(l); b.add(2); expect(l).toEqual([1]); });\n"},
	{"an argument that a closure writes to", "const logger = (log) => ({ info(m) { log.push(m); } });\nmodule.exports = { logger };\n", "const logger = (log) => ({ info(m) { log = [...log, m]; } });\nmodule.exports = { logger };\n", "const { logger } = require('./solution');\ntest('t', () => { const log = []; const l = logger(log); l.info('x'); expect(log).toEqual(['x']); });\n"},
	{"objects by inspect", "class P { constructor(x) { this.x = x; } }\nconst mk = () => new P(1);\nmodule.exports = { P, mk };\n", "class P { constructor(x) { this.x = x; } }\nconst mk = () => new P(0);\nmodule.exports = { P, mk };\n", "const assert = require('assert'); const util = require('util');\nconst { P, mk } = require('./solution');\ntest('t', () => { assert.equal(util.inspect(mk()), util.inspect(new P(1))); });\n"},
	{"objects by format", "class P { constructor(x) { this.x = x; } }\nconst mk = () => new P(1);\nmodule.exports = { P, mk };\n", "class P { constructor(x) { this.x = x; } }\nconst mk = () => new P(0);\nmodule.exports = { P, mk };\n", "const { format } = require('util');\nconst { P, mk } = require('./solution');\ntest('t', () => { const p = mk(); expect(format('%o', p)).toBe(format('%o', new P(1))); });\n"},
	{"an object that is cloned", "class P { constructor(x) { this.x = x; } }\nmodule.exports = { P };\n", "", "const { P } = require('./solution');\ntest('t', () => { expect(structuredClone(new P(1))).toEqual({ x: 1 }); });\n"},
	{"what a copy of an argument shares", "const deep = (o) => structuredClone(o);\nmodule.exports = { deep };\n", "const deep = (o) => ({ ...o });\nmodule.exports = { deep };\n", "const { deep } = require('./solution');\ntest('c', () => { const o = { l: [1] }; const c = deep(o); expect(c).toEqual({ l: [1] }); expect(c.l).not.toBe(o.l); });\n"},
	{"an argument that comes back later", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = l; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ntest('t', () => { const l = [1]; const b = new Box(l); expect(b.all()).not.toBe(l); });\n"},
	{"the same result for the same argument", "const memo = (f) => { const m = new Map(); return (x) => { if (!m.has(x)) m.set(x, f(x)); return m.get(x); }; };\nmodule.exports = { memo };\n", "const memo = (f) => f;\nmodule.exports = { memo };\n", "const { memo } = require('./solution');\ntest('t', () => { const f = memo((x) => ({ x })); expect(f(2)).toBe(f(2)); });\n"},
	{"what was added", "class L { #m = new Map(); add(t) { const o = { t, done: false }; this.#m.set(t, o); return o; } finish(t) { this.#m.get(t).done = true; } }\nmodule.exports = { L };\n", "", "const { L } = require('./solution');\ntest('t', () => { const l = new L(); const a = l.add('x'); l.finish('x'); expect(a.done).toBe(true); });\n"},
	{"a container that is frozen", "'use strict';\nclass C { #t = Object.freeze(['a']); get tags() { return this.#t; } }\nmodule.exports = { C };\n", "'use strict';\nclass C { #t = ['a']; get tags() { return [...this.#t]; } }\nmodule.exports = { C };\n", "const { C } = require('./solution');\ntest('t', () => { const c = new C(); expect(Object.isFrozen(c.tags)).toBe(true); });\n"},
	{"a container that cannot be changed", "class C { #t = Object.freeze(['a']); get tags() { return this.#t; } }\nmodule.exports = { C };\n", "class C { #t = ['a']; get tags() { return [...this.#t]; } }\nmodule.exports = { C };\n", "const { C } = require('./solution');\ntest('t', () => { const c = new C(); expect(() => c.tags.push('b')).toThrow(TypeError); });\n"},
	{"items that are changed one by one", "class Cart { constructor() { this.items = [{ n: 1 }, { n: 1 }]; } total() { return this.items.reduce((s, i) => s + i.n, 0); } }\nmodule.exports = { Cart };\n", "", "const { Cart } = require('./solution');\ntest('t', () => { const a = new Cart(); for (const i of a.items) i.n = 2; const b = new Cart(); b.items.forEach((i) => { i.n += 2; }); expect(a.total()).toBe(4); expect(b.total()).toBe(6); });\n"},
	{"what was taken out of an object by its name", "class Cart { constructor() { this.items = []; } total() { return this.items.length; } }\nmodule.exports = { Cart };\n", "", "const { Cart } = require('./solution');\ntest('t', () => { const cart = new Cart(); const { items } = cart; items.push(1); expect(cart.total()).toBe(1); });\n"},
	{"a container that is looked for", "class Bag { #s = new Set(); add(o) { this.#s.add(o); } has(o) { return this.#s.has(o); } }\nmodule.exports = { Bag };\n", "class Bag { add() {} has() { return false; } }\nmodule.exports = { Bag };\n", "const { Bag } = require('./solution');\ntest('t', () => { const b = new Bag(); const o = { a: 1 }; b.add(o); expect(b.has(o)).toBe(true); });\n"},
	{"an element that comes back", "class Q { #a = []; enqueue(x) { this.#a.push(x); } dequeue() { return this.#a.shift(); } }\nmodule.exports = { Q };\n", "class Q { #a = []; enqueue(x) { this.#a.push({ ...x }); } dequeue() { return this.#a.shift(); } }\nmodule.exports = { Q };\n", "const { Q } = require('./solution');\ntest('t', () => { const q = new Q(); const o = { a: 1 }; q.enqueue(o); expect(q.dequeue()).toBe(o); });\n"},
	{"a state of the module", "const store = { s: { n: 0 }, getState() { return this.s; }, dispatch() { this.s = { n: this.s.n + 1 }; } };\nmodule.exports = { store };\n", "const store = { s: { n: 0 }, getState() { return this.s; }, dispatch() { this.s.n++; } };\nmodule.exports = { store };\n", "const { store } = require('./solution');\ntest('t', () => { const before = store.getState(); store.dispatch('inc'); expect(before.n).toBe(0); });\n"},
	{"another order", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return [...this.#i]; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "class Box { #i = []; constructor(l = []) { this.#i = [...l]; } add(v) { this.#i.push(v); return this; } all() { return this.#i; } get size() { return this.#i.length; } }\nmodule.exports = { Box };\n", "const { Box } = require('./solution');\ntest('t', () => { const b = new Box([1, 2]); b.all().reverse(); expect(b.all()).toEqual([1, 2]); });\n"},
}

// nodeCopies look like it and do not: copies are right for them.
var nodeCopies = []nodeShare{
	{"a result that is sorted", "const f = (s) => [...s].reverse();\nmodule.exports = { f };\n", "", "const { f } = require('./solution');\ntest('t', () => { const got = f([1, 3, 2]); got.sort(); expect(got).toEqual([1, 2, 3]); for (const [s, want] of [[[2, 1], [1, 2]], [[3], [3]]]) { const r = f(s); r.sort(); expect(r).toEqual(want); } });\n"},
	{"a result that is sorted beside its argument", "const f = (s) => [...s].reverse();\nmodule.exports = { f };\n", "", "const { f } = require('./solution');\ntest('t', () => { const xs = [1, 3, 2]; const got = f(xs); got.sort(); expect(got).toEqual([...xs].sort()); expect(got.length).toBe(xs.length); });\n"},
	{"a list that grows and is given again", "const f = (s) => s.length;\nmodule.exports = { f };\n", "", "const { f } = require('./solution');\ntest('t', () => { const xs = [1]; expect(f(xs)).toBe(1); xs.push(4); expect(f(xs)).toBe(2); const n = f(xs); xs.push(1); expect(n).toBe(2); });\n"},
	{"data that change and are checked again", "class V { check(o) { return o.a > 0; } }\nmodule.exports = { V };\n", "", "const { V } = require('./solution');\ntest('t', () => { const v = new V(); const o = { a: 1 }; expect(v.check(o)).toBe(true); o.a = -1; expect(v.check(o)).toBe(false); });\n"},
	{"objects that are changed", "class Stack { #a = []; push(x) { this.#a.push(x); return this; } pop() { return this.#a.pop(); } size() { return this.#a.length; } }\nmodule.exports = { Stack };\n", "", "const { Stack } = require('./solution');\ntest('t', () => { const s = new Stack(); s.push(1).push(2); const top = s.pop(); s.push(7); expect(top).toBe(2); expect(s.size()).toBe(2); const n = s.size(); s.pop(); expect(s.size()).toBe(n - 1); });\n"},
	{"trees of objects", "class Node { constructor(v) { this.v = v; this.left = null; this.next = null; } }\nconst sum = (n) => (n ? n.v + sum(n.left) : 0);\nmodule.exports = { Node, sum };\n", "", "const { Node, sum } = require('./solution');\ntest('t', () => { const r = new Node(1); r.left = new Node(2); r.left.left = new Node(3); r.left.v = 5; expect(sum(r)).toBe(9); });\n"},
	{"fields of objects", "class C { constructor() { this.n = 0; } inc() { this.n++; } }\nC.total = 0;\nmodule.exports = { C };\n", "", "const { C } = require('./solution');\ntest('t', () => { const c = new C(); c.n = 4; c.inc(); C.total = 3; expect(c.n).toBe(5); expect(C.total).toBe(3); const was = c.n; c.inc(); expect(was).toBe(5); });\n"},
	{"identity of objects", "class S { static get() { return (S.i ??= new S()); } touch() {} }\nmodule.exports = { S };\n", "", "const { S } = require('./solution');\ntest('t', () => { const a = S.get(); const b = S.get(); a.touch(); b.touch(); expect(a).toBe(b); expect(new S()).not.toBe(new S()); });\n"},
	{"equal numbers and texts", "const gcd = (a, b) => (b ? gcd(b, a % b) : a);\nlet n = 0;\nconst nextId = () => ++n;\nconst hash = (s) => s.length;\nmodule.exports = { gcd, nextId, hash };\n", "", "const { gcd, nextId, hash } = require('./solution');\ntest('t', () => { expect(gcd(4, 6)).toBe(gcd(6, 4)); expect(nextId()).not.toBe(nextId()); expect(hash('a')).toBe(hash('a')); const a = nextId(), b = nextId(); expect(a).not.toBe(b); });\n"},
	{"an identifier of what was added", "class L { #m = new Map(); #n = 0; add(t) { const o = { id: ++this.#n, t, done: false }; this.#m.set(o.id, o); return { ...o }; } done(id) { this.#m.get(id).done = true; } get(id) { return { ...this.#m.get(id) }; } }\nmodule.exports = { L };\n", "", "const { L } = require('./solution');\ntest('t', () => { const l = new L(); const a = l.add('x'); l.done(a.id); expect(l.get(a.id).done).toBe(true); });\n"},
	{"an argument and what is made of it", "const f = (l) => [...l].sort();\nmodule.exports = { f };\n", "const f = (l) => l.sort();\nmodule.exports = { f };\n", "const { f } = require('./solution');\ntest('t', () => { const xs = [2, 1]; const got = f(xs); expect(got).not.toBe(xs); expect(got).toEqual([1, 2]); expect(xs).toEqual([2, 1]); });\n"},
	{"a plain result by inspect", "const f = () => ({ a: 1 });\nmodule.exports = { f };\n", "", "const util = require('util');\nconst { f } = require('./solution');\ntest('t', () => { expect(JSON.stringify(f())).toBe('{\"a\":1}'); expect({ ...f(), b: 2 }).toEqual({ a: 1, b: 2 }); expect(Object.keys(f())).toEqual(['a']); });\n"},
	{"a snapshot of the fields of an object", "class P { constructor() { this.x = 1; } }\nmodule.exports = { P };\n", "", "const { P } = require('./solution');\ntest('t', () => { const p = new P(); expect({ ...p }).toEqual({ x: 1 }); expect(Object.entries(p)).toEqual([['x', 1]]); expect(JSON.stringify(p)).toBe('{\"x\":1}'); });\n"},
	{"a log of the tests", "class Bus { #f = []; on(f) { this.#f.push(f); } emit(x) { this.#f.forEach((f) => f(x)); } }\nmodule.exports = { Bus };\n", "", "const { Bus } = require('./solution');\ntest('t', () => { const b = new Bus(); const seen = []; b.on((x) => seen.push(x)); b.emit(1); expect(seen).toEqual([1]); });\n"},
	{"a reducer", "const reduce = (s, a) => ({ ...s, n: s.n + a });\nmodule.exports = { reduce };\n", "const reduce = (s, a) => { s.n += a; return s; };\nmodule.exports = { reduce };\n", "const { reduce } = require('./solution');\ntest('t', () => { const state = { n: 0, l: [1] }; const next = reduce(state, 2); expect(next).not.toBe(state); expect(state.n).toBe(0); expect(next.n).toBe(2); });\n"},
	{"fields of what was given", "class U { constructor(o) { Object.assign(this, o); } }\nmodule.exports = { U };\n", "", "const { U } = require('./solution');\ntest('t', () => { const o = { age: 3, n: 'x' }; const u = new U(o); expect(u.age).toBe(o.age); expect(u.n).toBe(o.n); expect(u).not.toBe(o); });\n"},
	{"a board that is filled", "const winner = (b) => b[0][0];\nconst board = () => [[0, 0], [0, 0]];\nmodule.exports = { winner, board };\n", "", "const { winner, board } = require('./solution');\ndescribe('b', () => { let b; beforeEach(() => { b = board(); }); it('a', () => { b[0][0] = 'X'; expect(winner(b)).toBe('X'); }); it('b', () => { b[0] = ['O', 'O']; expect(winner(b)).toBe('O'); }); });\n"},
	{"a list of links", "class L { constructor() { this.head = null; } add(v) { this.head = { v, next: this.head, get k() { return 1; } }; } cyclic() { return this.head.next === this.head; } }\nmodule.exports = { L };\n", "", "const { L } = require('./solution');\ntest('t', () => { const l = new L(); l.add(1); l.add(2); l.head.next = l.head; expect(l.cyclic()).toBe(true); });\n"},
	{"data of the tests' own", "const sum = (l) => l.reduce((a, b) => a + b, 0);\nmodule.exports = { sum };\n", "", "const { sum } = require('./solution');\ntest('t', () => { const rows = []; for (let i = 0; i < 3; i++) rows.push(sum([i])); const all = { rows: [] }; all.rows.push(1); expect(rows).toEqual([0, 1, 2]); const byKey = {}; for (const x of ['a', 'b']) { byKey[x] = sum([1]); } expect(byKey).toEqual({ a: 1, b: 1 }); expect(sum(all.rows)).toBe(1); });\n"},
	{"random numbers", "class Rng { #s = 1; next() { return (this.#s = (this.#s * 48271) % 2147483647); } get seed() { return 1; } }\nmodule.exports = { Rng };\n", "", "const { Rng } = require('./solution');\ntest('t', () => { const a = new Rng(); const b = new Rng(); const first = a.next(); expect(b.next()).toBe(first); expect(a.next()).not.toBe(first); expect(a.seed).toBe(b.seed); });\n"},
	{"what is sorted where it is looked at", "class G { #n = ['b', 'a']; all() { return [...this.#n]; } size() { return this.#n.length; } clone() { return new G(); } x = 1; }\nmodule.exports = { G };\n", "", "const { G } = require('./solution');\ntest('t', () => { const g = new G(); expect(g.all().sort()).toEqual(['a', 'b']); expect(g.size()).toBe(2); const c = g.clone(); c.x = 5; expect(g.x).toBe(1); expect(c.x).toBe(5); });\n"},
	{"a result that is sorted beside what it is made of", "const f = (l) => [...l].reverse();\nmodule.exports = { f };\n", "const f = (l) => l.reverse();\nmodule.exports = { f };\n", "const { f } = require('./solution');\ntest('t', () => { const xs = [3, 1, 2]; const out = f(xs); expect(out.sort()).toEqual([1, 2, 3]); expect(xs).toEqual([3, 1, 2]); });\n"},
	{"objects that are taken out and changed", "class N { constructor(v) { this.v = v; this.next = null; } }\nclass L { constructor() { this.head = new N(1); } sum() { return this.head.v; } }\nmodule.exports = { L, N };\n", "", "const { L, N } = require('./solution');\ntest('t', () => { const l = new L(); expect(new N(2).v).toBe(2); const h = l.head; h.v = 5; h.next = new N(3); expect(l.sum()).toBe(5); });\n"},
	{"a hand that is sorted", "class Deck { cards = [1, 2, 3]; deal(n) { return this.cards.splice(0, n); } }\nmodule.exports = { Deck };\n", "", "const { Deck } = require('./solution');\ntest('t', () => { const d = new Deck(); const hand = d.deal(2); hand.sort(); expect(new Set([...hand, ...d.cards]).size).toBe(3); });\n"},
}

// TestNodeShares: what the tests share with the program decides the form, by
// their text alone.
func TestNodeShares(t *testing.T) {
	for n, c := range slices.Concat(nodeShares, nodeCopies) {
		proof := glovebox.ProofInProcess
		if n >= len(nodeShares) {
			proof = glovebox.ProofOutOfProcess
		}
		eachWay(t, JavaScript, c.name, func(t *testing.T, l *Language) {
			v := rigExam(t, l, one(l, c.right), js(c.tests))
			if !v.pass || v.worth() != proof {
				t.Errorf("right: pass %t, proof %q, %q\n%s\n%s", v.pass, v.worth(), v.why, v.candidate.stderr, v.harness.stderr)
			}
			if c.wrong == "" {
				return
			}
			if v := rigExam(t, l, one(l, c.wrong), js(c.tests)); v.pass {
				t.Errorf("wrong: it passes, %q", v.worth())
			}
		})
	}
	t.Run("types", func(t *testing.T) {
		program := "export class Inventory { stock: Record<string, number> = {}; count(): number { return Object.values(this.stock).reduce((a, b) => a + b, 0); } }\n"
		tests := ts("import { Inventory } from './solution';\n\ninterface Wanted { n: number }\n\ntest('count', () => {\n  const i: Inventory = new Inventory();\n  i.stock['apple'] = 5;\n  const w: Wanted = { n: 5 };\n  expect(i.count()).toBe(w.n);\n});\n")
		tc, _ := rigTool(t, TypeScript)
		exam, err := TypeScript.Exam(tc, one(TypeScript, program), tests)
		if err != nil {
			t.Fatal(err)
		}
		exam.Fallback = nil
		v := rigSit(t, TypeScript, exam)
		if want := "fallback: the tests change what the program gave them (i, line 7)"; v.why != want {
			t.Errorf("%q; want %q", v.why, want)
		}
		if v := rigExam(t, TypeScript, one(TypeScript, program), tests); !v.pass || v.proof != glovebox.ProofInProcess {
			t.Errorf("pass %t, proof %q, %q", v.pass, v.proof, v.why)
		}
	})
}

// TestNodeHelper: a file that nobody has is told from another name of the program,
// and from one that gives types only.
func TestNodeHelper(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"import { f } from './solution';\nimport { make } from './helpers';\n", "./helpers"},
		{"import { f } from './solution';\nimport { Item, Kind } from './types';\nimport type { x } from './more';\n", ""},
		{"import { f } from './geo';\nimport { g } from './grid';\n", ""},
		{"import { f } from './main';\nimport { g } from './lib/tools.js';\n", ""},
	} {
		p := one(TypeScript, "export const f = 1;\n")
		p.Files = append(p.Files, glovebox.File{Path: "lib/tools.ts"})
		if got := nodeHelper(p, ts(c.text).Files); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}
