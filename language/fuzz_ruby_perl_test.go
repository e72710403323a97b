package language

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestFuzzRuby and TestFuzzPerl give both ends of the link what nobody would send.
func TestFuzzRuby(t *testing.T) { fuzzDriver(t, Ruby, "ruby/testdata/fuzz.rb", 150) }
func TestFuzzPerl(t *testing.T) { fuzzDriver(t, Perl, "perl/testdata/fuzz.pl", 900) }

func fuzzDriver(t *testing.T, l *Language, file string, tries int) {
	tc, tree := rigTool(t, l)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fuzz := fuzzFor(t, tries)
	ctx, cancel := context.WithTimeout(context.Background(), fuzz.wall+2*time.Minute)
	defer cancel()
	name := file[strings.LastIndex(file, "/")+1:]
	run := rigStart(t, ctx, tc, tree, Step{Args: append([]string{tc.Exe, name}, fuzz.args()...)}, []glovebox.File{{Path: name, Data: text}}, [3]*os.File{})()
	t.Log(run.stdout)
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
		"sub mk { my ($x) = @_; Box->new($x) } my $b = mk([1]); for my $r (@{$b->all}) { push @$r, '}'; } my @l = f(\\@x); $l[0]{a} = 1; is_deeply($b->{x}{y}, {});",
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
		text.shares()
		text.skipsAll()
	})
}
