-- Runs tests with a framework of the host's, in the program's process. Each
-- test is reported as the framework sees it, and its own count must be ours.
local exam, framework, unit = ...
local M = { ran = false, watched = {} }
local next, tostring, pcall, setmetatable, require = next, tostring, pcall, setmetatable, require
local counted = { passed = 0, failed = 0, skipped = 0 }

-- case reports a test and counts it.
local function case(name, status, message)
  local kind = (status == "passed" or status == "skipped") and status or "failed"
  counted[kind] = counted[kind] + 1
  exam.case(name, status, message and { message = message } or nil)
end

if framework == "luaunit" then
  local LuaUnit, classes = unit.LuaUnit, unit.private
  exam.framework = "luaunit " .. tostring(unit.VERSION)
  M.watched = { ["luaunit.private"] = classes }
  -- What a program raises must not read as a success or a skip of luaunit's.
  local mark = (tostring({}):gsub("table: ", ""))
  for _, k in next, { "FAILURE_PREFIX", "SUCCESS_PREFIX", "SKIP_PREFIX" } do unit[k] = unit[k] .. mark .. ": " end
  local endTest, endSuite = LuaUnit.endTest, LuaUnit.endSuite
  local status = { SUCCESS = "passed", FAIL = "failed", ERROR = "error", SKIP = "skipped" }
  local own = { passed = 0, failed = 0, skipped = 0 }
  function LuaUnit:endTest()
    local node = self.result.currentNode
    case(node.testName, status[node.status] or "error", node.msg and tostring(node.msg))
    return endTest(self)
  end
  function LuaUnit:endSuite()
    endSuite(self)
    M.ran = true
    own.passed = own.passed + self.result.successCount
    own.failed = own.failed + self.result.notSuccessCount
    own.skipped = own.skipped + self.result.skippedCount
  end
  function M.pending()
    if #LuaUnit.collectTests() > 0 then LuaUnit.run() end
  end
  function M.finish()
    for k, n in next, own do
      if M.ran and n ~= counted[k] then exam.broken("luaunit counts other tests than were reported") end
    end
  end
  return M
end

-- busted: its core, without its command line.
local busted = require("busted.core")()
local api = require("busted")
api(busted)
exam.framework = "busted " .. tostring(busted.version)
local util, assertions = require("luassert.util"), require("luassert.assert")
M.watched = { ["luassert.util"] = util, busted = busted, ["luassert"] = assertions }
local outcome = {}
local own = { passed = 0, failed = 0, skipped = 0 }

local function path(element)
  local name, parent = tostring(element.name), busted.context.parent(element)
  while parent and parent.name and parent.descriptor ~= "file" do
    name, parent = tostring(parent.name) .. " " .. name, busted.context.parent(parent)
  end
  return name
end

local function note(element, _, message)
  if element.descriptor == "it" then
    outcome[element] = outcome[element] or tostring(message)
  else
    -- An error outside of a test.
    own.failed = own.failed + 1
    case(element.name and path(element) or tostring(element.descriptor), "error", tostring(message))
  end
  return nil, true
end

package.loaded["busted.runner"] = function() return function() end end
function M.finish()
  for k, n in next, own do
    if n ~= counted[k] then exam.broken("busted counts other tests than were reported") end
  end
end

-- wrap gives a chunk busted's words.
function M.wrap(chunk) busted.wrap(chunk) end

function M.run(name, chunk, check)
  busted.subscribe({ "error" }, note)
  busted.subscribe({ "failure" }, note)
  busted.subscribe({ "test", "end" }, function(element, _, status)
    local kind = status == "success" and "passed" or status == "pending" and "skipped" or "failed"
    own[kind] = own[kind] + 1
    case(path(element), kind == "failed" and status == "error" and "error" or kind, outcome[element])
    return nil, true
  end)
  local file = setmetatable({ getTrace = function(_, info) return info end }, { __call = function() return chunk(check) end })
  busted.executors.file(name, file)
  local fine, err = pcall(function()
    require("busted.execute")(busted)(1, {})
  end)
  M.ran = true
  if not fine then return false, err end
  return true
end

return M
