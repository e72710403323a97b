# want: timeout
# limit: wall
# limits: wall=1s
mkfifo f
cat f
