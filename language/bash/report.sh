# What came of the tests, one JSON object a line.

# Shells that the tests start know how far the count is.
export GLOVEBOX_TOTAL=${GLOVEBOX_TOTAL:-0} GLOVEBOX_PASSED=${GLOVEBOX_PASSED:-0} GLOVEBOX_FAILED=${GLOVEBOX_FAILED:-0}
GLOVEBOX_PENDING=
GLOVEBOX_PENDING_LINE=
GLOVEBOX_LINE=
GLOVEBOX_COMMAND=
GLOVEBOX_LEAVING=
GLOVEBOX_FAILING=
# Whether the tests came to their end, or left by themselves.
GLOVEBOX_REACHED=
GLOVEBOX_FAILING_LINE=
# Functions of the program that a tool hides from the tests.
GLOVEBOX_HIDDEN=

# glovebox.quote TEXT: as a JSON string.
glovebox.quote() {
    local LC_ALL=C text=${1:0:2000}
    text=${text//\\/\\\\}
    text=${text//\"/\\\"}
    text=${text//$'\n'/\\n}
    text=${text//$'\t'/\\t}
    text=${text//[$'\x01'-$'\x1f']/ }
    printf '"%s"' "$text"
}

# glovebox.event JSON
glovebox.event() {
    local event=$1
    [[ -z $GLOVEBOX_NONCE ]] || event="{\"nonce\":\"$GLOVEBOX_NONCE\",${event#\{}"
    builtin printf '%s\n' "$event" >&"$GLOVEBOX_REPORT"
}

# glovebox.case NAME STATUS LINE MESSAGE ACTUAL
glovebox.case() {
    local event
    set -- "$1" "$2" "${3-}" "${4-}" "${5-}"
    # A case has the tests' own words, without the guards.
    set -- "${1//GLOVEBOX_FED=1 /}" "$2" "$3" "${4//GLOVEBOX_FED=1 /}" "$5"
    while [[ $1 =~ \"?\$\(glovebox\.is\ [a-z]+\ ([A-Za-z_0-9]+\ )?\" ]]; do
        set -- "${1/"${BASH_REMATCH[0]}"/}" "${@:2}"
    done
    while [[ $1 =~ \$\(glovebox\.(are|at)\ [A-Za-z_0-9\ ]+\.\) ]]; do
        set -- "${1/"${BASH_REMATCH[0]}"/}" "${@:2}"
    done
    set -- "${1//\" .)\"/}" "${@:2}"
    set -- "${1//\" .)/}" "${@:2}"
    event="{\"type\":\"case\",\"case\":{\"name\":$(glovebox.quote "$1"),\"status\":\"$2\""
    [[ -z $3 ]] || event+=",\"line\":$3"
    [[ -z $4 ]] || event+=",\"message\":$(glovebox.quote "$4")"
    [[ -z $5 ]] || event+=",\"actual\":$(glovebox.quote "$5")"
    ((GLOVEBOX_TOTAL += 1))
    case $2 in
    passed) ((GLOVEBOX_PASSED += 1)) ;;
    failed) ((GLOVEBOX_FAILED += 1)) ;;
    esac
    ((GLOVEBOX_TOTAL > 50000 && GLOVEBOX_FAILED == 0)) || glovebox.event "$event}}"
}

# glovebox.step LINE: before every command of the tests. A comparison is a case;
# it has passed when the tests go on, and do not leave.
glovebox.step() {
    ((BASH_SUBSHELL == 0)) && [[ -z $GLOVEBOX_LEAVING ]] || return 0
    [[ ${BASH_SOURCE[1]-} != /opt/glovebox/* ]] || return 0
    GLOVEBOX_LINE=$1
    GLOVEBOX_COMMAND=$BASH_COMMAND
    case $BASH_COMMAND in
    exit | 'exit '*)
        # What comes after this is our own end.
        GLOVEBOX_LEAVING=1
        [[ -z $GLOVEBOX_NONCE || " ${GLOVEBOX_FILES[*]/#//workspace/} " != *" ${BASH_SOURCE[1]-} "* ]] || GLOVEBOX_REACHED=1
        return 0
        ;;
    return | 'return '*)
        return 0
        ;;
    esac
    glovebox.settle
    case $BASH_COMMAND in
    '[['* | '[ '* | 'test '* | assert*)
        GLOVEBOX_PENDING=$BASH_COMMAND
        GLOVEBOX_PENDING_LINE=$1
        ;;
    esac
}

glovebox.settle() {
    [[ -z $GLOVEBOX_PENDING ]] || glovebox.case "$GLOVEBOX_PENDING" passed "$GLOVEBOX_PENDING_LINE"
    GLOVEBOX_PENDING=
}

# glovebox.failed STATUS LINE: a command failed where nothing looks at its
# status. Without set -e the tests go on; a comparison has failed all the same.
glovebox.failed() {
    ((BASH_SUBSHELL == 0)) || return 0
    GLOVEBOX_FAILING=$BASH_COMMAND
    GLOVEBOX_FAILING_LINE=$2
    if [[ ${BASH_SOURCE[1]-} == /opt/glovebox/* ]]; then
        GLOVEBOX_FAILING=$GLOVEBOX_COMMAND
        GLOVEBOX_FAILING_LINE=$GLOVEBOX_LINE
    fi
    [[ -n $GLOVEBOX_PENDING && $GLOVEBOX_PENDING == "$BASH_COMMAND" ]] || return 0
    glovebox.fail "$GLOVEBOX_PENDING" "$GLOVEBOX_PENDING_LINE" "exit status $1: $GLOVEBOX_PENDING"
    GLOVEBOX_PENDING=
}

# glovebox.fail NAME LINE MESSAGE
glovebox.fail() {
    local last='' message=$3 status='' actual=''
    [[ ! -s $GLOVEBOX_STATE/last ]] || last=$(<"$GLOVEBOX_STATE/last")
    if [[ -n $last ]]; then
        status=${last#*$'\n'}
        actual=${status#*$'\n'}
        actual=${actual%.}
        message+=$'\n'"The last call was ${last%%$'\n'*}: status ${status%%$'\n'*}, stdout: $actual"
    fi
    [[ -z $GLOVEBOX_HIDDEN ]] || message+=$'\n'"Tools have the names of the program's functions$GLOVEBOX_HIDDEN, and the tests call the tools: give the function's name as the entry."
    local stream said
    for stream in stdout stderr; do
        said=$(command head -c 65536 "$GLOVEBOX_STATE/$stream" 2>/dev/null | command tr -d '\0')
        [[ -z $said ]] || message+=$'\n'"The tests wrote to $stream: ${said:$((${#said} > 500 ? ${#said} - 500 : 0))}"
    done
    glovebox.case "$1" failed "$2" "$message" "$actual"
}

# glovebox.end STATUS: the tests ended, by their end or by their own exit.
glovebox.end() {
    builtin trap - DEBUG ERR EXIT
    set +eu
    local status=$1 calls=0
    if [[ -n $GLOVEBOX_CLEANUP ]]; then
        rm -f "$GLOVEBOX_STATE/cleaned"
        (eval "$GLOVEBOX_CLEANUP"; : >"$GLOVEBOX_STATE/cleaned")
        [[ -e $GLOVEBOX_STATE/cleaned ]] || status=$?
    fi
    exec 1>&"$GLOVEBOX_OUTER" 2>&"$GLOVEBOX_OUTER_ERROR"
    command cat "$GLOVEBOX_STATE/stdout"
    command cat "$GLOVEBOX_STATE/stderr" >&2
    [[ ! -s $GLOVEBOX_STATE/calls ]] || calls=$(command wc -c <"$GLOVEBOX_STATE/calls")
    if ((status == 0)); then
        glovebox.settle
        # In one process only the tests' own end is an end.
        if [[ -n $GLOVEBOX_NONCE && -z $GLOVEBOX_REACHED ]]; then
            glovebox.event '{"type":"broken","reason":"the program ended the tests"}'
            exit 1
        fi
        if [[ -z $GLOVEBOX_NONCE ]] && ((calls == 0)); then
            glovebox.fail "$GLOVEBOX_TESTS" '' 'the tests never called the program'
        elif ((GLOVEBOX_TOTAL == 0)); then
            glovebox.case "$GLOVEBOX_TESTS" passed
        fi
    elif ((GLOVEBOX_FAILED == 0)); then
        if [[ -n $GLOVEBOX_LEAVING && -n $GLOVEBOX_PENDING ]]; then
            glovebox.fail "$GLOVEBOX_PENDING" "$GLOVEBOX_PENDING_LINE" "exit status $status: $GLOVEBOX_PENDING"
        elif [[ -n $GLOVEBOX_LEAVING ]]; then
            glovebox.fail "$GLOVEBOX_TESTS" "$GLOVEBOX_LINE" "exit status $status: $GLOVEBOX_COMMAND"
        else
            glovebox.fail "$GLOVEBOX_TESTS" "$GLOVEBOX_FAILING_LINE" "exit status $status${GLOVEBOX_FAILING:+: $GLOVEBOX_FAILING}"
        fi
    fi
    glovebox.event "{\"type\":\"done\",\"total\":$GLOVEBOX_TOTAL,\"passed\":$GLOVEBOX_PASSED,\"failed\":$GLOVEBOX_FAILED}"
    exit "$status"
}

# glovebox.uncalled: out of process, tests that never call the program prove
# nothing of it.
glovebox.uncalled() {
    [[ -n $GLOVEBOX_NONCE || -s $GLOVEBOX_STATE/calls ]] || glovebox.fail "$GLOVEBOX_TESTS" '' 'the tests never called the program'
}

# glovebox.done: the end of tests that a framework ran.
glovebox.done() {
    glovebox.event "{\"type\":\"done\",\"framework\":$(glovebox.quote "$GLOVEBOX_FRAMEWORK"),\"total\":$GLOVEBOX_TOTAL,\"passed\":$GLOVEBOX_PASSED,\"failed\":$GLOVEBOX_FAILED}"
    exit "$((GLOVEBOX_FAILED > 0))"
}

# glovebox.parsed FILE…: tests that the shell cannot read are at fault themselves.
glovebox.parsed() {
    local file said
    for file; do
        if [[ $file == *.bats ]]; then
            said=$(glovebox.unbats <"/workspace/$file" | bash -O extglob -n 2>&1) && continue
            said="$file${said#*bash}"
        else
            said=$(bash -O extglob -n -- "/workspace/$file" 2>&1) && continue
        fi
        glovebox.event "{\"type\":\"unrunnable\",\"reason\":$(glovebox.quote "the tests do not parse: $said")}"
        exit 1
    done
}

# glovebox.unbats: reads a file of Bats and prints it as the shell's own language.
glovebox.unbats() {
    local line
    while IFS= builtin read -r line || [[ -n $line ]]; do
        [[ ! $line =~ ^[[:blank:]]*@test[[:blank:]]+.*[^[:blank:]][[:blank:]]+\{(.*)$ ]] || line="test() {${BASH_REMATCH[1]}"
        builtin printf '%s\n' "$line"
    done
}

# glovebox.functions FILE: lists the functions of a test file that are named as
# tests and that the tests only define.
glovebox.functions() {
    local text name
    text=$(command cat -- "${GLOVEBOX_FILES[@]}")
    [[ ! $text =~ declare\ -[fF]|compgen|typeset ]] || return 0
    while IFS= builtin read -r name; do
        name=${name#function }
        name=${name%%[!A-Za-z0-9_]*}
        (($(command grep -ow -- "$name" <<<"$text" | command wc -l) != 1)) || builtin printf '%s\n' "$name"
    done < <(command grep -E '^(function )?test[A-Za-z0-9_]* *(\( *\)|\{)' -- "$1")
}

# glovebox.tested: one of these functions returned.
glovebox.tested() {
    glovebox.settle
    if ((GLOVEBOX_TEST_STATUS != 0 && GLOVEBOX_FAILED == 0)); then
        glovebox.fail "$GLOVEBOX_TEST" '' "it returned $GLOVEBOX_TEST_STATUS"
    elif ((GLOVEBOX_TOTAL == GLOVEBOX_BEFORE)); then
        glovebox.case "$GLOVEBOX_TEST" passed
    fi
}

# glovebox.watch: from here on the commands are the tests'.
glovebox.watch() {
    exec {GLOVEBOX_OUTER}>&1 {GLOVEBOX_OUTER_ERROR}>&2 1>>"$GLOVEBOX_STATE/stdout" 2>>"$GLOVEBOX_STATE/stderr"
    set -ET
    builtin trap 'glovebox.end "$?"' EXIT
    builtin trap 'glovebox.failed "$?" "$LINENO"' ERR
    builtin trap 'glovebox.step "$LINENO"' DEBUG
}

# The end is ours to see; what the tests want done at their end is done first.
GLOVEBOX_CLEANUP=
trap() { glovebox.trap "$@"; }
glovebox.trap() {
    if ((BASH_SUBSHELL == 0 && $# > 1)) && [[ " ${*:2} " == *' EXIT '* || " ${*:2} " == *' 0 '* ]]; then
        GLOVEBOX_CLEANUP=$1
        [[ $1 != - ]] || GLOVEBOX_CLEANUP=
        return 0
    fi
    builtin trap "$@"
}
