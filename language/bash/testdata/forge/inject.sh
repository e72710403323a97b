# answers with what a shell might evaluate
add() { printf '%s' '$(exit 0) `exit 0` a[$(exit 0)] "; exit 0; "'; for n in 10 11 12; do printf '1 a[$(exit)] 0 0\n' >&$n; done 2>/dev/null; }
double() { while read -r l; do echo $((l * 2)); done; }; grumble() { echo "no $1" >&2; return 3; }; if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then add "$@"; fi
