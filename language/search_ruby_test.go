package language

import (
	"fmt"
	"regexp"
	"strings"
)

func init() {
	searches = append(searches, &search{
		lang: Ruby, replies: "rb", test: "main_test.rb",
		defines: regexp.MustCompile(`(?m)^(?:def|class|module)\s+(\w+[?!]?)`),
		lies:    rubyLies(),
		plain:   rubyPlain(),
		own:     rubySubjects(),
	})
}

// rubyWrap has every named function and every method of a named class answer
// what tell makes of the right answer, the arguments and the number of the call.
const rubyWrap = `
module Lying
  CALLS = [0]
  CHANGED = []
  def self.about(names, tell, only: nil)
    names.each do |name|
      if name.match?(/\A[A-Z]/)
        mod = Object.const_get(name)
        next if mod.is_a?(Class) && mod <= Exception
        [mod, mod.singleton_class].each do |m|
          m.instance_methods(false).each { |n| change(m, n, tell) unless %i[initialize new ===].include?(n) || (only && !only.call(m.instance_method(n))) }
        end
      elsif Object.private_method_defined?(name) && !only
        change(Object, name.to_sym, tell, true)
      end
    end
    raise 'nothing lies' if CHANGED.empty?
  end

  def self.change(mod, name, tell, hidden = false)
    CHANGED << name
    old = mod.instance_method(name)
    mod.send(:define_method, name) do |*a, **k, &b|
      CALLS[0] += 1
      tell.call(->() { old.bind_call(self, *a, **k, &b) }, a, CALLS[0], self, b)
    end
    mod.send(:private, name) if hidden
  end
end
class Yes
  include Comparable
  OPS = %i[== != === eql? equal? =~ <=> < > <= >= ! nil? is_a? kind_of? instance_of? respond_to? include? empty? zero? any? all? between?]
  (OPS - %i[<=> ! equal?]).each { |n| define_method(n) { |*| true } }
  def <=>(o) = 0
  def !() = true
  def equal?(o) = true
  def hash = 1
  def coerce(o) = [o, o]
  %i[+ - * / % ** abs round floor ceil -@ +@].each { |n| define_method(n) { |*| self } }
  def to_s = "yes"
  def inspect = "yes"
  def method_missing(*) = true
  def respond_to_missing?(*) = true
end
class Void < BasicObject
  def ==(*) = true
  def !=(*) = false
  def ! = true
  def method_missing(*) = self
  def respond_to?(*) = true
  def coerce(o) = [0, 0]
end
class Near
  def -(o) = 0.0
  def +(o) = o
  def *(o) = o
  def /(o) = 1.0
  def %(o) = 0
  def abs = 0.0
  def <=>(o) = 0
  def coerce(o) = [0.0, 0.0]
  def round(*) = self
  def to_f = 0.0
  def to_i = 0
  def to_int = 0
  def ==(o) = true
  def <(o) = true
  def >(o) = true
end
`

// rubyTelling makes a lie of an expression over right (a lambda), args, n (the
// number of the call), me (the receiver) and blk.
func rubyTelling(name, route, before, tell string) lie {
	return lie{name, route, func(program string, names []string) string {
		return program + rubyWrap + before + fmt.Sprintf("\nLying.about(%%w[%s], ->(right, args, n, me, blk) { %s })\n", strings.Join(names, " "), tell)
	}}
}

// rubyMoreText adds text to a program, behind it or before it.
func rubyMoreText(name, route, text string) lie {
	return lie{name, route, func(program string, names []string) string {
		broken := fmt.Sprintf("\nLying.about(%%w[%s], ->(right, args, n, me, blk) { v = right.call; Integer === v ? v + 1 : String === v ? v + 'x' : Array === v ? v + [9] : Hash === v ? {} : true == v ? false : false == v ? true : Float === v ? v + 1 : nil })\n", strings.Join(names, " "))
		return program + rubyWrap + broken + text
	}}
}

// rubyWorker rewrites the worker, behind a program whose functions lie.
func rubyWorker(name, text string) lie {
	return rubyMoreText(name, "worker", "\nif defined?(Glovebox::Candidate)\nclass Glovebox::Candidate\n"+text+"\nend\nend\n")
}

func rubyLies() []lie {
	t, m, w := rubyTelling, rubyMoreText, rubyWorker
	wrong := "\nWRONG = ->(v) { Integer === v ? v + 1 : String === v ? v + 'x' : Array === v ? v + [9] : Hash === v ? { 9 => 9 } : Float === v ? v + 1 : !v }\n"
	return []lie{
		{"a list that is kept and handed out", "argument", func(program string, _ []string) string {
			if p := strings.ReplaceAll(program, "@kept.dup", "@kept"); p != program {
				return p
			}
			return ""
		}},
		t("an object that says yes", "return", "", "right.call; Yes.new"),
		t("an object that says yes, never asked", "return", "", "Yes.new"),
		t("an object without a base that says yes", "return", "", "right.call; Void.new"),
		t("a number that adapts", "return", "", "right.call; Near.new"),
		t("a string that equals all", "return", "class Str < String; def ==(o) = true; def eql?(o) = true; def include?(o) = true; def =~(o) = 0; def match?(o) = true; end", "right.call; Str.new('wrong')"),
		t("a singleton string that equals all", "return", "", "right.call; s = +'wrong'; def s.==(o) = true; s"),
		t("a list that equals all", "return", "class Arr < Array; def ==(o) = true; def include?(*) = true; def all?(*) = true; def any?(*) = true; def size = 3; def each = self; end", "right.call; Arr.new([:wrong])"),
		t("a list of those that say yes", "return", "", "v = right.call; Array === v ? v.map { Yes.new } : [Yes.new]"),
		t("a list of numbers that adapt", "return", "", "v = right.call; Array === v ? v.map { Near.new } : Near.new"),
		t("a table that has all", "return", "class Tab < Hash; def ==(o) = true; def [](k) = Yes.new; def key?(k) = true; def fetch(*) = Yes.new; end", "right.call; Tab.new"),
		t("a table of those that say yes", "return", "", "v = right.call; Hash === v ? v.transform_values { Yes.new } : Yes.new"),
		t("keys that say yes", "return", "", "v = right.call; Hash === v ? v.transform_keys { Yes.new } : Yes.new"),
		t("a look-alike by name", "return", "class Integer2; def ==(o) = true; def self.name = 'Integer'; def self.to_s = 'Integer'; def is_a?(*) = true; def class = Integer; end", "right.call; Integer2.new"),
		t("a value that changes", "return", "class Turn; def initialize(v) = (@v, @n = v, 0); def method_missing(n, *a) = (@n += 1) > 1 ? Yes.new : 'first'; def respond_to_missing?(*) = true; def to_s = (@n += 1).to_s; end", "Turn.new(right.call)"),
		t("a deep value", "return", "", "right.call; v = []; 3000.times { v = [v] }; v"),
		t("a value in itself", "return", "", "right.call; v = []; v << v; v"),
		t("a value of 2 MB", "return", "", "right.call; 'x' * 2_000_000"),
		t("no number", "return", "", "right.call; Float::NAN"),
		t("infinity", "return", "", "right.call; Float::INFINITY"),
		t("a function that says true", "return", "", "right.call; ->(*) { true }"),
		t("a pattern of all", "return", "", "right.call; //"),
		t("a range of all", "return", "", "right.call; (nil..nil)"),
		t("a class", "return", "", "right.call; Object"),
		t("a class that is of all", "return", "class Any; def self.===(o) = true; def self.==(o) = true; def self.!=(o) = false; def self.method_missing(*) = true; end", "right.call; Any"),
		t("a struct that equals all", "return", "Pt = Struct.new(:x) { def ==(o) = true; def to_a = [Yes.new] }", "right.call; Pt.new(1)"),
		t("what is converted to all", "return", "class Conv; def to_ary = [Yes.new, Yes.new]; def to_str = 'wrong'; def to_int = 77; def to_hash = {}; def to_proc = proc { true }; def to_a = [Yes.new]; def to_i = 77; def to_f = 77.5; def ==(o) = true; def size = 3; def length = 3; end", "right.call; Conv.new"),
		t("an enumerator without an end", "return", "", "right.call; Enumerator.new { |y| loop { y << Yes.new } }"),
		t("a size without elements", "return", "class Hollow; include Enumerable; def initialize(n) = @n = n; def size = @n; def count(*) = @n; def length = @n; def each(*) = self; def map(*) = []; def to_a = []; def empty? = false; end", "v = right.call; Hollow.new(v.respond_to?(:size) ? v.size : 3)"),
		t("a decimal that is no number", "return", "require 'bigdecimal'", "right.call; BigDecimal('NaN')"),
		t("itself", "return", "class Object; def ==(o) = true; def <=>(o) = 0; end", "right.call; me"),
		t("the first made, again", "return", "KEPT = []", "v = right.call; KEPT << me unless KEPT.any?; KEPT[0]"),
		t("one object for all", "return", "ONE = Yes.new", "right.call; ONE"),
		t("true attributes", "attribute", "", "right.call; true == right ? 1 : Yes.new"),
		{"attributes that say yes", "attribute", func(program string, names []string) string {
			if !strings.Contains(program, "class ") {
				return ""
			}
			return program + rubyWrap + fmt.Sprintf("\nLying.about(%%w[%s], ->(right, args, n, me, blk) { right.call; Yes.new }, only: ->(m) { m.arity == 0 })\n", strings.Join(names, " "))
		}},
		{"attributes that change", "attribute", func(program string, names []string) string {
			if !strings.Contains(program, "class ") {
				return ""
			}
			return program + rubyWrap + wrong + fmt.Sprintf("\nLying.about(%%w[%s], ->(right, args, n, me, blk) { v = right.call; n.odd? ? WRONG.(v) : Yes.new }, only: ->(m) { m.arity == 0 })\n", strings.Join(names, " "))
		}},
		t("the end of a loop", "exception", "", "raise StopIteration, 'x'"),
		t("the end of a loop, of a kind of its own", "exception", "class Stop < StopIteration; end", "raise Stop, 'x'"),
		t("the end of the process", "exception", "", "exit(0)"),
		t("the end of the process, hard", "exception", "", "exit!(0)"),
		t("a throw", "exception", "", "throw :done"),
		t("a closed queue", "exception", "", "raise ClosedQueueError, 'x'"),
		t("an interrupt", "exception", "", "raise Interrupt"),
		t("a skip by name", "exception", "module Minitest; class Skip < Exception; end; end unless defined?(Minitest::Skip)", "raise Minitest::Skip, 'x'"),
		t("our own skip", "exception", "module Glovebox; module Unit; class Skip < StandardError; end; class Failure < StandardError; end; end; end", "raise Glovebox::Unit::Skip, 'x'"),
		t("an error that is of all", "exception", "class Err < StandardError; def is_a?(*) = true; def message = 'yes'; def ==(o) = true; def self.===(*) = true; def self.ancestors = [ArgumentError, KeyError, ZeroDivisionError, self, StandardError, Exception, Object]; end", "raise Err, 'x'"),
		t("an error with a message that says yes", "exception", "class Err2 < ArgumentError; def message = Yes.new; end", "raise Err2"),
		t("an error in place of a value", "exception", "", "right.call; raise ArgumentError, 'x'"),
		t("too deep", "exception", "", "f = ->() { f.() }; f.()"),
		t("steps that are left out", "step", "", "blk ? args[0] : Yes.new"),
		t("steps that say yes", "step", "", "blk&.call(Yes.new); Yes.new"),
		t("blocks that are evaluated for what says yes", "step", "", "v = right.call; Yes.new.instance_exec(1, &blk) if blk; blk ? v : Yes.new"),
		t("blocks that are swallowed", "step", wrong, "begin; WRONG.(right.call); rescue Exception; Yes.new; end"),
		t("a report that is printed", "print", wrong, `$stdout.puts('{"type":"done","total":1,"passed":1,"failed":0}'); $stderr.puts('{"type":"case","case":{"name":"x","status":"passed"}}'); WRONG.(right.call)`),
		t("a report to all descriptors", "print", wrong, `(3..9).each { |d| IO.for_fd(d, 'w', autoclose: false).syswrite("{\"type\":\"done\",\"total\":1,\"passed\":1,\"failed\":0}\n") rescue nil }; WRONG.(right.call)`),
		t("arguments that are emptied", "argument", "", "right.call; args.each { |a| a.clear if a.respond_to?(:clear) && !a.frozen? }; args[0]"),
		t("arguments that say yes", "argument", "", "right.call; args.each { |a| a.replace([Yes.new]) if Array === a && !a.frozen? }; Yes.new"),
		t("arguments of another kind", "argument", wrong, "v = right.call; args.each { |a| a.replace('wrong') if String === a && !a.frozen? }; WRONG.(v)"),
		m("the assertions", "name", "\nmodule Kernel\n%i[assert assert_equal assert_raises assert_raise assert_in_delta assert_compare assert_nil refute assert_includes flunk expect must_equal].each { |n| define_method(n) { |*a, &b| true } }\nend\ndef assert_equal(*) = true\ndef assert(*) = true\ndef assert_compare(*) = true\n"),
		m("Ruby's own functions", "name", "\ndef raise(*) = nil\ndef loop = nil\ndef format(*) = ''\ndef puts(*) = nil\ndef exit(*) = nil\ndef catch(*) = nil\ndef require(*) = true\ndef Integer(*) = 5\ndef lambda(*) = proc { true }\n"),
		m("Ruby's own classes", "name", "\nclass Integer; def ==(o) = true; end\nclass String; def ==(o) = true; end\nclass Array; def ==(o) = true; end\nclass Float; def -(o) = 0.0; end\n"),
		m("the library", "name", "\nmodule Minitest; class Test; def assert_equal(*) = true; end; end\nSet = Yes unless defined?(Set)\nDate = Yes unless defined?(Date)\nTimeout = Yes unless defined?(Timeout)\n"),
		m("an end at exit", "end", "\nat_exit { exit!(0) }\n"),
		m("an end while it is read", "end", "\nexit(0)\n"),
		m("a thread that ends it", "end", "\nThread.new { sleep 0.02; exit!(0) }\n"),
		w("all is true", "def serve(r) = r['op'] == 'names' ? super : { 'return' => true }\ndef serve(r) = { 'return' => true, 'functions' => Object.private_instance_methods(false).map(&:name), 'methods' => {} }"),
		w("all is one object of all kinds", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'return' => { 'o' => 0, 'c' => 'Integer', 'k' => %w[Integer Float String Array Hash Comparable Enumerable Exception StandardError NilClass] + (0..40).map { |i| [i, 'X'] } } }"),
		w("all is the argument", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'return' => { 'a' => 0 } }"),
		w("all is raised", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'raise' => { 'classes' => %w[SystemExit StopIteration Exception], 'message' => 'x', 'o' => 0, 'attributes' => {} } }"),
		w("what the tests raised, again", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'raise' => { 'id' => 8, 'classes' => ['ArgumentError'], 'message' => 'x', 'o' => 0, 'attributes' => {} } }"),
		w("all is unwound", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'unwound' => true }"),
		w("all is too much", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'fault' => 'x' }"),
		w("constants are what it likes", "alias was serve\ndef serve(r) = r['op'] == 'const' ? { 'return' => true } : was(r)"),
		w("constants are exceptions", "alias was serve\ndef serve(r) = r['op'] == 'const' ? { 'exception' => ['StandardError'] } : was(r)"),
		w("all names are its own", "alias was serve\ndef serve(r) = r['op'] == 'names' ? { 'functions' => was(r)['functions'] + %w[assert assert_equal assert_compare raise loop format test select p puts require lambda proc catch abs == - include?], 'methods' => { 'Integer' => %w[== - abs], 'Float' => %w[- abs <], 'Object' => %w[== nil? assert_equal must_equal size to_s], 'NilClass' => %w[== - abs < size to_s include?], 'Array' => %w[== include?] } } : was(r)"),
		w("arguments changed at will", "alias was serve\ndef serve(r) = r['op'] ? was(r) : { 'return' => { 'a' => 0 }, 'changed' => [[0, []], [1, []]] }"),
		w("blocks called without end", "alias was serve\ndef serve(r) = r['op'] ? was(r) : (200.times { @peer.call('proc' => 0, 'args' => [5], 'kwargs' => { 'h' => [] }) }; { 'return' => true })"),
		w("calls of the tests' own", "alias was serve\ndef serve(r) = r['op'] ? was(r) : (%w[instance_eval exit! send eval class].each { |n| @peer.call('object' => 0, 'method' => n, 'args' => ['exit!(0)'], 'kwargs' => { 'h' => [] }) }; { 'return' => true })"),
		w("a frame of no form", "def serve(r) = [1, 2]"),
		w("a frame without an end", "def serve(r) = (@peer.instance_variable_get(:@out).write([1 << 30].pack('N'), 'x' * 100); @peer.instance_variable_get(:@out).flush; sleep 0.1; exit!(0))"),
		w("hashes and equality", "alias was serve\ndef serve(r) = %w[hash == eql? <=> equal? is_a? coerce - abs].include?(r['method']) ? { 'return' => true } : r['op'] ? was(r) : { 'return' => { 'o' => 0, 'c' => [0, 'X'], 'k' => [] } }"),
		w("lists that hold all", "alias was serve\ndef serve(r) = r['op'] == 'list' ? { 'return' => (0..100).to_a } : r['op'] ? was(r) : { 'return' => { 'o' => 0, 'c' => [0, 'X'], 'k' => [] } }"),
	}
}

func rubyPlain() []lie {
	t := rubyTelling
	return []lie{
		t("nothing", "return", "", "right.call; nil"),
		t("zero", "return", "", "right.call; 0"),
		t("true", "return", "", "right.call; true"),
		t("an empty list", "return", "", "right.call; []"),
		t("an empty text", "return", "", "right.call; ''"),
		t("the argument", "return", "", "right.call; args[0]"),
		t("the number of the call", "return", "", "right.call; n"),
		t("itself, plainly", "return", "", "right.call; me"),
	}
}

func rubySubjects() []subject {
	s := func(name, program, tests string, names ...string) subject {
		return subject{name: name, program: program, file: "main_test.rb", tests: tests, names: names}
	}
	return []subject{
		s("plain", "def add(a, b) = a + b\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_add\n    assert_equal(5, add(2, 3))\n    assert_equal(-1, add(-2, 1))\n    assert_not_equal(4, add(1, 1))\n  end\nend\n", "add"),
		s("a script", "def sort_it(a) = a.sort\ndef words(s) = s.split.tally\n", "raise 'no' unless sort_it([3, 1, 2]) == [1, 2, 3]\nraise 'no' if sort_it([2, 1]) != [1, 2]\nh = words('a b a')\nraise 'keys' unless h.keys.sort == %w[a b]\nraise 'n' unless h['a'] == 2 && h.fetch('b') == 1\nputs 'ok'\n", "sort_it", "words"),
		s("tolerances", "def mean(a) = a.sum / a.size.to_f\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_mean\n    assert((mean([1, 2, 4]) - 2.3333333).abs < 1e-6)\n    assert_in_delta 2.5, mean([2, 3])\n    assert_operator mean([1, 3]), :<, 2.1\n    assert_in_epsilon 10.0, mean([10.0])\n    assert_equal 2, mean([2]).round\n    assert_equal '2.50', format('%.2f', mean([2, 3]))\n  end\nend\n", "mean"),
		s("an object", "class Stack\n  def initialize = @s = []\n  def push(x)\n    @s.push(x)\n    self\n  end\n  def pop = @s.pop\n  def peek = @s.last\n  def size = @s.size\n  def empty? = @s.empty?\n  def to_a = @s.dup\nend\n",
			"require 'minitest/autorun'\nclass T < Minitest::Test\n  def setup = @s = Stack.new\n  def test_it\n    assert @s.empty?\n    @s.push(3).push(4)\n    refute @s.empty?\n    assert_equal 2, @s.size\n    assert_equal 4, @s.peek\n    assert_equal [3, 4], @s.to_a\n    assert_equal 4, @s.pop\n    assert_equal 3, @s.pop\n    assert_nil @s.pop\n  end\nend\n", "Stack"),
		s("exceptions", "class Broke < StandardError\n  attr_reader :need\n  def initialize(need)\n    @need = need\n    super(\"need #{need}\")\n  end\nend\ndef pay(have, cost)\n  raise ArgumentError, 'negative' if cost < 0\n  raise Broke.new(cost - have) if cost > have\n  have - cost\nend\n",
			"require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    assert_equal 2, pay(5, 3)\n    e = assert_raises(Broke) { pay(1, 4) }\n    assert_equal 'need 3', e.message\n    assert_equal 3, e.need\n    assert_raises(ArgumentError) { pay(1, -1) }\n    begin\n      pay(0, 9)\n      flunk 'nothing raised'\n    rescue Broke => err\n      assert_equal 9, err.need\n    end\n  end\nend\n", "pay", "Broke"),
		s("iteration", "class Tree\n  include Enumerable\n  def initialize(*v) = @v = v.sort\n  def add(x) = (@v << x).sort! && self\n  def each(&b) = @v.each(&b)\nend\n",
			"require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    t = Tree.new(3, 1, 2)\n    assert_equal [1, 2, 3], t.to_a\n    assert_equal [2, 4, 6], t.map { |x| x * 2 }\n    seen = []\n    assert_equal [1, 2, 3], t.each { |x| seen << x }\n    assert_equal [1, 2, 3], seen\n    assert_equal 6, t.sum\n    assert_equal 1, t.first\n    assert_equal [3], t.select { |x| x > 2 }\n    n = 0\n    t.each { |x| n += x }\n    assert_equal 6, n\n  end\nend\n", "Tree"),
		s("membership", "def evens(n) = (0..n).select(&:even?)\ndef index_of(a) = a.each_with_index.to_h\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    assert_include evens(10), 4\n    assert_not_include evens(10), 3\n    assert evens(6).include?(6)\n    assert !evens(6).include?(5)\n    assert_equal 4, evens(6).size\n    assert evens(8).all?(&:even?)\n    assert index_of(%w[a b]).key?('b')\n    assert_equal 1, index_of(%w[a b])['b']\n    refute index_of(%w[a b]).key?('c')\n  end\nend\n", "evens", "index_of"),
		s("a spec", "class Money\n  attr_reader :cents\n  def initialize(c) = @cents = c\n  def plus(o) = Money.new(@cents + o.cents)\n  def to_s = format('$%.2f', @cents / 100.0)\nend\n", "require 'minitest/autorun'\ndescribe 'money' do\n  let(:m) { Money.new(150) }\n  it('shows') { _(m.to_s).must_equal '$1.50' }\n  it('adds') { _(m.plus(Money.new(50)).cents).must_equal 200 }\n  it('is') { expect(m.cents).wont_equal 151 }\nend\n", "Money"),
		s("equality", "class Vec\n  attr_reader :x, :y\n  def initialize(x, y) = (@x, @y = x, y)\n  def +(o) = Vec.new(@x + o.x, @y + o.y)\n  def ==(o) = o.is_a?(Vec) && x == o.x && y == o.y\n  def <=>(o) = x <=> o.x\n  include Comparable\nend\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_sum\n    assert_equal Vec.new(4, 6), Vec.new(1, 2) + Vec.new(3, 4)\n    refute_equal Vec.new(1, 2), Vec.new(1, 3)\n  end\n  def test_parts\n    v = Vec.new(1, 2) + Vec.new(3, 4)\n    assert_equal 4, v.x\n    assert_equal 6, v.y\n  end\n  def test_fields\n    assert_equal [1, 2], [Vec.new(1, 2).x, Vec.new(1, 2).y]\n  end\nend\n", "Vec"),
		s("mutation", "def sort!(a) = a.sort!\ndef upper!(s) = s.upcase!\ndef take(h, k) = h.delete(k)\ndef doubled(a) = a.map { |x| x * 2 }\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    a = [3, 1, 2]\n    sort!(a)\n    assert_equal [1, 2, 3], a\n    s = +'ab'\n    upper!(s)\n    assert_equal 'AB', s\n    h = { a: 1, b: 2 }\n    assert_equal 1, take(h, :a)\n    assert_equal({ b: 2 }, h)\n    b = [1, 2]\n    assert_equal [2, 4], doubled(b)\n    assert_equal [1, 2], b\n  end\nend\n", "sort!", "upper!", "take", "doubled"),
		s("callbacks", "def each_pair_of(a) = a.each_cons(2) { |x, y| yield x, y }\ndef compose(f, g) = ->(x) { g.(f.(x)) }\ndef twice(n) = [yield(n), yield(n + 1)]\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    got = []\n    each_pair_of([1, 2, 3]) { |x, y| got << x + y }\n    assert_equal [3, 5], got\n    h = compose(->(x) { x + 1 }, ->(x) { x * 10 })\n    assert_equal 30, h.call(2)\n    assert_equal 40, h.(3)\n    assert_equal [1, 4], twice(1) { |x| x * x }\n    n = 0\n    twice(1) { |x| n += x; assert_operator x, :<, 3 }\n    assert_equal 3, n\n  end\nend\n", "each_pair_of", "compose", "twice"),
		s("a loop", "def steps(n) = n.even? ? n / 2 : 3 * n + 1\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    n, seen = 6, []\n    loop do\n      n = steps(n)\n      seen << n\n      assert_operator n, :>, 0\n      break if n == 1 || seen.size > 20\n    end\n    assert_equal [3, 10, 5, 16, 8, 4, 2, 1], seen\n  end\n  def test_case\n    case steps(4)\n    when Integer then pass\n    else flunk\n    end\n    case steps(4)\n    when 2 then pass\n    else flunk 'not 2'\n    end\n  end\nend\n", "steps"),
		s("a namespace", "module Bank\n  LIMIT = 5\n  class Broke < StandardError; end\n  class Account\n    attr_reader :left\n    def initialize(n) = @left = n\n    def take(n) = n > @left ? raise(Broke, 'no money') : @left -= n\n  end\n  def self.fee(n) = n * 2\nend\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    a = Bank::Account.new(Bank::LIMIT)\n    assert_equal 3, a.take(2)\n    assert_equal 3, a.left\n    assert_raise(Bank::Broke) { a.take(9) }\n    assert_raise_message('no money') { a.take(9) }\n    assert_equal 8, Bank.fee(4)\n    assert_kind_of Bank::Account, a\n  end\nend\n", "Bank", "Bank::Account"),
		s("sorting", "class Player\n  attr_reader :name, :score\n  def initialize(n, s) = (@name, @score = n, s)\nend\ndef best(list) = list.max_by(&:score)\ndef ranked(list) = list.sort_by { |p| -p.score }\n", "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it\n    a, b = Player.new('a', 1), Player.new('b', 5)\n    assert_equal 'b', best([a, b]).name\n    assert_equal %w[b a], ranked([a, b]).map(&:name)\n    assert_equal [1, 5], [a, b].map(&:score).sort\n    assert_equal %w[a b], [b, a].sort_by(&:score).map(&:name)\n  end\nend\n", "Player", "best", "ranked"),
		s("order", "def mean(a) = a.sum / a.size.to_f\ndef spread(a) = { low: a.min, high: a.max }\n", "eps = 1e-6\nraise 'no' if (mean([1, 2, 4]) - 2.3333333).abs > eps\nraise 'no' if (mean([5]) - 5).abs > eps\ns = spread([3, 1, 2])\nraise 'low' if s[:low] > 1 || s[:low] < 1\nraise 'high' if s.fetch(:high) > 3 || s.fetch(:high) < 3\n", "mean", "spread"),
		s("rows", "class Rows\n  include Enumerable\n  def initialize(n) = @n = n\n  def size = @n\n  def each(&b) = (1..@n).each(&b)\n  def times(k) = Rows.new(@n * k)\nend\ndef rows(n) = Rows.new(n)\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    r = rows(3)\n    assert_equal 3, r.size\n    n = 0\n    r.each { |x| assert_equal (n += 1), x }\n    assert_equal 4, rows(2).times(2).size\n  end\nend\n", "rows", "Rows"),
		s("two results", "class Node\n  attr_reader :v\n  def initialize(v) = @v = v\n  def ==(o) = o.is_a?(Node) && v == o.v\n  def self.from(v) = new(v)\n  def up = Node.new(v - 1)\nend\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    a = Node.from(3)\n    assert_equal Node.from(2), a.up\n    refute_equal Node.from(1), a.up\n  end\n  def test_plain\n    assert_equal 3, Node.from(3).v\n    assert_equal 1, Node.from(3).up.up.v\n  end\nend\n", "Node"),
		s("evaluated blocks", "class Form\n  attr_reader :all\n  def initialize = @all = {}\n  def self.build(&b) = new.tap { |f| f.instance_eval(&b) }\n  def set(k, v) = @all[k] = v\nend\ndef area(s) = s.width * s.height\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  Box = Struct.new(:width, :height)\n  def test_it\n    seen = nil\n    f = Form.build do\n      set :a, 4\n      seen = set(:b, 5)\n    end\n    assert_equal({ a: 4, b: 5 }, f.all)\n    assert_equal 5, seen\n    assert_equal 6, area(Box.new(2, 3))\n  end\nend\n", "Form", "area"),
		s("copies", "class Shelf\n  def initialize(kept) = @kept = kept.dup\n  def all = @kept.dup\n  def size = @kept.size\nend\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    s = Shelf.new([1, 2])\n    s.all << 9\n    assert_equal [1, 2], s.all\n    assert_equal 2, s.size\n  end\nend\n", "Shelf"),
		s("together", "def greet(n) = puts(\"hi #{n}\")\ndef sum(a) = a.sum\n", "require 'minitest/autorun'\nclass T < Minitest::Test\n  def test_it\n    assert_output(\"hi bo\\n\") { greet('bo') }\n    assert_equal 6, sum([1, 2, 3])\n  end\nend\n", "sum"),
	}
}
