# Checks a Lua program, then starts it: run.sh MODE MAIN [ARG...]
# Lua has no way to use a descriptor but the standard three, so the shell wires
# them. The check is a process of its own, and the report is closed before the
# program starts.
home=/opt/glovebox/lua
mode=$1
main=$2
shift 2
case $mode in
harness) exec lua $home/harness.lua "$main" "$@" <&3 3<&- ;;
esac
lua $home/check.lua "$main" >&5 || exit 1
case $mode in
run) exec 5>&- && exec lua "$main" "$@" ;;
candidate) exec 5>&- && exec lua $home/candidate.lua "$main" "$@" <&3 3<&- ;;
together) exec lua $home/together.lua "$main" "$@" <&3 3<&- ;;
esac
