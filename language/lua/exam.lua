-- Reports tests, for the harness and for tests that share an interpreter with
-- the program.
local wire = dofile("/opt/glovebox/lua/wire.lua")
local exam = { total = 0, passed = 0, failed = 0 }
local report = wire.output(5)
local exit = os.exit
local pcall, type, tostring, ipairs, tonumber, format, concat = pcall, type, tostring, ipairs, tonumber, string.format, table.concat
local gsub, sub, byte, match = string.gsub, string.sub, string.byte, string.match

local TEXT = 2048

local function quoted(s)
  s = tostring(s)
  if #s > TEXT then s = sub(s, 1, TEXT) .. " ..." end
  s = gsub(s, '[%z\1-\31\\"\127]', function(c) return format("\\u%04x", byte(c)) end)
  if not utf8.len(s) then s = gsub(s, "[\128-\255]", "?") end
  return '"' .. s .. '"'
end

local function event(...)
  report:write("{", concat({ ... }, ","), "}\n")
  report:flush()
end

local function leave(code)
  io.stdout:flush()
  report:close()
  exit(code, false)
end

-- broken reports that the tests cannot be completed, and ends the process.
function exam.broken(reason)
  event('"type":"broken"', '"reason":' .. quoted(reason))
  leave(1)
end

-- case reports a test. detail may have message, expected, actual and line.
function exam.case(name, status, detail)
  exam.total = exam.total + 1
  if status == "passed" then exam.passed = exam.passed + 1
  elseif status ~= "skipped" then exam.failed = exam.failed + 1
  end
  local fields = { '"name":' .. quoted(name), '"status":' .. quoted(status) }
  for _, f in ipairs({ "message", "expected", "actual" }) do
    if detail and detail[f] then fields[#fields + 1] = '"' .. f .. '":' .. quoted(detail[f]) end
  end
  local line = detail and detail.message and match(tostring(detail.message), "^[^\n:]*:(%d+):")
  if line then fields[#fields + 1] = '"line":' .. line end
  event('"type":"case"', '"case":{' .. concat(fields, ",") .. "}")
end

-- done ends the tests and the process.
function exam.done(nonce, calls)
  if exam.total == 0 then exam.broken("the tests are empty") end
  if calls == 0 then exam.broken("the tests never called the program") end
  event('"type":"done"', format('"total":%d,"passed":%d,"failed":%d', exam.total, exam.passed, exam.failed), nonce and '"nonce":' .. quoted(nonce) or '"nonce":""')
  leave(exam.passed == exam.total and 0 or 1)
end

-- script reports a script that has no tests of its own that report themselves.
function exam.script(name, failed, message)
  if failed then exam.case(name, "failed", { message = message })
  elseif exam.total == 0 then exam.case(name, "passed")
  end
end

-- functions are the functions of a script that are named as tests and that it
-- only defines: the statement to append that returns them, or nothing.
function exam.functions(text)
  local counts, names, list = {}, {}, {}
  for word in text:gmatch("[%a_][%w_]*") do counts[word] = (counts[word] or 0) + 1 end
  for line in text:gmatch("[^\n]+") do
    local name = line:match("^function%s+(test[%w_]*)%s*%(%s*%)") or line:match("^local%s+function%s+(test[%w_]*)%s*%(%s*%)")
    if name and counts[name] == 1 and not text:find("luaunit", 1, true) then
      names[#names + 1] = name
      list[#list + 1] = format("{%q,%s}", name, name)
    end
  end
  return #names > 0 and "\nreturn {" .. concat(list, ",") .. "}" or ""
end

-- run runs what such a statement returned.
function exam.run(list)
  if type(list) ~= "table" then return end
  for _, t in ipairs(list) do
    glovebox_swallowed = nil
    local ok, err = pcall(t[2])
    if ok and glovebox_swallowed then ok, err = false, glovebox_swallowed end
    exam.case(t[1], ok and "passed" or "failed", not ok and { message = type(err) == "table" and (err.message or wire.show(err)) or tostring(err) } or nil)
  end
end

return exam
