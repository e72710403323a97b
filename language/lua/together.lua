-- Runs a program and its tests in one process:
-- together.lua MAIN FRAMEWORK TEST... -- MODULE... -- ARGUMENT...
-- FRAMEWORK is the real one to run the tests with, or "none"; MODULEs are what
-- the tests have from others. The nonce shows that the tests ran to their end;
-- it does not stop a program that is out to find it.
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local exam = dofile(home .. "exam.lua")
exam.nonce = io.stdin:read("l") or ""
local main, lists = wire.arguments(arg, 3)
local tests, modules, arguments = lists[1], lists[2], lists[3]
local framework = table.remove(tests, 1)
arg = arguments
package.path = home .. "lib/?.lua;./?.lua;" .. package.path
local share = home .. "share/?.lua;" .. home .. "share/?/init.lua"
package.cpath = home .. "share/?.so;" .. package.cpath
if framework == "none" then package.path = package.path .. ";" .. share
else package.path = share .. ";" .. package.path
end
-- A tree's tests find it where they usually do.
if main:find("^%.glovebox/") then package.path = package.path .. ";./?/init.lua;./src/?.lua;./lib/?.lua;./src/?/init.lua;./lib/?/init.lua;./tests/?.lua;./test/?.lua;./spec/?.lua" end
for _, name in ipairs(modules) do
  local other = name:find("^%?")
  name = name:gsub("^%?", "")
  if not package.loaded[name] and not package.searchpath(name, package.path) and not package.searchpath(name, package.cpath) then
    if other then
      exam.unrunnable("the tests need " .. name .. ", which is not here: the program's file is " .. main .. ", and tests may call it \"solution\"; to name it otherwise, name the file in the reply", name)
    end
    exam.unrunnable("the tests need the module " .. name .. ", which is not here", name)
  end
end

local function read(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read("a")
  file:close()
  return (text:gsub("^#[^\n]*", ""))
end

-- The tests must be Lua before the program starts.
local text = read(main)
local parts = {}
for i, name in ipairs(tests) do
  parts[i] = read(name)
  local fine, why = load(parts[i], "@" .. name, "t")
  if not fine then exam.unrunnable("the tests do not parse: " .. why) end
end

-- What the tests rely on must be after the program what it was before.
glovebox_exam = exam
local luaunit = require("luaunit")
glovebox_exam = nil
local frame = framework ~= "none" and assert(loadfile(home .. "real.lua"))(exam, framework, luaunit)
local watched = { _G = _G, string = string, table = table, math = math, os = os, debug = debug, luaunit = luaunit, LuaUnit = luaunit.LuaUnit }
if frame then
  for name, t in pairs(frame.watched) do watched[name] = t end
end
local before = {}
for name, t in pairs(watched) do
  before[name] = {}
  for k, v in next, t do before[name][k] = v end
end
local next, rawequal, rawget, type, pcall = next, rawequal, rawget, type, pcall
local strings = debug.getmetatable("")
local getmetatable = debug.getmetatable

local reached, origin, first, own = false, "@" .. main, nil, nil
local getinfo = debug.getinfo

local function ran() return luaunit.ran or frame and frame.ran end

-- done ends the tests, where the program that they loaded left the framework alone.
local function done()
  for name, t in next, watched do
    if name:find("^luaunit") or name == "LuaUnit" or frame and frame.watched[name] then
      for k, v in next, before[name] do
        if type(v) == "function" and not rawequal(rawget(t, k), v) then exam.broken("the program changes " .. name .. "." .. tostring(k) .. ", which the tests rely on") end
      end
    end
  end
  if frame then frame.finish() end
  exam.done()
end

-- finish is os.exit, once the tests have begun: only theirs is an end.
local function finish(code)
  local from = getinfo(2, "Sl")
  if not from or getinfo(1, "t").istailcall or from.source ~= origin or from.currentline < first then exam.broken("the program ended during the tests") end
  if ran() and exam.total == 0 then exam.empty() end
  exam.script(main, code ~= nil and code ~= 0 and code ~= true and exam.total == exam.passed, "the tests ended with exit " .. tostring(code))
  done()
end

-- It is called between the program and the tests.
local function check()
  for name, t in next, watched do
    for k, v in next, before[name] do
      if not rawequal(rawget(t, k), v) then exam.broken("the program changes " .. name .. "." .. tostring(k) .. ", which the tests rely on") end
    end
  end
  if not rawequal(getmetatable(""), strings) or not rawequal(rawget(strings, "__index"), string) or rawget(strings, "__eq") ~= nil
    or getmetatable(_G) or getmetatable(0) or getmetatable(nil) or getmetatable(true) or getmetatable(check) then
    exam.broken("the program changes what the tests rely on")
  end
  if package.loaded.luaunit ~= luaunit then exam.broken("the program replaces luaunit") end
  reached = true
  os.exit = finish
  exam.export(luaunit, own)
end

own = table.concat(parts, "\n") .. "\n"
exam.hidden = own:find("%f[%w_][Tt]est") or own:find("%f[%w_]it%s*%(") or own:find("%f[%w_]spec%s*%(")
first = select(2, text:gsub("\n", "\n")) + 3
local functions = framework ~= "busted" and exam.functions(own) or ""
local function compile(before, name)
  local whole = functions ~= "" and load(before .. own .. functions, name, "t")
  if whole then return whole end
  return load(before .. own, name, "t")
end
local chunk, err = compile(text .. "\n;__glovebox_check()\n", "@" .. main)
__glovebox_check = check
if chunk then
  if frame and frame.wrap then frame.wrap(chunk) end
else
  -- A program that ends with a return is a module: the tests run after it.
  local run, why = compile("", "@" .. tests[1])
  if not run then exam.unrunnable("the tests do not parse together: " .. why) end
  if frame and frame.wrap then frame.wrap(run) end
  local program = load(text, "@" .. main, "t")
  if not program then exam.broken("tests and program do not compile together: " .. err) end
  local package, pairs = package, pairs
  chunk = function(checked)
    local module = program()
    local stem = main:gsub("%.lua$", ""):gsub("/", ".")
    for _, name in ipairs({ stem, "./" .. stem, "solution", "main" }) do
      if not package.searchpath(name, home .. "lib/?.lua;" .. share) then package.loaded[name] = module == nil and true or module end
    end
    if type(module) == "table" then
      for k, v in pairs(module) do
        if type(k) == "string" and not k:find("^[Tt]est") and rawget(_G, k) == nil then _G[k] = v end
      end
    end
    checked()
    origin, first = "@" .. tests[1], 0
    return run()
  end
end
local ok
if frame and frame.run then ok, err = frame.run(main, chunk, check)
else ok, err = pcall(chunk, check)
end
if not reached then exam.broken("the program ended before the tests: " .. tostring(err)) end
if ok and functions ~= "" then exam.run(err) end
if not ok then exam.case(main, "error", { message = type(err) == "string" and err or wire.show(err) }) end
if ok and exam.total == 0 and not ran() and framework ~= "busted" then
  if frame then frame.pending() elseif luaunit.pending() then luaunit.LuaUnit.run() end
end
if ok and ran() and exam.total == 0 then exam.empty() end
if ok then exam.script(main) end
done()
