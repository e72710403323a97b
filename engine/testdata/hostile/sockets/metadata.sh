# want: pass
for host in 169.254.169.254 169.254.170.2 100.100.100.200; do
  (exec 3<>/dev/tcp/$host/80) 2>/dev/null && echo BREACH $host
done
echo held
