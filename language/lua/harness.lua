-- Runs the tests of a program that is in another process:
-- harness.lua MAIN -- NAME... -- TEST...
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local exam = dofile(home .. "exam.lua")
local link = wire.output(4)
package.path = home .. "lib/?.lua"
glovebox_exam = exam

local main, names, tests = arg[1], {}, {}
do
  local into = nil
  for i = 2, #arg do
    if arg[i] == "--" then into = into and tests or names
    else into[#into + 1] = arg[i]
    end
  end
end
arg = { [0] = main }

local calls, functions, ids = 0, {}, setmetatable({}, { __mode = "k" })
local remotes, peer = {}, nil
-- named are the objects that came from what the tests name. Any other that
-- answers true to whatever it is asked for would be its own judge.
local named = setmetatable({}, { __mode = "k" })
local ask

local function wrap(v)
  if ids[v] then return "O" .. ids[v] .. ";" end
  if type(v) ~= "function" then exam.broken("a " .. type(v) .. " that is not plain cannot be carried to the program") end
  functions[#functions + 1] = v
  return "P" .. #functions .. ";"
end

local function unwrap(kind, id)
  if kind == "A" then return { same = id, [wire] = true } end
  if kind ~= "O" and kind ~= "F" or math.type(id) ~= "integer" then error("a value of no known form", 0) end
  local v = remotes[id]
  if v then return v end
  if kind == "F" then
    v = function(...) return ask("call", id, ...) end
  else
    -- No operator travels: what the tests compare is never the program's word.
    v = setmetatable({}, {
      __index = function(self, k)
        local e = ask("index", id, k)
        if e == true and not named[self] then error("an object of the program's, where the tests expect data", 2) end
        return e
      end,
      __newindex = function(_, k, e) ask("set", id, k, e) end,
      __call = function(_, ...) return ask("call", id, ...) end,
      __len = function() return (ask("len", id)) end,
      __name = "object of the program",
    })
  end
  remotes[id], ids[v] = v, id
  return v
end

local function list(n, values)
  local out = { ("T%d:"):format(n + 1), "s1:n", "i" .. n .. ";" }
  for i = 1, n do
    out[#out + 1] = "i" .. i .. ";"
    out[#out + 1] = wire.encode(values[i], wrap)
  end
  return table.concat(out)
end

-- guard does f; what goes wrong on the link ends the tests: a pcall in them
-- cannot make it unseen.
local function guard(what, f)
  local result = table.pack(pcall(f))
  if result[1] then return table.unpack(result, 2, result.n) end
  local why = tostring(result[2])
  if why:find("process ended", 1, true) then exam.broken("the program's process ended during " .. what) end
  exam.broken("calling " .. what .. ": " .. why)
end

local called = {}

function ask(op, target, ...)
  local n, args = select("#", ...), { ... }
  local id = op == "name" and wire.encode(target, wrap) or target and "O" .. target .. ";" or "n"
  local what = called[target] or op
  if op ~= "name" and op ~= "module" then calls = calls + 1 end
  local ok, values, err = guard(what, function()
    local got = peer.call(("s%d:%s"):format(#op, op) .. id .. list(n, args))
    local ok, at = wire.decode(got, 1, unwrap)
    local values
    values, at = wire.decode(got, at, unwrap)
    if ok ~= true then return false, nil, values end
    if type(values) ~= "table" or math.type(values.n) ~= "integer" or values.n < 0 or values.n > 200 then error("an answer is wrong", 0) end
    for i = 1, values.n do
      if type(values[i]) == "table" and rawget(values[i], wire) then values[i] = args[values[i].same] end
    end
    local count = tonumber(got:match("^T(%d+):", at)) or error("an answer is wrong", 0)
    at = got:find(":", at, true) + 1
    for _ = 1, count do
      local i, now
      i, at = wire.decode(got, at, unwrap)
      now, at = wire.decode(got, at, unwrap)
      local old = args[i]
      if type(old) ~= "table" or type(now) ~= "table" then error("an answer is wrong", 0) end
      for k in pairs(old) do old[k] = nil end
      for k, v in pairs(now) do old[k] = v end
    end
    return true, values
  end)
  if not ok then error(err, 0) end
  if type(target) == "number" and named[remotes[target]] then
    for i = 1, values.n do if ids[values[i]] then named[values[i]] = true end end
  end
  return table.unpack(values, 1, values.n)
end

-- serve runs a function of the tests' for the program.
local function serve(message)
  local id, at = wire.decode(message, 1, unwrap)
  local args = wire.decode(message, at, unwrap)
  local f = functions[id] or error("no such function", 0)
  local result = table.pack(pcall(f, table.unpack(args, 1, args.n)))
  if result[1] then return "t" .. list(result.n - 1, { table.unpack(result, 2, result.n) }) end
  -- The program cannot make a failed assertion unseen.
  glovebox_swallowed = glovebox_swallowed or result[2]
  return "f" .. wire.encode(wire.plain(result[2]) and result[2] or tostring(result[2]), wrap)
end

peer = wire.peer(io.stdin, link, serve)

for _, name in ipairs(names) do
  if rawget(_G, name) == nil then
    local v = ask("name", name)
    if ids[v] then called[ids[v]] = name end
    if type(v) == "table" then named[v] = true end
    rawset(_G, name, v)
  end
end
local module = main:gsub("%.lua$", ""):gsub("/", ".")
for _, name in ipairs({ module, "solution", "main" }) do
  -- What the tests have from elsewhere is never the program's to give.
  if not package.loaded[name] and not package.searchpath(name, package.path) then
    package.preload[name] = function()
      local v = ask("module")
      return v == nil and true or v
    end
  end
end

local current
os.exit = function(code)
  if code == true or code == nil then code = 0 elseif code == false then code = 1 end
  if current then
    if glovebox_luaunit and glovebox_luaunit.ran and exam.total == 0 then exam.broken("the tests are empty") end
    exam.script(current, code ~= 0 and exam.total == exam.passed, "exit status " .. tostring(code))
  end
  exam.done(nil, calls)
end

for _, name in ipairs(tests) do
  current = name
  local before = exam.total
  local file = assert(io.open(name, "rb"))
  local text = file:read("a"):gsub("^#[^\n]*", "")
  file:close()
  local chunk, why = load(text, "@" .. name, "t")
  if not chunk then exam.broken("the tests do not parse: " .. why) end
  local functions = exam.functions(text)
  local whole = functions ~= "" and load(text .. functions, "@" .. name, "t")
  local ok, err = xpcall(whole or chunk, function(e) return type(e) == "table" and e or tostring(e) end)
  if ok and whole then
    exam.run(err)
  elseif not ok then
    exam.case(name, "error", { message = type(err) == "table" and (err.message or wire.show(err)) or err })
  elseif exam.total == before then
    if glovebox_luaunit and glovebox_luaunit.ran then exam.broken("the tests are empty")
    elseif glovebox_luaunit and glovebox_luaunit.pending() then glovebox_luaunit.LuaUnit.run()
    else exam.case(name, glovebox_swallowed and "failed" or "passed", { message = glovebox_swallowed })
    end
  end
end
current = nil
exam.done(nil, calls)
