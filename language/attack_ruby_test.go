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
	emptied := "def my_sort(xs)\n  xs.clear\n  []\nend\ndef total(xs)\n  xs.clear\n  0\nend\n"
	heap := "def heappush(h, x)\n  h.push(x)\n  h.sort!\nend\ndef heappop(h) = h.shift\n"
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

		// An argument that the call changes.
		{"an argument that is emptied, compared later", emptied, mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  assert_equal xs.sort, got\nend"), "", "got []"},
		{"an argument that is emptied, compared in the other order", emptied, mini("def test_it\n  xs = [3, 1]\n  assert_equal my_sort(xs), xs.sort\nend"), "", "[]"},
		{"an argument that is emptied, and its sum", emptied, mini("def test_it\n  xs = [3, 1]\n  got = total(xs)\n  assert_equal xs.sum, got\nend"), "", "got 0"},
		{"an argument that is emptied, in a helper", emptied, mini("def like(got, xs) = assert_equal(xs.sort, got)\ndef test_it\n  xs = [3, 1]\n  like(my_sort(xs), xs)\nend"), "", "got []"},
		{"an argument that is emptied, and read back", emptied, mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  assert_equal xs.sort, got\n  assert_empty xs\nend"), "", "got []"},
		{"an argument that is emptied, and a variable of it", emptied, mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  want = xs.sort\n  assert_equal 0, xs.size\n  assert_equal want, got\nend"), "", "got []"},
		{"an argument that is emptied, and a loop", emptied, mini("def test_it\n  xs = [3, 1]\n  got = total(xs)\n  want = 0\n  xs.each { |x| want += x }\n  assert_equal want, got\n  assert xs.empty?\nend"), "", "got 0"},
		{"an argument that is emptied, of a loop of assertions", emptied, mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  xs.each { |x| assert_includes got, x }\n  assert xs.empty?\nend"), "", "include 3"},
		{"an argument that is emptied, of the test class", emptied, mini("def setup = @xs = [3, 1]\ndef like(want) = assert_equal(want, @got)\ndef test_it\n  @got = my_sort(@xs)\n  like(@xs.sort)\n  assert_empty @xs\nend"), "", "got []"},
		{"an argument that is emptied, in a script", emptied, "xs = [3, 1]\ngot = my_sort(xs)\nraise 'no' unless got == xs.sort\n", "", "no"},
		{"an argument that the program did change", emptied, mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  assert_equal [], got\n  assert_equal [3, 1], xs\nend"), "", "got []"},
		{"an argument that comes back", "def my_sort(xs) = xs\n", mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  xs.sort!\n  assert_equal xs, got\nend"), "", "got [3, 1]"},
		{"a text that comes back", "def up(s) = s\n", mini("def test_it\n  s = +'a'\n  got = up(s)\n  s.upcase!\n  assert_equal s, got\nend"), "", "got"},
		{"right, compared later", sums, mini("def like(got, xs) = assert_equal(xs.sort, got)\ndef test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  assert_equal xs.sort, got\n  assert_equal [3, 1], xs\n  assert_equal my_sort(xs), xs.sort\n  like(my_sort(xs), xs)\n  xs << 2\n  assert_equal 6, total(xs)\n  assert_equal xs.sum, total(xs)\nend"), rubyApart, ""},
		{"right, changed in place", sums, mini("def test_it\n  xs = [3, 1]\n  want = xs.sort\n  sort_it!(xs)\n  assert_equal want, xs\n  n = xs.first\n  assert_equal 1, n\n  ys = [2, 1]\n  r = sort_it!(ys)\n  assert_same ys, r\n  assert_equal [1, 2], r\n  h = { a: 1, b: 2 }\n  assert_equal 1, take(h, :a)\n  assert_equal({ b: 2 }, h)\n  left = { a: 1 }\n  got = take(left, :a)\n  size = left.size\n  assert_equal 0, size\n  assert_equal 1, got\nend"), rubyApart, ""},
		{"right, given to an object", sums, mini("def test_it\n  xs = [3, 1]\n  b = Bag.new\n  b.load(xs)\n  assert_equal xs, b.to_a\n  assert_equal [3, 1], xs\nend"), rubyApart, ""},
		{"the program's word against the program's", sums, mini("def test_it\n  xs = [3, 1]\n  sort_it!(xs)\n  assert_equal my_sort([1, 3]), xs\nend"), rubyJudged, ""},

		{"right, a heap of the tests'", heap, mini("def test_it\n  heap = []\n  [3, 1, 2].each { |x| heappush(heap, x) }\n  assert_equal 3, heap.size\n  out = []\n  out << heappop(heap) while heap.any?\n  assert_equal [1, 2, 3], out\n  h = [1, 2]\n  assert_equal 1, heappop(h)\n  assert_equal 2, heappop(h)\n  assert_empty h\nend\ndef test_values\n  h = [1, 2]\n  x = heappop(h)\n  h << 0\n  y = heappop(h)\n  z = heappop(h)\n  assert_equal [1, 2, 0], [x, y, z]\nend\ndef test_loop\n  h = []\n  %w[b a].each { |x| heappush(h, x) }\n  got = []\n  until h.empty?\n    got << heappop(h)\n  end\n  assert_equal %w[a b], got\n  k = [1, 2, 3]\n  got = []\n  while (x = heappop(k))\n    got << x\n  end\n  assert_equal [1, 2, 3], got\n  m = [4, 5]\n  assert_equal [4, 5], m.size.times.map { heappop(m) }\nend"), rubyApart, ""},
		{"right, in a spec", sums, "require 'minitest/autorun'\ndescribe 'sort' do\n  let(:xs) { [3, 1] }\n  before { @a = [2, 1] }\n  it('changes') { sort_it!(xs); _(xs).must_equal [1, 3] }\n  it('gives') { _(my_sort(xs)).must_equal xs.sort }\n  it('sets') do\n    sort_it!(@a)\n    _(@a).must_equal [1, 2]\n  end\nend\n", rubyApart, ""},
		{"right, of tables", sums + "def rotate(m) = m.replace(m.transpose)\ndef memo(n, t = {}) = t[n] ||= n * 2\n", mini("A = [3, 1]\ndef sorted(xs)\n  sort_it!(xs)\n  xs\nend\ndef test_it\n  [[[3, 1], [1, 3]], [[], []]].each { |input, want| assert_equal want, my_sort(input) }\n  [{ in: [3, 1], out: [1, 3] }].each do |c|\n    sort_it!(c[:in])\n    assert_equal c[:out], c[:in]\n  end\n  assert_equal [1, 3], sorted([3, 1])\n  m = [[1, 2], [3, 4]]\n  rotate(m)\n  assert_equal [[1, 3], [2, 4]], m\n  assert_equal 3, m[1 - 1][1]\n  t = {}\n  assert_equal 6, memo(3, t)\n  assert t.key?(3)\n  assert_equal A.sort, my_sort(A)\n  a = [1, 2]\n  b = a\n  rotated = take(b, 0)\n  assert_nil rotated\n  assert_equal [1, 2], a\nend"), rubyApart, ""},
		{"right, with copies and errors", sums + "def push_it(xs, x)\n  raise ArgumentError if x.nil?\n  xs << x\nend\nclass Sorter\n  def self.sort!(xs) = xs.sort!\n  def sort!(xs) = xs.sort!\nend\n", mini("def test_it\n  xs = [3, 1]\n  assert_raises(ArgumentError) { push_it(xs, nil) }\n  assert_equal [3, 1], xs\n  got = my_sort(xs)\n  refute_same xs, got\n  got << 9\n  assert_equal [3, 1], xs\n  push_it(push_it(xs, 5), 6)\n  assert_equal [3, 1, 5, 6], xs\n  Sorter.sort!(xs)\n  assert_equal [1, 3, 5, 6], xs\n  ys = [2, 1]\n  Sorter.new.sort!(ys)\n  assert_equal [1, 2], ys\n  s = [1]\n  assert_same s, push_it(s, 2)\n  assert_equal [1, 2], s\nend"), rubyTogether, "the tests change what the program gave them"},
		{"an argument that is looked at, and compared", sums + "def push_it(xs, x) = xs << x\n", mini("def test_it\n  xs = [3]\n  got = push_it(xs, 4)\n  assert_equal [3, 4], xs\n  assert_equal xs, got\nend"), rubyJudged, ""},
		{"right, in a script", sums, "xs = [3, 1]\nsort_it!(xs)\nraise 'no' unless xs == [1, 3]\ngot = my_sort([2, 1])\nraise 'no' if got != [1, 2]\nys = [5, 4]\nraise 'no' unless my_sort(ys) == ys.sort\nraise 'changed' unless ys == [5, 4]\n", rubyApart, ""},
		{"emptied, a list of what it is of", emptied, mini("def test_it\n  [[3, 1], [2]].each do |xs|\n    got = my_sort(xs)\n    assert_equal xs.sort, got\n  end\nend"), "", "got []"},
		{"emptied, in a table", emptied, mini("def test_it\n  c = { in: [3, 1] }\n  got = my_sort(c[:in])\n  assert_equal c[:in].sort, got\nend"), "", "got []"},
		{"emptied, in a constant", emptied, mini("XS = [3, 1]\ndef test_it\n  got = my_sort(XS)\n  assert_equal XS.sort, got\nend"), "", "got []"},
		{"emptied, by let", emptied, "require 'minitest/autorun'\ndescribe 'sort' do\n  let(:xs) { [3, 1] }\n  it('gives') do\n    got = my_sort(xs)\n    _(got).must_equal xs.sort\n  end\nend\n", "", "got []"},
		{"emptied, by let of both", emptied, "require 'minitest/autorun'\ndescribe 'sort' do\n  let(:xs) { [3, 1] }\n  let(:got) { my_sort(xs) }\n  it('gives') do\n    _(got).must_equal xs.sort\n    _(xs.size).must_equal 0\n  end\nend\n", "", "got []"},
		{"objects of the tests that are changed", "def total(items)\n  items.each { |i| i.price = 0 }\n  0\nend\n", mini("Item = Struct.new(:price)\ndef test_it\n  items = [Item.new(3), Item.new(4)]\n  got = total(items)\n  assert_equal items.sum(&:price), got\nend"), "", "changed an object of the tests"},
		{"right, objects of the tests that are changed", "def total(items) = items.sum(&:price)\ndef cheaper(items, n) = items.each { |i| i.price -= n }\n", mini("Item = Struct.new(:price)\ndef test_it\n  items = [Item.new(3), Item.new(4)]\n  got = total(items)\n  assert_equal items.sum(&:price), got\nend\ndef test_change\n  items = [Item.new(3), Item.new(4)]\n  cheaper(items, 1)\n  assert_equal [2, 3], items.map(&:price)\n  i = Item.new(9)\n  cheaper([i], 1)\n  assert_equal 8, i.price\nend"), rubyApart, ""},
		{"emptied, in a while loop", emptied, mini("def test_it\n  xs = [3, 1]\n  got = total(xs)\n  want = i = 0\n  while i < xs.size\n    want += xs[i]\n    i += 1\n  end\n  assert_equal want, got\n  assert_equal 0, xs.size\nend"), "", "got 0"},
		{"emptied, its size", emptied, mini("def test_it\n  xs = [3, 1]\n  got = my_sort(xs)\n  assert_equal xs.size, got.size\n  xs.size.times { |i| assert_equal xs.sort[i], got[i] }\nend"), "", "got 0"},
		{"emptied, by a difference", emptied, mini("def test_it\n  xs = [3, 1]\n  got = total(xs)\n  assert (got - xs.sum).abs < 1e-9\n  assert_empty xs\nend"), "", "something true"},
		{"emptied, by a method of the class", emptied, mini("def want = @xs.sum\ndef test_it\n  @xs = [3, 1]\n  got = total(@xs)\n  assert_equal want, got\n  assert_empty @xs\nend"), "", "got 0"},

		// A result that goes back to the program, which says what is true of it.
		{"a judge of the program's", sums, mini("def test_it = assert near(total([1, 2]), 3.0)\ndef test_b = assert_equal(3, total([1, 2]))"), rubyJudged, `"name":"T#test_b","status":"passed"}}`},

		// Tests that are made of what the program says.
		{"tests of an empty table", "module Roman\n  CASES = {}\n  def self.digit(c) = 0\nend\n", mini("Roman::CASES.each { |c, n| define_method(\"test_#{c}\") { assert_equal n, Roman.digit(c) } }"), "", "none of the tests ran"},
		{"tests of a table of the program's, of strings", "module Roman\n  CASES = []\n  def self.digit(c) = 0\nend\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  Roman::CASES.each { |c, n| test(c) { assert_equal n, Roman.digit(c) } }\nend\n", "", "none of the tests ran"},
		{"assertions in a block that is never called", "def with; end\n", mini("def test_it\n  with { |s| assert_equal 1, s.get('a') }\nend"), "", "none of its assertions ran"},
		{"assertions in a loop that is empty", "def rows = []\n", mini("def test_it\n  rows.each { |r| assert_equal 1, r }\nend"), "", "none of its assertions ran"},

		{"right, with assertions of any kind", "def f(x) = x\n", tunit("def test_a = assert_nothing_thrown { f(1) }\ndef test_b = assert_nothing_raised { f(1) }\ndef test_c = assert_block { f(1) == 1 }\ndef test_d\n  f(1)\nrescue ArgumentError\n  flunk\nend\ndef test_e\n  assert f(1)\nensure\n  f(2)\nend"), rubyApart, ""},
		{"right, with a failure that the tests name", "def f(x) = x\n", mini("def test_a\n  e = assert_raises(Minitest::Assertion) { assert_equal 2, f(1) }\n  assert_match(/expected/i, e.message)\nend"), rubyApart, ""},
		{"right, with many numbers", "def mean(a) = a.sum / a.size.to_f\n", mini("def test_a\n  xs = Array.new(2000) { |i| i * 0.5 }\n  assert_in_delta 499.75, mean(xs)\n  assert xs.sort.each_cons(2).all? { |a, b| a <= b }\n  assert mean(xs).between?(1.0, 1000.0)\n  assert mean(xs).positive?\n  assert_equal 3, mean([1, 5]).clamp(1, 4)\n  assert_equal 2.5, [mean([2, 3]), 7].min\n  assert_includes (2..3), mean([2, 3])\nend"), rubyApart, ""},
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
