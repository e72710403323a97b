# Runs tests that are plain scripts: each comparison of theirs is a case.

glovebox.watch
for GLOVEBOX_TESTS in "${GLOVEBOX_FILES[@]}"; do
    BASH_ARGV0=/workspace/$GLOVEBOX_TESTS
    . "/workspace/$GLOVEBOX_TESTS"
    GLOVEBOX_TEST_STATUS=$?
    mapfile -t GLOVEBOX_NAMES < <(glovebox.functions "/workspace/$GLOVEBOX_TESTS")
    for GLOVEBOX_TEST in "${GLOVEBOX_NAMES[@]}"; do
        glovebox.settle
        GLOVEBOX_BEFORE=$GLOVEBOX_TOTAL
        "$GLOVEBOX_TEST"
        GLOVEBOX_TEST_STATUS=$?
        glovebox.tested
    done
    (exit "$GLOVEBOX_TEST_STATUS")
done
GLOVEBOX_TEST_STATUS=$?
GLOVEBOX_REACHED=1
(exit "$GLOVEBOX_TEST_STATUS")
