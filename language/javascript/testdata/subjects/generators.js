// primes chunks ticks
function* primes() { const seen = []; for (let n = 2; ; n++) if (seen.every((p) => n % p)) { seen.push(n); yield n; } }
function* chunks(list, n) { for (let i = 0; i < list.length; i += n) yield list.slice(i, i + n); }
async function* ticks(n) { for (let i = 0; i < n; i++) { await null; yield i * i; } }
module.exports = { primes, chunks, ticks };
