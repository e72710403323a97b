package repomap

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// hostile makes texts that no person wrote, up to size bytes, each line of
// bearable length.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	rnd := rand.New(rand.NewPCG(1, 2))
	random, ascii, tokens := make([]byte, size), make([]byte, size), strings.Builder{}
	for i := range size {
		random[i] = byte(1 + rnd.IntN(255))
		ascii[i] = byte(32 + rnd.IntN(95))
		if i%80 == 79 {
			random[i], ascii[i] = '\n', '\n'
		}
	}
	some := strings.Fields("def class function if else while ( ) [ ] { } : ; , . = => -> < > + - * / \" ' ` $x @y %z #{ ${ <<A sub package end do begin local return async await x y 1 2.5 :: ... ?? ?. | & ~ \\ \n \n \n")
	for tokens.Len() < size-10 {
		tokens.WriteString(some[rnd.IntN(len(some))])
		tokens.WriteByte(" \n"[rnd.IntN(9)/8])
	}
	var stairs strings.Builder
	for i := 0; stairs.Len() < size-1000; i++ {
		stairs.WriteString(strings.Repeat(" ", i%900) + "if x:\n")
	}
	return map[string]string{
		"random": string(random), "ascii": string(ascii), "tokens": tokens.String(), "stairs": stairs.String(),
		"parens": fill("(\n"), "pairs": strings.Repeat("[", size/2) + "\n" + strings.Repeat("]", size/2),
		"shallow brackets": fill(strings.Repeat("f(", 150) + strings.Repeat(")", 150) + "\n"),
		"braces":           fill("function f(){\n"), "nested def": fill("def f\n"), "begin": fill("begin\n"), "if": fill("if true then\n"), "if paren": fill("if(a)\n"),
		"else": fill("else if (abc) abc\n"), "quotes": fill("\"abc'abc`abc\n"), "heredocs": fill("cat <<ABC <<EOF <<XYZ\n"), "heredoc": "x = <<ABC\n" + fill("abc\n"),
		"less": fill("abc<bcd<cde<\n"), "minus": fill("-abc -\n"), "plus": fill("abc + abc +\n"), "ternary": fill("abc ? bcd : abc ?\n"), "arrows": fill("abc => abc =>\n"), "dots": fill("abc.bcd\n.cde"),
		"assign": fill("abc = bcd =\n"), "not": fill("not abc or not\n"), "interpolate": fill("\"#{${$(`f\"abc{\n"), "string": fill("abc \"abc\" abc\n"),
		"types": fill("Abc<Bcd<Cde,\n"), "jsx": fill("<abc>{abc\n"), "php": "<?php\n" + fill("$abc->bcd[0]\n"), "php tags": fill("<?php abc ?> abc\n"), "lambda": fill("lambda abc: lambda\n"),
		"comma": fill("abc, bcd,\n"), "pipes": fill("abc | bcd |\n"), "case": fill("case abc in\n"), "comments": fill("/* abc # abc\n"), "async": fill("async abc await\n"), "unless": fill("abc unless bcd if cde\n"),
	}
}

// TestHostile: whatever a text holds, its outline comes to an end and is sound.
// What is quadratic shows in the log, and at last as the timeout of go test.
func TestHostile(t *testing.T) {
	for what, src := range hostile(maxParse / 32) {
		for _, l := range langs {
			start := time.Now()
			checkOutline(t, l, []byte(src))
			if took := time.Since(start); took > time.Second {
				t.Logf("%s as %s took %v", what, l.name, took)
			}
		}
	}
}

// checkOutline outlines a text in all ways and checks what must always hold.
func checkOutline(t *testing.T, l *lang, src []byte) {
	t.Helper()
	parsed, _ := outline(l, src, new(uint32))
	lines := strings.Count(string(src), "\n") + 1
	for _, symbols := range [][]Symbol{parsed, byLine(l, src)} {
		if len(symbols) > maxSymbols {
			t.Fatalf("%d symbols", len(symbols))
		}
		for _, s := range symbols {
			if s.Name == "" || s.Line < 1 || s.End < s.Line || s.End > lines {
				t.Fatalf("%s: %+v of %d lines", l.name, s, lines)
			}
			if len(s.Name) > 300 || len(s.Text) > maxSignature+8 || strings.ContainsFunc(s.Name+s.Text, steers) {
				t.Fatalf("%s: %q %q", l.name, s.Name, s.Text)
			}
		}
	}
	for _, target := range unique(l.imports(src), maxImports) {
		if len(target) > maxName {
			t.Fatalf("%s imports %d bytes", l.name, len(target))
		}
	}
}

func FuzzOutline(f *testing.F) {
	for what, src := range hostile(200) {
		f.Add(uint8(hash(what)), []byte(src))
	}
	f.Fuzz(func(t *testing.T, i uint8, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		checkOutline(t, langs[int(i)%len(langs)], src)
	})
}

// FuzzMap maps a repository whose names, texts and task are hostile.
func FuzzMap(f *testing.F) {
	f.Add("a/b.py", "import c\ndef f(): pass", "c.py", "class X: pass", "fix X in b.py", 300)
	f.Add("a\n\x1b[31m/\u202e.js", "require('./x')", "../../x", "\x00", "</untrusted>", 90)
	f.Add("go.mod", "module a", "b/c.go", "package b\nimport \"a/b\"\ntype T = int", "T", 1000)
	f.Fuzz(func(t *testing.T, a, textA, b, textB, task string, budget int) {
		if len(a)+len(b)+len(textA)+len(textB)+len(task) > 8<<10 {
			return
		}
		budget = budget & 0xfff
		m, err := Build(t.Context(), memory{a: textA, b: textB, "README.md": "# hello"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkMap(t, m, Focus{Files: []string{a}, Text: task}, budget)
	})
}

// checkMap checks what must hold of everything that a map tells.
func checkMap(t *testing.T, m *Map, focus Focus, budget int) {
	t.Helper()
	c := m.Context(focus, budget)
	texts := map[string]string{"tree": m.Tree(budget), "signatures": m.Signatures(budget, focus), "context": c.String()}
	for what, text := range texts {
		if n := m.o.Count(text); n > budget {
			t.Errorf("%s has %d tokens of %d", what, n, budget)
		}
		if i := strings.IndexFunc(strings.NewReplacer("\n", "", "\t", "").Replace(text), steers); i >= 0 {
			t.Errorf("%s steers: %q", what, text)
		}
	}
	if n := m.o.Count(c.String()); c.Tokens != n {
		t.Errorf("the context says %d tokens and has %d", c.Tokens, n)
	}
	if n := strings.Count(texts["context"], "\n</untrusted "+c.mark+">\n"); n != len(c.Sections) {
		t.Errorf("%d ends of %d sections: %q", n, len(c.Sections), texts["context"])
	}
	for _, h := range m.Search(focus.Text, 5) {
		if s := h.String(); strings.ContainsFunc(s, steers) || len(s) > 2*maxName+maxHitText {
			t.Errorf("hit %q", s)
		}
	}
}
