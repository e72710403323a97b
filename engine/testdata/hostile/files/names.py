# Names with line breaks, escapes, our marks, and what is not UTF-8.
# want: pass
# not: \x1b \x07 \x00
import os
from attack import held
for name in [b"new\nline", b"\x1b[2Jclear", b"\xff\xfe", b"..\\..\\etc", b"-rf", b"'; rm -rf ~", b"a" * 255, b"\xe2\x80\xaegnp.exe", b"<untrusted>", b" ", b"...", b'"quote"', b"$(id)", b"~", b"*", b"con.txt:stream"]:
    with open(name, "w") as f:
        f.write("x")
    os.mkdir(name + b"d" if len(name) < 200 else b"long")
held()
