# Runs tests of Bats with the real Bats, and reads its report in TAP. Its exit
# status and its plan are what counts: a test can print lines of its own.

glovebox.bats() {
    local status line plan=0 seen=0 bad=0 name='' message='' state=''
    local -x BATS_RUN_SKIPPED=true # what the exercises of Exercism leave for later
    BATS_LIB_PATH=/usr/lib/bats${BATS_LIB_PATH:+:$BATS_LIB_PATH} command bats --formatter tap "${GLOVEBOX_FILES[@]/#//workspace/}" \
        </dev/null >"$GLOVEBOX_STATE/tap" 2>"$GLOVEBOX_STATE/stderr"
    status=$?
    glovebox.one() {
        [[ -z $state ]] || glovebox.case "$name" "$state" '' "$message"
        state='' message=''
    }
    while IFS= builtin read -r line || [[ -n $line ]]; do
        if [[ $line =~ ^1\.\.([0-9]{1,6})$ ]]; then
            ((plan += 10#${BASH_REMATCH[1]}))
        elif [[ $line =~ ^(not\ )?ok\ [0-9]{1,6}(\ (.*))?$ ]]; then
            glovebox.one
            ((seen += 1))
            name=${BASH_REMATCH[3]:-test $seen}
            state=passed
            if [[ -n ${BASH_REMATCH[1]} ]]; then
                state=failed
                ((bad += 1))
            elif [[ $name =~ ^(.*)\ #\ skip ]]; then
                state=skipped
                name=${BASH_REMATCH[1]}
            fi
        elif [[ $line == '#'* && -n $state ]]; then
            message+=${line#'#'}$'\n'
        fi
    done <"$GLOVEBOX_STATE/tap"
    glovebox.one
    command cat "$GLOVEBOX_STATE/tap"
    command cat "$GLOVEBOX_STATE/stderr" >&2
    if ((plan != seen || (bad == 0) != (status == 0))); then
        glovebox.case "$GLOVEBOX_TESTS" failed '' "Bats ended with status $status after $seen of $plan tests: $(command head -c 1500 "$GLOVEBOX_STATE/stderr" | command tr -d '\0')"
    elif ((seen == 0)); then
        glovebox.event '{"type":"unrunnable","reason":"the tests are empty: no @test is in them"}'
        exit 1
    fi
    GLOVEBOX_FRAMEWORK=$(command bats --version | command tr -d '"\\')
}

glovebox.bats
glovebox.uncalled
glovebox.done
