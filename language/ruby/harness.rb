# Runs the tests of a program that is in another process:
# ruby harness.rb MAIN TEST...
$0 = __FILE__
require __dir__ + "/check.rb"
require __dir__ + "/wire.rb"
$LOAD_PATH.unshift(Glovebox::LIBRARY)
require __dir__ + "/unit.rb"

module Glovebox
  # Remote stands for an object of the program's.
  class Remote < BasicObject
    def initialize(program, id)
      @program, @id = program, id
    end

    # A named object is a class that the tests name, or came from one. What
    # any other answers where data was to be expected is not asked: an object
    # that includes everything would be its own judge.
    DATA = [::Array, ::Hash, ::String, ::Integer, ::Float, ::Range, ::Symbol].flat_map { |c| c.public_instance_methods }.uniq - %i[call]
    OWN = %i[inspect to_s].freeze

    def __glovebox_name
      @named = true
      self
    end

    attr_reader :id

    def __glovebox_id = @id

    # Only between objects of the program's: what it compares with the tests'
    # own values is never its word.
    def ==(other)
      return false unless ::Glovebox.remote?(other)
      @id == other.__glovebox_id || @program.invoke(@id, "==", [other], {}) == true
    end
    alias eql? ==
    alias equal? ==

    def !=(other) = !(self == other)
    def ! = false
    def nil? = false
    def hash = @id.hash
    def object_id = @id
    def inspect = "#<object of the program: #{to_s}>"
    def to_s
      ::Kernel.String(@program.invoke(@id, "to_s", [], {}))
    end


    def respond_to?(name, all = false)
      return false if name.to_s.start_with?("to_") || name == :marshal_dump || name == :_dump
      @program.invoke(@id, "respond_to?", [name], {}) == true
    end

    def is_a?(kind) = ::Glovebox.remote?(kind) && @program.invoke(@id, "is_a?", [kind], {}) == true
    alias kind_of? is_a?
    def instance_of?(kind) = ::Glovebox.remote?(kind) && @program.invoke(@id, "instance_of?", [kind], {}) == true

    def method_missing(name, *args, **kwargs, &block)
      if !@named && DATA.include?(name) && !OWN.include?(name)
        ::Kernel.raise ::NoMethodError, "undefined method `#{name}' for an object of the program's: the tests expect data"
      end
      ::Kernel.raise ::NoMethodError, "undefined method `#{name}'" if name.to_s =~ /\Ato_(ary|str|hash|proc|int|sym|io|path|a|r|c)\z/ && !@program.invoke(@id, "respond_to?", [name], {})
      result = @program.invoke(@id, name.to_s, args, kwargs, &block)
      @named && ::Glovebox.remote?(result) ? result.__glovebox_name : result
    end
  end

  def self.remote?(value) = Remote === value

  # Program calls the program on the tests' behalf.
  class Program
    def initialize(input, output)
      @remotes, @procs = {}, []
      @codec = Codec.new(method(:wrap), method(:unwrap))
      @peer = Peer.new(input, output, @codec) { |request| serve(request) }
    end

    def calls = @calls.to_i

    def names = ask("op" => "names").fetch("return").grep(String)

    # const returns a constant of the program's. An exception is made anew, as
    # a class of the tests' own.
    # nested returns a constant within one of the program's.
    def nested(path)
      return Object.const_get(path) if Module === Object.const_get(path[/\A\w+/])
      (@nested ||= {})[path] ||= begin
        answer = ask("op" => "const", "name" => path)
        if answer.key?("exception")
          Class.new(standard(answer["exception"])).tap { |c| %i[name to_s inspect].each { |m| c.define_singleton_method(m) { path } } }
        else
          raise NameError, "uninitialized constant #{path}" unless answer.key?("return")
          value = decode(answer["return"], [])
          Glovebox.remote?(value) ? value.__glovebox_name : value
        end
      end
    end

    def const(name)
      answer = ask("op" => "const", "name" => name)
      return Object.const_set(name, Class.new(standard(answer["exception"]))) if answer.key?("exception")
      return yield unless answer.key?("return")
      value = decode(answer["return"], [])
      value.__glovebox_name if Glovebox.remote?(value)
      Object.const_set(name, value)
    end

    def invoke(target, name, args, kwargs, &block)
      @calls = calls + 1
      request = { "method" => name, "args" => @codec.encode(args) }
      request["target"] = target if target
      request["kwargs"] = @codec.encode(kwargs) unless kwargs.empty?
      request["block"] = @codec.encode(block) if block
      answer = ask(request, name)
      raise_again(answer["raise"]) if answer.key?("raise")
      (answer["changed"] || []).each { |i, now| args.fetch(i).replace(decode(now, [])) unless args.fetch(i).frozen? }
      decode(answer["return"], args)
    end

    private

    def ask(request, name = nil)
      @peer.call(request)
    rescue EOFError, Errno::EPIPE
      Glovebox.broken("the program's process ended#{" during #{name}" if name}")
    rescue WireError, KeyError, IndexError, NoMethodError, TypeError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    def decode(json, args)
      return args.fetch(json["a"]) if json.is_a?(Hash) && json.key?("a")
      @codec.decode(json)
    rescue WireError, KeyError, IndexError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    def wrap(value)
      return { "o" => value.__glovebox_id } if Glovebox.remote?(value)
      raise WireError, "a #{Codec.kind(value)} cannot be carried to the program" unless Proc === value || Method === value
      @procs << value.to_proc
      { "p" => @procs.size - 1 }
    rescue WireError => e
      Glovebox.broken(e.message)
    end

    def unwrap(json)
      id = json["o"]
      raise WireError, "a value of no known form" unless Integer === id
      @remotes[id] ||= Remote.new(self, id)
    end

    # serve runs a block of the tests' for the program.
    def serve(request)
      value = @procs.fetch(Integer(request["proc"])).call(*@codec.decode(request["args"]), **@codec.decode(request["kwargs"]))
      { "return" => @codec.encode(value) }
    rescue WireError
      raise
    rescue StandardError => e
      Unit.note(e) # the program cannot make a failed assertion unseen
      { "raise" => { "message" => e.message } }
    end

    # standard is the closest class of Ruby's own, never one that could pass
    # for a failure of the tests or end them.
    def standard(names)
      names.grep(String).each do |n|
        known = @nested && @nested[n]
        return known if Class === known && known <= StandardError
        next unless n.match?(/\A[A-Z]\w*\z/) && Object.const_defined?(n)
        c = Object.const_get(n)
        return c if Class === c && (c <= StandardError || c == NotImplementedError)
      end
      RuntimeError
    end

    def raise_again(raised)
      error = standard(raised.fetch("classes"))
      message = Report.bounded(raised["message"])
      Kernel.raise(error.allocate.tap { |e| e.define_singleton_method(:message) { message }; e.define_singleton_method(:to_s) { message } })
    end
  end

  # nest has constants within the program's found by their whole names: what
  # stands for a class of the program's is none, and Ruby would look no further.
  def self.nest(text)
    return text unless text.match?(/[A-Z]\w*::[A-Z]/)
    require "ripper"
    tokens = Ripper.lex(text).map { |t| [t[1], t[2]] }
    out = []
    until tokens.empty?
      kind, = tokens[0]
      n = 1
      n += 2 while kind == :on_const && tokens[n]&.last == "::" && tokens[n + 1]&.first == :on_const && tokens[n + 2]&.last != "("
      taken = tokens.shift(n).map(&:last).join
      before = out.reject { |t| t.strip.empty? }.last if n > 1
      root = taken[/\A\w+/]
      if n == 1 || %w[class module < :: .].include?(before) || Object.const_defined?(root) || text.match?(/\b(?:class|module)\s+#{root}\b|\b#{root}\s*=[^=]/) then out << taken
      else out << "Glovebox.nested(#{taken.dump})"
      end
    end
    out.join
  end

  def self.harness(main, tests)
    Report.open(IO.for_fd(5, "w"))
    program = Program.new(IO.for_fd(3, "r"), IO.for_fd(4, "w"))
    words = tests.flat_map { |t| File.read(t, encoding: "UTF-8").scrub("?").scan(/[A-Za-z_]\w*[?!]?/) }.uniq
    stubs = Module.new
    (words & program.names).each do |name|
      next if Object.private_method_defined?(name) || Object.method_defined?(name)
      stubs.define_method(name) { |*args, **kwargs, &block| program.invoke(nil, name, args, kwargs, &block) }
      stubs.send(:private, name)
    end
    # Behind Kernel, so that a library that the tests load comes first.
    Kernel.include(stubs)
    Object.define_singleton_method(:const_missing) do |name|
      next super(name) unless words.include?(name.to_s)
      program.const(name.to_s) { super(name) }
    end
    Unit.rewrite = ->(text) { nest(text) }
    Glovebox.define_singleton_method(:nested) { |path| program.nested(path) }
    Unit.stand_for([main, "solution", "main"])
    Unit.run_files(tests) { program.calls }
  end
end

Glovebox.harness(ARGV.shift, ARGV.dup)
