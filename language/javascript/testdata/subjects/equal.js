// Vector scale
class Vector {
  constructor(x, y) { this.x = x; this.y = y; }
  add(o) { return new Vector(this.x + o.x, this.y + o.y); }
}
function scale(v, n) { return new Vector(v.x * n, v.y * n); }
module.exports = { Vector, scale };
