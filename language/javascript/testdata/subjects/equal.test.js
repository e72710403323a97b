const { Vector, scale } = require('./solution');
test('adds', () => {
  expect(new Vector(1, 2).add(new Vector(3, 4))).toEqual(new Vector(4, 6));
  expect(new Vector(1, 2)).not.toEqual(new Vector(1, 3));
});
test('scales', () => expect(scale(new Vector(1, 2), 2)).toStrictEqual(new Vector(2, 4)));
