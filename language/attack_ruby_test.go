package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestRubyAttacks has programs that once passed with more than their tests were
// worth, and the right programs beside them.
func TestRubyAttacks(t *testing.T) {
	rigTool(t, Ruby)
	lie := "class Lie\n  def [](k) = 'yes'\n  def slice(k) = 'yes'\n  def scan(p) = ['x']\n  def size = 3\n  def each_cons(n) = []\nend\ndef f(x) = Lie.new\n"
	sums := "def my_sort(xs) = xs.sort\ndef total(xs) = xs.sum\ndef sort_it!(xs) = xs.sort!\ndef take(h, k) = h.delete(k)\ndef near(a, b) = (a - b).abs < 0.01\nclass Bag\n  def load(xs) = @all = xs.dup\n  def to_a = @all\nend\n"
	flunked := mini("def test_it\n  begin\n    f(nil)\n    flunk 'no error'\n  rescue Wrong\n    assert true\n  end\nend")
	raised := mini("def test_it\n  begin\n    f(nil)\n    raise 'no error'\n  rescue Wrong => e\n    assert_kind_of Wrong, e\n  end\nend")
	for _, c := range []rubyCase{
		// The program's exceptions catch the tests' own.
		{"flunk, caught by StandardError under another name", "Wrong = StandardError\ndef f(x) = x\n", flunked, "", "no error"},
		{"flunk, caught by Exception under another name", "Wrong = Exception\ndef f(x) = x\n", flunked, "", "no error"},
		{"raise, caught by RuntimeError under another name", "Wrong = RuntimeError\ndef f(x) = x\n", raised, "", "no error"},
		{"raise, caught within a module", "module M\n  Wrong = StandardError\nend\ndef f(x) = x\n", strings.ReplaceAll(raised, "Wrong", "M::Wrong"), "", "no error"},
		{"flunk, caught by a list of classes", "ALL = [StandardError].freeze\ndef f(x) = x\n", strings.ReplaceAll(flunked, "rescue Wrong", "rescue *ALL"), "", "no error"},
		{"raise, caught by a list of classes", "ALL = [StandardError].freeze\ndef f(x) = x\n", mini("def test_it\n  begin\n    f(nil)\n    raise 'no error'\n  rescue *ALL\n    assert true\n  end\nend"), rubyJudged, ""},
		{"a class of Ruby's own under another name", "Wrong = ArgumentError\ndef f(x) = raise(Wrong, 'bad')\n", mini("def test_it\n  e = assert_raises(Wrong) { f(1) }\n  assert_equal 'bad', e.message\n  assert_kind_of Wrong, e\n  assert_equal Wrong, e.class\n  assert_raises(ArgumentError) { f(1) }\n  begin\n    f(nil)\n    flunk 'no error'\n  rescue Wrong => e\n    assert_instance_of Wrong, e\n  end\nend"), rubyApart, ""},
		{"the same, with test-unit's exact classes", "Wrong = StandardError\ndef f(x) = raise(Wrong, 'bad')\ndef g = yield\n", tunit("def test_it\n  assert_raise(Wrong) { f(1) }\n  assert_raise_with_message(Wrong, 'bad') { f(1) }\n  assert_raise(Wrong) { g { raise Wrong, 'mine' } }\nend"), rubyApart, ""},

		// Tests that are made of what the program says.
		{"tests of an empty table", "module Roman\n  CASES = {}\n  def self.digit(c) = 0\nend\n", mini("Roman::CASES.each { |c, n| define_method(\"test_#{c}\") { assert_equal n, Roman.digit(c) } }"), "", "none of the tests ran"},
		{"tests of a table of the program's, of strings", "module Roman\n  CASES = []\n  def self.digit(c) = 0\nend\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  Roman::CASES.each { |c, n| test(c) { assert_equal n, Roman.digit(c) } }\nend\n", "", "none of the tests ran"},
		{"assertions in a block that is never called", "def with; end\n", mini("def test_it\n  with { |s| assert_equal 1, s.get('a') }\nend"), "", "none of its assertions ran"},
		{"assertions in a loop that is empty", "def rows = []\n", mini("def test_it\n  rows.each { |r| assert_equal 1, r }\nend"), "", "none of its assertions ran"},

		// Numbers without an end.
		{"arithmetic that has no end", "def root(x) = 1e200\n", mini("def test_it\n  r = root(2)\n  flunk 'wrong' if (r * r - 2).abs / (r * r) > 1e-9\nend"), "", "NaN"},
		{"a number without an end", "def root(x) = Float::INFINITY\n", mini("def test_it\n  flunk 'wrong' if root(2) < 1.4\nend"), "", "infinite"},
		{"a number without an end, as an assertion", "def root(x) = Float::INFINITY\n", mini("def test_it = assert_operator(root(2), :>, 1.4)"), "", "infinite"},
		{"no number within a range", "def root(x) = 1e200\n", mini("def test_it\n  r = root(2)\n  flunk 'wrong' if (1e-9..).cover?((r * r - 2).abs / (r * r))\nend"), "", "NaN"},
		{"an end that the tests name", "def least(a) = a.min || Float::INFINITY\n", mini("def test_it\n  assert_operator least([]), :>, 5\n  assert_equal Float::INFINITY, least([])\n  best = Float::INFINITY\n  [3, 1].each { |x| best = x if x < best }\n  assert_equal least([3, 1]), best\nend"), rubyApart, ""},

		// Results with methods of plain values.
		{"a part of what is no text", lie, mini("def test_it = assert(f('Bob')['Hello'])"), "", "expect a plain value"},
		{"a search in what is no text", lie, mini("def test_it = assert(f('Bob').scan(/Bob/).any?)"), "", "expect a plain value"},
		{"pairs of what is no list", lie, mini("def test_it\n  got = f([3, 1, 2])\n  assert_equal 3, got.size\n  assert got.each_cons(2).all? { |a, b| a <= b }\nend"), "", "cannot be iterated"},
		{"pairs of an object with elements", "class Rows\n  include Enumerable\n  def each(&b) = [1, 2, 3].each(&b)\nend\ndef f = Rows.new\n", mini("def test_it\n  assert_equal [[1, 2], [2, 3]], f.each_cons(2).to_a\n  assert f.each_slice(2).first == [1, 2]\nend"), rubyApart, ""},
		{"elements of an object of a class", "class Conf\n  def self.read = new\n  def [](k) = k * 2\n  def scan(p) = [p]\nend\n", mini("def test_it\n  assert_equal 'aa', Conf.read['a']\n  assert_equal ['x'], Conf.read.scan('x')\nend"), rubyApart, ""},

		// Helpers of the tests have names that the stand-in might have.
		{"helpers of any name", sums, mini("def check(xs, want) = assert_equal(want, my_sort(xs))\ndef show(x) = raise('mine')\ndef same?(a, b) = raise('mine')\ndef number(x) = raise('mine')\ndef pattern(x) = raise('mine')\ndef raises(x) = raise('mine')\ndef raised(x) = raise('mine')\ndef operate(x) = raise('mine')\ndef self.tests = raise('mine')\ndef test_it\n  check([2, 1], [1, 2])\n  assert_in_delta 3, total([1, 2])\n  assert_match 'a', 'a'\n  assert_operator 1, :<, total([2])\n  assert_raises(NoMethodError) { total(nil) }\nend"), rubyApart, ""},
	} {
		t.Run(c.name, c.run)
	}
	t.Run("a library of comparisons from the program", func(t *testing.T) {
		tests := "require 'minitest/autorun'\nrequire 'hashdiff'\nclass T < Minitest::Test\n  def test_it = assert_empty(Hashdiff.diff(f, [1, 2]))\nend\n"
		for _, text := range []string{tests, strings.Replace(tests, "require 'hashdiff'\n", "", 1)} {
			p := program("ruby", "main.rb", "def f = []\n")
			p.Files = append(p.Files, glovebox.File{Path: "hashdiff.rb", Data: []byte("module Hashdiff\n  def self.diff(a, b) = []\nend\n")})
			v := rigExam(t, Ruby, p, Tests{Files: []glovebox.File{{Path: "main_test.rb", Data: []byte(text)}}})
			if v.pass || !strings.Contains(v.harness.report, "the tests need hashdiff") {
				t.Errorf("pass %t: %s %s", v.pass, v.why, v.harness.report)
			}
		}
	})
	t.Run("a library of Ruby's from the program", func(t *testing.T) {
		p := program("ruby", "main.rb", "def f = 'x'\n")
		p.Files = append(p.Files, glovebox.File{Path: "json.rb", Data: []byte("module JSON\n  def self.generate(*) = 'x'\nend\n")})
		v := rigExam(t, Ruby, p, Tests{Files: []glovebox.File{{Path: "main_test.rb", Data: []byte("require 'json'\n" + mini("def test_it = assert_equal(JSON.generate([1]), f)"))}}})
		if v.pass || !strings.Contains(v.harness.report, "[1]") {
			t.Errorf("pass %t: %s %s", v.pass, v.why, v.harness.report)
		}
	})
}
