held = []
while True:
    held.append(bytearray(8 << 20))
