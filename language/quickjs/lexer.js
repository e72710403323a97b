'use strict';
// Finds what makes a file a module: the names that it imports from, import()
// and import.meta. It reads the text as far as that needs, and no further: the
// engine's own parser says whether it is right.

const word = /[\p{ID_Start}$_\\][\p{ID_Continue}$\u200c\u200d\\]*/uy;
const number = /0[xob][\da-f_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?[\d_]+)?n?/iy;
// After these words, or these marks, a slash begins a pattern.
const before = new Set(['return', 'typeof', 'instanceof', 'in', 'of', 'new', 'delete', 'void', 'throw', 'case', 'do', 'else', 'yield', 'await', 'default', 'extends']);

// scan returns the places, in order: {kind, start, end, value}. Kinds are
// "from" (a string that names a module), "dynamic" (the word import of a call),
// "meta" (import.meta) and "export" (a word that only a module may begin a
// statement with).
function scan(text) {
  const found = [];
  const nest = []; // what brackets are open; '`' for a template's ${
  let last = ''; // the last token: a word, a mark, or a kind of literal
  let lastParen = false; // whether the last ) closed a condition
  const parens = [];
  let n = 0;
  let wants = ''; // in an import or export declaration: what is awaited
  const at = (pattern) => {
    pattern.lastIndex = n;
    return pattern.exec(text)?.[0];
  };
  const skipTemplate = () => {
    for (; n < text.length; n++) {
      if (text[n] === '\\') n++;
      else if (text[n] === '`') { n++; return; }
      else if (text[n] === '$' && text[n + 1] === '{') {
        nest.push('`');
        n += 2;
        last = '{';
        return;
      }
    }
  };
  while (n < text.length) {
    const c = text[n];
    if (/\s/.test(c)) { n++; continue; }
    if (c === '/' && text[n + 1] === '/') {
      const end = text.indexOf('\n', n);
      n = end < 0 ? text.length : end;
      continue;
    }
    if (c === '/' && text[n + 1] === '*') {
      const end = text.indexOf('*/', n + 2);
      n = end < 0 ? text.length : end + 2;
      continue;
    }
    if (c === '"' || c === "'") {
      const start = n++;
      while (n < text.length && text[n] !== c && text[n] !== '\n') n += text[n] === '\\' ? 2 : 1;
      n++;
      if ((wants === 'import' && last === 'import') || (wants && last === 'from')) {
        found.push({ kind: 'from', start, end: n, value: text.slice(start + 1, n - 1) });
        wants = '';
      }
      last = 'string';
      continue;
    }
    if (c === '`') {
      n++;
      last = 'string';
      skipTemplate();
      continue;
    }
    const name = at(word);
    if (name !== undefined) {
      const start = n;
      n += name.length;
      const member = last === '.' || last === '?.';
      const follows = /^\s*(\S)?(\S)?/.exec(text.slice(n, n + 200));
      if (!member && name === 'import' && follows[1] !== ':') {
        if (follows[1] === '(') found.push({ kind: 'dynamic', start, end: n });
        else if (follows[1] === '.') {
          const meta = /^\s*\.\s*meta\b/.exec(text.slice(n));
          if (meta) {
            found.push({ kind: 'meta', start, end: n + meta[0].length });
            n += meta[0].length;
          }
        } else if (nest.length === 0) {
          wants = 'import';
          found.push({ kind: 'export', start, end: n });
        }
      } else if (!member && name === 'export' && nest.length === 0 && follows[1] !== ':') {
        wants = /^\s*[*{]/.test(text.slice(n, n + 200)) ? 'export' : '';
        found.push({ kind: 'export', start, end: n });
      } else if (wants === 'export' && nest.length === 0 && name !== 'from' && last === '}') {
        wants = '';
      }
      last = member ? 'name' : name;
      continue;
    }
    if (/[\d]/.test(c) || (c === '.' && /\d/.test(text[n + 1] ?? ''))) {
      n += at(number)?.length ?? 1;
      last = 'number';
      continue;
    }
    if (c === '/') {
      const value = last === 'string' || last === 'number' || last === 'name' || last === ']' || (last === ')' && !lastParen) || last === '}'
        || (/^[\p{ID_Start}$_]/u.test(last) && !before.has(last));
      if (!value) {
        let inClass = false;
        for (n++; n < text.length && text[n] !== '\n'; n++) {
          if (text[n] === '\\') n++;
          else if (text[n] === '[') inClass = true;
          else if (text[n] === ']') inClass = false;
          else if (text[n] === '/' && !inClass) break;
        }
        n++;
        n += at(/[a-z]*/y)?.length ?? 0;
        last = 'string';
        continue;
      }
    }
    if (c === '(') {
      parens.push(/^(?:if|while|for|with)$/.test(last));
      nest.push(c);
    } else if (c === ')') {
      lastParen = parens.pop() ?? false;
      nest.pop();
    } else if (c === '{' || c === '[') nest.push(c);
    else if (c === ']') nest.pop();
    else if (c === '}') {
      if (nest.pop() === '`') {
        n++;
        last = 'string';
        skipTemplate();
        continue;
      }
    } else if (c === ';') wants = '';
    if (c === '?' && text[n + 1] === '.') {
      last = '?.';
      n += 2;
      continue;
    }
    last = c === '+' && last === '+' ? 'name' : c === '-' && last === '-' ? 'name' : c;
    n++;
  }
  return found;
}

// replace puts texts in the place of what was found.
function replace(text, found, by) {
  let out = '';
  let end = 0;
  for (const place of found) {
    const made = by(place);
    if (made === undefined) continue;
    out += text.slice(end, place.start) + made;
    end = place.end;
  }
  return out + text.slice(end);
}

module.exports = { scan, replace };
