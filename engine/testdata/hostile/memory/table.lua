-- want: memory_limit
-- limits: memory=96MiB
local x = {}
while true do x[#x + 1] = string.rep("x", 2^20) .. #x end
