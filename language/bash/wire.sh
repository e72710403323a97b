# Calls from the tests to the program in the other box.
#
# A request is the line
#   TOKEN call|script|names BYTES BYTES…
# followed by that many bytes of stdin and of each word: the name of a function
# or of a file, and its arguments. The answer is the line
#   TOKEN STATUS BYTES BYTES
# followed by what was written to stdout and to stderr. The token is fresh and
# secret, so no answer can be given before its question. Nothing that is
# received is ever evaluated, at either end. Every call runs in a process of its own: no
# variable that it sets remains. NUL bytes are lost, as they are in $(…).

export GLOVEBOX_MAX=16777216

# glovebox.take BYTES FD: reads so many bytes into REPLY.
glovebox.take() {
    local LC_ALL=C
    REPLY=
    if (($1 > 512)); then
        REPLY=$(command head -c "$1" <&"$2"; printf x)
        REPLY=${REPLY%x}
    elif (($1 > 0)); then
        IFS= builtin read -r -N "$1" -u "$2" REPLY
    fi
    ((${#REPLY} == $1))
}

# One process at a time asks: the token in this pipe is the right to.
if [[ ! -e $GLOVEBOX_STATE/turn ]]; then
    command mkfifo "$GLOVEBOX_STATE/turn"
    exec {GLOVEBOX_TURN}<>"$GLOVEBOX_STATE/turn"
    export GLOVEBOX_TURN
    printf x >&"$GLOVEBOX_TURN"
fi

# glovebox.ask KIND NAME ARG…: leaves GLOVEBOX_STATUS, _STDOUT and _STDERR.
glovebox.ask() {
    local LC_ALL=C IFS=' ' token input='' line='' size
    token=${SRANDOM:-$RANDOM$RANDOM$RANDOM}${SRANDOM:-$RANDOM$RANDOM$RANDOM}
    # Only what the tests give to this call is its input: the reader of the tests
    # marks such calls. A loop of the tests may read the rest.
    if [[ -n ${GLOVEBOX_FED-} && $1 != names ]]; then
        input=$(command head -c $GLOVEBOX_MAX 2>/dev/null; printf x)
        input=${input%x}
    fi
    local turn word words=''
    line="$token $1 ${#input}"
    for word in "${@:2}"; do
        line+=" ${#word}"
        words+=$word
    done
    IFS= builtin read -r -N 1 -u "$GLOVEBOX_TURN" turn
    (builtin trap '' PIPE; printf '%s\n%s%s' "$line" "$input" "$words" >&"$GLOVEBOX_OUT") 2>/dev/null || glovebox.broken "the process ended during $2"
    IFS= builtin read -r -n 200 -u "$GLOVEBOX_IN" line || glovebox.broken "the process ended during $2"
    if ! [[ $line =~ ^([0-9]+)\ ([0-9]{1,3})\ ([0-9]{1,8})\ ([0-9]{1,8})$ && ${BASH_REMATCH[1]} == "$token" ]]; then
        glovebox.broken "an answer came that nobody asked for, during $2"
    fi
    GLOVEBOX_STATUS=${BASH_REMATCH[2]}
    local out=${BASH_REMATCH[3]} err=${BASH_REMATCH[4]}
    for size in "$out" "$err"; do
        ((10#$size <= GLOVEBOX_MAX)) || glovebox.broken "$size bytes came from $2"
    done
    glovebox.take "$((10#$out))" "$GLOVEBOX_IN" || glovebox.broken "the process ended during $2"
    GLOVEBOX_STDOUT=$REPLY
    glovebox.take "$((10#$err))" "$GLOVEBOX_IN" || glovebox.broken "the process ended during $2"
    GLOVEBOX_STDERR=$REPLY
    printf x >&"$GLOVEBOX_TURN"
}

# glovebox.call KIND NAME ARG…: as if the program were here.
glovebox.call() {
    local GLOVEBOX_STATUS GLOVEBOX_STDOUT GLOVEBOX_STDERR shown=''
    glovebox.ask "$@"
    printf . >>"$GLOVEBOX_STATE/calls"
    printf -v shown '%q ' "${@:2}"
    printf '%s\n%s\n%s.' "${shown:0:300}" "$GLOVEBOX_STATUS" "${GLOVEBOX_STDOUT:0:600}" >"$GLOVEBOX_STATE/last"
    printf '%s' "$GLOVEBOX_STDOUT"
    printf '%s' "$GLOVEBOX_STDERR" >&2
    return "$((10#$GLOVEBOX_STATUS & 255))"
}

# glovebox.free NAME: whether a name is a tool's that no test judges by. The
# tests' own tools, such as sort, diff or factor, are never the program's, unless
# there is no other command in the tests that could be.
glovebox.free() {
    [[ $(type -t "$1") == file && " sum join split link unlink yes arch fmt pr csplit numfmt $GLOVEBOX_SUPPLY " == *" $1 "* ]]
}

# glovebox.stubs: functions for those of the program that the tests name, as
# far as nothing else has the name. GLOVEBOX_ENTRY is always the program's.
glovebox.stubs() {
    local GLOVEBOX_STATUS GLOVEBOX_STDOUT GLOVEBOX_STDERR name
    glovebox.ask names "the program's start" </dev/null
    while IFS= builtin read -r name; do
        [[ $name =~ ^[A-Za-z_][A-Za-z0-9_:.-]*$ && $name != glovebox.* ]] || continue
        # Names by which tests judge are never the program's.
        [[ $name == "$GLOVEBOX_ENTRY" || ! $name =~ ^(assert|refute|expect|bats_|fail$|pass$|run$|skip$|check$|verify$|load$|ok$|not_ok$|setup$|teardown$) ]] || continue
        [[ $GLOVEBOX_WORDS == *" $name "* && $GLOVEBOX_ABSENT != *" $name "* ]] || continue
        if [[ $name != "$GLOVEBOX_ENTRY" ]] && type "$name" >/dev/null 2>&1 && ! glovebox.free "$name"; then
            [[ $(type -t "$name") == function ]] || GLOVEBOX_HIDDEN+=" $name"
            continue
        fi
        eval "$name() { glovebox.call call $name \"\$@\"; }; export -f $name"
    done <<<"$GLOVEBOX_STDOUT"
}

# glovebox.broken REASON: ends the tests at once; nothing can catch it.
glovebox.broken() {
    glovebox.event "{\"type\":\"broken\",\"reason\":$(glovebox.quote "the candidate's side of the tests cannot be trusted any more: $1")}"
    kill -KILL "$GLOVEBOX_PID" "$BASHPID"
}

# Shells that the tests start have them too.
export -f glovebox.take glovebox.ask glovebox.call glovebox.broken glovebox.event glovebox.quote
