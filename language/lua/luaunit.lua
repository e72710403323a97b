-- A small stand-in for luaunit: its assertions and its runner.
local wire = dofile("/opt/glovebox/lua/wire.lua")
local compare = dofile("/opt/glovebox/lua/same.lua")
local M = { LuaUnit = {}, ran = false, ORDER_ACTUAL_EXPECTED = true, EPS = 2 ^ -52, VERSION = "3.4" }
local exam = glovebox_exam
local type, next, rawget, rawequal, pairs, ipairs, pcall, xpcall, error, tostring, select = type, next, rawget, rawequal, pairs, ipairs, pcall, xpcall, error, tostring, select
local getinfo, sort, find, match, lower, format = debug.getinfo, table.sort, string.find, string.match, string.lower, string.format
local setmetatable, getmetatable, remove, print = setmetatable, debug.getmetatable, table.remove, print
local show, same, kind = wire.show, compare.equal, compare.kind
local _G = _G

local failure = {}

local function where(level)
  local info = getinfo(level + 1, "Sl")
  return info and info.currentline > 0 and info.short_src .. ":" .. info.currentline .. ": " or ""
end

-- fail ends the running test. It is called by the assertion itself.
local function fail(text, message, expected, actual)
  if message ~= nil then text = tostring(message) .. "\n" .. text end
  error({ [failure] = true, message = where(3) .. text, expected = expected and show(expected.v), actual = actual and show(actual.v) }, 0)
end

function M.assertEquals(a, e, m)
  if not M.ORDER_ACTUAL_EXPECTED then a, e = e, a end
  if not same(a, e) then fail("expected: " .. show(e) .. ", actual: " .. show(a), m, { v = e }, { v = a }) end
end
function M.assertNotEquals(a, e, m) if same(a, e) then fail("expected something else than " .. show(e), m) end end
local function is(a, e) return type(a) == type(e) and (type(a) == "table" and compare.identical(a, e) or type(a) ~= "table" and a == e) end
function M.assertIs(a, e, m) if not is(a, e) then fail("expected the same object", m) end end
function M.assertNotIs(a, e, m) if is(a, e) then fail("expected another object", m) end end

local function near(a, e, margin)
  margin = margin or M.EPS
  local t = kind(a)
  if t ~= kind(e) or t ~= "table" and t ~= "number" then error("almostEquals: must supply only number or table arguments", 3) end
  return same(a, e, nil, margin)
end
function M.assertAlmostEquals(a, e, margin, m)
  if not near(a, e, margin) then fail("expected " .. show(e) .. " within " .. tostring(margin or M.EPS) .. ", actual: " .. show(a), m, { v = e }, { v = a }) end
end
function M.assertNotAlmostEquals(a, e, margin, m) if near(a, e, margin) then fail("expected something else than " .. show(e), m) end end

local function items(v)
  if kind(v) ~= "table" then error("a table is expected, not " .. show(v), 3) end
  return compare.contents(v)
end

local function sameItems(a, e)
  local left = {}
  for _, v in next, items(a) do left[#left + 1] = v end
  for _, v in next, items(e) do
    local found
    for i, w in ipairs(left) do if same(w, v) then found = i; break end end
    if not found then return false end
    remove(left, found)
  end
  return #left == 0
end
function M.assertItemsEquals(a, e, m)
  if not sameItems(a, e) then fail("expected the items of " .. show(e) .. ", actual: " .. show(a), m, { v = e }, { v = a }) end
end

local function contains(t, e)
  for _, v in next, items(t) do if same(v, e) then return true end end
  return false
end
function M.assertTableContains(t, e, m) if not contains(t, e) then fail("expected " .. show(t) .. " to contain " .. show(e), m) end end
function M.assertNotTableContains(t, e, m) if contains(t, e) then fail("expected " .. show(t) .. " not to contain " .. show(e), m) end end

function M.assertEvalToTrue(v, m) if not v then fail("expected something true, actual: " .. show(v), m) end end
function M.assertEvalToFalse(v, m) if v then fail("expected something false, actual: " .. show(v), m) end end
M.assert = M.assertEvalToTrue

-- what are the assertions that a value is of a kind, and their opposites.
local what = {
  True = function(v) return v == true end,
  False = function(v) return v == false end,
  Nil = function(v) return v == nil end,
  NaN = function(v) return type(v) == "number" and v ~= v end,
  Inf = function(v) return v == 1 / 0 or v == -1 / 0 end,
  PlusInf = function(v) return v == 1 / 0 end,
  MinusInf = function(v) return v == -1 / 0 end,
  PlusZero = function(v) return v == 0 and 1 / v == 1 / 0 end,
  MinusZero = function(v) return v == 0 and 1 / v == -1 / 0 end,
}
for _, t in ipairs({ "Number", "String", "Table", "Boolean", "Function", "Userdata", "Thread" }) do
  what[t] = function(v) return kind(v) == lower(t) end
end
what.Coroutine = what.Thread
for name, holds in pairs(what) do
  M["assertIs" .. name] = function(v, m) if not holds(v) then fail("expected: " .. lower(name) .. ", actual: " .. show(v), m, { v = name }, { v = v }) end end
  M["assertNotIs" .. name] = function(v, m) if holds(v) then fail("expected something else than " .. lower(name), m) end end
  M["assert" .. name], M["assertNot" .. name] = M["assertIs" .. name], M["assertNotIs" .. name]
end

function M.assertStrContains(s, part, pattern, m) if not find(s, part, 1, not pattern) then fail("expected " .. show(s) .. " to contain " .. show(part), m) end end
function M.assertNotStrContains(s, part, pattern, m) if find(s, part, 1, not pattern) then fail("expected " .. show(s) .. " not to contain " .. show(part), m) end end
function M.assertStrIContains(s, part, m) if not find(lower(s), lower(part), 1, true) then fail("expected " .. show(s) .. " to contain " .. show(part), m) end end
function M.assertNotStrIContains(s, part, m) if find(lower(s), lower(part), 1, true) then fail("expected " .. show(s) .. " not to contain " .. show(part), m) end end
local function matches(s, pattern, from, to)
  local a, b = find(s, pattern, from or 1)
  return a == (from or 1) and b == (to or #s)
end
function M.assertStrMatches(s, pattern, from, to, m)
  if not matches(s, pattern, from, to) then fail("expected " .. show(s) .. " to match " .. show(pattern), m) end
end

-- raised calls f and returns whether it raised, and what.
local function raised(f, ...)
  local ok, err = pcall(f, ...)
  if not ok and type(err) == "table" and rawget(err, failure) then error(err, 0) end
  return not ok, err
end
local function text(err) return type(err) == "string" and err or tostring(err) end
local function content(err) return match(err, "^[^\n]-:%d+: (.*)$") or err end

function M.assertError(f, ...) if not raised(f, ...) then fail("expected an error, but there was none") end end
-- A message is compared without its place as well: where that is depends on
-- how the program was loaded.
function M.assertErrorMsgEquals(e, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if type(e) == "string" then
    err = text(err)
    if err ~= e and content(err) ~= e then fail("expected the error " .. show(e) .. ", actual: " .. show(err), nil, { v = e }, { v = err }) end
  elseif not same(err, e) then fail("expected the error " .. show(e) .. ", actual: " .. show(err))
  end
end
function M.assertErrorMsgContentEquals(e, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if content(text(err)) ~= e then fail("expected the error " .. show(e) .. ", actual: " .. show(err), nil, { v = e }, { v = err }) end
end
function M.assertErrorMsgContains(part, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if not find(text(err), part, 1, true) then fail("expected an error with " .. show(part) .. ", actual: " .. show(err)) end
end
function M.assertErrorMsgMatches(pattern, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if not matches(text(err), pattern) then fail("expected an error like " .. show(pattern) .. ", actual: " .. show(err)) end
end

function M.fail(m) fail(m ~= nil and tostring(m) or "failed") end
function M.failIf(v, m) if v then fail(m ~= nil and tostring(m) or "failed") end end
function M.success() error({ [failure] = true, passed = true }, 0) end
function M.successIf(v) if v then M.success() end end
function M.skip(m) error({ [failure] = true, skipped = true, message = tostring(m or "skipped") }, 0) end
function M.skipIf(v, m) if v then M.skip(m) end end
function M.runOnlyIf(v, m) if not v then M.skip(m) end end
M.prettystr = show

local names = {}
for k in pairs(M) do if type(k) == "string" and find(k, "^assert.") then names[#names + 1] = k end end
for _, k in ipairs(names) do
  M[k:gsub("^assert(.)", function(c) return "assert_" .. c:lower() end)] = M[k]
  M[k:gsub("(%l)(%u)", "%1_%2"):lower()] = M[k]
end
M.assert_equals, M.assertAlmostEqual, M.assertEqual = M.assertEquals, M.assertAlmostEquals, M.assertEquals

if exam then
  for k, f in pairs(M) do
    if type(k) == "string" and find(k, "^assert") then M[k] = function(...) exam.count() return f(...) end end
  end
end

-- tests lists the tests that are global: functions and tables of functions.
local function tests()
  local found = {}
  for name, v in next, _G do
    if type(name) == "string" and find(name, "^[Tt]est") and not (exam and exam.foreign and exam.foreign(v)) then
      if type(v) == "function" then found[#found + 1] = { name = name, run = v }
      elseif type(v) == "table" then
        for k, f in next, v do
          if type(k) == "string" and find(k, "^[Tt]est") and type(f) == "function" then
            found[#found + 1] = { name = name .. "." .. k, run = f, class = v }
          end
        end
      end
    end
  end
  sort(found, function(a, b) return a.name < b.name end)
  return found
end

function M.pending() return #tests() > 0 end

local function run(t)
  local class = t.class
  local up = class and (class.setUp or class.setup or class.SetUp or class.Setup)
  local down = class and (class.tearDown or class.teardown or class.TearDown or class.Teardown)
  local ok, err = true, nil
  if up then ok, err = pcall(up, class) end
  if ok then ok, err = xpcall(t.run, function(e) return e end, class) end
  if down then
    local fine, why = pcall(down, class)
    if ok and not fine then ok, err = false, why end
  end
  return ok, err
end

local function runAll(list)
  M.ran = true
  local failed = 0
  for _, t in ipairs(list) do
    if exam then exam.begin(t.run) end
    local ok, err = run(t)
    local ours = type(err) == "table" and rawget(err, failure)
    local status = (ok or ours and err.passed) and "passed" or ours and err.skipped and "skipped" or ours and "failed" or "error"
    if status == "failed" or status == "error" then failed = failed + 1 end
    if not ours and not ok then err = { message = type(err) == "string" and err or show(err) } end
    if exam then exam.case(t.name, status, not ok and err or nil)
    elseif status ~= "passed" then print(status .. ": " .. t.name .. ": " .. tostring(err.message))
    end
  end
  if not exam then print(format("Ran %d tests, %d successes, %d failures", #list, #list - failed, failed)) end
  return failed
end

function M.LuaUnit.run() return runAll(tests()) end
function M.LuaUnit.runSuite() return runAll(tests()) end
M.LuaUnit.Run, M.run = M.LuaUnit.run, M.LuaUnit.run
local function nothing() end
local lacking = exam and {
  __index = function(_, k) exam.unrunnable("the tests use luaunit's " .. tostring(k) .. ", which is not here", "luaunit") end,
} or nil
function M.LuaUnit.new()
  return setmetatable({ setOutputType = nothing, setVerbosity = nothing, runSuite = M.LuaUnit.runSuite, run = M.LuaUnit.run }, lacking)
end

return setmetatable(M, lacking)
