-- A small stand-in for busted and luassert: blocks, hooks and the assertions
-- that most specifications have. What it lacks is found in the text of the tests
-- before anything runs.
local wire = dofile("/opt/glovebox/lua/wire.lua")
local compare = dofile("/opt/glovebox/lua/same.lua")
local exam = glovebox_exam
local M = {}
local type, next, rawget, rawset, pcall, xpcall, error, tostring, tonumber, select, ipairs, pairs = type, next, rawget, rawset, pcall, xpcall, error, tostring, tonumber, select, ipairs, pairs
local find, match, gsub, gmatch, lower, concat = string.find, string.match, string.gsub, string.gmatch, string.lower, table.concat
local setmetatable, getinfo, pack, unpack = setmetatable, debug.getinfo, table.pack, table.unpack
local show, kind, package = wire.show, compare.kind, package
local _G = _G

local failure = {}

local function where(level)
  local info = getinfo(level + 1, "Sl")
  return info and info.currentline > 0 and info.short_src .. ":" .. info.currentline .. ": " or ""
end

-- Assertions.

local function same(a, b) return compare.equal(a, b, compare.raw) end

local function called(f)
  local ok, err = pcall(f)
  if not ok and type(err) == "table" and rawget(err, failure) then error(err, 0) end
  if type(err) == "string" then err = gsub(err, "^.-:%d+: ", "", 1) end
  return not ok, err
end

local function textual(v) return type(v) == "string" or type(v) == "number" or compare.handle(v) end

local function least(n, have) if have < n then error("the assertion needs " .. n .. " arguments", 0) end end

local holds = {
  same = function(n, a, b) least(2, n) return same(a, b) end,
  equal = function(n, a, b) least(2, n) return a == b end,
  truthy = function(n, v) least(1, n) return v ~= nil and v ~= false end,
  falsy = function(n, v) least(1, n) return v == nil or v == false end,
  ["true"] = function(_, v) return v == true end,
  ["false"] = function(_, v) return v == false end,
  near = function(n, e, a, margin)
    least(3, n)
    if type(tonumber(e)) ~= "number" or type(tonumber(a)) ~= "number" or type(tonumber(margin)) ~= "number" then error("near needs three numbers, not " .. show(a), 0) end
    e, a, margin = tonumber(e), tonumber(a), tonumber(margin)
    return a >= e - margin and a <= e + margin
  end,
  match = function(n, pattern, a, init, plain)
    least(2, n)
    if not textual(a) then error("a text is expected, not " .. show(a), 0) end
    return find(tostring(a), pattern, tonumber(init), plain == true) ~= nil
  end,
  error = function(_, f, e)
    local yes, err = called(f)
    if not yes or e == nil then return yes end
    if type(e) == "string" and compare.handle(err) then err = tostring(err) end
    if type(e) == "number" and type(err) == "string" then return tostring(e) == tostring(tonumber(err)) end
    return same(e, err)
  end,
  error_match = function(_, f, pattern, init, plain)
    local yes, err = called(f)
    return yes and (textual(err) or type(err) == "boolean") and find(tostring(err), pattern, tonumber(init), plain == true) ~= nil
  end,
  unique = function(_, list, deep)
    local all = compare.contents(list)
    for k, v in next, all do
      for l, w in next, all do
        if k ~= l and (deep == true and same(v, w) or v == w) then return false end
      end
    end
    return true
  end,
}
for _, t in ipairs({ "boolean", "number", "string", "table", "nil", "userdata", "function", "thread" }) do
  holds[t] = function(n, v) least(1, n) return kind(v) == t end
end
holds.equals, holds.matches, holds.errors, holds.error_matches = holds.equal, holds.match, holds.error, holds.error_match

local modifiers = { is = true, are = true, was = true, has = true, does = true }

-- assertion reads words such as are.Not.same or is_not_nil.
local function assertion(words)
  local negated, name = false, {}
  for word in gmatch(lower(concat(words, "_")), "[^_]+") do
    if word == "not" or word == "no" then negated = not negated
    elseif not modifiers[word] then name[#name + 1] = word
    end
  end
  return concat(name, "_"), negated
end

local chain

local function check(words, ...)
  local name, negated = assertion(words)
  local hold = holds[name]
  if not hold then exam.unrunnable("the tests use assert." .. concat(words, "."), "busted") end
  local n, a, b = select("#", ...), ...
  if (hold(n, ...) and true or false) == negated then
    local detail = { [failure] = true, message = where(3) .. "expected" .. (negated and " not" or "") .. " " .. name .. ": " .. show(a) .. (n > 1 and ", " .. show(b) or "") }
    if (name == "same" or name == "equal" or name == "equals") and not negated then
      detail.message = where(3) .. "expected: " .. show(a) .. ", actual: " .. show(b)
      detail.expected, detail.actual = show(a), show(b)
    end
    error(detail, 0)
  end
  return ...
end

function chain(words)
  return setmetatable({}, {
    __index = function(_, word)
      local more = { unpack(words) }
      more[#more + 1] = tostring(word)
      return chain(more)
    end,
    __call = function(_, ...)
      exam.count()
      if #words > 0 then return check(words, ...) end
      local v, message = ...
      if not v then
        if message ~= nil and type(message) ~= "string" then error(message, 0) end
        error({ [failure] = true, message = where(2) .. (message or "assertion failed!") }, 0)
      end
      return ...
    end,
  })
end

-- Blocks.

local root = { hooks = {}, children = {} }
local block = root

local function hook(name)
  return function(f)
    block.hooks[name] = block.hooks[name] or {}
    local list = block.hooks[name]
    list[#list + 1] = f
  end
end

local function describe(name, f)
  if not f then return function(g) describe(name, g) end end
  block.children[#block.children + 1] = { name = tostring(name), run = f, parent = block, hooks = {}, children = {} }
end

local function it(name, f)
  if not f then return function(g) it(name, g) end end
  block.children[#block.children + 1] = { name = tostring(name), test = f, parent = block }
end

local running

local function pending(name, f)
  if running then error({ [failure] = true, skipped = true, message = tostring(name) }, 0) end
  block.children[#block.children + 1] = { name = tostring(name), parent = block }
end

local function path(element)
  local name = element.name
  local p = element.parent
  while p and p.name do
    name, p = p.name .. " " .. name, p.parent
  end
  return name
end

-- hooks runs those of one name, and returns the first error.
local function hooks(b, name)
  for _, f in ipairs(b.hooks[name] or {}) do
    local ok, err = xpcall(f, function(e) return e end)
    if not ok then return { err } end
  end
end

local function before(b) return b and (before(b.parent) or hooks(b, "before_each")) end
local function after(b) return b and (hooks(b, "after_each") or after(b.parent)) end

local function report(name, err)
  if not err then return exam.case(name, "passed") end
  err = err[1]
  local ours = type(err) == "table" and rawget(err, failure)
  if ours and err.skipped then return exam.case(name, "skipped", err) end
  if ours then return exam.case(name, "failed", err) end
  exam.case(name, "error", { message = exam.message(err) })
end

local function test(t)
  if not t.test then return exam.case(path(t), "skipped") end
  exam.begin(t.test)
  local err = before(t.parent)
  if not err then
    running = true
    local ok, why = xpcall(t.test, function(e) return e end)
    running = false
    if not ok then err = { why } end
  end
  err = err or after(t.parent)
  report(path(t), err)
end

local function run(b)
  block = b
  if b.run then
    local ok, err = xpcall(b.run, function(e) return e end)
    if not ok then return report(path(b), { err }) end
  end
  local err = hooks(b, "setup")
  if err then return report(b.name and path(b) or "setup", err) end
  for _, child in ipairs(b.children) do
    if child.hooks then run(child) else test(child) end
  end
  err = hooks(b, "teardown")
  if err then report(b.name and path(b) or "teardown", err) end
end

-- run runs what the file has registered, and forgets it.
function M.run()
  local all = root
  run(all)
  root = { hooks = {}, children = {} }
  block = root
end

local words = { describe = describe, context = describe, it = it, spec = it, test = it, pending = pending, assert = chain({}) }
for _, name in ipairs({ "before_each", "after_each", "setup", "teardown" }) do words[name] = hook(name) end
words.lazy_setup, words.strict_setup, words.lazy_teardown, words.strict_teardown = words.setup, words.setup, words.teardown, words.teardown
for name, f in next, words do rawset(_G, name, f) end

local function runner() return nothing end
package.loaded["busted.runner"] = function() return runner end
package.loaded["busted"] = words
package.loaded["luassert"] = words.assert

return M
