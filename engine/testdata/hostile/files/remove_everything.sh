# want: pass runtime_error
rm -rf --no-preserve-root / 2>/dev/null
rm -rf /* ~ . 2>/dev/null
[ -d /usr ] && [ -d /etc ] || echo BREACH
echo held
