# want: pass
kill -9 1 $PPID 2>/dev/null
kill -STOP 1 $PPID 2>/dev/null
kill -9 -1 2>/dev/null
echo held
