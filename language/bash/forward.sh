# Stands in the tests' box in the place of the program's file. Started, it runs
# the program in the other box; sourced, it brings its functions.

if [[ ${BASH_SOURCE[1]} == "$0" ]]; then
    . /opt/glovebox/bash/report.sh
    . /opt/glovebox/bash/wire.sh
    glovebox.call script "${0##*/}" "$@"
    exit
elif ! declare -F glovebox.call >/dev/null; then
    . /opt/glovebox/bash/report.sh
    . /opt/glovebox/bash/wire.sh
    glovebox.stubs
fi
