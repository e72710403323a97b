# want: timeout
# limit: cpu
# limits: cpu=1s wall=60s
import re
re.match(r"(a+)+$", "a" * 64 + "b")
