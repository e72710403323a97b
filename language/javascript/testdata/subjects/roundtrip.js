// encode decode flatten
function encode(o) { return Object.entries(o).map(([k, v]) => `${k}=${v}`).join('&'); }
function decode(text) { return Object.fromEntries(text.split('&').filter(Boolean).map((p) => { const [k, v] = p.split('='); return [k, Number(v)]; })); }
function flatten(list) { return list.flat(Infinity); }
module.exports = { encode, decode, flatten };
