package approval

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Part is a piece of what a person is shown: a text, or a list of texts.
type Part struct {
	// Title says what the part is, in lower-case letters, digits, spaces and commas.
	Title string
	// Name names a file. Text is its content.
	Name, Text string
	// Items, where it is not nil, takes the place of Text.
	Items []string
}

// maxDisplay bounds what a person is shown, in bytes.
const maxDisplay = 2 << 20

// columns is the width of the text in a row. With the label before it, and a space
// spelled out at its end, a row fits into 80 columns: a terminal that wrapped it would
// begin a row with text of the program.
const columns = 64

// Labels of rows, all of one width. A row without one of them is a heading.
const (
	nameLabel     = "  name |"
	moreLabel     = "       +"
	unfinished    = "       \\ no newline at the end"
	headingPrefix = "=== "
)

// Render returns parts as rows of printable text. Every byte can be read back by [Parse].
//
// Each line of a text has its number, and goes on below at a plus sign where it is long.
// What is not printable ASCII, nor a letter that is plainly of another script, is spelled
// out: <TAB>, <CR>, <LF> in a list, <U+202E> for a character, <0xFF> for a byte that is
// no UTF-8. So are a space at the end of a row, and the "<" of a text that reads like
// these.
func Render(parts []Part) (string, error) {
	var w writer
	for _, p := range parts {
		if err := w.part(p); err != nil {
			return "", err
		}
	}
	return w.b.String(), nil
}

// Escape returns text as [Render] shows it, in one row of any length.
func Escape(text string) string {
	var b strings.Builder
	row := tokens(text)
	for i, t := range row {
		if t == " " && i == len(row)-1 {
			t = spelledSpace
		}
		b.WriteString(t)
	}
	return b.String()
}

type writer struct{ b strings.Builder }

func (w *writer) part(p Part) error {
	if strings.Trim(p.Title, titleBytes) != "" || p.Title == "" {
		return fmt.Errorf("%q is no title", p.Title)
	}
	size := fmt.Sprintf("%d bytes", len(p.Text))
	if p.Items != nil {
		size = fmt.Sprintf("%d items", len(p.Items))
	}
	fmt.Fprintf(&w.b, "%s%s: %s\n", headingPrefix, p.Title, size)
	if p.Name != "" {
		if err := w.line(nameLabel, p.Name); err != nil {
			return err
		}
	}
	if p.Items != nil {
		for i, item := range p.Items {
			if err := w.line(numberLabel(i), item); err != nil {
				return err
			}
		}
		return nil
	}
	for i := 0; p.Text != ""; i++ {
		line, rest, ended := strings.Cut(p.Text, "\n")
		if err := w.line(numberLabel(i), line); err != nil {
			return err
		}
		if !ended {
			w.b.WriteString(unfinished + "\n")
		}
		p.Text = rest
	}
	return nil
}

const (
	titleBytes   = "abcdefghijklmnopqrstuvwxyz0123456789, "
	spelledSpace = "<U+0020>"
)

func numberLabel(i int) string { return fmt.Sprintf("%6d |", i+1) }

// line writes one line of a text in as many rows as it takes.
func (w *writer) line(label, text string) error {
	if len(text) > maxDisplay || w.b.Len() > maxDisplay-len(text) {
		return fmt.Errorf("%w: at most %d bytes", ErrTooLarge, maxDisplay)
	}
	row, width := []string{}, 0
	flush := func() {
		w.b.WriteString(label)
		for i, t := range row {
			if i == 0 {
				w.b.WriteByte(' ')
			}
			if t == " " && i == len(row)-1 {
				t = spelledSpace
			}
			w.b.WriteString(t)
		}
		w.b.WriteByte('\n')
		label, row, width = moreLabel, row[:0], 0
	}
	for _, t := range tokens(text) {
		n := len(t)
		if r, size := utf8.DecodeRuneInString(t); size > 1 {
			if n = 1; wide(r) {
				n = 2
			}
		}
		if width+n > columns {
			flush()
		}
		row, width = append(row, t), width+n
	}
	flush()
	if w.b.Len() > maxDisplay {
		return fmt.Errorf("%w: at most %d bytes", ErrTooLarge, maxDisplay)
	}
	return nil
}

// tokens spells a text: each token is a printable character or a spelled one.
func tokens(text string) []string {
	show := shows(text)
	list := make([]string, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		t := text[i : i+size]
		switch {
		case r == utf8.RuneError && size == 1:
			t = fmt.Sprintf("<0x%02X>", text[i])
		case r == '<' && spelled(text[i:]) || r < ' ' || r == 0x7f || r > 0x7f && !show[i]:
			t = spell(r)
		}
		list = append(list, t)
		i += size
	}
	return list
}

// short are the characters with a name.
var short = map[string]rune{"TAB": '\t', "CR": '\r', "LF": '\n'}

func spell(r rune) string {
	for name, is := range short {
		if r == is {
			return "<" + name + ">"
		}
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// spelled reports whether text begins as a spelled character does.
func spelled(text string) bool {
	for _, begin := range []string{"<TAB>", "<CR>", "<LF>", "<U+", "<0x"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// Parse returns the parts of a text that [Render] wrote. Any other text is an error.
func Parse(text string) ([]Part, error) {
	if len(text) > maxDisplay {
		return nil, fmt.Errorf("%w: at most %d bytes", ErrTooLarge, maxDisplay)
	}
	var parts []Part
	rows := strings.Split(text, "\n")
	if rows[len(rows)-1] != "" {
		return nil, fmt.Errorf("the last row has no end")
	}
	p := parser{rows: rows[:len(rows)-1]}
	for p.at < len(p.rows) {
		part, err := p.part()
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", p.at+1, err)
		}
		parts = append(parts, part)
	}
	again, err := Render(parts)
	if err == nil && again != text {
		err = fmt.Errorf("the text is not in the form in which it was written")
	}
	return parts, err
}

type parser struct {
	rows []string
	at   int
}

func (p *parser) part() (Part, error) {
	var part Part
	heading, ok := strings.CutPrefix(p.rows[p.at], headingPrefix)
	title, size, ok2 := strings.Cut(heading, ": ")
	count, unit, ok3 := strings.Cut(size, " ")
	n, err := strconv.Atoi(count)
	if !ok || !ok2 || !ok3 || err != nil || n < 0 || unit != "bytes" && unit != "items" {
		return part, fmt.Errorf("%.80q is no heading", p.rows[p.at])
	}
	p.at++
	part.Title = title
	if part.Name, _, err = p.line(nameLabel); err != nil {
		return part, err
	}
	if unit == "items" {
		part.Items = []string{}
		for i := range n {
			item, ok, err := p.line(numberLabel(i))
			if err != nil || !ok {
				return part, fmt.Errorf("item %d of %d: %w", i+1, n, orMissing(err))
			}
			part.Items = append(part.Items, item)
		}
		return part, nil
	}
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		line, ok, err := p.line(numberLabel(i))
		if err != nil || !ok {
			return part, fmt.Errorf("line %d: %w", i+1, orMissing(err))
		}
		b.WriteString(line)
		if p.at < len(p.rows) && p.rows[p.at] == unfinished {
			p.at++
			break
		}
		b.WriteByte('\n')
	}
	part.Text = b.String()
	return part, nil
}

func orMissing(err error) error {
	if err == nil {
		return fmt.Errorf("there is no row of it")
	}
	return err
}

// line reads a line whose first row has a label; false where there is none.
func (p *parser) line(label string) (string, bool, error) {
	var b strings.Builder
	for first := true; p.at < len(p.rows); first = false {
		row, ok := strings.CutPrefix(p.rows[p.at], label)
		if !ok {
			return b.String(), !first, nil
		}
		label = moreLabel
		if row, ok = strings.CutPrefix(row, " "); !ok && row != "" {
			return "", false, fmt.Errorf("no space follows the label")
		}
		if err := unspell(&b, row); err != nil {
			return "", false, err
		}
		p.at++
	}
	return b.String(), label == moreLabel, nil
}

// unspell appends the bytes of a row.
func unspell(b *strings.Builder, row string) error {
	for row != "" {
		if !spelled(row) {
			b.WriteByte(row[0])
			row = row[1:]
			continue
		}
		name, rest, ok := strings.Cut(row[1:], ">")
		if !ok {
			return fmt.Errorf("%.20q has no end", row)
		}
		row = rest
		hex, isByte := strings.CutPrefix(name, "0x")
		if isByte {
			v, err := strconv.ParseUint(hex, 16, 8)
			if err != nil {
				return fmt.Errorf("%.20q is no byte", name)
			}
			b.WriteByte(byte(v))
			continue
		}
		r, ok := short[name]
		if !ok {
			v, err := strconv.ParseUint(strings.TrimPrefix(name, "U+"), 16, 21)
			if err != nil || !utf8.ValidRune(rune(v)) {
				return fmt.Errorf("%.20q is no character", name)
			}
			r = rune(v)
		}
		b.WriteRune(r)
	}
	return nil
}
