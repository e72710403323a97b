// evens index words
function evens(list) { return list.filter((v) => v % 2 === 0); }
function index(pairs) { return new Map(pairs); }
function words(text) { return new Set(text.split(' ')); }
module.exports = { evens, index, words };
