package language

import (
	"slices"
	"strings"
	"testing"
)

// TestPerlJudges has tests in which the program judges its own results, by their
// text, and tests in which it does not.
func TestPerlJudges(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"ok(near(area(2), 12.5));\n", "near"},
		{"my $got = area(2);\nok(near($got, 12.5), 'close');\n", "near"},
		{"die 'no' unless near(area(2), 12.5);\n", "near"},
		{"my $got = area(2);\nif (!near($got, 12.5)) {\n  die 'no';\n}\n", "near"},
		{"is(near(area(2), 12.5), 1, 'close');\n", "near"},
		{"ok(near(area(2), 12.5) == 1);\n", "near"},
		{"my $same = near(area(2), 12.5);\nok($same);\n", "near"},
		{"my ($same) = near(area(2), 12.5);\ndie 'x' if not $same;\n", "near"},
		{"sub check {\n  my ($got, $want) = @_;\n  ok(near($got, $want));\n}\ncheck(area(2), 12.5);\n", "near"},
		{"my $got = evens(3);\nok((all { $_ % 2 == 0 } @$got), 'all even');\nis(sum(@$got), 6, 'sum');\n", "all sum"},
		{"my @got = evens(3);\nok(sorted @got);\n", "sorted"},
		{"my $got = area(2);\nok(Math::Near::near($got, 2));\n", "Math::Near::near"},
		{"my $id = $o->id;\nok($o->has($id));\n", "->"},
		{"my $id = $o->id();\nok($o->has($id));\n", "->"},
		{"is(decode(encode('x')), 'x');\n", ""},
		{"is(scalar(sorted(keep(1))), 3);\nis_deeply([sorted(keep(1))], [1]);\n", ""},
		{"my $e = encode('x');\nmy $d = decode($e);\nis($d, 'x');\nok($d eq 'x');\nok(length($d) > 0);\n", ""},
		{"ok(is_prime(7));\nok(!is_prime(8));\nok(add(1, 2) == 3);\nok(abs(area(2) - 12.5) < 0.1);\n", ""},
		{"ok(near(12.5, 12.5));\nmy $v = V->new(1);\nok($v->equals(V->new(1)));\n", ""},
		{"for my $n (2, 3, 5) {\n  ok(is_prime($n), \"$n\");\n}\n", ""},
		{"my $got = eval { area(2) };\nok(!$@);\nlike($got, qr/1/);\n", ""},
	} {
		if got := strings.Join(readPerlText(c.src).judges(), " "); got != c.want {
			t.Errorf("%q is judged by %q, not by %q", c.src, got, c.want)
		}
	}
}

// TestPerlText has texts of Perl, what their code is and what they are found to
// need, make and read back.
func TestPerlText(t *testing.T) {
	for _, c := range []struct {
		src, bare, needs string
		made, changes    []string
	}{
		{src: "my $x = 'eval $y'; # `ls`\n", bare: "my $x = \"\"; \n"},
		{src: "is(f(), \"open $x\");\n", bare: "is(f(), \"$$x\");\n"},
		{src: "my $r = $a / 2; # / eval $x /\n", bare: "my $r = $a / 2; \n"},
		{src: "split /,'/, $x; eval $y;\n", bare: "split \"\", $x; eval $y;\n", needs: "text that is run as code"},
		{src: "eval { f() };\nmy %h = (eval => 1);\n", bare: "eval { f() };\nmy %h = (eval => 1);\n"},
		{src: "my $t = <<'A' . <<\"B\";\neval $x\nA\nb $y\nB\nf($t);\n", bare: "my $t =  . ;\n\"\"\"$$y\"\nf($t);\n"},
		{src: "=pod\n\nsystem 'x'\n\n=cut\nf();\n__END__\nsystem 1;\n", bare: "\nf();\n"},
		{src: "$x->y(1); $h{s}; s{a}{b}ee;\n", bare: "$x->y(1); $h{s}; s\"\"ee;\n", needs: "text that is run as code"},
		{src: "my $n = $#list + $#{$x}; my %h = %$y;\n", bare: "my $n = $#list + $#{$x}; my %h = %$y;\n"},
		{src: "$o->$name(1);\n", bare: "$o->$name(1);\n", needs: "names that are found while they run"},
		{src: "is($Foo::count, 1);\n", bare: "is($Foo::count, 1);\n", needs: "the program's variables"},
		{src: "is($Test::Builder::Level, 1);\n", bare: "is($Test::Builder::Level, 1);\n"},
		{src: "f(sub { $_[0] + 1 }, 1 .. 1_000_000);\n", bare: "f(sub { $_[0] + 1 }, 1 .. 1_000_000);\n", needs: "a sub that is called very often"},
		{src: "my $s = Stack->new(1); my $q = new My::Queue;\n", bare: "my $s = Stack->new(1); my $q = new My::Queue;\n", made: []string{"Stack", "My::Queue"}},
		{src: "my $s = Stack->new; $c->new;\n", bare: "my $s = Stack->new; $c->new;\n"},
		{src: "trim($s); is($s, 'a');\n", bare: "trim($s); is($s, \"\");\n", changes: []string{"trim"}},
		{src: "is(twice($n), 2 * $n);\n", bare: "is(twice($n), 2 * $n);\n"},
		{src: "my $r = twice($n); is($r, 2 * $n);\n", bare: "my $r = twice($n); is($r, 2 * $n);\n"},
		{src: "my $r = twice($n); my $w = 2 * $n; is($n, 3); is($r, $w);\n", bare: "my $r = twice($n); my $w = 2 * $n; is($n, 3); is($r, $w);\n", changes: []string{"twice"}},
	} {
		got := readPerlText(c.src)
		if strings.TrimSpace(got.bare) != strings.TrimSpace(c.bare) {
			t.Errorf("%q is read as %q, not as %q", c.src, got.bare, c.bare)
		}
		if needs := got.needs(); needs != c.needs {
			t.Errorf("%q needs %q, not %q", c.src, needs, c.needs)
		}
		if made := got.made(); !slices.Equal(made, c.made) {
			t.Errorf("%q makes %q, not %q", c.src, made, c.made)
		}
		changed, _ := got.changes()
		if changes := slices.DeleteFunc(changed, func(s string) bool { return s == "is" }); !slices.Equal(changes, c.changes) {
			t.Errorf("%q reads back %q, not %q", c.src, changes, c.changes)
		}
	}
}
