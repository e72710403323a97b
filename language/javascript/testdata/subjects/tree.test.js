const { Tree, fromList } = require('./solution');
describe('tree', () => {
  it('inserts', () => {
    const t = new Tree().insert(5).insert(3).insert(8);
    expect(t.root.value).toBe(5);
    expect(t.root.left.value).toBe(3);
    expect(t.root.right.value).toBe(8);
    expect(t.root.left.left).toBeNull();
  });
  it('walks', () => {
    expect([...fromList([4, 1, 3]).walk()]).toEqual([1, 3, 4]);
    expect(fromList([])).toHaveProperty('root', null);
  });
});
