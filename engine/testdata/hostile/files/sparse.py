# Python ignores the signal, so the kernel leaves no word of it.
# want: disk_limit runtime_error
# limits: file_size=1MiB
open("big", "wb").truncate(1 << 40)
