package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// Apply makes all edits in c, in their order, each on the result of the
// previous ones; or none: on any error c is unchanged. The error holds every
// [*Error] found, for the model; see [Problems]. Any other kind of error is not
// the model's: a rule that is no path, or a folder that cannot be read or was
// changed. Decisions on the way are added to s.Notes.
func (s *Set) Apply(c *workcopy.Copy, r Rules) error {
	if err := r.valid(); err != nil {
		return err
	}
	a := applier{c: c.Clone(), rules: r, touched: map[string]int64{}, hints: maxErrors}
	for _, e := range s.Edits {
		if err := a.edit(&e); err != nil {
			return err
		}
	}
	if err := a.bad.err(); err != nil {
		return err
	}
	changed, err := a.changed(c)
	if err != nil {
		return err
	}
	if !changed {
		a.bad.add(NoChange, "", 0, "with these edits every file is as it was")
		return a.bad.err()
	}
	c.Take(a.c)
	s.Notes = append(s.Notes, a.notes...)
	return nil
}

// applier applies edits to a clone.
type applier struct {
	c       *workcopy.Copy
	rules   Rules
	bad     problems
	notes   []string
	touched map[string]int64 // paths, with the bytes that were written
	written int64
	scanned int64
	hints   int // how often similar lines are still looked for
}

// changed reports whether a touched file differs from c.
func (a *applier) changed(c *workcopy.Copy) (bool, error) {
	for p := range a.touched {
		was, existed := c.Stat(p)
		is, exists := a.c.Stat(p)
		if existed != exists || was != is {
			return true, nil
		}
		if !exists {
			continue
		}
		old, err := c.Read(p)
		if err != nil {
			return false, err
		}
		new, err := a.c.Read(p)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(old, new) {
			return true, nil
		}
	}
	return false, nil
}

// edit makes one edit. The error ends all; faults of the edit go to a.bad.
func (a *applier) edit(e *Edit) error {
	for _, p := range []*string{&e.From, &e.Path} {
		if *p == "" && p == &e.From {
			continue
		}
		clean, err := a.rules.Check(*p)
		if err != nil {
			return a.blame(e, *p, err)
		}
		*p = clean
		if _, ok := a.touched[clean]; !ok {
			a.touched[clean] = 0
		}
	}
	info, exists := a.c.Stat(e.Path)
	switch e.Kind {
	case Whole:
		if e.New && exists {
			a.bad.add(Exists, e.Path, e.Line, "the edit makes a new file, and it is there already")
			return nil
		}
		return a.whole(e, exists)
	case Replace:
		return a.replace(e, exists)
	case Patch:
		if !exists {
			_, err := a.c.Read(e.Path)
			return a.blame(e, e.Path, err)
		}
		return a.patch(e)
	case Delete:
		if e.exact && exists {
			if err := a.sameAsDeleted(e); err != nil {
				return err
			}
		}
		return a.blame(e, e.Path, a.c.Delete(e.Path))
	case Rename:
		if exists {
			a.bad.add(Exists, e.Path, e.Line, "%s cannot get this name: there is such a file (%d bytes)", e.From, info.Size)
			return nil
		}
		return a.rename(e)
	}
	return fmt.Errorf("edit: unknown kind %q", e.Kind)
}

// blame turns an error of the working copy into one of the edit, if the edit is
// at fault.
func (a *applier) blame(e *Edit, path string, err error) error {
	if err == nil {
		return nil
	}
	detail := strings.TrimPrefix(err.Error(), path+": ")
	if own := Problems(err); len(own) > 0 {
		for _, o := range own {
			a.bad.add(o.Kind, path, e.Line, "%s", o.Detail)
		}
		return nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.bad.add(NotFound, path, e.Line, "there is no such file%s", a.alike(path))
	case errors.Is(err, workcopy.ErrConflict):
		a.bad.add(Exists, path, e.Line, "%s", detail)
	case errors.Is(err, workcopy.ErrLeftOut):
		a.bad.add(OutsideAllowed, path, e.Line, "%s", detail)
	case errors.Is(err, workcopy.ErrTooLarge):
		a.bad.add(TooLarge, path, e.Line, "%s", detail)
	default:
		return err
	}
	return nil
}

// write sets a file's content, within the bound of all changed files.
func (a *applier) write(e *Edit, data []byte) error {
	if err := a.c.Write(e.Path, data); err != nil {
		return a.blame(e, e.Path, err)
	}
	a.written += int64(len(data)) - a.touched[e.Path]
	a.touched[e.Path] = int64(len(data))
	if a.written > maxChanged {
		return &Error{Kind: TooLarge, Path: e.Path, Line: e.Line, Detail: fmt.Sprintf("the changed files have more than %d bytes together", maxChanged)}
	}
	if e.Executable != nil {
		return a.blame(e, e.Path, a.c.Chmod(e.Path, *e.Executable))
	}
	return nil
}

// whole writes a whole file.
func (a *applier) whole(e *Edit, exists bool) error {
	data := e.Data
	var old []byte
	if exists {
		var err error
		if old, err = a.c.Read(e.Path); err != nil {
			return a.blame(e, e.Path, err)
		}
	}
	switch {
	case e.binary != nil:
		next, ok := a.unpack(e, old)
		if !ok {
			return nil
		}
		data = next
	case !e.exact:
		if l := elision(string(data), string(old)); l != "" {
			a.bad.add(Malformed, e.Path, e.Line, "%q stands in place of code: write the whole file, or a search/replace block for the part that changes", clip(l, 120))
			return nil
		}
		form := formOf(old)
		form.open = false
		data = []byte(form.restore(string(data)))
	}
	return a.write(e, data)
}

// placeholders are lines that stand for omitted code.
var placeholders = []func() *regexp.Regexp{
	lazyre.New(`(?i)^\s*(?:#|//|--|/\*|<!--|\{/\*)\s*(?:\.\.\.|…)\s*[(\[]?(?:the )?(?:rest|remaining|existing|unchanged|same|previous|other|omitted)\b`),
	lazyre.New(`(?i)^\s*(?:#|//|--|/\*|<!--|\{/\*)\s*(?:the )?(?:rest of|(?:existing|remaining|previous|other) (?:code|methods|functions|implementation))\b.*(?:\.\.\.|…|unchanged|the same|goes here)`),
	lazyre.New(`(?i)^\s*[(\[]?(?:\.\.\.|…)\s*[(\[]?(?:the )?(?:rest|remaining|existing|unchanged|same|previous)\b[^=]*(?:\.\.\.|…|[)\]])\s*$`),
}

// elision returns a line of text that stands for omitted code, and is new.
func elision(text, old string) string {
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		for _, p := range placeholders {
			if len(l) < 300 && p().MatchString(l) && !strings.Contains(old, l) {
				return l
			}
		}
	}
	return ""
}

// replace applies search/replace blocks.
func (a *applier) replace(e *Edit, exists bool) error {
	var old []byte
	if exists {
		var err error
		if old, err = a.c.Read(e.Path); err != nil {
			return a.blame(e, e.Path, err)
		}
	}
	form := formOf(old)
	text := form.plain(old)
	for i, b := range e.Blocks {
		if b.Search == "" {
			if exists {
				a.bad.add(Exists, e.Path, b.Line, "block %d has an empty SEARCH, which makes a new file, and it is there already", i+1)
				continue
			}
			text, exists = b.Replace, true
			continue
		}
		if !exists {
			_, err := a.c.Read(e.Path)
			return a.blame(e, e.Path, err)
		}
		at, err := a.find(e, text, b.Search)
		if err != nil {
			return err
		}
		switch len(at) {
		case 1:
			text = text[:at[0]] + b.Replace + text[at[0]+len(b.Search):]
		case 0:
			a.bad.add(NotFound, e.Path, b.Line, "block %d: its SEARCH text is not in the file%s", i+1, a.similar(text, b.Search))
		default:
			a.bad.add(Ambiguous, e.Path, b.Line, "block %d: its SEARCH text is in the file %s times, at lines %s: add lines around it until it is there once", i+1, times(at), lineList(text, at))
		}
	}
	if !exists {
		return nil // each block was wrong
	}
	return a.write(e, []byte(form.restore(text)))
}

// find returns where whole lines stand in a text, at most maxFound places.
func (a *applier) find(e *Edit, text, lines string) ([]int, error) {
	if a.scanned += int64(len(text)); a.scanned > maxScanned {
		return nil, &Error{Kind: TooLarge, Path: e.Path, Line: e.Line, Detail: "too many edits of files that are too large"}
	}
	var at []int
	for from := 0; len(at) < maxFound; {
		i := 0
		if !strings.HasPrefix(text[from:], lines) {
			if i = strings.Index(text[from:], "\n"+lines); i < 0 {
				break
			}
			i++
		}
		at = append(at, from+i)
		next := strings.IndexByte(text[from+i:], '\n')
		from += i + next + 1
	}
	return at, nil
}

// maxFound is how many places of a text are looked for.
const maxFound = 20

func times(at []int) string {
	if len(at) == maxFound {
		return fmt.Sprintf("at least %d", maxFound)
	}
	return fmt.Sprint(len(at))
}

func lineOf(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }

func lineList(text string, at []int) string {
	var list []string
	for _, i := range at[:min(len(at), 8)] {
		list = append(list, fmt.Sprint(lineOf(text, i)))
	}
	if len(at) > 8 {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// patch applies the hunks of a diff. All are looked up in the unchanged file.
func (a *applier) patch(e *Edit) error {
	old, err := a.c.Read(e.Path)
	if err != nil {
		return a.blame(e, e.Path, err)
	}
	if e.binary != nil {
		if data, ok := a.unpack(e, old); ok {
			return a.write(e, data)
		}
		return nil
	}
	form := formOf(old)
	if e.exact {
		form = textForm{open: form.open && len(old) > 0}
	}
	text := form.plain(old)
	places, ok, err := a.places(e, text, form.open)
	if err != nil || !ok {
		return err
	}
	var out strings.Builder
	end := 0
	for _, p := range places {
		out.WriteString(text[end:p.from])
		out.WriteString(p.new)
		end = p.to
		if p.to == len(text) && p.ends {
			form.open = p.open
		}
	}
	out.WriteString(text[end:])
	return a.write(e, []byte(form.restore(out.String())))
}

// place is where a hunk applies.
type place struct {
	from, to int
	new      string
	hunk     int
	ends     bool // the hunk says how the last line ends
	open     bool // without a line end
}

// places finds the place of each hunk. ok is false where one has none.
func (a *applier) places(e *Edit, text string, open bool) (all []place, ok bool, err error) {
	ok = true
	starts := lineStarts(text)
	for n, h := range e.Hunks {
		old, new := h.sides()
		p := place{new: new.text, hunk: n + 1, open: new.open}
		p.ends = len(h.Lines) > 0 && h.Lines[len(h.Lines)-1].Op != ' '
		wrong := func(kind Problem, format string, args ...any) {
			a.bad.add(kind, e.Path, h.Line, "hunk %d: "+format, append([]any{n + 1}, args...)...)
			ok = false
		}
		switch {
		case old.text == "":
			// Without an old side, only a number would say where.
			if text != "" {
				wrong(Malformed, "it has no line of the file around what it adds: show some")
				continue
			}
		case h.Start > 0 && h.Start < len(starts) && strings.HasPrefix(text[starts[h.Start-1]:], old.text):
			p.from = starts[h.Start-1]
		default:
			at, err := a.find(e, text, old.text)
			if err != nil {
				return nil, false, err
			}
			if len(at) == 0 {
				wrong(NotFound, "its lines are not in the file%s", a.similar(text, old.text))
				continue
			}
			if len(at) > 1 {
				wrong(Ambiguous, "its lines are not at line %d, and stand in the file %s times, at lines %s: show more lines around the change", h.Start, times(at), lineList(text, at))
				continue
			}
			p.from = at[0]
			if h.Start > 0 {
				a.notes = append(a.notes, fmt.Sprintf("%s: hunk %d was applied at line %d, not %d", e.Path, n+1, lineOf(text, at[0]), h.Start))
			}
		}
		p.to = p.from + len(old.text)
		if e.exact && old.text != "" && old.open != (open && p.to == len(text)) {
			wrong(NotFound, "the file's last line ends in another way")
			continue
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(x, y place) int { return x.from - y.from })
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			a.bad.add(Malformed, e.Path, e.Line, "hunks %d and %d change the same lines", all[i-1].hunk, all[i].hunk)
			ok = false
		}
	}
	return all, ok, nil
}

// side is one side of a hunk.
type side struct {
	text string // whole lines, each with a line end
	open bool   // its last line has none
}

func (h *Hunk) sides() (old, new side) {
	var o, n strings.Builder
	put := func(b *strings.Builder, s *side, l Line) {
		b.WriteString(strings.TrimSuffix(l.Text, "\n"))
		b.WriteByte('\n')
		s.open = !strings.HasSuffix(l.Text, "\n")
	}
	for _, l := range h.Lines {
		if l.Op != '+' {
			put(&o, &old, l)
		}
		if l.Op != '-' {
			put(&n, &new, l)
		}
	}
	old.text, new.text = o.String(), n.String()
	return old, new
}

// lineStarts returns the offset of each line, and the end of the last.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// sameAsDeleted checks that a file is the one deleted in the patch.
func (a *applier) sameAsDeleted(e *Edit) error {
	data, err := a.c.Read(e.Path)
	if err != nil {
		return a.blame(e, e.Path, err)
	}
	var old strings.Builder
	for _, h := range e.Hunks {
		for _, l := range h.Lines {
			old.WriteString(l.Text)
		}
	}
	if e.binary == nil && string(data) != old.String() || e.binary != nil && !e.binary.of(data) {
		a.bad.add(NotFound, e.Path, e.Line, "the file is not the one that the patch deletes")
	}
	return nil
}

func (b *binary) of(data []byte) bool {
	return b.was == "" || strings.HasPrefix(workcopy.BlobName(data), b.was)
}

// unpack returns the new content of a binary change.
func (a *applier) unpack(e *Edit, old []byte) (data []byte, ok bool) {
	if !e.New && !e.binary.of(old) {
		a.bad.add(NotFound, e.Path, e.Line, "the file is not the one that the patch was made from")
		return nil, false
	}
	var out bytes.Buffer
	apply := gitdiff.NewBinaryApplier(&out, bytes.NewReader(old), gitdiff.WithMaxBinaryFragmentBytes(maxReply))
	if err := apply.ApplyFragment(e.binary.change); err != nil {
		a.bad.add(Malformed, e.Path, e.Line, "the binary change cannot be made: %v", err)
		return nil, false
	}
	return out.Bytes(), true
}

// rename gives a file another path.
func (a *applier) rename(e *Edit) error {
	info, ok := a.c.Stat(e.From)
	data, err := a.c.Read(e.From)
	if err != nil || !ok {
		return a.blame(e, e.From, err)
	}
	if err := a.c.Delete(e.From); err != nil {
		return a.blame(e, e.From, err)
	}
	if err := a.write(e, data); err != nil {
		return err
	}
	if _, ok := a.c.Stat(e.Path); !ok {
		return nil // the new path cannot be, which was said
	}
	return a.blame(e, e.Path, a.c.Chmod(e.Path, info.Executable))
}
