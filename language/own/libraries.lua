-- Prints the libraries that are here, a name a line.
print(_VERSION)
local names = {}
for name in pairs(package.loaded) do
  if name ~= "_G" then names[#names + 1] = name end
end
table.sort(names)
print("(built in) " .. table.concat(names, " "))
-- Lua cannot list a folder: what is asked for is what programs often use.
for _, name in ipairs { "lpeg", "cjson", "dkjson", "lfs", "luaunit", "socket", "penlight", "pl", "inspect", "re", "posix", "busted", "ssl", "yaml", "lyaml" } do
  local found = package.searchpath(name, package.path) or package.searchpath(name, package.cpath)
  if found then print(name .. " " .. found) end
end
