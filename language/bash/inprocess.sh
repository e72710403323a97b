# Tests that need the program in their own process: inprocess.sh DRIVER LOAD
# PROGRAM TEST… The program could reach everything here: what is reported resists
# accidents, not an attack. LOAD is named, where the tests start or source the
# program by themselves.

exec {GLOVEBOX_REPORT}>&5 5>&-
IFS= read -r GLOVEBOX_NONCE <&3
exec 3<&-
GLOVEBOX_PID=$$
GLOVEBOX_STATE=$(mktemp -d)
GLOVEBOX_DRIVER=$1
GLOVEBOX_LOAD=$2
GLOVEBOX_PROGRAM=$3
GLOVEBOX_TESTS=$4
. /opt/glovebox/bash/report.sh
shift 3
GLOVEBOX_FILES=("$@")
set --
glovebox.parsed "${GLOVEBOX_FILES[@]}"
[[ $GLOVEBOX_LOAD == named ]] || case $GLOVEBOX_DRIVER in
script) . "/workspace/$GLOVEBOX_PROGRAM" ;;
*) export BASH_ENV=/workspace/$GLOVEBOX_PROGRAM ;;
esac
. "/opt/glovebox/bash/$GLOVEBOX_DRIVER.sh"
