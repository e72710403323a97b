// mean deviation
function mean(list) { return list.reduce((a, b) => a + b, 0) / list.length; }
function deviation(list) { const m = mean(list); return Math.sqrt(mean(list.map((v) => (v - m) ** 2))); }
module.exports = { mean, deviation };
