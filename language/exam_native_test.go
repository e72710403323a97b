package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestExamWhy has tests that fail, and what must be said of them.
func TestExamWhy(t *testing.T) {
	for _, c := range []struct {
		name           string
		lang           *Language
		program, tests string
		want           string
	}{
		{"compared", Perl, "sub f { 41 }\n", "use Test::More;\nis(f(), 42, 'answer');\ndone_testing;\n", `"actual":"41","expected":"42"`},
		{"differing", Perl, "sub f { [1, 2] }\n", "use Test::More;\nis_deeply(f(), [1, 3]);\ndone_testing;\n", "Structures begin differing"},
		{"compared together", Perl, "our $x; sub f { 41 }\n", "use Test::More;\n$main::x = 1;\nis(f(), 42, 'answer');\ndone_testing;\n", `"expected":"42"`},
		{"tests that do not parse", Perl, "sub f { 1 }\n", "use Test::More;\nif (1) { ok(f());\n", "the tests do not parse: Missing right curly"},
		{"what the tests print", Bash, "f() { echo 41; }\n", "got=$(f)\nif [[ $got != 42 ]]; then\n  echo \"FAIL: expected 42, got $got\" >&2\n  echo on stdout\n  exit 1\nfi\n", "The tests wrote to stdout: on stdout\\nThe tests wrote to stderr: FAIL: expected 42, got 41"},
		{"a hidden function", Bash, "factor() { echo 41; }\n", "[[ $(head 1) = 1 ]]\n[[ $(factor 7) = 41 ]]\n", "program's functions factor"},
		{"tests that do not parse", Bash, "f() { echo 1; }\n", "[[ $(f) = 1 ]] || exit 1\nif true; then\n", "unrunnable\",\"reason\":\"the tests do not parse: /workspace/test_main.sh: line"},
		{"tests that do not parse", Ruby, "def f = 1\n", "raise 'no' unless f == 1\ndef (\n", "the tests do not parse: "},
		{"tests that do not parse, together", Ruby, "def f = 1\n", "$stdout.flush\ndef (\n", "the tests do not parse: "},
		{"tests that do not parse", Lua, "function f() return 1 end\n", "assert(f() == 1)\nif\n", "the tests do not parse: test_main.lua:"},
		{"tests that do not parse, together", Lua, "return { f = 1 }\n", "getmetatable(f)\nif\n", "the tests do not parse: test_main.lua:"},
	} {
		t.Run(c.lang.Name+"/"+c.name, func(t *testing.T) {
			rigTool(t, c.lang)
			v := rigExam(t, c.lang, program(c.lang.Name, c.lang.Main, c.program), Tests{Files: []glovebox.File{{Path: testFile[c.lang], Data: []byte(c.tests)}}})
			if report := v.harness.report + v.candidate.report; v.pass || !strings.Contains(report, c.want) {
				t.Errorf("pass %t, want %q in %s\n%s%s", v.pass, c.want, report, v.harness.stderr, v.candidate.stderr)
			}
		})
	}
}

var testFile = map[*Language]string{Go: "main_test.go", Ruby: "test_main.rb", Perl: "main.t", Lua: "test_main.lua", Bash: "test_main.sh"}

// TestExamNative has small programs and tests, and what must come of them.
func TestExamNative(t *testing.T) {
	const apart, together = glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	for _, c := range []struct {
		name           string
		lang           *Language
		program, tests string
		proof          glovebox.Proof
		pass           bool
	}{
		{"values", Go, "package main\n\nimport (\n\t\"errors\"\n\t\"math/big\"\n)\n\nfunc div(a, b float64) (float64, error) {\n\tif b == 0 {\n\t\treturn 0, errors.New(\"division by zero\")\n\t}\n\treturn a / b, nil\n}\n\nfunc count(words ...string) map[string]int {\n\tm := map[string]int{}\n\tfor _, w := range words {\n\t\tm[w]++\n\t}\n\treturn m\n}\n\nfunc reverse(s []int) {\n\tfor i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {\n\t\ts[i], s[j] = s[j], s[i]\n\t}\n}\n\nfunc mixed() []any { return []any{1, \"a\", nil, 2.5, []int{1}} }\n\nfunc fact(n int64) *big.Int { return new(big.Int).MulRange(1, n) }\n",
			"package main\n\nimport (\n\t\"math\"\n\t\"reflect\"\n\t\"testing\"\n)\n\nfunc TestAll(t *testing.T) {\n\tif _, err := div(1, 0); err == nil || err.Error() != \"division by zero\" {\n\t\tt.Error(err)\n\t}\n\tif v, err := div(math.Inf(1), 2); err != nil || v != math.Inf(1) {\n\t\tt.Error(v, err)\n\t}\n\tif m := count(\"a\", \"b\", \"a\"); !reflect.DeepEqual(m, map[string]int{\"a\": 2, \"b\": 1}) {\n\t\tt.Error(m)\n\t}\n\ts := []int{1, 2, 3}\n\treverse(s)\n\tif !reflect.DeepEqual(s, []int{3, 2, 1}) {\n\t\tt.Error(s)\n\t}\n\tif m := mixed(); !reflect.DeepEqual(m, []any{1, \"a\", nil, 2.5, []int{1}}) {\n\t\tt.Error(m)\n\t}\n}\n\nfunc TestFact(t *testing.T) {\n\tf := fact\n\tif f(0) == nil {\n\t\tt.Fatal()\n\t}\n}\n",
			apart, true},
		{"a panic is the test's", Go, "package main\n\nfunc at(s []int, i int) int { return s[i] }\n",
			"package main\n\nimport \"testing\"\n\nfunc TestAt(t *testing.T) {\n\tdefer func() {\n\t\tif recover() == nil {\n\t\t\tt.Error(\"no panic\")\n\t\t}\n\t}()\n\tat(nil, 3)\n}\n", apart, true},
		{"types", Go, "package main\n\ntype Stack struct{ s []int }\n\nfunc (s *Stack) Push(n int) { s.s = append(s.s, n) }\n\nfunc (s *Stack) Len() int { return len(s.s) }\n",
			"package main\n\nimport \"testing\"\n\nfunc TestStack(t *testing.T) {\n\tvar s Stack\n\ts.Push(1)\n\tif s.Len() != 1 {\n\t\tt.Error(s)\n\t}\n}\n", apart, true},
		{"a package of the tests' own", Go, "package stack\n\nfunc New() []int { return []int{1} }\n",
			"package stack_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/stack\"\n)\n\nfunc TestNew(t *testing.T) {\n\tif len(stack.New()) != 1 {\n\t\tt.Fail()\n\t}\n}\n", apart, true},
		{"skipped", Go, "package main\n\nfunc f() int { return 1 }\n", "package main\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tf()\n\tt.Skip(\"not now\")\n}\n", apart, false},
		{"never called", Go, "package main\n\nfunc f() int { return 1 }\n", "package main\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif false {\n\t\tf()\n\t}\n}\n", apart, false},

		{"blocks and classes", Ruby, "class Stack\n  include Enumerable\n  def initialize = @s = []\n  def push(x)\n    raise ArgumentError, 'nil' if x.nil?\n    @s << x\n    self\n  end\n  def each(&b) = @s.each(&b)\n  def empty? = @s.empty?\n  def ==(o) = o.is_a?(Stack) && to_a == o.to_a\nend\nclass Broke < StandardError; end\ndef twice(x) = [yield(x), yield(x + 1)]\ndef sort_it!(a) = a.sort!\ndef broke = raise(Broke, 'no money')\ndef kw(a, b: 2) = a + b\n",
			"require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_stack\n    s = Stack.new\n    assert_empty s\n    assert_equal [1, 2], s.push(1).push(2).to_a\n    assert_equal Stack.new.push(3), Stack.new.push(3)\n    refute_equal Stack.new, Stack.new.push(3)\n    assert_raises(ArgumentError) { s.push(nil) }\n    assert_kind_of Stack, s\n  end\n  def test_block\n    assert_equal [2, 4], twice(1) { |x| x * 2 }\n  end\n  def test_in_place\n    a = [3, 1, 2]\n    assert_same a, sort_it!(a)\n    assert_equal [1, 2, 3], a\n  end\n  def test_error\n    e = assert_raises(Broke) { broke }\n    assert_equal 'no money', e.message\n    assert_equal 5, kw(2, b: 3)\n  end\nend\n", apart, true},
		{"a bare script", Ruby, "def f(x) = x + 1\n", "raise 'no' unless f(1) == 2\nraise 'no' unless f(2.5) == 3.5\n", apart, true},
		{"a bare script that fails", Ruby, "def f(x) = x + 2\n", "raise 'no' unless f(1) == 2\n", apart, false},
		{"its own judge", Ruby, "class All\n  def include?(*) = true\n  def empty? = true\n  def is_a?(*) = true\n  def kind_of?(*) = true\n  def match?(*) = true\nend\ndef f = All.new\n",
			"require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    assert_include(f, 3)\n  end\nend\n", apart, false},
		{"its own judge, asked plainly", Ruby, "class All\n  def include?(*) = true\nend\ndef f = All.new\n",
			"require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    assert f.include?(3)\n  end\nend\n", apart, false},
		{"swallowed", Ruby, "def each_of(a)\n  a.each { |x| yield x rescue nil }\nend\n",
			"require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    each_of([1]) { |x| assert_equal 2, x }\n    assert true\n  end\nend\n", apart, false},
		{"spec", Ruby, "def f(x) = x * 2\n", "require 'minitest/spec'\ndescribe 'f' do\n  it 'doubles' do\n    assert_equal 4, f(2)\n  end\nend\n", apart, true},
		{"a tool's name", Bash, "sum() { echo $(($1 + $2)); }\njoin() { local IFS=$1; shift; echo \"$*\"; }\n", "[[ $(sum 1 2) = 3 ]] || exit 1\n[[ $(join , a b) = a,b ]] || exit 1\n", apart, true},
		{"the tests' own tools", Bash, "f() { echo 2; }\nsort() { echo 1; }\ndiff() { :; }\nfactor() { :; }\nprintf() { :; }\n", "diff <(f 1 | sort) <(printf '1\\n') || exit 1\n[[ $(f 1) = $(factor 1) ]]\n", apart, false},
		{"functions that nobody calls", Bash, "f() { echo $(($1 * 2)); }\n", "test_f() {\n  [[ $(f 1) = 2 ]] || return 1\n}\nfunction test_g {\n  [ \"$(f 2)\" = 4 ]\n}\n", apart, true},
		{"functions that nobody calls fail", Bash, "f() { echo $(($1 * 3)); }\n", "test_f() {\n  [[ $(f 1) = 2 ]] || return 1\n}\ntest_g() {\n  [ \"$(f 0)\" = 0 ]\n}\n", apart, false},
		{"functions that are called", Bash, "f() { echo 2; }\n", "test_f() {\n  [[ $(f 1) = 2 ]]\n}\ntest_f\n", apart, true},
		{"a function that a loop calls", Bash, "f() { echo 2; }\n", "test_f() {\n  [[ $(f 1) = 2 ]]\n}\nfor t in $(compgen -A function test_); do $t || exit 1; done\n", apart, true},

		{"the end does not parse", Bash, "f() { echo 2; }\n", "set +e\n[[ $(f 1) = 2 ]]\nif true; then\n", together, false},

		{"nested constants", Ruby, "class Bank\n  LIMIT = 5\n  class Broke < StandardError; end\n  class Account\n    def initialize(n) = @n = n\n    def take(n) = n > @n ? raise(Broke, 'no money') : @n -= n\n  end\nend\n",
			"require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    a = Bank::Account.new(Bank::LIMIT)\n    assert_equal Bank::LIMIT, 5\n    assert_equal 3, a.take(2)\n    e = assert_raises(Bank::Broke) { a.take(9) }\n    assert_equal 'no money', e.message\n    begin\n      a.take(9)\n      flunk\n    rescue Bank::Broke => e\n      assert_equal \"Bank::Broke\", e.class.name\n    end\n    assert_raises(Errno::ENOENT) { raise Errno::ENOENT }\n  end\nend\n", apart, true},
		{"expectations", Ruby, "def f(x) = x * 2\ndef boom = raise(ArgumentError, 'no')\n", "require 'minitest/autorun'\ndescribe 'f' do\n  it 'doubles' do\n    _(f(2)).must_equal 4\n    expect(f(2)).wont_equal 5\n    value(f('a')).must_match(/aa/)\n    _([f(1)]).must_include 2\n    _(f(1)).must_be :>, 1\n    _(f(1)).must_be :even?\n    _ { boom }.must_raise ArgumentError\n  end\nend\n", apart, true},
		{"an expectation that fails", Ruby, "def f(x) = x * 3\n", "require 'minitest/autorun'\ndescribe 'f' do\n  it('doubles') { _(f(2)).must_equal 4 }\nend\n", apart, false},
		{"methods that nobody calls", Ruby, "def f(x) = x * 2\n", "def test_f\n  raise 'no' unless f(1) == 2\nend\n", apart, true},
		{"methods that nobody calls fail", Ruby, "def f(x) = x * 3\n", "def test_f\n  raise 'no' unless f(1) == 2\nend\ndef test_g\n  f(2)\nend\n", apart, false},
		{"streams", Ruby, "def hello = puts('hi')\n", "require 'test/unit'\nrequire 'stringio'\nclass T < Test::Unit::TestCase\n  def test_it\n    old, $stdout = $stdout, StringIO.new\n    hello\n    said, $stdout = $stdout.string, old\n    assert_equal \"hi\\n\", said\n  end\nend\n", together, true},

		{"Test::More", Perl, "sub add { $_[0] + $_[1] }\nsub words { my %c; $c{$_}++ for split ' ', shift; return \\%c }\nsub both { return wantarray ? (1, 2) : 'one' }\nsub sort_it { my $x = shift; @$x = sort { $a <=> $b } @$x }\nsub boom { die \"boom\\n\" }\nsub apply { my ($f, @l) = @_; map { $f->($_) } @l }\npackage Stack; sub new { bless { s => [] }, shift } sub push { my $s = shift; push @{ $s->{s} }, @_; $s } sub size { scalar @{ $_[0]{s} } } 1;\n",
			"use strict; use warnings; use Test::More;\nis(add(2, 3), 5, 'sum');\nis_deeply(words('a b a'), { a => 2, b => 1 });\nmy @l = both(); is(scalar @l, 2); is(scalar(both()), 'one');\nmy $l = [3, 1, 2]; sort_it($l); is_deeply($l, [1, 2, 3]);\neval { boom() }; is($@, \"boom\\n\");\nis_deeply([apply(sub { $_[0] * 2 }, 1, 2)], [2, 4]);\nmy $s = Stack->new; is($s->push(1)->push(2)->size, 2);\nis(0.1 + 0.2, add(0.1, 0.2));\ndone_testing();\n", apart, true},
		{"one of Test::More fails", Perl, "sub f { 1 }\n", "use Test::More tests => 2;\nis(f(), 1);\nis(f(), 2);\n", apart, false},
		{"fewer than planned", Perl, "sub f { 1 }\n", "use Test::More tests => 3;\nis(f(), 1);\n", apart, false},
		{"a program that is a module", Perl, "package Sum;\nsub new { bless {}, shift }\nsub of { my $s = shift; my $n = 0; $n += $_ for @_; $n }\n1;\n",
			"use Test::More;\nrequire './main.pl';\nis(Sum->new->of(1, 2, 3), 6);\ndone_testing;\n", apart, true},
		{"replaced subs", Perl, "sub now { time } sub year { now() > 10 ? 'late' : 'early' }\n", "use Test::More; no warnings;\n*main::now = sub { 5 };\nis(year(), 'early');\ndone_testing;\n", together, true},
		{"an exit", Perl, "sub f { 1 }\n", "use Test::More;\nok(f());\ndone_testing;\nexit 0;\n", apart, true},
		{"not called", Perl, "sub f { 1 }\n", "use Test::More; ok(1); done_testing;\n", apart, false},

		{"tables and objects", Lua, "Stack = {}\nStack.__index = Stack\nfunction Stack.new() return setmetatable({n = 0}, Stack) end\nfunction Stack:push(x) if x == nil then error('nothing') end self.n = self.n + 1; self[self.n] = x; return self end\nfunction Stack:size() return self.n end\nlocal function sort(t) table.sort(t) return t end\nlocal function map(f, t) local r = {} for i, v in ipairs(t) do r[i] = f(v) end return r end\nlocal function two() return 1, nil, 3 end\n",
			"local lu = require('luaunit')\nTestAll = {}\nfunction TestAll:testStack()\n  local s = Stack.new()\n  lu.assertEquals(s:push(1):push(2):size(), 2)\n  lu.assertEquals(s.n, 2)\n  lu.assertErrorMsgContains('nothing', function() s:push(nil) end)\nend\nfunction TestAll:testPlain()\n  local t = {3, 1, 2}\n  lu.assertIs(sort(t), t)\n  lu.assertEquals(t, {1, 2, 3})\n  lu.assertEquals(map(function(x) return x * 2 end, {1, 2}), {2, 4})\n  local a, b, c = two()\n  lu.assertEquals(a, 1) lu.assertNil(b) lu.assertEquals(c, 3)\nend\nos.exit(lu.LuaUnit.run())\n", apart, true},
		{"a module", Lua, "local M = {}\nfunction M.add(a, b) return a + b end\nreturn M\n", "local m = require('main')\nassert(m.add(1, 2) == 3)\nassert(m.add(0.5, 0.25) == 0.75)\n", apart, true},
		{"a bare script that fails", Lua, "function f() return 1 end\n", "assert(f() == 2)\n", apart, false},
		{"fields that are all true", Lua, "function f() return setmetatable({}, {__index = function() return true end}) end\n", "local lu = require('luaunit')\nfunction testF() lu.assertTrue(f()[3]) end\nos.exit(lu.LuaUnit.run())\n", apart, true},
		{"swallowed", Lua, "function each(t, f) for _, v in ipairs(t) do pcall(f, v) end end\n", "local lu = require('luaunit')\nfunction testEach() each({1}, function(v) lu.assertEquals(v, 2) end) end\nos.exit(lu.LuaUnit.run())\n", apart, false},
		{"streams", Lua, "function hello() io.write('hi') end\n", "local lu = require('luaunit')\nfunction testHello()\n  local said = ''\n  local old = io.write\n  io.write = function(s) said = said .. s end\n  hello()\n  io.write = old\n  lu.assertEquals(said, 'hi')\nend\n-- io.stdout\nos.exit(lu.LuaUnit.run())\n", together, true},
		{"a module, together", Lua, "local M = {}\nM.__index = M\nfunction M.new(n) return setmetatable({n = n}, M) end\nreturn { new = M.new, M = M }\n", "local m = require('main')\nlocal x = m.new(3)\nassert(getmetatable(x) == m.M)\nassert(new(2).n == 2)\n", together, true},
		{"a module, together, fails", Lua, "return { new = function() return {} end }\n", "local m = require('main')\nassert(getmetatable(m.new()) ~= nil)\n", together, false},
		{"functions that nobody calls", Lua, "function f(x) return x * 2 end\n", "local function test_f()\n  assert(f(1) == 2)\nend\nfunction test_g()\n  assert(f(2) == 4)\nend\n", apart, true},
		{"functions that nobody calls fail", Lua, "function f(x) return x * 3 end\n", "local function test_f()\n  assert(f(1) == 2)\nend\n", apart, false},
		{"functions that nobody calls, together", Lua, "function f(x) return setmetatable({}, {}) end\n", "function test_f()\n  assert(getmetatable(f(1)) == nil)\nend\n", together, false},
		{"no tests ran", Lua, "function f() return 1 end\n", "local lu = require('luaunit')\nf()\nos.exit(lu.LuaUnit.run())\n", apart, false},
	} {
		t.Run(c.lang.Name+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			rigTool(t, c.lang)
			v := rigExam(t, c.lang, program(c.lang.Name, c.lang.Main, c.program), Tests{Files: []glovebox.File{{Path: testFile[c.lang], Data: []byte(c.tests)}}})
			if v.pass != c.pass || v.proof != c.proof {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.proof, v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}
