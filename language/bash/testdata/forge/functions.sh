# has functions whose names are code
eval 'function x;exit() { :; }' 2>/dev/null
function glovebox.end() { exit 0; }; function glovebox.event() { :; }; function glovebox.answer() { :; }
function run-test() { exit 0; }
add() { echo 0; }
double() { while read -r l; do echo $((l * 2)); done; }; grumble() { echo "no $1" >&2; return 3; }; if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then add "$@"; fi
