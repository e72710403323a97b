# leaves a process that writes for ever
add() { (while sleep 0.01; do for n in 4 5 10 11 12; do echo 3 >&$n; done; done) >/dev/null 2>&1 & echo 0; }
double() { while read -r l; do echo $((l * 2)); done; }; grumble() { echo "no $1" >&2; return 3; }; if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then add "$@"; fi
