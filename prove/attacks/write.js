const fs = require('node:fs');
for (const p of ['/etc/passwd', '/usr/x', '/opt/glovebox/x', '/dev/mem', '/proc/sys/x']) {
  try {
    fs.writeFileSync(p, 'x');
    console.log('BREACH: wrote ' + p);
  } catch {}
}
console.log('held');
