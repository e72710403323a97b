# want: output_limit
# limits: output=100KiB
while True:
    print("x" * 100)
