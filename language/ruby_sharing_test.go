package language

import "testing"

// TestRubySharing has tests that rest on what they share with the program, each with a right and a
// wrong one, and tests that seem to, and need not be in one process with it.
func TestRubySharing(t *testing.T) {
	rigTool(t, Ruby)
	const (
		box  = "class Box\n  def initialize(i = []) = @i = i.dup\n  def add(x) = (@i << x; self)\n  def all = @i.dup\n  def size = @i.size\nend\n"
		leak = "class Box\n  def initialize(i = []) = @i = i\n  def add(x) = (@i << x; self)\n  def all = @i\n  def size = @i.size\nend\n"
		node = "class Node\n  attr_accessor :v, :children, :left\n  def initialize(v) = (@v, @children = v, [])\n  def depth = 1 + (children.map(&:depth).max || 0)\nend\n"
		lost = "class Node\n  attr_accessor :v, :left\n  def initialize(v) = @v = v\n  def children = []\n  def depth = 1\nend\n"
		once = "KEPT = { a: [1] }\ndef load_it(*) = KEPT\ndef deep(o) = o.dup\ndef shout(s) = s\n"
		anew = "def load_it(*) = { a: [1] }\ndef deep(o) = Marshal.load(Marshal.dump(o))\ndef shout(s) = s.dup\n"
	)
	for _, c := range []struct{ name, right, wrong, tests, says string }{
		{"a list that an object gave", box, leak, "b = Box.new.add(1)\n b.all << 99\n assert_equal 1, b.size", "the tests change what the program gave them (b.all, line 5)"},
		{"by a variable", box, leak, "b = Box.new([1])\n got = b.all\n got[0] = 9\n assert_equal [1], b.all", "(got, line 6)"},
		{"by the tests' own method", box, leak, "b = made\n spoil(b.all)\n assert_equal [1], b.all\nend\ndef made = Box.new([1])\ndef spoil(l)\n l.clear", "(l, line 10)"},
		{"parts of an object", node, lost, "r = Node.new(1)\n c = Node.new(2)\n r.children << c\n assert_equal 2, r.depth", "(r.children, line 6)"},
		{"what a function keeps", anew, once, "got = load_it('a')\n got[:b] = 1\n assert_equal({ a: [1] }, load_it('a'))", "(got, line 5)"},
		{"what a function keeps, in a loop", anew, once, "2.times do\n got = load_it\n got[:a] << 2\n assert_equal [1, 2], got[:a]\n end", "(got, line 6)"},
		{"a copy of an argument", anew, once, "o = { a: [1] }\n c = deep(o)\n c[:a] << 2\n assert_equal [1], o[:a]", "(c, line 6)"},
		{"a text", anew, once, "s = +'a'\n t = shout(s)\n t << 'b'\n assert_equal 'a', s", "(t, line 6)"},
		{"a constant", "ALL = {}\ndef look(k) = ALL[k]\n", "ALL = {}\ndef look(k) = nil\n", "ALL['a'] = 1\n assert_equal 1, look('a')", "(ALL, line 4)"},
		{"settings of a module", "module Conf\n  def self.plugins = @p ||= []\n  def self.configure = yield(self)\nend\n", "module Conf\n  def self.plugins = []\n  def self.configure = yield(self)\nend\n", "Conf.configure { |c| c.plugins << :a }\n assert_equal [:a], Conf.plugins", "(c.plugins, line 4)"},
		{"a value made anew", anew, once, "refute_same load_it, load_it", "the tests ask which object the program gave them (refute_same, line 4)"},
		{"a value that is kept", once, anew, "a = load_it\n assert a.equal?(load_it)", "(a.equal?, line 5)"},
		{"a value and its copy", anew, once, "o = { a: [1] }\n c = deep(o)\n refute_same o[:a], c[:a]", "(refute_same, line 6)"},
		{"a snapshot", box, leak, "b = Box.new\n s = b.all\n b.add(2)\n assert_equal [], s", "the tests look at what the program gave them, after it may have changed (s, line 7)"},
		{"a snapshot's size", box, leak, "b = Box.new\n s = b.all\n b.add(2)\n assert_equal 0, s.size", "(s, line 7)"},
		{"an argument that is kept", box, leak, "xs = [1]\n b = Box.new(xs)\n xs << 2\n assert_equal [1], b.all", "the tests change what they gave the program (xs, line 6)"},
		{"an argument that is written to", leak, box, "xs = [1]\n b = Box.new(xs)\n b.add(2)\n assert_equal [1, 2], xs", "the tests look at what they gave the program, after it may have changed (xs, line 7)"},
		{"what cannot be changed", "class Box\n  def all = [1].freeze\nend\n", box, "b = Box.new\n assert_raises(FrozenError) { b.all << 2 }", "frozen"},
		{"the fields of an object", "P = Struct.new(:x)\ndef pt = P.new(1)\n", "P = Struct.new(:x)\ndef pt = P.new(2)\n", "require 'pp'\n assert_equal P.new(1).pretty_inspect, pt.pretty_inspect", "the fields of objects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rubyCase{c.name, c.right, mini("def test_it\n " + c.tests + "\nend"), rubyTogether, c.says}.run(t)
			rubyCase{c.name, c.wrong, mini("def test_it\n " + c.tests + "\nend"), "", c.says}.run(t)
		})
	}
	spec := "require 'minitest/autorun'\ndescribe Box do\n let(:b) { Box.new([1]) }\n it 'lists' do\n _(b.all).must_equal [1]\n end\n it 'copies' do\n b.all << 2\n _(b.size).must_equal 1\n end\nend\n"
	t.Run("in a spec", rubyCase{"", box, spec, rubyTogether, "(b.all, line 8)"}.run)
	t.Run("in a spec, wrong", rubyCase{"", leak, spec, "", "(b.all, line 8)"}.run)
	for _, c := range []struct{ name, program, tests string }{
		{"a result that is sorted", "def f(x) = x.reverse\n", "res = f([1, 3])\n res.sort!\n assert_equal [1, 3], res"},
		{"a table of cases", "def f(x) = x.reverse\n", "[[[3, 1], [1, 3]], [[2], [2]]].each do |i, want|\n res = f(i)\n res.sort!\n assert_equal want, res\n end"},
		{"calls in a chain", leak, "b = Box.new\n b.add(1).add(2)\n assert_equal [1, 2], b.all"},
		{"methods named as those of lists", "class Stack\n  def initialize = @s = []\n  def push(x) = (@s << x; self)\n  def <<(x) = push(x)\n  def size = @s.size\nend\n", "s = Stack.new\n s.push(1).push(2)\n s << 3 << 4\n assert_equal 4, s.size"},
		{"an object that another gives", "class Acc\n  attr_reader :n\n  def update(n) = @n = n\nend\nclass Bank\n  def acc = @a ||= Acc.new\nend\n", "a = Bank.new.acc\n a.update(3)\n assert_equal 3, a.n"},
		{"fields of objects", node, "n = Node.new(1)\n n.left = Node.new(2)\n n.left.v = 5\n assert_equal 5, n.left.v"},
		{"a number from before", "class Acc\n  attr_reader :n\n  def initialize = @n = 5\n  def pay(n) = @n += n\nend\n", "a = Acc.new\n old = a.n\n a.pay(3)\n assert_equal 5, old\n assert_equal 8, a.n"},
		{"an argument in a new call", "def total(xs) = xs.sum\n", "xs = [1]\n assert_equal 1, total(xs)\n xs << 4\n assert_equal 5, total(xs)"},
		{"a list that a block fills", "def walk(xs) = xs.each { |x| yield x }\n", "seen = []\n walk([1, 2]) { |x| seen << x }\n assert_equal [1, 2], seen"},
		{"an object that is the tests' own", node, "n = Node.new(1)\n c = Node.new(2)\n n.left = c\n assert_same c, n.left\n refute_same c, Node.new(2)"},
		{"what a base has set up", "def total(xs) = xs.sum\n", "assert_equal 1, total([@n])\nend\ndef setup\n super\n @n = 1"},
		{"an argument that comes back", "def f(a) = a\n", "a = [1]\n assert_same a, f(a)"},
	} {
		t.Run(c.name, rubyCase{c.name, c.program, mini("def test_it\n " + c.tests + "\nend"), rubyApart, ""}.run)
	}
}
