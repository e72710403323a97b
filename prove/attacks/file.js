const fs = require('node:fs');
const bait = process.argv[2];
for (const p of [bait, '/proc/1/root' + bait, '/workspace/../../..' + bait]) {
  try {
    console.log(fs.readFileSync(p, 'utf8'));
    console.log('BREACH: read ' + p);
  } catch {}
}
console.log('held');
