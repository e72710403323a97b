-- Serves calls of a program's functions: candidate.lua MAIN NAME... -- ARGUMENT...
-- NAMEs are what the tests use. A local of the program's main chunk is seen
-- through a function that is appended to it.
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local main, names, arguments = wire.arguments(arg)
arg = arguments

local link = wire.output(4)
local pcall, type, pack, unpack = pcall, type, table.pack, table.unpack
local select, tostring, ipairs, concat = select, tostring, ipairs, table.concat

local objects, ids = {}, {}
local peer
local unwrap

local function wrap(v)
  local id = ids[v]
  if not id then
    id = #objects + 1
    objects[id], ids[v] = v, id
  end
  return (type(v) == "function" and "F" or "O") .. id .. ";"
end

local function encode(v) return wire.encode(v, wrap) end

-- list encodes several values.
local function list(n, values)
  local out = { "T", n .. ":" }
  out = { ("T%d:"):format(n + 1), "s1:n", "i" .. n .. ";" }
  for i = 1, n do
    out[#out + 1] = "i" .. i .. ";"
    out[#out + 1] = encode(values[i])
  end
  return concat(out)
end

function unwrap(kind, id)
  if kind == "O" or kind == "F" then return objects[id] end
  if kind ~= "P" then error("a value of no known form", 0) end
  return function(...)
    local n = select("#", ...)
    local got = peer.call("i" .. id .. ";" .. list(n, { ... }))
    local ok, at = wire.decode(got, 1, unwrap)
    local result = wire.decode(got, at, unwrap)
    if not ok then error(result, 0) end
    return unpack(result, 1, result.n)
  end
end

local export, module

local function serve(message)
  local op, target, args, at
  op, at = wire.decode(message, 1, unwrap)
  target, at = wire.decode(message, at, unwrap)
  args = wire.decode(message, at, unwrap)
  if op == "module" then return "t" .. list(1, { module }) .. "T0:" end
  if op == "name" then return "t" .. list(1, { export(target) }) .. "T0:" end
  local before = {}
  for i = 1, args.n do
    if type(args[i]) == "table" and wire.plain(args[i]) then before[i] = encode(args[i]) end
  end
  local result
  if op == "call" then result = pack(pcall(target, unpack(args, 1, args.n)))
  elseif op == "index" then result = pack(pcall(function() return target[args[1]] end))
  elseif op == "set" then result = pack(pcall(function() target[args[1]] = args[2] end))
  elseif op == "len" then result = pack(pcall(function() return #target end))
  else error("a call of no known kind", 0)
  end
  if not result[1] then return "f" .. encode(result[2]) end
  local values = { unpack(result, 2, result.n) }
  for i = 1, result.n - 1 do
    for k in next, before do
      if rawequal(values[i], args[k]) then values[i] = setmetatable({}, { same = k }) end
    end
  end
  local out = { ("T%d:"):format(result.n), "s1:n", "i" .. result.n - 1 .. ";" }
  for i = 1, result.n - 1 do
    local mt = type(values[i]) == "table" and debug.getmetatable(values[i])
    out[#out + 1] = "i" .. i .. ";"
    out[#out + 1] = mt and rawget(mt, "same") and "A" .. mt.same .. ";" or encode(values[i])
  end
  local changed, n = {}, 0
  for k, was in next, before do
    local now = encode(args[k])
    if now ~= was then
      n = n + 1
      changed[n] = "i" .. k .. ";" .. now
    end
  end
  return "t" .. concat(out) .. ("T%d:"):format(n) .. concat(changed)
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
