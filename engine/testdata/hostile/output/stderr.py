# want: output_limit
# limits: output=100KiB
import sys
while True:
    print("x" * 100, file=sys.stderr)
