import os, time
made = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(3600)
        made += 1
    except OSError:
        if made > 1000:
            break
        raise
