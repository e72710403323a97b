source ./main.sh
test "$(add 1 2)" -eq 3 || exit 1
test "$(add 20 22)" -eq 42 || exit 1
