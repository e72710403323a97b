# want: process_limit
# limits: processes=20
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
