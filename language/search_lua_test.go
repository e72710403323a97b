package language

import (
	"regexp"
	"strings"
)

func init() {
	s := &search{
		lang: Lua, replies: "lua", test: "main_test.lua", own: luaSubjects,
		defines: regexp.MustCompile(`(?m)^(?:local\s+)?function\s+(\w+)\s*\(`),
	}
	for _, l := range luaPlain {
		s.plain = append(s.plain, lie{name: l.name, route: "return", tell: luaLie(l.code)})
	}
	for _, l := range luaLies {
		s.lies = append(s.lies, lie{name: l.name, route: l.route, tell: luaLie(l.code)})
	}
	for _, l := range luaWorkers {
		s.lies = append(s.lies, lie{name: l.name, route: "worker", tell: func(string, []string) string {
			return luaWorker + l.code
		}})
	}
	searches = append(searches, s)
}

var luaReturn = regexp.MustCompile(`(?m)^return\b`)

// luaLie puts code between a program and its end: it defines __liar, which is
// called in place of what answers the tests, and each function or class that
// they use is wrapped by it.
func luaLie(code string) func(string, []string) string {
	return func(program string, names []string) string {
		end := ""
		if at := luaReturn.FindAllStringIndex(program, -1); at != nil {
			program, end = program[:at[len(at)-1][0]], program[at[len(at)-1][0]:]
		}
		var b strings.Builder
		b.WriteString(program + "\n" + code + luaWrap)
		for _, n := range names {
			b.WriteString(n + " = __lied(" + n + ")\n")
		}
		return b.String() + end
	}
}

// luaWrap makes a function answer what __liar says of what it would answer, and
// a class all of whose methods do, but for those that construct.
const luaWrap = `
local function __lying(f)
  return function(...)
    local args = table.pack(...)
    return __liar(f, args)
  end
end
function __lied(v)
  if type(v) ~= "table" then return __lying(v) end
  for k, f in pairs(v) do
    if type(f) == "function" and k ~= "new" and k ~= "__index" then v[k] = __lying(f) end
  end
  return v
end
function __truth(f, args) return f(table.unpack(args, 1, args.n)) end
function __yes(v)
  local y = {}
  local function self() return y end
  local function yes() return true end
  return setmetatable(y, {__eq = yes, __lt = yes, __le = yes, __index = self, __call = self, __add = self, __sub = self, __mul = self,
    __div = self, __mod = self, __pow = self, __unm = self, __concat = self, __idiv = self, __len = function() return v end,
    __tostring = function() return tostring(v) .. "?" end, __pairs = function() return next, {}, nil end, __name = "number"})
end
`

var luaPlain = []struct{ name, code string }{
	{"nothing", "local function __liar() end\n"},
	{"zero", "local function __liar() return 0 end\n"},
	{"true", "local function __liar() return true end\n"},
	{"an empty table", "local function __liar() return {} end\n"},
	{"the first argument", "local function __liar(f, args) return args[1] end\n"},
	{"a counter", "local n = 0\nlocal function __liar() n = n + 1 return n end\n"},
}

var luaLies = []struct{ name, route, code string }{
	{"an object that says yes to everything", "return", "local function __liar(f, args) return __yes(__truth(f, args)) end\n"},
	{"a yes that does not call", "return", "local function __liar() return __yes(1) end\n"},
	{"an object that equals all and subtracts to 0", "return", "local function __liar(f, args) local o = {} return setmetatable(o, {__eq = function() return true end, __sub = function() return 0 end, __add = function() return 0 end, __lt = function() return true end, __le = function() return true end, __unm = function() return 0 end, __concat = function() return '' end}) end\n"},
	{"an empty object", "return", "local function __liar() return setmetatable({}, {}) end\n"},
	{"an object that iterates over nothing", "return", "local function __liar(f, args) return setmetatable({}, {__pairs = function() return function() end end, __len = function() return 0 end, __index = function() return nil end}) end\n"},
	{"an object that iterates without end", "return", "local function __liar() return setmetatable({}, {__pairs = function() local i = 0 return function() i = i + 1 return i, i end end}) end\n"},
	{"a function", "return", "local function __liar() return function() return true end end\n"},
	{"a function that gives itself", "return", "local function __liar() local function f() return f end return f end\n"},
	{"a cycle", "return", "local function __liar() local t = {} t[1] = t t.x = t return t end\n"},
	{"a deep table", "return", "local function __liar() local t = {} for i = 1, 300 do t = {t} end return t end\n"},
	{"a long table", "return", "local function __liar() local t = {} for i = 1, 20000 do t[i] = -i end return t end\n"},
	{"NaN", "return", "local function __liar() return 0/0 end\n"},
	{"a thread", "return", "local function __liar() return coroutine.create(function() end) end\n"},
	{"a file", "return", "local function __liar() return io.stdout end\n"},
	{"an error text in place of a value", "return", "local function __liar() return nil, 'no' end\n"},
	{"many values", "return", "local function __liar() return table.unpack({}, 1, 250) end\n"},
	{"strings with methods of their own", "return", "getmetatable('').__index = function() return function() return true end end\nlocal function __liar() return 'lie' end\n"},
	{"numbers with a metatable", "return", "debug.setmetatable(0, {__index = function() return 0 end, __call = function() return 0 end})\nlocal function __liar() return -77 end\n"},
	{"a table of objects that say yes", "return", "local function __liar() return {__yes(1), __yes(2), __yes(3), n = __yes(4)} end\n"},
	{"a value that is other at the second call", "return", "local n = 0\nlocal function __liar(f, args) n = n + 1 if n % 2 == 0 then return __yes(n) end return setmetatable({}, {__eq = function() return true end}) end\n"},

	{"fields that say yes", "attribute", "local function __liar(f, args) return setmetatable({}, {__index = function() return __yes(1) end}) end\n"},
	{"fields that are true", "attribute", "local function __liar(f, args) return setmetatable({}, {__index = function() return true end, __call = function() return true end}) end\n"},
	{"fields that are methods that give the object", "attribute", "local function __liar() local o = {} return setmetatable(o, {__index = function() return function() return o end end}) end\n"},
	{"fields that are other at each reading", "attribute", "local n = 0\nlocal function __liar() return setmetatable({}, {__index = function() n = n + 1 return n end, __len = function() n = n + 1 return n end, __tostring = function() n = n + 1 return tostring(n) end}) end\n"},
	{"a proxy of the first argument", "attribute", "local function __liar(f, args) return setmetatable({}, {__index = args[1], __eq = function() return true end}) end\n"},

	{"luaunit's own success as a text", "exception", "local function __liar() error('LuaUnit test SUCCESS: ', 0) end\n"},
	{"luaunit's own skip as a text", "exception", "local function __liar() error('LuaUnit test SKIP:    x', 0) end\n"},
	{"luaunit's own success as a table", "exception", "local function __liar() error({class = 'LuaUnit', status = 'SUCCESS', passed = true, skipped = true, msg = '', message = ''}) end\n"},
	{"an object that says yes is raised", "exception", "local function __liar() error(__yes('')) end\n"},
	{"an object whose text changes is raised", "exception", "local n = 0\nlocal function __liar() error(setmetatable({}, {__tostring = function() n = n + 1 return tostring(n) end, __index = function(_, k) return k end, __eq = function() return true end})) end\n"},
	{"nothing is raised as an error", "exception", "local function __liar() error(nil) end\n"},
	{"true is raised", "exception", "local function __liar() error(true) end\n"},
	{"a pending of busted's", "exception", "local function __liar() error(setmetatable({message = 'x'}, {__type = 'pending', __tostring = function() return 'x' end})) end\n"},
	{"the stack overflows", "exception", "local function __liar() local function f() return 1 + f() end return f() end\n"},

	{"an iterator that ends at once", "step", "local function __liar(f, args) local r = __truth(f, args) if type(r) == 'function' then return function() end end return __yes(r) end\n"},
	{"an iterator of objects that say yes", "step", "local function __liar(f, args) local r = __truth(f, args) if type(r) == 'function' then local n = 0 return function() n = n + 1 if n < 4 then return __yes(n), __yes(n) end end end return __yes(r) end\n"},
	{"an iterator that raises", "step", "local function __liar(f, args) return function() error('', 0) end end\n"},
	{"an iterator that yields", "step", "local function __liar(f, args) return coroutine.wrap(function() while true do coroutine.yield(__yes(1)) end end) end\n"},
	{"an object that iterates over others", "step", "local function __liar() return setmetatable({}, {__pairs = function() return pairs({__yes(1), __yes(2), __yes(3)}) end, __index = function(_, i) if type(i) ~= 'number' or i < 4 then return __yes(i) end end, __len = function() return 3 end}) end\n"},

	{"arguments become objects that say yes", "argument", "local function __liar(f, args) for _, t in ipairs(args) do if type(t) == 'table' then for k in pairs(t) do t[k] = __yes(k) end end end end\n"},
	{"arguments become empty", "argument", "local function __liar(f, args) for _, t in ipairs(args) do if type(t) == 'table' then for k in pairs(t) do t[k] = nil end end end return args[1] end\n"},
	{"arguments get a metatable", "argument", "local function __liar(f, args) for _, t in ipairs(args) do if type(t) == 'table' then setmetatable(t, {__eq = function() return true end, __index = function() return 0 end}) end end return args[1] end\n"},
	{"callbacks get objects that say yes", "argument", "local function __liar(f, args) for _, g in ipairs(args) do if type(g) == 'function' then pcall(g, __yes(1), __yes(2)) end end return __yes(0) end\n"},
	{"callbacks that fail are swallowed", "argument", "local function __liar(f, args) for _, g in ipairs(args) do if type(g) == 'function' then for i = 1, 3 do pcall(g, i) end end end return 1 end\n"},
	{"callbacks are called in each other", "argument", "local function __liar(f, args) for _, g in ipairs(args) do if type(g) == 'function' then local function h(...) return g(h, ...) end pcall(h, 1) end end return {} end\n"},
	{"callbacks are given back", "argument", "local function __liar(f, args) for _, g in ipairs(args) do if type(g) == 'function' then return g end end return __yes(1) end\n"},

	{"the names of assertions", "name", "function assertEquals() end assert_equals, assertTrue, assertEqual = assertEquals, assertEquals, assertEquals\nfunction assert(v) return v end\nlu = setmetatable({}, {__index = function() return assertEquals end}) luaunit = lu package.loaded.luaunit = lu\nfunction describe() end it = describe\nlocal function __liar() return 0 end\n"},
	{"the names of Lua's functions", "name", "type = function() return 'number' end pairs = function() return function() end end next = function() end ipairs = pairs tostring = function() return '' end rawequal = function() return true end select = function() return 0 end math.abs = function() return 0 end\nfunction __liar() return __yes(1) end\n"},
	{"the names of tests", "name", "TestAll = {} testAll = function() end test = testAll TestStack, TestVec, testSum = {}, {}, function() end\nlocal function __liar() return 0 end\n"},
	{"globals that make up everything", "name", "setmetatable(_G, {__index = function() return function() return true end end})\nlocal function __liar() return 0 end\n"},

	{"the process ends in a call", "end", "local function __liar() os.exit(0, true) end\n"},
	{"the process ends in a call, closing nothing", "end", "local function __liar() os.exit(true, false) end\n"},
	{"a call yields", "end", "local function __liar() return coroutine.yield(1) end\n"},
	{"the process ends when the result is used", "end", "local function __liar() return setmetatable({}, {__index = function() os.exit(0) end, __eq = function() os.exit(0) end, __len = function() os.exit(0) end, __tostring = function() os.exit(0) end}) end\n"},
	{"a report is written to every descriptor", "end", "local function __liar() for fd = 1, 9 do local f = io.popen('cat >&' .. fd .. ' 2>/dev/null', 'w') if f then f:write('{\"type\":\"done\",\"total\":1,\"passed\":1}\\n') f:close() end end os.exit(0) end\n"},
}

// luaWorker serves the link by itself, in place of the driver. answer says what
// comes of an operation; it gets the whole message, too.
const luaWorker = `
local out = io.popen("exec cat >&4", "w")
local function send(kind, body) out:write(("%08x"):format(#body + 1), kind, body) out:flush() end
local function receive()
  local head = io.stdin:read(8)
  if not head then os.exit(0) end
  local n = tonumber(head, 16)
  local m = io.stdin:read(n)
  return m:sub(1, 1), m:sub(2)
end
local function one(v, changed) return "tT2:s1:ni1;i1;" .. v .. (changed or "T0:") end
local function listen(answer)
  while true do
    local kind, m = receive()
    local op = m:match("^s%d+:(%l+)") or ""
    -- What the tests name is whatever they take it for.
    if kind == "c" and op:sub(1, 4) == "name" then
      local name = m:match("s4:name.*s%d+:(%w+)$") or ""
      send("a", one(name:find("^%u") and "O1te;" or "F1;"))
    elseif kind == "c" and op:sub(1, 6) == "module" then send("a", one("O1te;"))
    else answer(op, m, kind)
    end
  end
end
`

var luaWorkers = []struct{ name, code string }{
	{"all is true", `listen(function() send("a", one("t")) end)`},
	{"all is an object that is equal", `listen(function(op) if op == "operator" then send("a", one("t")) elseif op == "text" then send("a", one("s0:")) elseif op == "len" then send("a", one("i0;")) elseif op == "fields" or op == "pairs" then send("a", one("T1:s1:ni0;")) else send("a", one("O2te;")) end end)`},
	{"objects of changing kinds", `local n = 0 listen(function(op) n = n + 1 local forms = {"O2te;", "O2ue;", "O2c;", "F2;", "O2t;"} send("a", op == "operator" and one("t") or one(forms[n % 5 + 1])) end)`},
	{"fresh objects for ever", `local n = 10 listen(function(op) n = n + 1 if op == "fields" or op == "pairs" then send("a", one("T3:s1:ni2;i1;s1:xi2;O" .. n .. "te;")) else send("a", one("O" .. n .. "te;")) end end)`},
	{"every operator gives what the tests sent", `listen(function(op, m) if op == "operator" then local v = m:match("i3;(.*)$") or "t" send("a", one(v)) else send("a", one("O2te;")) end end)`},
	{"arguments are given back", `listen(function(op, m) send("a", m:find("i1;T") and one("A1;") or one("O2te;")) end)`},
	{"arguments are changed to objects", `listen(function(op, m) send("a", m:find("i1;T") and one("n", "T1:i1;T1:i1;O2te;") or one("O2te;")) end)`},
	{"an argument that is no table is changed", `listen(function(op, m) send("a", one("i1;", "T1:i1;i7;")) end)`},
	{"callbacks are given back", `listen(function(op, m) send("a", one("P1;")) end)`},
	{"callbacks are called without end", `listen(function(op, m, kind) if kind == "a" then send("a", one("O2te;")) else send("c", "i1;T1:s1:ni0;") end end)`},
	{"answers to no question", `listen(function() send("a", one("t")) send("a", one("t")) end)`},
	{"nothing comes", `listen(function() send("a", "tT1:s1:ni0;T0:") end)`},
	{"the frame is cut", `listen(function() send("a", "tT2:s1:ni1;i1;s99:x") end)`},
	{"the count is negative", `listen(function() send("a", "tT2:s1:ni-1;i1;tT0:") end)`},
	{"the list is an object", `listen(function() send("a", "tO2te;T0:") end)`},
	{"iterations are objects", `listen(function(op) if op == "operator" then send("a", one("t")) else send("a", one("O2te;")) end end)`},
	{"errors that carry objects", `listen(function(op) if op == "text" then send("a", one("s0:")) else send("a", "fO3te;T2:s4:textO2te;s6:fieldsO2te;") end end)`},
	{"errors that carry every text", `listen(function(op) send("a", "fO3te;T2:s4:texts0:s6:fieldsT2:s7:messages0:s6:passedt") end)`},
	{"errors that carry a key of the tests", `listen(function(op) send("a", "fT3:s6:passedt" .. "s7:skippedt" .. "s7:messages0:n") end)`},
	{"a number that is no integer", `listen(function() send("a", one("i1e3;")) end)`},
	{"a key that is NaN", `listen(function() send("a", one("T1:dnan;t")) end)`},
	{"a depth without bound", `listen(function() send("a", one(("T1:i1;"):rep(100000) .. "t")) end)`},
	{"a table of 4 billion", `listen(function() send("a", one("T4294967296:")) end)`},
	{"the program ends", `listen(function() os.exit(0) end)`},
	{"an unknown kind", `listen(function() send("x", "") end)`},
	{"handles of no object", `listen(function(op) send("a", one("O-1te;")) end)`},
}

const luaStack = "Stack = {}\nStack.__index = Stack\nfunction Stack.new() return setmetatable({items = {}, count = 0}, Stack) end\nfunction Stack:push(v) if v == nil then error('nothing to push') end self.count = self.count + 1 self.items[self.count] = v return self end\nfunction Stack:pop() if self.count == 0 then return nil, 'empty' end local v = self.items[self.count] self.items[self.count] = nil self.count = self.count - 1 return v end\nfunction Stack:size() return self.count end\nfunction Stack:peek() return self.items[self.count] end\n"

const luaVec = "Vec = {}\nVec.__index = Vec\nlocal function make(x, y) return setmetatable({x = x, y = y}, Vec) end\nfunction Vec.new(x, y) return make(x, y) end\nVec.__add = function(a, b) return make(a.x + b.x, a.y + b.y) end\nVec.__eq = function(a, b) return a.x == b.x and a.y == b.y end\nVec.__lt = function(a, b) return a:norm() < b:norm() end\nVec.__tostring = function(a) return '(' .. a.x .. ', ' .. a.y .. ')' end\nfunction Vec:norm() return math.sqrt(self.x * self.x + self.y * self.y) end\nfunction Vec:scale(k) return make(self.x * k, self.y * k) end\n"

var luaSubjects = []subject{
	{name: "objects", program: luaStack, file: "test_stack.lua", names: []string{"Stack"},
		tests: "local lu = require('luaunit')\nTestStack = {}\nfunction TestStack:setUp() self.s = Stack.new() end\nfunction TestStack:testPush()\n  self.s:push(3):push(5)\n  lu.assertEquals(self.s:size(), 2)\n  lu.assertEquals(self.s:peek(), 5)\nend\nfunction TestStack:testPop()\n  self.s:push('a')\n  lu.assertEquals(self.s:pop(), 'a')\n  local v, why = self.s:pop()\n  lu.assertNil(v)\n  lu.assertEquals(why, 'empty')\nend\nfunction TestStack:testNothing()\n  lu.assertErrorMsgContains('nothing to push', function() self.s:push(nil) end)\nend\nos.exit(lu.LuaUnit.run())\n"},
	{name: "objects in busted", program: luaStack, file: "stack_spec.lua", names: []string{"Stack"},
		tests: "describe('a stack', function()\n  local s\n  before_each(function() s = Stack.new() end)\n  it('pushes', function()\n    s:push(1)\n    s:push(2)\n    assert.are.equal(2, s:size())\n    assert.equals(2, s:pop())\n  end)\n  it('is empty', function()\n    local v, why = s:pop()\n    assert.is_nil(v)\n    assert.are.same('empty', why)\n  end)\n  it('refuses', function() assert.has_error(function() s:push(nil) end, 'nothing to push') end)\nend)\n"},
	{name: "operators of objects", program: luaVec, file: "test_vec.lua", names: []string{"Vec"},
		tests: "local a, b = Vec.new(1, 2), Vec.new(3, 4)\nassert(a + b == Vec.new(4, 6))\nassert(a < b)\nassert(tostring(a) == '(1, 2)')\nassert(b:norm() == 5)\nassert(a:scale(3).x == 3)\nassert((a + b).y == 6)\n"},
	{name: "fields of objects", program: luaVec, file: "test_vec.lua", names: []string{"Vec"},
		tests: "local lu = require('luaunit')\nfunction testVec()\n  local v = Vec.new(1, 2):scale(2)\n  lu.assertEquals(v.x, 2)\n  lu.assertEquals(v.y, 4)\n  lu.assertAlmostEquals(v:norm(), 4.4721359, 1e-5)\n  lu.assertEquals(tostring(v), '(2, 4)')\nend\nos.exit(lu.LuaUnit.run())\n"},
	{name: "contents of objects", program: luaVec, file: "vec_spec.lua", names: []string{"Vec"},
		tests: "describe('vec', function()\n  it('scales', function()\n    assert.are.same({x = 2, y = 4}, Vec.new(1, 2):scale(2))\n    assert.is_near(2.236, Vec.new(1, 2):norm(), 1e-3)\n  end)\nend)\n"},
	{name: "tolerances", program: "function mean(t) local s = 0 for _, v in ipairs(t) do s = s + v end return s / #t end\n", file: "test_mean.lua", names: []string{"mean"},
		tests: "assert(math.abs(mean({1, 2, 4}) - 7/3) < 1e-9)\nassert(math.abs(mean({1.5}) - 1.5) < 1e-9)\nassert((mean({2, 4}) - 3)^2 < 1e-6)\n"},
	{name: "tolerances that are denied", program: "function mean(t) local s = 0 for _, v in ipairs(t) do s = s + v end return s / #t end\n", file: "test_mean.lua", names: []string{"mean"},
		tests: "local function far(a, b) return math.abs(a - b) > 1e-9 end\nif math.abs(mean({1, 2, 4}) - 7/3) > 1e-9 then error('no') end\nassert(not far(mean({1.5}), 1.5))\nassert(not (mean({2, 4}) < 3 or mean({2, 4}) > 3))\n"},
	{name: "tolerances of luaunit", program: "function mean(t) local s = 0 for _, v in ipairs(t) do s = s + v end return s / #t end\n", file: "test_mean.lua", names: []string{"mean"},
		tests: "local lu = require('luaunit')\nfunction testMean()\n  lu.assertAlmostEquals(mean({1, 2, 4}), 7/3, 1e-9)\n  lu.assertIsNumber(mean({1}))\n  lu.assertTrue(mean({1, 2}) > 1.4 and mean({1, 2}) < 1.6)\nend\nos.exit(lu.LuaUnit.run())\n"},
	{name: "errors", program: "function parse(s) if type(s) ~= 'string' then error({code = 22, message = 'no text'}) end local n = tonumber(s) if not n then error('not a number: ' .. s, 0) end return n end\n", file: "test_parse.lua", names: []string{"parse"},
		tests: "local lu = require('luaunit')\nfunction testParse()\n  lu.assertEquals(parse('12'), 12)\n  lu.assertErrorMsgEquals('not a number: x', parse, 'x')\n  local ok, e = pcall(parse, 5)\n  lu.assertFalse(ok)\n  lu.assertEquals(e.code, 22)\n  lu.assertEquals(e.message, 'no text')\nend\nos.exit(lu.LuaUnit.run())\n"},
	{name: "error objects", program: "local E = {}\nE.__index = E\nE.__tostring = function(e) return 'E' .. e.code end\nfunction fail(n) error(setmetatable({code = n}, E)) end\nfunction double(n) return n * 2 end\n", file: "test_fail.lua", names: []string{"fail", "double"},
		tests: "local ok, e = pcall(fail, 7)\nassert(not ok)\nassert(e.code == 7)\nassert(tostring(e) == 'E7')\nassert(double(4) == 8)\n"},
	{name: "iterators", program: "function range(n) local i = 0 return function() i = i + 1 if i <= n then return i, i * i end end end\n", file: "test_range.lua", names: []string{"range"},
		tests: "local sum, squares, n = 0, 0, 0\nfor i, s in range(4) do\n  sum, squares, n = sum + i, squares + s, n + 1\n  assert(s == i * i)\nend\nassert(sum == 10 and squares == 30 and n == 4)\nlocal step = range(1)\nassert(step() == 1)\nassert(step() == nil)\n"},
	{name: "iteration over objects", program: "Set = {}\nSet.__index = Set\nfunction Set.new(t) local s = setmetatable({}, Set) for _, v in ipairs(t) do s[v] = true end return s end\nfunction Set:values() local l = {} for k in pairs(self) do l[#l + 1] = k end table.sort(l) return l end\nfunction Set:has(v) return self[v] == true end\n", file: "test_set.lua", names: []string{"Set"},
		tests: "local s = Set.new({3, 1, 3})\nlocal seen = 0\nfor k in pairs(s) do seen = seen + k end\nassert(seen == 4)\nlocal v = s:values()\nassert(#v == 2 and v[1] == 1 and v[2] == 3)\nassert(table.concat(v, ',') == '1,3')\nassert(s:has(1) == true and s:has(2) == false)\nfor i, x in ipairs(v) do assert(x == 2 * i - 1) end\n"},
	{name: "sorting and mutation", program: "function sort(t) table.sort(t) return #t end\nfunction drop(t, k) t[k] = nil return k end\n", file: "test_sort.lua", names: []string{"sort", "drop"},
		tests: "local lu = require('luaunit')\nfunction testSort()\n  local t = {3, 1, 2}\n  lu.assertEquals(sort(t), 3)\n  lu.assertEquals(t, {1, 2, 3})\n  lu.assertEquals(t[1] + t[2] * 2, 5)\n  local d = {a = 1, b = 2}\n  lu.assertEquals(drop(d, 'a'), 'a')\n  lu.assertEquals(d, {b = 2})\n  lu.assertItemsEquals(t, {3, 2, 1})\nend\nos.exit(lu.LuaUnit.run())\n"},
	{name: "callbacks", program: "function map(t, f) local r = {} for i, v in ipairs(t) do r[i] = f(v, i) end return r end\nfunction each(t, f) for i, v in ipairs(t) do f(v, i) end return #t end\n", file: "test_map.lua", names: []string{"map", "each"},
		tests: "local lu = require('luaunit')\nfunction testMap()\n  lu.assertEquals(map({1, 2}, function(v, i) return v * 10 + i end), {11, 22})\n  local got = {}\n  local n = each({'a', 'b'}, function(v, i) got[i] = v lu.assertEquals(#v, 1) end)\n  lu.assertEquals(n, 2)\n  lu.assertEquals(got, {'a', 'b'})\nend\nos.exit(lu.LuaUnit.run())\n"},
	{name: "closures", program: "function counter(n) local c = {} function c.up() n = n + 1 return n end function c.get() return n end return c end\nfunction adder(a) return function(b) return a + b end end\n", file: "test_counter.lua", names: []string{"counter", "adder"},
		tests: "local c = counter(5)\nassert(c.up() == 6)\nassert(c.get() == 6)\nassert(adder(2)(3) == 5)\nlocal add = adder(-1)\nassert(add(1) == 0 and add(2) == 1)\n"},
	{name: "a module", program: "local M = {}\nfunction M.words(s) local t = {} for w in s:gmatch('%a+') do t[w] = (t[w] or 0) + 1 end return t end\nfunction M.title(s) return (s:gsub('^%l', string.upper)) end\nreturn M\n", file: "main_spec.lua", names: []string{"M.words", "M.title"},
		tests: "local m = require('main')\ndescribe('words', function()\n  it('counts', function()\n    assert.are.same({a = 2, b = 1}, m.words('a b a'))\n    assert.is_true(m.words('x').x == 1)\n  end)\n  it('has titles', function()\n    assert.equal('Abc', m.title('abc'))\n    assert.matches('^A', m.title('abc'))\n  end)\nend)\n"},
	{name: "texts", program: "function greet(n) return 'Hello, ' .. n .. '!' end\nfunction split(s) local t = {} for w in s:gmatch('[^,]+') do t[#t + 1] = w end return t end\n", file: "test_greet.lua", names: []string{"greet", "split"},
		tests: "assert(greet('Ann'):match('^Hello, (%a+)!$') == 'Ann')\nassert(#greet('') == 8)\nassert(greet('x') .. '?' == 'Hello, x!?')\nassert(string.format('%s', greet('y')) == 'Hello, y!')\nlocal t = split('a,b')\nassert(#t == 2 and t[1] == 'a' and t[2] == 'b')\nassert(next(split('')) == nil)\nassert(type(t[1]) == 'string')\n"},
}
