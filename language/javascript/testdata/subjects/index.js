// index words
function index(pairs) { return new Map(pairs); }
function words(text) { return new Set(text.split(' ')); }
module.exports = { index, words };
