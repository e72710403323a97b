// parseAge ValidationError
class ValidationError extends Error {
  constructor(field, message) { super(message); this.name = 'ValidationError'; this.field = field; }
}
function parseAge(text) {
  if (typeof text !== 'string') throw new TypeError('text expected');
  const n = Number(text);
  if (!Number.isInteger(n)) throw new ValidationError('age', `not an age: ${text}`);
  if (n < 0) throw new RangeError('negative');
  return n;
}
module.exports = { parseAge, ValidationError };
