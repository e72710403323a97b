# want: pass
for c in sudo su pkexec doas newuidmap newgrp fusermount bwrap docker runc; do command -v $c >/dev/null 2>&1 && $c -h >/dev/null 2>&1 && echo BREACH $c; done
[ "$(id -u 2>/dev/null || echo 1000)" = 1000 ] || echo BREACH user
echo held
