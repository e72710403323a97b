# Carries calls between a program and its tests, which run in two processes
# that do not trust each other: lines of JSON over two pipes.
#
# Plain values travel as values, tagged where JSON has no form of its own, and
# only of exactly these classes: a subclass or a singleton method is flattened.
# Everything else is a handle, whose methods run where the object is. Either
# side may call the other while it waits for an answer, so that blocks work.
require "json"
require "set"

module Glovebox
  # Broken ends the tests' process: nothing in the tests can rescue it.
  def self.broken(reason)
    Report.event(type: "broken", reason: Report.bounded(reason))
    exit!(1)
  end

  module Report
    TEXT = 2048

    def self.open(io) = @io = io

    def self.event(fields)
      @io.puts(JSON.generate(fields))
      @io.flush
    end

    def self.bounded(text)
      text = text.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")
      text.length > TEXT ? text[0, TEXT] + " …" : text
    end
  end

  class WireError < StandardError; end

  # Codec turns values into JSON and back.
  class Codec
    DEPTH = 100
    CLASS_OF = Kernel.instance_method(:class)
    NO_HANDLE = ->(_) { raise WireError, "not a plain value" }

    def initialize(wrap = NO_HANDLE, unwrap = NO_HANDLE)
      @wrap, @unwrap = wrap, unwrap
    end

    # kind is the class of a value, whatever the value says of itself.
    def self.kind(value)
      CLASS_OF.bind_call(value)
    rescue TypeError # a BasicObject
      BasicObject
    end

    def encode(v, depth = 0)
      raise WireError, "the value is too deep" if depth > DEPTH
      case v
      when nil, true, false then return v
      end
      c = Codec.kind(v)
      if c == Integer then v
      elsif c == Float then { "f" => [v].pack("G").unpack1("H*") }
      elsif c <= String then text(v)
      elsif c == Symbol then { "y" => text(v.to_s) }
      elsif c <= Array then Array.instance_method(:map).bind_call(v) { |e| encode(e, depth + 1) }
      elsif c <= Hash then { "h" => Hash.instance_method(:map).bind_call(v) { |k, e| [encode(k, depth + 1), encode(e, depth + 1)] } }
      elsif c == Range then { "r" => [encode(v.begin, depth + 1), encode(v.end, depth + 1), v.exclude_end?] }
      elsif c == Rational then { "q" => [v.numerator, v.denominator] }
      elsif c == Complex then { "c" => [encode(v.real, depth + 1), encode(v.imaginary, depth + 1)] }
      elsif c == Set then { "s" => v.to_a.map { |e| encode(e, depth + 1) } }
      elsif c == Time then { "t" => [v.to_i, v.nsec, v.utc_offset] }
      elsif c.name == "BigDecimal" then { "m" => v.to_s }
      elsif c.name == "Date" then { "d" => v.iso8601 }
      else @wrap.call(v)
      end
    end

    def text(s)
      s = String.new(s)
      return s.encode(Encoding::UTF_8) if (s.encoding == Encoding::UTF_8 || s.encoding == Encoding::US_ASCII) && s.valid_encoding?
      { "b" => [s].pack("m0"), "e" => s.encoding.name }
    end

    def decode(j)
      case j
      when nil, true, false, Integer, String then j
      when Array then j.map { |e| decode(e) }
      when Hash
        tag, v = j.first
        case tag
        when "f" then [v].pack("H*").unpack1("G")
        when "b" then v.unpack1("m0").force_encoding(Encoding.find(j["e"]))
        when "y" then decode(v).to_sym
        when "h" then v.to_h { |k, e| [decode(k), decode(e)] }
        when "r" then Range.new(decode(v[0]), decode(v[1]), v[2] == true)
        when "q" then Rational(Integer(v[0]), Integer(v[1]))
        when "c" then Complex(decode(v[0]), decode(v[1]))
        when "s" then Set.new(v.map { |e| decode(e) })
        when "t" then Time.at(v[0], v[1], :nsec, in: v[2])
        when "m" then Kernel.require("bigdecimal") && false || BigDecimal(v)
        when "d" then Kernel.require("date") && false || Date.iso8601(v)
        else @unwrap.call(j)
        end
      else raise WireError, "a value of no known form"
      end
    rescue ArgumentError, TypeError, NoMethodError, FloatDomainError, ZeroDivisionError => e
      raise WireError, "a value is wrong: #{e.class}"
    end

    PLAIN = new

    def self.plain?(v)
      PLAIN.encode(v)
      true
    rescue WireError
      false
    end

    # plain returns a copy of v in which nothing is but plain values, or v
    # itself where it has others.
    def self.plain(v)
      PLAIN.decode(PLAIN.encode(v))
    rescue WireError
      v
    end
  end

  # Peer is one end of the link.
  class Peer
    LINE = 16 << 20
    CALLS = 200

    attr_reader :calls

    # serve answers a call: [target, method, args, kwargs, block] to a value.
    def initialize(input, output, codec, &serve)
      @in, @out, @codec, @serve = input, output, codec, serve
      @calls = @depth = 0
    end

    def call(request)
      @calls += 1
      send_line("call" => request)
      loop do
        m = receive or raise EOFError, "the other process ended"
        return m unless m.key?("call")
        answer(m["call"])
      end
    end

    # listen answers calls until the other end hangs up.
    def listen
      while (m = receive)
        raise WireError, "an answer to no question" unless m.key?("call")
        answer(m["call"])
      end
    end

    private

    def answer(request)
      raise WireError, "calls are too deep" if (@depth += 1) > CALLS
      send_line(@serve.call(request))
    ensure
      @depth -= 1
    end

    def send_line(message)
      line = JSON.generate(message, max_nesting: 0)
      raise WireError, "a message is too large" if line.bytesize > LINE
      @out.write(line, "\n")
      @out.flush
    end

    def receive
      line = @in.gets("\n", LINE) or return nil
      raise WireError, "a message is cut or too large" unless line.end_with?("\n")
      m = JSON.parse(line, max_nesting: 4 * Codec::DEPTH)
      raise WireError, "a message of no known form" unless m.is_a?(Hash)
      m
    rescue JSON::ParserError
      raise WireError, "a message is not JSON"
    end
  end
end
