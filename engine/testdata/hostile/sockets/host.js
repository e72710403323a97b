// want: pass
const net = require('net');
let left = 2;
const done = () => { if (--left === 0) console.log('held'); };
for (const where of [{ host: '127.0.0.1', port: +process.env.HOST_PORT }, { path: '\0' + process.env.HOST_ABSTRACT }]) {
  const s = net.connect(where, () => { console.log('BREACH', where); });
  s.on('error', done);
}
