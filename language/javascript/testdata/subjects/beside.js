// sorted total merged
function sorted(list) {
  return [...list].sort((a, b) => a - b);
}
function total(prices) {
  return Object.values(prices).reduce((sum, n) => sum + n, 0);
}
const merged = (a, b) => new Map([...a, ...b]);
module.exports = { sorted, total, merged };
