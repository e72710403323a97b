# The harness's side of an exam: harness.sh DRIVER SUPPLY ENTRY TEST…
# Runs the tests in a process that the candidate cannot reach. A function of the
# program is a function here that asks for a call. DRIVER is script, bats or
# shunit2. SUPPLY is -, where the tests only start the program; +; or the name of
# a tool that is the program's function.

exec {GLOVEBOX_IN}<&3 {GLOVEBOX_OUT}>&4 {GLOVEBOX_REPORT}>&5 3<&- 4>&- 5>&-
GLOVEBOX_PID=$$
GLOVEBOX_STATE=$(mktemp -d)
GLOVEBOX_NONCE=
GLOVEBOX_DRIVER=$1
GLOVEBOX_SUPPLY=$2
GLOVEBOX_ENTRY=$3
GLOVEBOX_TESTS=$4
shift 3
GLOVEBOX_WORDS=" $(cat -- "$@" | tr -cs 'A-Za-z0-9_:.-' ' ') $(cat -- "$@" | tr -cs 'A-Za-z0-9_' ' ') $GLOVEBOX_ENTRY "
GLOVEBOX_ABSENT=" $(</opt/glovebox/bash/absent) "
export GLOVEBOX_IN GLOVEBOX_OUT GLOVEBOX_REPORT GLOVEBOX_PID GLOVEBOX_STATE GLOVEBOX_NONCE GLOVEBOX_SUPPLY GLOVEBOX_ENTRY GLOVEBOX_WORDS GLOVEBOX_ABSENT GLOVEBOX_TESTS

. /opt/glovebox/bash/report.sh
. /opt/glovebox/bash/wire.sh
. /opt/glovebox/bash/guard.sh
glovebox.parsed "$@"

# A program that is only run as a script is never sourced.
[[ $GLOVEBOX_SUPPLY == - ]] || glovebox.stubs
if [[ -n $GLOVEBOX_ENTRY ]] && ! type candidate >/dev/null 2>&1; then
    candidate() { glovebox.call call "$GLOVEBOX_ENTRY" "$@"; }
fi
GLOVEBOX_FILES=("$@")
set --
. "/opt/glovebox/bash/$GLOVEBOX_DRIVER.sh"
