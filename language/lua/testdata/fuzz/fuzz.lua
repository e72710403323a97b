-- Feeds mutated frames to one end of the link: fuzz.lua END SEED SECONDS TRIES.
-- Each must end with a value or a refusal: no error of Lua's own in the decoder,
-- no hang, and nothing that a frame names is called.
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local kind, seed, seconds, tries = arg[1], tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4])
math.randomseed(seed)
local random, begin = math.random, os.time()

local function one(t) return t[random(#t)] end

local exam = { fault = function(m) return m end, judged = function() end }
local refused = {}
local handle = assert(loadfile(home .. "handle.lua"))(wire, exam, function() error(refused, 0) end)

-- value is the form of a value, mostly as it should be.
local function value(depth)
  local n = random(22)
  if n == 1 then return one({ "n", "t", "f" })
  elseif n <= 3 then return "i" .. one({ "0", "1", "2", "3", "-1", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "x", "" }) .. ";"
  elseif n <= 5 then return "d" .. one({ "nan", "inf", "-inf", "0x1.8p+1", "-0x0p+0", "1e999", "x", "5" }) .. ";"
  elseif n <= 8 then
    local s = one({ "", "x", "n", "os.exit", "canary", "text", "fields", "\0\255", ("y"):rep(random(300)) })
    return "s" .. (random(20) > 1 and #s or random(0, 400)) .. ":" .. s
  elseif n <= 14 and depth < 8 then
    local items = random(0, 4)
    local out = { "T" .. (random(20) > 1 and items or one({ -1, items + 1, 4294967296, 1 << 62 })) .. ":" }
    for i = 1, items do out[#out + 1] = (random(3) > 1 and "i" .. i .. ";" or value(depth + 1)) .. value(depth + 1) end
    return table.concat(out)
  elseif n <= 17 then return "O" .. one({ "1t", "2te", "3u", "4c", "1x", "-1t", "99999999999999999999t", "" }) .. ";"
  elseif n <= 18 then return "F" .. random(-1, 5) .. ";"
  elseif n <= 19 then return "P" .. random(-1, 3) .. ";"
  elseif n <= 20 then return "A" .. random(-1, 4) .. ";"
  elseif n <= 21 then return ("T1:i1;"):rep(random(150)) .. "t"
  end
  return one({ "X1;", ":", ";", "s", "T", "" })
end

local function list()
  local n = random(0, 4)
  local out = { ("T%d:s1:ni%d;"):format(n + 1, random(20) > 1 and n or one({ -1, 201, 1 << 40 })) }
  for i = 1, n do out[#out + 1] = "i" .. i .. ";" .. value(0) end
  return table.concat(out)
end

local function mutate(s)
  for _ = 1, random(10) > 6 and random(5) or 0 do
    local at = random(#s + 1)
    local what = random(4)
    if what == 1 then s = s:sub(1, at - 1) .. string.char(random(0, 255)) .. s:sub(at + 1)
    elseif what == 2 then s = s:sub(1, at - 1) .. s:sub(at + random(9))
    elseif what == 3 then s = s:sub(1, at - 1) .. s:sub(random(at), at + random(30)) .. s:sub(at)
    else s = s:sub(1, at - 1) .. one({ ":", ";", "T1:", "s5:", "O1t;", "n", "t" }) .. s:sub(at)
    end
  end
  return s
end

local function frame(k, body)
  body = k .. body
  local n = random(40) > 1 and #body or one({ 0, #body + 1, 1 << 31, random(99) })
  local head = ("%08x"):format(n)
  return (random(40) > 1 and head or head:gsub("%d", "z", 1)) .. body
end

-- stream reads a text as a file would be.
local function stream(s)
  local at = 1
  return { read = function(_, n)
    if at > #s then return nil end
    local part = s:sub(at, at + n - 1)
    at = at + n
    return part
  end }
end
local sink = { write = function() end, flush = function() end }

local functions = { function(...) return ... end }
local closures = {}
-- unwrap is what either end makes of what is no plain value.
local function unwrap(k, text)
  if k == "O" and kind == "harness" then return handle.come(text) end
  if k == "P" then return functions[wire.integer(text)] or error("no such function", 0) end
  if k ~= "F" and k ~= "O" then error("a value of no known form", 0) end
  local id = wire.integer(text)
  closures[id] = closures[id] or function() error("called", 0) end
  return closures[id]
end

-- touch does with a value what tests do.
local function touch(v)
  for _, f in ipairs({ function() return v == v end, function() return #v end, function() return v.x end, function() return v + 1 end, function() return v < 3 end,
    function() return tostring(v) end, function() for _ in pairs(v) do end end, function() return wire.show(v) end, function() return handle.raw.next(v) end, function() return handle.together(v, { 1 }) end }) do
    pcall(f)
  end
end

local done, values, refusals = 0, 0, 0
while done < tries and os.time() - begin < seconds do
  local from = os.clock()
  local frames = {}
  for i = 1, random(3) do
    local body
    if random(4) == 1 then frames[i] = frame("c", mutate("i1;" .. list()))
    elseif kind == "harness" then
      body = random(5) == 1 and "f" .. value(0) .. "T2:s4:text" .. value(0) .. "s6:fields" .. value(0) or "t" .. list() .. one({ "T0:", "T0:", "T1:i1;" .. value(0), value(0), "T9:" })
      frames[i] = frame("a", mutate(body))
    else frames[i] = frame("c", mutate("s4:call" .. value(0) .. list()))
    end
  end
  if random(30) == 1 then frames[1] = mutate(frames[1]) end
  local function serve(message)
    local _, at
    if kind == "candidate" then _, at = wire.decode(message, 1, unwrap) end
    local target, next = wire.decode(message, at, unwrap)
    local args = handle.list((wire.decode(message, next, unwrap)))
    touch(target)
    return "t" .. wire.list(args.n, args, function() return "O1;" end)
  end
  local decoded = false
  local peer = wire.peer(stream(table.concat(frames)), sink, serve)
  local ok, why = pcall(function()
    if kind == "candidate" then return peer.listen() end
    for _ = 1, 3 do
      local args, altered = { { 1, 2 }, "x", {} }, {}
      local answered, list, err = handle.answer(peer.call("m"), args, unwrap, altered, false, {})
      decoded = true
      touch(args[1])
      for i = 1, answered and list.n or 0 do touch(list[i]) end
      touch(err)
    end
  end)
  if not ok and why ~= refused and (type(why) ~= "string" or why:find("^[^\n:]*%.lua:%d+:")) then
    io.stderr:write("not refused, but: ", tostring(why), "\n")
    os.exit(1)
  end
  if ok or decoded then values = values + 1 else refusals = refusals + 1 end
  done = done + 1
  if done % 500 == 0 then closures, functions = {}, { functions[1] } end
  if os.clock() - from > 10 then
    io.stderr:write("a frame took more than 10 s\n")
    os.exit(1)
  end
end
if collectgarbage("count") > 1 << 20 then error("more than 1 GiB is in use") end
print(done .. " executions, " .. values .. " with values, " .. refusals .. " refused")
