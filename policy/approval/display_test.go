package approval

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// hostile are texts that show as others do, or move the cursor. Want is how a text of one
// line is shown; empty where that is not compared.
var hostile = []struct{ name, text, want string }{
	{"plain", "print(1)", "print(1)"},
	{"right-to-left override", "a\u202eb", "a<U+202E>b"},
	{"left-to-right override", "a\u202db", "a<U+202D>b"},
	{"embeddings", "\u202aa\u202bb\u202c", "<U+202A>a<U+202B>b<U+202C>"},
	{"isolates", "\u2066a\u2067b\u2068c\u2069", "<U+2066>a<U+2067>b<U+2068>c<U+2069>"},
	{"marks of direction", "\u200ea\u200fb\u061c", "<U+200E>a<U+200F>b<U+061C>"},
	{"trojan source", "if x: \u202e # \u2066 return\u2069 \u2066", "if x: <U+202E> # <U+2066> return<U+2069> <U+2066>"},
	{"Hebrew", "\u05d0\u05d1", "<U+05D0><U+05D1>"},
	{"Arabic", "a\u0627\u0644", "a<U+0627><U+0644>"},
	{"zero-width space", "a\u200bb", "a<U+200B>b"},
	{"zero-width joiners", "a\u200c\u200db", "a<U+200C><U+200D>b"},
	{"word joiner", "a\u2060b", "a<U+2060>b"},
	{"byte order mark", "\ufeffa", "<U+FEFF>a"},
	{"soft hyphen", "a\u00adb", "a<U+00AD>b"},
	{"Hangul filler", "a\u3164b", "a<U+3164>b"},
	{"Hangul filler alone", "\u3164", "<U+3164>"},
	{"half-width filler", "\uffa0", "<U+FFA0>"},
	{"Mongolian vowel separator", "a\u180eb", "a<U+180E>b"},
	{"variation selector", "a\ufe0fb", "a<U+FE0F>b"},
	{"tags", "a\U000e0041", "a<U+E0041>"},
	{"Braille blank", "a\u2800b", "a<U+2800>b"},
	{"no-break space", "a\u00a0b", "a<U+00A0>b"},
	{"ideographic space", "a\u3000b", "a<U+3000>b"},
	{"tab", "a\tb", "a<TAB>b"},
	{"NUL", "a\x00b", "a<U+0000>b"},
	{"backspace", "evil\b\b\b\bgood", "evil<U+0008><U+0008><U+0008><U+0008>good"},
	{"bell", "\a", "<U+0007>"},
	{"delete", "a\x7f", "a<U+007F>"},
	{"vertical tab and form feed", "a\vb\fc", "a<U+000B>b<U+000C>c"},
	{"colour", "\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"},
	{"cursor up", "\x1b[1A\x1b[2K", "<U+001B>[1A<U+001B>[2K"},
	{"title of a window", "\x1b]0;x\a", "<U+001B>]0;x<U+0007>"},
	{"hyperlink", "\x1b]8;;http://e\x1b\\x", "<U+001B>]8;;http://e<U+001B>\\x"},
	{"C1 escape", "\u009b31m", "<U+009B>31m"},
	{"C1 byte", "\x9b31m", "<0x9B>31m"},
	{"next line", "a\u0085b", "a<U+0085>b"},
	{"line separator", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"},
	{"carriage return", "evil\rgood", "evil<CR>good"},
	{"CRLF", "a\r\nb\r\n", ""},
	{"a newline alone", "\n", ""},
	{"blank lines at the end", "a\n\n\n", ""},
	{"no newline at the end", "a\nb", ""},
	{"trailing space", "a ", "a<U+0020>"},
	{"trailing spaces", "a   ", "a  <U+0020>"},
	{"only spaces", "   ", "  <U+0020>"},
	{"leading spaces", "    a", "    a"},
	{"Cyrillic a", "p\u0430ypal", "p<U+0430>ypal"},
	{"a Cyrillic word like ASCII", "\u0441\u043e\u0440", "<U+0441><U+043E><U+0440>"},
	{"a Cyrillic word like ASCII with a digit", "\u0441\u043e\u0440_1", "<U+0441><U+043E><U+0440>_1"},
	{"a Cyrillic word", "\u0434\u0430\u043d\u043d\u044b\u0435", "\u0434\u0430\u043d\u043d\u044b\u0435"},
	{"two scripts in a word", "\u0434\u03b4", "<U+0434><U+03B4>"},
	{"Greek o", "g\u03bfod", "g<U+03BF>od"},
	{"Greek question mark", "a\u037e", "a<U+037E>"},
	{"full-width letters", "\uff45\uff56", "<U+FF45><U+FF56>"},
	{"mathematical letters", "\U0001d41a", "<U+1D41A>"},
	{"combining marks", "e\u0301", "e<U+0301>"},
	{"an accent", "caf\u00e9", "caf<U+00E9>"},
	{"dotless i", "adm\u0131n", "adm<U+0131>n"},
	{"division slash", "a\u2215b\u2044c", "a<U+2215>b<U+2044>c"},
	{"quotes", "\u201ca\u2019", "<U+201C>a<U+2019>"},
	{"Han", "\u6570\u636e = 1", "\u6570\u636e = 1"},
	{"Han like a pipe", "a \u4e28 b", "a <U+4E28> b"},
	{"Han like an equals sign", "a \u4e8c b", "a <U+4E8C> b"},
	{"Japanese", "\u30c7\u30fc\u30bf", "\u30c7\u30fc\u30bf"},
	{"Hangul", "\ub370\uc774\ud130", "\ub370\uc774\ud130"},
	{"Han beside ASCII", "x\u6570", "x<U+6570>"},
	{"emoji", "\U0001f600", "<U+1F600>"},
	{"replacement character", "\ufffd", "<U+FFFD>"},
	{"invalid bytes", "\xff\xfe", "<0xFF><0xFE>"},
	{"a cut character", "\xe2\x82", "<0xE2><0x82>"},
	{"an overlong slash", "\xc0\xaf", "<0xC0><0xAF>"},
	{"a surrogate", "\xed\xa0\x80", "<0xED><0xA0><0x80>"},
	{"too high a character", "\xf4\x90\x80\x80", "<0xF4><0x90><0x80><0x80>"},
	{"private use", "\ue000", "<U+E000>"},
	{"no character", "\uffff", "<U+FFFF>"},
	{"a spelled character", "a<U+202E>", "a<U+003C>U+202E>"},
	{"a spelled byte", "<0xFF>", "<U+003C>0xFF>"},
	{"a spelled tab", "<TAB> <CR> <LF>", "<U+003C>TAB> <U+003C>CR> <U+003C>LF>"},
	{"a spelling that is none", "<U+", "<U+003C>U+"},
	{"less than", "a < b <u> <div>", "a < b <u> <div>"},
	{"backslashes", `\x41\n\\`, `\x41\n\\`},
	{"a row of ours", "     1 | evil", "     1 | evil"},
	{"a heading of ours", "=== program file 1 of 1: 3 bytes", "=== program file 1 of 1: 3 bytes"},
	{"an end of ours", "a\n       \\ no newline at the end\n", ""},
	{"10 kB in a line", strings.Repeat("0123456789", 1000), ""},
	{"10 kB of spaces", strings.Repeat(" ", 10_000) + "evil()", ""},
	{"10 kB of spaces alone", strings.Repeat(" ", 10_000), ""},
	{"10 kB of escapes", strings.Repeat("\x1b", 10_000), ""},
	{"10 kB of Han", strings.Repeat("\u6570", 10_000), ""},
	{"a word that is long", strings.Repeat("\u0441", 200) + "\u0434", ""},
	{"many lines", strings.Repeat("x\n", 10_000), ""},
	{"nothing", "", ""},
}

// shownAs is the text that stands for one line.
func shownAs(t *testing.T, text string) string {
	t.Helper()
	shown, err := Render([]Part{{Title: "x", Items: []string{text}}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(shown, "=== x: 1 items\n     1 | "), "\n")
}

func TestHostileTexts(t *testing.T) {
	if len(hostile) < 60 {
		t.Errorf("%d texts", len(hostile))
	}
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want != "" {
				if got := shownAs(t, tt.text); got != tt.want {
					t.Errorf("%q is shown as %q, want %q", tt.text, got, tt.want)
				}
				if got := Escape(tt.text); got != tt.want {
					t.Errorf("%q is escaped as %q, want %q", tt.text, got, tt.want)
				}
			}
			roundTrip(t, []Part{
				{Title: "program file", Name: tt.text, Text: tt.text},
				{Title: "arguments", Items: []string{tt.text, "", tt.text}},
				{Title: "empty list", Items: []string{}},
				{Title: "twice", Text: tt.text + tt.text},
			})
		})
	}
}

// roundTrip fails unless parts are shown in printable rows of 80 columns that read as the
// same parts.
func roundTrip(t *testing.T, parts []Part) {
	t.Helper()
	text, err := Render(parts)
	if errors.Is(err, ErrTooLarge) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, text)
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !reflect.DeepEqual(parts, again) {
		t.Fatalf("%+q is read as %+q from\n%s", parts, again, text)
	}
}

func checkRows(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") && text != "" {
		t.Fatalf("%q", text)
	}
	for row := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		width := 0
		for _, r := range row {
			switch script, _ := scriptOf(r); {
			case r >= ' ' && r < 0x7f:
				width++
			case script == 3:
				width += 2
			case script != 0:
				width++
			default:
				t.Fatalf("%U is shown in %q", r, row)
			}
		}
		if width > 80 && !strings.HasPrefix(row, "=== ") || strings.HasSuffix(row, " ") {
			t.Fatalf("%d columns: %q", width, row)
		}
	}
}

// TestParseRefuses: a text that Render does not write has no parts.
func TestParseRefuses(t *testing.T) {
	good, err := Render([]Part{{Title: "a", Name: "n", Text: "x\ty\n" + strings.Repeat("z", 100)}, {Title: "b", Items: []string{"1", "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"no end":             strings.TrimSuffix(good, "\n"),
		"a blank row":        good + "\n",
		"no heading":         strings.Replace(good, "=== a", "== a", 1),
		"another size":       strings.Replace(good, "104 bytes", "106 bytes", 1),
		"a smaller size":     strings.Replace(good, "104 bytes", "3 bytes", 1),
		"a huge size":        strings.Replace(good, "104 bytes", "999999999999 bytes", 1),
		"a negative size":    strings.Replace(good, "104 bytes", "-1 bytes", 1),
		"a huge list":        strings.Replace(good, "2 items", "999999999999 items", 1),
		"a spelled letter":   strings.Replace(good, "| x", "| <U+0078>", 1),
		"another number":     strings.Replace(good, "     2 |", "     3 |", 1),
		"another end":        strings.Replace(good, "<TAB>", "<U+0009>", 1),
		"no such character":  strings.Replace(good, "<TAB>", "<U+110000>", 1),
		"a surrogate":        strings.Replace(good, "<TAB>", "<U+D800>", 1),
		"no end of spelling": strings.Replace(good, "<TAB>", "<U+0009", 1),
		"no such byte":       strings.Replace(good, "<TAB>", "<0x100>", 1),
		"a byte that is one": strings.Replace(good, "<TAB>", "<0x41>", 1),
		"a control":          strings.Replace(good, "<TAB>", "\t", 1),
		"an override":        strings.Replace(good, "<TAB>", "\u202e", 1),
		"a trailing space":   strings.Replace(good, "| 1", "| 1 ", 1),
		"no space":           strings.Replace(good, "| 1", "|1", 1),
		"wrapped early":      strings.Replace(good, "zzz", "z\n       + zz", 1),
		"no newline missing": strings.Replace(good, unfinished+"\n", "", 1),
		"a title":            strings.Replace(good, "=== a", "=== A", 1),
		"huge":               strings.Repeat("=== a: 0 bytes\n", maxDisplay/10),
	} {
		if bad == good {
			t.Errorf("%s: not changed", name)
		} else if parts, err := Parse(bad); err == nil {
			t.Errorf("%s: %+q", name, parts)
		}
	}
	for _, p := range []Part{{}, {Title: "a\nb"}, {Title: "a: 3"}, {Title: "=== "}} {
		if text, err := Render([]Part{p}); err == nil {
			t.Errorf("%q", text)
		}
	}
}

// TestDisplay: all of a job that decides what runs is in the text for a person, byte for
// byte.
func TestDisplay(t *testing.T) {
	w := newWorld(t)
	var evil strings.Builder
	for _, h := range hostile {
		evil.WriteString(h.text)
	}
	q := question(evil.String())
	q.Program.Files = append(q.Program.Files, glovebox.File{Path: "lib/a\u202e.py", Data: []byte("x = 1\r\n"), Executable: true, ReadOnly: true})
	q.Job.Args, q.Job.Stdin = []string{"-v", "a b", ""}, []byte("in\x00put")
	q.Job.Env = map[string]string{"B": "2\n3", "A": "\x1b[2J"}
	q.Job.Inputs = []glovebox.File{{Path: "data.bin", Data: []byte{0, 255, 10}}}
	q.Job.Tests = []glovebox.File{{Path: "test_x.py", Data: []byte("assert 1")}}
	q.Job.Cases = []glovebox.Case{{Name: "first", Stdin: "1\n", Stdout: "2", Args: []string{"x"}}}
	q.Job.Secrets = map[string]string{"TOKEN": "value"}
	q.Job.Needs, q.Job.Tier, q.Job.Limits.Memory, q.Job.Limits.Wall = []glovebox.Need{glovebox.NeedNative}, glovebox.TierGVisor, 7, 9
	r := w.ask(q, StateOpen)
	text, err := w.Display(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, text)
	parts, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	find := func(title string) Part {
		for _, p := range parts {
			if p.Title == title {
				return p
			}
		}
		t.Errorf("no part is %q", title)
		return Part{}
	}
	settings := strings.Join(find("request").Items, "\n")
	for _, want := range []string{"id: " + r.ID, "job: " + r.Job, "policy: policy-1", "tenant: acme", "image: python:3.12", "tier: gvisor", "language: python", "main: main.py", "need: native_packages", "secret: TOKEN", "limit memory: 7", "limit wall: 9ns"} {
		if !strings.Contains(settings, want) {
			t.Errorf("%q is not in\n%s", want, settings)
		}
	}
	if strings.Contains(text, "value") {
		t.Error("the value of a secret is shown")
	}
	if p := find("rule that asks 1 of 1"); !reflect.DeepEqual(p.Items, []string{"rule: careful", "asked: job that meets careful", "why: A person must look.", "where: policy.yaml:3:5"}) {
		t.Errorf("%q", p.Items)
	}
	for _, tt := range []struct {
		title, name, text string
		items             []string
	}{
		{"program file 1 of 2, started", "main.py", evil.String(), nil},
		{"program file 2 of 2, executable, read only", "lib/a\u202e.py", "x = 1\r\n", nil},
		{"arguments", "", "", q.Job.Args},
		{"environment", "", "", []string{"A=\x1b[2J", "B=2\n3"}},
		{"standard input", "", "in\x00put", nil},
		{"input file 1 of 1", "data.bin", "\x00\xff\n", nil},
		{"test file 1 of 1", "test_x.py", "assert 1", nil},
		{"case 1 of 1, arguments", "", "", []string{"x"}},
		{"case 1 of 1, standard input", "first", "1\n", nil},
		{"case 1 of 1, expected output", "", "2", nil},
	} {
		if p := find(tt.title); p.Name != tt.name || p.Text != tt.text || !reflect.DeepEqual(p.Items, tt.items) {
			t.Errorf("%s: %q", tt.title, p)
		}
	}
	command := question("unused")
	command.Job.Command = []string{"sh", "-c", "rm -rf \u202e/"}
	text, err = w.Display(t.Context(), w.ask(command, StateOpen).ID)
	if err != nil || !strings.Contains(text, "     3 | rm -rf <U+202E>/\n") || strings.Contains(text, "unused") {
		t.Errorf("%v\n%s", err, text)
	}
}
