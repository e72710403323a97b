const { parseAge, ValidationError } = require('./solution');
describe('parseAge', () => {
  it('parses', () => expect(parseAge('42')).toBe(42));
  it('rejects types', () => expect(() => parseAge(4)).toThrow(TypeError));
  it('rejects text', () => {
    expect(() => parseAge('x')).toThrow(ValidationError);
    expect(() => parseAge('x')).toThrow('not an age: x');
    try {
      parseAge('y');
      expect(1).toBe(2);
    } catch (e) {
      expect(e).toBeInstanceOf(ValidationError);
      expect(e.field).toBe('age');
      expect(e.message).toMatch(/: y$/);
    }
  });
  it('rejects negatives', () => expect(() => parseAge('-1')).toThrow(/negative/));
});
