package redact

import (
	"bytes"
	"io"
	"slices"
)

// Detector looks for secrets in a content that cannot be redacted, such as a
// database or a member of an archive. It is an [io.WriteCloser] for one
// goroutine, in bounded memory.
type Detector struct {
	raw    *writer
	dense  *writer // the same without its zeros, where it has many
	text   bool
	found  map[string]int // rule → how often
	chance map[string]int // of these, by a name alone where that means little
}

// Detector returns a new detector. In what is text it looks for all that is
// redacted in text; in other bytes, which are full of chance, not for what only
// a name beside it gives away. It counts nothing.
func (r *Redactor) Detector(text bool) *Detector {
	d := &Detector{text: text, found: map[string]int{}, chance: map[string]int{}}
	for _, w := range []**writer{&d.raw, &d.dense} {
		*w = &writer{r: r, w: io.Discard, stages: r.stages(d.note, d.learn)}
	}
	return d
}

func (d *Detector) note(id string, _ []byte) { d.found[id]++ }

// learn is told of what a rule found now; what is known from elsewhere counts
// whatever its rule is.
func (d *Detector) learn(id string, _ []byte) {
	if !d.text && book().weak[id] {
		d.chance[id]++
	}
}

// Write implements [io.Writer]. It never fails.
func (d *Detector) Write(p []byte) (int, error) {
	const many = 10 // one in so many bytes
	if zeros := bytes.Count(p, []byte{0}); zeros*many >= len(p) && zeros > 0 {
		_, _ = d.dense.Write(bytes.ReplaceAll(p, []byte{0}, nil))
	}
	return d.raw.Write(p)
}

// Close implements [io.Closer].
func (d *Detector) Close() error {
	_ = d.dense.Close()
	return d.raw.Close()
}

// Found names the rules that found a secret, sorted.
func (d *Detector) Found() []string {
	var ids []string
	for id, n := range d.found {
		if n > d.chance[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
