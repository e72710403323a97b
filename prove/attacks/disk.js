const fs = require('node:fs');
const block = Buffer.alloc(1 << 20, 1);
for (let i = 0; ; i++) fs.writeFileSync('big' + i, block);
