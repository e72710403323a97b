// want: disk_limit
// limits: files=500
const fs = require('fs');
for (let i = 0; ; i++) fs.mkdirSync('d' + i);
