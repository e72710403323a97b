import test from 'node:test';
import assert from 'node:assert';
import { Point, middle } from './main.js';
test('adds', () => {
  const p = new Point(1, 2).add(new Point(3, 5));
  assert.strictEqual(p.x, 4);
  assert.strictEqual(p.y, 7);
  assert.ok(p instanceof Point);
});
test('middle', () => {
  const m = middle(new Point(0, 0), new Point(2, 4));
  assert.strictEqual(m.x + m.y, 3);
  assert.strictEqual(m.equals(new Point(1, 2)), true);
  assert.strictEqual(m.equals(new Point(2, 2)), false);
  assert.deepStrictEqual({ ...m }, { x: 1, y: 2 });
});
