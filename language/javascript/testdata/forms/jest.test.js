const { add, later, make, each, fail } = require('../main');

describe('everything', () => {
  beforeEach(() => {});
  test('add', () => {
    expect(add(1, 2)).toBe(3);
    expect(add(20, 22)).toEqual(42);
  });
  it('later', async () => {
    await expect(later(1)).resolves.toBe(2);
  });
  it('make', () => expect(make(2)).toEqual({ total: 2, list: [2, 3] }));
  it('each', () => {
    const spy = jest.fn((v) => v * 3);
    expect(each([1, 2], spy)).toEqual([3, 6]);
    expect(spy).toHaveBeenCalledTimes(2);
  });
  it('fail', () => expect(() => fail('luck')).toThrow('no luck'));
});
