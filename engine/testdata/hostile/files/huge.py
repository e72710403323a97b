# Python ignores the signal, so the kernel leaves no word of it.
# want: disk_limit runtime_error
# limits: file_size=1MiB
f = open("big", "wb")
while True:
    f.write(b"x" * 65536)
