# Runs tests of shunit2 with the real one. It prints its report among what the
# tests print, so its exit status is what counts, and the functions that are
# tests; what it prints says which of them failed, and why.

glovebox.shunit() {
    local file status line name message names=() failed
    for file in "${GLOVEBOX_FILES[@]}"; do
        command grep -q shunit2 "/workspace/$file" || continue
        mapfile -t names < <(command grep -oE '^[[:space:]]*(function[[:space:]]+)?test[A-Za-z0-9_-]*[[:space:]]*\(\)' "/workspace/$file" | command grep -oE 'test[A-Za-z0-9_-]*')
        PATH=/usr/share/shunit2:$PATH SHUNIT_COLOR=none bash "/workspace/$file" </dev/null >"$GLOVEBOX_STATE/stdout" 2>"$GLOVEBOX_STATE/stderr"
        status=$?
        command cat "$GLOVEBOX_STATE/stdout"
        command cat "$GLOVEBOX_STATE/stderr" >&2
        failed=' ' name=$file message=
        if ((status != 0)); then
            while IFS= builtin read -r line; do
                if [[ $line =~ ^test[A-Za-z0-9_-]*$ ]]; then
                    name=$line
                elif [[ $line == ASSERT:* || $line == 'shunit2:ERROR'* ]]; then
                    failed+="$name "
                    message+="$name: $line"$'\n'
                fi
            done <"$GLOVEBOX_STATE/stdout"
            [[ $failed != ' ' ]] || message="shunit2 ended with status $status: $(command head -c 1500 "$GLOVEBOX_STATE/stderr" | command tr -d '\0')"
        fi
        for name in "${names[@]}"; do
            if ((status == 0)); then
                glovebox.case "$name" passed
            elif [[ $failed == *" $name "* ]]; then
                glovebox.case "$name" failed '' "$message"
            fi
        done
        ((status == 0 || GLOVEBOX_FAILED > 0)) || glovebox.case "$file" failed '' "$message"
    done
    if ((GLOVEBOX_TOTAL == 0)); then
        glovebox.event '{"type":"unrunnable","reason":"the tests are empty: no function of them is named test…"}'
        exit 1
    fi
    GLOVEBOX_FRAMEWORK="shunit2 $(command grep -m1 -oE "SHUNIT_VERSION='[0-9.a-z]+" /usr/share/shunit2/shunit2 | command tr -cd '0-9.')"
}

glovebox.shunit
glovebox.uncalled
glovebox.done
