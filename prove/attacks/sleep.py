import time
while True:
    try:
        time.sleep(3600)
    except BaseException:
        pass
