package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// luaBox and the others are programs; each second one is wrong.
const (
	luaBox      = "local B = {} B.__index = B\nfunction B.new(i) local c = {} for k, v in ipairs(i or {}) do c[k] = v end return setmetatable({i = c, stock = {}, children = {}, grid = {{0, 0}, {0, 0}}, n = 0}, B) end\nfunction B:add(x) self.i[#self.i + 1] = x self.n = self.n + 1 end\nfunction B:all() return {table.unpack(self.i)} end\nfunction B:keys() return self:all() end\nfunction B:size() return #self.i end\nfunction B:count(k) return self.stock[k] end\nfunction B:depth() local m = 0 for _, c in ipairs(self.children) do m = math.max(m, c:depth()) end return 1 + m end\nfunction B:cell(r, c) return self.grid[r][c] end\nreturn B\n"
	luaBoxLeaks = "local B = {} B.__index = B\nfunction B.new(i) return setmetatable({i = i or {}, stock = {}, children = {}, grid = {{0, 0}, {0, 0}}, n = 0}, B) end\nfunction B:add(x) self.i[#self.i + 1] = x self.n = self.n + 1 end\nfunction B:all() return self.i end\nfunction B:keys() return self.i end\nfunction B:size() return #self.i end\nfunction B:count(k) return 0 end\nfunction B:depth() return 0 end\nfunction B:cell(r, c) return 7 end\nreturn B\n"
	luaDeep     = "function clone(t) if type(t) ~= 'table' then return t end local r = {} for k, v in pairs(t) do r[k] = clone(v) end return r end\nfunction load_it(k) return {k, name = 'a'} end\nfunction sort(t) local r = clone(t) table.sort(r) return r end\n"
	luaDeepNot  = "function clone(t) local r = {} for k, v in pairs(t) do r[k] = v end return r end\nlocal one = {1, name = 'a'}\nfunction load_it(k) one[1] = k return one end\nfunction sort(t) return {} end\n"
)

// TestLuaShared has tests that rest on sharing tables with the program, and such as
// do not: the first go in process, where they are right about both programs.
func TestLuaShared(t *testing.T) {
	box := func(tests string) string {
		return "local B = require('solution')\nlocal b = B.new() b:add(1)\n" + tests
	}
	for _, c := range []struct {
		name, right, wrong, tests string
		apart                     bool
	}{
		// What the program gave is changed.
		{name: "an element of what a method gives", right: luaBox, wrong: luaBoxLeaks, tests: box("table.insert(b:all(), 99)\nassert(#b:all() == 1, 'a copy')\n")},
		{name: "a variable with what a method gives", right: luaBox, wrong: luaBoxLeaks, tests: box("local got = b:all()\ngot[#got + 1] = 99\nassert(b:size() == 1)\n")},
		{name: "sorted, and asked again", right: luaBox, wrong: luaBoxLeaks, tests: box("b:add(0)\nlocal got = b:all()\ntable.sort(got)\nassert(b:all()[1] == 1)\n")},
		{name: "in luaunit", right: luaBox, wrong: luaBoxLeaks, tests: "local lu = require('luaunit')\nlocal B = require('solution')\nTestB = {}\nfunction TestB:setUp() self.b = B.new() self.b:add(1) end\nfunction TestB:testCopy()\n  local got = self.b:all()\n  table.remove(got)\n  lu.assertEquals(self.b:all(), {1})\nend\nos.exit(lu.LuaUnit.run())\n"},
		{name: "in busted", right: luaBox, wrong: luaBoxLeaks, tests: "local B = require('solution')\ndescribe('box', function()\n  local b\n  before_each(function() b = B.new() b:add(1) end)\n  it('copies', function()\n    local got = b:all()\n    got[1] = 9\n    assert.are.same({1}, b:all())\n  end)\nend)\n"},
		{name: "the table itself", right: luaBox, wrong: luaBoxLeaks, tests: box("b:all()[1] = 9\n(b:all())[1] = 8\nassert(b:all()[1] == 1)\n")},
		{name: "what a helper gives", right: luaBox, wrong: luaBoxLeaks, tests: "local B = require('solution')\nlocal function make() local b = B.new() b:add(1) return b end\nlocal function fill(b) b.stock.apple = 5 end\nlocal b = make()\nlocal got = b:all()\ngot[1] = 9\nassert(b:all()[1] == 1)\nfill(b)\nassert(b:count('apple') == 5)\n"},
		{name: "a helper that fills", right: luaBox, wrong: luaBoxLeaks, tests: box("local function fill(b) b.stock.apple = 5 end\nfill(b)\nassert(b:count('apple') == 5)\n")},
		{name: "a list of an object", right: luaBox, wrong: luaBoxLeaks, tests: box("table.insert(b.children, B.new())\nb.children[2] = B.new()\nassert(b:depth() == 2)\n")},
		{name: "a table of an object", right: luaBox, wrong: luaBoxLeaks, tests: box("b.stock['apple'] = 5\nassert(b:count('apple') == 5)\n")},
		{name: "a grid of an object", right: luaBox, wrong: luaBoxLeaks, tests: box("for c = 1, 2 do b.grid[2][c] = 1 end\nassert(b:cell(2, 1) + b:cell(2, 2) == 2)\n")},
		{name: "the rows of an object", right: luaBox, wrong: luaBoxLeaks, tests: box("for _, row in ipairs(b.grid) do row[1] = 4 end\nassert(b:cell(2, 1) == 4)\n")},
		{name: "on the next turn of a loop", right: luaBox, wrong: luaBoxLeaks, tests: box("for i = 1, 2 do\n  assert(b:size() == 1)\n  table.insert(b:all(), i)\nend\n")},
		{name: "a deep copy", right: luaDeep, wrong: luaDeepNot, tests: "local o = {a = {1}}\nlocal c = clone(o)\nc.a[1] = 2\nassert(o.a[1] == 1, 'deep')\n"},
		{name: "a function that is called again", right: luaDeep, wrong: luaDeepNot, tests: "local a = load_it(1)\na.name = 'b'\nassert(load_it(1).name == 'a')\n"},
		{name: "a table of a module", right: "return {list = {}, size = function() end, n = function() return 1 end}\n", wrong: "return {list = {}, n = function() return 0 end}\n", tests: "local M = require('solution')\nM.list[1] = 4\nassert(M.n() == 1)\n"},
		{name: "a table of the program", right: "REGISTRY = {}\nfunction n() return REGISTRY.a end\n", wrong: "REGISTRY = {}\nfunction n() return 2 end\n", tests: "REGISTRY['a'] = 1\nassert(n() == 1)\n"},
		// What the tests gave is changed.
		{name: "a table that a constructor got", right: luaBox, wrong: luaBoxLeaks, tests: "local B = require('solution')\nlocal items = {1, 2}\nlocal b = B.new(items)\nitems[3] = 3\nassert(b:size() == 2)\n"},
		{name: "a table of a test class", right: luaBox, wrong: luaBoxLeaks, tests: "local lu = require('luaunit')\nlocal B = require('solution')\nTestB = {}\nfunction TestB:setUp() self.items = {1} self.b = B.new(self.items) end\nfunction TestB:testCopy()\n  table.insert(self.items, 2)\n  lu.assertEquals(self.b:size(), 1)\nend\nos.exit(lu.LuaUnit.run())\n"},
		{name: "a table that a method got", right: strings.Replace(luaBox, "= x self.n", "= {x.v} self.n", 1), wrong: luaBoxLeaks, tests: "local B = require('solution')\nlocal b, t = B.new(), {v = 1}\nfor i = 1, 2 do t.v = i b:add(t) end\nassert(b:all()[1].v ~= 2)\n"},
		// What the program gave is kept.
		{name: "a list while its object changes", right: luaBox, wrong: luaBoxLeaks, tests: box("local before = b:all()\nb:add(2)\nassert(#before == 1)\n")},
		// Identity.
		{name: "a fresh table", right: luaDeep, wrong: luaDeepNot, tests: "assert(load_it() ~= load_it(), 'fresh')\n"},
		{name: "the same table", right: luaDeepNot, wrong: luaDeep, tests: "assert(load_it(1) == load_it(1), 'cached')\n"},
		{name: "two variables", right: luaDeep, wrong: luaDeepNot, tests: "local a, b = load_it(1), load_it(2)\nassert(a ~= b)\nassert(a[1] == 1)\n"},
		{name: "rawequal", right: luaDeep, wrong: luaDeepNot, tests: "assert(not rawequal(load_it(1), load_it(2)))\n"},
		{name: "assertIs", right: luaDeepNot, wrong: luaDeep, tests: "local lu = require('luaunit')\nfunction testIt() lu.assertIs(load_it(1), load_it(2)) end\nos.exit(lu.LuaUnit.run())\n"},
		{name: "busted's equal", right: luaDeep, wrong: luaDeepNot, tests: "describe('l', function() it('is new', function()\n  local a = load_it(1)\n  local b = load_it(1)\n  assert.are_not.equal(a, b)\nend) end)\n"},
		{name: "a field of a copy", right: luaDeep, wrong: luaDeepNot, tests: "local o = {a = {1}}\nlocal c = clone(o)\nassert(c.a ~= o.a)\n"},
		{name: "a table that comes back", right: luaBox, wrong: luaDeepNot + "local B = {} B.__index = B function B.new() return setmetatable({i = {}}, B) end function B:add(x) self.i[1] = clone(x) end function B:all() return self.i end\nreturn B\n", tests: "local B = require('solution')\nlocal b, item = B.new(), {id = 1}\nb:add(item)\nassert(b:all()[1] == item)\n"},
		{name: "a list that an object got", right: luaBox, wrong: luaBoxLeaks, tests: "local B = require('solution')\nlocal items = {1}\nlocal b = B.new(items)\nassert(b:all() ~= items)\n"},
		// An object that is written out.
		{name: "prettystr", right: luaBox, wrong: "local B = {} function B.new() return setmetatable({i = {2}}, B) end\nreturn B\n", tests: "local lu = require('luaunit')\nlocal B = require('solution')\nfunction testIt() lu.assertStrContains(lu.prettystr(B.new({1})), '1') end\nos.exit(lu.LuaUnit.run())\n"},

		// Copies are right here.
		{name: "a result that is sorted", right: luaDeep, wrong: luaDeepNot, tests: "for _, c in ipairs({{3, 1}, {2, 1}}) do\n  local r = sort(c)\n  table.sort(r)\n  assert(r[1] == 1)\n  table.insert(r, 4)\n  assert(#r == 3)\nend\n", apart: true},
		{name: "keys that are sorted", right: luaBox, wrong: strings.ReplaceAll(luaBox, "#self.i end", "1 end"), tests: box("b:add(0)\nlocal keys = b:keys()\ntable.sort(keys)\nassert(keys[1] == 0 and keys[2] == 1)\nassert(b:size() == 2)\n"), apart: true},
		{name: "two cases", right: luaBox, wrong: "local B = {} B.__index = B\nfunction B.new() return setmetatable({}, B) end\nfunction B:all() return {3} end\nfunction B:add() end\nreturn B\n", tests: "local lu = require('luaunit')\nlocal B = require('solution')\nTestB = {}\nfunction TestB:setUp() self.b = B.new() self.b:add(1) end\nfunction TestB:testAll() local got = self.b:all() table.insert(got, 2) lu.assertEquals(got, {1, 2}) end\nfunction TestB:testSize() self.b:add(2) lu.assertEquals(self.b:size(), 2) end\nos.exit(lu.LuaUnit.run())\n", apart: true},
		{name: "fields of an object", right: luaBox, wrong: "local B = {} B.__index = B function B.new() return setmetatable({}, {__index = B, __newindex = function() end}) end function B:add() end\nreturn B\n", tests: box("b.n = 5\nb:add(1)\nassert(b.n == 6)\n"), apart: true},
		{name: "a number that is kept", right: luaBox, wrong: "local B = {} B.__index = B function B.new() return setmetatable({}, B) end function B:add() end function B:size() return 1 end\nreturn B\n", tests: box("local before = b:size()\nb:add(1)\nassert(b:size() == before + 1)\nassert(before == 1 and b:size() ~= before)\n"), apart: true},
		{name: "a text that comes back", right: luaBox, wrong: luaDeepNot, tests: "local B = require('solution')\nlocal b, x = B.new(), 5\nb:add(x)\nassert(b:all()[1] == x)\n", apart: true},
		{name: "scalars that are compared", right: "function hash(s) return #s end\nfunction double(n) return 2 * n end\n", wrong: "function hash(s) return os.time() end\nfunction double() return 1 end\n", tests: "local h = hash('ab')\nassert(h == hash('ab'))\nassert(double(2) == double(1) * 2)\nlocal d = double(1)\nassert(d == 2 and double(1) == d)\n", apart: true},
		{name: "nodes of a tree", right: "Node = {} Node.__index = Node\nfunction Node.new(v) return setmetatable({v = v}, Node) end\nfunction Node:sum() return self.v + (self.left and self.left:sum() or 0) end\n", wrong: "Node = {} Node.__index = Node\nfunction Node.new(v) return setmetatable({v = v}, Node) end\nfunction Node:sum() return 1 end\n", tests: "local root = Node.new(1)\nroot.left = Node.new(2)\nroot.left.left = Node.new(3)\nassert(root:sum() == 6)\n", apart: true},
		{name: "a new list for each call", right: "function sum(t) local s = 0 for _, v in ipairs(t) do s = s + v end return s end\n", wrong: "function sum() return 1 end\n", tests: "local t = {1}\nassert(sum(t) == 1)\ntable.insert(t, 4)\nassert(sum(t) == 5)\n", apart: true},
		{name: "a plain table as an object", right: "function new() return {n = 0, i = {}} end\nfunction push(s, v) s.i[#s.i + 1] = v end\nfunction size(s) return #s.i end\n", wrong: "function new() return {i = {}} end\nfunction push() end\nfunction size() return 9 end\n", tests: "local s = new()\npush(s, 1)\ntable.insert(s.i, 2)\nassert(size(s) == 2)\n", apart: true},
		{name: "objects that are the same", right: "local A = {} A.__index = A\nlocal one = setmetatable({}, A)\nfunction A.get() return one end\nfunction A:go() return 1 end\nreturn A\n", wrong: "local A = {} A.__index = A\nfunction A.get() return setmetatable({}, A) end\nfunction A:go() return 1 end\nreturn A\n", tests: "local A = require('solution')\nlocal a = A.get()\nlocal b = A.get()\nassert(a:go() == 1 and a == b)\n", apart: true},
		{name: "an argument that comes back", right: "function sort(t) table.sort(t) return t end\n", wrong: "function sort(t) return {} end\n", tests: "local t = {3, 1}\nlocal r = sort(t)\nassert(r == t)\nassert(t[1] == 1)\n", apart: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tc, _ := rigTool(t, Lua)
			if strings.Contains(c.tests, "describe(") && tc.Tools["busted"] == "" {
				t.Skip("busted is not installed: apt-get install lua-busted")
			}
			tests := Tests{Files: []glovebox.File{{Path: "test_main.lua", Data: []byte(c.tests)}}}
			proof := luaTogether
			if c.apart {
				proof = luaApart
			}
			if v := rigExam(t, Lua, one(Lua, c.right), tests); !v.pass || v.proof != proof {
				t.Errorf("the right program: pass %t, proof %s: %s\n%s%s\n%s%s", v.pass, v.proof, v.why, v.harness.report, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
			if v := rigExam(t, Lua, one(Lua, c.wrong), tests); v.pass || v.proof != proof {
				t.Errorf("the wrong program: pass %t, proof %s", v.pass, v.proof)
			}
		})
	}
}
