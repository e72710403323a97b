'use strict';
// Finds in the text of tests what rests on sharing: values cross between the tests and the
// program as copies, so what one side changes in a container the other does not see, and two
// containers are never the same. Such tests need the program in their own process. In doubt a
// text does not rest on it.

const { survey, words } = require('./flow.js');
const { closing, isWord } = require('./text.js');

const kinds = [Array, String, Number, Map, Set, Date, RegExp, Promise, Uint8Array, Buffer, Error, Object, Function, BigInt];
const builtin = (name) => kinds.some((kind) => name in kind.prototype);
const within = (kind, names) => [...names].every((name) => name in kind.prototype);
const changing = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|set(?:UTC)?(?:FullYear|Month|Date|Hours|Minutes|Seconds|Milliseconds)|setTime)$/;
// These give a copy, or no container.
const copying = /^(?:slice|map|filter|concat|flat|flatMap|toSorted|toReversed|toSpliced|with|join|reduce|reduceRight|keys|entries|length|size|includes|indexOf|some|every|has|toString|toFixed|toISOString|getTime|valueOf|trim|split|toUpperCase|toLowerCase|then|catch)$/;
// What is called so is a number or a text, which is a copy everywhere.
const scalar = /(?:^(?:is|has|can|count|calc|to[A-Z])|(?:ids?|uuid|guid|hash|token|key|code|slug|name|label|count|size|length|total|sum|value|random|rand|roll|digest|checksum|seed|salt|time|now|date|text|string|number|int|float|index|next|balance|amount|price|score|encode|decode|encrypt|decrypt|distance|gcd|lcm|area|max|min|version|level|width|height|depth)$)/i;
const element = /^(?:get|peek|pop|shift|top|front|back|first|second|last|at|read)$/;
const isScalar = (name = '') => [scalar, element].some((form) => form.test(name.replace(/\u00b7.*/, '')));
const loops = /^(?:forEach|map|filter|some|every|find)$/;

// shares returns what in a text rests on sharing, as {what, word, at}, or undefined.
function shares(text) {
  const { all, list, program, library, functions, variables, clean } = survey(text);
  const bound = new Map(); // word → what it is given, as {at, value}, in order
  const before = (n) => (all[n - 1] === '.' && all[n - 2] !== '.' ? undefined : all[n]);
  const mine = (word) => program.has(word) || (program.size === 0 && !clean(word) && !variables.has(word) && !functions.has(word) && isWord(word) && !words.has(word));
  const whole = new Set(); // words for a whole module
  for (let n = 1; n < all.length; n++) {
    if (all[n] === 'require' && all[n - 1] === '=' && program.has(all[n - 2])) whole.add(all[n - 2]);
    if (/^(?:import|as)$/.test(all[n - 1]) && /^(?:from|,)$/.test(all[n + 1]) && program.has(all[n])) whole.add(all[n]);
  }

  // chainAt reads what begins with a word: new X(a).b[c](d).
  const chainAt = (n) => {
    const c = { n, word: all[n], newed: false, start: n, end: n, steps: [] };
    const steps = () => {
      for (;;) {
        const k = c.end + 1;
        if (all[k] === '.' && isWord(all[k + 1])) c.steps.push({ name: all[k + 1], at: k + 1, end: (c.end = k + 1) });
        else if (all[k] === '.' && /^[[(]$/.test(all[k + 1])) c.end = k;
        else if (all[k] === '(' || all[k] === '[') c.steps.push({ [all[k] === '(' ? 'call' : 'index']: true, at: k, end: (c.end = closing(all, k)) });
        else return;
      }
    };
    steps();
    for (;;) {
      while (/^(?:new|await)$/.test(all[c.start - 1])) c.newed = all[--c.start] === 'new' || c.newed;
      if (all[c.start - 1] !== '(' || all[c.end + 1] !== ')' || isWord(all[c.start - 2]) && !words.has(all[c.start - 2]) || /^[)\]]$/.test(all[c.start - 2])) return c;
      c.start--;
      c.end++;
      const many = c.steps.length;
      steps();
      if (c.steps.length === many) return c;
    }
  };
  const chains = [];
  const at = new Map(); // where a chain begins → it
  for (let n = 0; n < all.length; n++) {
    if (!isWord(all[n]) || words.has(all[n]) || before(n) === undefined || (all[n + 1] === ':' && /^[{,]$/.test(all[n - 1])) || all[n + 1] === '=>') continue;
    const c = chainAt(n);
    chains.push(c);
    at.set(c.start, c);
    if (!at.has(n)) at.set(n, c);
  }
  const spelled = (from, to) => all.slice(from, to).map((token, k) => (token === '' ? text.slice(all.places[from + k], all.places[from + k + 1]).replace(/[\s,)\]}]+$/, '') : token)).join(' ');

  // What is asked of a word that no value of the language has makes it an object.
  const members = new Map();
  const note = (key, name) => members.set(key, (members.get(key) ?? new Set()).add(name));
  const objects = new Set(); // words and properties (".x") that stand for objects
  const called = new Set();
  for (const { word, steps, newed } of chains) {
    if (newed || steps[0]?.call) called.add(word);
    if (!newed && steps[0]?.call && variables.has(word) && !functions.has(word)) objects.add(word);
    steps.forEach((step, k) => {
      if (!step.name) return;
      const last = steps[k - 1];
      const owner = k === 0 ? word : last.name ? `.${last.name}` : last.call ? `${steps[k - 2]?.name ? `.${steps[k - 2].name}` : word}()` : undefined;
      note(owner, step.name);
      if (owner !== undefined && steps[k + 1]?.call && !builtin(step.name)) objects.add(owner);
    });
  }

  for (const { start, steps, word } of chains) {
    if (all[start - 1] !== '=' || !objects.has(all[start - 2]) || !steps.at(-1)?.call) continue;
    objects.add(steps.length > 1 ? `.${steps.at(-2).name}()` : `${word}()`);
  }

  const lookup = (word, n) => {
    const given = bound.get(word);
    return given && (given.findLast(({ at: place }) => place < n) ?? given[0]).value;
  };
  const made = (c) => ({ kind: 'object', root: `new ${c.start}`, fresh: true });
  // value is what a chain is after so many of its steps.
  const value = (c, count = c.steps.length) => {
    const { word, steps } = c;
    let v = lookup(word, c.n);
    let k = 0;
    if (v === undefined && functions.has(word)) {
      const s = functions.get(word);
      const makes = chains.some((d) => d.newed && s.from < d.n && d.n < s.to && mine(d.word));
      return makes && steps[0]?.call && count > 0 ? walk({ kind: 'object', root: `call ${c.start}`, tail: word }, steps, 1, count) : undefined;
    }
    if (v === undefined) {
      if (!mine(word)) return undefined;
      let name = word;
      if (whole.has(word) && steps[0]?.name && count > 0 && !called.has(word)) name = steps[k++].name;
      v = { kind: 'export', name, tail: name, key: k > 0 ? `.${name}` : word };
    }
    if (c.newed && v.kind === 'export') {
      while (k < count && !steps[k].call) k++;
      if (k >= count) return v;
      return walk(made(c), steps, k + 1, count);
    }
    return walk(v, steps, k, count);
  };
  const walk = (v, steps, k, count) => {
    for (; k < count && v !== undefined; k++) {
      const step = steps[k];
      const next = steps[k + 1];
      const calling = step.name && next?.call && k + 1 < count;
      if (v.kind === 'export') {
        if (step.call) {
          const key = `${v.key}()`;
          v = { kind: objects.has(key) ? 'object' : 'result', root: `${v.name} ${step.at}`, f: v.name, args: [step.at, step.end], tail: v.name, path: '' };
        } else if (calling && /^[A-Z]/.test(v.name)) {
          k++;
          v = { kind: objects.has(`.${step.name}()`) ? 'object' : 'result', root: `${v.name} ${step.at}`, f: `${v.name}.${step.name}`, args: [next.at, next.end], tail: step.name, path: '' };
        } else if (step.name && next?.call && k + 1 >= count) return { ...v, method: step.name };
        else if (calling) {
          k++;
          v = copying.test(step.name) ? undefined : { kind: 'part', of: v.name, tail: step.name, path: `.${step.name}(${spelled(next.at + 1, next.end)})`, args: [next.at, next.end] };
        } else v = { kind: 'part', of: v.name, tail: step.name ?? v.tail, path: step.name ? `.${step.name}` : `[${spelled(step.at + 1, step.end)}]`, direct: step.index };
        continue;
      }
      if (v.kind === 'own') {
        if (step.call) return undefined;
        continue;
      }
      if (step.call) {
        v = { kind: 'result', root: `${v.root ?? v.of} ${step.at}`, f: `${v.root ?? v.of}${v.path ?? ''}`, args: [step.at, step.end], tail: v.word ?? v.tail, path: '' };
        continue;
      }
      const path = `${v.path ?? ''}${step.name ? `.${step.name}` : `[${spelled(step.at + 1, step.end)}]`}`;
      const tail = step.name ?? v.tail;
      if (v.kind !== 'object' && copying.test(step.name) && (calling || !(step.name in Array.prototype) || step.name === 'length')) return undefined;
      const args = calling ? [next.at, next.end] : undefined;
      if (calling) k++;
      const full = calling ? `${path}(${spelled(next.at + 1, next.end)})` : path;
      const fluent = calling && changing.test(step.name) && v.kind === 'object' && (v.fresh || k < steps.length - 1);
      if (fluent) continue;
      if (v.kind === 'result') v = { ...v, path: full, tail };
      else v = { kind: 'part', of: v.of ?? v.root, tail, path: full, args, called: calling };
      if (objects.has(calling ? `.${step.name}()` : `.${tail}`)) v = { ...v, kind: 'object', root: v.of ?? v.root };
    }
    return v;
  };

  // operands are the places between the commas of a bracket.
  const operands = (open) => {
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
  };
  // alone is the chain that is all of an operand.
  const alone = ([from, to]) => {
    const c = at.get(from) ?? [1, 2].map((k) => at.get(from + k)).find((d) => d?.start === from);
    return c && c.end === to - 1 ? c : undefined;
  };

  // What variables are given. An object that a property is given shows that it holds objects.
  const give = (word, place, v) => bound.set(word, [...bound.get(word) ?? [], { at: place, value: v }]);
  for (let n = 1; n < all.length; n++) {
    if (all[n] === 'of' && isWord(all[n - 1]) && /^(?:const|let|var)$/.test(all[n - 2])) {
      const c = at.get(n + 1);
      const v = c && value(c);
      give(all[n - 1], n, v && v.kind !== 'export' ? { ...v, kind: v.kind === 'object' ? 'part' : v.kind, of: v.of ?? v.root, element: true } : undefined);
    }
    if (all[n] !== '=' || /^[-+*/%&|^<>!?=]$/.test(all[n - 1])) continue;
    let from = n + 1;
    while (/^(?:await|new|\()$/.test(all[from]) && !at.has(from)) from++;
    const c = at.get(n + 1) ?? at.get(from);
    const ends = c && (c.end + 1 >= all.length || /^[;,)}\]]$/.test(all[c.end + 1]) || text.slice(all.places[c.end], all.places[c.end + 1]).includes('\n'));
    const v = c && ends ? value(c) : undefined;
    if (isWord(all[n - 1]) && all[n - 2] !== '.') {
      if (!words.has(all[n - 1]) && !program.has(all[n - 1])) {
        const word = all[n - 1];
        let w = v?.kind === 'export' ? undefined : v;
        if (w && objects.has(word)) w = { ...w, kind: 'object', root: w.of ?? w.root };
        const literal = /^(?:\[|\{)$/.test(all[n + 1]) || (all[n + 1] === 'new' && /^(?:Map|Set|Array|Date)$/.test(all[n + 2]));
        give(word, n, w ? { ...w, word, fresh: false } : literal ? { kind: 'own', word } : undefined);
      }
    } else if (isWord(all[n - 1]) && (v?.kind === 'object' || (v?.kind === 'part' && c.steps.length === 0))) objects.add(`.${all[n - 1]}`);
  }

  const scopes = list.filter((s) => /^(?:test|it|specify)$/.test(all[s.from]) && s.to - s.from > 4);
  const scopeEnd = (n) => scopes.find((s) => s.from <= n && n < s.to)?.to ?? all.length;
  const statementOf = (n) => list.findLast((s) => s.from <= n && n < s.to);
  const later = (n) => chains.filter((c) => c.n > n && c.n < scopeEnd(n));
  const ofObject = (v) => v?.kind === 'object' || (v?.kind === 'part' && !v.element);
  const found = (what, c, word = c.word) => ({ what, word: word.replace(/\u00b7.*/, ''), at: all.places[c.n] });

  // assertions are what the tests compare: {from, to, sides, matcher, not, at}.
  const assertions = [];
  for (const c of chains) {
    const names = c.steps.filter((s) => s.name).map((s) => s.name);
    const opens = c.steps.filter((s) => s.call).map((s) => s.at);
    if (c.word === 'expect' && opens.length === 2) {
      assertions.push({ from: c.n, to: c.end, sides: [...operands(opens[0]).slice(0, 1), ...operands(opens[1]).slice(0, 1)], matcher: names.at(-1), not: names.includes('not'), one: operands(opens[1]).length === 0 });
    } else if (/^(?:assert|strict|equal|(?:not|deep|strict|deepStrict|notStrict|notDeep|notDeepStrict)Equal)$/i.test(c.word) && opens.length === 1) {
      assertions.push({ from: c.n, to: c.end, sides: operands(opens[0]).slice(0, 2), matcher: names.at(-1) ?? c.word, not: /^not/.test(names.at(-1) ?? c.word), one: operands(opens[0]).length === 1 });
    } else if (c.word === 'Object' && names[0] === 'is' && opens.length === 1) {
      assertions.push({ from: c.n, to: c.end, sides: operands(opens[0]), matcher: 'is', not: /^(?:!|false)$/.test(all[c.n - 1]) });
    }
  }
  for (let n = 1; n < all.length; n++) {
    if (all[n] !== '==' || (all[n - 1] !== '!' && all[n + 1] !== '=')) continue;
    const not = all[n - 1] === '!';
    const right = at.get(not ? (all[n + 1] === '=' ? n + 2 : n + 1) : n + 2);
    const left = chains.findLast((c) => c.end === (not ? n - 2 : n - 1) && c.steps.every((s) => s.end <= c.end));
    if (left && right) assertions.push({ from: left.start, to: right.end, sides: [[left.start, left.end + 1], [right.start, right.end + 1]], matcher: '==', not, bare: true });
  }
  const same = /^(?:toBe|strictEqual|notStrictEqual|equal|notEqual|is|==)$/;
  const within2 = (a, c) => a.from <= c.n && c.n <= a.to;
  // compared are the chains that assertions look at, and not what calls in them are given.
  const compared = (n) => assertions.filter((a) => a.from > n && a.from < scopeEnd(n))
    .flatMap((a) => a.sides.map((side, k) => ({ a, k, c: at.get(side[0]) ?? chains.find((d) => d.start === side[0]), side })).filter(({ c }) => c));
  const literal = (side) => side === undefined || (side[1] - side[0] <= 2 && /^(?:|-|true|false|null|undefined)$/.test(all[side[0]]));
  // plain reports whether an assertion compares a variable as a number or a text.
  const plain = ({ a, k, c, side }) => c.steps.length === 0 && side[1] - 1 === c.end &&
    (literal(a.sides[1 - k]) || /^to(?:Be(?!$)|Match$|Throw)/.test(a.matcher) || (a.one && /^(?:ok|assert)$/.test(a.matcher)));

  // 1. The tests change a container of the program.
  const changed = (c, v, k) => {
    if (v === undefined || v.kind === 'own') return undefined;
    const step = c.steps[k];
    const uses = later(c.end);
    if (v.kind === 'export') {
      const asked = members.get(v.key) ?? new Set();
      const container = !called.has(v.name) && !/^[A-Z][a-z]/.test(v.name) && !objects.has(v.key) && (step.index || within(Array, asked) || !c.steps[k + 1]?.call);
      return container && !isScalar(v.name) && uses.some((u) => mine(u.word) || ofObject(value(u)));
    }
    if (v.kind === 'part') return !objects.has(`.${v.tail}`) && uses.some((u) => ofObject(value(u)) || (mine(u.word) && (u.word === v.of || v.direct)));
    if (v.kind !== 'result') return undefined;
    const given = spelled(...v.args);
    const again = uses.some((u) => u.steps.some((_, m) => {
      const w = value(u, m + 1);
      return w?.kind === 'result' && w.path === '' && w.f === v.f && u.steps[m].call && spelled(...w.args) === given;
    }));
    if (again) return true;
    if (/^(?:sort|reverse)$/.test(step?.name)) return false;
    const passed = operands(v.args[0]).map(alone).filter((d) => d && d.steps.length === 0).map((d) => d.word);
    return compared(c.end).some(({ a, c: d }) => passed.includes(d.word) && !chains.some((u) => within2(a, u) && u.word === c.word)) ||
      passed.some((word) => lookup(word, c.n)?.kind === 'object' && uses.some((u) => u.word === word));
  };
  // fields are those of objects that the tests construct.
  const fields = new Set(chains.filter(({ word, n, steps }) => steps[0]?.name && lookup(word, n)?.root?.startsWith('new')).map(({ steps }) => steps[0].name));
  const mutations = []; // {c, v, k, word}: the step k of a chain changes v
  for (const c of chains) {
    c.steps.forEach((step, k) => {
      // What is sorted where it is looked at is there for that.
      const looked = /^(?:sort|reverse)$/.test(step.name) && statementOf(c.n)?.from !== c.start;
      if (step.name && changing.test(step.name) && c.steps[k + 1]?.call && !looked) mutations.push({ c, v: value(c, k), k });
    });
    const last = c.steps.at(-1);
    const sets = last && !last.call && ((all[c.end + 1] === '=' && all[c.end + 2] !== '=') || all[c.start - 1] === 'delete' ||
      (/^[-+*/%&|^?]$/.test(all[c.end + 1]) && (all[c.end + 2] === '=' || (/^[-+]$/.test(all[c.end + 1]) && all[c.end + 2] === all[c.end + 1]))) ||
      (/^[*&|?<>]$/.test(all[c.end + 1]) && all[c.end + 2] === all[c.end + 1] && all[c.end + 3] === '='));
    if (sets) {
      // An object that is put somewhere, as in a tree, is put into an object.
      const right = all[c.end + 1] === '=' ? at.get(c.end + 2) : undefined;
      const w = right && value(right);
      const alike = last.name && c.steps.length === 1 && fields.has(last.name) && lookup(c.word, c.n)?.kind === 'part';
      if (!alike && !(last.name && (w?.kind === 'object' || w?.kind === 'part' || objects.has(`.${last.name}`)))) mutations.push({ c, v: value(c, c.steps.length - 1), k: c.steps.length - 1 });
    }
    if (c.word === 'Object' && /^(?:assign|define\w+)$/.test(c.steps[0]?.name) && c.steps[1]?.call) {
      const d = alone(operands(c.steps[1].at)[0] ?? [0, 0]);
      if (d) mutations.push({ c: { ...d, end: c.end, steps: [...d.steps, { name: 'assign', at: c.end, end: c.end }] }, v: value(d), k: d.steps.length });
    }
  }
  for (const { c, v, k } of mutations) if (changed(c, v, k)) return found('the tests change what the program gave them', c);

  // 2. They ask whether two things of the program are the same.
  const origin = (v) => v && (v.kind === 'part' ? `${v.of}${v.path}` : v.kind === 'result' ? `${v.f}${spelled(v.args[0], v.args[1] + 1)}${v.path}` : undefined);
  const containers = new Set(); // variables that are no numbers or texts
  for (const c of chains) {
    if (c.steps[0]?.name && c.steps[0].name !== 'length' && c.steps[0].name !== 'toString') containers.add(c.word);
    if (c.steps[0]?.index || all[c.n - 1] === '.' && all[c.n - 2] === '.') containers.add(c.word);
  }
  for (const a of assertions) for (const side of a.sides) {
    const c = alone(side);
    const other = a.sides.find((s) => s !== side);
    if (c && c.steps.length === 0 && /^(?:to(?:Strict)?Equal|(?:not)?deep\w*|toMatchObject)$/i.test(a.matcher) && other && /^[[{]$/.test(all[other[0]])) containers.add(c.word);
  }
  // lent reports whether what the program gave is compared with a container that it was given,
  // or with one below it, but for a call's own argument and result.
  const lent = (c, v, d, w, a) => {
    if (w?.kind !== 'own' || !v || v.kind === 'own' || v.root?.startsWith('new') || isScalar(v.tail)) return false;
    const last = d.steps.at(-1);
    if (last && !(last.name ? all.some((t, n) => t === last.name && all[n + 1] === ':' && /^(?:[[{]|new)$/.test(all[n + 2])) : a.not)) return false;
    const has = ([from, to]) => all.slice(from, to).includes(d.word);
    if (!last && v.kind === 'result' && v.path === '' && has(v.args)) return false;
    return chains.some((u) => u.n < a.from && value(u)?.kind !== 'own' && (mine(u.word) || lookup(u.word, u.n)) && u.steps.some((s) => s.call && has([s.at, s.end])));
  };
  for (const a of assertions) {
    if (!same.test(a.matcher) || a.sides.length < 2) continue;
    const [c, d] = a.sides.map(alone);
    if (!c || !d) continue;
    const [v, w] = [value(c), value(d)];
    if (lent(c, v, d, w, a) || lent(d, w, c, v, a)) return found('the tests ask whether two things of the program are the same', { n: a.from }, c.word);
    if (![v, w].every((x) => x && (x.kind === 'part' || x.kind === 'result' || (x.kind === 'object' && x.tail)))) continue;
    if (v.kind === 'object' && w.kind === 'object') continue;
    if ([v, w].some((x) => x.kind === 'object' && x.root?.startsWith('new'))) continue;
    if ([c, d].some((x) => isScalar(x.steps.length === 0 ? x.word : undefined)) || isScalar(v.tail) || isScalar(w.tail)) continue;
    const held = [c, d].some((x) => x.steps.length === 0 && containers.has(x.word));
    const alike = a.not && !a.bare ? v.tail === w.tail : origin(v) === origin(w);
    if (a.bare && !a.not && c.steps.every((s) => !s.call) && origin(v) === origin(w)) continue; // p.x === p.x
    if (held || alike) return found('the tests ask whether two things of the program are the same', { n: a.from }, c.word);
  }

  // 3. They look into an object by a function that sees nothing of ours.
  for (const c of chains) {
    const [first, second] = c.word === 'util' ? [c.steps[0]?.name, c.steps[1]] : [c.word, c.steps[0]];
    if (!/^(?:inspect|format|structuredClone)$/.test(first) || !second?.call || (first === 'structuredClone' ? clean(first) === false : !library.has(c.word))) continue;
    const args = operands(second.at);
    if (first === 'format' && args[0] && all[args[0][0]] === '' && !/%[oOj]/.test(text.slice(all.places[args[0][0]], all.places[args[0][1]]))) continue;
    const seen = args.map(alone).some((d) => {
      const v = d && value(d);
      return v && v.kind !== 'own' && (v.kind !== 'result' || first !== 'structuredClone');
    });
    if (seen) return found(`the tests look at objects of the program by ${first}`, c);
  }

  // 4. What an object gave is looked at after the object was told to change.
  const tells = chains.filter((c) => {
    const s = statementOf(c.n);
    return s && (s.from === c.start || all[s.from] === 'await' && s.from + 1 >= c.start) && c.steps.at(-1)?.call && c.end >= s.to - 1 && c.word !== 'expect';
  });
  const root = (v) => v && (v.of ?? v.root);
  const told = (r, from, to, except) => [...tells, ...mutations.filter(({ v }) => v?.kind === 'object').map(({ c }) => c), ...chains.filter((c) => c.steps.length === 1 && c.steps[0].name && all[c.end + 1] === '=' && all[c.end + 2] !== '=')]
    .find((c) => c.n > from && c.n < to && lookup(c.word, c.n)?.kind === 'object' && root(lookup(c.word, c.n)) === r && !(except && chains.some((d) => d.word === except && c.start < d.n && d.n <= c.end)));
  for (const [word, given] of bound) {
    for (const { at: n, value: v } of given) {
      if (v?.kind !== 'part' && !(v?.kind === 'object' && v.of)) continue;
      if (v.kind === 'object' || v.element || isScalar(word) && !containers.has(word)) continue;
      for (const use of compared(n)) {
        if (use.c.word !== word || plain(use) || lookup(word, use.c.n) !== v) continue;
        if (use.c.steps.length === 0 && same.test(use.a.matcher)) continue; // what is the same was looked at above
        if (told(v.of, n, use.a.from)) return found('the tests look at what an object of the program gave after they changed the object', use.c);
      }
    }
  }

  // 5. A container of the tests that the program may keep changes.
  for (const c of chains) {
    for (const [k, step] of c.steps.entries()) {
      if (!step.call) continue;
      const into = value(c, k + 1);
      const from = value(c, k);
      const target = (c.newed || into?.kind === 'object' || from?.kind === 'object' || value(c, k - 1)?.kind === 'object') && (into ?? value(c, k - 1));
      const result = into?.kind === 'result' && into.path === '';
      if (!target && !result) continue;
      for (const d of operands(step.at).map(alone)) {
        if (!d || d.steps.length > 0 || lookup(d.word, d.n)?.kind !== 'own') continue;
        const { word } = d;
        const grows = mutations.find((m) => m.c.n > c.end && m.c.n < scopeEnd(c.n) && m.c.word === word && lookup(word, m.c.n)?.kind === 'own');
        const keeper = root(target) ?? root(into);
        if (grows) {
          const uses = later(grows.c.end).filter((u) => !chains.some((x) => x.word === word && u.start <= x.n && x.n <= u.end));
          const asks = target ? uses.some((u) => root(value(u)) === keeper || root(lookup(u.word, u.n)) === keeper)
            : compared(grows.c.end).some((use) => lookup(use.c.word, use.c.n)?.args?.[0] === step.at && !plain(use) && !all.slice(use.a.from, use.a.to).includes(word));
          if (asks) return found('the tests change what they gave the program', grows.c);
        }
        if (target && keeper) {
          for (const use of compared(c.end)) {
            if (use.c.word === word && told(keeper, c.end, use.a.from, word)) return found('the tests look at what they gave an object of the program after they changed the object', use.c);
          }
        }
      }
    }
  }
  return undefined;
}

module.exports = { shares };
