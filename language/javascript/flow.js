'use strict';
// Reads of the text of tests where what the program gives goes, and what the tests
// make of what they gave the program. It reads statements by their marks, no
// grammar: in doubt a word is the program's.

const { tokens, comparisons, closing, isWord, asserts } = require('./text.js');

const language = new Set([...Object.getOwnPropertyNames(globalThis), ...'require module exports __filename __dirname arguments undefined $ordered'.split(' ')]);
const words = new Set(('const let var function class return if else for while do switch case default break continue new delete typeof instanceof in of void ' +
  'throw try catch finally async await yield import export from as extends static get set true false null super').split(' '));
const framework = new Set(('test it describe suite context specify before after beforeEach afterEach beforeAll afterAll xit xtest xdescribe fit fdescribe ' +
  'jest vi mock expect assert done').split(' '));
const libraries = /^(?:node:)?(?:assert|test|util|events|fs|path|os|buffer|crypto|timers|url|stream|perf_hooks|vitest|mocha|@jest\/globals)(?:\/\w+)?$/;
const own = (word) => words.has(word) || language.has(word) || framework.has(word) || asserts.test(word);
const isRoot = (all, n) => isWord(all[n]) && (all[n - 1] !== '.' || (all[n - 2] === '.' && all[n - 3] === '.')) && !(all[n + 1] === ':' && /^[{,]$/.test(all[n - 1]));
const continues = /^(?:[=+\-*/%&|^!~<>?:,.([{]|=>|==|return|in|of|new|typeof|instanceof|await|else|throw|const|let|var|case|extends|import|from|async|delete|void|export|default)$/;
const goesOn = /^(?:[=+\-*/%&|^<>?:,.)\]([}]|=>|==|in|of|instanceof)$/;

// plainly returns the tokens of a text in which TypeScript's (0, solution_1.f)(x) and
// solution_1.f(x) are f(x), and node_assert_1.default is assert.
function plainly(all, text) {
  const found = [];
  found.places = [];
  const add = (token, place) => {
    found.push(token);
    found.places.push(place);
  };
  const asserting = new Set();
  const made = new Set();
  for (let n = 0; n < all.length; n++) {
    if (all[n] !== 'require' || all[n + 1] !== '(') continue;
    const at = all.slice(Math.max(0, n - 4), n).findLastIndex((token) => /_\d+$/.test(token));
    if (at < 0) continue;
    const word = all[Math.max(0, n - 4) + at];
    made.add(word);
    if (/^['"](?:node:)?assert/.test(text.slice(all.places[n + 2]))) asserting.add(word);
  }
  for (let n = 0; n < all.length; n++) {
    const at = all[n] === '(' && all[n + 1] === '' && all[n + 2] === ',' && made.has(all[n + 3]) && all[n + 4] === '.' && all[n + 6] === ')' ? n + 3 : n;
    if (made.has(all[at]) && all[at - 1] !== '.' && all[at + 1] === '.' && isWord(all[at + 2])) {
      add(all[at + 2] !== 'default' ? all[at + 2] : asserting.has(all[at]) ? 'assert' : all[at], all.places[n]);
      n = at === n ? n + 2 : n + 6;
    } else add(all[n], all.places[n]);
  }
  return { all: found, made };
}

// statements returns the statements of a text, outer ones first: {from, to, own},
// where own are its tokens that are in none of the blocks in it.
function statements(all, text) {
  const found = [];
  const isBlock = (n) => all[n] === '{' && (/^(?:=>|\)|else|try|finally|do|catch|static|[;{}])$/.test(all[n - 1] ?? ';') || /^(?:class|extends)$/.test(all[n - 2]));
  const read = (n, end) => {
    while (n < end) {
      if (/^[;}]$/.test(all[n])) {
        n++;
        continue;
      }
      const statement = { from: n, to: n, own: [] };
      found.push(statement);
      let depth = 0;
      for (; n < end; n++) {
        const token = all[n];
        if (depth === 0 && token === ';') break;
        if (depth === 0 && n > statement.from && all[n - 1] !== '}' && text.slice(all.places[n - 1], all.places[n]).includes('\n') &&
          !continues.test(all[n - 1]) && !goesOn.test(token)) break;
        if (isBlock(n)) {
          const close = closing(all, n);
          read(n + 1, close);
          n = close;
          if (depth === 0 && !/^(?:else|catch|finally|while|[.,)(])$/.test(all[n + 1])) {
            n++;
            break;
          }
          continue;
        }
        if (/^[([{]$/.test(token)) depth++;
        if (/^[)\]}]$/.test(token)) depth--;
        statement.own.push(n);
      }
      statement.to = n;
    }
  };
  read(0, all.length);
  return found;
}

// helperOf is the name of the function of the tests that a statement defines.
function helperOf(all, s) {
  const [a, b, c, d] = all.slice(s.from, s.from + 4);
  if (a === 'function' || a === 'class') return b;
  if (a === 'async' && b === 'function') return c;
  if (!/^(?:const|let|var)$/.test(a) || c !== '=') return undefined;
  return /^(?:function|async)$/.test(d) || (d === '(' && all[closing(all, s.from + 3) + 1] === '=>') || all[s.from + 4] === '=>' ? b : undefined;
}

// apart gives the words that a test or a function of the tests declares names that no
// other has.
function apart(all, list) {
  let end = 0;
  for (const [place, s] of list.entries()) {
    if (s.from < end || !(/^(?:test|it|specify)$/.test(all[s.from]) || helperOf(all, s) !== undefined)) continue;
    end = s.to;
    const declared = new Set();
    const take = (from, to) => {
      for (let n = from; n < to; n++) if (isWord(all[n]) && !words.has(all[n])) declared.add(all[n]);
    };
    for (let n = s.from; n < s.to; n++) {
      if (/^(?:const|let|var)$/.test(all[n]) && n > s.from) {
        let k = n + 1;
        while (k < s.to && !/^(?:=|of|in|;)$/.test(all[k])) k++;
        take(n + 1, k);
      } else if (/^(?:function|catch)$/.test(all[n])) {
        const open = all[n + 1] === '(' ? n + 1 : n + 2;
        if (all[open] === '(') take(open, closing(all, open));
      } else if (all[n] === '=>' && isWord(all[n - 1])) take(n - 1, n);
      else if (all[n] === '=>' && all[n - 1] === ')') {
        let k = n - 1;
        for (let depth = 0; k > s.from; k--) {
          if (all[k] === ')') depth++;
          if (all[k] === '(' && --depth === 0) break;
        }
        take(k, n);
      }
    }
    for (let n = s.from + 1; n < s.to; n++) {
      if (declared.has(all[n]) && (all[n - 1] !== '.' || all[n - 2] === '.') && !(/^(?:const|let|var|function)$/.test(all[n - 1]) && n <= s.from + 2)) all[n] += `\u00b7${place}`;
    }
  }
}

// imports returns the words that a text imports of the program, and of libraries.
function imports(all, text) {
  const program = new Set();
  const library = new Set();
  for (let n = 0; n < all.length; n++) {
    let from = n;
    let names = [];
    if (all[n] === 'import' && all[n + 1] !== '(' && all[n + 1] !== '.') {
      for (from = n + 1; from < all.length && all[from] !== 'from' && all[from] !== ''; from++) names.push(all[from]);
      if (all[from] === 'from') from++;
    } else if (all[n] === 'require' && all[n + 1] === '(' && all[n - 1] === '=') {
      let k = n - 2;
      for (; k >= 0 && !/^(?:const|let|var|;)$/.test(all[k]); k--) names.push(all[k]);
      from = n + 2;
    } else continue;
    const name = /^['"]([^'"]*)/.exec(text.slice(all.places[from] ?? text.length))?.[1] ?? '';
    for (const word of names) if (isWord(word) && !words.has(word)) (libraries.test(name) ? library : program).add(word);
  }
  return { program, library };
}

// survey reads the words of a text: its statements (list), what it imports of the
// program, the functions that it defines, what its statements give a value (gives), and the
// words that are the program's or have something of it (theirs). A clean word has nothing of it.
function survey(text) {
  const whole = tokens(text);
  const { all, made } = plainly(whole, text);
  const list = statements(all, text);
  apart(all, list);
  const { program, library } = imports(all, text);
  for (const [n, word] of whole.entries()) {
    if (made.has(word) && whole[n + 1] === '.' && whole[n + 2] !== 'default') (library.has(word) ? library : program).add(whole[n + 2]);
  }
  const theirs = new Set(program); // words of the program, and what has something of it
  const functions = new Map(); // function of the tests → its statement
  for (const s of list) {
    const name = helperOf(all, s);
    if (name !== undefined) functions.set(name, s);
  }
  const inside = (s) => {
    const found = [];
    for (let n = s.from; n < s.to; n++) if (isRoot(all, n)) found.push(n);
    return found;
  };
  const roots = new Map(list.map((s) => [s, inside(s)]));
  // declared are the words that a statement gives a value, but for the parameters of functions.
  const declared = (s) => {
    const found = new Set();
    const header = functions.has(all[s.from + 1]) || functions.has(all[s.from + 2]);
    for (const n of s.own) {
      if (/^(?:const|let|var)$/.test(all[n])) {
        for (let k = n + 1; k < s.to && !/^(?:=|of|in|;)$/.test(all[k]); k++) if (isWord(all[k]) && !words.has(all[k])) found.add(all[k]);
      } else if (isWord(all[n]) && all[n - 1] !== '.' && (all[n + 1] === '=' || (/^[-+*/%&|^?]$/.test(all[n + 1]) && /^[=]$/.test(all[n + 2])))) found.add(all[n]);
      else if (all[n] === '=>' && !header) {
        if (isWord(all[n - 1])) found.add(all[n - 1]);
        let depth = 0;
        for (let k = n - 1; all[n - 1] === ')' && k > s.from; k--) {
          if (all[k] === ')') depth++;
          if (all[k] === '(' && --depth === 0) break;
          if (isWord(all[k]) && !words.has(all[k])) found.add(all[k]);
        }
      } else if (/^\.?(?:push|set|add|unshift)$/.test(all[n]) && all[n - 1] === '.' && isRoot(all, n - 2)) found.add(all[n - 2]);
    }
    return found;
  };
  const gives = new Map(list.map((s) => [s, declared(s)]));
  const variables = new Set([...gives.values()].flatMap((of) => [...of]));
  const clean = (word) => words.has(word) || library.has(word) || (own(word) && !variables.has(word));
  // A word that is called, and that is no function of the tests, may be the program's.
  for (let n = 0; n < all.length; n++) {
    if (isRoot(all, n) && all[n + 1] === '(' && !clean(all[n]) && !functions.has(all[n]) && all[n - 1] !== 'function') theirs.add(all[n]);
  }
  const runs = (s) => /^(?:test|it|describe|suite|context|specify|(?:before|after)(?:Each|All)?|function|class)$/.test(all[s.from]);
  for (let more = true; more;) {
    more = false;
    const add = (word) => {
      if (theirs.has(word) || clean(word)) return;
      theirs.add(word);
      more = true;
    };
    for (const s of list) {
      if (!roots.get(s).some((n) => theirs.has(all[n]))) continue;
      if (!runs(s)) for (const word of gives.get(s)) add(word);
      for (const [word, at] of functions) if (at === s) add(word);
    }
  }
  return { all, list, program, library, functions, roots, gives, variables, clean, theirs, runs };
}

// changes returns what a text makes of the arguments that it gives the program:
//
//   statements  its statements, each {from, to} in the text, innermost last, with
//               keep   what a call there changes does not show in what the tests compare with
//               alias  whether the tests ask if a result is the same object as an argument
//               done   the call is there for what it changes
//               reads  it asserts of an argument by itself: changes show
//   marked      the places of the tests in which the text is not clear, or in which the program judges
//   ranges      its comparisons
//   tables      the places of statements that begin tests by what the program gives
//   all         whether such a place is in no test
function changes(text) {
  const { all, list, program, functions, roots, gives, clean, theirs, runs } = survey(text);
  const ranges = comparisons(text, all);

  // kin joins words that stand for the same, or of which one is made of the other.
  const parent = new Map();
  const kin = (word) => (parent.has(word) ? kin(parent.get(word)) : word);
  const join = (a, b) => kin(a) !== kin(b) && parent.set(kin(a), kin(b));
  const bare = (n) => !/^[.[(]$/.test(all[n + 1]) && all[n - 1] !== '.';
  const scopes = list.filter((s) => /^(?:test|it|specify)$/.test(all[s.from]) && roots.get(s).length > 0)
    .map((s) => ({ from: s.from, to: s.to, first: Infinity }));
  // given are the words that a call of the program gets, with the place.
  const callOf = (n) => {
    let end = n + 1;
    while (all[end] === '.' && isWord(all[end + 1])) end += 2;
    return theirs.has(all[n]) && all[end] === '(' && all[n - 1] !== 'function' ? [end, closing(all, end)] : undefined;
  };
  const calls = new Map(list.map((s) => [s, roots.get(s).map((n) => ({ n, span: callOf(n) })).filter(({ span }) => span)]));
  const firstGiven = new Map();
  for (const s of list) {
    for (const { span: [a, b] } of calls.get(s)) {
      for (let k = a; k < b; k++) if (isRoot(all, k) && !firstGiven.has(all[k])) firstGiven.set(all[k], k);
    }
  }
  for (const s of list) {
    const own = s.own.filter((n) => isRoot(all, n));
    if (gives.get(s).size === 0 || runs(s) || own.some((n) => theirs.has(all[n]) && !gives.get(s).has(all[n]))) continue;
    for (const word of gives.get(s)) {
      for (const n of own) {
        if (clean(all[n]) || functions.has(all[n])) continue;
        const copied = !bare(n) && n < (firstGiven.get(all[n]) ?? Infinity) && s.own.length < 40 && /^(?:const|let|var)$/.test(all[s.from]);
        if (!copied) join(word, all[n]);
      }
    }
  }

  const given = new Set([...firstGiven.keys()].map(kin));
  const uses = new Map(); // word's kin → how the tests use it after a call, by scope
  const scopeOf = (s) => scopes.find(({ from, to }) => from <= s.from && s.to <= to);
  const marked = [];
  let everywhere = false;
  const mark = (scope) => {
    if (!scope) everywhere = true;
    else if (!marked.some(({ from }) => from === all.places[scope.from])) marked.push({ from: all.places[scope.from], to: all.places[scope.to - 1] + 1 });
  };
  const note = (scope, word, how) => {
    const key = scope ?? 'outside';
    if (!uses.has(key)) uses.set(key, new Map());
    const of = uses.get(key);
    of.set(kin(word), (of.get(kin(word)) ?? new Set()).add(how));
  };
  const first = (s) => all[all[s.from] === 'await' || all[s.from] === 'return' ? s.from + 1 : s.from];
  const asserting = (s) => asserts.test(first(s)) || /^(?:if|while)$/.test(first(s)) || /^(?:if|while)$/.test(all[s.from]);
  const identity = (s) => s.own.some((n) => /^(?:toBe|strictEqual|notStrictEqual|equal|notEqual|is)$/.test(all[n]) || (all[n] === '==' && all[n - 1] !== '<'));
  // operand reports whether an assertion is given a variable itself.
  const operand = (n) => {
    if (!/^[(,]$/.test(all[n - 1]) || !/^[,)]$/.test(all[n + 1])) return false;
    let k = n - 1;
    for (let depth = 0; k > 0 && (all[k] !== '(' || depth > 0); k--) {
      if (/^[)\]}]$/.test(all[k])) depth++;
      if (/^[([{]$/.test(all[k]) && depth-- === 0) return false;
    }
    return asserts.test(all[k - 1]) || /^to[A-Z]/.test(all[k - 1]);
  };
  // together reports whether what a call gives and a variable are on the same side of
  // an assertion, beside each other, and on the other side is nothing of either.
  const together = (s, n, others) => {
    let open = s.from;
    while (open < s.to && all[open] !== '(') open++;
    if (!asserts.test(first(s)) || all[open] !== '(') return false;
    let end = open + 1;
    for (let depth = 0; end < s.to && !(depth === 0 && /^[,)]$/.test(all[end])); end++) depth += /^[([{]$/.test(all[end]) ? 1 : /^[)\]}]$/.test(all[end]) ? -1 : 0;
    const side = (k) => open < k && k < end;
    if (!side(n) || !others.every(side) || roots.get(s).some((k) => !side(k) && kin(all[k]) === kin(all[n]))) return false;
    const spans = calls.get(s).map(({ n: at, span }) => [at, span[1]]);
    for (let k = open + 1; k < end; k++) if (!spans.some(([a, b]) => a <= k && k <= b) && !isWord(all[k]) && !/^(?:[[\],.]|)$/.test(all[k])) return false;
    return true;
  };
  const negative = (s) => s.own.some((n) => /^(?:not|notStrictEqual|notEqual|!)$/.test(all[n]));
  const empty = new Set(); // words that begin as an empty container
  for (const s of list) {
    if (!/^(?:const|let|var)$/.test(all[s.from]) || all[s.from + 2] !== '=') continue;
    const rest = all.slice(s.from + 3, s.to).join(' ');
    if (/^(?:\[ \]|\{ \}|new (?:Map|Set|Array) \( \))$/.test(rest)) empty.add(all[s.from + 1]);
  }
  for (const s of list) {
    if (runs(s)) continue;
    const scope = scopeOf(s);
    const spans = calls.get(s);
    const tainted = roots.get(s).filter((n) => theirs.has(all[n]));
    const range = ranges.find(({ from, to }) => all.places[s.from] < to && from < (all.places[s.to] ?? text.length));
    for (const n of s.own) {
      if (!isRoot(all, n) || clean(all[n]) || functions.has(all[n])) continue;
      const word = all[n];
      if (!given.has(kin(word)) || (gives.get(s).has(word) && all[n + 1] === '=')) continue;
      // The argument of a call of the program, and of nothing else in it.
      const passed = spans.some(({ n: at, span: [a, b] }) => at !== n && a < n && n < b && !tainted.some((k) => a < k && k < b && kin(all[k]) !== kin(word)));
      if (passed || spans.some(({ n: at }) => at === n)) continue;
      let others = tainted.filter((k) => kin(all[k]) !== kin(word) && !(gives.get(s).has(all[k]) && all[k + 1] === '=' ));
      // What a comparison itself sees to.
      const beside = (k) => spans.some(({ n: at, span: [a, b] }) => (k === at || (a < k && k < b)) && all.slice(a, b).some((t, i) => t === word && isRoot(all, a + i)));
      if (range?.words.has(word)) others = others.filter((k) => !beside(k));
      const gets = [...gives.get(s)].some((w) => theirs.has(w) && kin(w) !== kin(word));
      if (others.length === 0 && !gets) {
        if (!asserting(s) || tainted.some((k) => kin(all[k]) !== kin(word))) continue;
        if (tainted.length > 0 || !operand(n)) note(scope, word, 'part');
        else s.reads = true;
        continue;
      }
      if (together(s, n, others)) {
        note(scope, word, 'part');
        continue;
      }
      const ends = (k) => /^[,)]$/.test(all[k]);
      const whole = asserting(s) && bare(n) && ends(n + 1) && others.every((k) => {
        const span = callOf(k);
        return span ? ends(span[1] + 1) : bare(k) ? ends(k + 1) || beside(k) : beside(k);
      }) && /^[(,]$/.test(all[n - 1]);
      if (whole && identity(s)) note(scope, word, negative(s) ? 'other' : 'same');
      else if (!(whole && s.own.some((k) => /^(?:toEqual|toStrictEqual|(?:not)?deep(?:Strict)?Equal)$/i.test(all[k])))) note(scope, word, 'expected');
    }
  }

  // The program is asked whether its own result is right: near(area(2), 12.5).
  const truth = (from) => {
    let depth = 0;
    for (let k = from; k > 0; k--) {
      if (/^[)\]}]$/.test(all[k])) depth++;
      if (!/^[([{]$/.test(all[k]) || depth-- > 0) continue;
      depth = 0;
      if (all[k] !== '(') continue;
      const called = all[k - 1];
      if (/^(?:if|while|assert|ok|isTrue|isFalse|assertTrue|assertFalse)$/.test(called)) return true;
      const rest = all.slice(closing(all, k));
      if (called === 'expect') return /^\) \. (?:not \. )?(?:toBeTruthy|toBeFalsy|(?:toBe|toEqual|toStrictEqual) \( (?:true|false))\b/.test(rest.slice(0, 8).join(' '));
      if (/^(?:not)?(?:deep)?(?:strict)?equal$/i.test(called)) return /^(?:true|false)$/.test(all[closing(all, k) - 1]) || /^(?:true|false)$/.test(all[k + 1]);
    }
    return false;
  };
  const verdicts = new Set();
  const alone = (a, b) => /^(?:[(!&|,?;{}]|=>|==|=|return|await|\+)$/.test(all[a - 1] ?? ';') && (/^(?:[)&|,?;}]|==)$/.test(all[b + 1] ?? ';') || text.slice(all.places[b], all.places[b + 1]).includes('\n'));
  const boolean = (n) => (all[n] === '==' ? /^(?:true|false)$/.test(all[n + 1] === '=' ? all[n + 2] : all[n + 1]) : true);
  for (const s of list) {
    for (const { n, span: [a, b] } of calls.get(s)) {
      if (!program.has(all[n]) && (functions.has(all[n]) || gives.get(s).has(all[n]) || (all[n + 1] === '.' && !/^[A-Z]/.test(all[n])))) continue;
      if (all[n - 1] === 'new' || !alone(n, b) || !boolean(b + 1)) continue;
      let holds = false;
      for (let k = a; k < b; k++) if (isRoot(all, k) && theirs.has(all[k]) && (program.has(all[k]) ? all[k + 1] !== ',' && all[k + 1] !== ')' : true)) holds = true;
      if (!holds) continue;
      if (truth(n - 1)) mark(scopeOf(s));
      else if (/^(?:=>|return)$/.test(all[n - 1])) for (const [word, { from, to }] of functions) if (from <= n && n < to) verdicts.add(word);
      if (all[n - 1] === '=' && isWord(all[n - 2])) verdicts.add(all[n - 2]);
    }
  }
  for (const s of list) for (const n of s.own) {
    if (!verdicts.has(all[n]) || !isRoot(all, n) || all[n + 1] === '=') continue;
    if (alone(n, all[n + 1] === '(' ? closing(all, n + 1) : n) && truth(n - 1)) mark(scopeOf(s));
  }

  const outside = uses.get('outside') ?? new Map();
  const found = list.map((s) => {
    const scope = scopeOf(s);
    const passed = calls.get(s).flatMap(({ span: [a, b] }) => roots.get(s).filter((n) => a < n && n < b));
    const bareCallee = roots.get(s).some((n) => program.has(all[n]) && !callOf(n));
    const how = new Set();
    let unclear = false;
    for (const n of passed.length > 0 && !bareCallee ? passed : roots.get(s)) {
      if (clean(all[n])) continue;
      const of = new Set();
      for (const use of scope ? [uses.get(scope) ?? new Map(), outside] : [...uses.values()]) for (const h of use.get(kin(all[n])) ?? []) of.add(h);
      for (const h of of) how.add(h);
      if (!theirs.has(all[n]) && passed.includes(n) && of.has('expected')) unclear ||= of.has('part') || of.has('same') || empty.has(all[n]);
    }
    // A call whose result nobody looks at is there for what it changes.
    let start = s.from;
    while (all[start] === 'await') start++;
    let end = start + 1;
    while (all[end] === '.' && isWord(all[end + 1])) end += 2;
    const done = isRoot(all, start) && theirs.has(all[start]) && !functions.has(all[start]) && all[end] === '(' && closing(all, end) >= s.to - 1;
    if (unclear && !done && !runs(s)) mark(scope);
    return {
      from: all.places[s.from], to: s.to < all.length ? all.places[s.to] : text.length,
      keep: !done && how.has('expected') && !unclear, alias: how.has('same') || how.has('other'), done,
      reads: s.reads === true,
    };
  });
  // Tests that are there only by what the program gives: none of them may be there.
  const tables = list.filter((s) => !runs(s) && helperOf(all, s) === undefined && s.own.some((n) => isRoot(all, n) && theirs.has(all[n])) &&
    all.slice(s.from, s.to).some((token, n, own) => /^(?:test|it|specify)$/.test(token) && own[n + 1] === '(' && own[n - 1] !== '.'))
    .map((s) => ({ from: all.places[s.from], to: s.to < all.length ? all.places[s.to] : text.length }));
  return { statements: found, ranges, marked, all: everywhere, tables };
}

// ordered returns a text in which the operands of <, >, <= and >= go through a
// function of that name.
function ordered(text, name) {
  const all = tokens(text);
  const ends = (token) => token === '' || /^[)\]}]$/.test(token) || (isWord(token) && !/^(?:typeof|await|void|delete|new|return|throw|case|do|else|yield|of|in|instanceof|default|const|let|var)$/.test(token));
  // Marks that hold weaker than an order, and what is no part of a template's value.
  const outside = (n) => /^(?:[({[;,?:=&|^<>]|=>|==|return|throw|case|do|else|yield|of|in|instanceof|default|const|let|var)$/.test(all[n]) && all[n - 1] !== '.' ||
    (all[n] === '+' && text[all.places[n]] !== '+') || (all[n] === '!' && all[n + 1] === '=');
  const added = [];
  for (let n = 1; n < all.length - 1; n++) {
    if (!/^[<>]$/.test(all[n]) || /^(?:[<>]|=>)$/.test(all[n - 1]) && all.places[n] === all.places[n - 1] + 1 || /^[<>]$/.test(all[n + 1])) continue;
    if (!ends(all[n - 1]) || all[n - 1] === '}') continue;
    let left = n;
    for (let depth = 0; left > 0; left--) {
      const before = all[left - 1];
      if (depth === 0 && left < n && ends(before) && /^(?:$|[\p{ID_Start}$_])/u.test(all[left])) break;
      if (/^[)\]}]$/.test(before)) depth++;
      else if (depth > 0) {
        if (/^[([{]$/.test(before)) depth--;
      } else if (outside(left - 1)) break;
    }
    const begin = n + (all[n + 1] === '=' ? 2 : 1);
    let right = begin;
    for (let depth = 0; right < all.length; right++) {
      if (depth === 0 && right > begin && (/^[)\]}]$/.test(all[right]) || (outside(right) && !/^[([]$/.test(all[right])) ||
        (ends(all[right - 1]) && !/^[([.]$/.test(all[right]) && /^(?:$|[\p{ID_Start}$_!{])/u.test(all[right])))) break;
      if (/^[([{]$/.test(all[right])) depth++;
      if (/^[)\]}]$/.test(all[right])) depth--;
    }
    if ([left, begin].some((k) => text[all.places[k]] === '`')) continue; // a text, whose beginning is no mark
    added.push([all.places[left], `${name}(`, 1], [all.ends[n - 1], ')', 0], [all.places[begin], `${name}(`, 1], [all.ends[right - 1], ')', 0]);
  }
  added.sort(([a, , x], [b, , y]) => a - b || x - y);
  let made = '';
  let at = 0;
  for (const [place, mark] of added) {
    made += text.slice(at, place) + mark;
    at = place;
  }
  return made + text.slice(at);
}

module.exports = { survey, changes, ordered, words };
