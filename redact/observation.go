package redact

import "github.com/gloveboxhq/glovebox"

// Observation redacts, in place, every text of o that may come from a program, a
// model's reply or an error. Fields written only by Glovebox, such as identifiers,
// hashes and numbers, stay. A rule's finding in one text is removed from all texts.
// If the finding is certainly a secret, its encodings are removed, too. Observation
// sets o.Redactions to all counts of r.
func (r *Redactor) Observation(o *glovebox.Observation) {
	for known := -1; known != len(r.found.values()); {
		known = len(r.found.values())
		eachText(o, r.String)
	}
	if n := r.found.named(); n != nil {
		eachText(o, func(stream, text string) string {
			b := []byte(text)
			for _, f := range n.finders() {
				b = (&stage{finder: f, known: r.known, note: r.noter(stream)}).whole(b)
			}
			return string(b)
		})
	}
	o.Redactions = r.Counts()
}

// eachText replaces each text of o, except Glovebox's own, by the result of change.
// Each text is counted under its stream.
func eachText(o *glovebox.Observation, change func(stream, text string) string) {
	redact := func(stream string, texts ...*string) {
		for _, t := range texts {
			*t = change(stream, *t)
		}
	}
	redact("stdout", &o.Stdout)
	redact("stderr", &o.Stderr)
	redact("message", &o.Message)
	redact("feedback", &o.Feedback)
	redact("tier", &o.TierReason)
	for i := range o.Evidence {
		redact("evidence", &o.Evidence[i].Fact)
	}
	if s := o.Syntax; s != nil {
		redact("syntax", &s.File, &s.Message)
	}
	if f := o.Failure; f != nil {
		redact("failure", &f.Type, &f.Message, &f.File)
	}
	if t := o.Tests; t != nil {
		redact("tests", &t.Reason, &t.Framework)
		for i := range t.Missing {
			redact("tests", &t.Missing[i])
		}
		for i := range t.Cases {
			c := &t.Cases[i]
			redact("tests", &c.Name, &c.Message, &c.Expected, &c.Actual)
		}
	}
	for i := range o.Hints {
		redact("hints", &o.Hints[i])
	}
	denials := func(all []glovebox.Denial) {
		for i := range all {
			redact("denials", &all[i].Asked, &all[i].Message, &all[i].AllowWith)
		}
	}
	denials(o.Denials)
	if o.Approval != nil {
		denials(o.Approval.Asked)
	}
	for i := range o.Findings {
		f := &o.Findings[i]
		redact("findings", &f.File, &f.Message, &f.Excerpt, &f.Package)
	}
	for i := range o.Artifacts {
		redact("artifacts", &o.Artifacts[i].Name, &o.Artifacts[i].URI)
	}
	for i := range o.Refused {
		redact("artifacts", &o.Refused[i].Name, &o.Refused[i].Reason)
	}
	if e := o.Extraction; e != nil {
		for _, pieces := range [][]glovebox.Piece{e.Taken, e.Left} {
			for i := range pieces {
				p := &pieces[i]
				redact("extraction", &p.File, &p.Language, &p.Reason)
			}
		}
		for i := range e.Notes {
			redact("extraction", &e.Notes[i])
		}
	}
	for i := range o.Isolation {
		redact("isolation", &o.Isolation[i].How)
	}
}
