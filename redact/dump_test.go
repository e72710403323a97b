package redact

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// xxd is what that program prints.
func xxd(b []byte) string {
	var out strings.Builder
	for at := 0; at < len(b); at += 16 {
		row := b[at:min(at+16, len(b))]
		var digits, chars strings.Builder
		for i, c := range row {
			if i > 0 && i%2 == 0 {
				digits.WriteByte(' ')
			}
			fmt.Fprintf(&digits, "%02x", c)
			if c < ' ' || c > '~' {
				c = '.'
			}
			chars.WriteByte(c)
		}
		fmt.Fprintf(&out, "%08x: %-39s  %s\n", at, digits.String(), chars.String())
	}
	return out.String()
}

// od is what od -A x -t x1 prints.
func od(b []byte) string {
	var out strings.Builder
	for at := 0; at < len(b); at += 16 {
		fmt.Fprintf(&out, "%06x % x\n", at, b[at:min(at+16, len(b))])
	}
	return out.String()
}

// TestDumps: a named value is found in a dump wherever the rows cut it.
func TestDumps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for _, secret := range []string{noise(rnd, alnumSet, 40), noise(rnd, alnumSet, 16) + "é\x01\n" + noise(rnd, alnumSet, 90), noise(rnd, alnumSet, 10)} {
		for pad := range 17 {
			data := []byte(strings.Repeat("-", pad) + secret + " and more of what is dumped here, for some rows\n")
			for name, text := range map[string]string{"hexdump -C": hex.Dump(data), "xxd": xxd(data), "od": od(data)} {
				text = "before\n" + text + "after\n"
				r := New(Config{Secrets: map[string]string{"A": secret}})
				out := r.String("stdout", text)
				for _, form := range []string{secret, hex.EncodeToString([]byte(secret))} {
					bare := strings.NewReplacer(" ", "", "\n", "").Replace(out)
					if left := leaves(bare, form); len(left) > 6 {
						t.Errorf("%s at %d: %q is left in\n%s", name, pad, left, out)
					}
				}
				if !strings.HasPrefix(out, "before\n00") || !strings.HasSuffix(out, "after\n") {
					t.Errorf("%s at %d: %s", name, pad, out)
				}
				for _, size := range []int{1, 7, 50} {
					if cut := stream(t, r, text, func() int { return size }); cut != out {
						t.Errorf("%s at %d in pieces of %d:\n%s\nwant\n%s", name, pad, size, cut, out)
					}
				}
				if again := r.String("stdout", out); again != out {
					t.Errorf("%s at %d: again\n%s\nwas\n%s", name, pad, again, out)
				}
			}
		}
	}
	r := New(Config{Secrets: map[string]string{"A": "Zq81-kkfP2-0xA"}})
	for _, text := range []string{hex.Dump([]byte(strings.Repeat("nothing to see here ", 9))), "00001234 ab\n", "0000 ", "deadbeef: 00", "12345678 > "} {
		if out := r.String("stdout", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
