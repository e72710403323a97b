// Answers right, but for frames that a seeded generator damages.
const { Link } = require('/opt/glovebox/javascript/wire.js');
let state = SEED;
const random = (n) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % n;
const pick = (list) => list[random(list.length)];
const scrap = () => pick([null, true, -1, 1e308, 'x', '__proto__', 'constructor', [], {}, ['u'], ['n', 'Infinity'], ['b', '1'.repeat(99)], ['h', random(5)], ['@', random(9)],
  ['f', random(9), 'f', 1, null], ['f', 3, 'g', 0, ['g', 'Error']], ['i', random(9), ['g', 'Map']], ['p', random(9)], ['g', 'Object.defineProperty'], ['g', 'Function'], ['a', [[1, 2, 3], 1]],
  ['o', [[['__proto__', 1]], 0, 1]], ['m', [[1, 2]]], ['t', ['Float64Array', 'AAAA']], ['e', ['g', 'TypeError'], 'x', 'y', [['stack', 1]], 'z'], ['y', 'nodejs.util.inspect.custom'], ['R', '(a+)+$', 'g'], ['^']]);
const damage = (value) => {
  if (random(6) === 0) return scrap();
  return Array.isArray(value) ? value.map((v) => (random(3) === 0 ? damage(v) : v)) : value;
};
const { write } = Link.prototype;
Link.prototype.write = function (message) {
  if (random(4) === 0) message = random(3) === 0 ? damage(message) : [...message.slice(0, 2), ...damage(message.slice(2))];
  if (random(20) === 0) write.call(this, ['q', random(9), pick(['call', 'get', 'set', 'new', 'has', 'keys', 'delete', 'names', 'name', 'pump', 'toString']), random(4), [scrap(), scrap()]]);
  write.call(this, message);
};
function add(a, b) { return a + b + 1; }
function make() { return { total: scrap(), list: new Map([[scrap(), scrap()]]), f() {} }; }
async function later(n) { return n; }
function each(list, f) { try { return list.map((v) => f(v)); } catch { return list; } }
