// createCounter createCache compose
function createCounter(start) { let n = start; return { next: () => ++n, get value() { return n; } }; }
function createCache(max) {
  const m = new Map();
  return {
    set(k, v) { m.delete(k); m.set(k, v); if (m.size > max) m.delete(m.keys().next().value); return this; },
    has: (k) => m.has(k), get: (k) => m.get(k), evictAll: () => m.clear(),
  };
}
const compose = (...fs) => (v) => fs.reduceRight((a, f) => f(a), v);
module.exports = { createCounter, createCache, compose };
