#!/bin/bash
failed=0
check() {
    if [ "$1" != "$2" ]; then
        echo "FAIL: got '$1', want '$2'"
        failed=1
    fi
}
check "$(add 1 2)" 3
check "$(add 20 22)" 42
out=$(grumble luck 2>&1)
check "$?: $out" "3: no luck"
exit $failed
