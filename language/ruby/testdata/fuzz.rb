# Gives both ends of the link, and the reading of tests, what nobody would send:
# ruby fuzz.rb SEED SECONDS TRIES, with our drivers in /opt/glovebox/ruby. Each must end
# with a value or a refusal. It prints how much was tried, and exits with 1 where
# something else came of it.
HOME = "/opt/glovebox/ruby/"
$0 = HOME + "fuzz.rb" # check.rb has no program to check
%w[check wire unit analysis remote program].each { |f| require HOME + f }
require "stringio"
require "timeout"
require "tempfile"

SEED, SECONDS, TRIES = ARGV[0].to_i, ARGV[1].to_f, ARGV[2].to_i
R = Random.new(SEED)
Process.setrlimit(:AS, 2 << 30)

class Over < Exception; end
class Executed < Exception; end
module Glovebox
  def self.broken(reason) = Kernel.raise(Over, reason)
end
Glovebox::Report.define_singleton_method(:unrunnable) { |reason, *| Kernel.raise(Over, reason) }
# What nothing on the link may bring about.
[[Kernel, :system], [Kernel, :exec], [Kernel, :spawn], [Kernel, :exit!], [Kernel, :eval], [Process, :kill], [File, :delete]].each do |m, n|
  m.define_singleton_method(n) { |*| raise Executed, n.to_s }
end
class Object
  private def system(*) = raise(Executed, "system")
  private def exit!(*) = raise(Executed, "exit!")
  private def exec(*) = raise(Executed, "exec")
end

# One process has one program otherwise: the classes of the others are still here.
EXCEPTIONS = Glovebox::Program.exceptions([])
Glovebox::Program.define_singleton_method(:exceptions) { |_| EXCEPTIONS }

Item = Struct.new(:a, :b)
VALUES = [nil, true, false, 0, -1, 1 << 70, "", "x", "é", "exit!(0)", [], {}, [1, [2, "x"]], { "f" => "400921fb54442d18" }, { "f" => "7ff8000000000000" }, { "f" => "zz" },
          { "b" => "/w==", "e" => "ASCII-8BIT" }, { "b" => "AA==", "e" => "UTF-16LE" }, { "b" => 5, "e" => "no" }, { "y" => "to_s" }, { "h" => [["a", 1], ["b", { "y" => "c" }]], "d" => 0 },
          { "h" => [[1]] }, { "h" => 5 }, { "r" => [1, 5, true] }, { "r" => [nil, nil, false] }, { "r" => ["a", 5, 1] }, { "q" => [1, 3] }, { "q" => [1, 0] }, { "c" => [1, { "q" => [1, 2] }] },
          { "s" => [1, 1, "x"] }, { "t" => [5, 9, "UTC"] }, { "t" => [5, 9, 3600] }, { "t" => ["x", 0, "no"] }, { "g" => ["a+(b|c)*", 1] }, { "g" => ["(", 7] }, { "g" => ["(a+)+$", 0] }, { "m" => "1.5" },
          { "m" => "NaN" }, { "m" => "1e999999999999" }, { "d" => "2020-02-29" }, { "d" => ["2020-02-29T01:02:03+00:00"] }, { "d" => "no" }, { "o" => 0, "c" => "Integer", "k" => %w[Integer Float] },
          { "o" => 1, "c" => [2, "Foo"], "k" => [[2, "Foo"], "Comparable"] }, { "o" => 2, "x" => "Foo" }, { "o" => -1, "c" => 5, "k" => 5 }, { "k" => "Kernel" }, { "k" => "Object" }, { "k" => "Glovebox" },
          { "k" => "File" }, { "p" => 0 }, { "p" => 1 }, { "p" => 99 }, { "a" => 0 }, { "a" => -1 }, { "a" => 1 << 40 }, { "n" => "exit!" }, { "z" => 1 }].freeze
RAISED = { "classes" => [[3, "Mine"], "StandardError", "Exception"], "message" => "x", "o" => 4, "attributes" => { "need" => 3, "key" => { "y" => "k" } }, "cause" => nil }.freeze
CALLS = [{ "proc" => 0, "args" => [5], "kwargs" => { "h" => [] } }, { "proc" => 1, "args" => [] }, { "object" => 1, "method" => "a", "args" => [], "kwargs" => { "h" => [] } },
         { "object" => 1, "method" => "instance_eval", "args" => ["exit!(0)"] }, { "object" => 1, "method" => "exit!", "args" => [0] }, { "object" => 1, "method" => "send", "args" => ["system", "x"] },
         { "proc" => 0, "args" => [], "self" => { "o" => 7, "c" => [2, "Foo"], "k" => [] } }, { "object" => 0, "method" => "binding", "args" => [] }].freeze
KEYS = %w[return changed raise call functions methods module class exception fault unwound f b e y h d r q c s t g m o k x p a n l].freeze

SOUND = VALUES.select { |v| v != { "p" => 1 } && (!v.is_a?(Hash) || [{ "f" => "400921fb54442d18" }, { "b" => "/w==", "e" => "ASCII-8BIT" }, { "y" => "to_s" }, { "r" => [1, 5, true] }, { "q" => [1, 3] }, { "s" => [1, 1, "x"] }, { "t" => [5, 9, "UTC"] }, { "m" => "1.5" }, { "k" => "Object" }, { "p" => 0 }].include?(v) || v["k"].is_a?(Array)) && v != { "o" => -1, "c" => 5, "k" => 5 } }.freeze

def pick(list) = list[R.rand(list.size)]
def tree(depth = 0)
  return R.rand < 0.7 ? pick(SOUND) : R.rand < 0.5 ? Array.new(R.rand(4)) { tree } : { "h" => Array.new(R.rand(3)) { [tree, tree] } } if $sound
  v = pick(VALUES)
  return v if depth > 4 || R.rand < 0.6
  case R.rand(4)
  when 0 then Array.new(R.rand(4)) { tree(depth + 1) }
  when 1 then { pick(KEYS) => tree(depth + 1) }
  when 2 then { "h" => Array.new(R.rand(3)) { [tree(depth + 1), tree(depth + 1)] } }
  else v.is_a?(Hash) && !v.empty? ? v.merge(pick(v.keys) => tree(depth + 1)) : [v, tree(depth + 1)]
  end
end

def answer
  m = case R.rand(8)
      when 0 then { "raise" => RAISED.merge(pick(RAISED.keys) => tree) }
      when 1 then { "call" => pick(CALLS).then { |c| R.rand < 0.5 ? c : c.merge(pick(%w[proc object method args kwargs block self]) => tree) } }
      when 2 then { "functions" => ["f", tree], "methods" => { "Integer" => ["x", tree] } }
      when 3 then { pick(%w[module exception return]) => tree, "class" => true }
      when 4 then { "return" => tree, "changed" => [[R.rand(4) - 1, tree]] }
      when 5 then { pick(KEYS) => tree }
      else { "return" => tree }
      end
  !$sound && R.rand < 0.05 ? tree : m
end

# bent changes some bytes of a text.
def bent(bytes)
  bytes = bytes.b
  R.rand(4).times do
    at = R.rand(bytes.size + 1)
    case R.rand(4)
    when 0 then bytes[at, 1] = R.bytes(1)
    when 1 then bytes.slice!(at, R.rand(8))
    when 2 then bytes.insert(at, bytes[R.rand(bytes.size + 1), R.rand(20)] || "")
    else bytes.insert(at, pick(%w([ { " } ] , : \\ 0 1e9 \u0000)))
    end
  end
  bytes
end

def deep(bytes) = R.rand < 0.002 ? "[" * 5000 + bytes + "]" * 5000 : bytes
def frame(bytes) = [R.rand < 0.98 ? bytes.bytesize : R.rand(1 << 32)].pack("N") + bytes.b

COUNT = Hash.new(0)

# tries has a block end with a value, or with an error that is a refusal.
def tries(what, given, *fine)
  COUNT[what] += 1
  Timeout.timeout(20) { yield }
rescue Over, Glovebox::Unit::Failure, *fine
  COUNT["#{what}: refused"] += 1
rescue Exception => e # rubocop:disable Lint/RescueException
  return if e.instance_variable_defined?(Glovebox::FOREIGN)
  puts "SEED #{SEED}, #{what}: #{e.full_message(highlight: false)[0, 1500]}\n#{given.inspect[0, 2000]}"
  exit(1)
end

# The harness's end: whatever the program answers.
def harness
  $sound = R.rand < 0.5
  frames = Array.new(1 + R.rand(4)) { frame(deep(!$sound && R.rand < 0.5 ? bent(Glovebox::Json.write(answer)) : Glovebox::Json.write(answer))) }
  tries("harness", frames) do
    program = Glovebox::Program.new(StringIO.new(frames.join), StringIO.new, %w[f Foo], false) { |_w| false }
    items = [[3, 1], Item.new(1, 2), { a: 1 }, "text"]
    block = proc { |*a| a.size }
    handle = Glovebox::Handle.new(program, 0, "Object", [], false, false)
    case R.rand(6)
    when 0 then program.names
    when 1 then program.const("Foo") { nil }
    when 2 then program.list(handle)
    when 3 then program.make(0, items, {})
    else
      v = program.invoke(nil, "f", items, { k: 1 }, &block)
      [v.inspect, v.to_s, v == v, Glovebox.kept(v)] unless Glovebox.remote?(v) || Array === v
    end
  end
end

# The program's end: what a harness never sends, as bytes of Ruby's marshalled form.
def candidate
  request = { "call" => pick([{ "op" => pick(%w[names const load list]), "name" => "f", "target" => R.rand(3) }, { "method" => pick(%w[f inspect == missing]), "args" => Array.new(R.rand(3)) { tree }, "kwargs" => { "h" => [] }, "block" => nil }]) }
  bytes = Marshal.dump(request)
  bytes = bent(bytes) if !$sound && R.rand < 0.7
  codec = Glovebox::Codec.new(->(_v) { { "o" => 0 } }, ->(_t) { raise Glovebox::WireError, "a handle" })
  serve = ->(r) { { "return" => codec.encode(codec.decode(r["args"])) } }
  tries("program", bytes, StandardError, NoMemoryError, SystemStackError) do
    peer = Glovebox::Peer.new(StringIO.new(frame(bytes)), StringIO.new, Glovebox::Json.method(:write), Marshal.method(:load), &serve)
    peer.listen
  end
end

TESTS = ["require 'minitest/autorun'\nclass T < Minitest::Test\n  def setup = @z = Zip.from(1)\n  def test_a\n    x = [3, 1]\n    assert_equal x, f(x)\n    assert_equal Zip.new(3), @z.left.up\n    assert(f(x) == x)\n  end\nend\n",
         "describe Foo do\n  let(:a) { Foo.new(1) }\n  it 'is' do\n    _(a.b).must_equal Foo.from(2)\n    loop { a.next }\n  end\nend\n", "raise 'no' unless f(3) == 4\nf((1..1_000_000).to_a) { |x| x }\n$x = 5\n",
         "require 'test/unit'\nclass T < Test::Unit::TestCase\n  data('a' => [1])\n  def test_it(d) = assert_raise(Foo::Err) { g(*d, k: 1, &b) }\nend\nputs <<~X\n  \#{f} y\nX\n", "a, (b, *c) = f\nbegin\n  x&.y ||= 3\nrescue Foo => e\n  retry\nend\ncase f\nin [Integer => n, *] then n\nend\n"].freeze
WORDS = TESTS.flat_map { |t| t.scan(/\w+|\s+|[^\w\s]+/) }.uniq.freeze

# The reading of tests: any text that parses is read, and what is rewritten parses.
def reading
  words = pick(TESTS).scan(/\w+|\s+|[^\w\s]+/)
  R.rand(6).times { R.rand < 0.5 ? words.insert(R.rand(words.size + 1), pick(WORDS)) : words.slice!(R.rand(words.size), 1 + R.rand(3)) }
  text = words.join
  begin
    old, $VERBOSE = $VERBOSE, nil
    RubyVM::InstructionSequence.compile(text)
  rescue SyntaxError
    COUNT["tests that do not parse"] += 1
    return
  ensure
    $VERBOSE = old
  end
  tries("tests", text) do
    a = Glovebox::Analysis.new([text])
    a.more; a.unknown; a.missing(["main"]); a.library; a.lacks; a.judged?("test_a")
    begin
      a.refuse(["main"])
    rescue Over
      nil
    end
    RubyVM::InstructionSequence.compile(Glovebox.rewrite(text, a.kept[0])) if a.kept[0] # refused before it was read
  end
end

$stderr = StringIO.new
stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS
TRIES.times do
  break if Process.clock_gettime(Process::CLOCK_MONOTONIC) >= stop
  harness
  candidate
  reading
end
puts COUNT.sort.map { |k, v| "#{k} #{v}" }.join(", ")
