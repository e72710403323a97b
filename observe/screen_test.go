package observe

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// screen writes s in pieces of at most size bytes.
func screen(s string, size int) (text string, held int) {
	var sc Screen
	var out strings.Builder
	for len(s) > 0 {
		n := min(size, len(s))
		t, _ := sc.Write([]byte(s[:n]))
		out.WriteString(t)
		held = max(held, sc.Held())
		s = s[n:]
	}
	t, _ := sc.Close()
	return out.String() + t, held
}

// TestScreen: how a text is cut makes no difference to what is shown.
func TestScreen(t *testing.T) {
	for _, in := range []string{
		"plain\n", "héllo, 世界 🚀\n", "a\r\nb\rc\r", "\x1b[31mred\x1b[0m", "\x1b]0;pwned\x07text", "\x1b]0;pwned\x1b\\text",
		"\x1b]0;a\x1bb\x1b\x1b\\text", "\x1b]0;x\ntext", "a\x1b[12", "a\x1b", "\x1bcx", "\x1b\x1b[1mx", "\x1b[\x1b[1mx", "\r\x1b[K\n10%\r20%",
		"a\u202eb\u2066c", "\x1b[é", "back\\slash",
	} {
		want, _ := Text([]byte(in))
		for size := 1; size <= 5; size++ {
			if got, held := screen(in, size); got != want || held > 3 {
				t.Errorf("%q in pieces of %d: %q with %d bytes held back, want %q", in, size, got, held, want)
			}
		}
	}
}

// TestScreenEscapes: each piece says of itself whether it is escaped, and half
// a character at the end of the stream is none.
func TestScreenEscapes(t *testing.T) {
	var s Screen
	for _, step := range []struct {
		in, want string
		escaped  bool
		held     int
	}{
		{`a\b`, `a\b`, false, 0},
		{"\xff\\", `\xff\\`, true, 0},
		{"é"[:1], "", false, 1},
		{"é"[1:] + "🚀"[:3], "é", false, 3},
		{"!", `\xf0\x9f\x9a!`, true, 0},
		{"🚀"[:2], "", false, 2},
	} {
		if text, escaped := s.Write([]byte(step.in)); text != step.want || escaped != step.escaped || s.Held() != step.held {
			t.Errorf("%q: %q, %v, %d held back", step.in, text, escaped, s.Held())
		}
	}
	if text, escaped := s.Close(); text != `\xf0\x9f` || !escaped {
		t.Errorf("%q, %v at the end", text, escaped)
	}
}

// TestScreenForgetsStrings: a title that never ends is not kept anywhere.
func TestScreenForgetsStrings(t *testing.T) {
	var s Screen
	s.Write([]byte("\x1b]0;"))
	piece := []byte(strings.Repeat("x", 1<<16))
	if n := testing.AllocsPerRun(10, func() { s.Write(piece) }); n > 1 || s.Held() != 0 {
		t.Errorf("%.0f allocations, %d bytes held back", n, s.Held())
	}
	if text, _ := s.Write([]byte("\x07seen")); text != "seen" {
		t.Errorf("%q", text)
	}
}

func FuzzScreen(f *testing.F) {
	f.Add("a\r\nb\x1b[31m\x1b]0;x\x07é\xff", 3)
	f.Fuzz(func(t *testing.T, in string, size int) {
		got, held := screen(in, 1+max(size, 0)%7)
		if held > 3 {
			t.Fatalf("%d bytes held back", held)
		}
		for _, c := range got {
			if c != '\n' && c != '\t' && Control(c) {
				t.Fatalf("%q steers a terminal", got)
			}
		}
		if want, _ := Text([]byte(in)); utf8.ValidString(in) && got != want {
			t.Fatalf("%q, whole it is %q", got, want)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, line := range map[string]string{"ascii": "INFO 2026-11-20 request GET /index.html 200 12ms\n", "colour": "\x1b[31mred\x1b[0m and plain\n", "cjk": "世界 héllo\n", "binary": "\x00\xff\\\n"} {
		text := []byte(strings.Repeat(line, 1<<16/len(line)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}
