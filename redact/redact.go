// Package redact removes secrets from everything that leaves a box before anyone
// sees the output: streams, test messages, names of artifacts, errors.
//
// A [Redactor] knows two kinds of secrets. Some have a shape, such as the tokens of
// cloud services, private keys, or a value assigned to a name like password; a
// table of rules describes the shapes. Others are named by the caller, with their
// exact value, and are also found in common encodings. A secret is replaced by a
// marker such as [redacted:github-pat] and counted. The finding of a rule is also
// removed at its other occurrences, and parts of named values are removed where a
// text was cut. In content that cannot be changed, such as an archive, a [Detector]
// finds the same secrets.
//
// All other text passes byte for byte, whether UTF-8 or not. Redacting twice is the
// same as redacting once. A stream is redacted in bounded memory, and its division
// into writes makes no difference. docs/redaction.md describes the limits: a
// program can smuggle a value out in an encoding unknown to any redactor, so never
// give a box a secret that its program may not show.
package redact

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox"
)

const (
	// MinSecret is the minimum length, in bytes, of a value named by the caller.
	// Shorter values are ignored: they would be found everywhere.
	MinSecret = 4
	// MaxSecret is the maximum length, in bytes, of a named value that is found as
	// a whole. A longer value is found in parts of this length.
	MaxSecret = 8 << 10
)

// Config lists the secrets for a [Redactor], in addition to its rules.
type Config struct {
	// Secrets are values by name. A value is found as is, split by white space,
	// quotes or terminal escapes, in each of its long lines alone, in base64,
	// base32, hex, decimal, URL, HTML, JSON and backslash form, in dumps,
	// backwards, and in parts next to a cut. The marker is [redacted:secret:NAME].
	Secrets map[string]string
}

// Redactor redacts the streams of one run. It is safe for use by several
// goroutines.
type Redactor struct {
	named *named // nil without named secrets
	found memory // findings of the rules

	mu     sync.Mutex
	counts map[[2]string]int // key: rule and stream
}

// New makes a Redactor. Costly work waits for the first redaction, so a run without
// output avoids the cost.
func New(cfg Config) *Redactor {
	r := &Redactor{counts: map[[2]string]int{}}
	if len(cfg.Secrets) > 0 {
		r.named = newNamed(cfg.Secrets)
	}
	return r
}

// Skipped returns the names of the secrets that are shorter than [MinSecret] and
// therefore ignored. Tell the caller.
func (r *Redactor) Skipped() []string {
	if r.named == nil {
		return nil
	}
	return slices.Clone(r.named.skipped)
}

// Bytes redacts b, the whole text of the named stream. It never changes b, but may
// return b.
func (r *Redactor) Bytes(stream string, b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	for _, st := range r.stages(r.noter(stream), r.learn) {
		b = st.whole(b)
	}
	return b
}

// String is [Redactor.Bytes] for a string.
func (r *Redactor) String(stream, s string) string {
	if s == "" {
		return s
	}
	b := []byte(s)
	clean := r.Bytes(stream, b)
	if len(clean) == len(b) && (&clean[0] == &b[0] || bytes.Equal(clean, b)) {
		return s
	}
	return string(clean)
}

// Writer returns a writer that passes its input to w, redacted. It holds back
// undecided text, such as the rest of a line containing a candidate, until more is
// written or the writer is closed. Close writes the rest and does not close w.
func (r *Redactor) Writer(stream string, w io.Writer) io.WriteCloser {
	return &writer{r: r, stream: stream, w: w}
}

// Counts returns the redactions so far, by rule and stream, sorted.
func (r *Redactor) Counts() []glovebox.Redaction {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []glovebox.Redaction
	for k, n := range r.counts {
		all = append(all, glovebox.Redaction{Rule: k[0], Stream: k[1], Count: n})
	}
	slices.SortFunc(all, func(a, b glovebox.Redaction) int {
		return cmp.Or(strings.Compare(a.Stream, b.Stream), strings.Compare(a.Rule, b.Rule))
	})
	return all
}

// stages returns the stages of a stream. note is called for each redaction, learn
// for the redactions by rules. Named secrets go first: their markers cannot make or
// break a match of a rule that a second redaction of the text would see otherwise.
func (r *Redactor) stages(note, learn noter) []*stage {
	both := func(id string, secret []byte) {
		note(id, secret)
		learn(id, secret)
	}
	var all []*stage
	add := func(f finder, n noter, v *veil) {
		all = append(all, &stage{finder: f, known: r.known, note: n, veil: v})
	}
	if r.named != nil {
		for _, f := range r.named.finders() {
			add(f, note, nil)
		}
	}
	add(pemFinder{}, note, nil)
	add(&ruleFinder{rulebook: book()}, both, nil)
	add(&ruleFinder{rulebook: book()}, both, &veil{})
	add(memoryFinder{&r.found}, note, nil)
	return all
}

// known reports whether id is the name of a rule.
func (r *Redactor) known(id string) bool {
	return book().ids[id] || r.named != nil && r.named.ids[id]
}

// learn remembers the finding of a rule.
func (r *Redactor) learn(id string, secret []byte) {
	if len(secret) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found.add(id, secret)
}

func (r *Redactor) noter(stream string) noter {
	return func(id string, _ []byte) {
		r.mu.Lock()
		r.counts[[2]string{id, stream}]++
		r.mu.Unlock()
	}
}

// writer redacts a stream as it arrives.
type writer struct {
	r      *Redactor
	stream string
	w      io.Writer
	stages []*stage
	err    error
	closed bool
}

func (w *writer) Write(p []byte) (int, error) {
	if w.closed {
		return 0, io.ErrClosedPipe
	}
	if len(p) == 0 || w.err != nil {
		return 0, w.err
	}
	if w.stages == nil {
		w.stages = w.r.stages(w.r.noter(w.stream), w.r.learn)
	}
	w.pass(0, p, false)
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

func (w *writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.stages != nil && w.err == nil {
		w.pass(0, nil, true)
	}
	w.stages = nil
	return w.err
}

// pass gives p to stage i, and the result to the next stage.
func (w *writer) pass(i int, p []byte, eof bool) {
	if i == len(w.stages) {
		if len(p) > 0 && w.err == nil {
			_, w.err = w.w.Write(p)
		}
		return
	}
	w.stages[i].write(p, eof, func(q []byte) { w.pass(i+1, q, false) })
	if eof {
		w.pass(i+1, nil, true)
	}
}
