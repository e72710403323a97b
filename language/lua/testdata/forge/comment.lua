-- Opens a comment that swallows what follows.
function add(a, b) return 0 end
--[[
