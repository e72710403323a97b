# Fuzzes both ends of the link: fuzz.sh SEED SECONDS TRIES. What is received is a valid
# frame that was changed. It must become a value or a refusal, and run nothing.
RANDOM=$1
end=$((SECONDS + $2))
ran=/tmp/ran
LC_ALL=C
cd /tmp || exit 1

evil=('$(touch /tmp/ran)' '`touch /tmp/ran`' 'a[$(touch /tmp/ran)]' ';touch /tmp/ran;' $'\n' ' ' '0x7' '08' '-1' '99999999' '16777217' '1 2' '*' $'\xff' "'" '"' '\' 'IFS' '$((1))' '' '0')

# change TEXT: leaves it changed in REPLY.
change() {
    local text=$1 n=$((RANDOM % 3 + 1)) at
    while ((n--)); do
        at=$((RANDOM % (${#text} + 1)))
        case $((RANDOM % 5)) in
        0) text=${text:0:at}${evil[RANDOM % ${#evil[@]}]}${text:at} ;;
        1) text=${text:0:at}${evil[RANDOM % ${#evil[@]}]}${text:at+1} ;;
        2) text=${text:0:at}${text:at+1+RANDOM%4} ;;
        3) text=${text:0:at}$((RANDOM % 1200))${text:at} ;;
        4) text=${text:0:at}${text:at/2}${text:at} ;;
        esac
    done
    REPLY=$text
}

fail() {
    printf 'FAILED: %s: %q\n' "$1" "$2"
    exit 1
}

export GLOVEBOX_STATE=/tmp/state GLOVEBOX_NONCE='' GLOVEBOX_TESTS=tests GLOVEBOX_ENTRY='' GLOVEBOX_SUPPLY='' GLOVEBOX_WORDS='' GLOVEBOX_ABSENT=''
mkdir -p "$GLOVEBOX_STATE"
exec {GLOVEBOX_REPORT}>/dev/null
. /opt/glovebox/bash/report.sh
. /opt/glovebox/bash/wire.sh
unset SRANDOM # so that the token can be foretold

# The tests' end reads answers.
answers() {
    local seed=$RANDOM token out err frame
    RANDOM=$seed
    token=$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM$RANDOM
    out=${evil[RANDOM % ${#evil[@]}]}text
    err=${evil[RANDOM % ${#evil[@]}]}
    change "$token $((RANDOM % 256)) ${#out} ${#err}"$'\n'"$out$err"
    frame=$REPLY
    printf '%s' "$frame" >frame
    printf x >turn
    (
        GLOVEBOX_PID=$BASHPID
        exec {GLOVEBOX_IN}<frame {GLOVEBOX_OUT}>/dev/null {GLOVEBOX_TURN}<>turn
        RANDOM=$seed
        glovebox.call call f 'an argument' >stdout 2>stderr
        status=$?
        ((status <= 255)) || exit 99
        exit 0
    ) 2>/dev/null
    case $? in
    0) ((values += 1)) ;;
    137) ((refused += 1)) ;;
    *) fail 'the tests ended with another status' "$frame" ;;
    esac
}

# The program's end reads requests.
requests() {
    local frame='' n status
    for n in 1 2 3; do
        local name=f word="${evil[RANDOM % ${#evil[@]}]}x" input=${evil[RANDOM % ${#evil[@]}]}
        REPLY="1$RANDOM call ${#input} ${#name} ${#word} 2"$'\n'"$input$name${word}yz"
        ((n == 1)) || change "$REPLY"
        frame+=$REPLY
    done
    printf '%s' "$frame" >frame
    timeout 10 bash /opt/glovebox/bash/candidate.sh program.sh 3<frame 4>answer >/dev/null 2>&1
    status=$?
    ((status < 124)) || fail "the program's end ended with status $status" "$frame"
    # The first request is valid, and so is its answer.
    [[ $(head -n 1 answer) =~ ^1[0-9]+\ 3\ [0-9]+\ 0$ ]] || fail 'a valid request has no answer' "$frame"
    ((values += 1))
}

values=0 refused=0 rounds=0
while ((rounds < $3 && SECONDS < end)); do
    answers
    ((rounds % 10)) || requests
    ((rounds += 1))
    [[ ! -e $ran ]] || fail 'something was run' "$(<frame)"
done
printf 'ok: %d rounds, %d values, %d refusals\n' "$rounds" "$values" "$refused"
