package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/artifact"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/tier"
)

// streamCapture is one stream of the run: redacted, then kept head and tail,
// and whole as an artifact where it is long.
type streamCapture struct {
	r       *run
	name    string
	capture *observe.Capture
	in      io.WriteCloser // the redactor's
	whole   *wholeStream   // nil while the stream is short
}

// wholeStream is a long stream on its way into the store.
type wholeStream struct {
	id   string
	blob artifact.Blob
	sum  hash.Hash
	size int64
}

func (w *wholeStream) Write(p []byte) (int, error) {
	n, err := w.blob.Write(p)
	if err != nil {
		w.blob.Discard() // what room there is, others can use at once
		return n, err
	}
	w.sum.Write(p)
	w.size += int64(len(p))
	return n, nil
}

// end completes the stream's artifact.
func (w *wholeStream) end(name string) (glovebox.Artifact, error) {
	return glovebox.Artifact{
		ID: w.id, Name: name, MIME: "text/plain", Size: w.size, SHA256: hex.EncodeToString(w.sum.Sum(nil)),
	}, w.blob.Close()
}

// stream returns the writer for a stream.
func (r *run) stream(name string) io.Writer {
	s := &streamCapture{r: r, name: name}
	s.capture = observe.NewCapture(r.e.c.Keep, func() (io.Writer, error) {
		id := artifact.NewID()
		blob, err := r.e.c.Artifacts.Create(id)
		if err != nil {
			return nil, err
		}
		s.whole = &wholeStream{id: id, blob: blob, sum: sha256.New()}
		return s.whole, nil
	})
	s.in = r.redact.Writer(name, r.watch.stream(name, s.capture))
	r.streams = append(r.streams, s)
	return s.in
}

// forget throws away what the run has seen so far, before it starts over.
func (r *run) forget() {
	for _, s := range r.streams {
		s.in.Close()
		if s.whole != nil {
			s.whole.blob.Discard()
		}
	}
	if len(r.streams) > 0 {
		r.watch.restart()
	}
	for _, a := range r.artifacts {
		r.e.c.Artifacts.Delete(a.ID)
	}
	r.streams, r.artifacts, r.o.Refused = nil, nil, nil
}

// finish puts the stream into the Observation.
func (s *streamCapture) finish(o *glovebox.Observation) {
	s.in.Close()
	head, tail := s.capture.Kept()
	var text, encoding string
	if s.capture.Truncated() {
		h, enc1 := observe.Text(head)
		t, enc2 := observe.Text(tail)
		text, encoding = observe.Join(h, t, s.capture.Total()-int64(len(head)+len(tail))), enc1+enc2
	} else {
		text, encoding = observe.Text(append(head[:len(head):len(head)], tail...))
	}
	if encoding != "" {
		if o.Encoding == nil {
			o.Encoding = map[string]string{}
		}
		o.Encoding[s.name] = "escaped"
	}
	if s.name == "stdout" {
		o.Stdout = text
	} else {
		o.Stderr = text
	}
	if !s.capture.Truncated() {
		return
	}
	if o.Truncated == nil {
		o.Truncated = map[string]glovebox.Truncation{}
	}
	t := glovebox.Truncation{TotalBytes: s.capture.Total(), KeptBytes: int64(len(head) + len(tail))}
	name, err := s.name+".txt", s.capture.Lost()
	var whole glovebox.Artifact
	if err == nil {
		whole, err = s.whole.end(name)
	}
	if err == nil {
		t.Artifact = whole.ID
		o.Artifacts = append(o.Artifacts, whole)
	} else {
		o.Refused = append(o.Refused, glovebox.Refusal{Name: name, Reason: "the whole stream could not be kept: " + withoutPath(err)})
	}
	o.Truncated[s.name] = t
}

// withoutPath is an error without the path of a file of ours.
func withoutPath(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// collect takes the artifacts out of a box's workspace, in which files were
// staged and a step ran.
func (r *run) collect(ctx context.Context, box tier.Box, staged []glovebox.File, step language.Step) {
	fsys, err := box.Workspace()
	if err != nil {
		return // it died with its box
	}
	before := artifact.Staged(slices.Concat(staged, step.Files)...)
	for _, name := range step.Makes {
		before[name] = artifact.Fingerprint{Size: artifact.AnySize}
	}
	limits, left := r.artifactLimits()
	if !left {
		return
	}
	m, err := artifact.Collect(ctx, fsys, before, limits, r.guard(), r.e.c.Artifacts)
	if err != nil {
		r.o.Refused = append(r.o.Refused, glovebox.Refusal{Name: ".", Reason: "the workspace could not be read: " + err.Error()})
	}
	r.artifacts = append(r.artifacts, m.Artifacts...)
	r.o.Refused = append(r.o.Refused, m.Refused...)
}

// guard redacts artifacts, and looks at those that cannot be redacted.
func (r *run) guard() artifact.Guard {
	return artifact.Guard{Filter: r.filter, Withhold: r.job.Withhold,
		Detect: func(text bool) artifact.Detector { return r.redact.Detector(text) }}
}

// filter redacts an artifact's content. Its name, by which redactions are
// counted, may hold a secret as well.
func (r *run) filter(name string, w io.Writer) io.WriteCloser {
	return r.redact.Writer(r.redact.String("artifacts", name), w)
}

// paths are the names of files.
func paths(files []glovebox.File) []string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return names
}

// clean makes every text that came from the program fit for a terminal, and
// reports whether any was not.
func (r *run) clean(o *glovebox.Observation) (changed bool) {
	one := func(s *string) {
		if strings.ContainsFunc(*s, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f }) {
			*s, _ = observe.Text([]byte(*s))
			changed = true
		}
	}
	one(&o.Message)
	one(&o.TierReason)
	for i := range o.Evidence {
		one(&o.Evidence[i].Fact)
	}
	if o.Syntax != nil {
		one(&o.Syntax.Message)
		one(&o.Syntax.File)
	}
	if o.Failure != nil {
		one(&o.Failure.Type)
		one(&o.Failure.Message)
		one(&o.Failure.File)
	}
	if o.Tests != nil {
		one(&o.Tests.Reason)
		for i := range o.Tests.Cases {
			c := &o.Tests.Cases[i]
			one(&c.Name)
			one(&c.Message)
			one(&c.Expected)
			one(&c.Actual)
		}
	}
	for i := range o.Refused {
		one(&o.Refused[i].Name)
		one(&o.Refused[i].Reason)
	}
	for i := range o.Artifacts {
		one(&o.Artifacts[i].Name)
	}
	for i := range o.Findings {
		one(&o.Findings[i].File)
		one(&o.Findings[i].Message)
		one(&o.Findings[i].Excerpt)
		one(&o.Findings[i].Package)
	}
	denials := func(all []glovebox.Denial) {
		for i := range all {
			one(&all[i].Asked)
			one(&all[i].Message)
			one(&all[i].AllowWith)
		}
	}
	denials(o.Denials)
	if o.Approval != nil {
		denials(o.Approval.Asked)
	}
	if x := o.Extraction; x != nil {
		for i := range x.Notes {
			one(&x.Notes[i])
		}
		for _, pieces := range [][]glovebox.Piece{x.Taken, x.Left} {
			for i := range pieces {
				one(&pieces[i].File)
				one(&pieces[i].Language)
				one(&pieces[i].Reason)
			}
		}
	}
	return changed
}
