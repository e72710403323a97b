for n in 1 2 3 4 5; do add "$n" "$n" >/dev/null; done
[[ $(add 1 2) == 3 ]] || exit 1
