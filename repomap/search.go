package repomap

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// Hit is a result of a search.
type Hit struct {
	Path string
	// Line is 0 where the path itself was found.
	Line int
	// Text is the line, escaped and shortened; for a path it is empty.
	Text string
	// Why is "path", "definition" or "text".
	Why string

	score int
	file  *file
}

// String is the hit on a separate line, the name escaped.
func (h Hit) String() string {
	if h.Line == 0 {
		return name(h.Path)
	}
	return fmt.Sprintf("%s:%d: %s", name(h.Path), h.Line, h.Text)
}

// Bounds of a search.
const (
	maxQuery    = 1000 // bytes
	maxTerms    = 8
	maxFileHits = 10
	maxHitText  = 200
)

// Search finds a query in the paths, the definitions and the text of all files
// read, without regard to case: the query as written, or else lines with all of
// its words. Definitions come first, then paths, then text with the query as a
// whole word, then the rest; among equals, files of more weight come first.
func (m *Map) Search(query string, limit int) []Hit {
	q := newQuery(query)
	if len(q.terms) == 0 || limit <= 0 {
		return nil
	}
	var mu sync.Mutex
	var hits []Hit
	// This context never ends: the number and size of the files bound the work.
	_ = m.each(context.Background(), m.files, func(f *file) {
		found := q.in(m, f)
		mu.Lock()
		defer mu.Unlock()
		hits = append(hits, found...)
		// Only the best are kept, lest a common word fill the memory.
		if len(hits) > 4*limit+1000 {
			hits = best(hits, limit)
		}
	})
	return best(hits, limit)
}

func best(hits []Hit, limit int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.file.weight, a.file.weight),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return hits[:min(len(hits), limit)]
}

// query is the wanted text, in lower case.
type query struct {
	whole string
	terms []string
}

func newQuery(text string) query {
	text = strings.ToValidUTF8(text[:min(len(text), maxQuery)], "")
	q := query{whole: lowered(strings.Trim(strings.TrimSpace(text), "\"'`"))}
	for _, t := range strings.Fields(q.whole) {
		if len(q.terms) < maxTerms && !slices.Contains(q.terms, t) {
			q.terms = append(q.terms, t)
		}
	}
	return q
}

// in finds the query in one file.
func (q query) in(m *Map, f *file) []Hit {
	var hits []Hit
	if s := q.score(lowered(f.path)); s > 0 {
		if base := lowered(path.Base(f.path)); q.whole == base || q.whole == strings.TrimSuffix(base, path.Ext(base)) {
			s++
		}
		hits = append(hits, Hit{Path: f.path, Why: "path", score: 10*s + 5, file: f})
	}
	if f.skipped != "" {
		return hits
	}
	src, err := m.src.Read(f.path)
	if err != nil || len(src) > m.o.MaxFileBytes {
		return hits
	}
	lower := asciiLower(src)
	// Most files have no line with the rarest term.
	for _, t := range q.terms {
		if !bytes.Contains(lower, []byte(t)) {
			return hits
		}
	}
	defined := map[int]string{}
	for _, s := range f.symbols {
		defined[s.Line] = lowered(s.Name)
	}
	var found []Hit
	for n := 1; len(lower) > 0; n++ {
		end := bytes.IndexByte(lower, '\n')
		if end < 0 {
			end = len(lower)
		}
		if s := q.score(string(lower[:end])); s > 0 {
			h := Hit{Path: f.path, Line: n, Text: line(around(src[:end], lower[:end], q), maxHitText), Why: "text", score: 10 * s, file: f}
			if defined[n] != "" && q.score(defined[n]) > 0 {
				h.Why, h.score = "definition", h.score+10
				if defined[n] == q.whole {
					h.score += 20
				}
			}
			found = append(found, h)
		}
		src, lower = src[min(end+1, len(src)):], lower[min(end+1, len(lower)):]
	}
	slices.SortStableFunc(found, func(a, b Hit) int { return cmp.Compare(b.score, a.score) })
	return append(hits, found[:min(len(found), maxFileHits)]...)
}

// score is 3 for a text with the whole query as a word, 2 for the whole query,
// 1 for all of its words, and 0 else.
func (q query) score(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], q.whole)
		if i < 0 {
			if from > 0 {
				return 2
			}
			break
		}
		i += from
		end := i + len(q.whole)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return 3
		}
		from = i + 1
	}
	for _, t := range q.terms {
		if !strings.Contains(text, t) {
			return 0
		}
	}
	return 1
}

// around cuts a long line to where the query is.
func around(src, lower []byte, q query) []byte {
	if len(src) <= maxHitText {
		return src
	}
	at := bytes.Index(lower, []byte(q.whole))
	if at < 0 {
		at = bytes.Index(lower, []byte(q.terms[0]))
	}
	from := max(0, at-maxHitText/2)
	return src[from:min(len(src), from+2*maxHitText)]
}

// asciiLower keeps the length, unlike the lower case of Unicode.
func asciiLower(b []byte) []byte {
	lower := make([]byte, len(b))
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return lower
}

func lowered(s string) string { return string(asciiLower([]byte(s))) }
