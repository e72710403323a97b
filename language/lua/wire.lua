-- Carries calls between a program and its tests, which run in two processes
-- that do not trust each other. Plain values travel whole; what is not plain is
-- a number that stands for it. Either side may call the other while it waits for
-- an answer.
local wire = {}

local DEPTH, SIZE, CALLS = 100, 16 << 20, 150

-- Nothing here trusts a global after the program has started.
local type, next, rawget, error, tonumber, tostring = type, next, rawget, error, tonumber, tostring
local getmetatable = debug.getmetatable
local format, sub, find, concat, mathtype = string.format, string.sub, string.find, table.concat, math.type
local io, assert, ipairs, string = io, assert, ipairs, string

-- whole reports whether v has no metatable and no cycle, and whether each value
-- in it satisfies leaf.
local function whole(v, leaf, above, depth)
  if type(v) ~= "table" then return leaf(v) end
  if getmetatable(v) ~= nil or above[v] or depth > DEPTH - 2 then return false end
  above[v] = true
  for k, e in next, v do
    if not whole(k, leaf, above, depth + 1) or not whole(e, leaf, above, depth + 1) then return false end
  end
  above[v] = nil
  return true
end

local function scalar(v)
  local t = type(v)
  return t == "nil" or t == "boolean" or t == "number" or t == "string"
end
local function any() return true end

-- plain reports whether v is only values: no function, metatable or cycle.
function wire.plain(v) return whole(v, scalar, {}, 0) end
-- shaped reports whether v is a table of values, whatever they are.
function wire.shaped(v) return type(v) == "table" and whole(v, any, {}, 0) end

-- encode appends v to out. hold(v, inside) is the form of what does not travel
-- whole, or nil.
local function encode(v, out, hold, inside)
  local t = type(v)
  if t == "nil" then out[#out + 1] = "n"
  elseif t == "boolean" then out[#out + 1] = v and "t" or "f"
  elseif t == "string" then out[#out + 1] = format("s%d:", #v); out[#out + 1] = v
  elseif t == "number" then
    if mathtype(v) == "integer" then out[#out + 1] = format("i%d;", v)
    elseif v ~= v then out[#out + 1] = "dnan;"
    elseif v == 1 / 0 then out[#out + 1] = "dinf;"
    elseif v == -1 / 0 then out[#out + 1] = "d-inf;"
    else out[#out + 1] = format("d%a;", v)
    end
  else
    local held = hold(v, inside)
    if held then
      out[#out + 1] = held
    else
      local n = 0
      for _ in next, v do n = n + 1 end
      out[#out + 1] = format("T%d:", n)
      for k, e in next, v do
        encode(k, out, hold, true)
        encode(e, out, hold, true)
      end
    end
  end
end

function wire.encode(v, hold, inside)
  local out = {}
  encode(v, out, hold, inside)
  return concat(out)
end

-- list encodes n values as a table that has their number.
function wire.list(n, values, hold, inside)
  local out = { format("T%d:s1:ni%d;", n + 1, n) }
  for i = 1, n do
    out[#out + 1] = "i" .. i .. ";"
    encode(values[i], out, hold, inside)
  end
  return concat(out)
end

local words = { n = { nil }, t = { true }, f = { false } }

local function integer(text)
  local n = #text <= 20 and find(text, "^-?%d+$") and tonumber(text)
  return mathtype(n) == "integer" and n or error("a number is wrong", 0)
end

-- decode reads one value of s from at on; it returns it and what follows. Within a
-- plain table is nothing that could be called: below a depth of free, only plain
-- values are.
local function decode(s, at, unwrap, depth, free)
  if depth > DEPTH then error("a value is too deep", 0) end
  local kind = sub(s, at, at)
  if words[kind] then return words[kind][1], at + 1 end
  local last = find(s, "[:;]", at + 1)
  if not last or last - at > 40 then error("a value is cut", 0) end
  local text = sub(s, at + 1, last - 1)
  if kind == "s" then
    local n = integer(text)
    if n < 0 or n > #s - last then error("a string is cut", 0) end
    return sub(s, last + 1, last + n), last + n + 1
  elseif kind == "i" then
    return integer(text), last + 1
  elseif kind == "d" then
    if text == "nan" then return 0 / 0, last + 1 end
    if text == "inf" then return 1 / 0, last + 1 end
    if text == "-inf" then return -1 / 0, last + 1 end
    local d = tonumber(text) or error("a number is wrong", 0)
    return mathtype(d) == "integer" and d + 0.0 or d, last + 1
  elseif kind == "T" then
    local n = integer(text)
    if n < 0 or n > #s then error("a table is cut", 0) end
    local t, key, value = {}, nil, nil
    at = last + 1
    for _ = 1, n do
      key, at = decode(s, at, unwrap, depth + 1, free)
      if string[key] and sub(s, at, at) == "F" then error("a table has the method " .. key .. " of texts", 0) end
      value, at = decode(s, at, unwrap, depth + 1, free)
      if key == nil or key ~= key then error("a key is wrong", 0) end
      t[key] = value
    end
    return t, at
  end
  if depth > free then error("a plain table holds what is not plain", 0) end
  return unwrap(kind, text), last + 1
end

function wire.decode(s, at, unwrap, free) return decode(s, at or 1, unwrap, 0, free or DEPTH) end
wire.integer = integer

-- peer is one end of the link. serve answers a call: it gets and gives an
-- encoded message.
function wire.peer(input, output, serve)
  local peer, depth = { calls = 0 }, 0

  local function send(kind, message)
    if #message >= SIZE then error("a message is too large", 0) end
    output:write(format("%08x%s", #message + 1, kind), message)
    output:flush()
  end

  local function receive()
    local head = input:read(8)
    if not head then return nil end
    local n = find(head, "^%x%x%x%x%x%x%x%x$") and tonumber(head, 16)
    if not n or n < 1 or n > SIZE then error("a message is wrong", 0) end
    local message = input:read(n)
    if not message or #message < n then return nil end
    return sub(message, 1, 1), sub(message, 2)
  end

  local function answer(message)
    depth = depth + 1
    if depth > CALLS then error("calls are too deep", 0) end
    send("a", serve(message))
    depth = depth - 1
  end

  function peer.call(message)
    peer.calls = peer.calls + 1
    send("c", message)
    while true do
      local kind, got = receive()
      if not kind then error("the other process ended", 0) end
      if kind == "a" then return got end
      if kind ~= "c" then error("a message is of no known kind", 0) end
      answer(got)
    end
  end

  function peer.listen()
    for kind, got in receive do
      if kind ~= "c" then error("an answer to no question", 0) end
      answer(got)
    end
  end

  return peer
end

-- arguments splits a driver's arguments: the main file, and n lists that a "--"
-- ends, or the end.
function wire.arguments(all, n)
  local lists = {}
  for i = 1, n do lists[i] = {} end
  local into = 1
  for i = 2, #all do
    if all[i] == "--" and into < n then into = into + 1
    else lists[into][#lists[into] + 1] = all[i]
    end
  end
  lists[n][0] = all[1]
  return all[1], lists
end

-- output opens a descriptor for writing.
function wire.output(fd)
  return assert(io.popen("exec cat >&" .. fd, "w"))
end

-- show writes a value for people.
function wire.show(v, depth)
  depth = depth or 0
  local t = type(v)
  if t == "string" then return format("%q", v) end
  if t == "number" or t == "boolean" or t == "nil" then return tostring(v) end
  if t ~= "table" or depth > 10 then return "<" .. t .. ">" end
  if getmetatable(v) ~= nil then return "<object>" end
  local out, list = {}, {}
  for i = 1, 100 do
    local e = rawget(v, i)
    if e == nil then break end
    out[i], list[i] = wire.show(e, depth + 1), true
  end
  for k, e in next, v do
    if not list[k] and #out < 200 then out[#out + 1] = "[" .. wire.show(k, depth + 1) .. "]=" .. wire.show(e, depth + 1) end
  end
  return "{" .. concat(out, ", ") .. "}"
end

return wire
