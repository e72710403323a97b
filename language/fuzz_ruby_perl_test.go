package language

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// fuzzTime is how long a fuzzer in a driver's own language runs: GLOVEBOX_FUZZ,
// such as 10m, or a moment.
func fuzzTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("GLOVEBOX_FUZZ")); err == nil {
		return d
	}
	return time.Second
}

// TestFuzzRuby and TestFuzzPerl give both ends of the link what nobody would send.
func TestFuzzRuby(t *testing.T) { fuzzDriver(t, Ruby, "ruby/testdata/fuzz.rb") }
func TestFuzzPerl(t *testing.T) { fuzzDriver(t, Perl, "perl/testdata/fuzz.pl") }

func fuzzDriver(t *testing.T, l *Language, file string) {
	tc, tree := rigTool(t, l)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seed, wall := fmt.Sprint(time.Now().UnixNano()%1_000_000_000), fuzzTime()
	ctx, cancel := context.WithTimeout(context.Background(), wall+2*time.Minute)
	defer cancel()
	name := file[strings.LastIndex(file, "/")+1:]
	args := []string{tc.Exe, name, seed, fmt.Sprint(wall.Seconds())}
	run := rigStart(t, ctx, tc, tree, Step{Args: args}, []glovebox.File{{Path: name, Data: text}}, [3]*os.File{})()
	t.Logf("seed %s, %s: %s", seed, wall, run.stdout)
	if run.exit != 0 || run.timedOut {
		t.Errorf("exit %d, timed out %t: %s", run.exit, run.timedOut, run.stderr)
	}
}

// FuzzPerlText has the reading of Perl's tests end, whatever the text is, without
// making more of it than it is.
func FuzzPerlText(f *testing.F) {
	for _, s := range []string{
		"use Test::More;\nmy $s = Stack->new(1);\nis($s->{x}, \"a $b @{[ f() ]}\");\ntrim($s); is($s, 'a');\ndone_testing;\n",
		"my $t = <<'A' . <<~\"B\";\nx\nA\n  y\n  B\n=pod\n\nx\n\n=cut\ns{a}{b}ee; tr/a/b/; m#x#; qw(a b); $x / 2; split /,/, $y;\n__END__\nz",
		"die if abs(f() - 2.5) > 1e-6; $o->$name; sort { $a <=> $b } @l; %h = (q => 1); $#{$x}; &$f;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		text := readPerlText(src)
		if text.end < 0 || text.end > len(src) || len(text.bare) > 8*len(src)+64 || len(text.kept) > 2*len(src)+64 {
			t.Errorf("%q ends at %d, bare %d, kept %d", src, text.end, len(text.bare), len(text.kept))
		}
		text.needs()
		text.made()
		text.modules()
		text.changes()
		text.orders()
	})
}
