// want: timeout
// limit: wall
// limits: wall=2s
setInterval(() => {}, 1e6);
