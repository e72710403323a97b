// Tree fromList
class Node { constructor(v) { this.value = v; this.left = null; this.right = null; } }
class Tree {
  constructor() { this.root = null; }
  insert(v) {
    const n = new Node(v);
    if (!this.root) { this.root = n; return this; }
    for (let at = this.root; ;) {
      const side = v < at.value ? 'left' : 'right';
      if (!at[side]) { at[side] = n; return this; }
      at = at[side];
    }
  }
  *walk(n = this.root) { if (n) { yield* this.walk(n.left); yield n.value; yield* this.walk(n.right); } }
}
function fromList(list) { const t = new Tree(); for (const v of list) t.insert(v); return t; }
module.exports = { Tree, fromList };
