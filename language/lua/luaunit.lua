-- A small stand-in for luaunit: its common assertions and its runner.
local wire = dofile("/opt/glovebox/lua/wire.lua")
local M = { LuaUnit = {}, ran = false, ORDER_ACTUAL_EXPECTED = true, EPS = 2 ^ -52 }
local exam = glovebox_exam
glovebox_luaunit = exam and M or nil
local type, next, rawget, rawequal, pairs, ipairs, pcall, error, tostring, select = type, next, rawget, rawequal, pairs, ipairs, pcall, error, tostring, select
local getmetatable, traceback, abs, sort, find, match = debug.getmetatable, debug.traceback, math.abs, table.sort, string.find, string.match
local show = wire.show

local failure = {}

-- fail ends the running test.
local function fail(text, message, expected, actual, level)
  if message ~= nil then text = tostring(message) .. "\n" .. text end
  local info = debug.getinfo((level or 2) + 1, "Sl")
  local at = info and info.currentline > 0 and info.short_src .. ":" .. info.currentline .. ": " or ""
  error({ [failure] = true, message = at .. text, expected = expected and show(expected.v), actual = actual and show(actual.v) }, 0)
end

-- same compares content, without regard to metatables: an object's own
-- comparison has no say.
local function same(a, b, above)
  if rawequal(a, b) then return true end
  local ta, tb = type(a), type(b)
  if ta ~= tb then return false end
  if ta ~= "table" then return ta ~= "userdata" and a == b end
  above = above or {}
  if above[a] == b then return true end
  above[a] = b
  for k, v in next, a do
    local w = rawget(b, k)
    if w == nil and type(k) == "table" then
      for l, x in next, b do
        if type(l) == "table" and same(k, l, above) then w = x end
      end
    end
    if not same(v, w, above) then return false end
  end
  local n, m = 0, 0
  for _ in next, a do n = n + 1 end
  for _ in next, b do m = m + 1 end
  above[a] = nil
  return n == m
end

local function equals(actual, expected, message, level)
  if not M.ORDER_ACTUAL_EXPECTED then actual, expected = expected, actual end
  if not same(actual, expected) then
    fail("expected: " .. show(expected) .. ", actual: " .. show(actual), message, { v = expected }, { v = actual }, (level or 2) + 1)
  end
end

function M.assertEquals(a, e, m) equals(a, e, m) end
function M.assertNotEquals(a, e, m) if same(a, e) then fail("expected something else than " .. show(e), m) end end
function M.assertIs(a, e, m) if not rawequal(a, e) then fail("expected the same object", m) end end
function M.assertNotIs(a, e, m) if rawequal(a, e) then fail("expected another object", m) end end

local function near(a, e, margin)
  if type(a) == "table" and type(e) == "table" then
    for k, v in next, e do if not near(rawget(a, k), v, margin) then return false end end
    for k in next, a do if rawget(e, k) == nil then return false end end
    return true
  end
  if type(a) ~= "number" or type(e) ~= "number" then return same(a, e) end
  return abs(a - e) <= margin or a == e
end

function M.assertAlmostEquals(a, e, margin, m)
  if not near(a, e, margin or M.EPS) then fail("expected " .. show(e) .. " within " .. tostring(margin or M.EPS) .. ", actual: " .. show(a), m, { v = e }, { v = a }) end
end
function M.assertNotAlmostEquals(a, e, margin, m) if near(a, e, margin or M.EPS) then fail("expected something else than " .. show(e), m) end end

function M.assertItemsEquals(a, e, m)
  local left = {}
  for _, v in next, a do left[#left + 1] = v end
  for _, v in next, e do
    local found
    for i, w in ipairs(left) do if same(v, w) then found = i; break end end
    if not found then fail("expected the items of " .. show(e) .. ", actual: " .. show(a), m, { v = e }, { v = a }) end
    table.remove(left, found)
  end
  if #left > 0 then fail("expected the items of " .. show(e) .. ", actual: " .. show(a), m, { v = e }, { v = a }) end
end

function M.assertTableContains(t, e, m) for _, v in next, t do if same(v, e) then return end end fail("expected " .. show(t) .. " to contain " .. show(e), m) end
function M.assertNotTableContains(t, e, m) for _, v in next, t do if same(v, e) then fail("expected " .. show(t) .. " not to contain " .. show(e), m) end end end

function M.assertTrue(v, m) if v ~= true then fail("expected: true, actual: " .. show(v), m, { v = true }, { v = v }) end end
function M.assertFalse(v, m) if v ~= false then fail("expected: false, actual: " .. show(v), m, { v = false }, { v = v }) end end
function M.assertNil(v, m) if v ~= nil then fail("expected: nil, actual: " .. show(v), m, { v = nil }, { v = v }) end end
function M.assertNotNil(v, m) if v == nil then fail("expected something, actual: nil", m) end end
function M.assertEvalToTrue(v, m) if not v then fail("expected something true, actual: " .. show(v), m) end end
function M.assertEvalToFalse(v, m) if v then fail("expected something false, actual: " .. show(v), m) end end
M.assert = M.assertEvalToTrue
function M.assertNaN(v, m) if v == v then fail("expected: nan, actual: " .. show(v), m) end end
function M.assertInf(v, m) if v ~= 1 / 0 and v ~= -1 / 0 then fail("expected: inf, actual: " .. show(v), m) end end

for _, t in ipairs({ "Number", "String", "Table", "Boolean", "Function", "Userdata", "Thread" }) do
  local name = t:lower()
  M["assertIs" .. t] = function(v, m) if type(v) ~= name then fail("expected a " .. name .. ", actual: " .. show(v), m) end end
  M["assertNotIs" .. t] = function(v, m) if type(v) == name then fail("expected no " .. name .. ", actual: " .. show(v), m) end end
end

function M.assertStrContains(s, part, pattern, m) if not find(s, part, 1, not pattern) then fail("expected " .. show(s) .. " to contain " .. show(part), m) end end
function M.assertNotStrContains(s, part, pattern, m) if find(s, part, 1, not pattern) then fail("expected " .. show(s) .. " not to contain " .. show(part), m) end end
function M.assertStrIContains(s, part, m) if not find(s:lower(), part:lower(), 1, true) then fail("expected " .. show(s) .. " to contain " .. show(part), m) end end
function M.assertStrMatches(s, pattern, from, to, m)
  local a, b = find(s, pattern)
  if a ~= (from or 1) or b ~= (to or #s) then fail("expected " .. show(s) .. " to match " .. show(pattern), m) end
end

-- raised calls f and returns whether it raised, and what, without the place.
local function raised(f, ...)
  local ok, err = pcall(f, ...)
  if not ok and type(err) == "table" and rawget(err, failure) then error(err, 0) end
  return not ok, err
end
local function text(err) return type(err) == "string" and (match(err, "^[^\n:]+:%d+: (.*)$") or err) or err end

function M.assertError(f, ...) if not raised(f, ...) then fail("expected an error, but there was none") end end
function M.assertErrorMsgEquals(e, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if not same(text(err), e) and not same(err, e) then fail("expected the error " .. show(e) .. ", actual: " .. show(err)) end
end
function M.assertErrorMsgContentEquals(e, f, ...) M.assertErrorMsgEquals(e, f, ...) end
function M.assertErrorMsgContains(part, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if not find(tostring(err), part, 1, true) then fail("expected an error with " .. show(part) .. ", actual: " .. show(err)) end
end
function M.assertErrorMsgMatches(pattern, f, ...)
  local yes, err = raised(f, ...)
  if not yes then fail("expected an error, but there was none") end
  if not find(tostring(err), pattern) then fail("expected an error like " .. show(pattern) .. ", actual: " .. show(err)) end
end

function M.fail(m) fail("failed", m) end
function M.failIf(v, m) if v then fail("failed", m) end end
function M.success() error({ [failure] = true, passed = true }, 0) end
function M.successIf(v) if v then M.success() end end
function M.skip(m) error({ [failure] = true, skipped = true, message = tostring(m or "skipped") }, 0) end
function M.skipIf(v, m) if v then M.skip(m) end end
M.prettystr = show

local names = {}
for k in pairs(M) do if type(k) == "string" and find(k, "^assert.") then names[#names + 1] = k end end
for _, k in ipairs(names) do
  M[k:gsub("^assert(.)", function(c) return "assert_" .. c:lower() end)] = M[k]
end
M.assert_equals, M.assertAlmostEqual, M.assertEqual = M.assertEquals, M.assertAlmostEquals, M.assertEquals

-- tests lists the tests that are global: functions and tables of functions.
local function tests()
  local found = {}
  for name, v in next, _G do
    if type(name) == "string" and find(name, "^[Tt]est") then
      if type(v) == "function" then found[#found + 1] = { name = name, run = v }
      elseif type(v) == "table" and getmetatable(v) == nil or type(v) == "table" and rawget(getmetatable(v), "__name") == nil then
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
  local up, down = class and (class.setUp or class.setup or class.SetUp), class and (class.tearDown or class.teardown or class.TearDown)
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
    glovebox_swallowed = nil
    local ok, err = run(t)
    if ok and glovebox_swallowed then ok, err = false, glovebox_swallowed end
    local ours = type(err) == "table" and rawget(err, failure)
    local status = (ok or ours and err.passed) and "passed" or ours and err.skipped and "skipped" or ours and "failed" or "error"
    if status == "failed" or status == "error" then failed = failed + 1 end
    if not ours and not ok then err = { message = type(err) == "string" and err or show(err) } end
    if exam then exam.case(t.name, status, err)
    elseif status ~= "passed" then print(status .. ": " .. t.name .. ": " .. tostring(err.message))
    end
  end
  if not exam then print(("Ran %d tests, %d successes, %d failures"):format(#list, #list - failed, failed)) end
  return failed
end

function M.LuaUnit.run() return runAll(tests()) end
function M.LuaUnit.runSuite() return runAll(tests()) end
M.LuaUnit.Run, M.run = M.LuaUnit.run, M.LuaUnit.run
function M.LuaUnit.new() return setmetatable({ setOutputType = function() end, setVerbosity = function() end }, { __index = { runSuite = function() return runAll(tests()) end } }) end

return M
