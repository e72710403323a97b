'use strict';
// Finds in the text of tests what rests on sharing: values cross between the tests and the
// program as copies, so what one side changes in a container the other does not see, and two
// containers are never the same. Such tests need the program in their own process. In doubt
// a text does not rest on it.

const { Chains, changing } = require('./chains.js');

// What is called so is mostly a number or a text, which is a copy everywhere.
const scalars = [
  /^(?:is|has|can|count|calc|to[A-Z])/,
  /(?:ids?|uuid|guid|hash|token|key|code|slug|name|label|count|size|length|total|sum|value|random|rand|roll|digest|checksum|seed|salt|time|now|date|text|string|number|int|float|index|next|balance|amount|price|score|encode|decode|encrypt|decrypt|distance|gcd|lcm|area|max|min|version|level|width|height|depth)$/i,
  /^(?:get|peek|pop|shift|top|front|back|first|second|last|at|read)$/,
];
const bare = (word) => word.replace(/\u00b7.*/, '');
const isScalar = (word = '') => scalars.some((form) => form.test(bare(word)));
const sorting = /^(?:sort|reverse)$/;
const same = /^(?:toBe|strictEqual|notStrictEqual|equal|notEqual|is|==)$/;
const deep = /^(?:to(?:Strict)?Equal|(?:not)?deep\w*|toMatchObject)$/i;
// By these a container of the tests is looked for as what it is.
const finding = /^(?:has|get|delete|remove|includes|indexOf|contains|off|un[a-z]\w*)$/;

// shares returns what in a text rests on sharing, as {what, word, at}, or undefined.
function shares(text) {
  const reader = new Reader(text);
  for (const rule of ['changed', 'identical', 'looked', 'old', 'kept', 'found']) {
    const found = reader[rule]();
    if (found) return { what: found[0], word: bare(found[1].word), at: reader.all.places[found[1].n] };
  }
  return undefined;
}

class Reader extends Chains {
  constructor(text) {
    super(text);
    this.ends = []; // where the test ends that a token is in
    for (const s of this.list) {
      if (/^(?:test|it|specify)$/.test(this.all[s.from]) && s.to - s.from > 4) for (let n = s.from; n < s.to; n++) this.ends[n] ??= s.to;
    }
    this.starts = new Map(this.list.map((s) => [s.from, s]));
    this.assertions = this.compares().sort((a, b) => a.from - b.from);
    this.sides = this.assertions.flatMap((a) => a.sides.map((side, k) => ({ a, n: a.from, side, other: a.sides[1 - k], c: this.at.get(side[0]) }))).filter(({ c }) => c);
    this.changes = this.mutations();
    this.throws = this.chains.filter((c) => c.word === 'throws' || c.steps.some((s) => /^(?:throws|toThrow\w*)$/.test(s.name)));
    // What is told to do something, by a statement of its own.
    this.tells = this.chains.filter((c) => {
      const s = this.starts.get(c.start);
      const { all } = this;
      const sets = c.steps.length === 1 && c.steps[0].name && all[c.end + 1] === '=' && all[c.end + 2] !== '=';
      return sets || (s && c.word !== 'expect' && c.steps.at(-1)?.call && c.end >= s.to - 1);
    });
  }

  // until is where the test ends that a place is in.
  until(n) {
    return this.ends[n] ?? this.all.length;
  }

  // later are those of a list, in the order of their places, after a place in its test.
  later(n, list = this.chains) {
    const index = (place) => {
      let [low, high] = [0, list.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle].n < place) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return list.slice(index(n + 1), index(this.until(n)));
  }

  reads(word, from, to) {
    return this.all.slice(from, to).includes(word);
  }

  // compares returns what the tests compare: {from, to, sides, matcher, not}.
  compares() {
    const { all, chains, at } = this;
    const found = [];
    for (const c of chains) {
      const names = c.steps.filter((s) => s.name).map((s) => s.name);
      const [first, second, ...more] = c.steps.filter((s) => s.call).map((s) => this.operands(s.at));
      const of = { from: c.n, to: c.end, matcher: names.at(-1) ?? c.word };
      if (more.length > 0) continue;
      if (c.word === 'expect' && second) found.push({ ...of, sides: [...first.slice(0, 1), ...second.slice(0, 1)], not: names.includes('not') });
      else if (/^(?:assert|strict|equal|(?:not|deep|strict|deepStrict|notStrict|notDeep|notDeepStrict)Equal)$/i.test(c.word) && first && !second) {
        found.push({ ...of, sides: first.slice(0, 2), not: /^not/.test(of.matcher) });
      } else if (c.word === 'Object' && names[0] === 'is' && first) found.push({ ...of, sides: first, not: /^(?:!|false)$/.test(all[c.n - 1]) });
    }
    const ending = new Map(chains.map((c) => [c.end, c]));
    for (let n = 1; n < all.length; n++) {
      const not = all[n - 1] === '!';
      if (all[n] !== '==' || (!not && all[n + 1] !== '=')) continue;
      const left = ending.get(not ? n - 2 : n - 1);
      const right = at.get(all[n + 1] === '=' ? n + 2 : n + 1);
      if (left && right) found.push({ from: left.start, to: right.end, sides: [left, right].map((c) => [c.start, c.end + 1]), matcher: '==', not, bare: true });
    }
    return found;
  }

  // compared are the chains that assertions after a place look at, with the other side.
  compared(n) {
    return this.later(n, this.sides);
  }

  // plain reports whether a variable is compared as a number or a text.
  plain({ a, c, side, other }) {
    const literal = other === undefined || (other[1] - other[0] <= 2 && /^(?:|-|true|false|null|undefined)$/.test(this.all[other[0]]));
    return c.steps.length === 0 && side[1] - 1 === c.end && !/^toHaveLength$/.test(a.matcher) && (literal || /^to(?:Be.+|Match)$/.test(a.matcher));
  }

  // mutations are the places where the tests change a value: {c, v, step}.
  mutations() {
    const { all, chains, objects } = this;
    const found = [];
    // The fields of objects that the tests construct.
    const fields = new Set(chains.flatMap((c) => c.steps.filter((step, k) => step.name && this.value(c, k)?.constructed).map((step) => step.name)));
    for (const c of chains) {
      c.steps.forEach((step, k) => {
        // What is sorted where it is looked at is there for that.
        const looked = sorting.test(step.name) && !this.starts.has(c.start);
        if (step.name && changing.test(step.name) && c.steps[k + 1]?.call && !looked) found.push({ c, v: this.value(c, k), step });
      });
      if (c.word === 'Object' && /^(?:assign|define\w+)$/.test(c.steps[0]?.name) && c.steps[1]?.call) {
        const d = this.alone(this.operands(c.steps[1].at)[0] ?? [0, 0]);
        if (d) found.push({ c: { ...d, end: c.end }, v: this.value(d), step: c.steps[0] });
      }
      const last = c.steps.at(-1);
      const mark = all.slice(c.end + 1, c.end + 5).join('');
      if (!last || last.call || !(all[c.start - 1] === 'delete' || /^(?:=(?!=)|[-+*/%&|^]=|\+\+|--|(?:\*\*|&&|\|\||\?\?|<<|>>)=)/.test(mark))) continue;
      // An object that is put somewhere, as in a tree, is put into an object.
      const right = all[c.end + 1] === '=' ? this.at.get(c.end + 2) : undefined;
      const put = right && /^(?:object|part)$/.test(this.value(right)?.kind);
      const field = c.steps.length === 1 && fields.has(last.name) && this.lookup(c.word, c.n)?.kind === 'part';
      if (!last.name || !(put || field || objects.has(`.${last.name}`))) found.push({ c, v: this.value(c, c.steps.length - 1), step: last });
    }
    return found.filter(({ v }) => v !== undefined);
  }

  // 1. The tests change a container of the program, and ask the program again.
  changed() {
    const { c } = this.changes.find((change) => this.seen(change)) ?? {};
    return c && ['the tests change what the program gave them', c];
  }

  seen({ c, v, step }) {
    const uses = this.later(c.end);
    const asks = (u) => ['object', 'part'].includes(this.value(u)?.kind);
    if (v.kind === 'export') {
      const { key, root } = v;
      const list = [...this.members.get(key) ?? []].every((name) => name in Array.prototype);
      if (this.called.has(root) || /^[A-Z][a-z]/.test(root) || this.objects.has(key) || isScalar(root) || (changing.test(step.name) && !list)) return false;
      return uses.some((u) => this.mine(u.word) || asks(u));
    }
    if (this.throwing(c)) return v.kind === 'part' || (v.kind === 'result' && (v.path !== '' || !changing.test(step.name)));
    // Another order shows only where the same is asked for again.
    if (v.kind === 'part' && sorting.test(step.name)) return uses.some((u) => u.steps.some((_, k) => ['of', 'path'].every((x) => this.value(u, k + 1)?.[x] === v[x])));
    if (v.kind === 'part') return !this.objects.has(`.${v.tail}`) && uses.some((u) => asks(u) || (this.mine(u.word) && (u.word === v.of || v.direct)));
    if (v.kind !== 'result') return false;
    const again = uses.some((u) => u.steps.some((s, k) => {
      const w = s.call && this.value(u, k + 1);
      return w && w.f === v.f && w.path === '' && this.spelled(w.args) === this.spelled(v.args);
    }));
    if (again || (sorting.test(step.name) && v.path === '')) return again;
    const given = this.operands(v.args[0]).map((side) => this.alone(side)).filter((d) => d && d.steps.length === 0).map((d) => d.word);
    return this.compared(c.end).some(({ a, c: d }) => given.includes(d.word) && !this.reads(c.word, a.from, a.to)) ||
      given.some((word) => this.lookup(word, c.n)?.kind === 'object' && uses.some((u) => u.word === word));
  }

  // throwing reports whether the tests expect that the program's container cannot be changed.
  throwing(c) {
    return this.throws.some((d) => d.n < c.n && c.n < d.end);
  }

  // 2. They ask whether two things of the program are the same.
  identical() {
    const { all } = this;
    // Variables that are no numbers or texts.
    const containers = new Set(this.chains.filter((c) => c.steps[0]?.index || (c.steps[0]?.name && !/^(?:length|toString)$/.test(c.steps[0].name)) || (all[c.n - 1] === '.' && all[c.n - 2] === '.')).map((c) => c.word));
    for (const { a, c, side, other } of this.sides) if (deep.test(a.matcher) && other && /^[[{]$/.test(all[other[0]]) && c.end === side[1] - 1) containers.add(c.word);
    const origin = (v) => (v.kind === 'part' ? `${v.of}${v.path}` : v.kind === 'result' ? `${v.f}${this.spelled(v.args)}${v.path}` : undefined);
    for (const a of this.assertions) {
      const [c, d] = same.test(a.matcher) && a.sides.length === 2 ? a.sides.map((side) => this.alone(side)) : [];
      const [v, w] = c && d ? [this.value(c), this.value(d)] : [];
      if (!v || !w || [v, w].some((x) => x.kind === 'export' || isScalar(x.tail)) || [c, d].some((x) => x.steps.length === 0 && isScalar(x.word))) continue;
      const told = ['the tests ask whether two things of the program are the same', { n: a.from, word: c.word }];
      if (this.borrowed(v, d, w, a) || this.borrowed(w, c, v, a)) return told;
      if ([v, w].some((x) => x.kind === 'own' || x.constructed) || (v.kind === 'object' && w.kind === 'object')) continue;
      const alike = origin(v) !== undefined && origin(v) === origin(w);
      if (a.bare && !a.not && alike && [c, d].every((x) => x.steps.every((s) => !s.call))) continue; // p.x === p.x
      if (alike || (a.not && v.tail === w.tail) || [c, d].some((x) => x.steps.length === 0 && containers.has(x.word))) return told;
    }
    return undefined;
  }

  // borrowed reports whether what the program gave is compared with a container that it was
  // given, or with one below that, but for a call's own argument and result.
  borrowed(v, d, w, a) {
    const { all } = this;
    if (w.kind !== 'own' || v.kind === 'own' || v.constructed) return false;
    const last = d.steps.at(-1);
    if (last && !(last.name ? all.some((t, n) => t === last.name && all[n + 1] === ':' && /^(?:[[{]|new)$/.test(all[n + 2])) : a.not)) return false;
    if (!last && v.kind === 'result' && v.path === '' && this.reads(d.word, ...v.args)) return false;
    return this.chains.some((u) => u.n < a.from && this.theirsAt(u) && u.steps.some((s) => s.call && this.reads(d.word, s.at, s.end)));
  }

  // theirsAt reports whether a chain begins with the program.
  theirsAt(c) {
    const v = this.lookup(c.word, c.n);
    return v ? v.kind !== 'own' : this.mine(c.word) && !this.bound.has(c.word);
  }

  // 3. They look into an object by a function that sees nothing of ours.
  looked() {
    const { all, text } = this;
    for (const c of this.chains) {
      const [name, call] = /^(?:util|Object)$/.test(c.word) ? [c.steps[0]?.name, c.steps[1]] : [c.word, c.steps[0]];
      const ours = c.word === 'Object' ? /^is(?:Frozen|Sealed|Extensible)$/.test(name) : c.word === 'structuredClone' ? this.clean(name) : this.library.has(c.word) && /^(?:inspect|format)$/.test(name);
      if (!ours || !call?.call) continue;
      const args = this.operands(call.at);
      if (name === 'format' && all[args[0]?.[0]] === '' && !/%[oOj]/.test(text.slice(all.places[args[0][0]], all.places[args[0][1]]))) continue;
      const values = args.map((side) => this.alone(side)).map((d) => d && this.value(d)).filter((v) => v && v.kind !== 'own');
      if (values.some((v) => v.kind !== 'result' || name !== 'structuredClone')) return [`the tests look at what the program gave by ${name}`, c];
    }
    return undefined;
  }

  // told reports whether an object is told something between two places, which does not
  // give it a word.
  told(root, from, to, word) {
    const of = (c) => {
      const v = this.value(c, 0);
      return v?.kind === 'object' && v.root === root;
    };
    return this.later(from, this.tells).some((c) => c.n < to && of(c) && !(word && this.reads(word, c.start, c.end)));
  }

  // 4. What an object gave is looked at after the object was told to change.
  old() {
    for (const [word, given] of this.bound) {
      for (const { at: n, value: v } of given) {
        if (v?.kind !== 'part' || v.element) continue;
        for (const use of this.compared(n)) {
          if (use.c.word !== word || this.lookup(word, use.c.n) !== v || this.plain(use)) continue;
          if (use.c.steps.length === 0 && (same.test(use.a.matcher) || isScalar(word))) continue;
          if (this.told(v.of, n, use.a.from)) return ['the tests look at what an object of the program gave before they changed the object', use.c];
        }
      }
    }
    return undefined;
  }

  // lends are the containers of the tests that calls of the program get, as {c, call,
  // word, keeper}. The keeper is the object that may keep it, if there is one.
  lends() {
    this.lent ??= this.chains.filter((c) => this.theirsAt(c) || this.value(c)?.kind === 'object').flatMap((c) => c.steps.flatMap((call, k) => {
      if (!call.call) return [];
      const into = this.value(c, k + 1);
      const owner = [into, this.value(c, k - 1)].find((v) => v?.kind === 'object');
      return this.operands(call.at).map((side) => this.alone(side)).filter((d) => d && d.steps.length === 0 && this.lookup(d.word, d.n)?.kind === 'own')
        .map(({ word }) => ({ c, call, word, keeper: owner?.root, name: c.steps[k - 1]?.name, whole: into?.kind === 'result' && into.path === '' }));
    }));
    return this.lent;
  }

  // 5. A container of the tests changes that the program may keep.
  kept() {
    const own = new Map(); // container of the tests → how they change it
    for (const m of this.changes) if (m.v.kind === 'own') own.set(m.c.word, [...own.get(m.c.word) ?? [], m]);
    for (const { c, call, word, keeper, whole } of this.lends()) {
      if (!keeper && !whole) continue;
      const change = own.get(word)?.find((m) => m.c.n > c.end && m.c.n < this.until(c.n));
      // A call that gets the container again gets it as it is.
      const asks = change && (keeper
        ? this.later(change.c.end).some((u) => !this.reads(word, u.start, u.end) && (this.value(u)?.of ?? this.lookup(u.word, u.n)?.root) === keeper)
        : this.compared(change.c.end).some((use) => this.lookup(use.c.word, use.c.n)?.args?.[0] === call.at && !this.plain(use) && !this.reads(word, use.a.from, use.a.to)));
      if (asks) return ['the tests change what they gave the program', change.c];
      const use = keeper && this.compared(c.end).find((u) => u.c.word === word && this.told(keeper, c.end, u.a.from, word));
      if (use) return ['the tests look at what they gave an object of the program after they changed the object', use.c];
    }
    return undefined;
  }

  // 6. An object looks for a container that it was given before.
  found() {
    const before = new Map(); // object and container → the calls that it was given by
    const again = this.lends().find((b) => {
      const key = `${b.keeper} ${b.word}`;
      const given = before.get(key) ?? [];
      before.set(key, [...given, b]);
      return b.keeper && finding.test(b.name) && given.some((a) => a.name !== b.name && this.until(a.c.n) >= b.c.n);
    });
    return again && ['the tests give an object of the program the same container again', again.c];
  }
}

module.exports = { shares };
