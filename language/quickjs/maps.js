'use strict';
// Source maps, as a compiler puts them at the end of a file.

const { maps } = part('language');
const path = part('path');
const { Buffer } = part('buffer');

const digits = new Map([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((c, n) => [c, n]));

// lines decodes the mappings: for each line, [column, source, line, column].
function lines(mappings) {
  const out = [];
  let [source, line, column] = [0, 0, 0];
  for (const text of mappings.split(';')) {
    let at = 0;
    const row = [];
    for (const segment of text.split(',')) {
      if (segment === '') continue;
      const values = [];
      let [value, shift] = [0, 0];
      for (const c of segment) {
        const digit = digits.get(c) ?? 0;
        value |= (digit & 31) << shift;
        shift += 5;
        if (digit & 32) continue;
        values.push(value & 1 ? -(value >> 1) : value >> 1);
        [value, shift] = [0, 0];
      }
      at += values[0];
      if (values.length >= 4) {
        source += values[1];
        line += values[2];
        column += values[3];
        row.push([at, source, line, column]);
      }
    }
    out.push(row);
  }
  return out;
}

class SourceMap {
  #rows;
  constructor(payload) {
    this.payload = payload;
    this.#rows = lines(payload.mappings);
  }

  // findEntry takes and gives lines and columns from 0 on.
  findEntry(line, column) {
    const found = (this.#rows[line] ?? []).findLast(([at]) => at <= column) ?? this.#rows[line]?.[0];
    if (!found) return {};
    const [generatedColumn, source, originalLine, originalColumn] = found;
    return { generatedLine: line, generatedColumn, originalSource: this.payload.sources[source], originalLine, originalColumn };
  }
}

// noteMap has stacks speak of the file that a compiled one was made of.
function noteMap(name, text) {
  const inline = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/.exec(text);
  if (!inline) return;
  const map = new SourceMap(JSON.parse(Buffer.from(inline[1], 'base64').toString()));
  maps.set(name, (line, column) => {
    const entry = map.findEntry(line - 1, column - 1);
    if (entry.originalLine === undefined) return null;
    return { file: path.join(path.dirname(name), entry.originalSource), line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  });
}

module.exports = { SourceMap, noteMap };
