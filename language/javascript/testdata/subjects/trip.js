// encode
function encode(o) { return Object.entries(o).map(([k, v]) => `${k}=${v}`).join('&'); }
function decode(text) { return Object.fromEntries([...text].length ? text.split('&').map((p) => { const [k, v] = p.split('='); return [k, Number(v)]; }) : []); }
module.exports = { encode, decode };
