package redact

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWriterIsPrompt: a stream that pauses has given everything but what may
// be of a secret.
func TestWriterIsPrompt(t *testing.T) {
	for _, tt := range []struct{ in, out string }{
		{"a line\n", "a line\n"},
		{"What is your name? ", "What is your name? "},
		{"........................................", "..................................."},
		{"50 %", "50 %"},
		{"(3 of 4)", "(3 of 4)"},
		{"==========>", "==========>"},
		{"a word", "a "}, // 76 letters before "AZDO" are a token
		{"see ghp_XIxB7KMNdAr3zq", "see "},
		{"key:\n-----BEGIN RSA PRIV", "key:\n"},
		{"{ghp_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg}\n> ", "{[redacted:github-pat]}\n> "},
		{"api_key = 1\n> ", "api_key = 1\n> "},
	} {
		var out bytes.Buffer
		w := New(Config{}).Writer("stdout", &out)
		for i := range tt.in {
			w.Write([]byte(tt.in[i : i+1]))
		}
		if out.String() != tt.out {
			t.Errorf("%q has given %q, want %q", tt.in, out.String(), tt.out)
		}
		w.Close()
	}
}

// TestKeyInPieces: a private key is one secret however long it and its lines are,
// and however it is cut.
func TestKeyInPieces(t *testing.T) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for _, width := range []int{64, 76, 83, 1000, 5000} {
		r := rand.New(rand.NewPCG(1, 1))
		var key strings.Builder
		key.WriteString("x\n-----BEGIN RSA PRIVATE KEY-----\n")
		for i := range 6000 {
			key.WriteByte(digits[r.IntN(len(digits))])
			if i%width == width-1 {
				key.WriteByte('\n')
			}
		}
		key.WriteString("\n-----END RSA PRIVATE KEY-----\nafter")
		for _, piece := range []int{1, 7, 64, 1000} {
			var out bytes.Buffer
			w := New(Config{}).Writer("stdout", &out)
			for s := key.String(); s != ""; s = s[min(piece, len(s)):] {
				w.Write([]byte(s[:min(piece, len(s))]))
			}
			w.Close()
			if out.String() != "x\n[redacted:private-key]\nafter" {
				t.Errorf("lines of %d in pieces of %d: %d bytes are left, %.40q", width, piece, out.Len(), out.String())
			}
		}
	}
}
