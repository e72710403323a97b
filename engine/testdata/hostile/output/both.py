# want: output_limit
# limits: output=100KiB
import os
while True:
    os.write(1, b"out\n" * 100)
    os.write(2, b"err\n" * 100)
