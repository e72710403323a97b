candidate() {
    add "$@"
}

set -e
run_test() {
    [[ $(candidate "1" "2") = "3" ]]
    [[ $(candidate "20" "22") = "42" ]]
    [[ $(printf '1\n2\n' | double) = "2
4" ]]
}

run_test
