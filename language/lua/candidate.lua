-- Serves calls of a program's functions: candidate.lua MAIN NAME... -- ARGUMENT...
-- NAMEs are what the tests use. A local of the program's main chunk is seen
-- through a function that is appended to it. The program can rewrite all of
-- this: the other end believes nothing but that a value is what came.
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local main, lists = wire.arguments(arg, 2)
local names, arguments = lists[1], lists[2]
arg = arguments

local link = wire.output(4)
local pcall, type, pack, unpack, next, pairs = pcall, type, table.pack, table.unpack, next, pairs
local select, tostring, ipairs, concat, error = select, tostring, ipairs, table.concat, error
local rawget, rawset, rawlen, rawequal, getmetatable = rawget, rawset, rawlen, rawequal, debug.getmetatable
local load, format = load, string.format

-- MOST bounds what an iteration gives at once.
local MOST = 1 << 20

local objects, ids = {}, {}
local tested = setmetatable({}, { __mode = "k" }) -- functions of the tests
local peer

-- hold is the form of what does not travel whole: of an object, its kind, and
-- whether its class compares for itself.
local function hold(v, inside)
  if type(v) == "table" and (inside or wire.plain(v)) then return nil end
  if tested[v] then return "P" .. tested[v] .. ";" end
  local id = ids[v]
  if not id then
    id = #objects + 1
    objects[id], ids[v] = v, id
  end
  if type(v) == "function" then return "F" .. id .. ";" end
  local mt = getmetatable(v)
  local kind = type(v) == "table" and "t" or type(v) == "thread" and "c" or "u"
  return "O" .. id .. kind .. (type(mt) == "table" and rawget(mt, "__eq") ~= nil and "e" or "") .. ";"
end

-- open is the same for an argument of the tests: a table stays one.
local function open(v, inside)
  if type(v) == "table" and (inside or wire.shaped(v)) then return nil end
  return hold(v, inside)
end

local function encode(v) return wire.encode(v, hold) end

local function unwrap(kind, text)
  local id = wire.integer(text)
  if kind == "O" or kind == "F" then return objects[id] end
  if kind ~= "P" then error("a value of no known form", 0) end
  local function f(...)
    local got = peer.call("i" .. id .. ";" .. wire.list(select("#", ...), { ... }, hold))
    local ok, at = wire.decode(got, 1, unwrap)
    local result = wire.decode(got, at, unwrap)
    if not ok then error(result, 0) end
    return unpack(result, 1, result.n)
  end
  tested[f] = id
  return f
end

local export, module

-- entries is what an iteration gives, as one list.
local function entries(iterate, state, control, close)
  local list = { n = 0 }
  for k, v in iterate, state, control, close do
    if list.n >= MOST then error("an iteration does not end", 0) end
    list[list.n + 1], list[list.n + 2], list.n = k, v, list.n + 2
  end
  return list
end

local operators = {}
for _, o in ipairs({ "+", "-", "*", "/", "//", "%", "^", "..", "==", "<", "<=", "&", "|", "~", "<<", ">>" }) do
  operators[o] = load("return function(a, b) return a " .. o .. " b end")()
end
operators["unary -"] = function(a) return -a end
operators["unary ~"] = function(a) return ~a end

local serves = {
  call = function(target, ...) return target(...) end,
  index = function(target, key) return target[key] end,
  set = function(target, key, value) target[key] = value end,
  len = function(target) return #target end,
  text = function(target) return tostring(target) end,
  fields = function(target) return entries(next, target) end,
  pairs = function(target) return entries(pairs(target)) end,
  rawget = function(target, key) return rawget(target, key) end,
  rawset = function(target, key, value) rawset(target, key, value) end,
  rawlen = function(target) return rawlen(target) end,
  operator = function(_, name, a, b) return operators[name](a, b) end,
  close = function(target, err) getmetatable(target).__close(target, err) end,
  name = function(_, name) return export(name) end,
  module = function() return module end,
}

-- listed are the operations whose answer is a list, which crosses whole.
local listed = { fields = true, pairs = true }

-- raised is what an error carries: itself and, of an object, its text and its
-- own fields.
local function raised(err)
  if type(err) ~= "table" or wire.plain(err) then return "f" .. encode(err) .. "n" end
  local text = pack(pcall(tostring, err))
  local fields = {}
  for k, v in next, err do
    if wire.plain(k) and wire.plain(v) then fields[k] = v end
  end
  return "f" .. encode(err) .. wire.encode({ text = text[1] and text[2] or "", fields = fields }, hold)
end

local function serve(message)
  local op, target, args, at
  op, at = wire.decode(message, 1, unwrap)
  target, at = wire.decode(message, at, unwrap)
  args = wire.decode(message, at, unwrap)
  local before = {}
  for i = 1, args.n do
    if wire.shaped(args[i]) and not ids[args[i]] then before[i] = wire.encode(args[i], open) end
  end
  local result = pack(pcall(serves[op], target, unpack(args, 1, args.n)))
  if not result[1] then return raised(result[2]) end
  local out = { format("T%d:s1:ni%d;", result.n, result.n - 1) }
  for i = 1, result.n - 1 do
    local v = result[i + 1]
    out[#out + 1] = "i" .. i .. ";"
    local form
    for k in next, before do
      if rawequal(v, args[k]) then form = "A" .. k .. ";" end
    end
    out[#out + 1] = form or listed[op] and wire.list(v.n, v, hold) or encode(v)
  end
  local changed, n = {}, 0
  for k, was in next, before do
    -- What has got a class, or itself in it, is an object from now on.
    local now = wire.encode(args[k], open)
    if now ~= was then
      n = n + 1
      changed[n] = "i" .. k .. ";" .. now
    end
  end
  return "t" .. concat(out) .. format("T%d:", n) .. concat(changed)
end

local text
do
  local file = assert(io.open(main, "rb"))
  text = file:read("a")
  file:close()
end
text = text:gsub("^#[^\n]*", "")
local appended = { text, "\nreturn function(name)\n" }
for _, name in ipairs(names) do
  appended[#appended + 1] = ("if name == %q then return %s end\n"):format(name, name)
end
appended[#appended + 1] = "end\n"
package.path = home .. "lib/?.lua;./?.lua;" .. package.path
local chunk = load(concat(appended), "@" .. main, "t")
if chunk then
  export = chunk(unpack(arguments))
else
  -- It ends with a return of its own: it is a module.
  chunk = assert(load(text, "@" .. main, "t"))
  module = chunk(unpack(arguments))
  export = function(name)
    local v = _G[name]
    if v == nil and type(module) == "table" then v = module[name] end
    return v
  end
end
io.stdout:flush()
peer = wire.peer(io.stdin, link, function(m)
  local answer = serve(m)
  io.stdout:flush()
  return answer
end)
peer.listen()
