package language

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// An attack is a right program, a wrong one and tests: the right one passes out of
// process, and the wrong one fails there, and not as tests that cannot run. Only
// where the right one is candidate_judged may the wrong one pass so.
type attack struct {
	name  string
	lang  *Language
	file  string
	tests string
	right string
	wrong string
}

const (
	minitestHead = "require 'minitest/autorun'\nclass TestIt < Minitest::Test\n"
	perlHead     = "use strict; use warnings; use Test::More;\n"
	luaHead      = "local lu = require('luaunit')\n"
)

// luaForged rewrites the driver of the program, so that a table with functions
// crosses as a plain one.
const luaForged = `local function forged()
  for level = 1, 30 do
    local info = debug.getinfo(level, "f")
    if not info then break end
    for i = 1, 60 do
      local name, v = debug.getupvalue(info.func, i)
      if not name then break end
      if name == "encode" and type(v) == "function" then
        local hold
        for j = 1, 20 do local n, u = debug.getupvalue(v, j); if n == "hold" then hold = u end end
        debug.setupvalue(info.func, i, function(x)
          if type(x) ~= "table" or not x.MARK then return v(x) end
          local out, n = {}, 0
          for k, f in pairs(x) do if k ~= "MARK" then n = n + 1; out[#out+1] = ("s%d:%s"):format(#k, k) .. hold(f) end end
          return "T" .. n .. ":" .. table.concat(out)
        end)
      end
    end
  end
end
`

var attacks = []attack{
	{"a text that is an object with the methods of texts", Lua, "main_test.lua",
		"local r = greet('Bob')\nassert(r:find('Hello, Bob', 1, true))\nassert(r:match('^Hello'))\n",
		"function greet(n) return 'Hello, ' .. n end\n",
		"function greet(n) return setmetatable({}, {__index = function() return function() return 1 end end}) end\n"},
	{"an error that is an object with the methods of texts", Lua, "main_test.lua",
		"local ok, err = pcall(divide, 1, 0)\nassert(not ok)\nassert(err:find('division by zero'))\n",
		"function divide(a, b) if b == 0 then error('division by zero') end return a / b end\n",
		"function divide(a, b) error(setmetatable({}, {__index = function() return function() return 1 end end})) end\n"},
	{"the expected value is changed", Lua, "main_test.lua",
		luaHead + "function testIt()\n  local t = {1, 2, {3}}\n  lu.assertEquals(deepcopy(t), t)\nend\nos.exit(lu.LuaUnit.run())\n",
		"function deepcopy(t) if type(t) ~= 'table' then return t end local o = {} for k, v in pairs(t) do o[k] = deepcopy(v) end return o end\n",
		"function deepcopy(t) for k in pairs(t) do t[k] = nil end return {} end\n"},
	{"the expected value is changed, and comes first", Lua, "main_test.lua",
		"describe('it', function()\n  it('copies', function()\n    local t = {1, 2, {3}}\n    assert.are.same(t, deepcopy(t))\n  end)\nend)\n",
		"function deepcopy(t) if type(t) ~= 'table' then return t end local o = {} for k, v in pairs(t) do o[k] = deepcopy(v) end return o end\n",
		"function deepcopy(t) for k in pairs(t) do t[k] = nil end return {} end\n"},
	{"the expected value becomes an object", Lua, "main_test.lua",
		luaHead + "function testIt()\n  local t = {1, 2, {3}}\n  lu.assertEquals(deepcopy(t), t)\nend\nos.exit(lu.LuaUnit.run())\n",
		"function deepcopy(t) if type(t) ~= 'table' then return t end local o = {} for k, v in pairs(t) do o[k] = deepcopy(v) end return o end\n",
		"function deepcopy(t) setmetatable(t, {__pairs = function() return next, {} end}) return {} end\n"},
	{"no test is registered", Lua, "main_test.lua",
		"describe('it', function()\n  for name, want in pairs(cases()) do\n    it(name, function() assert.are.equal(want, want) end)\n  end\nend)\n",
		"function cases() return {a = 1} end\n",
		"function cases() return {} end\n"},
	{"an object of plain constructions", Lua, "main_test.lua",
		luaHead + "local P = require('main')\nfunction testIt()\n  lu.assertEquals(P.new(1, 2), P.new(1, 2))\n  lu.assertNotEquals(P.new(1, 2), P.new(1, 3))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return {new = function(x, y) return {x = x, y = y} end}\n",
		"local n = 0\nreturn {new = function(x, y) n = n + 1 local id = n return setmetatable({}, {__pairs = function() return next, {n = id > 2 and id or 0} end}) end}\n"},
	{"subtests end at the text of Test2", Perl, "main_test.t",
		perlHead + "subtest 'add' => sub {\n  ok(1, 'loaded');\n  is(add(2, 3), 5);\n};\ndone_testing();\n",
		"package main;\nsub add { $_[0] + $_[1] }\n1;\n",
		"package main;\nsub add { die qq(Label not found for \"last T2_SUBTEST_WRAPPER\" at x line 1.\\n) }\n1;\n"},
	{"subtests end at an exception of Test::Builder", Perl, "main_test.t",
		perlHead + "subtest 'add' => sub {\n  ok(1, 'loaded');\n  is(add(2, 3), 5);\n};\ndone_testing();\n",
		"package main;\nsub add { $_[0] + $_[1] }\n1;\n",
		"package main;\nsub add { die bless {}, 'Test::Builder::Exception' }\n1;\n"},
	{"subtests end at a terminator of Test2", Perl, "main_test.t",
		perlHead + "subtest 'add' => sub {\n  ok(1, 'loaded');\n  is(add(2, 3), 5);\n};\ndone_testing();\n",
		"package main;\nsub add { $_[0] + $_[1] }\n1;\n",
		"package main;\nsub add { die bless {}, 'Test2::Hub::Interceptor::Terminator' }\n1;\n"},
	{"an error without a text is none", Perl, "main_test.t",
		perlHead + "eval { check_it(3); is(area(2), 4); };\nok(!$@, 'no error');\ndone_testing();\n",
		"package main;\nsub check_it { 1 }\nsub area { $_[0] ** 2 }\n1;\n",
		"package Quiet;\nuse overload '\"\"' => sub { '' }, fallback => 1;\npackage main;\nsub check_it { die bless {}, 'Quiet' }\nsub area { 0 }\n1;\n"},
	{"own words of assertion", Perl, "main_test.t",
		"use strict; use warnings;\nassert_close(area(2), 4);\nexpect_eq(area(1), 1);\n",
		"",
		"package main;\nsub area { 0 }\nsub assert_close { 1 }\nsub expect_eq { 1 }\n1;\n"},
	{"exports in the place of the library's", Perl, "main_test.t",
		perlHead + "use List::Util qw(sum all);\nuse Evens;\nmy $got = evens(3);\nis(scalar(@$got), 3);\nok((all { $_ % 2 == 0 } @$got), 'all even');\nis(sum(@$got), 12, 'sum');\ndone_testing;\n",
		"package Evens;\nuse Exporter 'import';\nour @EXPORT = qw(evens);\nsub evens { return [2, 4, 6] }\n1;\n",
		"package Evens;\nuse Exporter 'import';\nour @EXPORT = qw(evens sum all);\nsub evens { return [1, 3, 5] }\nsub sum { return 12 }\nsub all(&@) { return 1 }\n1;\n"},
	{"words of a library that the tests do not import", Perl, "main_test.t",
		perlHead + "my $got = evens(3);\nis(scalar(@$got), 3);\nok((all { $_ % 2 == 0 } @$got), 'all even');\nis(sum(@$got), 12, 'sum');\ndone_testing;\n",
		"use List::Util qw(sum all);\nsub evens { return [2, 4, 6] }\n1;\n",
		"sub all(&@) { return 1 }\nsub sum { return 12 }\nsub evens { return [1, 3, 5] }\n1;\n"},
	{"its own comparison", Perl, "main_test.t",
		perlHead + "my $got = area(2);\nok(near($got, 12.566), 'close');\ndone_testing;\n",
		"sub near { abs($_[0] - $_[1]) < 0.01 }\nsub area { return 12.566 }\n1;\n",
		"sub near { 1 }\nsub area { return 5 }\n1;\n"},
	{"an argument that is read back, and what is expected of it", Perl, "main_test.t",
		perlHead + "my @xs = (3, 1, 2);\nmy $got = total(\\@xs);\nis(scalar(@xs), 3, 'as many as before');\nmy $want = 0;\nforeach my $x (@xs) {\n  $want += $x;\n}\nis($got, $want);\ndone_testing;\n",
		"sub total { my $t = 0; $t += $_ for @{ $_[0] }; return $t }\n1;\n",
		"sub total { my $xs = shift; @$xs = (0, 0, 0); return 0 }\n1;\n"},
	{"what is expected of an argument, in a loop", Perl, "main_test.t",
		perlHead + "my @xs = (3, 1, 2);\nmy $got = total(\\@xs);\nmy $want = 0;\nforeach my $x (@xs) {\n  $want += $x;\n}\nis($got, $want);\ndone_testing;\n",
		"sub total { my $t = 0; $t += $_ for @{ $_[0] }; return $t }\n1;\n",
		"sub total { my $xs = shift; @$xs = (0, 0, 0); return 0 }\n1;\n"},
	{"no number of an exact type", Perl, "main_test.t",
		"use strict; use warnings;\nmy $got = area(2);\ndie \"wrong area: $got\" if abs($got - 12.566) > 0.001;\n",
		"sub area { return 12.566 }\n1;\n",
		"use Math::BigFloat;\nsub area { return Math::BigFloat->new('NaN') }\n1;\n"},
	{"a number that is too large to compute with", Perl, "main_test.t",
		"use strict; use warnings;\nmy $r = root(2);\ndie \"wrong root\" if abs($r * $r - 2) / ($r * $r) > 1e-9;\n",
		"sub root { return sqrt(2) }\n1;\n",
		"sub root { return 1e200 }\n1;\n"},
	{"a large number as a text, and a relative error", Perl, "main_test.t",
		perlHead + "my ($r) = @{ roots(2) };\nok(!(abs($r ** 2 - 2) > 1e-9 * $r ** 2));\ndone_testing;\n",
		"sub roots { return [sqrt(2), 'x'] }\n1;\n",
		"sub roots { return ['1e200', 'x'] }\n1;\n"},
	{"large numbers in a list", Perl, "main_test.t",
		perlHead + "my ($r) = @{ roots(2) };\nok(!(abs($r ** 2 - 2) / $r ** 2 > 1e-9));\ndone_testing;\n",
		"sub roots { return [sqrt(2), 1] }\n1;\n",
		"sub roots { return [1e200, 1] }\n1;\n"},
	{"a plain table with functions, by a rewritten driver", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nfunction testFind()\n  local got = M.greet('Bob')\n  assert(got:find('Hello'))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { greet = function(n) return 'Hello, ' .. n end }\n",
		luaForged + "return { greet = function() forged() return { MARK = true, find = function() return 1 end } end }\n"},
	{"the methods of texts of an object", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nfunction testGsub()\n  local got = M.greet('Bob')\n  local _, n = got:gsub('Hello', '')\n  lu.assertEquals(n, 1)\n  lu.assertNotNil(M.greet('Bob'):gmatch('Hello')())\n  lu.assertEquals(M.greet('Bob'):sub(1, 5), 'Hello')\n  lu.assertEquals(M.greet('Bob'):upper(), 'HELLO, BOB')\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { greet = function(n) return 'Hello, ' .. n end }\n",
		"local mt = {__index = { gsub = function() return '', 1 end, sub = function() return 'Hello' end, upper = function() return 'HELLO, BOB' end, gmatch = function() return function() return 'x' end end }}\nreturn { greet = function(n) return setmetatable({}, mt) end }\n"},
	{"a table of the tests with the methods of texts", Lua, "main_test.lua",
		"local t = {}\nfill(t)\nassert(t[1]:find('Hello'))\n",
		"function fill(t) t[1] = 'Hello' end\n",
		"function fill(t) t[1] = { find = function() return 1 end } end\n"},
	{"an argument that is emptied: two statements", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.sort(xs)\n  lu.assertEquals(got, sorted(xs))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: two statements, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.sort(xs)\n  lu.assertEquals(got, sorted(xs))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: in one", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  lu.assertEquals(M.sort(xs), sorted(xs))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: in one, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  lu.assertEquals(M.sort(xs), sorted(xs))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: its length", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.sort(xs)\n  lu.assertEquals(#got, #xs)\n  for i = 2, #got do assert(got[i-1] <= got[i]) end\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: its length, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.sort(xs)\n  lu.assertEquals(#got, #xs)\n  for i = 2, #got do assert(got[i-1] <= got[i]) end\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: a loop", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.total(xs)\n  local want = 0\n  for _, v in ipairs(xs) do want = want + v end\n  lu.assertEquals(got, want)\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: a loop, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.total(xs)\n  local want = 0\n  for _, v in ipairs(xs) do want = want + v end\n  lu.assertEquals(got, want)\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: a helper", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nlocal function like(got, xs) lu.assertEquals(got, sorted(xs)) end\nfunction testIt()\n  local xs = {3, 1, 2}\n  like(M.sort(xs), xs)\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: a helper, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nlocal function like(got, xs) lu.assertEquals(got, sorted(xs)) end\nfunction testIt()\n  local xs = {3, 1, 2}\n  like(M.sort(xs), xs)\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: a field", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  for _, c in ipairs({{input = {3, 1, 2}}}) do\n    local got = M.sort(c.input)\n    lu.assertEquals(got, sorted(c.input))\n  end\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: a field, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  for _, c in ipairs({{input = {3, 1, 2}}}) do\n    local got = M.sort(c.input)\n    lu.assertEquals(got, sorted(c.input))\n  end\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: by pcall", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local ok, got = pcall(M.sort, xs)\n  assert(ok)\n  lu.assertEquals(got, sorted(xs))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that is emptied: by pcall, of a program that works in place", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local ok, got = pcall(M.sort, xs)\n  assert(ok)\n  lu.assertEquals(got, sorted(xs))\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) table.sort(xs) return xs end, total = function(xs) local n = 0 for i = #xs, 1, -1 do n = n + table.remove(xs) end return n end }\n",
		"return { sort = function(xs) for k in pairs(xs) do xs[k] = nil end return {} end, total = function(xs) for k in pairs(xs) do xs[k] = nil end return 0 end }\n"},
	{"an argument that comes back", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nlocal function sorted(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end\nfunction testIt()\n  local xs = {3, 1, 2}\n  local got = M.sort(xs)\n  table.sort(xs)\n  lu.assertEquals(got, xs)\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { sort = function(xs) local c = {} for i, v in ipairs(xs) do c[i] = v end table.sort(c) return c end, total = function(xs) local n = 0 for _, v in ipairs(xs) do n = n + v end return n end }\n",
		"return { sort = function(xs) return xs end }\n"},
	{"a relative error of what has no end", Lua, "main_test.lua",
		"local r = root(2)\nassert(not (math.abs(r ^ 2 - 2) > 1e-9 * r ^ 2))\n",
		"function root(n) return n ^ 0.5 end\n",
		"function root(n) return 1e200 end\n"},
	{"cases that are gone", Lua, "main_test.lua",
		luaHead + "local M = require('main')\nTestCases = {}\nfor name, v in pairs(M.CASES) do\n  TestCases['test_' .. name] = function() lu.assertEquals(v, 1) end\nend\nos.exit(lu.LuaUnit.run())\n",
		"", "return { CASES = {} }\n"},
	{"cases that are gone, of a class", Lua, "main_test.lua",
		luaHead + "local M = require('main')\nTestCases = {}\nfor name, v in pairs(M.cases()) do\n  TestCases['test_' .. name] = function() lu.assertEquals(v, 1) end\nend\nos.exit(lu.LuaUnit.run())\n",
		"return { cases = function() return { a = 1 } end }\n", "return { cases = function() return {} end }\n"},
	{"assertions that are never reached", Lua, "main_test.lua",
		luaHead + "local M = require('solution')\nfunction testStore() M.with_store(function(s) lu.assertEquals(s.get('a'), 1) end) end\nos.exit(lu.LuaUnit.run())\n",
		"return { with_store = function(f) f({ get = function() return 1 end }) end }\n",
		"return { with_store = function() end }\n"},
	{"assertions of Lua that are never reached", Lua, "main_test.lua",
		"describe('it', function()\n  it('goes through all', function()\n    each({1, 2}, function(v) assert(v > 0) end)\n  end)\nend)\n",
		"function each(t, f) for _, v in ipairs(t) do f(v) end end\n",
		"function each() end\n"},
	{"a function that is one of the harness", PHP, "main_test.php",
		"<?php\nrequire 'main.php';\n$add = adder(2);\nif ($add(3) !== 5) { echo 'bad'; exit(1); }\necho \"ok\";\n",
		"<?php\nfunction adder($n) { return fn ($m) => $n + $m; }\n",
		"<?php\nfunction adder($n) { return 'exit'; }\n"},
	{"exceptions that end Ruby", Ruby, "main_test.rb",
		minitestHead + "  def test_it\n    assert_equal 5, add(2, 3)\n  end\nend\n",
		"def add(a, b) = a + b\n",
		"def add(a, b)\n  raise ObjectSpace.each_object(Class).find { |c| c.name == 'fatal' }.allocate\nend\n"},
	{"a difference that is empty", Ruby, "main_test.rb",
		minitestHead + "  def test_it\n    assert primes(7).difference([2, 3, 5, 7]).empty?\n    assert_equal true, primes(7).intersect?([2])\n  end\nend\n",
		"def primes(n) = [2, 3, 5, 7]\n",
		"class Yes\n  def method_missing(name, *) = name.end_with?('?') ? true : self\n  def respond_to_missing?(*) = true\nend\ndef primes(n) = Yes.new\n"},
	{"a list whose length is right and that has no elements", Lua, "main_test.lua",
		"local function same(a, b)\n  if #a ~= #b then return false end\n  for i, v in ipairs(a) do if v ~= b[i] then return false end end\n  return true\nend\nassert(same(sorted({3, 1, 2}), {1, 2, 3}))\n",
		"function sorted(t) table.sort(t) return t end\n",
		"function sorted(t) return setmetatable({}, {__len = function() return #t end}) end\n"},
	{"a list whose length is right and that pairs passes by", Lua, "main_test.lua",
		"local function same(a, b)\n  if #a ~= #b then return false end\n  for i, v in pairs(a) do if v ~= b[i] then return false end end\n  return true\nend\nassert(same(sorted({3, 1, 2}), {1, 2, 3}))\n",
		"function sorted(t) table.sort(t) return t end\n",
		"function sorted(t) return setmetatable({}, {__len = function() return #t end}) end\n"},
	{"a table that pairs passes by, with every key", Lua, "main_test.lua",
		"local function same(a, b)\n  if type(a) ~= type(b) then return false end\n  if type(a) ~= 'table' then return a == b end\n  for k, v in pairs(a) do if not same(v, b[k]) then return false end end\n  for k in pairs(b) do if a[k] == nil then return false end end\n  return true\nend\nassert(same(count('aab'), {a = 2, b = 1}))\n",
		"function count(s) local t = {} for c in s:gmatch('.') do t[c] = (t[c] or 0) + 1 end return t end\n",
		"function count(s) return setmetatable({}, {__index = function() return true end}) end\n"},
	{"a list whose elements change", Lua, "main_test.lua",
		"local r = sorted({2, 1})\nassert(#r == 2)\nfor i = 1, #r do assert(r[i] == i) end\n",
		"function sorted(t) table.sort(t) return t end\n",
		"function sorted(t) local n = 0 return setmetatable({}, {__len = function() n = n + 1 return n == 1 and 2 or 0 end}) end\n"},
	{"no test is registered", Ruby, "main_test.rb",
		"require 'minitest/autorun'\ndescribe 'it' do\n  cases.each do |n, want|\n    it(\"has #{n}\") { assert_equal want, want }\n  end\nend\n",
		"def cases = { 'a' => 1 }\n",
		"def cases = {}\n"},
	{"a text that names a function of the harness", PHP, "main_test.php",
		"<?php\nrequire 'main.php';\n$f = maker();\nassert(array_map($f, [1, 2]) !== null);\necho \"ok\";\n",
		"<?php\nfunction maker() { return fn ($n) => $n + 1; }\n",
		"<?php\nfunction maker() { return 'Glovebox\\\\judged'; }\n"},
	{"a text that names a skip of PHPUnit", PHP, "main_test.php",
		"<?php\nrequire 'main.php';\nuse PHPUnit\\Framework\\TestCase;\nclass T extends TestCase {\n  function testOne() { $this->assertSame(1, one()); }\n  function testTwo() { $f = adder(2); $this->assertSame(5, $f(3)); }\n}\n",
		"<?php\nfunction one() { return 1; }\nfunction adder($n) { return fn ($m) => $n + $m; }\n",
		"<?php\nfunction one() { return 1; }\nfunction adder($n) { return 'PHPUnit\\Framework\\Assert::markTestSkipped'; }\n"},
	{"no case is provided", PHP, "main_test.php",
		"<?php\nrequire 'main.php';\nuse PHPUnit\\Framework\\TestCase;\nclass T extends TestCase {\n  /** @dataProvider cases */\n  function testOne($a, $b) { $this->assertSame($a, $b); }\n  static function cases() { return pairs(); }\n}\n",
		"<?php\nfunction pairs() { return [[1, 1]]; }\n",
		"<?php\nfunction pairs() { return []; }\n"},
}

func TestAttackNative(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.lang.Name+"/"+a.name, func(t *testing.T) {
			rigTool(t, a.lang)
			tests := Tests{Files: []glovebox.File{{Path: a.file, Data: []byte(a.tests)}}}
			judged := false
			if a.right != "" {
				v := rigExam(t, a.lang, program(a.lang.Name, a.lang.Main, a.right), tests)
				judged = v.judged()
				if !v.pass || v.proof != glovebox.ProofOutOfProcess {
					t.Errorf("the right program: pass is %t with %s: %s\n%s", v.pass, v.proof, v.why, v.harness.report)
				}
			}
			v := rigExam(t, a.lang, program(a.lang.Name, a.lang.Main, a.wrong), tests)
			unrunnable := false
			for _, e := range v.harness.events {
				unrunnable = unrunnable || e.Type == "unrunnable"
			}
			if v.pass && v.judged() && judged {
				return // it has the weaker proof that the right one has
			}
			if v.pass || v.proof != glovebox.ProofOutOfProcess || unrunnable {
				t.Errorf("the wrong program: pass is %t with %s: %s\n%s%s", v.pass, v.proof, v.why, v.harness.report, v.harness.stderr)
			}
			t.Log(v.why)
		})
	}
}

// judged reports whether a case that passed rests on the program's own word.
func (v rigVerdict) judged() bool {
	for _, e := range v.harness.events {
		if e.Case != nil && e.Case.Proof == glovebox.ProofCandidateJudged {
			return true
		}
	}
	return false
}
