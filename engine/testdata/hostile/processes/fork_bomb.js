// Each process starts two more.
// want: timeout process_limit runtime_error memory_limit
// limits: wall=3s processes=40 memory=256MiB
const { spawn } = require('child_process');
for (let i = 0; i < 2; i++) spawn(process.execPath, [__filename], { stdio: 'ignore' }).on('error', () => {});
setInterval(() => {}, 1000);
