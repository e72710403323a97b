// Point middle
class Point {
  constructor(x, y) { this.x = x; this.y = y; }
  add(o) { return new Point(this.x + o.x, this.y + o.y); }
  equals(o) { return o instanceof Point && this.x === o.x && this.y === o.y; }
}
const middle = (a, b) => new Point((a.x + b.x) / 2, (a.y + b.y) / 2);
export { Point, middle };
