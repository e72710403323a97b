"use strict"; std.out.puts("hi "+scriptArgs+"\n"); std.out.flush(); std.exit(3)
