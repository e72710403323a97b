# defines nothing at all
:
double() { while read -r l; do echo $((l * 2)); done; }; grumble() { echo "no $1" >&2; return 3; }; if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then add "$@"; fi
