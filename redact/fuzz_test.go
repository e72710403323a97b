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
		text := string(before) + named + string(after)
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
	})
}
