// want: output_limit
// limits: output=100KiB
const fs = require('fs');
for (;;) fs.writeSync(1, 'x'.repeat(1000) + '\n');
