package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzRedact: whatever the text and however it is cut, a planted secret does
// not survive, a stream gives what the whole gives, and redacting is
// idempotent.
func FuzzRedact(f *testing.F) {
	const named = "hV7-qq02/Zz1"
	for i, p := range planted {
		f.Add([]byte("before "+p.text), []byte("\nafter"), uint64(i))
	}
	f.Add([]byte("\x1b[3"), []byte("password=\"[redacted:github-pat]\"\n"), uint64(3))
	f.Add([]byte("[redacted:secret:NA"), []byte("]\nuser=a\npassword=b://c:d@e"), uint64(4))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\n\\n\n\xff"), []byte("hV7-qq02/Zz"), uint64(5))
	f.Add([]byte("apiVersion: v1\nkind: Secret\ndata:\n  a: "), []byte("\n  b: YWRtaW46cGFzc3dvcmQ=\n"), uint64(6))
	f.Fuzz(func(t *testing.T, before, after []byte, seed uint64) {
		holds(t, string(before)+named+string(after), named, seed)
	})
}

// holds checks what holds of every text that has the named secret in it.
func holds(t *testing.T, text, named string, seed uint64) {
	t.Helper()
	r := New(Config{Secrets: map[string]string{"NAME": named}})
	out := r.String("fuzz", text)
	if strings.Contains(out, named) {
		t.Fatalf("%q survives in %q", text, out)
	}
	cuts := rand.New(rand.NewPCG(seed, 0))
	for _, most := range []int{1, 4, 40, 5000} {
		if cut := stream(t, r, text, func() int { return 1 + cuts.IntN(most) }); cut != out {
			t.Fatalf("%q\nas a stream in pieces of up to %d: %q\nwhole:  %q", text, most, cut, out)
		}
	}
	if again := r.String("fuzz", out); again != out {
		t.Fatalf("%q\nonce:  %q\ntwice: %q", text, out, again)
	}
	// What a rule finds is removed behind it, wherever the stream is cut.
	fresh := func(next func() int) string {
		return stream(t, New(Config{Secrets: map[string]string{"NAME": named}}), text, next)
	}
	whole := fresh(func() int { return len(text) })
	for _, most := range []int{1, 7, 100} {
		if cut := fresh(func() int { return 1 + cuts.IntN(most) }); cut != whole {
			t.Fatalf("%q\nas a new stream in pieces of up to %d: %q\nin one: %q", text, most, cut, whole)
		}
	}
}

// TestMixtures does what the fuzzer does on texts that are put together from
// the words of the rules, so that candidates stand side by side, in one
// another and cut short.
func TestMixtures(t *testing.T) {
	words := []string{
		"\n", " ", "\"", "'", "=", ": ", "://", "@", "-", "_", ".", "\\n", ",", ";", "\x1b[0m", "\xff", "x", "7", "user", "kind: Secret\ndata:\n  a: ",
		"[redacted:", "[redacted:github-pat]", "]", "secret:NAME", "https://a:b@c", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "-----",
	}
	for _, r := range allRules() {
		words = append(words, r.keys...)
	}
	for _, p := range planted {
		words = append(words, p.text, p.text, p.secret)
	}
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	const named = "hV7-qq02/Zz1"
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		at := r.IntN(12)
		for i := range 12 {
			w := words[r.IntN(len(words))]
			switch r.IntN(6) {
			case 0:
				w = w[:r.IntN(len(w)+1)]
			case 1:
				w = w[r.IntN(len(w)+1):]
			}
			b.WriteString(w)
			if i == at {
				b.WriteString(named)
			}
		}
		holds(t, b.String(), named, seed)
	}
}
