package repomap

import (
	"bytes"
	"context"
	"crypto/sha256"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Bounds of one file.
const (
	maxLine    = 4096 // bytes of a line that a person wrote
	maxSymbols = 500
	maxImports = 200
	maxNames   = 4096 // identifiers that count for the ranking
)

// file holds the facts about one file.
type file struct {
	path  string
	test  bool
	lang  *lang // nil where it is none that is parsed
	size  int
	lines int
	sum   [sha256.Size]byte
	// skipped is the reason for not reading the text; fallback the reason for
	// finding symbols line by line.
	skipped, fallback string
	symbols           []Symbol

	imports, importers []*file
	weight             float64

	// Until they are linked: the imports as written, the module of a go.mod,
	// and the hashes of the identifiers in the file, sorted.
	targets []string
	module  string
	names   []uint32
}

func newFile(p string) *file { return &file{path: p, test: isTest(p)} }

func (f *file) depth() int { return strings.Count(f.path, "/") }

var (
	testFolder = lazyre.New(`(?i)(^|/)(tests?|__tests__|specs?|testdata|fixtures)/`)
	testFile   = lazyre.New(`(^|/)(test_[^/]*|conftest\.py|[^/]*(_test|_spec|\.test|\.spec|Test|Tests)\.\w+|[^/]*\.(t|bats))$`)
	// vendored folders hold the work of others.
	vendored = lazyre.New(`(^|/)(node_modules|vendor|third_party|site-packages|\.venv|venv|\.git|bower_components)/`)
	// generated matches generators' marks at the top, and minifiers' marks in
	// names.
	generated = lazyre.New(`(?i)code generated .{0,200}do not edit|@generated\b|auto-?generated (file|by|from)`)
	minified  = lazyre.New(`(?i)[.-]min\.(js|mjs|css)$|\.(bundle|chunk)\.js$`)
)

func isTest(p string) bool { return testFolder().MatchString(p) || testFile().MatchString(p) }

// each runs do for the files from many goroutines, and stops early where ctx
// ends.
func (m *Map) each(ctx context.Context, files []*file, do func(f *file)) error {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		all.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(files) {
					return
				}
				do(files[n])
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// scan reads all files once.
func (m *Map) scan(ctx context.Context) error {
	for n, f := range m.files {
		if n >= m.o.MaxFiles {
			f.skipped = "too many files"
		} else if vendored().MatchString(f.path) {
			f.skipped = "vendored"
		}
	}
	return m.each(ctx, m.files, func(f *file) {
		if f.skipped != "" {
			return
		}
		src, err := m.src.Read(f.path)
		if err != nil {
			f.skipped = "unreadable"
			return
		}
		f.scan(src, m.o.MaxFileBytes)
	})
}

// scan finds all facts available without a parser.
func (f *file) scan(src []byte, most int) {
	f.size = len(src)
	if f.skipped = unreadable(f.path, src, most); f.skipped != "" {
		return
	}
	f.sum = sha256.Sum256(src)
	f.lines = bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		f.lines++
	}
	if path.Base(f.path) == "go.mod" {
		f.module = goModule(src)
	}
	if f.lang = langOf(f.path, src); f.lang == nil {
		return
	}
	f.symbols = byLine(f.lang, src)
	f.targets = unique(f.lang.imports(src), maxImports)
	f.names = identifiers(src)
}

// unreadable explains why a text was not written by a person, or "".
func unreadable(p string, src []byte, most int) string {
	head := src[:min(len(src), 8<<10)]
	if len(src) > most {
		return "too large"
	}
	if bytes.IndexByte(src, 0) >= 0 || strange(head) > len(head)/10 {
		return "binary"
	}
	for rest := src; len(rest) > maxLine; {
		n := bytes.IndexByte(rest[:maxLine+1], '\n')
		if n < 0 {
			return "too long lines"
		}
		// Go to the last line end that is in reach.
		rest = rest[bytes.LastIndexByte(rest[:maxLine+1], '\n')+1:]
	}
	if minified().MatchString(p) || generated().Match(src[:min(len(src), 2<<10)]) {
		return "generated"
	}
	return ""
}

// strange counts the bytes that are no text.
func strange(b []byte) int {
	n := 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 || r < 0x20 && !strings.ContainsRune("\t\n\r\f\x1b", r) {
			n++
		}
		i += size
	}
	return n
}

// unique keeps the first most of the different values, as copies: values must
// not retain the whole text.
func unique(values []string, most int) []string {
	var kept []string
	seen := map[string]bool{}
	for _, v := range values {
		if v == "" || len(v) > maxName || seen[v] {
			continue
		}
		if len(kept) == most {
			break
		}
		v = strings.Clone(v)
		seen[v] = true
		kept = append(kept, v)
	}
	return kept
}

// identifiers returns the hashes of a text's different identifiers.
func identifiers(src []byte) []uint32 {
	var hashes []uint32
	words(src, func(w []byte) {
		if len(w) >= minName {
			hashes = append(hashes, hash(w))
		}
	})
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return slices.Clone(hashes[:min(len(hashes), maxNames)])
}

// minName is the length below which a name does not identify its target.
const minName = 4

// words finds the identifiers of a text, of at most 64 bytes.
func words[T []byte | string](src T, found func(w T)) {
	start := -1
	for i := 0; i <= len(src); i++ {
		if i < len(src) && wordByte(src[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start <= 64 && (src[start] < '0' || src[start] > '9') {
			found(src[start:i])
		}
		start = -1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// hash is FNV-1a. A collision of two names makes a rank slightly wrong, without
// further harm.
func hash[T []byte | string](w T) uint32 {
	h := uint32(2166136261)
	for i := range len(w) {
		h = (h ^ uint32(w[i])) * 16777619
	}
	return h
}
