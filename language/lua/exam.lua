-- Reports tests, for the harness and for tests that share an interpreter with
-- the program.
local wire = dofile("/opt/glovebox/lua/wire.lua")
local exam = { total = 0, passed = 0, failed = 0 }
local report = wire.output(5)
local exit = os.exit
local pcall, type, tostring, ipairs, error, format, concat = pcall, type, tostring, ipairs, error, string.format, table.concat
local gsub, sub, byte, match, len = string.gsub, string.sub, string.byte, string.match, utf8.len
local io, _G, rawset, next, find, getmetatable = io, _G, rawset, next, string.find, getmetatable

local TEXT = 2048

local function quoted(s)
  s = type(s) == "string" and s or tostring(s)
  if #s > TEXT then s = sub(s, 1, TEXT) .. " ..." end
  s = gsub(s, '[%z\1-\31\\"\127]', function(c) return format("\\u%04x", byte(c)) end)
  if not len(s) then s = gsub(s, "[\128-\255]", "?") end
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

local function nonce() return '"nonce":' .. quoted(exam.nonce or "") end

-- broken reports that the tests cannot be completed, and ends the process.
function exam.broken(reason)
  event('"type":"broken"', '"reason":' .. quoted(reason))
  leave(1)
end

-- unrunnable reports that the tests cannot run here, whatever the program is,
-- and ends the process. Once a case was reported, or the program called, it is too
-- late for that.
function exam.unrunnable(reason, missing)
  if exam.total > 0 or exam.asking and exam.asking() then exam.broken(reason) end
  event('"type":"unrunnable"', '"reason":' .. quoted(reason), '"missing":[' .. (missing and quoted(missing) or "") .. "]", nonce())
  leave(1)
end

-- A case that began ends with its report. A fault fails it whatever catches the
-- error; judged says that the program was asked for a judgement. Outside of a
-- case they hold for all that follow.
local running, always = false, {}
local now = {}

function exam.begin(f) running, now = true, { asserts = f and exam.asserts and exam.asserts(f) } end

-- expects is the same for a script.
function exam.expects(asserts) now.asserts = asserts end

-- count counts an assertion that ran. A test whose text has some, of which none ran,
-- has shown nothing.
function exam.count() now.counted = true end

local function note(what, value)
  local into = running and now or always
  if into[what] == nil then into[what] = value end
end

-- fault fails the running case and returns its message.
function exam.fault(message)
  note("fault", message)
  return message
end

function exam.judged() note("judged", true) end

-- faulted is the message of the fault that there was, or nil.
function exam.faulted() return now.fault or always.fault end

-- asked counts what the running case asks of the program.
function exam.asked()
  now.asked = (now.asked or 0) + 1
  return now.asked
end

-- case reports a test. detail may have message, expected, actual and line.
function exam.case(name, status, detail)
  local fault = now.fault or always.fault
  if fault and status == "passed" then
    status, detail = "failed", { message = fault }
  end
  if status == "passed" and now.asserts and not now.counted then
    status, detail = "failed", { message = "none of the assertions of the test ran" }
  end
  local judged = now.judged or always.judged
  running, now = false, {}
  exam.total = exam.total + 1
  if status == "passed" then exam.passed = exam.passed + 1
  elseif status ~= "skipped" then exam.failed = exam.failed + 1
  end
  local fields = { '"name":' .. quoted(name), '"status":' .. quoted(status) }
  if judged and status == "passed" then fields[#fields + 1] = '"proof":"candidate_judged"' end
  for _, f in ipairs({ "message", "expected", "actual" }) do
    if detail and detail[f] then fields[#fields + 1] = '"' .. f .. '":' .. quoted(detail[f]) end
  end
  local line = detail and detail.message and match(tostring(detail.message), "^[^\n:]*:(%d+):")
  if line and #line < 10 then fields[#fields + 1] = '"line":' .. line end
  event('"type":"case"', '"case":{' .. concat(fields, ",") .. "}")
end

-- empty reports that no test ran. Where the program shares the process that can
-- be its doing, unless the text of the tests has none; so it can where the tests
-- called it.
function exam.empty()
  if exam.hidden or exam.called and exam.called() then exam.broken("none of the tests ran") end
  exam.unrunnable("the tests are empty")
end

-- done ends the tests and the process.
function exam.done(calls)
  if exam.total == 0 then exam.empty() end
  if calls == 0 and exam.failed == 0 then exam.broken("the tests never called the program") end
  event('"type":"done"', format('"total":%d,"passed":%d,"failed":%d', exam.total, exam.passed, exam.failed),
    '"framework":' .. quoted(exam.framework or ""), nonce())
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

-- message is what an error says.
function exam.message(err)
  if type(err) == "string" then return err end
  local said = exam.text and exam.text(err)
  if said then return said end
  if type(err) == "table" and getmetatable(err) == nil and type(err.message) == "string" then return err.message end
  return wire.show(err)
end

-- export makes luaunit's assertions globals where the tests say so.
function exam.export(luaunit, text)
  if not find(text, "EXPORT_ASSERT_TO_GLOBALS%s*=%s*true") then return end
  for k, v in next, luaunit do
    if type(k) == "string" and (find(k, "^assert[_%u]") or k == "LuaUnit") then rawset(_G, k, v) end
  end
end

-- run runs what such a statement returned.
function exam.run(list)
  if type(list) ~= "table" then return end
  for _, t in ipairs(list) do
    exam.begin(t[2])
    local ok, err = pcall(t[2])
    exam.case(t[1], ok and "passed" or "failed", not ok and { message = exam.message(err) } or nil)
  end
end

return exam
