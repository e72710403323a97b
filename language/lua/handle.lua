-- Stands in the tests for the objects of a program in another process. What may
-- be asked of one, and what that is worth, is said in docs/harness-protocol.md:
-- an object that the tests' own text constructed ("made") may judge for itself,
-- which its case says; any other may not.
--
-- A handle is a table that holds nothing. Lua's raw functions would see that,
-- so the tests have others that ask.
local wire, exam, ask = ...
-- turn counts what may change an object of the program.
local handle = { turn = 0 }
local type, next, error, select, tostring, mathtype = type, next, error, select, tostring, math.type
local string, getmetatable = string, debug.getmetatable
local rawget, rawset, rawlen, rawequal, setmetatable, pack, unpack = rawget, rawset, rawlen, rawequal, setmetatable, table.pack, table.unpack

-- known says of each handle its id, its kind, whether it was made, and whether
-- its class compares; all of that was fixed when it came.
local known = setmetatable({}, { __mode = "k" })
local results, made = {}, {}
local snapshots = setmetatable({}, { __mode = "k" })

-- constructed are the plain tables that constructions of the tests gave.
local constructed = setmetatable({}, { __mode = "k" })

local kinds = { t = "table", u = "userdata", c = "thread" }

-- fail fails the test, whatever catches the error.
local function fail(message) error(exam.fault(message), 0) end
handle.fail = fail

local function describe(v)
  if known[v] then return "an object of the program" end
  return wire.show(v)
end

-- judge allows the program to judge where one of the two was made.
local function judge(what, a, b)
  if known[a] and known[a].made or known[b] and known[b].made then return exam.judged() end
  fail(what .. " of " .. describe(a) .. " and " .. describe(b) .. ": the program returned an object, which cannot judge for itself. Return plain data, or compare its fields")
end

local function same(a, b)
  return known[a] and known[b] and known[a].id == known[b].id or false
end

-- becomes makes a handle of a result a made one.
local function becomes(v, ...)
  local k = known[v]
  if not k then
    if type(v) == "table" then constructed[v] = true end
    return v, ...
  end
  local twin = made[k.id]
  if not twin then
    twin = setmetatable({}, handle.meta)
    made[k.id] = twin
    known[twin] = { id = k.id, kind = k.kind, eq = k.eq, made = true }
  end
  return twin, ...
end
handle.made = becomes

-- operator asks for the result of an operator.
local function operator(name)
  return function(a, b)
    if name:find("^unary") then b = nil end
    judge("the operator " .. name, a, b)
    return (becomes(ask("operator", nil, name, a, b)))
  end
end

local function order(name)
  return function(a, b)
    judge("the comparison " .. name, a, b)
    return (ask("operator", nil, name, a, b)) and true or false
  end
end

-- equal is what == says of two values of which one is a handle.
local function equal(a, b)
  local ka, kb = known[a], known[b]
  if same(a, b) then
    if ka.made or kb.made then exam.judged() end
    return true
  end
  if not (ka and ka.eq or kb and kb.eq) then
    -- Without a comparison of its own, an object is itself alone.
    if ka and kb and (ka.made or kb.made) then exam.judged() end
    return false
  end
  judge("the comparison ==", a, b)
  return (ask("operator", nil, "==", a, b)) and true or false
end
handle.equal = equal

-- noted keeps what a result says of its length (length), of what it has (keys) and
-- of a first element that it lacks (absent), until something may change it. What
-- contradicts itself is no list, and the tests would look at none of it.
local function noted(k, what, value)
  if k.made then return end
  if k.turn ~= handle.turn then k.turn, k.length, k.keys, k.absent = handle.turn, nil, nil, nil end
  local n = what == "length" and value or k.length
  if k[what] == nil then k[what] = value elseif what == "length" and k.length ~= n then n = -1 end
  if mathtype(n) ~= "integer" or n == 0 then return end
  local bad = n < 0 or n > 1 << 21 or k.absent and k.absent <= n
  for i = 1, not bad and k.keys and n or 0 do bad = bad or not k.keys[i] end
  if bad then fail("an object of the program has another length than elements") end
end

-- searches are the methods of texts that nothing else has, judging those that others
-- may have, too: of them the tests' text decides, once it calls methods that no text has.
local searches = { find = true, match = true, gmatch = true, gsub = true, upper = true, lower = true }
local judging = { sub = true, byte = true, len = true, rep = true, reverse = true, format = true }
function handle.reads(text)
  for name in text:gmatch(":%s*([%a_][%w_]*)%s*[%(\"'{%[]") do
    if not string[name] then judging = {} end
  end
end

-- member is a field of a result. The methods of texts cannot decide there: who calls
-- them, and nothing that texts do not have, expects a text.
local function member(h, key)
  local k = known[h]
  local v = ask("index", k.id, key)
  if k.made then return v end
  if v == nil and mathtype(key) == "integer" and key > 0 then noted(k, "absent", key) end
  if v ~= nil and type(v) ~= "function" and k.turn == handle.turn and k.keys and not k.keys[key] then
    fail("an object of the program has a field that its own iteration does not give")
  end
  if type(key) ~= "string" then return v end
  if not string[key] then k.object = true end
  if k.object or type(v) ~= "function" or not searches[key] and not judging[key] then return v end
  return function(self, what, ...)
    if self == h and (what == nil or type(what) == "string" or mathtype(what)) then fail("the program gave an object where the tests expect a text: its own " .. key .. " cannot decide") end
    return v(self, what, ...)
  end
end

local function text(h)
  local v = known[h].text or ask("text", known[h].id)
  if type(v) ~= "string" then fail("an object of the program has no text") end
  return v
end

local function iterate(list)
  if type(list) ~= "table" or known[list] or mathtype(list.n) ~= "integer" or list.n < 0 or list.n > 1 << 21 then
    fail("the program's answer to an iteration is wrong")
  end
  local i = -1
  return function()
    i = i + 2
    if i < list.n then return list[i], list[i + 1] end
  end
end

handle.meta = {
  __index = function(h, key)
    local k = known[h]
    if k.fields and type(key) == "string" and k.fields[key] ~= nil then return k.fields[key] end
    return (member(h, key))
  end,
  __newindex = function(h, key, value) ask("set", known[h].id, key, value) end,
  __call = function(h, ...) return ask("call", known[h].id, ...) end,
  __len = function(h)
    local n = ask("len", known[h].id)
    noted(known[h], "length", n)
    return n
  end,
  __tostring = text,
  __pairs = function(h)
    local list, keys = ask("pairs", known[h].id), {}
    for key in iterate(list) do
      if key ~= nil and key == key then keys[key] = true end
    end
    noted(known[h], "keys", keys)
    return iterate(list)
  end,
  __close = function(h, err) ask("close", known[h].id, err) end,
  __eq = equal,
  __lt = order("<"),
  __le = order("<="),
  __add = operator("+"),
  __sub = operator("-"),
  __mul = operator("*"),
  __div = operator("/"),
  __idiv = operator("//"),
  __mod = operator("%"),
  __pow = operator("^"),
  __concat = operator(".."),
  __band = operator("&"),
  __bor = operator("|"),
  __bxor = operator("~"),
  __shl = operator("<<"),
  __shr = operator(">>"),
  __unm = operator("unary -"),
  __bnot = operator("unary ~"),
  __name = "object of the program",
  __metatable = "object of the program",
}

-- come makes the handle of what came over the link as "12te".
function handle.come(form)
  local digits, kind, eq = form:match("^(%d+)([tuc])(e?)$")
  if not digits then error("a value of no known form", 0) end
  local id = wire.integer(digits)
  local h = results[id]
  if not h then
    h = setmetatable({}, handle.meta)
    results[id] = h
    known[h] = { id = id, kind = kinds[kind], eq = eq == "e" }
  end
  return h
end

-- becomes makes a table of the tests the handle of what the program made of it:
-- an object with a class, or with itself in it.
function handle.becomes(t, h)
  local k = known[h]
  known[t] = { id = k.id, kind = "table", eq = k.eq }
  setmetatable(t, handle.meta)
end

-- carried is what an error object of the program carried when it was raised.
function handle.carried(h, carried)
  local k = known[h]
  if k and type(carried) == "table" and not known[carried] then
    k.text = type(carried.text) == "string" and carried.text or nil
    k.fields = type(carried.fields) == "table" and not known[carried.fields] and carried.fields or nil
  end
end

-- MOST bounds what a call gives or is given.
local MOST = 200

-- list is a list of values that came, as it should be.
function handle.list(v)
  if type(v) ~= "table" or known[v] or mathtype(v.n) ~= "integer" or v.n < 0 or v.n > MOST then error("a list is wrong", 0) end
  return v
end

-- copy is a plain table of the tests, and what is in it, made anew.
local function copy(v)
  if type(v) ~= "table" or known[v] or getmetatable(v) ~= nil then return v end
  local all = {}
  for k, e in next, v do all[k] = copy(e) end
  return all
end

-- answer reads what came of a call with args: whether it is an answer, its values
-- or its error. Tables of args that the call changed are changed, and noted in
-- altered. An answer that is listed is one list, of which each element may be an
-- object.
-- A table that is lent stays as it is: the answer has what came of it, as a copy.
function handle.answer(got, args, unwrap, altered, listed, lent)
  local now_of, settled = {}, {}
  local function answered(kind, text)
    if kind ~= "A" then return unwrap(kind, text) end
    local v = args[wire.integer(text)]
    if type(v) ~= "table" then error("an answer is wrong", 0) end
    if lent[v] then
      now_of[v] = now_of[v] or {}
      return now_of[v]
    end
    return v
  end
  local ok, at = wire.decode(got, 1, unwrap)
  local values
  values, at = wire.decode(got, at, answered, ok ~= true and 0 or listed and 2 or 1)
  if ok ~= true then
    handle.carried(values, (wire.decode(got, at, unwrap, 0)))
    return false, nil, values
  end
  handle.list(values)
  local count = wire.integer(got:match("^T(%d+):", at) or "")
  at = got:find(":", at, true) + 1
  for _ = 1, count do
    local i, now
    i, at = wire.decode(got, at, unwrap)
    now, at = wire.decode(got, at, unwrap)
    local old = args[i]
    if type(old) ~= "table" or known[old] or type(now) ~= "table" then error("an answer is wrong", 0) end
    if lent[old] then
      now_of[old] = now_of[old] or {}
      old, settled[now_of[old]] = now_of[old], true
    else altered[old] = true
    end
    for k in next, old do old[k] = nil end
    if known[now] then handle.becomes(old, now)
    else
      for k, v in next, now do old[k] = v end
    end
  end
  -- What did not change comes back as a copy, too.
  for v, copied in next, now_of do
    for k, e in next, settled[copied] and {} or v do copied[k] = copy(e) end
  end
  return true, values
end

-- text is what an error object said of itself when it was raised, or nil.
function exam.text(v) return known[v] and (known[v].text or "an object of the program") or nil end

function handle.id(v) return known[v] and known[v].id end
function handle.is(v) return known[v] ~= nil end

-- together says of two values that an assertion compares by their contents
-- whether it may: two objects of the program only where one was made. Whether
-- two constructions give tables or objects is the program's choice, and changes
-- nothing.
function handle.together(a, b)
  if constructed[a] and (constructed[b] or known[b]) or constructed[b] and known[a] then exam.judged() end
  if known[a] and known[b] and not same(a, b) then judge("a comparison by content", a, b) end
end

-- fields asks for an object's own fields, as they are now.
local function fields(h)
  local list = ask("fields", known[h].id)
  local keys, values, after = {}, {}, {}
  for k, v in iterate(list) do
    if k == nil or k ~= k then fail("the program's answer to an iteration is wrong") end
    keys[#keys + 1], values[#keys + 1] = k, v
  end
  for i, k in next, keys do after[k] = i + 1 end
  return { keys = keys, values = values, after = after }
end

-- raw are the functions that see past metatables: these ask the program.
handle.raw = {
  type = function(...)
    local k = select("#", ...) > 0 and known[(...)]
    if k then return k.kind end
    return type(...)
  end,
  next = function(t, key)
    if not known[t] then return next(t, key) end
    if key == nil then snapshots[t] = fields(t) end
    local s = snapshots[t]
    local i = key == nil and 1 or s and s.after[key] or error("invalid key to 'next'", 2)
    return s.keys[i], s.values[i]
  end,
  rawget = function(t, key)
    if known[t] then return (ask("rawget", known[t].id, key)) end
    return rawget(t, key)
  end,
  rawset = function(t, key, value)
    if not known[t] then return rawset(t, key, value) end
    ask("rawset", known[t].id, key, value)
    return t
  end,
  rawlen = function(t)
    if known[t] then return (ask("rawlen", known[t].id)) end
    return rawlen(t)
  end,
  rawequal = function(a, b)
    if known[a] and known[b] then
      if known[a].made or known[b].made then exam.judged() end
      return same(a, b)
    end
    return rawequal(a, b)
  end,
}

return handle
