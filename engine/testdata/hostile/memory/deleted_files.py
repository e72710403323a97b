# Files without a name.
# want: memory_limit
# limits: memory=96MiB disk=1GiB file_size=1GiB
import tempfile
keep = []
while True:
    f = tempfile.TemporaryFile()
    f.write(b"x" * (8 << 20))
    f.flush()
    keep.append(f)
