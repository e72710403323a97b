package redact

import (
	"bytes"
	"io"
	"slices"
)

// Detector looks for secrets in content that cannot be redacted, such as a database
// or a member of an archive. It is an [io.WriteCloser] for one goroutine, in
// bounded memory.
type Detector struct {
	raw    *writer
	dense  *writer // the same input without its many zeros
	text   bool
	found  map[string]int // rule → number of findings
	chance map[string]int // rule → number of findings by a name alone, unreliable in binary data
}

// Detector returns a new detector. In text, the detector looks for all secrets that
// r redacts. Binary data contains many chance matches, so a secret recognised only
// by a name next to it is ignored there. The detector does not change the counts.
func (r *Redactor) Detector(text bool) *Detector {
	d := &Detector{text: text, found: map[string]int{}, chance: map[string]int{}}
	for _, w := range []**writer{&d.raw, &d.dense} {
		*w = &writer{r: r, w: io.Discard, stages: r.stages(d.note, d.learn)}
	}
	return d
}

func (d *Detector) note(id string, _ []byte) { d.found[id]++ }

// learn counts findings of weak rules in binary data. A secret already known from
// elsewhere does not pass through learn, and so counts under any rule.
func (d *Detector) learn(id string, _ []byte) {
	if !d.text && book().weak[id] {
		d.chance[id]++
	}
}

// Write implements [io.Writer]. It never fails.
func (d *Detector) Write(p []byte) (int, error) {
	const many = 10 // one zero in so many bytes
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
