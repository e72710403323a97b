package language

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// perlCase is a program with tests, and what must come of them.
type perlCase struct {
	name, program, tests string
	proof                glovebox.Proof
	pass                 bool
	// why is in the report where the tests fail.
	why string
}

// TestExamPerl has right programs with tests in the shapes that people write, and
// wrong ones.
func TestExamPerl(t *testing.T) {
	const apart, together, judged = glovebox.ProofOutOfProcess, glovebox.ProofInProcess, glovebox.ProofCandidateJudged
	for _, c := range []perlCase{
		{"an exporter", "package Sum;\nuse Exporter 'import';\nour @EXPORT_OK = qw(add); our @EXPORT = qw(twice);\nsub add { $_[0] + $_[1] }\nsub twice { 2 * $_[0] }\n1;\n",
			"use strict; use warnings; use Test::More;\nuse FindBin; use lib \"$FindBin::Bin/../lib\";\nuse Sum qw(add);\nBEGIN { use_ok('Sum') }\nis(add(1, 2), 3);\nis(twice(4), 8);\ncan_ok('Sum', qw(add twice));\ndone_testing;\n", apart, true, ""},
		{"an export that is not there", "package Sum;\nuse Exporter 'import';\nour @EXPORT_OK = ();\nsub add { 3 }\n1;\n", "use Test::More;\nuse Sum qw(add);\nis(add(1, 2), 3);\ndone_testing;\n", apart, false, "not exported"},
		{"a class and its version", "package Counter;\nour $VERSION = '1.5';\nsub new { my $c = shift; return bless { n => 0, @_ }, $c }\nsub inc { $_[0]{n}++; $_[0] }\nsub n { $_[0]{n} }\nsub version { $VERSION }\n1;\n",
			"use Test::More tests => 7;\nuse Counter 1.2;\nmy $c = Counter->new(n => 3);\nis($c->inc->n, 4);\nis($c->{n}, 4);\nisa_ok($c, 'Counter');\nis_deeply($c, { n => 4 });\nis(Counter::version(), '1.5');\nis(Counter->version, '1.5');\nok(!Counter->can('nothing'));\n", apart, true, ""},
		{"inheritance", "package Animal; sub new { my ($c, %a) = @_; bless {%a}, $c } sub name { $_[0]{name} } sub speak { die \"abstract\\n\" }\npackage Dog; our @ISA = 'Animal'; sub speak { 'Woof' }\npackage main;\nsub make { Dog->new(name => $_[0]) }\n1;\n",
			"use Test::More;\nmy $d = make('Rex');\nisa_ok($d, 'Dog'); isa_ok($d, 'Animal');\nok(!$d->isa('Cat'));\nis(ref $d, 'Dog');\nis($d->speak, 'Woof');\nok(!eval { Animal->new(name => 1)->speak; 1 });\nis($@, \"abstract\\n\");\ndone_testing;\n", apart, true, ""},
		{"operators of made objects", "package V;\nuse overload '+' => sub { V->new($_[0]{x} + $_[1]{x}) }, '==' => sub { $_[0]{x} == (ref $_[1] ? $_[1]{x} : $_[1]) }, '\"\"' => sub { \"V($_[0]{x})\" };\nsub new { my ($c, $x) = @_; bless { x => $x }, $c }\n1;\n",
			"use Test::More;\nmy $v = V->new(1) + V->new(2);\nok($v == 3);\nok($v == V->new(3));\nis(\"$v\", 'V(3)');\nis($v, 'V(3)');\ndone_testing;\n", judged, true, ""},
		{"the text of a result", "package V;\nuse overload '\"\"' => sub { \"V($_[0]{x})\" };\npackage main; sub v { bless { x => $_[0] }, 'V' }\n", "use Test::More;\nis(v(3), 'V(3)');\nlike(v(3), qr/^V/);\nok(v(3) eq 'V(3)');\nok(v(1));\ndone_testing;\n", apart, true, ""},
		{"operators of a result", "package V;\nuse overload '==' => sub { 1 };\npackage main; sub v { bless { x => $_[0] }, 'V' }\n", "use Test::More;\nok(v(3) == 4);\ndone_testing;\n", apart, false, "such a result proves nothing"},
		{"a fault that is swallowed", "package V;\nuse overload '==' => sub { 1 };\npackage main; sub v { bless { x => $_[0] }, 'V' }\n", "use Test::More;\nmy $same = eval { v(3) == 4 };\nok(1);\ndone_testing;\n", apart, false, "such a result proves nothing"},
		{"the program by its other name", "sub f { 1 }\n1;\n", "use Test::More;\nrequire './solution.pl';\ndo './solution.pl' or die $@;\nuse solution;\nis(f(), 1);\ndone_testing;\n", apart, true, ""},
		{"the program by its other name, together", "sub f { 1 }\n1;\n", "use Test::More;\nrequire './solution.pl';\nmy $x = eval '1';\nis(f(), $x);\ndone_testing;\n", together, true, ""},
		{"the program's mistake in what the tests say", "sub f(&) { 1 }\n", "use Test::More;\nis(f(2), 1);\ndone_testing;\n", apart, false, ""},
		{"a word that the program lacks", "sub g { 1 }\n", "use strict; use Test::More;\nis f 1, 2, 'x';\ndone_testing;\n", apart, false, ""},
		{"todo and skip", "sub f { 1 }\n", "use Test::More;\nis(f(), 1);\nTODO: { local $TODO = 'later'; is(f(), 2); }\nSKIP: { skip 'no', 1; is(f(), 2); }\ndone_testing;\n", apart, true, ""},
		{"an argument's alias", "sub trim { $_[0] =~ s/^\\s+|\\s+$//g }\nsub swap { @_[0, 1] = @_[1, 0] }\nsub fill { my $h = shift; $h->{x} = [1]; return }\n",
			"use Test::More;\nmy $s = ' a '; trim($s); is($s, 'a');\nmy ($p, $q) = (1, 2); swap($p, $q); is(\"$p$q\", '21');\nmy %h; fill(\\%h); is_deeply(\\%h, { x => [1] });\ndone_testing;\n", apart, true, ""},
		{"blocks with their variables", "sub apply(&@) { my $c = shift; map { $c->() } @_ }\nsub reduce(&@) { my $c = shift; my $x = shift; for my $y (@_) { local ($a, $b) = ($x, $y); $x = $c->() } $x }\nsub by { my ($f, @l) = @_; sort { $f->($a, $b) } @l }\n",
			"use strict; use warnings; use Test::More;\nis_deeply([apply { $_ * 2 } 1, 2], [2, 4]);\nis((reduce { $a + $b } 1, 2, 3), 6);\nis(join('', by(sub { $_[1] <=> $_[0] }, 1, 3, 2)), '321');\ndone_testing;\n", apart, true, ""},
		{"closures", "sub counter { my $n = shift; return sub { return $n++ } }\nsub compose { my @f = reverse @_; return sub { my @a = @_; @a = $_->(@a) for @f; wantarray ? @a : $a[0] } }\n",
			"use Test::More;\nmy $c = counter(5);\nis($c->(), 5); is($c->(), 6);\nis(compose(sub { $_[0] + 1 }, sub { $_[0] * 2 })->(5), 11);\nis(ref $c, 'CODE');\ndone_testing;\n", apart, true, ""},
		{"exceptions", "package Err; sub new { my ($c, %a) = @_; bless {%a}, $c } sub throw { my $c = shift; die $c->new(@_) } sub message { $_[0]{message} }\npackage main;\nsub bad { Err->throw(message => 'no', code => 7) }\nsub text { die 'plain' }\nsub data { die { code => 4 } }\n1;\n",
			"use Test::More; use Test::Exception;\nthrows_ok { bad() } 'Err';\nis($@->message, 'no'); is($@->{code}, 7);\nthrows_ok { text() } qr/plain at main\\.pl line/;\ndies_ok { data() }; is($@->{code}, 4);\nlives_ok { 1 };\ndone_testing;\n", apart, true, ""},
		{"Test2", "package Calc; use Exporter 'import'; our @EXPORT_OK = qw(div); sub div { die \"zero\\n\" if !$_[1]; $_[0] / $_[1] }\n1;\n",
			"use Test2::V0;\nuse Calc qw<div>;\nis(div(6, 3), 2, 'six');\nis([div(1, 2)], [0.5]);\nlike(dies { div(1, 0) }, qr/zero/);\nis({ a => div(4, 2), b => 1 }, hash { field a => 2; etc() });\nsubtest deep => sub { is(div(9, 3), 3) };\ndone_testing;\n", apart, true, ""},
		{"Test2 fails", "sub div { 1 }\n", "use Test2::V0;\nis(div(6, 3), 2, 'six');\ndone_testing;\n", apart, false, "six"},
		{"Test::Deep", "sub f { return { id => 5, tags => ['b', 'a'], at => 1.0001 } }\n",
			"use Test::More; use Test::Deep qw(cmp_deeply cmp_details re bag num superhashof);\ncmp_deeply(f(), { id => re(qr/^\\d+$/), tags => bag('a', 'b'), at => num(1, 0.01) });\nmy ($ok, $stack) = cmp_details(f(), superhashof({ id => 5 }));\nok($ok);\ndone_testing;\n", apart, true, ""},
		{"an assertion that the tests do not import", "sub add { 4 }\nsub cmp_details { 1 }\n", "use Test::More;\nok(cmp_details(add(2, 3), 5));\ndone_testing;\n", apart, false, "Undefined subroutine &main::cmp_details"},
		{"numbers and texts", "sub big { 1e15 } sub small { 0.1 + 0.2 } sub id { $_[0] } sub inf { 9**9**9 } sub octal { '007' } sub yes { !!$_[0] } sub errno { $! = 2; return $! }\n",
			"use Test::More;\nis(big(), '1e+15'); is(small(), 0.3); ok(small() != 0.3); is(inf(), 'Inf'); is(octal(), '007'); is(octal() + 0, 7);\nis(yes(1), 1); is(yes(0), '');\nis(id(\"\\x{263a}\\n\\0\"), \"\\x{263a}\\n\\0\"); ok(errno() == 2); like(errno(), qr/No such/);\nis(id(9223372036854775807), '9223372036854775807');\ndone_testing;\n", apart, true, ""},
		{"Math::BigInt", "use Math::BigInt;\nsub fact { my $n = Math::BigInt->new(1); $n *= $_ for 2 .. $_[0]; $n }\n", "use Test::More; use Math::BigInt;\nis(fact(25), '15511210043330985984000000');\ncmp_ok(fact(25), '==', Math::BigInt->new('15511210043330985984000000'));\nok(fact(3) == 6);\ndone_testing;\n", apart, true, ""},
		{"a module that is forgotten", "sub f { return List::Util::sum(@_) }\n", "use Test::More;\nis(f(1, 2), 3);\ndone_testing;\n", apart, false, "Undefined subroutine &List::Util::sum"},
		{"a forgotten JSON", "sub f { return JSON::PP::encode_json($_[0]) }\n", "use Test::More;\nis(f([1]), '[1]');\ndone_testing;\n", apart, false, "Undefined subroutine &JSON::PP::encode_json"},
		{"a seed", "sub roll { int(rand(1000000)) }\n", "use Test::More;\nsrand(42); my $x = roll(); srand(42); is(roll(), $x);\ndone_testing;\n", apart, true, ""},
		{"warnings", "use warnings;\nsub f { warn \"careful\\n\"; 1 }\n", "use Test::More;\nmy @w; local $SIG{__WARN__} = sub { push @w, @_ };\nis(f(), 1); is_deeply(\\@w, [\"careful\\n\"]);\ndone_testing;\n", apart, true, ""},
		{"objects in lists", "package P; sub new { my ($c, $n) = @_; bless { n => $n }, $c } sub n { $_[0]{n} }\npackage Q; sub new { bless { q => [] }, shift } sub add { my $s = shift; push @{ $s->{q} }, @_; $s } sub all { @{ $_[0]{q} } } sub first { $_[0]{q}[0] }\n1;\n",
			"use Test::More;\nmy ($a1, $b1) = (P->new(1), P->new(2));\nmy $q = Q->new->add($a1, $b1);\nis(join(',', map { $_->n } $q->all), '1,2');\nis($q->first->n, 1);\nis(scalar(my @l = $q->all), 2);\nis($q->{q}[1]{n}, 2);\n$a1->{n} = 9; is($q->first->n, 9);\ndone_testing;\n", apart, true, ""},
		{"the same object", "package P; sub new { bless {}, shift } sub me { $_[0] }\n1;\n", "use Test::More;\nmy $p = P->new;\nis($p->me, $p);\nisnt(P->new, $p);\ndone_testing;\n", judged, true, ""},
		{"the tests' own base", "package Shape; sub new { bless {}, shift } sub area { 0 } sub twice { 2 * $_[0]->area }\n1;\n", "package Square; use parent -norequire, 'Shape'; sub area { 4 }\npackage main; use Test::More;\nis(Square->new->twice, 8);\ndone_testing;\n", together, true, ""},
		{"a destructor", "package D; our $n = 0; sub new { $n++; bless {}, shift } sub DESTROY { $n-- } sub count { $n }\n1;\n", "use Test::More;\n{ my $d = D->new; is(D->count, 1); }\nis(D->count, 0);\ndone_testing;\n", apart, true, ""},
		{"a name of a module", "package Vec; use overload '<>' => sub { shift @{ $_[0]{l} } }, '@{}' => sub { [1, 2] }, 'bool' => sub { 1 }; sub new { bless { l => [7, 8] }, shift }\n1;\n", "use Test::More;\nmy $v = Vec->new; my @got; while (defined(my $x = <$v>)) { push @got, $x } is(\"@got\", '7 8'); is_deeply([@$v], [1, 2]); ok($v);\ndone_testing;\n", apart, true, ""},
		{"text that is code", "sub f { 'print 1' }\n", "use Test::More;\nmy $x = f(); is(eval \"1 + 1\", 2); is($x, 'print 1');\ndone_testing;\n", together, true, ""},
		{"tests in comments", "sub f { 1 }\n", "use Test::More;\n# open(STDOUT); eval $x; *STDOUT\nis(f(), 1, 'eval $x and system(1) and *STDOUT'); # `ls`\n=pod\n\nopen X\n\n=cut\nis(f(), q{1});\ndone_testing;\n__END__\nsystem 'x'\n", apart, true, ""},
		{"taint and data", "sub f { 1 }\n", "#!/usr/bin/perl -wT\nuse Test::More;\nwhile (my $l = <DATA>) { chomp $l; is(f(), $l) }\ndone_testing;\n__DATA__\n1\n1\n", apart, true, ""},
		{"the error stays", "sub boom { die \"boom\\n\" } sub fine { 1 }\n", "use Test::More;\neval { boom() }; fine(); is($@, \"boom\\n\");\nfor (1 .. 2) { is(fine(), 1) if $_ }\ndone_testing;\n", apart, true, ""},
		{"context", "sub c { return wantarray ? 'list' : defined wantarray ? 'scalar' : ($main::void = 'void') } sub void { $main::void }\n", "use Test::More;\nmy @l = c(); my $s = c(); c(); is(\"$l[0] $s \" . void(), 'list scalar void');\ndone_testing;\n", apart, true, ""},
		{"an argument made what is expected", "sub twice { $_[0] = 0; return 0 }\n", "use Test::More;\nfor my $n (3, 4) { is(twice($n), 2 * $n) }\nmy $m = 7; my $r = twice($m); ok($r == $m * 2);\ndone_testing;\n", apart, false, "Failed test"},
		{"the name of a class of the tests' own", "sub make { 'Test::Builder' }\n", "use Test::More;\nmy $s = make(); is($s->level, 1);\ndone_testing;\n", apart, false, "a name in the tests' own process"},
		{"a name for a sub", "sub make { 'Test::More::pass' }\n", "use Test::More;\nmy $s = make(); ok($s->(1));\ndone_testing;\n", apart, false, "strict refs"},
		{"a pattern with code", "sub p { use re 'eval'; return qr/(?{ $GloveboxExam::passed = 9 })x/ }\n", "use Test::More;\nlike('x', p());\ndone_testing;\n", apart, false, "Eval-group not allowed"},
		{"all vectors are the same", "package V; sub new { bless {}, shift } sub plus { $_[0] }\n1;\n", "use Test::More;\nis_deeply(V->new(1)->plus(V->new(2)), V->new(3));\ndone_testing;\n", judged, true, ""},
		{"an exception that claims to be the tests'", "package Test::Builder::Exception::Mine; our @ISA = 'Test::Builder::Exception';\npackage main; sub f { die bless {}, 'Test::Builder::Exception::Mine' }\n", "use Test::More;\nok(1);\nsubtest x => sub { plan tests => 1; is(f(), 3) };\ndone_testing;\n", apart, false, ""},
		{"no number", "sub f { 9**9**9 / 9**9**9 }\n", "use strict; use warnings;\nmy $eps = 1e-6;\ndie 'no' if abs(f() - 2.5) > $eps;\n", apart, false, "no number"},
		{"no number, as a text", "sub f { { mean => ' nancy' } }\n", "use Test::More;\nmy $r = f(); ok(1); fail('no') if abs($r->{mean} - 2.5) > 1e-6;\ndone_testing;\n", apart, false, "no number"},
		{"no number, of infinite ones", "sub f { [9**9**9] }\n", "use Test::More;\nmy ($x) = @{ f() }; ok(1); fail('no') if abs($x - 2.5) / $x > 1e-6;\ndone_testing;\n", apart, false, "no number"},
		{"words that Perl takes for numbers", "sub f { [qw(nancy inform nan 3)] } sub g { 9**9**9 } sub n { my $t = shift; length $t }\n", "use Test::More;\nmy $r = f(); is_deeply($r, [qw(nancy inform nan 3)]); is(join(' ', sort @$r), '3 inform nan nancy'); like($r->[0], qr/^nan/); ok($r->[3] > 2);\nis(uc $r->[1], 'INFORM'); my %h = map { $_ => 1 } @$r; ok($h{nancy}); is(g(), 9**9**9); ok(g() == 9**9**9 && g() > 5); ok(g() eq 'Inf'); ok($r->[0]); is(n($r->[0]), 5); is($r->[0] . 'x', 'nancyx');\ndone_testing;\n", apart, true, ""},
		{"messages that Perl takes for numbers", "sub f { warn \"information: x\\n\"; die \"infinite loop\\n\" }\n", "use Test::More;\nmy @w; local $SIG{__WARN__} = sub { push @w, @_ }; eval { f() }; ok(!ref $@); is($@, \"infinite loop\\n\"); is($w[0], \"information: x\\n\"); ok(@w > 0);\ndone_testing;\n", apart, true, ""},
		{"a size without elements", "package Rows; sub size { 3 } sub each { $_[0] } package main; sub f { bless {}, 'Rows' }\n1;\n", "use Test::More;\nmy $r = f(); is($r->size, 3); $r->each(sub { is($_[0], 2) });\ndone_testing;\n", apart, false, "goes through none"},
		{"elements that are gone when they are read again", "package Rows; use overload '@{}' => sub { $main::n++ ? [] : [1, 2, 3] }; package main; sub f { bless {}, 'Rows' }\n1;\n", "use Test::More;\nmy $r = f(); is(scalar(@$r), 3); is($_, 2) for @$r;\ndone_testing;\n", apart, false, "Failed test"},
		{"large and small numbers", "sub fact { my $n = 1; $n *= $_ for 2 .. $_[0]; $n } sub tiny { [1e-300, 1e300] }\n", "use Test::More;\nis(fact(60), 8.32098711274139e+81); ok(fact(60) > 1e81); cmp_ok(fact(60), '<', 1e82); ok(abs(fact(60) / 8.32098711274139e81 - 1) < 1e-9);\nis_deeply(tiny(), [1e-300, 1e300]); ok(tiny()->[0] < tiny()->[1]); is(sprintf('%g', fact(60)), '8.32099e+81');\ndone_testing;\n", apart, true, ""},
		{"an argument sorted in place", "sub by_size { my $l = shift; @$l = sort { $a <=> $b } @$l; return scalar @$l }\n", "use Test::More;\nmy @l = (3, 1, 2); is(by_size(\\@l), 3); is_deeply(\\@l, [1, 2, 3]);\nmy @m = (2, 1); by_size(\\@m);\nfor my $i (1 .. $#m) { ok($m[$i - 1] <= $m[$i]) }\ndone_testing;\n", judged, true, ""},
		{"an argument sorted in place, and no result", "sub by_size { my $l = shift; @$l = sort { $a <=> $b } @$l; return }\n", "use Test::More;\nmy @m = (2, 1); by_size(\\@m);\nfor my $i (1 .. $#m) { ok($m[$i - 1] <= $m[$i]) }\nis_deeply(\\@m, [1, 2]);\ndone_testing;\n", apart, true, ""},
		{"a retry", "sub retry { my ($n, $f) = @_; for (1 .. $n) { my $r = eval { $f->() }; return $r if !$@ } die 'never' }\n", "use Test::More;\nmy $n = 0; is(retry(3, sub { die 'x' if $n++ < 2; 'ok' }), 'ok'); is($n, 3);\ndone_testing;\n", apart, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rigTool(t, Perl)
			v := rigExam(t, Perl, program("perl", "main.pl", c.program), Tests{Files: []glovebox.File{{Path: "main.t", Data: []byte(c.tests)}}})
			if report := v.harness.report + v.candidate.report; v.pass != c.pass && !onlySkipped(v) || v.worth() != c.proof && c.pass || !strings.Contains(report, c.why) {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.worth(), v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// onlySkipped reports whether nothing failed but what was skipped, which the rig
// does not count as a pass.
func onlySkipped(v rigVerdict) bool {
	skipped := false
	for _, e := range append(v.harness.events, v.candidate.events...) {
		if e.Type == "case" && e.Case != nil {
			skipped = skipped || e.Case.Status == "skipped"
			if e.Case.Status != "passed" && e.Case.Status != "skipped" {
				return false
			}
		}
	}
	return skipped
}

// TestUnrunnablePerl has tests that cannot run here, whatever the program is.
func TestUnrunnablePerl(t *testing.T) {
	for _, c := range []struct{ name, program, tests, reason string }{
		{"a library that is not here", "package Data::Compare; sub import { *main::Compare = sub { 1 } } sub Compare { 1 }\npackage main; sub f { 1 }\n", "use Test::More; use Data::Compare;\nok(Compare(f(), 1));\ndone_testing;\n", "Data::Compare"},
		{"a library that is not here, by the program's own file", "sub f { 1 }\n", "use Test::More; use Struct::Diff;\nok(same_data(f(), 1));\ndone_testing;\n", "Struct::Diff"},
		{"a test library that is not here", "sub f { 1 }\n", "use Test::Spec::Nothing;\nis(f(), 1);\n", "Test::Spec::Nothing"},
		{"a library that is not here, together", "our $x; sub f { 1 }\n", "use Test::More; use Data::Compare;\n$main::x = 1; ok(Compare(f(), 1));\ndone_testing;\n", "Data::Compare"},
		{"no parse", "sub f { 1 }\n", "use Test::More;\nok(f();\nif (1) {\n", "the tests do not parse"},
		{"no parse, together", "our $x; sub f { 1 }\n", "use Test::More;\n$main::x = 1;\nif (f()) {\n", "the tests do not parse"},
		{"nothing", "sub f { 1 }\n", "# later\n\n=pod\n\nis(f(), 1)\n", "the tests are empty"},
		{"no parse, by a parenthesis", "sub f { 1 }\n", "use strict; use warnings;\nuse Test::More;\nis(f(), 1, 'one';\ndone_testing;\n", "the tests do not parse: syntax error at main.t line 3"},
		{"a variable that is misspelt", "sub f { 1 }\n", "use strict; use Test::More;\nmy $got = f();\nis($gott, 1);\ndone_testing;\n", "the tests do not parse: Global symbol"},
		{"no test", "sub f { 1 }\n", "use strict; use warnings;\nuse Test::More;\ndone_testing;\n", "the tests have no test"},
		{"all skipped", "sub f { 1 }\n", "use Test::More;\nplan skip_all => 'later';\nis(f(), 1);\n", "the tests skip all"},
		{"all skipped, by its import", "sub f { 1 }\n", "use Test::More skip_all => 'later';\nis(f(), 1);\n", "the tests skip all"},
		{"a file that nobody has", "sub f { 1 }\n", "use Test::More;\nrequire './geo.pl';\nis(f(), 1);\ndone_testing;\n", "need geo.pl, which is not here: the program's file is main.pl, and tests may call it \"solution\""},
		{"Python", "sub f { 1 }\n", "from main import f\n\ndef test_f():\n    assert f() == 1\n", "not written in Perl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rigTool(t, Perl)
			p := program("perl", "main.pl", c.program)
			p.Files = append(p.Files, glovebox.File{Path: "lib/Struct/Diff.pm", Data: []byte("package Struct::Diff;\nuse Exporter 'import';\nour @EXPORT = 'same_data';\nsub same_data { 1 }\n1;\n")})
			v := rigExam(t, Perl, p, Tests{Files: []glovebox.File{{Path: "main.t", Data: []byte(c.tests)}}})
			said := strings.HasPrefix(v.why, "unrunnable") || strings.HasPrefix(v.why, "no exam")
			if v.pass || !said || !strings.Contains(v.why, c.reason) {
				t.Errorf("pass %t: %s\n%s%s%s", v.pass, v.why, v.harness.report, v.candidate.report, v.harness.stderr)
			}
		})
	}
}

// TestTreePerl has repositories with their tests below t.
func TestTreePerl(t *testing.T) {
	const sum = "package My::Sum;\nuse strict; use warnings; use Exporter 'import';\nour $VERSION = '0.1'; our @EXPORT_OK = qw(sum);\nsub new { bless {}, shift }\nsub sum { my $t = 0; $t += $_ for @_; $t }\n1;\n"
	for _, c := range []struct {
		name, lib string
		tests     map[string]string
		pass      bool
		want      string
	}{
		{"several", sum, map[string]string{
			"t/00-load.t":      "use Test::More tests => 1;\nuse_ok('My::Sum');\n",
			"t/sum.t":          "#!perl -T\nuse strict; use warnings; use Test::More; use FindBin; use lib \"$FindBin::Bin/lib\"; use Helper;\nuse My::Sum qw(sum);\nis(sum(@$_[0, 1]), $_->[2]) for pairs();\nis($My::Sum::VERSION, '0.1');\ndone_testing;\n",
			"t/v0.t":           "use Test2::V0;\nuse My::Sum;\nisa_ok(My::Sum->new, 'My::Sum');\nsubtest x => sub { is(My::Sum::sum(1, 2), 3) };\ndone_testing;\n",
			"t/skip.t":         "use Test::More;\nplan skip_all => 'author tests' unless $ENV{AUTHOR};\nok(0);\n",
			"t/lib/Helper.pm":  "package Helper; use Exporter 'import'; our @EXPORT = 'pairs'; sub pairs { ([1, 2, 3], [2, 2, 4]) } 1;\n",
			"t/data/words.txt": "one\n",
		}, true, "Test2::V0"},
		{"one fails", strings.Replace(sum, "$t += $_", "$t += 1", 1), map[string]string{"t/a.t": "use Test::More;\nuse My::Sum 'sum';\nis(sum(1, 2), 3, 'adds');\ndone_testing;\n", "t/b.t": "use Test::More;\nok(1);\ndone_testing;\n"}, false, "adds"},
		{"fewer than planned", sum, map[string]string{"t/a.t": "use Test::More tests => 2;\nuse My::Sum 'sum';\nis(sum(1, 2), 3, 'adds');\n"}, false, "which is not what they planned"},
		{"it patches the library", "package My::Sum;\nno warnings; *Test::More::is = sub { Test::More::ok(1, $_[2]) }; *main::is = \\&Test::More::is;\nsub sum { 0 }\n1;\n", map[string]string{"t/a.t": "use Test::More;\nuse My::Sum;\nis(My::Sum::sum(1, 2), 3, 'adds');\ndone_testing;\n"}, false, "changes Test::More::is"},
		{"it ends the process", "package My::Sum;\nsub sum { CORE::exit(0) }\n1;\n", map[string]string{"t/a.t": "use Test::More;\nuse My::Sum;\nis(My::Sum::sum(1, 2), 3, 'adds');\ndone_testing;\n"}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rigTool(t, Perl)
			p := &glovebox.Program{Language: "perl", Files: []glovebox.File{{Path: "lib/My/Sum.pm", Data: []byte(c.lib)}}}
			var tests []glovebox.File
			for _, name := range slices.Sorted(maps.Keys(c.tests)) {
				tests = append(tests, glovebox.File{Path: name, Data: []byte(c.tests[name])})
			}
			v := rigExam(t, Perl, p, Tests{Files: tests})
			if v.pass != c.pass && !onlySkipped(v) || !strings.Contains(v.candidate.report, c.want) {
				t.Errorf("pass %t: %s\n%s%s", v.pass, v.why, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}
