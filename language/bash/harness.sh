# The harness's side of an exam: harness.sh ENTRY TEST…
# Runs the tests in a process that the candidate cannot reach. A function of the
# program is a function here that asks for a call.

exec {GLOVEBOX_IN}<&3 {GLOVEBOX_OUT}>&4 {GLOVEBOX_REPORT}>&5 3<&- 4>&- 5>&-
GLOVEBOX_PID=$$
GLOVEBOX_STATE=$(mktemp -d)
GLOVEBOX_NONCE=
GLOVEBOX_ENTRY=$1
GLOVEBOX_TESTS=$2
shift
GLOVEBOX_WORDS=" $(cat -- "$@" | tr -cs 'A-Za-z0-9_-' ' ') $GLOVEBOX_ENTRY "
export GLOVEBOX_IN GLOVEBOX_OUT GLOVEBOX_REPORT GLOVEBOX_PID GLOVEBOX_STATE GLOVEBOX_ENTRY GLOVEBOX_WORDS

. /opt/glovebox/bash/report.sh
. /opt/glovebox/bash/wire.sh

# A program that is only run as a script is never sourced.
if ! grep -qE '(^|[^[:alnum:]_])(ba)?sh +[^-]|\./[[:alnum:]_.-]+\.(sh|bash)' -- "$@" || grep -qE '(^|[;&|[:space:]])(\.|source) +' -- "$@"; then
    glovebox.stubs
fi
if [[ -n $GLOVEBOX_ENTRY ]] && ! type candidate >/dev/null 2>&1; then
    candidate() { glovebox.call call "$GLOVEBOX_ENTRY" "$@"; }
fi
GLOVEBOX_FILES=("$@")
set --
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
