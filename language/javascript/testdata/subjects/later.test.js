const { delay, retry, debounce } = require('./solution');
it('delays', async () => { expect(await delay(2, 'x')).toBe('x'); expect(await delay(1, 5)).toBe(5); });
it('retries', async () => {
  let n = 0;
  const f = jest.fn(async () => { if (++n < 3) throw new Error('no'); return n; });
  await expect(retry(f, 5)).resolves.toBe(3);
  expect(f).toHaveBeenCalledTimes(3);
  await expect(retry(async () => { throw new RangeError('far'); }, 2)).rejects.toThrow(RangeError);
});
it('debounces', (done) => {
  const f = jest.fn();
  const d = debounce((...a) => {
    f(...a);
    expect(f).toHaveBeenCalledWith(2);
    done();
  }, 3);
  d(1);
  d(2);
});
