# want: pass
[ -z "$LD_PRELOAD$LD_LIBRARY_PATH$PYTHONPATH$NODE_OPTIONS$BASH_ENV" ] || echo BREACH
env | grep -i 'canary-' && echo BREACH
export LD_PRELOAD=/workspace/evil.so LD_AUDIT=/workspace/evil.so
cat /proc/self/environ >/dev/null 2>&1
echo held
