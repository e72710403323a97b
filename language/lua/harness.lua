-- Runs the tests of a program that is in another process:
-- harness.lua MAIN FRAMEWORK -- NAME... -- TEST...
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local exam = dofile(home .. "exam.lua")
local link = wire.output(4)
package.path = home .. "lib/?.lua;./?.lua"
package.cpath = ""

local main, lists = wire.arguments(arg, 3)
local framework, names, tests = lists[1][1], lists[2], lists[3]
arg = { [0] = main }

-- ASKS bounds what one test asks of the program.
local ASKS = 1 << 19

local type, pcall, next, select, error, tostring = type, pcall, next, select, error, tostring
local getmetatable = getmetatable
local pack, unpack, rawset, rawget = table.pack, table.unpack, rawset, rawget
local lent = setmetatable({}, { __mode = "k" }) -- tables that the next call leaves as they are
local altered = setmetatable({}, { __mode = "k" }) -- tables that a call changed
local calls, functions, peer = 0, {}, nil
local loaded -- the tests have the program's module
local closures, ids, served = {}, setmetatable({}, { __mode = "k" }), setmetatable({}, { __mode = "k" })
local ask

local handle = assert(loadfile(home .. "handle.lua"))(wire, exam, function(...) return ask(...) end)

-- hold is the form of what does not travel whole.
local function hold(v, inside)
  if ids[v] then return "F" .. ids[v] .. ";" end
  if handle.is(v) then return "O" .. handle.id(v) .. ";" end
  if type(v) == "table" then
    if inside or wire.shaped(v) then return nil end
    handle.fail("a table of the tests with a metatable, or that contains itself, cannot be carried to the program")
  elseif type(v) ~= "function" then
    handle.fail("a " .. type(v) .. " of the tests cannot be carried to the program")
  end
  local id = served[v]
  if not id then
    id = #functions + 1
    functions[id], served[v] = v, id
  end
  return "P" .. id .. ";"
end

local function unwrap(kind, text)
  if kind == "O" then return handle.come(text) end
  if kind == "P" then return functions[wire.integer(text)] or error("no such function", 0) end
  if kind ~= "F" then error("a value of no known form", 0) end
  local id = wire.integer(text)
  local f = closures[id]
  if not f then
    f = function(...) return ask("call", id, ...) end
    closures[id], ids[f] = f, id
  end
  return f
end

-- guard does f; what goes wrong on the link ends the tests: a pcall in them
-- cannot make it unseen.
local function guard(what, f)
  local result = pack(pcall(f))
  if result[1] then return unpack(result, 2, result.n) end
  local why = tostring(result[2])
  if why:find("process ended", 1, true) then exam.broken("the program's process ended during " .. what) end
  exam.broken("calling " .. what .. ": " .. why)
end

local called = {}

function ask(op, target, ...)
  local n, args = select("#", ...), { ... }
  local what = called[target] or op
  if op == "call" or op == "set" or op == "rawset" or op == "operator" then handle.turn = handle.turn + 1 end
  if op ~= "name" and op ~= "module" then
    calls = calls + 1
    if exam.asked() > ASKS then handle.fail("the test asks the program more than " .. ASKS .. " times: something does not end") end
  end
  local keeps = {}
  for i = 1, n do
    local v = args[i]
    if type(v) == "table" and lent[v] then
      keeps[v] = true
      lent[v] = lent[v] > 1 and lent[v] - 1 or nil
    end
  end
  local message = ("s%d:%s"):format(#op, op) .. (target and "O" .. target .. ";" or "n") .. wire.list(n, args, hold)
  local ok, values, err = guard(what, function()
    return handle.answer(peer.call(message), args, unwrap, altered, op == "pairs" or op == "fields", keeps)
  end)
  -- A test that failed inside of the call is failed for good.
  if not ok then error(err, 0) end
  return unpack(values, 1, values.n)
end

-- serve runs a function of the tests' for the program.
local function serve(message)
  local id, at = wire.decode(message, 1, unwrap)
  local args = handle.list((wire.decode(message, at, unwrap, 1)))
  local f = functions[id] or error("no such function", 0)
  local result = pack(pcall(f, unpack(args, 1, args.n)))
  local encoded, form = pcall(wire.list, result.n - 1, { unpack(result, 2, result.n) }, hold)
  if result[1] and encoded then return "t" .. form end
  local err = result[2]
  if result[1] then err = form end
  -- The program cannot make a failed assertion unseen.
  exam.fault(exam.message(err))
  return "f" .. wire.encode(wire.plain(err) and err or exam.message(err), hold)
end

local input = io.stdin
peer = wire.peer(input, link, serve)

glovebox_exam, glovebox_handle = exam, handle
local luaunit = require("luaunit")
local busted = framework == "busted" and dofile(home .. "busted.lua")
glovebox_exam, glovebox_handle = nil, nil
for name, f in next, handle.raw do rawset(_G, name, f) end
__glovebox_made = handle.made

-- What is compared with what a call of it gives is what it was before the call:
-- keep notes that, and kept gives it where the call changed the table.
local before = setmetatable({}, { __mode = "k" })
local function copy(v)
  if type(v) ~= "table" or handle.is(v) or getmetatable(v) ~= nil then return v end
  local all = {}
  for k, e in next, v do all[k] = e end
  return all
end
__glovebox_copy = copy
function __glovebox_keep(v)
  if type(v) == "table" then before[v], altered[v] = copy(v), nil end
  return v
end
function __glovebox_kept(v) return type(v) == "table" and altered[v] and before[v] or v end

-- What a call makes of a table that is lent does not arrive: the tests compare its
-- result with what they make of the table. Where their text is unclear, it arrives,
-- and the program judges.
function __glovebox_lend(v)
  if type(v) == "table" and not handle.is(v) then lent[v] = (lent[v] or 0) + 1 end
  return v
end
function __glovebox_unclear(...)
  exam.judged()
  return ...
end

-- Each answer about the order of a NaN is false, so a test that asks for one could
-- not fail.
local named -- the tests' text names infinity
function __glovebox_ordered(v)
  if type(v) == "number" and v - v ~= 0 and calls > 0 then
    if v ~= v then handle.fail("the tests order a value that is not a number (NaN)") end
    if not named then handle.fail("the tests order a number without end, which their text does not name") end
  end
  return v
end
for _, name in ipairs({ "max", "min" }) do
  local extreme = math[name]
  math[name] = function(...)
    for i = 1, select("#", ...) do __glovebox_ordered((select(i, ...))) end
    return extreme(...)
  end
end

-- The tests must be Lua before the program is asked for anything.
local chunks = {}
for i, name in ipairs(tests) do
  local file = assert(io.open(name, "rb"))
  local text = file:read("a"):gsub("^#[^\n]*", "")
  file:close()
  local chunk, why = load(text, "@" .. name, "t")
  if not chunk then exam.unrunnable("the tests do not parse: " .. why) end
  exam.export(luaunit, text)
  handle.reads(text)
  named = named or text:lower():find("%f[%a]huge%f[%A]") or text:lower():find("%f[%a]nan%f[%A]") or text:lower():find("inf") or text:find("%d%s*/%s*0")
  local appended = busted and "" or exam.functions(text)
  local whole = appended ~= "" and load(text .. appended, "@" .. name, "t")
  chunks[i] = { name = name, text = text, run = whole or chunk, functions = whole }
end

for _, name in ipairs(names) do
  if rawget(_G, name) == nil then
    local v = ask("name", nil, name)
    if handle.is(v) then called[handle.id(v)] = name elseif ids[v] then called[ids[v]] = name end
    rawset(_G, name, v)
  end
end
-- has reports whether a text has assertions of Lua, luaunit or busted: not such as
-- the tests define by themselves.
local function has(text, all)
  text = text:gsub("%-%-[^\n]*", "")
  if all:find("function%s+assert%s*%(") or all:find("local%s+assert%f[^%w_]") then return false end
  local unit = all:match("([%a_][%w_]*)%s*=%s*require%s*%(?%s*[\"']luaunit[\"']")
  return text:find("%f[%w_.:]assert%s*%(") or busted and text:find("%f[%w_.:]assert[%.:]")
    or unit and text:find("%f[%w_.:]" .. unit .. "[%.:]assert[%w_]*%s*[%({]") or false
end

-- asserts reports whether the text of a test has assertions.
local texts = {}
for _, c in next, chunks do texts["@" .. c.name] = c.text end
local assert_, getinfo = assert, debug.getinfo
function exam.asserts(f)
  local info = type(f) == "function" and getinfo(f, "S")
  local text = info and texts[info.source]
  if not text then return false end
  local at, own = 0, {}
  for line in text:gmatch("[^\n]*\n?") do
    at = at + 1
    if at >= info.linedefined and at <= info.lastlinedefined then own[#own + 1] = line end
  end
  return has(table.concat(own), text)
end
if not busted then
  assert = function(...)
    exam.count()
    return assert_(...)
  end
end

-- called reports whether the tests called the program.
function exam.called() return calls > 0 or loaded or #names > 0 end

function exam.asking() return calls > 0 end

-- foreign reports whether a value is the program's, and no test.
function exam.foreign(v) return handle.is(v) or ids[v] ~= nil end

local stem = main:gsub("%.lua$", ""):gsub("/", ".")
for _, name in ipairs({ stem, "./" .. stem, "solution", "main" }) do
  -- What the tests have from elsewhere is never the program's to give.
  if not package.loaded[name] and not package.searchpath(name, package.path) then
    package.preload[name] = function()
      loaded = true
      local v = ask("module")
      return v == nil and true or v
    end
  end
end

local current
os.exit = function(code)
  if code == true or code == nil then code = 0 elseif code == false then code = 1 end
  if current then
    if luaunit.ran and exam.total == 0 then exam.empty() end
    exam.script(current, code ~= 0 and exam.total == exam.passed, "exit status " .. tostring(code))
  end
  exam.done(calls)
end

for _, test in ipairs(chunks) do
  current = test.name
  local before = exam.total
  exam.expects(not busted and has(test.text, test.text))
  local ok, err = xpcall(test.run, function(e) return e end)
  if ok and test.functions then
    exam.run(err)
  elseif not ok then
    exam.case(test.name, "error", { message = exam.message(err) })
  elseif busted then
    busted.run()
  elseif exam.total == before then
    if luaunit.ran then exam.empty()
    elseif luaunit.pending() then luaunit.LuaUnit.run()
    else exam.case(test.name, "passed")
    end
  end
end
current = nil
exam.done(calls)
