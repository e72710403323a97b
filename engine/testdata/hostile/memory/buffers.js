// want: memory_limit
// limits: memory=192MiB
const keep = [];
for (;;) keep.push(Buffer.alloc(4 << 20, 1));
