function candidate(...$args) {
    return add(...$args);
}

function test(): void {
    if (candidate(1, 2) !== 3) { throw new Exception("Test failed!"); }
    if (candidate(20, 22) !== 42) { throw new Exception("Test failed!"); }
    if (candidate(0.5, 1.5) !== 2.0) { throw new Exception("Test failed!"); }
}

test();
