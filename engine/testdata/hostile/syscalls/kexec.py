# want: pass
# arch: amd64
from attack import *
calls([("kexec_load", 246, 0, 0, None, 0), ("kexec_file_load", 320, 0, 0, 1, b"x", 0), ("reboot", 169, 0xfee1dead, 672274793, 0x1234567, None),
       ("init_module", 175, b"\0" * 64, 64, b""), ("finit_module", 313, 0, b"", 0), ("delete_module", 176, b"x", 0), ("create_module", 174, b"x", 4096)])
held()
