package command_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/policy/command"
)

// FuzzParse reads hostile lines: no panic, a whole refusal, and what is accepted is plain.
func FuzzParse(f *testing.F) {
	for _, b := range bypasses {
		f.Add(b.line[:min(len(b.line), 300)])
	}
	for _, h := range honest {
		f.Add(h.line)
	}
	p := load(f, wide)
	f.Fuzz(func(t *testing.T, line string) { parse(t, p, line) })
}

func parse(t testing.TB, p *command.Policy, line string) bool {
	c, err := p.Parse(line)
	if err == nil {
		checkAccepted(t, p, line, c.Argv)
		return true
	}
	var r *command.Refusal
	if c.Argv != nil || !errors.As(err, &r) || r.Column < 1 || r.Column > len([]rune(line))+1 || r.What == "" || r.Why == "" || r.Instead == "" || len(r.Error()) > 8<<10 {
		t.Fatalf("%q: %q, %+v", line, c.Argv, err)
	}
	return false
}

// FuzzLoad reads hostile tool policies: no panic, and an error that names the file.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(wide))
	f.Add([]byte("version: 1\nprograms:\n- {name: bash, unsafe: true, args: any}\nhosts: [a.example]\n"))
	f.Add([]byte("version: 1\nprograms: [{name: x, flags: ['-n, --lines number', '--c[=a|b]'], args: path}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := command.Load(data, "tools.yaml")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "tools.yaml:") {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		for _, name := range p.Programs() {
			parse(t, p, name+" -v --lines=3 ../x")
		}
	})
}

// TestMixedLines joins pieces of the tables above at random: nothing that a shell would
// expand is accepted, and some lines are.
func TestMixedLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 8))
	p := load(t, wide)
	var pieces []string
	for _, b := range bypasses {
		if len(b.line) < 200 {
			pieces = append(pieces, strings.Split(b.line, " ")...)
		}
	}
	var starts []string
	for _, h := range honest {
		words := strings.Split(h.line, " ")
		starts = append(starts, strings.Join(words[:min(2, len(words))], " "))
		pieces = append(pieces, words...)
	}
	accepted := 0
	rounds := 2_000
	if os.Getenv("GLOVEBOX_SAMPLE") == "all" {
		rounds = 500_000
	}
	for range rounds {
		line := starts[rng.IntN(len(starts))]
		for range rng.IntN(4) {
			line += []string{" ", " ", " ", "", "'", `"`}[rng.IntN(6)] + pieces[rng.IntN(len(pieces))]
		}
		if parse(t, p, line) {
			accepted++
		}
	}
	if accepted < rounds/20 {
		t.Errorf("only %d lines are accepted: the test tests nothing", accepted)
	}
}

func BenchmarkParse(b *testing.B) {
	p := command.Default()
	for b.Loop() {
		if _, err := p.Parse(`git log --oneline -n 5 --author "A B" -- src`); err != nil {
			b.Fatal(err)
		}
	}
}
