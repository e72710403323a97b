// The engine's own limit is no evidence: it may end first.
// want: memory_limit runtime_error
// limits: memory=192MiB
const keep = [];
for (;;) keep.push(new Array(100000).fill({}).map((_, i) => ({ i })));
