# Answers wrong, among lines of a seeded generator.
RANDOM=SEED
noise() {
    local n fd
    for ((n = RANDOM % 3; n > 0; n--)); do
        for fd in 4 10 11 12; do
            case $((RANDOM % 5)) in
            0) printf '%d %d %d %d\n3' $RANDOM 0 $((RANDOM % 9)) 0 ;;
            1) printf '1 0 a[$(kill -9 $$)] 0\n' ;;
            2) head -c $((RANDOM % 99)) /dev/urandom ;;
            3) printf '\n' ;;
            4) printf '3\n' ;;
            esac >&$fd
        done
    done 2>/dev/null
}
add() { noise; echo 0; }
