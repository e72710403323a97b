# Terminal escapes, bells, NULs, directional marks and what is not UTF-8.
# want: pass
# not: \x1b \x07 \x00 \u202e \u2066
import os
from attack import held
os.write(1, b"\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m \x9b31m\x00\xff\xfe \xe2\x80\xae\xe2\x81\xa6 \r\b\n")
os.write(2, b"\x1bP1$r\x1b\\\x1b]8;;http://evil\x07link\x1b]8;;\x07\n")
held()
