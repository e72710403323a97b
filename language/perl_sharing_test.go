package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestPerlSharing has tests that rest on what they share with the program, each with a right and a
// wrong one, and tests that seem to, and need not be in one process with it.
func TestPerlSharing(t *testing.T) {
	const (
		box  = "package Box; sub new { my ($c, @i) = @_; bless { i => [map { ref ? @$_ : $_ } @i] }, $c } sub add { push @{$_[0]{i}}, $_[1]; $_[0] } sub all { [@{$_[0]{i}}] } sub size { scalar @{$_[0]{i}} }\n1;\n"
		leak = "package Box; sub new { my ($c, $i) = @_; bless { i => $i || [] }, $c } sub add { push @{$_[0]{i}}, $_[1]; $_[0] } sub all { $_[0]{i} } sub size { scalar @{$_[0]{i}} }\n1;\n"
		node = "package Node; sub new { my ($c, $v) = @_; bless { v => $v, children => [] }, $c } sub depth { my $m = 0; for (@{$_[0]{children}}) { my $d = $_->depth; $m = $d if $d > $m } 1 + $m } sub first { $_[0]{children}[0] }\n1;\n"
		lost = "package Node; sub new { my ($c, $v) = @_; bless { v => $v }, $c } sub depth { 1 }\n1;\n"
		once = "my $k = { a => [1] }; sub load_it { $k } sub clone { return { %{$_[0]} } }\n1;\n"
		anew = "sub load_it { return { a => [1] } } sub clone { return { a => [@{$_[0]{a}}] } }\n1;\n"
	)
	run := func(t *testing.T, source, tests string) (rigVerdict, string) {
		tc, _ := rigTool(t, Perl)
		exam, err := Perl.Exam(tc, program("perl", "main.pl", source), Tests{Files: []glovebox.File{{Path: "main.t", Data: []byte("use strict; use warnings;\nuse Test::More;\n" + tests + "\ndone_testing;\n")}}, Nonce: rigNonce})
		if err != nil {
			t.Fatal(err)
		}
		return rigSit(t, Perl, exam), exam.Reason
	}
	for _, c := range []struct{ name, right, wrong, tests, says string }{
		{"a list that an object gave", box, leak, "my $b = Box->new; $b->add(1);\npush @{$b->all}, 99;\nis $b->size, 1;", "the tests change what the program gave them (@{$b->all}, line 4)"},
		{"by a variable", box, leak, "my $b = Box->new(1, 2);\nmy $got = $b->all;\n$got->[0] = 9;\nis_deeply $b->all, [1, 2];", "($got->[0], line 5)"},
		{"in a loop", box, "package Box; sub new { my ($c, @i) = @_; bless { i => [@i] }, $c } sub all { shift->{i} } sub size { $_[0]{i}[0] }\n1;\n", "my $b = Box->new(5);\nfor (1 .. 2) {\n my $got = $b->all; isnt $b->size, 9; $got->[0] = 9;\n}", "($got->[0], line 5)"},
		{"by a sub of the tests", box, leak, "my $b = made(1);\nspoil($b->all);\nis $b->size, 1;\nsub made { return Box->new([@_]) }\nsub spoil { my ($l) = @_; push @$l, 2 }", "(@$l, line 7)"},
		{"a field of an object", node, lost, "my $r = Node->new(1);\n\n=pod\n\nx\n\n=cut\n\npush @{$r->{children}}, Node->new(2);\nis $r->depth, 2;", "(@{$r->{children}}, line 11)"},
		{"beside texts of brackets", anew, once, "my $got = load_it('}');\nlike('{', qr/[{]/);\n$got->{'b;'} = 1;\nis_deeply load_it('}'), { a => [1] };", "($got->{\"\"}, line 5)"},
		{"what a function keeps", anew, once, "my $got = load_it('a');\n$got->{b} = 1;\nis_deeply load_it('a'), { a => [1] };", "($got->{b}, line 4)"},
		{"a copy of an argument", anew, once, "my $o = { a => [1] };\nmy $c = clone($o);\npush @{$c->{a}}, 2;\nis_deeply $o, { a => [1] };", "(@{$c->{a}}, line 5)"},
		{"a value made anew", anew, once, "isnt load_it(), load_it();", "the tests ask which object the program gave them (isnt, line 3)"},
		{"a value that is kept", once, anew, "my ($x, $y) = (load_it(), load_it());\nok $x == $y;\nis $x->{a}[0], 1;", "(==, line 4)"},
		{"a snapshot", box, leak, "my $b = Box->new;\nmy $s = $b->all;\n$b->add(2);\nis_deeply $s, [];", "the tests look at what the program gave them, after it may have changed ($s, line 6)"},
		{"a snapshot's size", box, leak, "my $b = Box->new;\nmy $s = $b->all;\n$b->add(2);\nis scalar(@$s), 0;", "after it may have changed (line 6)"},
		{"an argument that is kept", box, leak, "my @xs = (1);\nmy $b = Box->new(\\@xs);\npush @xs, 2;\nis $b->size, 1;", "the tests change what they gave the program (@xs, line 5)"},
		{"an argument that is written to", leak, box, "my $xs = [1];\nmy $b = Box->new($xs);\n$b->add(2);\nis_deeply $xs, [1, 2];", "the tests look at what they gave the program, after it may have changed ($xs, line 6)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if v, reason := run(t, c.right, c.tests); !v.pass || v.worth() != glovebox.ProofInProcess || !strings.Contains(reason, c.says) {
				t.Errorf("right: pass %t, %s, %q: %s\n%s", v.pass, v.worth(), reason, v.why, v.harness.stderr+v.candidate.stderr)
			}
			if v, _ := run(t, c.wrong, c.tests); v.pass {
				t.Errorf("wrong: pass, %s", v.worth())
			}
		})
	}
	for _, c := range []struct{ name, program, tests string }{
		{"a result that is sorted", "sub f { [reverse @_] }\n", "my $r = f(1, 3); @$r = sort @$r; is_deeply $r, [1, 3];"},
		{"a table of cases", "sub f { [reverse @{$_[0]}] }\n", "for my $c ([[3, 1], [1, 3, 0]], [[2], [2, 0]]) { my $r = f($c->[0]); push @$r, 0; is_deeply $r, $c->[1] }"},
		{"calls in a chain", leak, "my $b = Box->new; $b->add(1)->add(2); is_deeply $b->all, [1, 2];"},
		{"an object that another gives", node, "my $r = Node->new(1); my $c = $r->first; ok !$c; $r->depth; is $r->{v}, 1;"},
		{"a field that is set", node, "my $r = Node->new(1); $r->{v} = 5; is $r->{v}, 5; $r->{next} = Node->new(2); is $r->{next}{v}, 2;"},
		{"a number from before", leak, "my $b = Box->new; my $old = $b->size; $b->add(1); is $b->size, $old + 1; is $old, 0; isnt $b->size, $old;"},
		{"an argument in a new call", "sub total { my $t = 0; $t += $_ for @{$_[0]}; $t }\n", "my $xs = [1]; is total($xs), 1; push @$xs, 4; is total($xs), 5;"},
		{"an array of its own", "sub f { (1, 2) }\n", "my @got = f(3); push @got, 4; is_deeply \\@got, [1, 2, 4]; is_deeply [f(3)], [1, 2];"},
		{"the same number twice", "sub f { $_[0] + 1 }\n", "is f(2), f(2); ok f(1) == f(1);"},
		{"blocks of their own", leak, "subtest one => sub { my $b = Box->new; my $got = $b->all; push @$got, 1; is_deeply $got, [1] };\nsubtest two => sub { my $b = Box->new; is $b->size, 0 };"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if v, reason := run(t, c.program, c.tests); !v.pass || v.worth() != glovebox.ProofOutOfProcess {
				t.Errorf("pass %t, %s, %q: %s\n%s", v.pass, v.worth(), reason, v.why, v.harness.stderr+v.candidate.stderr)
			}
		})
	}
}
