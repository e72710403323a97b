// delay retry debounce
const delay = (ms, v) => new Promise((r) => setTimeout(() => r(v), ms));
async function retry(f, n) { for (;;) try { return await f(); } catch (e) { if (--n <= 0) throw e; } }
function debounce(f, ms) { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => f(...a), ms); }; }
module.exports = { delay, retry, debounce };
