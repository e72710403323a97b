# The candidate's side of an exam: candidate.sh PROGRAM
# Sources the program when its functions are first asked for, and runs every
# call in a process of its own.

exec {GLOVEBOX_IN}<&3 {GLOVEBOX_OUT}>&4 3<&- 4>&-
GLOVEBOX_PROGRAM=/workspace/$1
GLOVEBOX_FILES=$(mktemp -d)
GLOVEBOX_OPTIONS=
GLOVEBOX_SHOPT=
GLOVEBOX_IFS=$IFS
shift

# glovebox.load: what the program changes in the shell holds for its calls, but
# not for this loop. -e does not hold in $(…), so never in a call.
glovebox.load() {
    GLOVEBOX_LOADED=1
    GLOVEBOX_OPTIONS=$(builtin set +o | command grep -v errexit)
    GLOVEBOX_SHOPT=$(shopt -p)
    builtin trap - ERR EXIT DEBUG RETURN
    GLOVEBOX_IFS=$IFS
    builtin set +eufxvnC +o pipefail +o posix
    shopt -u extglob nullglob failglob nocasematch lastpipe
    IFS=$' \t\n'
}

# glovebox.run KIND NAME ARG…
glovebox.run() (
    exec {GLOVEBOX_IN}<&- {GLOVEBOX_OUT}>&-
    case $1 in
    call)
        IFS=$GLOVEBOX_IFS
        builtin eval "$GLOVEBOX_SHOPT"
        builtin eval "$GLOVEBOX_OPTIONS"
        "${@:2}"
        ;;
    script)
        exec bash "$GLOVEBOX_PROGRAM" "${@:3}"
        ;;
    names)
        builtin declare -F | while builtin read -r _ _ name; do
            [[ $name == glovebox.* ]] || builtin printf '%s\n' "$name"
        done
        ;;
    esac
)

# glovebox.next: reads a request.
glovebox.next() {
    local LC_ALL=C LINE TEXT SIZE AT=0
    local -a SIZES
    IFS= builtin read -r LINE <&"$GLOVEBOX_IN" || return 1
    [[ $LINE =~ ^[0-9]{1,40}\ (call|script|names)(\ [0-9]{1,8})+$ ]] || return 1
    builtin read -r -a SIZES <<<"$LINE"
    GLOVEBOX_REQUEST=("${SIZES[@]:0:2}")
    SIZES=("${SIZES[@]:2}")
    if ((10#${SIZES[0]} > 0)); then
        command head -c "$((10#${SIZES[0]}))" <&"$GLOVEBOX_IN" >"$GLOVEBOX_FILES/in"
    else
        : >"$GLOVEBOX_FILES/in"
    fi
    for SIZE in "${SIZES[@]:1}"; do
        ((AT += 10#$SIZE))
    done
    ((AT <= 16777216)) && IFS= builtin read -r -N "$AT" TEXT <&"$GLOVEBOX_IN"
    ((${#TEXT} == AT)) || return 1
    AT=0
    for SIZE in "${SIZES[@]:1}"; do
        GLOVEBOX_REQUEST+=("${TEXT:AT:10#$SIZE}")
        ((AT += 10#$SIZE))
    done
}

# glovebox.answer STATUS
glovebox.answer() {
    local LC_ALL=C OUT ERR
    local -a PARTS
    builtin mapfile -d '' -t PARTS <"$GLOVEBOX_FILES/out"
    builtin printf -v OUT '%s' "${PARTS[@]}"
    builtin mapfile -d '' -t PARTS <"$GLOVEBOX_FILES/err"
    builtin printf -v ERR '%s' "${PARTS[@]}"
    builtin printf '%s %d %d %d\n%s%s' "${GLOVEBOX_REQUEST[0]}" "$1" "${#OUT}" "${#ERR}" "$OUT" "$ERR" >&"$GLOVEBOX_OUT"
}

# The program is sourced here and not in a function, so that its declarations
# are global.
GLOVEBOX_LOADED=
while glovebox.next; do
    if [[ ${GLOVEBOX_REQUEST[1]} != script && -z $GLOVEBOX_LOADED ]]; then
        . "$GLOVEBOX_PROGRAM" </dev/null
        glovebox.load
    fi
    glovebox.run "${GLOVEBOX_REQUEST[@]:1}" \
        <"$GLOVEBOX_FILES/in" >"$GLOVEBOX_FILES/out" 2>"$GLOVEBOX_FILES/err"
    glovebox.answer "$?"
done
