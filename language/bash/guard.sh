# The guards of the tests. The tests' text is read before they run, and where a
# value that the program may have printed would be evaluated by the shell, a
# guard is put around it: what is not the plain value that the place needs fails
# the tests, before the shell sees it.

# glovebox.is KIND VALUE… .: prints the value, where it is of the kind.
glovebox.is() {
    local GLOVEBOX_KIND=$1 GLOVEBOX_NAME GLOVEBOX_VALUE
    shift
    if [[ $GLOVEBOX_KIND == key ]]; then
        GLOVEBOX_NAME=$1
        shift
    fi
    GLOVEBOX_VALUE="${*:1:$#-1}"
    case $GLOVEBOX_KIND in
    number)
        glovebox.trim
        glovebox.whole "$GLOVEBOX_VALUE" || glovebox.refuse "$GLOVEBOX_VALUE" 'a whole number'
        ;;
    integer)
        glovebox.trim
        [[ $GLOVEBOX_VALUE =~ ^[-+]?[0-9]{1,18}$ ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'a whole number'
        ;;
    finite)
        glovebox.trim
        [[ $GLOVEBOX_VALUE != *[[:space:]]* ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'one word; put it in quotes'
        glovebox.finite "$GLOVEBOX_VALUE" || glovebox.refuse "$GLOVEBOX_VALUE" 'a number or a text: no comparison with NaN or with infinity fails'
        ;;
    decimal)
        glovebox.trim
        [[ $GLOVEBOX_VALUE =~ ^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)$ ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'a number'
        [[ $GLOVEBOX_VALUE != +* ]] || GLOVEBOX_VALUE=${GLOVEBOX_VALUE:1}
        ;;
    word)
        glovebox.trim
        [[ $GLOVEBOX_VALUE != *[[:space:]]* ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'one word; put it in quotes'
        ;;
    operand)
        glovebox.trim
        [[ ! $GLOVEBOX_VALUE =~ ^([!\(\)]|-[a-zA-Z]+|[=!\<\>]+)$ ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'an operand of a condition'
        ;;
    words)
        glovebox.names "$GLOVEBOX_VALUE" || glovebox.refuse "$GLOVEBOX_VALUE" 'words, and no pattern of file names'
        ;;
    key)
        if glovebox.keyed "$GLOVEBOX_NAME"; then
            [[ -n $GLOVEBOX_VALUE && $GLOVEBOX_VALUE != '@' && $GLOVEBOX_VALUE != '*' && $GLOVEBOX_VALUE != *[]\$\`\"\'\\]* ]] || glovebox.refuse "$GLOVEBOX_VALUE" "a key of $GLOVEBOX_NAME"
        else
            glovebox.trim
            glovebox.whole "$GLOVEBOX_VALUE" || glovebox.refuse "$GLOVEBOX_VALUE" "an index of $GLOVEBOX_NAME"
        fi
        ;;
    pattern)
        [[ -n $GLOVEBOX_VALUE && $GLOVEBOX_VALUE != *$'\n'* ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'a text to search for'
        glovebox.escape
        ;;
    fixed)
        [[ -n $GLOVEBOX_VALUE && $GLOVEBOX_VALUE != -* && $GLOVEBOX_VALUE != *$'\n'* ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'a text to search for'
        ;;
    argument)
        [[ ! $GLOVEBOX_VALUE =~ ^-(-|[a-zA-Z]|$) ]] || glovebox.refuse "$GLOVEBOX_VALUE" 'a value, and no option of an assertion'
        ;;
    format)
        [[ $GLOVEBOX_VALUE != -* && ${GLOVEBOX_VALUE//%%/} != *%* ]] || glovebox.refuse "$GLOVEBOX_VALUE" "a text without the signs of a format; use printf '%s'"
        ;;
    *) glovebox.refuse "$GLOVEBOX_VALUE" "$GLOVEBOX_KIND" ;;
    esac
    builtin printf '%s' "$GLOVEBOX_VALUE"
}

# glovebox.are NAME… .: prints nothing, where each variable is a number.
glovebox.are() {
    local glovebox_name glovebox_value
    while [[ $1 != . ]]; do
        local -a glovebox_values=()
        glovebox_name="$1[@]"
        glovebox_values=("${!glovebox_name-}")
        for glovebox_value in "${glovebox_values[@]}"; do
            [[ -z $glovebox_value || $glovebox_value =~ ^[[:space:]]*([^[:space:]]+)[[:space:]]*$ ]] && { [[ -z $glovebox_value ]] || glovebox.whole "${BASH_REMATCH[1]}"; } || glovebox.refuse "$glovebox_value" "a whole number in $1"
        done
        shift
    done
}

# glovebox.at ARRAY NAME… .: as glovebox.are, where ARRAY has no keys.
glovebox.at() {
    glovebox.keyed "$1" || glovebox.are "${@:2}"
}

# glovebox.keyed NAME: whether an array has keys of text.
glovebox.keyed() {
    [[ $(builtin declare -p "$1" 2>/dev/null) =~ ^declare\ -[a-zA-Z]*A ]]
}

# glovebox.trim: value without the white space around it.
glovebox.trim() {
    GLOVEBOX_VALUE=${GLOVEBOX_VALUE#"${GLOVEBOX_VALUE%%[![:space:]]*}"}
    GLOVEBOX_VALUE=${GLOVEBOX_VALUE%"${GLOVEBOX_VALUE##*[![:space:]]}"}
}

# glovebox.whole VALUE: whether arithmetic reads it as a number. Where it does
# not, as with 08, a condition is not true, and so not refuted.
glovebox.whole() {
    [[ $1 =~ ^[-+]?(0[xX][0-9a-fA-F]{1,15}|0[0-7]{0,18}|[1-9][0-9]{0,17})$ ]]
}

# glovebox.finite VALUE: whether no word of it is what tools read as NaN or as
# infinity, or is so large that its square is: a difference to that is never too large.
glovebox.finite() {
    [[ ! ${1,,} =~ (^|[^a-z0-9_])[-+]?(nan|inf|infinity)($|[^a-z0-9_]) && ! ${1,,} =~ (^|[^a-z0-9_.])[0-9.]+e[+]?[0-9]{3,}($|[^a-z0-9_.]) &&
        ! ${1,,} =~ [0-9.]e-[0-9]{3} && ! ${1,,} =~ [0-9]{51}[.]?[0-9]*e[+]?[0-9]{2} && ! ${1,,} =~ 0x[0-9a-f.]+p && ! $1 =~ [0-9]{150} ]]
}

# glovebox.counted COMMAND…: runs a command, where its input is finite.
glovebox.counted() {
    local GLOVEBOX_VALUE
    GLOVEBOX_VALUE=$(command cat; builtin printf x)
    GLOVEBOX_VALUE=${GLOVEBOX_VALUE%x}
    glovebox.finite "$GLOVEBOX_VALUE" || glovebox.refuse "$GLOVEBOX_VALUE" 'numbers or a text: no comparison with NaN or with infinity fails'
    "$@" < <(builtin printf '%s' "$GLOVEBOX_VALUE")
}

# glovebox.names VALUE: whether its words name no files.
glovebox.names() {
    local -a split=() found=()
    if [[ $1 == *[*?[]* || $1 == *[@+!]'('* ]]; then
        set -f
        # shellcheck disable=SC2206
        split=($1)
        set +f
        # shellcheck disable=SC2206
        found=($1)
        [[ "${split[*]@Q}" == "${found[*]@Q}" ]]
    fi
}

# glovebox.escape: value as a regular expression that only it matches.
glovebox.escape() {
    local i c out=''
    for ((i = 0; i < ${#GLOVEBOX_VALUE}; i++)); do
        c=${GLOVEBOX_VALUE:i:1}
        case $c in
        '\') out+='\\' ;;
        '^') out+='\^' ;;
        '.' | '*' | '[' | '$' | '+' | '?' | '(' | ')' | '{' | '}' | '|') out+="[$c]" ;;
        '-') if ((i == 0)); then out+='[-]'; else out+=$c; fi ;;
        *) out+=$c ;;
        esac
    done
    GLOVEBOX_VALUE=$out
}

# glovebox.refuse VALUE WHAT: fails the tests for good: the report has it before
# anything else is evaluated.
glovebox.refuse() {
    local shown=$1 said
    said="the program printed $(glovebox.quote "${shown:0:200}") where the tests need $2"
    glovebox.event "{\"type\":\"case\",\"case\":{\"name\":$(glovebox.quote "${GLOVEBOX_TESTS-the tests}"),\"status\":\"failed\",\"message\":$(glovebox.quote "$said"),\"actual\":$(glovebox.quote "$shown")}}"
    glovebox.event "{\"type\":\"done\",\"total\":$((GLOVEBOX_TOTAL + 1)),\"passed\":$((GLOVEBOX_PASSED + 0)),\"failed\":$((GLOVEBOX_FAILED + 1))}"
    while :; do
        builtin kill -KILL "$GLOVEBOX_PID" "$BASHPID"
    done
}

export -f glovebox.is glovebox.are glovebox.at glovebox.keyed glovebox.trim glovebox.whole glovebox.finite glovebox.counted glovebox.names glovebox.escape glovebox.refuse
