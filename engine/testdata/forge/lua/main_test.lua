lu = require('luaunit')
function testAdd()
  lu.assertEquals(add(2, 3), 5)
  lu.assertEquals(add(4, 4), 8)
end
os.exit(lu.LuaUnit.run())
