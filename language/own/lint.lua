-- Checks Lua files without running them: see lint.py for what is printed.
local found, checked = 0, 0
for _, file in ipairs(arg) do
  if file:match("%.lua$") and io.open(file) then
    checked = checked + 1
    local chunk, message = loadfile(file, "t")
    if not chunk then
      found = found + 1
      local line, what = message:match(":(%d+): (.*)$")
      print(("%s:%s:1: %s"):format(file, line or "1", (what or message):gsub("%s+", " ")))
    end
  end
end
if checked == 0 then
  io.stderr:write("no file of Lua is among those to check\n")
  os.exit(3)
end
os.exit(found > 0 and 1 or 0)
