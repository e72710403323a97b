#!/bin/bash
add() {
    local sum=$(($1 + $2))
    echo "$sum"
}

double() {
    local line
    while read -r line; do echo $((line * 2)); done
}

grumble() {
    echo "no $1" >&2
    return 3
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
    add "$@"
fi
