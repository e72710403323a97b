// mapAll Emitter sortBy
function mapAll(list, f) { return list.map((v, i) => f(v, i)); }
function sortBy(list, key) { return [...list].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)); }
class Emitter {
  #on = {};
  on(n, f) { (this.#on[n] ??= []).push(f); return this; }
  emit(n, ...a) { for (const f of this.#on[n] ?? []) f(...a); return (this.#on[n] ?? []).length; }
}
module.exports = { mapAll, Emitter, sortBy };
