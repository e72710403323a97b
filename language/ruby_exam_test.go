package language

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// rubyCase is a program with tests, and what must come of them.
type rubyCase struct {
	name, program, tests string
	// worth is the proof of a pass; ProofNone where the tests must not pass.
	worth glovebox.Proof
	// says is in the report or the reason.
	says string
}

const (
	rubyApart    = glovebox.ProofOutOfProcess
	rubyJudged   = glovebox.ProofCandidateJudged
	rubyTogether = glovebox.ProofInProcess
)

// mini and unit are tests in a class of minitest's and of test-unit's.
func mini(body string) string {
	return "require 'minitest/autorun'\nclass T < Minitest::Test\n" + body + "\nend\n"
}

func tunit(body string) string {
	return "require 'test/unit'\nclass T < Test::Unit::TestCase\n" + body + "\nend\n"
}

func (c rubyCase) run(t *testing.T) {
	t.Helper()
	sample.Row(t, 2)
	v := rigExam(t, Ruby, program("ruby", "main.rb", c.program), Tests{Files: []glovebox.File{{Path: "main_test.rb", Data: []byte(c.tests)}}})
	report := v.harness.report + v.candidate.report + v.why
	if v.pass != (c.worth != glovebox.ProofNone) || v.pass && v.worth() != c.worth || !strings.Contains(report, c.says) {
		t.Errorf("pass %t, worth %s, want %s and %q: %s\n%s\n%s%s", v.pass, v.worth(), c.worth, c.says, v.why, report, v.harness.stderr, v.candidate.stderr)
	}
}

const rubyVec = "class Vec\n  attr_reader :x, :y\n  def initialize(x, y) = (@x, @y = x, y)\n  def +(o) = Vec.new(x + o.x, y + o.y)\n  def ==(o) = o.is_a?(Vec) && x == o.x && y == o.y\n  def hash = [x, y].hash\n  alias eql? ==\n  def <=>(o) = x <=> o.x\n  include Comparable\n  def coerce(n) = [Vec.new(n, n), self]\n  def include?(n) = [x, y].include?(n)\n  def to_s = \"(#{x}, #{y})\"\nend\ndef origin = Vec.new(0, 0)\n"

// TestRubyForged has programs that must not pass, or not with more than their
// tests are worth.
func TestRubyForged(t *testing.T) {
	rigTool(t, Ruby)
	yes := "class Yes\n  def method_missing(*) = true\n  def respond_to_missing?(*) = true\n  def ==(o) = true\n  def !=(o) = false\n  def -(o) = 0.0\n  def <=>(o) = 0\n  def coerce(o) = [0.0, 0.0]\n  def include?(*) = true\n  def all?(*) = true\n  def abs = 0.0\nend\n"
	for _, c := range []rubyCase{
		{"arithmetic of what a class gives", "class Circle\n  def initialize(r) = @r = r\n  def area = Near.new\nend\nclass Near\n  def -(o) = 0.0\nend\n", mini("def test_area\n  assert (Circle.new(1).area - 3.14159).abs < 0.001\nend"), "", "its own - with a value of the tests cannot decide"},
		{"arithmetic of what a module gives", yes + "module Stats\n  def self.mean(a) = Yes.new\nend\n", mini("def test_mean = assert((Stats.mean([1, 3]) - 2.0).abs < 1e-6)"), "", "cannot decide"},
		{"coerce", yes + "class A\n  def b = Yes.new\nend\n", mini("def test_b = assert((2.0 - A.new.b).abs < 1e-6)"), "", "coerce"},
		{"membership", yes + "class A\n  def b = Yes.new\nend\n", mini("def test_b = assert(A.new.b.include?(3))"), "", "something true"},
		{"quantifiers", yes + "class A\n  def b = Yes.new\nend\n", mini("def test_b = assert(A.new.b.any? { |x| x > 3 })"), "", "something true"},
		{"a construction that gives a value", "class A\n  def self.new(*) = 5\nend\n", mini("def test_b = assert_equal(5, A.new)"), "candidate_judged", ""},
		{"a made object in place of a value", yes + "class A\n  def ==(o) = true\n  def b = self\nend\n", mini("def test_b = assert_equal(5, A.new.b)"), "", "cannot decide"},
		{"a made object as the result of a function", "KEPT = []\nclass A\n  def initialize = KEPT << self\n  def ==(o) = true\nend\ndef f = KEPT[0]\n", mini("def test_b\n  A.new\n  assert_equal 5, f\nend"), "", "cannot decide"},
		{"two results that say they are equal", yes + "def f(n) = Yes.new\n", mini("def test_f = assert_equal(f(1), f(2))"), "", "with another cannot decide"},
		{"the end of the tests' loop", "class It\n  def step = raise(StopIteration)\nend\n", mini("def test_it\n  i = It.new\n  n = 0\n  loop { n = 1\n    flunk unless i.step == 5 }\n  assert_equal 1, n\nend"), "", "IndexError"},
		{"the end of a loop that the tests name", "def f = raise(StopIteration)\n", mini("def test_it\n  loop { flunk unless f == 5 }\n  assert_equal 5, 5\n  :StopIteration\nend"), "", "StopIteration"},
		{"the end of a produced row", "def f(x) = raise(StopIteration)\n", mini("def test_it\n  a = Enumerator.produce(1) { |x| f(x) }.take(3)\n  assert_equal 1, a[0]\nend"), "", "IndexError"},
		{"an assertion that the stand-in lacked", "def assert_compare(*) = true\ndef f = 1\n", tunit("def test_it = assert_compare(5, '<', f)"), "", ""},
		{"an assertion that nobody has", "def assert_fine(*) = true\ndef f = 1\n", tunit("def test_it = assert_fine(5, f)"), "", "unrunnable"},
		{"text that the tests evaluate", "def code = \"exit!(0) if defined?(Glovebox::Program); 4\"\n", mini("def test_it = assert_equal(5, eval(code))"), "", "Expected: 5"},
		{"send by a name of the program's", "def f = 'exit!'\n", mini("def test_it\n  assert_equal 5, Kernel.send(f)\nend"), "", ""},
		{"an operator sent to a result", yes + "def f = Yes.new\n", mini("def test_it = assert(f.send(:==, 5))"), "", "cannot decide"},
		{"a method taken from a result", yes + "def f = Yes.new\n", mini("def test_it = assert(f.method(:==).call(5))"), "", "take the method =="},
		{"an argument that is emptied", "def f(a)\n  a.clear\n  []\nend\n", mini("def test_it\n  a = [3, 1]\n  assert_equal a, f(a)\nend"), "", "expected [3, 1], got []"},
		{"an argument that is emptied, compared plainly", "def f(a)\n  a.clear\n  a\nend\n", mini("def test_it\n  a = [3, 1]\n  assert a == f(a)\nend"), "", "something true"},
		{"the standard library", "class Set\n  def self.[](*) = 5\nend\nclass Date\n  def self.new(*) = 5\nend\ndef f = 5\n", mini("def test_it\n  assert_equal Set[1, 2], f\n  assert_equal Date.new(2020, 1, 1), f\nend"), "", "got 5"},
		{"a swallowed assertion", "def f(a) = a.each { |x| yield x rescue nil }\n", mini("def test_it\n  f([1]) { |x| assert_equal 2, x }\n  assert true\nend"), "", "expected 2"},
		{"a swallowed raise of a script", "def f(a) = a.each { |x| yield x rescue nil }\n", "f([1]) { |x| raise 'no' unless x == 2 }\n", "", "no"},
		{"a skip", "def f = raise(Glovebox::Unit::Skip)\nmodule Glovebox; module Unit; class Skip < StandardError; end; end; end\n", mini("def test_it = assert_equal(5, f)"), "", "Glovebox::Unit::Skip"},
		{"methods of Ruby's own classes", "class Integer\n  def ==(o) = true\n  def fact = 1\nend\n", mini("def test_it\n  assert_equal 120, 5.fact\nend"), "", "expected 120, got 1"},
		{"a look-alike of an exception", "class Mine < StandardError; end\nclass Other < StandardError\n  def self.name = 'Mine'\n  def self.to_s = 'Mine'\nend\ndef f = raise(Other)\n", mini("def test_it = assert_raises(Mine) { f }"), "", "expected Mine"},
		{"equality of a key", yes + "def f = { Yes.new => 1 }\n", mini("def test_it = assert_equal({ 'a' => 1 }, f)"), "", ""},
		{"not equal", yes + "def f = Yes.new\n", mini("def test_it = refute_equal(4, f)"), "", "cannot decide"},
		{"a kind", yes + "class Yes\n  def is_a?(*) = true\n  def kind_of?(*) = true\n  def instance_of?(*) = true\n  def self.===(o) = true\nend\nclass Stack; end\ndef f = Yes.new\n", mini("def test_it = assert_kind_of(Stack, f)"), "", "expected a Stack"},
		{"a number of its own", yes + "class Yes\n  def to_i = 5\n  def round(*) = 5\nend\ndef f = Yes.new\n", mini("def test_it = assert_equal(5, f.round)"), "", "expect a number"},
		{"a throw into the tests", "def f = throw(:found)\n", "catch(:found) do\n  f\n  raise 'no'\nend\nraise 'never' unless f == 5\n", "", ""},
		{"a method that calls another, on a value of the tests", "def f(i)\n  i.a = 'exit!(0)'\n  i.inject('x', :instance_eval)\n  5\nend\n", mini("Item = Struct.new(:a)\ndef test_it = assert_equal(5, f(Item.new(1)))"), "", "may only call what the tests define"},
		{"private methods of the tests", "def f(i) = i.exit!(0)\n", mini("class Item\n  def a = 1\nend\ndef test_it = assert_equal(5, f(Item.new))"), "", "may only call what the tests define"},
		{"test-unit's exact class", "class Mine < ArgumentError; end\ndef f = raise(Mine)\n", tunit("def test_it = assert_raise(ArgumentError) { f }"), "", "expected ArgumentError, got Mine"},
		{"no number", "def f = Float::NAN\n", mini("def test_it\n  flunk if (f - 2.5).abs > 1e-6\nend"), "", "NaN"},
		{"no number, in a script", "def f = [0.0 / 0]\n", "raise 'no' if (f[0] - 2.5).abs > 1e-6\nraise 'no' if f[0] < 0\n", "", "NaN"},
		{"no number, of infinite ones", "def f = Float::INFINITY\n", "raise 'no' if (f - 2.5).abs / f > 1e-6\n", "", "NaN"},
		{"no decimal", "require 'bigdecimal'\ndef f = BigDecimal('NaN')\n", mini("def test_it\n  flunk unless f.class == BigDecimal\n  flunk if f > 3\nend"), "", "NaN"},
		{"no decimal, after no number", "def f = Float::NAN\ndef g\n  require 'bigdecimal'\n  BigDecimal('NaN')\nend\n", mini("def test_it\n  assert f.nan?\n  flunk if g > 3\nend"), "", "NaN"},
		{"a size without elements", "class Rows\n  include Enumerable\n  def size = 3\n  def each = self\nend\ndef f = Rows.new\n", mini("def test_it\n  r = f\n  assert_equal 3, r.size\n  r.each { |x| assert_equal 2, x }\nend"), "", "goes through none"},
		{"no elements with a size", "class Rows\n  include Enumerable\n  def size = 3\n  def each = self\nend\n", mini("def test_it\n  r = Rows.new\n  r.map { |x| assert_equal 2, x }\n  assert_equal 3, r.size\nend"), "", "goes through none"},
		{"two results of objects that say they are equal", yes + "class Zip\n  def left = Yes.new\n  def self.from(*) = Yes.new\nend\n", mini("def test_it = assert_equal(Zip.from(1), Zip.new.left)\ndef test_b = assert_equal(5, Zip.new.left)"), "", "cannot decide"},
		{"words of a block that it evaluates", "class Form\n  def self.build(&b) = new.tap { |f| f.instance_eval(&b) }\n  def assert_equal(*) = true\n  def flunk(*) = true\n  def assert_fine(*) = true\n  def total = 9\nend\n", mini("def test_it\n  Form.build { assert_equal 3, 4 }\nend"), "", "expected 3"},
		{"a variable of a block that it evaluates", "class Form\n  def self.build(&b) = new.tap { |f| f.instance_eval(&b) }\n  def total = 9\nend\n", mini("def test_it\n  Form.build { @seen = total }\n  assert_equal 8, @seen\nend"), "", "got 9"},
		{"a forgotten require", "def f(a) = JSON.generate(a)\ndef g(a) = Set.new(a)\n", mini("def test_it = assert_equal('[1]', f([1]))"), "", "JSON"},
	} {
		t.Run(c.name, c.run)
	}
}

// TestRubyShapes has right programs with tests in the shapes that people write.
func TestRubyShapes(t *testing.T) {
	rigTool(t, Ruby)
	for _, c := range []rubyCase{
		{"operators of what the tests make", rubyVec, mini("def test_it\n  assert_equal Vec.new(4, 6), Vec.new(1, 2) + Vec.new(3, 4)\n  assert Vec.new(1, 2) < Vec.new(2, 0)\n  assert_includes Vec.new(1, 2), 2\n  assert_equal Vec.new(0, 0), origin\n  assert_equal 1, [Vec.new(1, 1), Vec.new(1, 1)].uniq.size\nend"), rubyJudged, ""},
		{"each case has its own proof", rubyVec, mini("def test_a = assert_equal(1, Vec.new(1, 2).x)\ndef test_b = assert_equal(Vec.new(1, 2), Vec.new(1, 2))"), rubyJudged, `"name":"T#test_a","status":"passed"}}`},
		{"text of objects", rubyVec, mini("def test_it\n  assert_equal '(1, 2)', Vec.new(1, 2).to_s\n  assert_equal 'at (0, 0)', \"at #{origin}\"\n  assert_instance_of Vec, origin\n  assert_equal Vec, origin.class\n  assert_kind_of Comparable, origin\n  assert_respond_to origin, :x\n  refute_nil origin\nend"), rubyApart, ""},
		{"objects of the tests' own", "class Shop\n  def initialize = @items = []\n  def add(i) = @items << i\n  def total = @items.sum(&:price)\n  def first = @items.first\n  def dear = @items.max_by { |i| i.price }\nend\n", mini("Item = Struct.new(:name, :price)\nclass Thing\n  attr_reader :price\n  def initialize(p) = @price = p\nend\ndef test_it\n  s = Shop.new\n  i = Item.new('a', 3)\n  s.add(i)\n  s.add(Thing.new(4))\n  assert_equal 7, s.total\n  assert_same i, s.first\n  assert_equal i, s.first\n  assert_equal 4, s.dear.price\nend"), rubyApart, ""},
		{"exceptions of the tests' own", "def call_it\n  yield\nensure\n  @done = true\nend\ndef tries(n)\n  yield\nrescue ArgumentError\n  (n -= 1) > 0 ? retry : raise\nend\n", mini("class Mine < StandardError; end\ndef test_it\n  e = assert_raises(Mine) { call_it { raise Mine, 'x' } }\n  assert_equal 'x', e.message\n  n = 0\n  assert_equal 9, tries(3) { (n += 1) < 3 ? raise(ArgumentError) : 9 }\n  assert_equal 3, n\nend"), rubyApart, ""},
		{"control flow of the tests", "def each_of(a)\n  a.each { |x| yield x }\n  :end\nend\n", mini("def find(a)\n  each_of(a) { |x| return x if x > 2 }\n  nil\nend\ndef test_it\n  assert_equal 3, find([1, 2, 3, 4])\n  assert_equal 2, each_of([1, 2]) { |x| break x if x == 2 }\n  assert_equal :end, each_of([1, 2]) { |x| next }\n  assert_nil find([1])\nend"), rubyApart, ""},
		{"exceptions with relations", "module Bank\n  class Err < StandardError; end\n  class Broke < Err\n    attr_reader :need\n    def initialize(n = 0)\n      @need = n\n      super(\"need #{n}\")\n    end\n  end\nend\ndef pay(n) = raise(Bank::Broke.new(n))\ndef wrap\n  pay(1)\nrescue Bank::Err\n  raise KeyError.new('none', key: :k, receiver: {})\nend\n", mini("def test_it\n  e = assert_raises(Bank::Err) { pay(3) }\n  assert_equal 3, e.need\n  assert_instance_of Bank::Broke, e\n  assert Bank::Broke < Bank::Err\n  begin\n    pay(4)\n  rescue Bank::Broke => e\n    assert_equal 'need 4', e.message\n  end\n  k = assert_raises(KeyError) { wrap }\n  assert_equal :k, k.key\n  assert_kind_of Bank::Err, k.cause\n  assert_equal 'need 7', Bank::Broke.new(7).message\nend"), rubyApart, ""},
		{"methods of Ruby's own classes", "class Integer\n  def fact = (1..self).inject(1, :*)\nend\nclass String\n  def shout! = upcase!\nend\nclass Array\n  def my_map = each_with_object([]) { |x, a| a << yield(x) }\nend\n", mini("def test_it\n  assert_equal 120, 5.fact\n  s = +'a'\n  s.shout!\n  assert_equal 'A', s\n  assert_equal [2, 4], [1, 2].my_map { |x| x * 2 }\nend"), rubyApart, ""},
		{"lambdas and enumerators", "def adder(n) = ->(x) { x + n }\ndef fib = Enumerator.new { |y| a, b = 0, 1; loop { y << a; a, b = b, a + b } }\ndef count(h = Hash.new(0), s) = s.each_char.with_object(h) { |c, t| t[c] += 1 }\nPoint = Struct.new(:x, :y)\ndef pt = Point.new(1, 2)\n", mini("def test_it\n  assert_equal 5, adder(2)[3]\n  assert_equal 5, adder(2).(3)\n  assert_equal [3, 4], [1, 2].map(&adder(2))\n  assert_equal [0, 1, 1, 2], fib.take(4)\n  assert_equal [0, 1, 1, 2], fib.first(4)\n  assert_equal [0, 2, 8], fib.lazy.select(&:even?).first(3)\n  e = fib\n  assert_equal 0, e.next\n  assert_equal 1, e.next\n  assert_equal 0, count('ab')['z']\n  assert_equal [1, 2], pt.to_a\n  x, y = *pt\n  assert_equal 3, x + y\n  assert_equal 1, pt[:x]\nend"), rubyApart, ""},
		{"StopIteration that the tests ask for", "def two = [1, 2].each\n", mini("def test_it\n  e = two\n  assert_equal 1, e.next\n  e.next\n  assert_raises(StopIteration) { e.next }\nend"), rubyApart, ""},
		{"a test without an assertion", "def f(x) = x > 0 ? x : raise(ArgumentError)\n", mini("def test_it = f(1)"), rubyApart, ""},
		{"seeds", "def f = rand(1000)\n", mini("def test_it\n  srand(42)\n  a = f\n  srand(42)\n  assert_equal a, f\nend"), rubyTogether, "minitest"},
		{"a function named as Ruby's own", "def select(a) = a.max\ndef format(n) = \"<#{n}>\"\n", mini("def test_it\n  assert_equal 3, select([1, 3])\n  assert_equal '<3>', format(3)\nend"), rubyTogether, "minitest"},
		{"output", "def hi = puts('hi')\n", mini("def test_it\n  assert_output(\"hi\\n\") { hi }\n  out, = capture_io { hi }\n  assert_equal \"hi\\n\", out\nend"), rubyTogether, "minitest"},
		{"mocks", "def tell(x) = x.hear(3)\n", mini("def test_it\n  m = Minitest::Mock.new\n  m.expect(:hear, 4, [3])\n  assert_equal 4, tell(m)\n  m.verify\nend"), rubyTogether, "minitest"},
		{"comments and strings decide nothing", "def f = 'File $stdout'\n", mini("# eval ENV StringIO srand\ndef test_it = assert_equal('File $stdout', f)"), rubyApart, ""},
		{"two results of objects", "class Node\n  attr_reader :v\n  def initialize(v) = @v = v\n  def ==(o) = o.is_a?(Node) && v == o.v\n  def self.from(v) = new(v)\n  def up = Node.new(v - 1)\nend\n", mini("def test_it\n  a = Node.from(3)\n  assert_equal Node.from(2), a.up\n  assert a.up == Node.from(2)\n  refute_equal Node.from(1), a.up\nend\ndef test_plain = assert_equal(3, Node.from(3).v)"), rubyJudged, `"name":"T#test_plain","status":"passed"}}`},
		{"two results of objects that are plain", "class Node\n  def self.from(v) = [v]\nend\n", mini("def test_it = assert_equal(Node.from(2), Node.from(2))"), rubyJudged, ""},
		{"blocks that are evaluated", "class Form\n  attr_reader :all\n  def initialize = @all = {}\n  def self.build(&b) = new.tap { |f| f.instance_eval(&b) }\n  def set(k, v) = @all[k] = v\n  def group(k, &b) = @all[k] = Form.build(&b).all\nend\n", mini("def test_it\n  n = 4\n  f = Form.build do\n    set :a, n\n    group(:g) { set :b, 2 }\n  end\n  assert_equal({ a: 4, g: { b: 2 } }, f.all)\n  assert_raises(NoMethodError) { Form.build { nothing 3 } }\n  assert_raises(NameError) { set :c, 1 }\nend"), rubyApart, ""},
		{"very many blocks", "def my_map(a) = a.map { |x| yield x }\n", mini("def test_it = assert_equal((2..1_000_001).to_a, my_map((1..1_000_000).to_a) { |x| x + 1 })"), rubyTogether, "minitest"},
		{"very many calls of a method by its name", "def my_select(a, &b) = a.select(&b)\n", mini("def test_it = assert_equal(50_000, my_select((1..100_000).to_a, &:even?).size)"), rubyApart, ""},
		{"very many questions to objects of the tests", "def best(items) = (1..items.size).flat_map { |n| items.combination(n).to_a }.map { |c| c.sum(&:value) * c.sum(&:weight) }.max\n", mini("Item = Struct.new(:weight, :value)\nclass Thing\n  attr_reader :weight, :value\n  def initialize(w, v) = (@weight, @value = w, v)\nend\ndef test_it\n  items = (1..12).map { |i| Item.new(i, 1) } + [Thing.new(3, 1)]\n  assert_equal 13 * 81, best(items)\nend"), rubyApart, ""},
		{"objects of the tests that change", "class Shop\n  def initialize(i) = @i = i\n  def price = @i.price\n  def twice = [@i.price, yield, @i.price]\n  def set(i, p)\n    i.price = p\n    i.price\n  end\nend\n", mini("Item = Struct.new(:price)\ndef test_it\n  i = Item.new(3)\n  s = Shop.new(i)\n  assert_equal 3, s.price\n  i.price = 4\n  assert_equal 4, s.price\n  assert_equal([4, nil, 5], s.twice { i.price = 5; nil })\n  assert_equal 7, s.set(i, 7)\n  assert_equal 7, i.price\nend"), rubyApart, ""},
		{"a loop that ends with the rows", "def two = [1, 2].each\n", mini("def test_it\n  e, got = two, []\n  loop { got << e.next }\n  assert_equal [1, 2], got\nend"), rubyTogether, "minitest"},
		{"changes in place", "def sort_it!(a) = a.sort!\n", mini("def test_it\n  a = [3, 1]\n  assert_equal a, sort_it!(a)\n  b = [2, 1]\n  assert sort_it!(b) == b\nend\ndef test_plain\n  c = [3, 1]\n  sort_it!(c)\n  assert_equal [1, 3], c\nend"), rubyJudged, `"name":"T#test_plain","status":"passed"}}`},
		{"rows that come later", "class Rows\n  def initialize(n) = @n = n\n  def size = 3\n  def map(&b) = Rows.new(b)\n  def force = [1, 2, 3].map(&@n)\nend\ndef f = Rows.new(1)\ndef lazily = (1..3).lazy\n", mini("def test_it\n  r = f\n  assert_equal 3, r.size\n  assert_equal [2, 4, 6], r.map { |x| x * 2 }.force\n  l = lazily\n  assert_equal 3, l.size\n  assert_equal [2, 4, 6], l.map { |x| x * 2 }.to_a\nend"), rubyApart, ""},
		{"no number is asked for", "def f = Float::NAN\ndef g = Float::INFINITY\n", mini("def test_it\n  assert f.nan?\n  assert_operator g, :>, 5\n  assert_equal g, g\nend"), rubyApart, ""},
		{"RSpec", rubyVec, "RSpec.describe Vec do\n  subject(:v) { described_class.new(1, 2) }\n  it('has') { expect(v.x).to eq(1) }\n  it('is') { expect(v).to eq(Vec.new(1, 2)) }\n  it('raises') { expect { raise KeyError, 'x' }.to raise_error(KeyError, /x/) }\n  context 'more' do\n    let(:w) { v + v }\n    it { expect(w.y).to be > 3 }\n  end\nend\n", rubyTogether, "RSpec 3"},
		{"RSpec, much of it", rubyVec, "RSpec.describe Vec do\n  let!(:v) { Vec.new(1, 2) }\n  around { |e| e.run }\n  it { expect(v).to have_attributes(x: 1, y: 2) }\n  it('changes') { a = [1]; expect { a << 2 }.to change { a.size }.by(1) }\n  it('composes') { expect([v.y, v.x]).to contain_exactly(1, a_value > 1) }\n  xit('later') { expect(1).to eq(2) }\n  pending('pends') { expect(1).to eq(2) }\n  shared_examples('has') { |n| it(\"has #{n}\") { expect(v.x).to eq(n) } }\n  include_examples 'has', 1\n  it('doubles') { d = double('d'); expect(d).to receive(:a).with(1).and_return(v); expect(d.a(1)).to be(v) }\n  it('prints') { expect { puts 'hi' }.to output(\"hi\\n\").to_stdout }\n  it('counts') { aggregate_failures { expect(v.x).to be_odd; expect(v).to respond_to(:x) } }\nend\n", rubyTogether, "RSpec 3"},
		{"RSpec that pends what passes", rubyVec, "RSpec.describe Vec do\n  pending('pends') { expect(Vec.new(1, 2).x).to eq(1) }\nend\n", "", "Expected example to fail"},
		{"RSpec that fails after all", rubyVec, "RSpec.describe Vec do\n  after(:all) { raise 'late' }\n  it('has') { expect(Vec.new(1, 2).x).to eq(1) }\nend\n", "", "late"},
		{"RSpec that fails before all", rubyVec, "RSpec.describe Vec do\n  before(:all) { raise 'soon' }\n  it('has') { expect(Vec.new(1, 2).x).to eq(1) }\nend\n", "", "soon"},
		{"RSpec that ends", "def f = exit(0)\n", "RSpec.describe 'f' do\n  it('a') { expect(1).to eq(1) }\n  it('b') { expect(f).to eq(2) }\nend\n", "", ""},
		{"RSpec that fails", rubyVec, "require 'rspec'\ndescribe Vec do\n  it('has') { expect(Vec.new(1, 2).x).to eq(2) }\nend\n", "", "expected: 2"},
		{"RSpec that does not load", rubyVec, "RSpec.describe Vek do\n  it('has') { expect(1).to eq(1) }\nend\nVec.new(1, 2)\n", "", "Vek"},
		{"test-unit's data", "def f(x) = x * 2\n", tunit("data('one' => [1, 2], 'two' => [2, 4])\ndef test_it(d)\n  assert_equal d[1], f(d[0])\nend\nsub_test_case 'x' do\n  test('y') { assert_equal 6, f(3) }\nend"), rubyTogether, "test-unit 3"},
		{"test-unit's data that fail", "def f(x) = 2\n", tunit("data('one' => [1, 2], 'two' => [2, 4])\ndef test_it(d)\n  assert_equal d[1], f(d[0])\nend"), "", `two`},
		{"files of the tests' own", "def f = 3\n", "require 'minitest/autorun'\nrequire_relative 'main'\nrequire_relative './solution'\nclass T < Minitest::Test\n  def test_it = assert_equal(3, f)\nend\n", rubyApart, ""},
		{"the standard library", "require 'set'\nrequire 'date'\nrequire 'bigdecimal'\ndef s = Set[1, 2]\ndef d = Date.new(2020, 2, 29)\ndef b = BigDecimal('1.5')\ndef t = Time.utc(2020, 1, 1)\ndef r = /a+/i\n", mini("def test_it\n  assert_equal Set[1, 2], s\n  assert s.include?(2)\n  assert_equal Date.new(2020, 2, 29), d\n  assert_equal BigDecimal('1.5'), b\n  assert_equal Time.utc(2020, 1, 1), t\n  assert_match r, 'AA'\n  assert_equal 1.5r, b.to_r\nend"), rubyApart, ""},
		{"words of the libraries", "def diff(a, b) = a - b\nclass Q\n  attr_reader :data, :priority\n  def initialize = (@data, @priority = [1], 2)\n  private def hidden(n) = n + 1\nend\nclass Integer\n  def to_roman = 'I' * self\nend\n", tunit("def test_it\n  assert_equal 1, diff(3, 2)\n  q = Q.new\n  assert_equal [1], q.data\n  assert_equal 2, q.priority\n  assert_equal 4, q.send(:hidden, 3)\n  assert_raise(NoMethodError) { q.hidden(3) }\n  assert_equal 'III', 3.to_roman\nend"), rubyApart, ""},
		{"classes", "class Animal; end\nmodule Walks; end\nclass Dog < Animal\n  include Walks\n  def self.kind = self\nend\ndef pet = Dog.new\n", mini("def test_it\n  d = pet\n  assert_equal 'Dog', d.class.name\n  assert d.class.superclass == Animal\n  assert_equal Animal, Dog.superclass\n  assert_includes Dog.ancestors, Walks\n  assert Dog < Animal\n  assert_equal Dog, Dog.kind\n  assert_kind_of Animal, d\n  assert_kind_of Walks, d\n  refute_instance_of Animal, d\n  case d\n  when Animal then pass\n  else flunk\n  end\nend"), rubyApart, ""},
		{"threads", "def slow(n)\n  sleep 0.001\n  n * 2\nend\n", mini("def test_it = assert_equal([2, 4, 6], [1, 2, 3].map { |n| Thread.new { slow(n) } }.map(&:value))"), rubyApart, ""},
		{"throws", "def f = throw(:done)\n", tunit("def test_it = assert_throw(:done) { f }"), rubyApart, ""},
		{"the end of the process", "def f = exit(2)\n", mini("def test_it\n  e = assert_raises(SystemExit) { f }\n  assert_equal 2, e.status\nend"), rubyApart, ""},
		{"class methods", "class Conf\n  @all = {}\n  class << self\n    attr_reader :all\n    def set(k, v) = @all[k] = v\n    def instance = @one ||= new\n  end\n  MAX = 3\n  module Kinds\n    ALL = %i[a b].freeze\n  end\nend\n", mini("def test_it\n  Conf.set(:a, 1)\n  assert_equal({ a: 1 }, Conf.all)\n  assert_same Conf.instance, Conf.instance\n  assert_equal 3, Conf::MAX\n  assert_includes Conf::Kinds::ALL, :b\n  assert_raises(NameError) { Conf::NONE }\n  assert_raises(NoMethodError) { Conf.nothing }\nend"), rubyApart, ""},
	} {
		t.Run(c.name, c.run)
	}
}

// TestRubyUnrunnable has tests that cannot run here, whatever the program is.
func TestRubyUnrunnable(t *testing.T) {
	rigTool(t, Ruby)
	for _, c := range []struct {
		name, file, tests, reason string
		missing                   []string
	}{
		{"a library", "main_test.rb", "require 'minitest/autorun'\nrequire 'shoulda'\nclass T < Minitest::Test\n  def test_it = assert_equal(1, f)\nend\n", "need shoulda", []string{"shoulda"}},
		{"a file", "main_test.rb", "require 'minitest/autorun'\nrequire_relative 'fixtures/all'\nclass T < Minitest::Test\n  def test_it = assert_equal(1, f)\nend\n", "need fixtures/all, which is not here: the program's file is main.rb, and tests may call it \"solution\"; to name it otherwise, name the file in the reply", []string{"fixtures/all"}},
		{"an assertion", "main_test.rb", mini("def test_it = assert_fine(f)"), "minitest does not have", []string{"assert_fine"}},
		{"no parse", "main_test.rb", "raise 'no' unless f == 1\ndef (\n", "do not parse", nil},
		{"in another language", "main_test.py", "assert f() == 1\n", "no file of Ruby", nil},
		{"all skipped", "main_test.rb", mini("def test_a\n  skip 'later'\n  assert_equal 1, f\nend\ndef test_b = skip"), "skip all of their tests", nil},
		{"empty", "main_test.rb", "# nothing\n", "are empty", nil},
		{"a library, in process", "main_test.rb", "require 'minitest/autorun'\nrequire 'shoulda'\n$stdout.flush\nclass T < Minitest::Test\n  def test_it = assert_equal(1, f)\nend\n", "need shoulda", []string{"shoulda"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tc, _ := rigTool(t, Ruby)
			exam, err := Ruby.Exam(tc, program("ruby", "main.rb", "def f = 1\n"), Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.tests)}}, Nonce: rigNonce})
			var u *Unrunnable
			if errors.As(err, &u) {
				if !strings.Contains(u.Reason, c.reason) {
					t.Errorf("%v", u)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v := rigSit(t, Ruby, exam)
			events := append(slices.Clone(v.harness.events), v.candidate.events...)
			i := slices.IndexFunc(events, func(e Event) bool { return e.Type == "unrunnable" })
			if i < 0 || !strings.Contains(events[i].Reason, c.reason) || !slices.Equal(events[i].Missing, c.missing) {
				t.Errorf("want %q missing %q: %+v\n%s%s", c.reason, c.missing, events, v.harness.stderr, v.candidate.stderr)
			}
		})
	}
}
