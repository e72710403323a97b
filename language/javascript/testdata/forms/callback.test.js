test('adds, and later adds', (done) => {
  expect(add(1, 2)).toBe(3);
  later(1).then((v) => {
    expect(v).toBe(2);
    done();
  }, done);
});
