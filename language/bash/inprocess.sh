# Tests that need the program in their own process: inprocess.sh PROGRAM TEST…
# The program could reach everything here: what is reported resists accidents,
# not an attack.

exec {GLOVEBOX_REPORT}>&5 5>&-
IFS= read -r GLOVEBOX_NONCE <&3
exec 3<&-
GLOVEBOX_STATE=$(mktemp -d)
GLOVEBOX_TESTS=$2
. /opt/glovebox/bash/report.sh
GLOVEBOX_PROGRAM=$1
shift
GLOVEBOX_FILES=("$@")
set --
# Tests that name the program's file start or source it by themselves.
if ! grep -qE '(main|solution|script|program)\.(sh|bash)' -- "${GLOVEBOX_FILES[@]}" && ! grep -qF -- "$GLOVEBOX_PROGRAM" "${GLOVEBOX_FILES[@]}"; then
    . "/workspace/$GLOVEBOX_PROGRAM"
fi
glovebox.watch
for GLOVEBOX_TESTS in "${GLOVEBOX_FILES[@]}"; do
    BASH_ARGV0=/workspace/$GLOVEBOX_TESTS
    . "/workspace/$GLOVEBOX_TESTS"
    GLOVEBOX_TEST_STATUS=$?
    mapfile -t GLOVEBOX_NAMES < <(glovebox.functions "/workspace/$GLOVEBOX_TESTS")
    for GLOVEBOX_TEST in "${GLOVEBOX_NAMES[@]}"; do
        glovebox.settle
        GLOVEBOX_BEFORE=$GLOVEBOX_TOTAL
        "$GLOVEBOX_TEST"
        GLOVEBOX_TEST_STATUS=$?
        glovebox.tested
    done
    (exit "$GLOVEBOX_TEST_STATUS")
done
GLOVEBOX_TEST_STATUS=$?
GLOVEBOX_REACHED=1
(exit "$GLOVEBOX_TEST_STATUS")
