// table greet
function greet(name) { return `Hello, ${name}!`; }
function table(rows) { return rows.map((r) => r.join('|')).join('\n'); }
module.exports = { table, greet };
