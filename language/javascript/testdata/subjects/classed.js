// ValidationError
let ValidationError = class ValidationError extends Error {};
function parse(text) {
  if (!/^\d+$/.test(text)) throw new ValidationError(text);
  return Number(text);
}
module.exports = { parse, ValidationError };
