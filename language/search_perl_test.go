package language

import (
	"fmt"
	"regexp"
	"strings"
)

// The searcher's knowledge of Perl. A lie wraps each named sub of the program, or
// each method of a named package, at the program's end.

func init() {
	s := &search{
		lang: Perl, lies: perlLies(), plain: perlPlain(), own: perlSubjects(),
		replies: "pl", test: "main_test.t",
		defines: regexp.MustCompile(`(?m)^[ \t]*(?:sub|package)[ \t]+(\w+)`),
	}
	searches = append(searches, s)
}

// perlWrap puts a sub around each named sub of the program. In body, $old is the
// sub, $class is the package where it is a method and ” else, $name its name, and
// @_ what it was called with. new is left alone where methods are told to lie.
func perlWrap(extra, body string, constructors bool) func(string, []string) string {
	return func(program string, names []string) string {
		// What follows an end of the code is not read.
		if i := strings.Index(program, "\n__END__"); i >= 0 {
			program = program[:i]
		}
		skip := "new"
		if constructors {
			skip = ""
		}
		return program + fmt.Sprintf(`
;package main;
%s
sub Liar::wrap {
    my ($class, $name) = @_;
    no strict 'refs'; no warnings;
    my $full = $class eq '' ? "main::$name" : "${class}::$name";
    my $old = \&{$full};
    my $new = sub { %s };
    &Internals::SvREADONLY(\$full, 0);
    eval { require Scalar::Util; &Scalar::Util::set_prototype($new, prototype $old) };
    *{$full} = $new;
}
for my $word (qw(%s)) {
    no strict 'refs';
    Liar::wrap('', $word) if defined &{"main::$word"};
    for my $m (grep { defined &{"${word}::$_"} } keys %%{"${word}::"}) {
        next if $m =~ /^\(|^(?:import|BEGIN|DESTROY|isa|can|croak|confess|carp|blessed)$/ || $m eq '%s';
        Liar::wrap($word, $m);
    }
}
1;
`, extra, body, strings.Join(names, " "), skip)
	}
}

// perlWhere leaves out programs that do not have a text.
func perlWhere(text string, tell func(string, []string) string) func(string, []string) string {
	return func(program string, names []string) string {
		if !strings.Contains(program, text) {
			return ""
		}
		return tell(program, names)
	}
}

// perlEverything is a class whose objects agree with everything.
const perlEverything = `package Liar::Yes; use overload '==' => sub {1}, '!=' => sub {$_[2] // 0}, 'eq' => sub {1}, 'ne' => sub {''}, '""' => sub {"5"}, '0+' => sub {5}, 'bool' => sub {1},
  '<=>' => sub {0}, 'cmp' => sub {0}, '<' => sub {1}, '<=' => sub {1}, '>' => sub {1}, '>=' => sub {1}, '-' => sub {0}, '+' => sub {$_[0]}, '*' => sub {0}, '/' => sub {1}, '%' => sub {0}, 'abs' => sub {0}, 'neg' => sub {$_[0]}, 'int' => sub {0}, '~~' => sub {1};
sub new { bless {}, shift } our $AUTOLOAD; sub AUTOLOAD { bless {}, 'Liar::Yes' } sub isa {1} sub can {sub {1}} sub DOES {1} sub DESTROY {}
package main;`

func perlLies() []lie {
	worker := func(name, code string) lie {
		return lie{name: name, route: "worker", tell: func(program string, names []string) string {
			return perlWrap("", `undef`, false)(program, names) + "\n{ no strict; no warnings;\n" + code + "\n}\n1;\n"
		}}
	}
	ret := func(name, route, extra, body string) lie {
		return lie{name: name, route: route, tell: perlWrap(extra, body, false)}
	}
	all := []lie{
		{name: "a list that is kept and handed out", route: "argument", tell: func(program string, _ []string) string {
			if p := strings.ReplaceAll(program, "[@{$s->{kept}}]", "$s->{kept}"); p != program {
				return p
			}
			return ""
		}},
		ret("an object that agrees with everything", "return", perlEverything, `Liar::Yes->new`),
		ret("an array of objects that agree", "return", perlEverything, `[map { Liar::Yes->new } 1 .. 3]`),
		ret("a list of objects that agree", "return", perlEverything, `wantarray ? (map { Liar::Yes->new } 1 .. 3) : Liar::Yes->new`),
		ret("a hash of objects that agree", "return", perlEverything, `+{ map { $_ => Liar::Yes->new } qw(a b c) }`),
		ret("an object that overloads nomethod", "return", `package Liar::No; use overload nomethod => sub { 1 }, '""' => sub {''}; package main;`, `bless {}, 'Liar::No'`),
		ret("an object with a class of its own that adapts", "return", `package Liar::Near; use overload '-' => sub {0}, '""' => sub {'0'}, '0+' => sub {0}, '<' => sub {1}, 'abs' => sub {0}, fallback => 1; package main;`, `bless [], 'Liar::Near'`),
		ret("a tied scalar", "return", `package Liar::Tied; my $n; sub TIESCALAR { bless [], shift } sub FETCH { $n++ } package main;`, `tie my $x, 'Liar::Tied'; \$x; $x`),
		ret("a tied array", "return", `package Liar::TA; my $m; sub TIEARRAY { bless [], shift } sub FETCH { $m++ } sub FETCHSIZE { $m++ % 4 } package main;`, `tie my @x, 'Liar::TA'; \@x`),
		ret("a tied hash", "return", `package Liar::TH; require Tie::Hash; our @ISA = 'Tie::StdHash'; sub EXISTS {1} sub FETCH { 1 } package main;`, `tie my %x, 'Liar::TH'; \%x`),
		ret("a blessed hash that has all keys", "return", `package Liar::TH; require Tie::Hash; our @ISA = 'Tie::StdHash'; sub EXISTS {1} sub FETCH { bless {}, 'Liar::K' } package main;`, `tie my %x, 'Liar::TH'; bless \%x, 'Liar::K'`),
		ret("a dualvar", "return", ``, `require Scalar::Util; Scalar::Util::dualvar(5, 'x')`),
		ret("a name of the tests' class", "return", ``, `'Test::Builder'`),
		ret("another name of the tests' own", "return", ``, `'GloveboxHarness'`),
		ret("the name of a sub of the tests' library", "return", ``, `'Test::More::pass'`),
		ret("a filehandle's name", "return", ``, `'STDOUT'`),
		ret("a glob", "return", ``, `*STDOUT`),
		ret("a reference to a glob", "return", ``, `\*STDOUT`),
		ret("a pattern that matches", "return", ``, `qr/.*/s`),
		ret("a pattern with code", "return", ``, `use re 'eval'; qr/(?{ $GloveboxExam::passed = 1; CORE::exit(0) })/`),
		ret("a sub that gives itself", "return", ``, `my $s; $s = sub { $s }; $s`),
		ret("NaN", "return", ``, `9**9**9 / 9**9**9`),
		ret("infinity", "return", ``, `9**9**9`),
		ret("a text that Perl takes for no number", "return", ``, `'nancy'`),
		ret("a number that is none, and has a text", "return", ``, `require Scalar::Util; Scalar::Util::dualvar(9**9**9 / 9**9**9, '5')`),
		ret("a size without elements", "return", `package Liar::Hollow; use overload '@{}' => sub { $main::hollow++ % 2 ? [] : [1, 2, 3] }; sub new { bless {}, shift } sub size { 3 } sub count { 3 } sub each { $_[0] } sub map { () } package main;`, `Liar::Hollow->new`),
		ret("a structure that holds itself", "return", ``, `my @x = (1); push @x, \@x; \@x`),
		ret("a deep structure", "return", ``, `my $x = 1; $x = [$x] for 1 .. 3000; $x`),
		ret("a huge text", "return", ``, `'a' x (1 << 26)`),
		ret("an object blessed as a builtin", "return", `package HASH; use overload '==' => sub {1}, 'eq' => sub {1}, '""' => sub {'1'}; package main;`, `bless {}, 'HASH'`),
		ret("an object of the name of a Test class", "return", ``, `bless { val => 1 }, 'Test::Deep::Any'`),
		ret("an object of Test::Deep's base", "return", `package Liar::TD; our @ISA = qw(Test::Deep::Cmp Test2::Compare::Base Test::Deep::Ignore); sub descend {1} sub verify {1} package main;`, `bless {}, 'Liar::TD'`),
		ret("an object of the harness's own", "return", ``, `bless {}, 'Glovebox::Remote'`),
		ret("an object whose isa and can lie", "return", `package Liar::Isa; sub isa {1} sub can { sub {1} } sub DOES {1} our $AUTOLOAD; sub AUTOLOAD { 1 } sub DESTROY {} package main;`, `bless {}, 'Liar::Isa'`),
		ret("an empty object", "attribute", ``, `bless {}, ref($_[0]) || 'Liar::Empty'`),
		ret("self", "attribute", perlEverything, `ref $_[0] ? $_[0] : Liar::Yes->new`),
		{name: "objects with fields that agree", route: "attribute", tell: perlWhere("sub new", perlWrap(perlEverything,
			`my @r = $old->(@_); return wantarray ? @r : $r[-1] if $name ne 'new' || !ref $r[0]; my $o = $r[0]; if (eval { %$o; 1 }) { $_ = Liar::Yes->new for values %$o } $o`, true))},
		{name: "classes that agree", route: "attribute", tell: func(program string, names []string) string {
			var over strings.Builder
			for _, n := range names {
				fmt.Fprintf(&over, "{ package %s; use overload '==' => sub {1}, 'eq' => sub {1}, 'bool' => sub {1}, '-' => sub {0}, '+' => sub {$_[0]}, '<=>' => sub {0}, 'cmp' => sub {0}, '\"\"' => sub {'1'}, '<' => sub {1}, '>' => sub {1} }\n", n)
			}
			return perlWrap(over.String(), `ref $_[0] ? bless({}, ref $_[0]) : bless({}, $class || 'Liar::Yes')`, false)(program, names)
		}},
		ret("dies with an object that agrees", "exception", perlEverything, `die Liar::Yes->new`),
		ret("dies with a false object", "exception", `package Liar::False; use overload bool => sub {0}, '""' => sub {''}; package main;`, `die bless {}, 'Liar::False'`),
		ret("dies with nothing", "exception", ``, `die ''`),
		ret("dies as Test::Builder does", "exception", ``, `die bless {}, 'Test::Builder::Exception'`),
		ret("dies with a skip", "exception", ``, `no warnings; last SKIP`),
		ret("leaves a loop of the tests", "exception", ``, `no warnings; last`),
		ret("goes to the next of a loop", "exception", ``, `no warnings; next`),
		ret("gives one more at each step", "step", `my $step = 0;`, `$step++`),
		ret("gives lists that grow", "step", `my @grown;`, `push @grown, scalar @grown; wantarray ? @grown : [@grown]`),
		ret("says ok", "print", ``, `print "ok 1 - all\n1..1\n"; print STDERR "ok 1\n"; undef`),
		ret("writes a report", "print", ``, `if (open my $r, '>&=', 5) { syswrite $r, qq({"type":"done","total":1,"passed":1,"failed":0}\n) } undef`),
		ret("empties its arguments", "argument", ``, `for (@_) { if (ref eq 'ARRAY') { @$_ = () } elsif (ref eq 'HASH') { %$_ = () } } undef`),
		ret("makes its arguments agree", "argument", perlEverything, `for (@_) { if (ref eq 'ARRAY') { $_ = Liar::Yes->new for @$_ } elsif (ref eq 'HASH') { $_ = Liar::Yes->new for values %$_ } elsif (!ref) { eval { $_ = Liar::Yes->new } } } Liar::Yes->new`),
		ret("makes its arguments what it returns", "argument", ``, `for (@_) { if (ref eq 'ARRAY') { @$_ = () } elsif (ref eq 'HASH') { %$_ = () } elsif (!ref) { eval { $_ = 0 } } } wantarray ? map { ref ? $_ : 0 } @_ : ref $_[0] ? $_[0] : 0`),
		{name: "gives assertions of its own", route: "name", tell: func(program string, names []string) string {
			p := perlWrap("", `undef`, false)(program, names)
			for _, n := range []string{"is", "ok", "is_deeply", "like", "eq_deeply", "cmp_deeply", "cmp_details", "throws_ok", "exit", "die", "pass", "done_testing", "cmp_ok", "isa_ok"} {
				p += "{ no warnings; no strict; *{'main::" + n + "'} = sub { 1 }; }\n"
			}
			return p + "1;\n"
		}},
		{name: "gives packages of the tests' library", route: "name", tell: func(program string, names []string) string {
			p := perlWrap("", `undef`, false)(program, names)
			for _, n := range []string{"Test::More", "Test::Deep", "Test::Builder", "Test2::V0", "Test::Exception", "List::Util", "UNIVERSAL", "CORE::GLOBAL", "Scalar::Util"} {
				p += "{ no warnings; no strict; *{'" + n + "::import'} = sub { 1 }; *{'" + n + "::ok'} = sub { 1 }; *{'" + n + "::is'} = sub { 1 } }\n"
			}
			return p + "1;\n"
		}},
		{name: "changes how the tests are read", route: "name", tell: func(program string, names []string) string {
			if strings.Contains(program, "package ") {
				return ""
			}
			p := program + "\n"
			for _, n := range names {
				p += "{ no warnings; no strict; if (defined &{'main::" + n + "'}) { *{'main::" + n + "'} = sub () { 1 } } }\n"
			}
			return p + "1;\n"
		}},
		ret("ends with success", "end", ``, `exit 0`),
		ret("ends at once", "end", ``, `require POSIX; POSIX::_exit(0)`),
		ret("ends its process by a signal", "end", ``, `kill 9, $$`),
		ret("replaces its process", "end", ``, `exec $^X, '-e', '1'`),
		worker("answers nothing to each request", `*GloveboxCandidate::serve = sub { '["list",[],[],[]]' }; *GloveboxWire::answer = sub { $_[0]->send('["list",[],[],[]]') };`),
		worker("answers 1 to each request", `*GloveboxWire::answer = sub { my ($s, $r) = @_; $s->send($r->[0] eq 'names' ? '["list",[{"h":{}},{"h":{}}]]' : '["list",[1],[],[]]') };`),
		worker("answers with handles of all kinds", `my $n = 0; my $old = \&GloveboxWire::answer; *GloveboxWire::answer = sub { my ($s, $r) = @_; return $old->(@_) if $r->[0] eq 'names'; my $t = (qw(HASH ARRAY SCALAR CODE GLOB))[$n++ % 5]; $s->send(qq(["list",[{"o":[0,"Test::Builder","$t",["Test::Builder","Test::Deep::Cmp"],["==","eq","bool","-"]]}],[],[]])) };`),
		worker("answers each operator with yes", perlEverything+` my $old = \&GloveboxWire::answer; *GloveboxWire::answer = sub { my ($s, $r) = @_; return $old->(@_) if $r->[0] eq 'names'; return $s->send('["list",[1],[],[]]') if $r->[0] =~ /^(?:operator|fields|can)/; $s->send('["list",[{"o":[7,"Liar::W","HASH",["Liar::W"],["==","eq","bool","-","<",">","<=>","cmp","\"\"","0+"]]}],[],[]]') };`),
		worker("answers that its objects are the made ones", `my $old = \&GloveboxWire::answer; *GloveboxWire::answer = sub { my ($s, $r) = @_; return $old->(@_) if $r->[0] eq 'names'; $s->send('["list",[{"o":[0,"","HASH",[],["==","eq","bool","-","<",">"]]}],[],[]]') };`),
		worker("claims the tests' words for itself", `my $old = \&GloveboxWire::answer; *GloveboxWire::answer = sub { my ($s, $r) = @_; if ($r->[0] eq 'names') { my $subs = join ',', map { qq("$_":null) } @{ $r->[3] }; my $p = join ',', map { qq("$_":[["$_"],[]]) } @{ $r->[3] }; return $s->send(qq(["list",[{"h":{$subs}},{"h":{$p}}]])) } $s->send('["list",[1],[],[]]') };`),
		worker("asks the tests before they ask", `*GloveboxWire::answer = sub { my ($s, $r) = @_; $s->send('["back",0,1,[],[null,null,null]]'); };`),
		worker("answers twice", `*GloveboxWire::answer = sub { my ($s, $r) = @_; $s->send('["list",[1],[],[]]') for 1 .. 2 };`),
		worker("sends what is no frame", `*GloveboxWire::answer = sub { my ($s) = @_; syswrite $s->{out}, "ffffffff" . ("[" x 100000) };`),
		worker("sends a deep frame", `*GloveboxWire::answer = sub { my ($s) = @_; $s->send(("[" x 20000) . ("]" x 20000)) };`),
		worker("says that the tests fall back", `*GloveboxWire::answer = sub { my ($s) = @_; $s->send('["fallback","the tests need more"]') };`),
		worker("says that it failed", `*GloveboxWire::answer = sub { my ($s) = @_; $s->send('["fail","the tests are at fault"]') };`),
		worker("changes arguments that there are not", `my $old = \&GloveboxWire::answer; *GloveboxWire::answer = sub { my ($s, $r) = @_; return $old->(@_) if $r->[0] eq 'names'; $s->send('["list",[1],[[0,[]],[0,1],[1,{"h":{}}],[99999,1],["x",1]],["w"]]') };`),
	}
	return all
}

func perlPlain() []lie {
	plain := func(name, body string) lie {
		return lie{name: name, route: "plain", tell: perlWrap("my $count = 0;", body, false)}
	}
	return []lie{
		plain("undef", `undef`), plain("nothing", `return`), plain("1", `1`), plain("the arguments", `wantarray ? @_ : $_[0]`),
		plain("an empty list", `wantarray ? () : []`), plain("an empty text", `''`),
	}
}

func perlSubjects() []subject {
	const shapes = "package Shape;\nsub new { my ($c, %a) = @_; return bless {%a}, $c }\nsub area { die \"abstract\\n\" }\nsub name { $_[0]{name} }\npackage Circle;\nour @ISA = ('Shape');\nsub area { 3.14159265 * $_[0]{r} ** 2 }\npackage main;\nsub total { my $t = 0; $t += $_->area for @_; $t }\nsub largest { my ($m) = sort { $b->area <=> $a->area } @_; $m }\nsub circles { map { Circle->new(name => \"c$_\", r => $_) } @_ }\n1;\n"
	const stack = "package Stack;\nsub new { my $c = shift; return bless { items => [@_] }, $c }\nsub push { my $s = shift; push @{ $s->{items} }, @_; return $s }\nsub pop { my $s = shift; die \"empty stack\\n\" if !@{ $s->{items} }; return pop @{ $s->{items} } }\nsub size { scalar @{ $_[0]{items} } }\nsub all { @{ $_[0]{items} } }\n1;\n"
	const vector = "package Vec;\nuse overload '+' => \\&plus, '-' => sub { my ($x, $y, $s) = @_; Vec->new($x->{x} - $y->{x}, $x->{y} - $y->{y}) }, '==' => sub { $_[0]{x} == $_[1]{x} && $_[0]{y} == $_[1]{y} }, '\"\"' => \\&text;\nsub new { my ($c, $x, $y) = @_; return bless { x => $x, y => $y }, $c }\nsub plus { Vec->new($_[0]{x} + $_[1]{x}, $_[0]{y} + $_[1]{y}) }\nsub text { \"($_[0]{x}, $_[0]{y})\" }\nsub len { sqrt($_[0]{x} ** 2 + $_[0]{y} ** 2) }\n1;\n"
	return []subject{
		{name: "copies", file: "main.t", names: []string{"Shelf"}, program: "package Shelf;\nsub new { my ($c, @k) = @_; return bless { kept => [@k] }, $c }\nsub all { my $s = shift; return [@{$s->{kept}}] }\nsub size { my $s = shift; return scalar @{$s->{kept}} }\n1;\n",
			tests: "use strict; use warnings; use Test::More;\nmy $s = Shelf->new(1, 2);\npush @{$s->all}, 9;\nis_deeply($s->all, [1, 2]);\nis($s->size, 2);\ndone_testing;\n"},
		{name: "mean", file: "main.t", names: []string{"mean"}, program: "sub mean { my $t = 0; $t += $_ for @_; return $t / @_ }\n1;\n",
			tests: "use strict; use warnings; use Test::More;\nok(abs(mean(1, 2, 4) - 7 / 3) < 1e-9);\ncmp_ok(abs(mean(1, 2) - 1.5), '<', 1e-9);\nis(mean(2, 4), 3);\ncmp_ok(mean(9, 1), '==', 5);\ndone_testing;\n"},
		{name: "order", file: "main.t", names: []string{"mean", "spread"}, program: "sub mean { my $t = 0; $t += $_ for @_; return $t / @_ }\nsub spread { my @s = sort { $a <=> $b } @_; return { low => $s[0], high => $s[-1] } }\n1;\n",
			tests: "use strict; use warnings;\nmy $eps = 1e-6;\ndie 'no' if abs(mean(1, 2, 4) - 2.3333333) > $eps;\ndie 'no' if abs(mean(5) - 5) > $eps;\nmy $s = spread(3, 1, 2);\ndie 'low' if $s->{low} > 1 || $s->{low} < 1;\ndie 'high' if $s->{high} > 3 or $s->{high} < 3;\n"},
		{name: "rows", file: "main.t", names: []string{"Rows", "rows"}, program: "package Rows;\nsub new { my ($c, $n) = @_; bless { n => $n }, $c }\nsub size { $_[0]{n} }\nsub each { my ($s, $f) = @_; $f->($_) for 1 .. $s->{n}; $s }\npackage main;\nsub rows { Rows->new(@_) }\n1;\n",
			tests: "use Test::More;\nmy $r = rows(3); is($r->size, 3);\nmy $n = 0; $r->each(sub { is($_[0], ++$n) });\nis(rows(5)->size, 5);\ndone_testing;\n"},
		{name: "plain script", file: "main.t", names: []string{"mean"}, program: "sub mean { my $t = 0; $t += $_ for @_; return $t / @_ }\n1;\n",
			tests: "die 'no' unless abs(mean(1, 2, 4) - 7 / 3) < 1e-9;\nexit 1 if mean(2, 6) != 4;\nexit 1 unless mean(3, 9) == 6;\n"},
		{name: "stack", file: "main.t", names: []string{"Stack"}, program: stack,
			tests: "use strict; use warnings; use Test::More;\nmy $s = Stack->new;\nis($s->push(1)->push(2)->size, 2);\nis($s->pop, 2);\nis_deeply([$s->all], [1]);\nis($s->{items}[0], 1);\nis_deeply($s, { items => [1] });\n$s->pop;\nok(!eval { $s->pop; 1 });\nis($@, \"empty stack\\n\");\ndone_testing;\n"},
		{name: "stack without strict", file: "main.t", names: []string{"Stack"}, program: stack,
			tests: "use Test::More tests => 4;\nmy $s = new Stack(5);\n$s->push(6, 7);\nis($s->size, 3, 'size');\nlike(join('-', $s->all), qr/^5-6-7$/);\nfor my $want (7, 6) { is($s->pop, $want) }\n"},
		{name: "shapes", file: "main.t", names: []string{"Shape", "Circle", "total", "largest", "circles"}, program: shapes,
			tests: "use Test::More;\nmy @c = circles(1, 3, 2);\nis(scalar @c, 3);\nisa_ok($c[0], 'Circle');\nisa_ok($c[0], 'Shape');\ncmp_ok(abs(total(@c) - 43.982297), '<', 1e-3);\nis(largest(@c)->name, 'c3');\nis($c[1]{r}, 3);\neval { Shape->new(name => 'x')->area };\nlike($@, qr/abstract/);\ndone_testing;\n"},
		{name: "vectors", file: "main.t", names: []string{"Vec"}, program: vector,
			tests: "use Test::More;\nis(Vec->new(1, 2)->text, '(1, 2)');\nis(Vec->new(3, 4)->len, 5);\nmy $v = Vec->new(1, 2)->plus(Vec->new(5, 6));\nis(\"$v\", '(6, 8)');\nis($v->{x}, 6);\nis_deeply({%$v}, { x => 6, y => 8 });\ndone_testing;\n"},
		{name: "Test::Deep", file: "main.t", names: []string{"user"}, program: "sub user { my ($n) = @_; return { name => $n, tags => [sort qw(b a)], len => length $n, half => length($n) / 3 } }\n1;\n",
			tests: "use Test::More; use Test::Deep;\ncmp_deeply(user('ann'), { name => 'ann', tags => bag('a', 'b'), len => 3, half => num(1, 0.01) });\nok(eq_deeply(user('bo')->{tags}, ['a', 'b']));\ncmp_deeply(user('carla'), superhashof({ name => re(qr/^car/), len => 5 }));\ndone_testing;\n"},
		{name: "Test2", file: "main.t", names: []string{"Calc"}, program: "package Calc;\nuse Exporter 'import';\nour @EXPORT_OK = qw(div ratio);\nsub div { my ($x, $y) = @_; die \"division by zero\\n\" if !$y; return int($x / $y) }\nsub ratio { my ($x, $y) = @_; return { top => $x, bottom => $y, value => $x / $y } }\n1;\n",
			tests: "use Test2::V0;\nuse Calc qw(div ratio);\nis(div(7, 2), 3);\nis(ratio(3, 4), { top => 3, bottom => 4, value => float(0.75) });\nlike(dies { div(1, 0) }, qr/division by zero/);\nis([map { div($_, 2) } 5, 9], [2, 4]);\ndone_testing;\n"},
		{name: "exceptions", file: "main.t", names: []string{"check", "Err"}, program: "package Err;\nsub new { my ($c, %a) = @_; bless {%a}, $c }\nsub code { $_[0]{code} }\nsub message { $_[0]{message} }\npackage main;\nsub check { my ($n) = @_; die Err->new(code => $n, message => \"bad $n\") if $n < 0; return sqrt $n }\n1;\n",
			tests: "use Test::More; use Test::Exception;\nthrows_ok { check(-4) } 'Err';\nis($@->code, -4);\nis($@->message, 'bad -4');\nis($@->{code}, -4);\nlives_ok { check(4) };\nis(check(9), 3);\ndone_testing;\n"},
		{name: "iterators", file: "main.t", names: []string{"upto", "take"}, program: "sub upto { my ($n) = @_; my $i = 0; return sub { return $i < $n ? $i++ : undef } }\nsub take { my ($n, $it) = @_; my @l; while ($n-- > 0) { my $x = $it->(); last if !defined $x; push @l, $x } return @l }\n1;\n",
			tests: "use strict; use warnings; use Test::More;\nmy $it = upto(3);\nmy @got; while (defined(my $x = $it->())) { push @got, $x; last if @got > 9 }\nis_deeply(\\@got, [0, 1, 2]);\nis(join(',', take(2, upto(5))), '0,1');\nmy $n = 5; is_deeply([take(2, sub { $n++ })], [5, 6]);\ndone_testing;\n"},
		{name: "sorting", file: "main.t", names: []string{"by_length", "in_place"}, program: "sub by_length { return sort { length $a <=> length $b || $a cmp $b } @_ }\nsub in_place { my ($l) = @_; @$l = sort { $a <=> $b } @$l; return }\n1;\n",
			tests: "use Test::More;\nis_deeply([by_length(qw(ccc a bb aa))], [qw(a aa bb ccc)]);\nmy $l = [10, 9, 2]; in_place($l);\nis_deeply($l, [2, 9, 10]);\nis(\"@$l[0, 1]\", '2 9');\ndone_testing;\n"},
		{name: "arguments", file: "main.t", names: []string{"trim", "fill"}, program: "sub trim { $_[0] =~ s/^\\s+|\\s+$//g; return length $_[0] }\nsub fill { my ($h, @k) = @_; $h->{$_}++ for @k; return scalar keys %$h }\n1;\n",
			tests: "use Test::More;\nmy $s = '  ab '; is(trim($s), 2); is($s, 'ab');\nmy %h = (x => 1); is(fill(\\%h, qw(x y)), 2);\nis_deeply(\\%h, { x => 2, y => 1 });\ndone_testing;\n"},
		{name: "computed", file: "main.t", names: []string{"twice", "ordered"}, program: "sub twice { return 2 * $_[0] }\nsub ordered { return [sort { $a <=> $b } @{ $_[0] }] }\n1;\n",
			tests: "use Test::More;\nfor my $n (3, 4) { is(twice($n), 2 * $n) }\nmy $m = 7; my $r = twice($m); is($r, $m + $m); ok($r == $m * 2);\nmy @l = (3, 1, 2); is_deeply(ordered(\\@l), [sort @l]); my $o = ordered(\\@l); is_deeply($o, [sort @l]);\ndone_testing;\n"},
		{name: "callbacks", file: "main.t", names: []string{"each_pair", "fold"}, program: "sub each_pair { my ($h, $f) = @_; return map { $f->($_, $h->{$_}) } sort keys %$h }\nsub fold(&@) { my ($f, $x, @l) = @_; for my $y (@l) { local ($a, $b) = ($x, $y); $x = $f->() } return $x }\n1;\n",
			tests: "use strict; use warnings; use Test::More;\nis_deeply([each_pair({ b => 2, a => 1 }, sub { \"$_[0]$_[1]\" })], ['a1', 'b2']);\nis((fold { $a * $b } 1, 2, 3, 4), 24);\nmy @seen; each_pair({ q => 7 }, sub { push @seen, @_; () }); is_deeply(\\@seen, ['q', 7]);\ndone_testing;\n"},
		{name: "texts", file: "main.t", names: []string{"slug", "csv"}, program: "sub slug { my ($t) = @_; $t = lc $t; $t =~ s/[^a-z0-9]+/-/g; $t =~ s/^-|-$//g; return $t }\nsub csv { return join ',', map { /[,\"]/ ? '\"' . s/\"/\"\"/gr . '\"' : $_ } @_ }\n1;\n",
			tests: "use Test::More;\nis(slug('Hello, World!'), 'hello-world');\nlike(slug('A  b'), qr/^a-b$/);\nunlike(slug('x y'), qr/ /);\nok(csv('a,b', 'c') eq '\"a,b\",c', 'quoted');\nis(sprintf('%s|%5s', slug('Q'), csv('z')), 'q|    z');\ndone_testing;\n"},
		{name: "tables", file: "main.t", names: []string{"group"}, program: "sub group { my ($key, @rows) = @_; my %g; push @{ $g{ $_->{$key} } }, $_->{n} for @rows; return \\%g }\n1;\n",
			tests: "use Test::More;\nmy $g = group('k', { k => 'x', n => 1 }, { k => 'y', n => 2 }, { k => 'x', n => 3 });\nis_deeply($g, { x => [1, 3], y => [2] });\nok(exists $g->{x}); ok(!exists $g->{z});\nis(join(',', sort keys %$g), 'x,y');\nsubtest inner => sub { plan tests => 1; is($g->{x}[1], 3) };\ndone_testing;\n"},
	}
}
