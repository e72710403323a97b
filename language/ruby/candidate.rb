# Serves calls of a program's methods: ruby candidate.rb FILE. The program can
# rewrite all of this: the tests trust nothing that it says.
$0 = __FILE__
require __dir__ + "/check.rb"
require __dir__ + "/wire.rb"

module Glovebox
  # Theirs stands for an object of the tests.
  class Theirs < BasicObject
    def initialize(candidate, id) = (@candidate, @id = candidate, id)
    def __glovebox_id = @id
    def __glovebox_know(values, turn) = (@values, @turn = values, turn)

    def method_missing(name, *args, **kwargs, &block)
      return @candidate.value(@values[name.name]) if @turn == @candidate.turn && args.empty? && kwargs.empty? && !block && @values.key?(name.name)
      @candidate.ask("object" => @id, "method" => name.to_s, "args" => args, "kwargs" => kwargs, "block" => block)
    end

    def respond_to?(name, _all = false) = @candidate.ask("object" => @id, "method" => "respond_to?", "args" => [name], "kwargs" => {}) == true
    def ==(other) = equal?(other) || method_missing(:==, other) == true
    def !=(other) = !(self == other)
    def nil? = false
    def hash = method_missing(:hash)
    def eql?(other) = equal?(other) || method_missing(:eql?, other) == true
    def object_id = __id__
    undef_method :instance_eval, :instance_exec
  end

  # Candidate holds the program's objects, and calls them for the tests.
  class Candidate
    BUILTIN = [Integer, Float, String, Symbol, Array, Hash, Range, Rational, Complex, NilClass, TrueClass, FalseClass, Time,
               Numeric, Comparable, Enumerable, Proc, Object, Kernel].freeze
    KINDS = Object.constants.each_with_object({}) do |n, all|
      next if Object.autoload?(n) || n == :Glovebox
      v = Object.const_get(n)
      all[v] = v.name if Module === v
    end.compare_by_identity
    LISTED = 100_000
    CARRIED = %i[key receiver name result tag status errno].freeze

    def initialize(main, input, output)
      @main = main
      @functions = Object.private_instance_methods(false)
      @methods = BUILTIN.to_h { |c| [c, c.public_instance_methods(false)] }
      @objects, @ids, @raised = [], {}.compare_by_identity, {}.compare_by_identity
      @theirs, @turn = {}, 0
      @codec = Codec.new(method(:wrap), method(:unwrap))
      @peer = Peer.new(input, output, Json.method(:write), Marshal.method(:load)) { |request| serve(request) }
    end

    # turn is how often something was called that may have changed the tests' objects.
    attr_reader :turn

    def listen = @peer.listen
    def value(tree) = @codec.decode(tree)

    # ask asks the tests for what a value of theirs does.
    def ask(request)
      @turn += 1
      %w[args kwargs block].each { |k| request[k] = @codec.encode(request[k]) if request[k] }
      answer = @peer.call(request)
      raise Peer::Unwind if answer["unwind"]
      again(answer["raise"]) if answer.key?("raise")
      @codec.decode(answer["return"])
    end

    private

    # again raises what the tests raised in a call from here.
    def again(raised)
      error = raised["classes"].filter_map { |n| Object.const_get(n) rescue nil }.find { |c| Class === c && c <= Exception } || RuntimeError
      error = error.allocate
      text = raised["message"]
      error.define_singleton_method(:message) { text }
      error.define_singleton_method(:to_s) { text }
      @raised[error] = raised["id"]
      raise error
    end

    def id(object) = @ids[object] ||= @objects.push(object).size - 1

    # wrap makes a handle of an object: its number, its class and what kinds it is of.
    def wrap(object)
      kind = Codec.kind(object)
      return { "p" => object.__glovebox_id } if kind == Theirs
      return { "k" => KINDS[object] } if KINDS.key?(object)
      return { "o" => id(object), "x" => Module.instance_method(:name).bind_call(object) } if Module === object
      tree = { "o" => id(object), "c" => ref(kind), "k" => kinds(object, kind) }
      tree["l"] = true if kind == Proc || kind == Method
      tree
    end

    def kinds(object, kind)
      all = begin
        (class << object; self; end).ancestors
      rescue TypeError
        kind.ancestors
      end
      (all - Object.ancestors).reject(&:singleton_class?).map { |m| ref(m) }
    end

    # ref names a class or module: Ruby's own by name, others by number and name.
    def ref(m) = KINDS[m] || [id(m), Module.instance_method(:name).bind_call(m)]

    # unwrap finds an object of the program's, or stands for one of the tests'.
    def unwrap(tree)
      return @objects.fetch(tree["o"]) if tree.key?("o")
      return Object.const_get(tree["k"]) if tree.key?("k")
      return tree["n"].to_sym.to_proc if tree.key?("n")
      id = tree.fetch("p")
      return @theirs[id] ||= function(id, tree["l"], tree["a"]) if tree.key?("l")
      theirs = @theirs[id] ||= Theirs.new(self, id)
      theirs.__glovebox_know(tree["v"], @turn)
      theirs
    end

    def function(id, strict, arity)
      call = ->(args, kwargs, block, **more) { ask("proc" => id, "args" => args, "kwargs" => kwargs, "block" => block, **more) }
      here = self
      # A block that is evaluated for an object has that object for self.
      return proc { |*a, **k, &b| here.equal?(self) ? call.(a, k, b) : call.(a, k, b, "self" => here.__send__(:wrap, self)) } unless strict
      case arity
      when 0 then lambda { |&b| call.([], {}, b) }
      when 1 then lambda { |x, &b| call.([x], {}, b) }
      when 2 then lambda { |x, y, &b| call.([x, y], {}, b) }
      when 3 then lambda { |x, y, z, &b| call.([x, y, z], {}, b) }
      else lambda { |*a, **k, &b| call.(a, k, b) }
      end
    end

    def serve(request)
      @turn += 1
      case request["op"]
      when "names" then { "functions" => Object.private_instance_methods(false) - @functions, "methods" => added }
      when "const" then const(request["name"])
      when "load" then { "return" => (require File.expand_path(request["name"], "/workspace")) && true }
      when "list" then { "return" => @codec.encode(list(@objects.fetch(request["target"]))) }
      else invoke(request)
      end
    rescue TooMuch => e
      { "fault" => e.message }
    rescue Peer::Unwind
      { "unwound" => true }
    rescue Exception => e # rubocop:disable Lint/RescueException
      raise if SignalException === e || WireError === e
      { "raise" => raised(e, 0) }
    end

    # added are the methods that the program gave to Ruby's own classes.
    def added
      @methods.filter_map do |c, before|
        names = c.public_instance_methods(false) - before
        [c.name, names.map(&:name)] unless names.empty?
      end.to_h
    end

    def raised(e, depth)
      tree = { "classes" => e.class.ancestors.grep(Class).take_while { |c| c != Object }.map { |c| ref(c) },
               "message" => String.new(e.message.to_s).force_encoding("UTF-8").scrub("?"), "o" => id(e), "attributes" => {} }
      tree["id"] = @raised[e] if @raised.key?(e)
      e.instance_variables.each { |n| tree["attributes"][n.name.delete_prefix("@")] = carried { e.instance_variable_get(n) } }
      CARRIED.each { |n| tree["attributes"][n.name] ||= carried { e.public_send(n) } if e.respond_to?(n) }
      tree["cause"] = raised(e.cause, depth + 1) if e.cause && depth < 3
      tree
    end

    def carried
      @codec.encode(yield)
    rescue StandardError
      nil
    end

    def const(name)
      return {} unless Object.const_defined?(name)
      value = Object.const_get(name)
      return { "exception" => value.ancestors.grep(Class).take_while { |c| c != Object }.map { |c| ref(c) } } if Class === value && value <= Exception
      return { "module" => id(value), "class" => Class === value } if Module === value && !KINDS.key?(value)
      { "return" => @codec.encode(value) }
    end

    def list(object)
      found = []
      object.each do |*e|
        raise TooMuch, "the iteration does not end" if found.size >= LISTED
        found << (e.size == 1 ? e[0] : e)
      end
      found
    end

    def invoke(request)
      args = @codec.decode(request.fetch("args"))
      kwargs = @codec.decode(request["kwargs"] || { "h" => [] })
      block = @codec.decode(request["block"])
      target = request.key?("target") ? @objects.fetch(request["target"]) : @main
      target = args[0] if request["on"]
      given = request["args"]
      rest = request["on"] ? args.drop(1) : args
      result =
        if request.key?("target") || request["on"] then target.public_send(request.fetch("method"), *rest, **kwargs, &block)
        else target.__send__(request.fetch("method"), *rest, **kwargs, &block)
        end
      answer = {}
      same = args.index { |a| a.equal?(result) && (Array === a || Hash === a || String === a) }
      answer["return"] =
        if request["made"] then { "o" => id(result), "c" => ref(Codec.kind(result)), "k" => kinds(result, Codec.kind(result)) }
        elsif same then { "a" => same }
        else @codec.encode(result)
        end
      args.each_with_index do |a, i|
        next unless Array === a || Hash === a || String === a
        now = @codec.encode(a)
        (answer["changed"] ||= []) << [i, now] unless now.eql?(given[i])
      end
      answer
    end
  end
end

file = ARGV.shift
compiled = Glovebox.check(file)
candidate = Glovebox::Candidate.new(self, IO.for_fd(3, "r"), IO.for_fd(4, "w"))
$stdout.sync = true
begin
  compiled.eval
rescue Exception => e # rubocop:disable Lint/RescueException
  e.set_backtrace(e.backtrace.reject { |l| l.start_with?(Glovebox::HOME) }) if e.backtrace
  raise
end
candidate.listen
exit!(0)
