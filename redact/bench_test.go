package redact

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
)

// prose is n bytes of text as programs print it: words, numbers, some code.
func prose(n int) []byte {
	words := strings.Fields(`the of and a to in is that for it was on are as with they be at this from have or by one had not but what all were when
		we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see
		time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most
		def return self.value = None; if x == 10: print(f"{name}: {total:.2f}") for i in range(100): INFO 2026-11-20T10:00:00Z request GET /index.html 200 12ms
		tests passed key token count user index error: File "main.py", line 42, in <module> KeyError ValueError assert result`)
	r := rand.New(rand.NewPCG(7, 7))
	b := make([]byte, 0, n+16)
	for len(b) < n {
		b = append(b, words[r.IntN(len(words))]...)
		if r.IntN(12) == 0 {
			b = append(b, '\n')
		} else {
			b = append(b, ' ')
		}
	}
	return b[:n]
}

func BenchmarkBytes(b *testing.B) {
	text := prose(8 << 20)
	for name, secrets := range map[string]map[string]string{"rules": nil, "named": {"A": "hV7-qq02/Zz1", "B": "another long secret value"}} {
		b.Run(name, func(b *testing.B) {
			r := New(Config{Secrets: secrets})
			b.SetBytes(int64(len(text)))
			start := cpu()
			for b.Loop() {
				r.Bytes("stdout", text)
			}
			b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(cpu()-start).Seconds(), "MB/cpu-s")
		})
	}
}

func BenchmarkWriter(b *testing.B) {
	text := prose(8 << 20)
	r := New(Config{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		w := r.Writer("stdout", io.Discard)
		for p := text; len(p) > 0; {
			n := min(len(p), 32<<10)
			w.Write(p[:n])
			p = p[n:]
		}
		w.Close()
	}
}

// BenchmarkLoad is what the first redaction of a process pays.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		makeBook()
	}
}

// BenchmarkNew is what a run with a named secret pays.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Config{Secrets: map[string]string{"A": "hV7-qq02/Zz1-and-some-more"}}).String("stdout", "x")
	}
}

// hostile are texts made to be slow: nothing but keys, or what nearly matches.
func hostile() map[string]string {
	texts := map[string]string{
		"password": "password=", "assign": "password='", "token": "token:token:", "eyJ": "-eyJ", "url": "://a:", "pem": "-----BEGIN ", "pem line": "-----BEGIN PRIVATE KEY-----",
		"marker": "[redacted:", "jenkins": "jenkins token ", "curl": "curl -u ", "kubernetes": "apiVersion\n", "user": "user=aaaa\n", "okta": "okta ", "escape": "\x1b[",
		"base64": "LS0tLS1CRUdJTi", "hits": "sk-s.AKIAEAAMghp_", "named": "hV7-qq02", "authorization": "authorization:", "near": "heroku=", "krb": "$krb5asrep$23$",
		"cookie": "cookie:a=b;", "cookies": "cookie: session=abcdefgh12345678; ", "pipe": "123456789012345|", "cut": "hV7-...", "cuts": "...", "spelled escape": `\x1b[0mtoken=`,
		"coloured": "\x1b[0mpassword=", "log key": "-----BEGIN PRIVATE KEY-----\nx ", "xml": "<password>", "flag": "--token ", "stated": "token is ",
	}
	var all strings.Builder
	for _, r := range allRules() {
		for _, k := range r.keys {
			all.WriteString(k)
		}
	}
	texts["all keys"] = all.String()
	return texts
}

// BenchmarkHostile shows the price of each hostile text.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range hostile() {
		text := []byte(strings.Repeat(unit, (1<<20)/len(unit)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				New(Config{Secrets: map[string]string{"A": "hV7-qq02/Zz1"}}).Bytes("stdout", text)
			}
		})
	}
}

// TestLinear: the price of a hostile text grows with its length, not faster.
// It counts the bytes that matchers are shown, not time.
func TestLinear(t *testing.T) {
	for name, unit := range hostile() {
		price := func(n int) float64 {
			text := []byte(strings.Repeat(unit, n/len(unit)))
			var hits, bytes int
			for _, f := range New(Config{Secrets: map[string]string{"A": "hV7-qq02/Zz1"}}).stages(ignore, ignore) {
				for _, h := range f.finder.scan(text, 0, nil) {
					hits++
					if c, ok := h.m.(*keyed); ok {
						bytes += c.span
					}
				}
			}
			return float64(hits*64+bytes) / float64(n)
		}
		if small, large := price(1<<15), price(1<<18); large > small*1.1+1 {
			t.Errorf("%s: %.0f a byte at 32 KiB, %.0f at 256 KiB", name, small, large)
		}
	}
}

// planter writes prose with a secret every so many bytes, and at the borders
// of the blocks that it writes.
type planter struct {
	block   []byte
	secrets []string
}

// run writes total bytes of prose and returns how many secrets it planted.
func (p planter) run(w io.Writer, total int64) (planted int, err error) {
	var carry string // the second half of a secret that crosses a border
	for n, i := int64(0), 0; n < total; i++ {
		s := p.secrets[i%len(p.secrets)]
		half := 1 + i%(len(s)-1)
		next := p.block[i%1024 : len(p.block)-1-i%513]
		for _, part := range []string{carry, "\n", string(next[:1]), " ", s[:half]} {
			if part == " " {
				if _, err = w.Write(next); err != nil {
					return planted, err
				}
				n += int64(len(next))
			}
			if _, err = io.WriteString(w, part); err != nil {
				return planted, err
			}
			n += int64(len(part))
		}
		carry = s[half:]
		planted++
	}
	_, err = io.WriteString(w, carry)
	return planted, err
}

// spotter looks for secrets in what is written to it, across borders too, and
// watches the heap.
type spotter struct {
	secrets []string
	tail    []byte
	found   string
	bytes   int64
	peak    uint64
	writes  int
}

func (s *spotter) Write(p []byte) (int, error) {
	s.bytes += int64(len(p))
	if s.writes++; s.writes%512 == 0 {
		s.peak = max(s.peak, heap())
	}
	s.tail = append(s.tail, p...)
	if len(s.tail) >= 1<<16 {
		s.look()
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-256:]...)
	}
	return len(p), nil
}

func (s *spotter) look() {
	for _, secret := range s.secrets {
		if bytes.Contains(s.tail, []byte(secret)) {
			s.found = secret
		}
	}
}

// heap is the live heap.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestStream redacts a long stream in bounded memory.
func TestStream(t *testing.T) {
	total := int64(64 << 20)
	if testing.Short() {
		total = 16 << 20
	}
	longStream(t, total)
}

// BenchmarkStreamGiB is TestStream with 1 GiB; it fails as a test does.
func BenchmarkStreamGiB(b *testing.B) {
	b.SetBytes(1 << 30)
	for b.Loop() {
		longStream(b, 1<<30)
	}
}

func longStream(t testing.TB, total int64) {
	t.Helper()
	const named = "hV7-qq02/Zz1"
	secrets := []string{named, "ghp_" + "XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg", "AKIA" + "Q3EGSZ7XKJTWPLNB", "glpat-" + "tFrjFXD7soVU2fqxuDMh"}
	p := planter{block: prose(128 << 10), secrets: secrets}
	r := New(Config{Secrets: map[string]string{"A": named}})
	out := &spotter{secrets: secrets}
	before := heap()
	w := r.Writer("stdout", out)
	start := time.Now()
	planted, err := p.run(w, total)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	out.look()
	if out.found != "" {
		t.Errorf("%q survives", out.found)
	}
	count := 0
	for _, c := range r.Counts() {
		count += c.Count
	}
	if count != planted {
		t.Errorf("%d redactions for %d planted secrets: %v", count, planted, r.Counts())
	}
	grown := int64(max(out.peak, before)) - int64(before)
	if grown > 16<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	t.Logf("%d MiB, %d secrets planted, heap growth at most %d KiB, %.0f MB/s", total>>20, planted, grown>>10, float64(out.bytes)/1e6/time.Since(start).Seconds())
}

// ignore is a noter.
func ignore(string, []byte) {}
