# Carries calls between a program and its tests, which run in two processes
# that do not trust each other. A frame is a length of four bytes and a value.
# To the tests the value is JSON. To the program it is the same tree as Ruby
# marshals it: plain Ruby has no JSON, and the program's process must not have
# more loaded than the program asked for.
#
# Plain values travel whole, tagged where JSON has no form of its own. A subclass
# or a singleton method is flattened. Everything else is a handle.
module Glovebox
  # Broken ends the tests' process: nothing in the tests can rescue it.
  def self.broken(reason)
    Report.event(type: "broken", reason: Report.bounded(reason))
    exit!(1)
  end

  # Json writes JSON with nothing but Ruby's core.
  module Json
    ESCAPE = /["\\\x00-\x1f]/
    ESCAPED = Hash.new { |h, c| h[c] = c == '"' || c == "\\" ? "\\#{c}" : format("\\u%04x", c.ord) }

    def self.write(v, out = +"")
      case v
      when String then string(v, out)
      when Array
        return out << "[" << v.join(",") << "]" if Numeric === v[0] && v.all?(Numeric)
        out << "["
        first = true
        v.each { |e| first ? first = false : out << ","; write(e, out) }
        out << "]"
      when Integer then out << v.to_s
      when nil then out << "null"
      when Symbol then string(v.name, out)
      when Hash
        out << "{"
        first = true
        v.each { |k, e| first ? first = false : out << ","; string(k.to_s, out); out << ":"; write(e, out) }
        out << "}"
      else out << v.to_s
      end
    end

    def self.string(s, out)
      out << '"' << (s.match?(ESCAPE) ? s.gsub(ESCAPE) { |c| ESCAPED[c] } : s) << '"'
    end
  end

  # Report writes events to descriptor 5.
  module Report
    TEXT = 2048

    class << self
      # nonce is the run's secret, where the program shares this process.
      attr_accessor :nonce

      def open(io) = @io = io

      def event(fields)
        fields = fields.merge(nonce: nonce) if nonce
        @io.puts(Json.write(fields))
        @io.flush
      end

      def bounded(text)
        text = String.new(text.to_s).force_encoding(Encoding::UTF_8).scrub("?")
        text.length > TEXT ? text[0, TEXT] + " …" : text
      end

      # unrunnable ends the tests before they begin.
      def unrunnable(reason, missing = [])
        event({ type: "unrunnable", reason: bounded(reason), missing: missing.map { |m| bounded(m) } }.reject { |_, v| v == [] })
        exit!(0)
      end
    end
  end

  # WireError says that the other end broke the protocol.
  class WireError < StandardError; end
  # TooMuch says that a value cannot travel.
  class TooMuch < StandardError; end

  # Codec turns values into trees of JSON's kinds and back.
  class Codec
    DEPTH = 1000
    CLASS_OF = Kernel.instance_method(:class)
    MAP = Array.instance_method(:map)
    PAIRS = Hash.instance_method(:map)
    DEFAULT = Hash.instance_method(:default)

    # endless is called where a number came that is none, or has no end.
    def initialize(wrap, unwrap, &endless)
      @wrap, @unwrap, @endless = wrap, unwrap, endless
    end

    # kind is the class of a value, whatever the value says of itself.
    def self.kind(value)
      CLASS_OF.bind_call(value)
    rescue TypeError
      BasicObject # Kernel is none of its ancestors
    end

    def encode(v, depth = 0)
      return v if nil == v || true == v || false == v
      c = Codec.kind(v)
      return v if c == Integer || (c == Float && v.finite?)
      return text(v) if c == String
      raise TooMuch, "the value is too deep" if depth > DEPTH
      if c == Float then { "f" => [v].pack("G").unpack1("H*") }
      elsif c <= String then text(v)
      elsif c == Symbol then { "y" => text(v.name) }
      elsif c <= Array then MAP.bind_call(v) { |e| encode(e, depth + 1) }
      elsif c <= Hash then hash(v, depth + 1)
      elsif c == Range then range(v)
      elsif c == Rational then { "q" => [v.numerator, v.denominator] }
      elsif c == Complex && Codec.real?(v.real) && Codec.real?(v.imaginary) then { "c" => [encode(v.real), encode(v.imaginary)] }
      elsif c == Time then { "t" => [v.to_i, v.nsec, v.utc? ? "UTC" : v.utc_offset] }
      elsif c == Regexp then { "g" => [text(v.source), v.options] }
      elsif library?(c, :Set) then { "s" => v.to_a.map { |e| encode(e, depth + 1) } }
      elsif library?(c, :BigDecimal) then { "m" => v.to_s }
      elsif library?(c, :DateTime) then { "d" => [v.iso8601(9)] }
      elsif library?(c, :Date) then { "d" => v.iso8601 }
      else @wrap.call(v)
      end
    end

    def self.real?(v) = kind(v) == Integer || kind(v) == Float || kind(v) == Rational

    def text(s)
      s = String.new(s)
      return s if s.encoding == Encoding::UTF_8 && s.valid_encoding?
      return s.encode(Encoding::UTF_8) if (s.encoding == Encoding::UTF_8 || s.encoding == Encoding::US_ASCII) && s.valid_encoding?
      { "b" => [s].pack("m0"), "e" => s.encoding.name }
    end

    def decode(j)
      case j
      when String then j.dup # a call may change it
      when Integer, nil, true, false then j
      when Float then finite(j)
      when Array then j.map { |e| decode(e) }
      when Hash
        tag, v = j.first
        case tag
        when "h" then table(v, j["d"])
        when "f" then float(v)
        when "b" then String.new(v.unpack1("m0")).force_encoding(Encoding.find(j["e"]))
        when "y" then decode(v).to_sym
        when "r" then Range.new(bound(v[0]), bound(v[1]), v[2] == true)
        when "q" then Rational(Integer(v[0]), Integer(v[1]))
        when "c" then Complex(number(v[0]), number(v[1]))
        when "s" then Kernel.require("set") || true and Set.new(v.map { |e| decode(e) })
        when "t" then Time.at(Integer(v[0]), Integer(v[1]), :nsec, in: v[2])
        when "g" then Regexp.new(decode(v[0]), Integer(v[1]) & 7)
        when "m" then Kernel.require("bigdecimal") || true and BigDecimal(v).then { |d| finite(d) }
        when "d" then Kernel.require("date") || true and Array === v ? DateTime.iso8601(v[0]) : Date.iso8601(v)
        else @unwrap.call(j)
        end
      else raise WireError, "a value of no known form"
      end
    rescue ArgumentError, TypeError, NoMethodError, RangeError, ZeroDivisionError, EncodingError, RegexpError => e
      raise WireError, "a value is wrong: #{e.class}"
    end

    private

    def library?(c, name)
      Object.const_defined?(name) && !Object.autoload?(name) && Object.const_get(name) == c
    end

    def hash(v, depth)
      tree = { "h" => PAIRS.bind_call(v) { |k, e| [encode(k, depth), encode(e, depth)] } }
      default = DEFAULT.bind_call(v)
      # A default that is no plain value without parts stays behind.
      tree["d"] = encode(default) if nil != default && (Codec.real?(default) || String === default || true == default || false == default)
      tree
    end

    def range(v)
      raise TooMuch, "a range of #{Codec.kind(v.begin)} cannot travel" unless bound?(v.begin) && bound?(v.end)
      { "r" => [encode(v.begin), encode(v.end), v.exclude_end?] }
    end

    def bound?(v) = nil == v || Codec.real?(v) || String === v || Time === v || library?(Codec.kind(v), :Date)

    def bound(j)
      v = decode(j)
      raise WireError, "a range of no known form" unless bound?(v)
      v
    end

    def number(j)
      v = decode(j)
      raise WireError, "a number of no known form" unless Codec.real?(v)
      v
    end

    def float(v)
      raise WireError, "a float of no known form" unless String === v && v.match?(/\A\h{16}\z/)
      finite([v].pack("H*").unpack1("G"))
    end

    def finite(f)
      @endless&.call unless f.finite?
      f
    end

    def table(pairs, default)
      h = {}
      pairs.each { |k, e| h[String === k ? k : decode(k)] = decode(e) }
      h.default = decode(default) unless nil == default
      h
    end
  end

  # Peer is one end of the link.
  class Peer
    FRAME = 64 << 20
    CALLS = 500

    # An Unwind ends what the program does on behalf of a call that the tests
    # gave up, by break, throw or an exception.
    class Unwind < Exception; end # rubocop:disable Lint/InheritException

    # dump and load turn a tree into bytes and back; serve answers a request.
    def initialize(input, output, dump, load, &serve)
      @in, @out, @dump, @load, @serve = input.binmode, output.binmode, dump, load, serve
      @depth = 0
    end

    # call sends a request and serves the other end until the answer comes.
    def call(request)
      answered = sent = false
      write("call" => request)
      sent = true
      loop_until_answer.tap { answered = true }
    ensure
      drain if sent && !answered && !$!.is_a?(WireError) && !$!.is_a?(EOFError)
    end

    # listen answers calls until the other end hangs up.
    def listen
      while (m = read)
        raise WireError, "an answer to no question" unless m.key?("call")
        answer(m["call"])
      end
    end

    private

    def loop_until_answer
      while true
        m = read or raise EOFError, "the other process ended"
        return m unless m.key?("call")
        answer(m["call"])
      end
    end

    def answer(request)
      answered = false
      raise WireError, "calls are too deep" if (@depth += 1) > CALLS
      reply = @serve.call(request)
      answered = true
      write(reply)
    ensure
      @depth -= 1
      write("unwind" => true) unless answered || $!.is_a?(WireError)
    end

    # drain waits for the end of a call that was given up.
    def drain
      1000.times do
        m = read or raise EOFError, "the other process ended"
        return unless m.key?("call")
        write("unwind" => true)
      end
      raise WireError, "a call that was given up does not end"
    end

    def write(message)
      bytes = @dump.call(message)
      raise TooMuch, "the value is too large" if bytes.bytesize > FRAME
      @out.write([bytes.bytesize].pack("N"), bytes)
      @out.flush
    end

    def read
      head = @in.read(4) or return nil
      size = head.unpack1("N")
      raise WireError, "a message is cut or too large" if size.nil? || size > FRAME
      bytes = @in.read(size)
      raise WireError, "a message is cut" unless bytes && bytes.bytesize == size
      m = @load.call(bytes)
      raise WireError, "a message of no known form" unless m.is_a?(Hash)
      m
    end
  end
end
