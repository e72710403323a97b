-- Prints what the parser says of a program, as an event.
local file = arg[1]
local chunk, message = loadfile(file, "t")
if chunk then
  print('{"type":"checked"}')
  os.exit(0)
end
io.stderr:write("lua: ", message, "\n")
local where, line, what = message:match("^(.-):(%d+): (.*)$")
local function quoted(s)
  return '"' .. s:sub(1, 500):gsub('[%z\1-\31\\"\127-\255]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end
print(('{"type":"syntax","syntax":{"file":%s,"line":%d,"message":%s}}'):format(quoted(where or file), tonumber(line) or 0, quoted(what or message)))
os.exit(1)
