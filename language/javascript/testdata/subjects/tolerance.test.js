const { mean, deviation } = require('../main');
describe('statistics', () => {
  it('mean', () => {
    expect(mean([1, 2, 4])).toBeCloseTo(2.3333, 3);
    expect(Math.abs(mean([1, 2]) - 1.5) < 1e-9).toBe(true);
    expect(mean([5, 6])).toBeGreaterThan(5.4);
    expect(mean([5, 6])).toBeLessThan(5.6);
  });
  it('deviation', () => {
    if (!(Math.abs(deviation([2, 4]) - 1) < 1e-9)) throw new Error('wrong');
    expect(deviation([1, 1, 1])).toBe(0);
  });
});
