// evens
function evens(list) { return list.filter((v) => v % 2 === 0); }
module.exports = { evens };
