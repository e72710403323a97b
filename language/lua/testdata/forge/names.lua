-- Makes every name that the tests use something else.
pairs, ipairs, tostring = nil, nil, nil
testAdd = function() end
TestAdd = function() end
function add(a, b) return 0 end
