package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCount(t *testing.T) {
	// The counts are those of OpenAI's tiktoken.
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello world", 2},
		{"tiktoken is great!", 6},
		{"お誕生日おめでとう", 8},
		{strings.Repeat("a", 1<<20), 1 << 17},
	} {
		if got := Count(c.text); got != c.want {
			t.Errorf("%.40q has %d tokens, want %d", c.text, got, c.want)
		}
	}
}

// TestCountIsBounded would take minutes if a part of the encoding were quadratic.
func TestCountIsBounded(t *testing.T) {
	for _, piece := range []string{" \n", " \r\n", "  \n\n", "\u00a0\n", "a", "!", "1", "A1", "日", "\u0301", "'s", "\xff", "/", "\t"} {
		text := strings.Repeat(piece, 1<<17/len(piece))
		if n := Count(text); n <= 0 || n > len(text) {
			t.Errorf("%d × %q: %d tokens", len(text)/len(piece), piece, n)
		}
	}
}

func TestPartsAreTheText(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat(" ", 1000), strings.Repeat("word \n", 500), strings.Repeat("\u2003", 300) + "x" + strings.Repeat("\n", 129)} {
		joined := ""
		for p := range parts(text) {
			joined += p
		}
		if joined != text {
			t.Errorf("%q became %q", text, joined)
		}
	}
}

func TestTruncate(t *testing.T) {
	words := strings.Repeat("the quick brown fox ", 100)
	for _, c := range []struct {
		name, text string
		tokens     int
		head, tail string
	}{
		{"fits", "hello world", 2, "hello world", ""},
		{"none", "hello world", 0, "", ""},
		{"words", words, 40, "the quick brown fox", "brown fox "},
		{"no room for the line", words, 3, "the quick brown", ""},
		{"characters stay whole", strings.Repeat("👩‍🚀", 100), 50, "👩‍🚀", "👩‍🚀"},
	} {
		got := Truncate(c.text, c.tokens)
		if !strings.HasPrefix(got, c.head) || !strings.HasSuffix(got, c.tail) || Count(got) > c.tokens || !utf8.ValidString(got) {
			t.Errorf("%s: %q has %d tokens", c.name, got, Count(got))
		}
	}
}

func FuzzTruncate(f *testing.F) {
	f.Add("hello world", 1)
	f.Add(strings.Repeat("日本 \n", 50), 30)
	f.Add(strings.Repeat("👩‍🚀", 30), 25)
	f.Add("\xff\x80\x80\x80\x80\x80", 2)
	f.Fuzz(func(t *testing.T, text string, tokens int) {
		if len(text) > 1<<12 {
			return
		}
		got := Truncate(text, tokens)
		if Count(got) > max(tokens, 0) {
			t.Errorf("%d tokens of %d", Count(got), tokens)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is no UTF-8", got)
		}
		if utf8.ValidString(text) && tokens >= Count(text) && got != text {
			t.Errorf("%q was cut to %q", text, got)
		}
	})
}
