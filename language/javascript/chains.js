'use strict';
// Reads from the text of tests where each value comes from: from an object of the program,
// from a function of it, or from the tests' own containers. In doubt it comes from nowhere.

const { survey, words } = require('./flow.js');
const { closing, isWord } = require('./text.js');

const kinds = [Array, String, Number, Map, Set, Date, RegExp, Promise, Uint8Array, Buffer, Error, Object, Function, BigInt];
const builtin = (name) => kinds.some((kind) => name in kind.prototype);
// Methods that change a container.
const changing = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|set(?:UTC)?(?:FullYear|Month|Date|Hours|Minutes|Seconds|Milliseconds)|setTime)$/;
// Methods that give a copy, or no container.
const copying = /^(?:slice|map|filter|concat|flat|flatMap|toSorted|toReversed|toSpliced|with|join|reduce|reduceRight|keys|entries|size|includes|indexOf|some|every|has|toString|toFixed|toISOString|getTime|valueOf|trim|split|toUpperCase|toLowerCase|then|catch)$/;

// Chains are the expressions of a text that begin with a word: new X(a).b[c](d). Each
// is {n, word, newed, start, end, steps}; a step has a name, is a call or an index, and is at a
// token and ends at one.
//
// What a chain gives is of a kind:
//
//   object  an object of the program; root tells which, in words that are no one else's
//   part    what an object, of, gave; path tells how, and tail is the last name
//   result  what a call of the function f gave, or what is below it, by path
//   export  what the program exports under a name
//   own     a container of the tests
class Chains {
  constructor(text) {
    Object.assign(this, survey(text), { text });
    this.bound = new Map(); // word → what it is given, as {at, value}, in order
    this.whole = new Set(); // words for a whole module
    const { all, program } = this;
    for (let n = 1; n < all.length; n++) {
      if (all[n] === 'require' && all[n - 1] === '=' && program.has(all[n - 2])) this.whole.add(all[n - 2]);
      if (/^(?:import|as)$/.test(all[n - 1]) && /^(?:from|,)$/.test(all[n + 1]) && program.has(all[n])) this.whole.add(all[n]);
    }
    this.chains = [];
    this.at = new Map(); // where a chain begins → it
    for (let n = 0; n < all.length; n++) {
      const member = all[n - 1] === '.' && all[n - 2] !== '.';
      if (!isWord(all[n]) || words.has(all[n]) || member || (all[n + 1] === ':' && /^[{,]$/.test(all[n - 1])) || all[n + 1] === '=>') continue;
      const c = this.chain(n);
      this.chains.push(c);
      this.at.set(c.start, c);
      if (!this.at.has(n)) this.at.set(n, c);
    }
    this.see();
    this.bind();
  }

  // chain reads what begins with a word.
  chain(n) {
    const { all } = this;
    const c = { n, word: all[n], newed: false, start: n, end: n, steps: [] };
    for (;;) {
      for (;;) {
        const k = c.end + 1;
        if (all[k] === '.' && isWord(all[k + 1])) c.steps.push({ name: all[k + 1], at: k + 1, end: (c.end = k + 1) });
        else if (all[k] === '.' && /^[[(]$/.test(all[k + 1])) c.end = k;
        else if (all[k] === '(' || all[k] === '[') c.steps.push({ call: all[k] === '(', index: all[k] === '[', at: k, end: (c.end = closing(all, k)) });
        else break;
      }
      while (/^(?:new|await)$/.test(all[c.start - 1])) c.newed = all[--c.start] === 'new' || c.newed;
      // (await f(x)).a
      const before = all[c.start - 2];
      if (all[c.start - 1] !== '(' || all[c.end + 1] !== ')' || !/^[.[]$/.test(all[c.end + 2]) || (isWord(before) && !words.has(before)) || /^[)\]]$/.test(before)) return c;
      c.start--;
      c.end++;
    }
  }

  // see notes what stands for objects: what has methods that no value of the language has.
  see() {
    const { all, chains, functions, variables } = this;
    this.objects = new Set(); // words, properties (".x"), and what calls give ("f()", ".m()")
    this.called = new Set();
    this.members = new Map(); // the same → what is asked of them
    for (const { word, steps, newed } of chains) {
      if (newed || steps[0]?.call) this.called.add(word);
      if (!newed && steps[0]?.call && variables.has(word) && !functions.has(word)) this.objects.add(word);
      steps.forEach(({ name }, k) => {
        if (!name) return;
        const last = steps[k - 1];
        const owner = k === 0 ? word : last.name ? `.${last.name}` : last.call ? `${steps[k - 2]?.name ? `.${steps[k - 2].name}` : word}()` : '';
        this.members.set(owner, (this.members.get(owner) ?? new Set()).add(name));
        if (owner && steps[k + 1]?.call && !builtin(name)) this.objects.add(owner);
      });
    }
    for (let n = 0; n < all.length; n++) if (all[n] === 'instanceof' && this.mine(all[n + 1])) this.objects.add(all[n - 1]);
    for (const { word, n, steps } of chains) {
      if (word === 'expect' && steps.some((s, k) => s.name === 'toBeInstanceOf' && this.mine(all[steps[k + 1]?.at + 1])) && all[n + 3] === ')') this.objects.add(all[n + 2]);
    }
    for (const { start, steps, word } of chains) {
      if (all[start - 1] !== '=' || !this.objects.has(all[start - 2]) || !steps.at(-1)?.call) continue;
      this.objects.add(steps.length > 1 ? `.${steps.at(-2).name}()` : `${word}()`);
    }
  }

  // bind notes what variables are given, and which properties are given objects.
  bind() {
    const { all, at, text, bound, objects, program } = this;
    const give = (word, place, value) => {
      if (isWord(word) && !words.has(word) && !program.has(word)) bound.set(word, [...bound.get(word) ?? [], { at: place, value: value && { ...value, word, fresh: false } }]);
    };
    // below is what a value holds.
    const below = (v, name) => v && (v.kind === 'own' ? v : v.kind === 'export' ? undefined
      : { ...v, kind: v.kind === 'result' ? 'result' : 'part', of: v.of ?? v.root, path: `${v.path ?? ''}.${name}`, tail: name, element: name === '' });
    for (let n = 1; n < all.length; n++) {
      if (all[n] === 'of' && /^(?:const|let|var)$/.test(all[n - 2]) && at.has(n + 1)) give(all[n - 1], n, below(this.value(at.get(n + 1)), ''));
      if (all[n] === 'forEach' && all[n + 1] === '(') {
        const open = all[n + 2] === '(' ? n + 3 : n + 2;
        const c = this.chains.findLast((d) => d.n < n && d.steps.some((s) => s.at === n));
        if (c && /^(?:=>|[,)])$/.test(all[open + 1])) give(all[open], n, below(this.value(c, c.steps.findIndex((s) => s.at === n)), ''));
      }
      if (all[n] !== '=' || /^[-+*/%&|^<>!?=]$/.test(all[n - 1])) continue;
      const c = at.get(n + 1);
      const ends = c && (c.end + 1 >= all.length || /^[;,)}\]]$/.test(all[c.end + 1]) || text.slice(all.places[c.end], all.places[c.end + 1]).includes('\n'));
      const v = ends ? this.value(c) : undefined;
      if (all[n - 1] === '}') {
        for (let k = n - 2; k > 0 && /^[\w$\u00b7:,{]+$/.test(all[k]) && all[k] !== '{'; k--) {
          if (/^[,}]$/.test(all[k + 1])) give(all[k], n, below(v, all[k - 1] === ':' ? all[k - 2] : all[k].replace(/\u00b7.*/, '')));
        }
      } else if (all[n - 2] !== '.') {
        const literal = /^[[{]$/.test(all[n + 1]) || (all[n + 1] === 'new' && /^(?:Map|Set|Array|Date)$/.test(all[n + 2]));
        const w = v && objects.has(all[n - 1]) ? { ...v, kind: 'object', root: v.of ?? v.root } : v;
        give(all[n - 1], n, w && w.kind !== 'export' ? w : literal ? { kind: 'own' } : undefined);
      } else if (v?.kind === 'object' || (v?.kind === 'part' && c.steps.length === 0)) objects.add(`.${all[n - 1]}`);
    }
  }

  // mine reports whether a word is the program's. Without an import it is what is called
  // and nobody defines.
  mine(word) {
    if (this.program.has(word)) return !/^(?:module|exports)$/.test(word);
    return this.program.size === 0 && this.called.has(word) && word !== 'this' && ![this.functions, this.variables, words].some((of) => of.has(word)) && !this.clean(word);
  }

  lookup(word, n) {
    return this.bound.get(word)?.findLast(({ at }) => at < n)?.value;
  }

  // value is what a chain gives after so many of its steps.
  value(c, count = c.steps.length) {
    const { word, steps, newed, start } = c;
    const object = { kind: 'object', root: `${start}`, fresh: newed };
    const given = this.lookup(word, c.n);
    if (given !== undefined) return this.walk(given, steps, 0, count);
    if (this.functions.has(word)) {
      return this.makes(word) && steps[0]?.call && count > 0 ? this.walk(object, steps, 1, count) : undefined;
    }
    if (!this.mine(word)) return undefined;
    const below = this.whole.has(word) && steps[0]?.name && count > 0 && !this.called.has(word);
    const name = below ? steps[0].name : word;
    if (newed) {
      const call = steps.findIndex((s) => s.call);
      if (call >= 0 && call < count) return this.walk({ ...object, constructed: true }, steps, call + 1, count);
    }
    const key = below ? `.${name}` : word;
    const kind = this.objects.has(key) && !this.called.has(name) && !/^[A-Z]/.test(name) && !this.whole.has(name) ? 'object' : 'export';
    return this.walk({ kind, root: name, tail: name, key }, steps, below ? 1 : 0, count);
  }

  // makes reports whether a function of the tests constructs an object of the program.
  makes(word) {
    this.makers ??= new Map();
    if (!this.makers.has(word)) {
      const { from, to } = this.functions.get(word);
      this.makers.set(word, this.chains.some((d) => d.newed && from < d.n && d.n < to && this.mine(d.word)));
    }
    return this.makers.get(word);
  }

  // walk is what a value gives by further steps.
  walk(v, steps, k, count) {
    for (; k < count && v !== undefined; k++) {
      const step = steps[k];
      const calling = Boolean(step.name && steps[k + 1]?.call && k + 1 < count);
      if (calling) k++;
      if (v.kind === 'own') {
        if (step.call || calling) return undefined;
        continue;
      }
      const { root = v.of, path = '' } = v;
      const last = steps[k];
      const args = last.call ? [last.at, last.end] : undefined;
      const key = step.call ? (v.key ? `${v.key}()` : undefined) : calling ? `.${step.name}()` : `.${step.name}`;
      const spelled = step.name ? `.${step.name}${calling ? this.spelled(args) : ''}` : this.spelled([step.at, step.end]);
      const found = { tail: step.name ?? v.tail ?? v.word, args };
      const statics = v.kind === 'export' && calling && /^[A-Z]/.test(root);
      if (step.call || statics) v = { ...found, kind: 'result', root: `${root} ${last.at}`, f: `${root}${step.call ? path : `.${step.name}`}`, path: '' };
      else if (v.kind === 'object' && calling && changing.test(step.name) && (v.fresh || k < steps.length - 1)) continue; // s.add(1).add(2)
      else if (v.kind !== 'object' && (calling ? copying.test(step.name) : /^(?:length|size)$/.test(step.name))) return undefined;
      else if (v.kind === 'result') v = { ...v, tail: found.tail, path: path + spelled };
      else if (v.kind === 'object' && calling && /^(?:clone|copy)$/.test(step.name)) v = { ...found, kind: 'object', root: `${root} ${last.at}` };
      else v = { ...found, kind: 'part', of: v.of ?? root, path: path + spelled, direct: v.kind === 'export' && step.index };
      if (this.objects.has(key)) v = { ...v, kind: 'object', root: v.of ?? v.root };
    }
    return v;
  }

  // spelled is the text of a bracket, as its tokens are.
  spelled([open, close]) {
    const { all, text } = this;
    return all.slice(open, close + 1).map((token, k) => (token === '' ? text.slice(all.places[open + k], all.places[open + k + 1]).trim() : token)).join(' ');
  }

  // operands are the places, [from, to], between the commas of a bracket.
  operands(open) {
    const { all } = this;
    const found = [];
    const end = closing(all, open);
    for (let n = open + 1, from = n, depth = 0; n <= end; n++) {
      if (n === end || (depth === 0 && all[n] === ',')) {
        if (n > from) found.push([from, n]);
        from = n + 1;
      } else if (/^[([{]$/.test(all[n])) depth++;
      else if (/^[)\]}]$/.test(all[n])) depth--;
    }
    return found;
  }

  // alone is the chain that is all of an operand.
  alone([from, to]) {
    const c = this.at.get(from);
    return c && c.end === to - 1 ? c : undefined;
  }
}

module.exports = { Chains, changing };
