package language

import (
	"errors"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

const (
	luaApart    = glovebox.ProofOutOfProcess
	luaTogether = glovebox.ProofInProcess
	luaJudged   = glovebox.ProofCandidateJudged
)

// TestLuaExam has programs with tests, and what must come of them: the proof is
// what the passes are worth, or of the exam where nothing passes.
func TestLuaExam(t *testing.T) {
	const pass, fail = true, false
	for _, c := range []struct {
		name, program, tests string
		proof                glovebox.Proof
		pass                 bool
		// needs is a framework of the host's.
		needs string
	}{
		// Objects.
		{name: "two objects are not equal by having nothing", program: "function f(n) return setmetatable({n = n}, {}) end\n", tests: "local lu = require('luaunit')\nfunction testF() lu.assertEquals(f(1), f(2)) end\nos.exit(lu.LuaUnit.run())\n", proof: luaApart, pass: fail},
		{name: "an object is not an empty table", program: "function f(n) return setmetatable({n = n}, {}) end\n", tests: "local lu = require('luaunit')\nfunction testF() lu.assertEquals(f(1), {}) end\nos.exit(lu.LuaUnit.run())\n", proof: luaApart, pass: fail},
		{name: "a loop over an object runs", program: "function f(n) return setmetatable({n = n}, {}) end\n", tests: "for k, v in pairs(f(1)) do assert(v == 2) end\n", proof: luaApart, pass: fail},
		{name: "the contents of an object", program: "function f(n) return setmetatable({n = n, l = {1, {2}}}, {}) end\n", tests: "local lu = require('luaunit')\nfunction testF() lu.assertEquals(f(1), {n = 1, l = {1, {2}}}) lu.assertNotEquals(f(1), {n = 1}) end\nos.exit(lu.LuaUnit.run())\n", proof: luaApart, pass: pass},
		{name: "raw functions see an object", program: "function f(n) return setmetatable({n, n + 1, k = n}, {__index = function() return 9 end}) end\n", tests: "local o = f(4)\nassert(next(o) ~= nil)\nassert(rawget(o, 'k') == 4 and rawget(o, 'x') == nil and o.x == 9)\nassert(rawlen(o) == 2 and #o == 2)\nassert(rawequal(o, o) and not rawequal(o, {}))\nlocal n = 0\nfor k, v in next, o do n = n + v end\nassert(n == 13)\nassert(select('#', table.unpack(o)) == 2)\nassert(table.concat(o, ' ') == '4 5')\n", proof: luaApart, pass: pass},
		{name: "an object is a table", program: "function f() return setmetatable({}, {__name = 'number'}) end\n", tests: "assert(type(f()) == 'table')\n", proof: luaApart, pass: pass},
		{name: "a thread and a file are what they are", program: "function f() return coroutine.create(print), io.stdout end\n", tests: "local c, f = f()\nassert(type(c) == 'thread' and type(f) == 'userdata')\n", proof: luaApart, pass: pass},
		{name: "a cycle", program: "function f() local t = {n = 1} t.me = t return t end\n", tests: "local t = f()\nassert(t.me == t and t.me.me.n == 1)\n", proof: luaApart, pass: pass},
		{name: "its own judge by ==", program: "function f() return setmetatable({}, {__eq = function() return true end}) end\n", tests: "assert(f() == {1})\n", proof: luaApart, pass: fail},
		{name: "its own judge by == of two", program: "function f() return setmetatable({}, {__eq = function() return true end}) end\n", tests: "assert(f(1) == f(2))\n", proof: luaApart, pass: fail},
		{name: "its own judge by order", program: "function f() return setmetatable({}, {__lt = function() return true end, __sub = function(a) return a end}) end\n", tests: "assert(f() - 3 < 1e-6)\n", proof: luaApart, pass: fail},
		{name: "a judgement that is caught", program: "function f() return setmetatable({}, {__lt = function() return true end}) end\n", tests: "assert(not pcall(function() return f() < 3 end))\n", proof: luaApart, pass: fail},
		{name: "an object that was made judges", program: "Money = {}\nMoney.__index = Money\nMoney.__eq = function(a, b) return a.n == b.n end\nMoney.__lt = function(a, b) return a.n < b.n end\nMoney.__add = function(a, b) return Money.new(a.n + b.n) end\nfunction Money.new(n) return setmetatable({n = n}, Money) end\n",
			tests: "local lu = require('luaunit')\nfunction testSum() lu.assertTrue(Money.new(1) + Money.new(2) == Money.new(3)) end\nfunction testField() lu.assertEquals(Money.new(1).n, 1) end\nos.exit(lu.LuaUnit.run())\n", proof: luaJudged, pass: pass},
		{name: "what a method gives was not made", program: "Money = {}\nMoney.__index = Money\nMoney.__lt = function() return true end\nfunction Money.new() return setmetatable({}, Money) end\nfunction Money:get() return self end\n",
			tests: "assert(Money.new():get() < 3)\n", proof: luaApart, pass: fail},
		{name: "what a function gives is not made by being the same", program: "Money = {}\nMoney.__index = Money\nlocal last\nMoney.__lt = function() return true end\nfunction Money.new() last = setmetatable({}, Money) return last end\nfunction f() return last end\n",
			tests: "local m = Money.new()\nassert(f() < 3)\n", proof: luaApart, pass: fail},
		{name: "a comparison by content of two results", program: "function f() return setmetatable({}, {}) end\n", tests: "describe('f', function() it('is', function() assert.are.same(f(1), f(2)) end) end)\n", proof: luaApart, pass: fail},
		{name: "a constructor takes the tests' table", program: "Point = {}\nPoint.__index = Point\nfunction Point:new(o) o = o or {} setmetatable(o, self) return o end\nfunction Point:sum() return self.x + self.y end\n", tests: "local p = Point:new({x = 1, y = 2})\nassert(p:sum() == 3)\np.x = 5\nassert(p:sum() == 7)\n", proof: luaApart, pass: pass},
		{name: "a table of the tests becomes an object", program: "Node = {}\nNode.__index = Node\nfunction adopt(t) t.seen = 1 return setmetatable(t, Node) end\nfunction Node:get() return self.seen end\nfunction link(a, b) a.next, b.prev = b, a end\n", tests: "local t = {}\nlocal o = adopt(t)\nassert(o == t)\nassert(t:get() == 1 and t.seen == 1)\nlocal a, b = {n = 1}, {n = 2}\nlink(a, b)\nassert(a.next.n == 2 and a.next.prev.n == 1 and a.next.prev == a)\n", proof: luaApart, pass: pass},
		{name: "a table of the tests becomes its own judge", program: "function adopt(t) setmetatable(t, {__eq = function() return true end, __lt = function() return true end}) end\n", tests: "local t = {}\nadopt(t)\nassert(t == {1})\n", proof: luaApart, pass: fail},
		{name: "a class that refers to itself once it has an instance", program: "local A = {}\nfunction A:new() local o = setmetatable({n = 0}, self) self.__index = self return o end\nfunction A:add(n) self.n = self.n + n end\nfunction A:get() return self.n end\nreturn A\n", tests: "local A = require('main')\nlocal a = A:new()\na:add(2)\nassert(a:get() == 2 and A:new():get() == 0)\n", proof: luaApart, pass: pass},
		{name: "an instance of closures", program: "function make() local n = 0 local o = {} function o.up() n = n + 1 o.n = n return o end return o end\n", tests: "local o = make()\no.up().up()\nassert(o.n == 2)\n", proof: luaApart, pass: pass},
		{name: "a class that is called", program: "Point = setmetatable({}, {__call = function(c, x) return setmetatable({x = x}, {__eq = function(a, b) return a.x == b.x end}) end})\n", tests: "assert(Point(1).x == 1)\nassert(Point(1) == Point(1))\n", proof: luaJudged, pass: pass},
		{name: "a comment does not make", program: "function f() return setmetatable({}, {__lt = function() return true end}) end\n", tests: "-- F.new(f())\nlocal s = 'Stack.new(f())'\nassert(f() < 3)\n", proof: luaApart, pass: fail},

		{name: "own assertions are not Lua's", program: "function f() return 1 end\n", tests: "local lu = require('luaunit')\nlocal function assert_eq(a, b) if a ~= b then error('no') end end\nfunction testF() assert_eq(f(), 1) end\nfunction testG() if f() ~= 1 then lu.fail('no') end end\nos.exit(lu.LuaUnit.run())\n", proof: luaApart, pass: pass},
		{name: "a loop of assertions over nothing", program: "function f() return {} end\n", tests: "for _, v in ipairs(f()) do assert(v > 0) end\n", proof: luaApart, pass: fail},
		{name: "assertions that are reached later", program: "function f() return {1} end\n", tests: "local function check(v) assert(v > 0) end\nfor _, v in ipairs(f()) do check(v) end\n", proof: luaApart, pass: pass},

		// What the program says of its own results.
		{name: "its own comparison", program: "function near() return true end\nfunction area() return 5 end\n", tests: "local got = area(2)\nassert(near(got, 12.5))\n", proof: luaJudged, pass: pass},
		{name: "its own comparison, in one", program: "return {near = function() return true end, area = function() return 5 end}\n", tests: "local lu = require('luaunit')\nlocal M = require('main')\nfunction testIt() lu.assertTrue(M.near(M.area(2), 12.5)) end\nfunction testSame() lu.assertEquals(M.near(M.area(2), 12.5), true) end\nos.exit(lu.LuaUnit.run())\n", proof: luaJudged, pass: pass},
		{name: "its own comparison, kept", program: "function near() return true end\nfunction area() return 5 end\n", tests: "local got = area(2)\nlocal same = near(got, 12.5)\nif not same then error('no') end\n", proof: luaJudged, pass: pass},
		{name: "its own comparison, of busted", program: "function near() return true end\nfunction area() return 5 end\n", tests: "describe('a', function() it('b', function() assert.is_true(near(area(2), 12.5)) end) end)\n", proof: luaJudged, pass: pass},
		{name: "its own comparison, in a condition", program: "function near() return true end\nfunction area() return 5 end\n", tests: "if not near(area(2), 12.5) or area(1) == 2 then error('no') end\n", proof: luaJudged, pass: pass},
		{name: "compositions are compared", program: "function enc(s) return s:reverse() end\nfunction dec(s) return s:reverse() end\nfunction prime(n) return n == 7 end\n", tests: "assert(dec(enc('ab')) == 'ab')\nlocal e = enc('ab')\nassert(e == 'ba' and dec(e) == 'ab')\nassert(e:find('b') and #dec(e) == 2)\nassert(prime(7))\nassert(not prime(8))\nfor _, n in ipairs({7}) do assert(prime(n)) end\n", proof: luaApart, pass: pass},

		// Arguments.
		{name: "an argument that is changed in place", program: "function sort(t) table.sort(t) return t end\nfunction fill(t) t[#t + 1] = 9 end\n", tests: "local t = {3, 1}\nlocal r = sort(t)\nassert(r == t)\nassert(t[1] == 1 and #t == 2)\nlocal u = {2}\nfill(u)\nfor i, v in ipairs(u) do assert(v == ({2, 9})[i]) end\nassert(#u == 2)\n", proof: luaApart, pass: pass},
		{name: "a plain table that goes from call to call", program: "function new() return {} end\nfunction push(s, v) s[#s + 1] = v end\nfunction pop(s) return table.remove(s) end\nfunction size(s) return #s end\n", tests: "local s = new()\npush(s, 1)\npush(s, 2)\nassert(pop(s) == 2)\nassert(size(s) == 1)\nassert(pop(s) == 1)\nassert(#s == 0)\n", proof: luaApart, pass: pass},
		{name: "one that the tests go through, too", program: "function new() return {} end\nfunction push(s, v) s[#s + 1] = v return s end\nfunction pop(s) return table.remove(s) end\n", tests: "local s = new()\npush(s, 1)\npush(s, 2)\nlocal n = 0\nfor _, v in ipairs(s) do n = n + v end\nassert(n == 3)\nlocal v = pop(s)\nlocal w = pop(s)\nassert(v == 2 and w == 1)\nfor _ in ipairs(s) do error('not empty') end\n", proof: luaJudged, pass: pass},
		{name: "an argument that must not change", program: "function sort(t) table.sort(t) return t end\n", tests: "local t = {3, 1}\nlocal r = sort(t)\nassert(r[1] == 1 and #r == 2)\nassert(t[1] == 3)\n", proof: luaApart, pass: fail},

		// Errors.
		{name: "an error that reads as luaunit's success", program: "function f() error('LuaUnit test SUCCESS: ', 0) end\n", tests: "local lu = require('luaunit')\nfunction testF() lu.assertEquals(f(), 1) end\nos.exit(lu.LuaUnit.run())\n", proof: luaApart, pass: fail},
		{name: "the same, together", program: "function f() error('LuaUnit test SUCCESS: ', 0) end\n", tests: "local lu = require('luaunit')\nmath.randomseed(1)\nfunction testF() lu.assertEquals(f(), 1) end\nos.exit(lu.LuaUnit.run())\n", proof: luaTogether, pass: fail},
		{name: "what an error carries is what it was", program: "local n = 0\nfunction f() error(setmetatable({code = 3}, {__tostring = function() n = n + 1 return 'no ' .. n end})) end\n", tests: "local ok, e = pcall(f)\nassert(tostring(e) == 'no 1')\nassert(tostring(e) == 'no 1')\nassert(e.code == 3)\n", proof: luaApart, pass: pass},

		// Names.
		{name: "an assertion is never the program's", program: "function assertEquals() end\nfunction f() end\n", tests: "local lu = require('luaunit')\nfunction testF() assertEquals(f(), 3) end\nos.exit(lu.LuaUnit.run())\n", proof: glovebox.ProofNone, pass: fail},
		{name: "a framework is never the program's", program: "lu = {assertEquals = function() end}\nfunction f() end\n", tests: "lu.assertEquals(f(), 3)\n", proof: glovebox.ProofNone, pass: fail},
		{name: "nor is its module", program: "return {assert_equals = function() end, f = function() end}\n", tests: "local m = require('main')\nm.assert_equals(m.f(), 3)\n", proof: glovebox.ProofNone, pass: fail},
		{name: "nor are the words of one", program: "function expect() local y = {} return setmetatable(y, {__index = function() return y end, __call = function() return y end}) end\nfunction f() end\n", tests: "expect(f()).to.be(3)\n", proof: glovebox.ProofNone, pass: fail},
		{name: "nor are its blocks", program: "function test() end\nfunction f() end\n", tests: "test('f', function() assert(f() == 3) end)\n", proof: luaApart, pass: fail},
		{name: "a library of Lua's that is required", program: "function f() return setmetatable({}, {}) end\n", tests: "local d = require('debug')\nassert(d.getmetatable(f()) ~= nil)\n", proof: luaTogether, pass: pass},
		{name: "an assertion that luaunit exports", program: "function f() return 3 end\n", tests: "EXPORT_ASSERT_TO_GLOBALS = true\nrequire('luaunit')\nfunction testF() assertEquals(f(), 3) end\nos.exit(LuaUnit.run())\n", proof: luaApart, pass: pass},
		{name: "Lua's own names are Lua's", program: "function type() return 'number' end\nfunction tostring() return '5' end\nfunction f() return 'x' end\n", tests: "assert(type(f()) == 'number')\n", proof: luaApart, pass: fail},
		{name: "a module gives what it likes", program: "local M = {}\nfunction M.type(x) return 'mine' end\nfunction M.next(x) return x + 1 end\nreturn M\n", tests: "local m = require('main')\nassert(m.type(1) == 'mine' and m.next(1) == 2)\n", proof: luaApart, pass: pass},

		{name: "nor is a helper that checks", program: "function check() end\nfunction f() end\n", tests: "check(f(1) == 3)\n", proof: glovebox.ProofNone, pass: fail},
		{name: "nor is one with two values", program: "function eq() end\nfunction f() end\n", tests: "local ok = true\neq(f(1), 3)\n", proof: glovebox.ProofNone, pass: fail},
		{name: "nor is one of a table", program: "T = {checkEqual = function() end}\nfunction f() end\n", tests: "T.checkEqual(f(1), 3)\n", proof: glovebox.ProofNone, pass: fail},
		{name: "a helper of the tests", program: "function f() return 3 end\n", tests: "local function check(v) assert(v) end\nfunction eq(a, b) check(a == b) end\ncheck(f() == 3)\neq(f(), 3)\n", proof: luaApart, pass: pass},
		{name: "a check that the program is", program: "function check(n) if n < 0 then error('no') end return n > 1 end\n", tests: "check(5)\nassert(check(2) == true)\nassert(not pcall(check, -1))\n", proof: luaApart, pass: pass},
		{name: "what the program does not name", program: "setmetatable(_G, {__index = function() return function() return true end end})\nfunction f() end\n", tests: "assert(holds(f(1), 3))\n", proof: luaApart, pass: fail},
		{name: "what the program names in a table", program: "local M = {}\nfunction M.f() return 3 end\nM['g'] = M.f\nfor k, v in pairs(M) do _G[k] = v end\n", tests: "assert(f() == 3 and g() == 3)\n", proof: luaApart, pass: pass},

		// NaN.
		{name: "NaN that is ordered", program: "function f() return 0/0 end\n", tests: "if math.abs(f() - 3) > 1e-9 then error('no') end\n", proof: luaApart, pass: fail},
		{name: "NaN in a denied order", program: "function f() return 0/0 end\n", tests: "assert(not (math.abs(f() - 3) > 1e-9))\n", proof: luaApart, pass: fail},
		{name: "NaN in a helper, caught", program: "function f() return 0/0 end\n", tests: "local function far(a, b) return a - b > 1e-9 or b - a > 1e-9 end\npcall(function() assert(not far(f(), 3)) end)\nassert(f ~= nil)\n", proof: luaApart, pass: fail},
		{name: "NaN under the greatest", program: "function f() return 0/0 end\n", tests: "local max = math.max\nassert(max(0, math.abs(f() - 3)) < 1e-9)\n", proof: luaApart, pass: fail},
		{name: "NaN made of two results", program: "function f() return 1/0 end\n", tests: "if f() - f() > 1e-9 then error('no') end\n", proof: luaApart, pass: fail},
		{name: "NaN that is wanted", program: "function f() return 0/0 end\n", tests: "local x = f()\nassert(x ~= x)\n", proof: luaApart, pass: pass},
		{name: "numbers that are ordered", program: "function f(n) return n / 2 end\n", tests: "assert(f(2) < 2 and f(8) >= 4 or false)\nassert(not (math.abs(f(3) - 1.5) > 1e-9) and math.max(f(2), 0) == 1)\nlocal n = 0\nwhile n <= #{1, 2} do n = n + 1 end\nassert(-f(2) < ('x'):len() and 1 < f(4))\n", proof: luaApart, pass: pass},

		// Arguments and functions.
		{name: "a table of functions as an argument", program: "function run(o) o.count = o.count + 1 return o.apply(o.items[1]) end\n", tests: "local o = {count = 0, items = {4}, apply = function(x) return x * 2 end}\nassert(run(o) == 8)\nassert(o.count == 1)\nassert(o.apply(1) == 2)\n", proof: luaApart, pass: pass},
		{name: "a cycle of the tests", program: "function f(t) return t.me == t end\n", tests: "local t = {}\nt.me = t\npcall(f, t)\nassert(f(1) == nil)\n", proof: luaApart, pass: fail},
		{name: "a swallowed assertion", program: "function each(t, f) for _, v in ipairs(t) do pcall(f, v) end end\n", tests: "describe('each', function() it('calls', function() each({1}, function(v) assert.are.equal(2, v) end) end) end)\n", proof: luaApart, pass: fail},
		{name: "numbers", program: "function f(x) return x end\n", tests: "assert(math.type(f(3)) == 'integer' and math.type(f(3.0)) == 'float')\nassert(f(2^53) == 2^53 and f(math.mininteger) == math.mininteger)\nassert(1 / f(-0.0) == -math.huge)\nassert(f(0/0) ~= f(0/0))\nassert(f('a\\0b') == 'a\\0b')\n", proof: luaApart, pass: pass},
		{name: "an iteration without end", program: "function f() return setmetatable({}, {__pairs = function() return function(_, i) return (i or 0) + 1 end end}) end\n", tests: "local n = 0\nfor k in pairs(f()) do n = n + 1 end\nassert(n > 0)\n", proof: luaApart, pass: fail},

		// Forms.
		{name: "a further module of the program", program: "package.preload.util = function() return {n = 1} end\nfunction f() return 1 end\n", tests: "local util = require('util')\nassert(f() == util.n)\n", proof: luaTogether, pass: pass},
		{name: "the seed of random numbers", program: "function f() return math.random(1000000) end\n", tests: "math.randomseed(42)\nlocal a = f()\nmath.randomseed(42)\nassert(a == f())\n", proof: luaTogether, pass: pass},
		{name: "what the program returns is loaded", program: "function f() return 'os.exit(0)' end\n", tests: "assert(load('return ' .. f())() == 3)\n", proof: luaTogether, pass: fail},
		{name: "a word in a comment changes nothing", program: "function f() return 1 end\n", tests: "-- debug.getinfo, io.read, setmetatable\nassert(f() == 1)\n", proof: luaApart, pass: pass},
		{name: "a function that is replaced", program: "function now() return os.time() end\n", tests: "os.time = function() return 5 end\nassert(now() == 5)\n", proof: luaTogether, pass: pass},

		// busted.
		{name: "busted", program: "function add(a, b) return a + b end\nfunction boom() error('bad thing') end\n", tests: "require 'busted.runner'()\ndescribe('add #fast', function()\n  local n\n  setup(function() n = 1 end)\n  before_each(function() n = n + 1 end)\n  it('adds', function()\n    assert.are.equal(3, add(1, 2))\n    assert.is_not_nil(add(1, 1))\n    assert.is.truthy(add(1, n) > 2)\n    assert.are_not.same({1}, {add(1, 1)})\n    assert.has.no.errors(function() add(1, 1) end)\n    assert.has_error(boom, 'bad thing')\n    assert.error_matches(boom, 'thing$')\n    assert.Equal(2, add(1, 1))\n    assert(add(1, 1) == 2, 'sum')\n  end)\n  describe('in', function() it('nests', function() assert.is_number(add(1, 1)) end) end)\nend)\n", proof: luaApart, pass: pass},
		{name: "busted fails", program: "function add(a, b) return a - b end\n", tests: "describe('add', function() it('adds', function() assert.are.equal(3, add(1, 2)) end) it('is', function() assert.is_nil(add(1, 1)) end) end)\n", proof: luaApart, pass: fail},
		{name: "busted negated", program: "function f() return 1 end\n", tests: "describe('f', function() it('is', function() assert.is_not.equal(1, f()) end) end)\n", proof: luaApart, pass: fail},
		{name: "busted has no tests", program: "function f() return 1 end\n", tests: "describe('f', function() f() end)\n", proof: luaApart, pass: fail},
		{name: "real busted", program: "function each(t, f) for _, v in ipairs(t) do f(v) end end\n", tests: "describe('each', function()\n  it('calls', function()\n    local s = spy.new(function() end)\n    each({1, 2}, s)\n    assert.spy(s).was.called(2)\n    assert.spy(s).was_called_with(2)\n  end)\nend)\n", proof: luaTogether, pass: pass, needs: "busted"},
		{name: "real busted of a module", program: "local M = {}\nfunction M.each(t, f) for _, v in ipairs(t) do f(v) end end\nreturn M\n", tests: "local m = require 'main'\ndescribe('each', function()\n  it('calls', function()\n    local s = stub.new()\n    m.each({1, 2}, s)\n    assert.stub(s).was.called(2)\n  end)\nend)\n", proof: luaTogether, pass: pass, needs: "busted"},
		{name: "real busted fails", program: "function each(t, f) end\n", tests: "describe('each', function()\n  it('calls', function()\n    local s = spy.new(function() end)\n    each({1, 2}, s)\n    assert.spy(s).was.called(2)\n  end)\nend)\n", proof: luaTogether, pass: fail, needs: "busted"},
		{name: "real luaunit", program: "function f(s) return s:upper() end\n", tests: "local lu = require('luaunit')\nTestF = {}\nfunction TestF:testUp() lu.assertEquals(f('a'), 'A') lu.assertNotStrMatches = nil end\nfunction TestF:testTable() lu.assertEquals({f('b')}, {'B'}) end\nmath.randomseed(3)\nlocal r = lu.LuaUnit.new()\nr:setOutputType('tap')\nos.exit(r:runSuite())\n", proof: luaTogether, pass: pass, needs: "luaunit"},
		{name: "real luaunit fails", program: "function f(s) return s end\n", tests: "local lu = require('luaunit')\nTestF = {}\nfunction TestF:testUp() lu.assertEquals(f('a'), 'A') end\nmath.randomseed(3)\nos.exit(lu.LuaUnit.run())\n", proof: luaTogether, pass: fail, needs: "luaunit"},
		{name: "luaunit, all of it", program: "function id(x) return x end\n", tests: "local lu = require('luaunit')\nfunction testAll()\n  lu.assertIsTrue(id(true)) lu.assertNotIsTrue(id(1)) lu.assertIsFalse(id(false)) lu.assertIsNil(id(nil)) lu.assertNotNil(id(1)) lu.assertNotIsNil(id(1))\n  lu.assertIsNaN(id(0/0)) lu.assertNotNaN(id(1)) lu.assertIsInf(id(1/0)) lu.assertIsPlusInf(id(1/0)) lu.assertIsMinusZero(id(-0.0)) lu.assertIsPlusZero(id(0.0))\n  lu.assertIsString(id('')) lu.assertIsTable(id({})) lu.assertNotIsTable(id(1)) lu.assertIsFunction(id) lu.assertIsBoolean(id(true))\n  lu.assertStrContains(id('abc'), 'b') lu.assertNotStrContains(id('abc'), 'd') lu.assertStrIContains(id('ABC'), 'b') lu.assertStrMatches(id('abc'), '%a+')\n  lu.assertTableContains(id({1, {2}}), {2}) lu.assertNotTableContains(id({1}), 2) lu.assertItemsEquals(id({1, 2}), {2, 1})\n  lu.assertAlmostEquals(id({1.0, {2.0}}), {1.01, {2}}, 0.1) lu.assertNotAlmostEquals(id(1), 2, 0.1)\n  lu.assertEvalToTrue(id(0)) lu.assertEvalToFalse(id(nil)) lu.assert_equals(id(1), 1) lu.assertNotEquals(id(1), 2) lu.failIf(id(false)) lu.successIf(id(false))\n  lu.assertError(error, 'x') lu.assertErrorMsgMatches('x.*', error, 'xyz', 0)\nend\nos.exit(lu.LuaUnit.run())\n", proof: luaApart, pass: pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tc, _ := rigTool(t, Lua)
			if c.needs != "" && tc.Tools[c.needs] == "" {
				t.Skipf("%s is not installed: apt-get install lua-busted lua-unit", c.needs)
			}
			v := rigExam(t, Lua, one(Lua, c.program), Tests{Files: []glovebox.File{{Path: "test_main.lua", Data: []byte(c.tests)}}})
			if v.pass != c.pass || v.worth() != c.proof {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.worth(), v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestLuaUnrunnable: tests that cannot run here are told as such, and never as
// the program's fault.
func TestLuaUnrunnable(t *testing.T) {
	without := &Toolchain{Tools: map[string]string{"sh": "/usr/bin/sh"}}
	program := one(Lua, "function f() return 1 end\n")
	for _, c := range []struct{ name, file, tests, reason, missing string }{
		{"spies without busted", "f_spec.lua", "describe('f', function() it('x', function() local s = spy.new(f) s() end) end)\n", "busted", "busted"},
		{"luaunit's rarer parts without it", "test_f.lua", "local lu = require('luaunit')\nlu.wrapFunctions('f')\n", "luaunit.wrapFunctions", "luaunit"},
		{"no Lua", "test_f.py", "assert f() == 1\n", "not have a file of Lua", ""},
		{"no test", "test_f.lua", "-- TODO\nlocal M = require('solution')\nprint('x')\n", "the tests are empty", ""},
		{"skips alone", "test_f.lua", "local lu = require('luaunit')\nfunction testA() lu.skip('later') end\nos.exit(lu.LuaUnit.run())\n", "all tests are skipped", ""},
		{"pending alone", "f_spec.lua", "describe('f', function()\n  pending('a', function() end)\n  it('b', function() pending('later') end)\nend)\n", "all tests are skipped", ""},
		{"both frameworks", "test_f.lua", "local lu = require('luaunit')\ndescribe('f', function() end)\n", "both", ""},
	} {
		_, err := examLua(without, program, Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.tests)}}})
		var u *Unrunnable
		if !errors.As(err, &u) || !strings.Contains(u.Reason, c.reason) || strings.Join(u.Missing, " ") != c.missing {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, c := range []struct{ name, tests, want string }{
		{"a module that is not here", "local inspect = require('inspect')\nassert(inspect(f()) == '1')\n", `"missing":["inspect"]`},
		{"a module that nobody has", "local geo = require('geo')\nassert(geo.area(1) == 3)\n", `the program's file is main.lua, and tests may call it \u0022solution\u0022; to name it otherwise`},
		{"a comparison of others, by the program's own file", "local same = require('deepcompare')\nassert(same(f(), 1))\n", `"missing":["deepcompare"]`},
		{"a framework of others, by the program's own file", "local lust = require('lust')\nlust.expect(f()).to.equal(1)\n", `"missing":["lust"]`},
		{"no Lua", "describe('f' function)\n", "the tests do not parse"},
		{"no test", "local lu = require('luaunit')\nos.exit(lu.LuaUnit.run())\n", "the tests are empty"},
		{"a part of luaunit by a computed name", "local lu = require('luaunit')\nlu['assert' .. 'Foo'](f())\n", `"missing":["luaunit"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, body := range []string{"function f() return 1 end\n", "function f() os.exit(0) end\n", "package.preload.inspect = function() return f end\nfunction f() return '1' end\n"} {
				p := one(Lua, body)
				for _, name := range []string{"deepcompare.lua", "lust/init.lua", "lust.lua"} {
					p.Files = append(p.Files, glovebox.File{Path: name, Data: []byte("return setmetatable({}, {__index = function(t) return t end, __call = function(t) return t end})\n")})
				}
				v := rigExam(t, Lua, p, Tests{Files: []glovebox.File{{Path: "test_main.lua", Data: []byte(c.tests)}}})
				report := v.harness.report + v.candidate.report
				if !strings.Contains(report, `"type":"unrunnable"`) || !strings.Contains(report, c.want) {
					t.Errorf("%s: %s%s", v.why, report, v.candidate.stderr)
				}
			}
		})
	}
}

// TestLuaTree: tests of a tree load it by themselves, with the real framework
// where that is here.
func TestLuaTree(t *testing.T) {
	luaunit := "local lu = require('luaunit')\nlocal cart = require('src.cart')\nTestCart = {}\nfunction TestCart:testAdd() lu.assertEquals(cart.add(1, 2), 3) end\nos.exit(lu.LuaUnit.run())\n"
	busted := "local cart = require('src.cart')\ndescribe('cart', function() it('adds', function() assert.are.equal(3, cart.add(1, 2)) end) end)\n"
	for _, c := range []struct {
		name, more, body string
		pass             bool
	}{
		{"right", "", "a + b", true},
		{"wrong", "", "a * b", false},
		{"exits", "os.exit(0)\n", "a * b", false},
		{"patches luaunit", "require('luaunit').assertEquals = function() end\n", "a * b", false},
		{"patches busted", "assert = function(v) return v end\nit = function() end\nlocal ok, u = pcall(require, 'luassert.util')\nif ok then u.deepcompare = function() return true end end\n", "a * b", false},
		{"succeeds by an error", "", "error('LuaUnit test SUCCESS: ', 0)", false},
	} {
		for file, tests := range map[string]string{"tests/test_cart.lua": luaunit, "spec/cart_spec.lua": busted} {
			t.Run(c.name+"/"+file, func(t *testing.T) {
				t.Parallel()
				tc, _ := rigTool(t, Lua)
				if file == "spec/cart_spec.lua" && tc.Tools["busted"] == "" {
					t.Skip("busted is not installed: apt-get install lua-busted")
				}
				p := &glovebox.Program{Language: "lua", Files: []glovebox.File{
					{Path: "src/cart.lua", Data: []byte("local util = require('src.util')\n" + c.more + "return { add = function(a, b) return " + c.body + " end }\n")},
					{Path: "src/util.lua", Data: []byte("return {}\n")},
				}}
				v := rigExam(t, Lua, p, Tests{Files: []glovebox.File{{Path: file, Data: []byte(tests)}}})
				if v.pass != c.pass || v.proof != luaTogether || strings.HasPrefix(v.why, "unrunnable") {
					t.Errorf("pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.candidate.report, v.candidate.stderr)
				}
			})
		}
	}
}
