-- Runs a program and its tests as one chunk: together.lua MAIN TEST... -- ARGUMENT...
-- The nonce shows that the tests ran to their end; it does not stop a program
-- that is out to find it.
local home = "/opt/glovebox/lua/"
local wire = dofile(home .. "wire.lua")
local exam = dofile(home .. "exam.lua")
local nonce = io.stdin:read("l") or ""
local main, tests, arguments = wire.arguments(arg)
arg = arguments
package.path = home .. "lib/?.lua;./?.lua;" .. package.path
-- A tree's tests find it where they usually do.
if main:find("^%.glovebox/") then package.path = package.path .. ";./?/init.lua;./src/?.lua;./lib/?.lua;./src/?/init.lua;./lib/?/init.lua;./tests/?.lua;./test/?.lua;./spec/?.lua" end

-- What the tests rely on must be after the program what it was before.
glovebox_exam = exam
local luaunit = require("luaunit")
glovebox_exam = nil
local watched = { _G = _G, string = string, table = table, math = math, os = os, debug = debug, luaunit = luaunit, LuaUnit = luaunit.LuaUnit }
local before = {}
for name, t in pairs(watched) do
  before[name] = {}
  for k, v in next, t do before[name][k] = v end
end
local next, rawequal, rawget, type, pcall, exit = next, rawequal, rawget, type, pcall, os.exit
local strings = debug.getmetatable("")
local getmetatable = debug.getmetatable

local reached, origin, first = false, "@" .. main, nil
local getinfo = debug.getinfo

-- done ends the tests, where the program that they loaded left luaunit alone.
local function done()
  for name, t in next, { luaunit = luaunit, LuaUnit = luaunit.LuaUnit } do
    for k, v in next, before[name] do
      if type(v) == "function" and not rawequal(rawget(t, k), v) then exam.broken("the program changes " .. name .. "." .. tostring(k) .. ", which the tests rely on") end
    end
  end
  exam.done(nonce)
end

-- finish is os.exit, once the tests have begun: only theirs is an end.
local function finish(code)
  local from = getinfo(2, "Sl")
  if not from or from.source ~= origin or from.currentline < first then exam.broken("the program ended during the tests") end
  if luaunit.ran and exam.total == 0 then exam.broken("the tests are empty") end
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
end

local function read(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local text = read(main):gsub("^#[^\n]*", "")
local parts = { text, "\n;(...)()\n" }
first = select(2, text:gsub("\n", "\n")) + 3
for _, name in ipairs(tests) do parts[#parts + 1] = read(name) .. "\n" end
local own = table.concat(parts, "", 3)
local functions = exam.functions(own)
local function compile(before, name)
  local whole = functions ~= "" and load(before .. own .. functions, name, "t")
  if whole then return whole end
  return load(before .. own, name, "t")
end
local chunk, err = compile(parts[1] .. parts[2], "@" .. main)
if not chunk then
  -- A program that ends with a return is a module: the tests run after it.
  local run, why = compile("", "@" .. tests[1])
  if not run then exam.broken("the tests do not parse: " .. why) end
  local program = load(text, "@" .. main, "t")
  if not program then exam.broken("tests and program do not compile together: " .. err) end
  local package, pairs = package, pairs
  chunk = function(checked)
    local module = program()
    local stem = main:gsub("%.lua$", ""):gsub("/", ".")
    for _, name in ipairs({ stem, "solution", "main" }) do
      if not package.searchpath(name, home .. "lib/?.lua") then package.loaded[name] = module == nil and true or module end
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
ok, err = pcall(chunk, check)
if not reached then exam.broken("the program ended before the tests: " .. tostring(err)) end
if ok and functions ~= "" then exam.run(err) end
if not ok then exam.case(main, "error", { message = type(err) == "string" and err or wire.show(err) }) end
if ok and exam.total == 0 and not luaunit.ran and luaunit.pending() then luaunit.LuaUnit.run() end
if ok and luaunit.ran and exam.total == 0 then exam.broken("the tests are empty") end
if ok then exam.script(main) end
done()
