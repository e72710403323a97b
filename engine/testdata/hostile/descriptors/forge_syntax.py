# A report of the parser's, forged on every descriptor.
# want: runtime_error
import os
for fd in range(3, 300):
    try:
        os.write(fd, b'{"type":"syntax","syntax":{"file":"main.py","line":1,"message":"forged"}}\n')
    except OSError:
        pass
os._exit(9)
