'use strict';
// Reads the text of tests: what objects they construct by calls, and which names
// of the program they let judge. It reads words and marks, no grammar; nothing
// in a comment, a string or a pattern counts.

const word = /[\p{ID_Start}$_\\][\p{ID_Continue}$\u200c\u200d\\]*/uy;
const number = /0[xob][\da-f_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?[\d_]+)?n?/iy;
const pattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/uy;
// After these words a slash begins a pattern.
const before = new Set(['return', 'typeof', 'instanceof', 'in', 'of', 'new', 'delete', 'void', 'throw', 'case', 'do', 'else', 'yield', 'await', 'default', 'extends']);

// tokens returns the words and marks of a text, literals as "".
function tokens(text) {
  const found = [];
  found.places = []; // where each begins
  found.ends = []; // and ends
  const add = (start, ...list) => {
    found.push(...list);
    for (const _ of list) {
      found.places.push(start);
      found.ends.push(n);
    }
  };
  const open = []; // '`' for a template's ${, else the mark, or 'if(' for a condition
  let closed = false; // whether the last ) closed a condition
  let n = 0;
  const at = (form) => {
    form.lastIndex = n;
    return form.exec(text)?.[0];
  };
  const template = () => {
    for (; n < text.length; n++) {
      if (text[n] === '\\') n++;
      else if (text[n] === '`') {
        n++;
        add(n - 1, '');
        return;
      } else if (text[n] === '$' && text[n + 1] === '{') {
        n += 2;
        open.push('`');
        add(n - 2, '', '+');
        return;
      }
    }
  };
  while (n < text.length) {
    const c = text[n];
    const start = n;
    const last = found.at(-1);
    if (/\s/.test(c)) n++;
    else if (c === '/' && text[n + 1] === '/') n = (text.indexOf('\n', n) + 1 || text.length + 1) - 1;
    else if (c === '/' && text[n + 1] === '*') n = (text.indexOf('*/', n + 2) + 1 || text.length) + 1;
    else if (c === '"' || c === "'") {
      for (n++; n < text.length && text[n] !== c && text[n] !== '\n'; n++) if (text[n] === '\\') n++;
      n++;
      add(start, '');
    } else if (c === '`') {
      n++;
      template();
    } else if (/\d/.test(c) || (c === '.' && /\d/.test(text[n + 1] ?? ''))) {
      n += at(number)?.length ?? 1;
      add(start, '');
    } else {
      const name = at(word);
      if (name !== undefined) {
        n += name.length;
        add(start, name);
        continue;
      }
      const value = last === '' || last === ']' || last === '}' || (last === ')' && !closed) || (last !== undefined && /^[\p{ID_Start}$_\\]/u.test(last) && !(before.has(last) && found.at(-2) !== '.'));
      const regex = c === '/' && !value ? at(pattern) : undefined;
      if (regex !== undefined) {
        n += regex.length;
        add(start, '');
        continue;
      }
      if (c === '(') open.push(/^(?:if|while|for|with)$/.test(last) && found.at(-2) !== '.' ? 'if(' : c);
      else if (c === '{' || c === '[') open.push(c);
      else if (c === ')') closed = open.pop() === 'if(';
      else if (c === ']') open.pop();
      else if (c === '}' && open.pop() === '`') {
        n++;
        add(start, '+');
        template();
        continue;
      }
      const mark = c === '?' && text[n + 1] === '.' ? '.' : c === '=' && /[=>]/.test(text[n + 1] ?? '') ? text.slice(n, n + 2) : c;
      n += c === '?' && mark === '.' ? 2 : mark.length;
      add(start, mark);
    }
  }
  return found;
}

const kinds = [Array, String, Number, Map, Set, Date, RegExp, Promise, Uint8Array, Buffer, Error, ArrayBuffer, BigInt];
const asks = /^(?:includes|indexOf|lastIndexOf|has|startsWith|endsWith|match|search|test|localeCompare|equals|compare|is(?:Subset|Superset|DisjointFrom)Of|some|every|find\w*|filter)$/;
const maker = /^(?:(?:create|make|build|new)(?:$|[A-Z_])|[A-Z][a-z])/;
const isWord = (token) => token !== undefined && /^[\p{ID_Start}$_]/u.test(token);

// closing is where the bracket ends that stands at n.
function closing(all, n) {
  for (let depth = 0; n < all.length; n++) {
    if (/^[([{]$/.test(all[n])) depth++;
    if (/^[)\]}]$/.test(all[n]) && --depth === 0) break;
  }
  return n;
}

// beginning is where a word, a literal or a call begins that ends at n.
function beginning(all, n) {
  for (let depth = 0; n > 0; n--) {
    if (/^[)\]}]$/.test(all[n])) depth++;
    if (/^[([{]$/.test(all[n])) depth--;
    const called = /^[([]$/.test(all[n]) && (isWord(all[n - 1]) || /^[)\]]$/.test(all[n - 1])) && !before.has(all[n - 1]);
    if (depth <= 0 && !called) break;
  }
  return n;
}

const asserts = /^(?:assert\w*|expect|ok|match|equals?|(?:not|deep|strict|deepStrict|notStrict|notDeep|notDeepStrict)Equal)$/;

// comparisons returns the places of a text, each {from, to, blocks, sides}, in which
// an assertion or a condition reads a variable on more than one side, and not only
// as it is: f(xs) beside [...xs].sort(). What a call changes in its arguments shows on its
// own side, and on the others when the assertion has all its values. In the blocks
// of functions there it shows at once. sides are where they begin.
function comparisons(text, all = tokens(text)) {
  const found = [];
  const consider = (from, to, own) => {
    const read = new Map(); // word → the sides on which it is read within something
    const blocks = [];
    const sides = [];
    const open = []; // the brackets around: 'own', 'call' or ''
    for (let n = from; n <= to && n < all.length; n++) {
      const token = all[n];
      if (token === '{' && /^(?:=>|\))$/.test(all[n - 1])) {
        const end = closing(all, n);
        blocks.push([all.places[n], all.places[end] ?? text.length]);
        n = end;
        continue;
      }
      if (/^[([{]$/.test(token)) open.push(own.has(n) ? 'own' : token === '(' && (isWord(all[n - 1]) || /^[)\]]$/.test(all[n - 1])) ? 'call' : '');
      if (/^[)\]}]$/.test(token)) open.pop();
      if (own.has(n) || (open.at(-1) === 'own' && /^(?:,|==|[<>])$/.test(token))) sides.push(all.places[n]);
      const spread = all[n - 1] === '.' && all[n - 2] === '.' && all[n - 3] === '.';
      if (!isWord(token) || (all[n - 1] === '.' && !spread) || /^(?:\(|=>)$/.test(all[n + 1])) continue;
      if (spread || /^[.[]$/.test(all[n + 1]) || open.includes('call')) read.set(token, (read.get(token) ?? new Set()).add(sides.length));
    }
    if ([...read.values()].some((on) => on.size > 1)) found.push({ words: new Set([...read].filter(([, on]) => on.size > 1).map(([name]) => name)), from: all.places[from], to: (all.places[to] ?? text.length) + 1, blocks, sides });
  };
  for (let n = 0; n < all.length; n++) {
    if (/^(?:if|while)$/.test(all[n]) && all[n + 1] === '(') consider(n + 1, closing(all, n + 1), new Set([n + 1]));
    if (!asserts.test(all[n]) || (all[n - 1] === '.' && all[n] !== 'assert')) continue;
    const own = new Set();
    let end = n;
    for (;;) {
      if (all[end + 1] === '.' && isWord(all[end + 2])) end += 2;
      else if (all[end + 1] === '(') {
        own.add(end + 1);
        end = closing(all, end + 1);
      } else break;
    }
    if (own.size > 0) consider(n, end, own);
  }
  return found;
}

// factories returns what the text calls to make an object whose methods judge:
// a name that says so (createStack, Stack, Stack.of), or one whose objects have
// methods that no value of the language has; and the names, assigned by no such
// call, whose methods judge.
function factories(text) {
  const all = tokens(text);
  const members = new Map(); // word → the members that the text uses of it
  const note = (name, member) => members.set(name, (members.get(name) ?? new Set()).add(member));
  const made = new Map(); // word → the calls that it is assigned from
  // What an import of a whole module is called.
  const whole = new Set();
  for (let n = 0; n < all.length; n++) {
    if (all[n] === 'import' && isWord(all[n + 1]) && /^(?:from|,)$/.test(all[n + 2])) whole.add(all[n + 1]);
    if (all[n] === 'as' && isWord(all[n + 1]) && all[n + 2] === 'from') whole.add(all[n + 1]);
    if (all[n] === '=' && all[n + 1] === 'require' && isWord(all[n - 1])) whole.add(all[n - 1]);
  }
  const direct = new Map(); // call → the members that the text uses of what it gives
  for (let n = 0; n < all.length; n++) {
    if (!isWord(all[n]) || all[n - 1] === '.') continue;
    let end = n + 1;
    let name = all[n];
    if (all[end] === '.' && isWord(all[end + 1]) && all[end + 2] === '(' && /^[A-Z]/.test(name)) {
      name += `.${all[end + 1]}`;
      note(all[n], all[end + 1]);
      end += 2;
    } else if (all[end] === '.' && whole.has(name) && isWord(all[end + 1]) && all[end + 2] === '(' && !asks.test(all[end + 1])) {
      name = all[end + 1]; // lib.createStack() is what createStack() is
      end += 2;
    } else if (all[end] === '.' && isWord(all[end + 1])) {
      note(name, all[end + 1]);
      continue;
    }
    if (all[end] !== '(' || /^(?:new|function)$/.test(all[n - 1]) || /^(?:require|import)$/.test(name)) continue;
    for (let depth = 0; end < all.length; end++) {
      if (/^[([{]$/.test(all[end])) depth++;
      if (/^[)\]}]$/.test(all[end]) && --depth === 0) break;
    }
    const start = all[n - 1] === 'await' ? n - 2 : n - 1;
    if (all[start] === '=' && isWord(all[start - 1])) made.set(all[start - 1], (made.get(all[start - 1]) ?? new Set()).add(name));
    if (all[end + 1] === '.' && isWord(all[end + 2])) direct.set(name, (direct.get(name) ?? new Set()).add(all[end + 2]));
  }
  const found = { factories: new Set(), judged: new Set(), whole };
  const consider = (call, used) => {
    if (![...used].some((m) => asks.test(m))) return;
    const plain = kinds.some((kind) => [...used].every((m) => m in kind.prototype));
    if (!plain || maker.test(call.split('.').at(-1)) || maker.test(call)) found.factories.add(call);
  };
  for (const [call, used] of direct) consider(call, used);
  for (const [name, used] of members) {
    for (const call of made.get(name) ?? []) consider(call, used);
    if (!made.has(name) && [...used].some((m) => asks.test(m))) found.judged.add(name);
  }
  return found;
}

// results returns, for each word after a dot, what the text asks of what it gives:
// by s.list().includes(x), or by a = s.list() and a.includes(x).
function results(text) {
  const all = tokens(text);
  const members = new Map(); // variable → what the text uses of it
  const variables = []; // [variable, word]
  const asked = new Map();
  const note = (map, name, member) => map.set(name, (map.get(name) ?? new Set()).add(member));
  for (let n = 0; n < all.length; n++) {
    if (!isWord(all[n])) continue;
    if (all[n - 1] !== '.') {
      if (all[n + 1] === '.' && isWord(all[n + 2])) note(members, all[n], all[n + 2]);
      continue;
    }
    let end = n + 1;
    if (all[end] === '(') {
      for (let depth = 0; end < all.length; end++) {
        if (/^[([{]$/.test(all[end])) depth++;
        if (/^[)\]}]$/.test(all[end]) && --depth === 0) break;
      }
      end++;
    }
    let start = n;
    while (all[start - 1] === '.' && start > 1) start = beginning(all, start - 2);
    while (/^(?:await|new)$/.test(all[start - 1])) start--;
    if (all[start - 1] === '=' && isWord(all[start - 2])) variables.push([all[start - 2], all[n]]);
    while (all[end] === ')') end++;
    if (all[end] === '.' && isWord(all[end + 1])) note(asked, all[n], all[end + 1]);
  }
  for (const [variable, name] of variables) for (const member of members.get(variable) ?? []) note(asked, name, member);
  return asked;
}

// siblings returns the methods whose results the text asks what it also asks of
// objects that it constructs: a.union(b).has(1) beside a.has(1). What they give may
// be of that class, and judges as its objects do. What is asked for the same again
// (s.add(1).add(2)) gives the object itself.
function siblings(text) {
  const all = tokens(text);
  const made = new Set(); // words that constructions are assigned to
  for (let n = 1; n < all.length; n++) if (all[n] === '=' && all[n + 1] === 'new' && isWord(all[n - 1])) made.add(all[n - 1]);
  const own = new Set(); // what is asked of them
  for (let n = 0; n < all.length; n++) if (made.has(all[n]) && all[n - 1] !== '.' && all[n + 1] === '.' && asks.test(all[n + 2])) own.add(all[n + 2]);
  return new Set([...results(text)].filter(([name, used]) => !used.has(name) && [...used].some((m) => own.has(m))).map(([name]) => name));
}

// plainly tells whether the text asks key of what a name gives, as of a plain
// value. What is asked for the same again (s.add(1).add(2)) is an object.
function plainly(asked, name, key) {
  const names = name === undefined ? [...asked.keys()] : [name];
  return names.some((n) => {
    const used = asked.get(n);
    return used !== undefined && used.has(key) && !used.has(n) && kinds.some((kind) => [...used].every((m) => m in kind.prototype));
  });
}

// equality tells whether the text has results say themselves what they are equal
// to (f(a).equals(g(b))). No value of the language has such a method but Buffer.
function equality(text) {
  const all = tokens(text);
  if (all.includes('Buffer')) return false;
  const made = new Set(); // words that only constructions are assigned to
  const given = new Set();
  for (let n = 1; n < all.length; n++) if (all[n] === '=' && isWord(all[n - 1])) (all[n + 1] === 'new' ? made : given).add(all[n - 1]);
  return all.some((token, n) => {
    if (!/^(?:equals|compare)$/.test(token) || all[n - 1] !== '.' || all[n + 1] !== '(') return false;
    if (isWord(all[n - 2])) return all[n - 3] === '.' || !made.has(all[n - 2]) || given.has(all[n - 2]);
    let start = beginning(all, n - 2);
    while (all[start - 1] === '.' && isWord(all[start - 2])) start -= 2;
    return all[start - 1] !== 'new';
  });
}

// choosing tells whether the text skips tests by what it finds out: by an option
// with more than a literal, by a form of test that is not called at once, or by a
// call in a test that is not its first statement.
function choosing(text) {
  const all = tokens(text);
  const found = { option: false, form: false, call: false };
  for (let n = 0; n < all.length; n++) {
    if (all[n] === '{' && /^(?:import|const|let|var|,)$/.test(all[n - 1])) {
      // Names that are taken from a module skip nothing.
      const end = all.indexOf('}', n);
      if (end > n && (all[end + 1] === 'from' || all[end + 1] === '=' && all[end + 2] === 'require')) n = end;
    }
    if (/^(?:skipIf|runIf)$/.test(all[n])) found.option = true;
    if (!/^(?:skip|todo|xit|xtest|xdescribe)$/.test(all[n])) continue;
    if (all[n - 1] === '.' && all[n + 1] === '(' && !/^(?:test|it|describe|suite|context|specify|only|concurrent)$/.test(all[n - 2])) {
      let start = n - 2;
      while (/^(?:return|await)$/.test(all[start - 1])) start--;
      if (all[start - 1] !== '{' || !/^(?:=>|\))$/.test(all[start - 2])) found.call = true;
    }
    if (all[n - 1] === '.' || /^x/.test(all[n])) {
      // Without its types, TypeScript's xit(…) is (0, module.xit)(…).
      const called = all[n + 1] === ')' && all[n + 2] === '(' && all[n - 3] === ',';
      if (!called && !/^[(.]$/.test(all[n + 1]) && all[n + 1] !== '') found.form = true;
    } else if (all[n + 1] === ':') {
      for (let k = n + 2; k < all.length && !/^[,}]$/.test(all[k]); k++) {
        if (isWord(all[k]) && all[k - 1] !== '.' && !/^(?:true|false|undefined|null|process)$/.test(all[k])) found.option = true;
      }
    } else if (/^[,}]$/.test(all[n + 1])) found.option = true;
  }
  return found;
}

// idle tells whether the text has nothing that a program can pass or fail.
function idle(text) {
  return !tokens(text).some((token) => /^[xf]?(?:test|it|specify)$|assert|expect|should|equal|throw|reject|exit|^(?:fail|ok|match)$/i.test(token));
}

// leaves tells whether the text leaves out each test that it spells: the program
// has no say in that.
function leaves(text) {
  const all = tokens(text);
  let left = false;
  for (let n = 0; n < all.length; n++) {
    // Without its types, TypeScript's it(…) is (0, module.it)(…).
    const called = all[n + 1] === '(' ? n + 1 : all[n + 1] === ')' && all[n + 2] === '(' ? n + 2 : -1;
    const suite = all[n] === 'xdescribe' || (all[n] === 'skip' && all[n - 1] === '.' && /^(?:describe|suite|context)$/.test(all[n - 2]));
    if (suite && called > 0) n = closing(all, called);
    else if (/^(?:skip|todo)$/.test(all[n]) && all[n - 1] === '.' && /^(?:test|it|specify)$/.test(all[n - 2]) && called > 0) n = closing(all, called);
    else if (/^(?:xit|xtest)$/.test(all[n]) && called > 0) n = closing(all, called);
    else {
      const form = /^(?:test|it|specify|fit)$/.test(all[n]) && (all[n - 1] !== '.' || all[n + 1] !== '(');
      if (form && (called > 0 || (all[n + 1] === '.' && !/^(?:skip|todo)$/.test(all[n + 2])))) return false;
      continue;
    }
    left = true;
  }
  return left;
}

// sparse tells whether the text spells an array with holes.
function sparse(text) {
  const all = tokens(text);
  return all.some((token, n) => {
    if (token === ',' && /^[,[]$/.test(all[n - 1])) return true;
    if (token !== 'Array' || all[n - 1] === '.' || all[n + 1] !== '(') return false;
    // Array(4).fill(0), [...Array(4)] and Array.from(Array(4)) have none.
    const start = all[n - 1] === 'new' ? n - 1 : n;
    return all[closing(all, n + 1) + 1] !== '.' && all[start - 1] !== '.' && !(all[start - 1] === '(' && all[start - 2] === 'from');
  });
}

// spells tells whether a text has an assertion: one of values, which is not only
// there to fail.
function spells(text) {
  const all = tokens(text);
  return all.some((token, n) => {
    if (!asserts.test(token) || (all[n - 1] === '.' && !/^(?:assert|equal|strictEqual|deepEqual|deepStrictEqual|ok|match)$/.test(token))) return false;
    while (all[n + 1] === '.' && isWord(all[n + 2]) && all[n + 2] !== 'fail') n += 2;
    return all[n + 1] === '(' && all.slice(n + 2, closing(all, n + 1)).some((t) => isWord(t) && !/^(?:true|false|null|undefined)$/.test(t));
  });
}

// stringly are the functions, by their names in the text, of whose results the text asks
// only what a text has, and something that only a text has.
function stringly(text) {
  const all = tokens(text);
  const given = new Map(); // word → the functions that it is assigned from
  const used = new Map(); // function → what the text asks of what it gives
  const note = (map, name, value) => map.set(name, (map.get(name) ?? new Set()).add(value));
  for (let n = 0; n < all.length; n++) {
    if (!isWord(all[n]) || all[n + 1] !== '(' || /^(?:new|function)$/.test(all[n - 1])) continue;
    let start = n;
    while (all[start - 1] === '.' && isWord(all[start - 2])) start -= 2;
    if (all[start - 1] === '(' && all[start + 1] === '.' && all[start - 2] === ',') start -= 1;
    if (all[start - 1] === 'await') start--;
    const end = closing(all, n + 1);
    if (all[end + 1] === '.' && isWord(all[end + 2])) note(used, all[n], all[end + 2]);
    if (all[start - 1] === '=' && isWord(all[start - 2])) note(given, all[start - 2], all[n]);
  }
  for (let n = 0; n < all.length; n++) {
    if (isWord(all[n]) && all[n - 1] !== '.' && all[n + 1] === '.' && isWord(all[n + 2])) for (const name of given.get(all[n]) ?? []) note(used, name, all[n + 2]);
  }
  const only = (member) => member in String.prototype && ![Array, Map, Set, Object].some((kind) => member in kind.prototype);
  return new Set([...used].filter(([, of]) => [...of].every((m) => m in String.prototype) && [...of].some(only)).map(([name]) => name));
}

module.exports = { tokens, closing, isWord, asserts, comparisons, factories, results, siblings, plainly, equality, choosing, idle, leaves, sparse, spells, stringly };
