with open("big", "wb", buffering=0) as f:
    while True:
        if f.write(b"x" * (1 << 20)) == 0:
            raise OSError(28, "full")
