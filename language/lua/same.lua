-- Compares values for our luaunit and our busted: by contents, without regard
-- to metatables. An object of the program is what an iteration of it gives,
-- which has crossed before anything is compared.
local handle = glovebox_handle
local M = {}
local type, next, pairs, rawequal, abs = type, next, pairs, rawequal, math.abs
local is = handle and handle.is or function() return false end
M.kind = handle and handle.raw.type or type
M.identical = handle and handle.raw.rawequal or rawequal
M.handle = is

local DEPTH = 100

-- contents is a table with what v holds: v itself, but for a handle. each says
-- how it is iterated.
local function contents(v, each)
  if not is(v) then return v end
  local all = {}
  for k, e in each(v) do
    if k ~= k then return all end
    all[k] = e
  end
  return all
end
M.contents = function(v) return contents(v, pairs) end

-- raw iterates as next does.
local step = handle and handle.raw.next or next
function M.raw(t) return step, t, nil end

-- equal compares; margin is for numbers, or nil.
function M.equal(a, b, each, margin, above, depth)
  each, depth = each or pairs, depth or 0
  local ta, tb = M.kind(a), M.kind(b)
  if ta ~= tb then return false end
  if ta == "number" and margin then return a == b or abs(a - b) <= margin end
  if ta ~= "table" then return a == b end
  if not is(a) and rawequal(a, b) then return true end
  if handle then handle.together(a, b) end
  if is(a) and is(b) and M.identical(a, b) then return true end
  if depth > DEPTH then return false end
  above = above or {}
  if above[a] == b then return true end
  above[a] = b
  local left, right = contents(a, each), contents(b, each)
  for k, v in next, left do
    if right[k] == nil or not M.equal(v, right[k], each, margin, above, depth + 1) then return false end
  end
  for k in next, right do
    if left[k] == nil then return false end
  end
  above[a] = nil
  return true
end

return M
