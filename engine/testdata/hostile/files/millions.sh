# want: disk_limit
# limits: files=500
set -e
i=0
while :; do : > /tmp/f$i; i=$((i+1)); done
