package redact

import (
	"bytes"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// keyRules find private keys and the secrets of Kubernetes, by the structure of
// their lines.
func keyRules() []*rule {
	return []*rule{
		{id: "private-key-base64", keys: []string{"LS0tLS1CRUdJTi"}, exact: true, left: alnum, span: 4096, tail: base64s.swallow,
			re: `LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,30}?(?:BSSVZBVEUgS0VZ|QUklWQVRFIEtFW|FBSSVZBVEUgS0VZ|UFJJVkFURSBLRV|gUFJJVkFURSBLR)[A-Za-z0-9+/=]{50,}`},
		{id: "putty-key", keys: []string{"private-lines:"}, lines: true, span: 4096, re: `(?i)private-lines:\s*\d+\s+((?:[a-z0-9+/=]{20,}\s*)+)`, tail: base64s.swallow},
		{id: "kubernetes-secret", need: ':', keys: []string{"apiversion"}, lines: true, list: true, span: 4096, find: findKubernetes},
	}
}

// pemRule is a private key in PEM. The key starts at its first line, even in the
// middle of a word, so the rule has a separate stage before the other rules: their
// input must not change when a marker replaces the key.
var pemRule = &keyed{&rule{id: "private-key", lines: true, span: 2048, find: findPEM}, "-----BEGIN "}

// pemFinder finds the key of pemRule.
type pemFinder struct{}

func (pemFinder) scan(b []byte, from int, hits []hit) []hit {
	key := []byte(pemRule.key)
	for at := max(0, from-len(key)+1); ; at += len(key) {
		i := bytes.Index(b[at:], key)
		if i < 0 {
			return hits
		}
		at += i
		hits = append(hits, hit{at, pemRule})
	}
}

func (pemFinder) pending(b []byte) int {
	for n := min(len(b), len(pemRule.key)-1); n > 0; n-- {
		if bytes.HasSuffix(b, []byte(pemRule.key[:n])) {
			return n
		}
	}
	return 0
}

func (pemFinder) slid(int) {}

const (
	// pemLine is the minimum length of a base64 run that counts as a line of a key.
	pemLine = 20
	// pemGap is the maximum number of bytes between two lines, if they only join
	// strings.
	pemGap = 48
	// pemPrefix is the maximum number of bytes between two lines of a log, and
	// pemFull the minimum length of a base64 run that counts as a line of a key
	// behind them.
	pemPrefix, pemFull = 300, 40
	// pemEnd is the maximum length of the line that ends a key.
	pemEnd = 80
)

// findPEM finds the start of a private key: its first line, perhaps some headers,
// and a first line of base64. pemTail finds the rest, of any length.
func findPEM(w []byte, key int, spans []span) []span {
	line := w[key:]
	end := bytes.Index(line[:min(len(line), 60)], []byte("-----"))
	if end < 0 || !bytes.Contains(line[:end], []byte("PRIVATE KEY")) {
		return spans
	}
	i := key + end + 5
	for range 8 {
		i += pemGapLen(w[i:])
		if pemRun(w[i:]) >= pemLine {
			return append(spans, span{start: 0, end: i, tail: pemTail})
		}
		header := pemHeader().Find(w[i:])
		if header == nil {
			break
		}
		i += len(header)
	}
	if gap := pemPrefixLen(w[i:]); gap >= 0 {
		return append(spans, span{start: 0, end: i + gap, tail: pemTail})
	}
	return spans
}

// pemPrefixLen returns the length of the gap between two lines of a key in a log.
// Each line of the log begins with a prefix: a time, the name of a container, the E
// of pytest. pemPrefixLen returns -1 if no full line follows on the same or the
// next line.
func pemPrefixLen(b []byte) int {
	b = b[:min(len(b), pemPrefix+pemFull)]
	lines := 0
	for i := 0; i < len(b); {
		if run := pemRun(b[i:]); run >= pemFull && mixed(b[i:i+run]) {
			return i
		} else if run > 0 {
			i += run
			continue
		}
		if b[i] == '\n' {
			if lines++; lines > 2 {
				return -1
			}
		}
		i++
	}
	return -1
}

// mixed reports whether b has letters of both cases and other bytes. Base64 of such
// a length has both, unlike names and paths.
func mixed(b []byte) bool {
	var lowers, uppers, others int
	for _, c := range b {
		switch {
		case 'a' <= c && c <= 'z':
			lowers++
		case 'A' <= c && c <= 'Z':
			uppers++
		default:
			others++
		}
	}
	return lowers*8 > len(b) && uppers*8 > len(b) && others > 0
}

// pemHeader is a line such as "Proc-Type: 4,ENCRYPTED".
var pemHeader = lazyre.New(`^[A-Za-z-]{3,20}: [^\r\n\\"\[\]]{1,100}`)

// pemRun returns the length of the run of base64 at the start of b, excluding "-"
// and "_".
func pemRun(b []byte) int {
	for i, c := range b {
		if !base64s[c] || c == '-' || c == '_' {
			return i
		}
	}
	return len(b)
}

// pemTail is the tail of a private key: lines of base64 with small gaps, up to the
// line that ends the key.
func pemTail(b []byte, eof bool) (int, bool) {
	n := 0
	for {
		rest := b[n:]
		run := pemRun(rest)
		if run == len(rest) {
			if eof {
				return len(b), true
			}
			// Keep enough of a line to recognise a key's line when the rest
			// arrives.
			return n + max(0, run-pemLine), false
		}
		if run >= pemLine {
			n += run
			continue
		}
		// The gap between two lines, a short last line, or the end.
		if !eof && len(rest) < run+pemPrefix+pemFull+pemEnd {
			return n, false
		}
		gap := pemGapLen(rest)
		if pemRun(rest[gap:]) >= pemLine {
			n += gap
			continue
		}
		end := bytes.Index(rest[:min(len(rest), run+pemPrefix)], []byte("-----END "))
		if full := pemPrefixLen(rest); full >= 0 && (end < 0 || full < end) {
			n += full
			continue
		}
		if end < 0 {
			return n, true
		}
		line := rest[end+9:]
		if dashes := bytes.Index(line[:min(len(line), pemEnd-20)], []byte("-----")); dashes >= 0 {
			return n + end + 9 + dashes + 5, true
		}
		return n + end + 9, true
	}
}

// pemGapLen returns the length of the gap between two lines of a key: line ends,
// raw or escaped, and the syntax for joining strings.
func pemGapLen(b []byte) int {
	i := 0
	for i < len(b) && i < pemGap {
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && (b[i+1] == 'n' || b[i+1] == 'r' || b[i+1] == 't'):
			i += 2
		case bytes.IndexByte([]byte(" \t\r\n\"'`,;.|>#*()+\\:"), c) >= 0 && (c != '+' || i+1 >= len(b) || !alnum[b[i+1]]):
			i++
		default:
			return i
		}
	}
	return i
}

// findKubernetes finds the values of a Secret in a Kubernetes manifest.
func findKubernetes(w []byte, key int, spans []span) []span {
	kind, data, depth := false, false, -1
	from := len(spans)
	for at := 0; at < len(w); {
		line := w[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		start := at
		at += len(line)
		text := bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("---")) {
			break
		}
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		name, value, _ := bytes.Cut(text, []byte(":"))
		value = bytes.Trim(bytes.TrimSpace(value), `"'`)
		switch {
		case string(name) == "kind":
			kind = kind || bytes.EqualFold(value, []byte("secret"))
		case (string(name) == "data" || string(name) == "stringData") && len(value) == 0:
			data, depth = true, indent
			continue
		}
		if data && indent <= depth {
			data = false
		}
		if !data {
			continue
		}
		if len(value) == 0 && bytes.IndexByte(text, ':') < 0 {
			value = text // a line of a block
		}
		if n := base64s.run(value); n >= 10 && n == len(value) {
			i := start + bytes.LastIndex(line, value)
			spans = append(spans, span{start: i, end: i + n})
		}
	}
	if !kind {
		return spans[:from]
	}
	return spans
}
