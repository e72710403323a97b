# Calls the program on the tests' behalf. Nothing that comes from it is trusted:
# it is values, handles and exceptions, or the end of the tests.
require "json"

module Glovebox
  # Foreign marks an exception that the program raised.
  FOREIGN = :@__glovebox_foreign

  class Program
    # Exceptions are Ruby's own that an exception of the program may arrive as.
    # None ends the tests' process or their loops.
    def self.exceptions(named)
      ends = [SystemExit, StopIteration, SignalException].reject { |c| named.include?(c.name) }
      ends << StopIteration if named.include?("produce")
      ObjectSpace.each_object(Class).select { |c| c <= Exception && c.name && !c.name.start_with?("Glovebox") && ends.none? { |e| c <= e } }.to_h { |c| [c.name, c] }
    end

    CORE = {}.compare_by_identity
    # RENAMED are Ruby's own exceptions under names of the program's.
    RENAMED = {}.compare_by_identity
    # Everyone are methods of any object that the program may call on one of the tests'.
    EVERYONE = %i[class is_a? kind_of? instance_of? respond_to? nil? inspect to_s hash == != eql? equal? object_id frozen? === =~ itself <=>].freeze
    OPEN = [Struct, Enumerable, Comparable, Enumerator, Enumerator::Lazy, Exception, Proc, Method].freeze
    # Methods that call another, whose name is an argument.
    INDIRECT = %i[inject reduce to_enum enum_for to_set each_entry dig binding receiver owner unbind].freeze
    MODULES = %i[new name ===].freeze
    CARRIED = %w[key receiver name result tag status errno].freeze
    # SIZES say how many elements an object has, and STEPS go through all of them.
    SIZES = %w[size length count].freeze
    STEPS = %w[each each_entry each_with_index each_with_object each_pair map collect flat_map filter_map select filter reject sum group_by partition].freeze
    LISTS = %w[to_a entries].freeze
    # READERS are methods after which an object is what it was.
    READERS = (SIZES + STEPS + LISTS + %w[first last [] at fetch dig empty? include? to_s inspect hash name respond_to? min max sort]).freeze
    OWN = /\A(?:test|assert|refute|setup|teardown|flunk|skip|pass\z|omit|pend|must_|wont_)/

    # asked is how often the program was asked for anything, calls how often something of it was called.
    attr_reader :calls, :asked

    # words are those of the tests; scripts tells that raising is how they assert.
    # reserved reports whether a word is never the program's.
    def initialize(input, output, words, scripts, &reserved)
      @calls, @scripts, @reserved, @evaluated = 0, scripts, reserved, {}.compare_by_identity
      @exceptions = Program.exceptions(words)
      @stubs, @titles, @readers = {}, {}, {}
      @numbers, @theirs, @lent = {}.compare_by_identity, [], {}.compare_by_identity
      @raised, @turn = [], Mutex.new
      @sizes, @steps, @asked = {}, Hash.new(0), 0
      @codec = Codec.new(method(:wrap), method(:unwrap)) { Order.guard }
      load = lambda do |bytes|
        raise WireError, "a message is not text in UTF-8" unless bytes.force_encoding(Encoding::UTF_8).valid_encoding?
        JSON.parse(bytes, max_nesting: 4 * Codec::DEPTH, create_additions: false)
      rescue JSON::ParserError, EncodingError
        raise WireError, "a message is not JSON"
      end
      @peer = Peer.new(input, output, Marshal.method(:dump), load) { |request| serve(request) }
      ObjectSpace.each_object(Module) { |m| CORE[m] = true } if CORE.empty?
    end

    # names are the methods that the program defines, and those that it gave to
    # Ruby's own classes.
    def names
      answer = ask("op" => "names")
      functions, methods = answer.fetch("functions"), answer.fetch("methods")
      raise WireError, "names of no known form" unless Array === functions && Hash === methods
      [functions.grep(String), methods.to_h { |c, n| [c, n.grep(String)] }]
    rescue WireError, KeyError, NoMethodError, TypeError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    def load(name)
      answer = ask("op" => "load", "name" => name)
      raise_again(answer["raise"]) if answer.key?("raise")
    end

    # const returns a constant of the program's, or what the block gives.
    def const(path)
      @asked += 1
      answer = ask("op" => "const", "name" => path)
      raise_again(answer["raise"]) if answer.key?("raise")
      return named(path, answer["exception"]) if answer.key?("exception")
      return stub(Integer(answer["module"]), path, answer["class"] == true) if answer.key?("module")
      return yield unless answer.key?("return")
      decode(answer["return"])
    rescue ArgumentError, TypeError => e
      raise if e.instance_variable_defined?(FOREIGN)
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    def inspect = "#<the program>"
    def number(mod) = @numbers[mod]
    def title(id) = @titles[id]

    # kind is the class of a handle's object.
    def kind(handle)
      return @exceptions[handle.kind] || (Object.const_defined?(handle.kind) ? Object.const_get(handle.kind) : Object) if String === handle.kind
      @stubs[handle.kind] || Remote.new(Handle.new(self, handle.kind, "Class", ["Class", "Module"], false, false))
    end

    # make constructs an object, of which nothing but a handle comes back.
    def make(target, args, kwargs, &block)
      remote = invoke(target, "new", args, kwargs, made: true, &block)
      Glovebox.broken("the program's answer is wrong: a construction gave no object") unless Glovebox.remote?(remote)
      remote.__glovebox.made = true
      remote
    end

    # settle refuses an object that says how many elements it has and then goes
    # through none: the assertions in the tests' loops would see nothing.
    def settle(id, name, result, stepped)
      @sizes.clear unless READERS.include?(name)
      size, steps = @sizes[id]
      size = result if SIZES.include?(name) && Integer === result && stepped.nil?
      # What gives an object may go through the elements later.
      steps = stepped if STEPS.include?(name) && stepped && (name.start_with?("each") || !Glovebox.remote?(result))
      steps = result.size if LISTS.include?(name) && Array === result
      @sizes[id] = [size, steps]
      Glovebox.refuse("the program's object says that it has #{size} elements, and goes through none") if steps == 0 && size && size > 0
    end

    def list(handle)
      answer = ask("op" => "list", "target" => handle.id)
      Glovebox.refuse("the program returned an object of #{handle.name} where the tests expect a list: it cannot be iterated") if answer.key?("raise")
      found = decode(answer["return"])
      Glovebox.broken("the program's answer is wrong: an iteration gave no list") unless Array === found
      settle(handle.id, "to_a", found, nil)
      found
    end

    def invoke(target, name, args, kwargs, made: false, on: false, &block)
      @calls += 1
      @asked += 1
      # A change arrives where the tests' text lets it; see Lent.
      sent = args.map { |a| Lent.sent(a) }
      request = { "method" => name, "args" => @codec.encode(sent) }
      request["target"] = target if target
      request["on"] = true if on
      request["made"] = true if made
      request["kwargs"] = @codec.encode(kwargs) unless kwargs.empty?
      request["block"] = @codec.encode(block) if block
      mark, before = @raised.size, @steps[@lent[block]]
      answer =
        begin
          ask(request, name)
        ensure
          given = @raised.slice!(mark..)
        end
      raise_again(answer["raise"], given) if answer.key?("raise")
      (answer["changed"] || []).each { |i, now| change(args.fetch(i), sent[i] = decode(now)) }
      args.each { |a| Lent.close(a) }
      result = decode(answer["return"], args, sent)
      settle(target, name, result, @lent.key?(block) ? @steps[@lent[block]] - before : nil) if target && args.empty?
      result
    rescue TooMuch => e
      Glovebox.refuse("an argument of #{name} cannot be carried to the program: #{e.message}")
    rescue KeyError, IndexError, RangeError, NoMethodError, TypeError => e
      raise if e.instance_variable_defined?(FOREIGN) || given.nil? || given.include?(e)
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    private

    def ask(request, name = nil)
      # Threads of the tests take turns.
      answer = @turn.owned? ? @peer.call(request) : @turn.synchronize { @peer.call(request) }
      Glovebox.refuse("what #{name || "the program"} gives cannot be carried to the tests: #{Report.bounded(answer["fault"])}") if answer.key?("fault")
      raise WireError, "an answer without an end" if answer.key?("unwound")
      answer
    rescue EOFError, Errno::EPIPE
      Glovebox.broken("the program's process ended#{" during #{name}" if name}")
    rescue WireError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    def change(value, now)
      raise WireError, "an argument changed its kind" unless [Array, Hash, String].any? { |c| c === value && c === now }
      Lent.changed(value, now)
    rescue WireError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    # decode reads a value. An argument that comes back is a copy of what it is now.
    def decode(tree, args = nil, sent = nil)
      return Integer(tree["a"]).then { |i| Lent.twin(Glovebox.kept(sent.fetch(i)), Lent.original(args.fetch(i))) } if args && tree.is_a?(Hash) && tree.key?("a")
      @codec.decode(tree)
    rescue WireError, KeyError, IndexError, RangeError, ArgumentError, TypeError, SystemStackError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    # wrap stands for a value of the tests: a handle that came is given back, the
    # rest are references, whose methods run here.
    def wrap(value)
      value = RENAMED.fetch(value, value) if Module === value
      return { "o" => value.__glovebox.id } if Glovebox.remote?(value)
      return { "o" => @numbers[value] } if Module === value && @numbers.key?(value)
      return { "k" => value.name } if Module === value && CORE.key?(value) && value.name
      # A block that is a method's name calls nothing of the tests.
      name = Proc === value && value.lambda? && value.source_location.nil? && value.inspect[/\(&:(.+?)\)/, 1]
      return { "n" => name } if name
      id = @lent[value] ||= @theirs.push(value).size - 1
      return { "p" => id, "v" => snapshot(value) } unless Proc === value || Method === value
      { "p" => id, "l" => Method === value || value.lambda?, "a" => value.arity }
    end

    # snapshot is what the plain attributes of an object of the tests' are now: the
    # program may read them without asking until something else is called.
    def snapshot(value)
      return {} if Module === value
      readers(Codec.kind(value)).filter_map do |name|
        v = value.public_send(name)
        kind = Codec.kind(v)
        [name.name, @codec.encode(v)] if [Integer, Float, Symbol, NilClass, TrueClass, FalseClass].include?(kind) || (kind == String && v.bytesize < 1000)
      end.to_h
    end

    # readers are the methods of a class of the tests' that do nothing but read.
    def readers(kind)
      @readers[kind] ||= kind.public_instance_methods.first(400).select do |name|
        m = kind.public_instance_method(name)
        next false if CORE.key?(m.owner) || m.arity != 0 || m.original_name != name
        m.source_location.nil? ? m.owner.superclass == Struct : RubyVM::InstructionSequence.of(m).nil?
      end.first(20)
    end

    def unwrap(tree)
      if tree.key?("p")
        id = tree["p"]
        raise WireError, "a value of the tests that is none" unless Integer === id && id >= 0 && id < @theirs.size
        return @theirs[id]
      end
      return @exceptions[tree["k"]] || core(tree["k"]) if tree.key?("k") && String === tree["k"]
      id = tree["o"]
      raise WireError, "a value of no known form" unless Integer === id
      if tree.key?("x")
        @titles[id] ||= title_of(tree["x"])
        return @stubs[id] || Remote.new(Handle.new(self, id, "Class", ["Class", "Module"], false, false))
      end
      kinds = tree["k"]
      raise WireError, "a value of no known form" unless Array === kinds && kinds.size < 200
      Remote.new(Handle.new(self, id, ref(tree["c"]), kinds.map { |k| ref(k) }, tree["l"] == true, false))
    end

    def core(name)
      value = name.match?(/\A[A-Z]\w*\z/) && Object.const_defined?(name) ? Object.const_get(name) : nil
      raise WireError, "a class of no known name" unless Module === value && CORE.key?(value)
      value
    end

    # ref reads the name of a class of Ruby's own, or the number of another.
    def ref(tree)
      return tree if String === tree && tree.size < 200
      raise WireError, "a class of no known form" unless Array === tree && Integer === tree[0]
      @titles[tree[0]] ||= title_of(tree[1])
      tree[0]
    end

    def title_of(text) = String === text && text.match?(/\A[A-Z][\w:]{0,200}\z/) ? text : "a class without a name"

    def stub(id, path, kind)
      @titles[id] = path
      @stubs[id] ||= Stub.make(self, id, path, kind).tap { |s| @numbers[s] = id }
    end

    # named is the exception that a constant of the program's names. One of Ruby's
    # own, under another name, is that class to what the program raises; what the tests
    # raise, and assertions that fail, are none of it.
    def named(path, classes)
      kind = exception(classes)
      return kind if @stubs.value?(kind)
      made = Class.new(kind)
      %i[name to_s inspect].each { |m| made.define_singleton_method(m) { kind.name } }
      made.define_singleton_method(:===) { |e| super(e) || (kind === e && e.instance_variable_defined?(FOREIGN)) }
      made.define_singleton_method(:==) { |other| equal?(other) || kind.equal?(other) }
      RENAMED[made] = kind
      made
    end

    # exception is the class that stands for one of the program's: its own for
    # each, below those of Ruby's that it comes from.
    def exception(classes)
      raise WireError, "an exception of no known form" unless Array === classes && classes.size < 100
      first = classes[0] or return RuntimeError
      return @exceptions[first] || exception(classes.drop(1)) if String === first
      id = ref(first)
      known = @stubs[id]
      return known if Class === known && known <= Exception
      raise WireError, "a class became an exception" if known
      path, program = @titles[id], self
      made = Class.new(exception(classes.drop(1)))
      %i[name to_s inspect].each { |m| made.define_singleton_method(m) { path } }
      made.define_singleton_method(:const_missing) { |name| program.const("#{path}::#{name}") { raise NameError, "uninitialized constant #{path}::#{name}" } }
      made.define_singleton_method(:new) { |*args, **kwargs, &block| program.send(:constructed, id, args, kwargs, &block) }
      made.define_singleton_method(:exception) { |*args, **kwargs| new(*args, **kwargs) }
      made.define_singleton_method(:method_missing) { |name, *args, **kwargs, &block| program.invoke(id, name.name, args, kwargs, &block) }
      @numbers[made] = id
      @stubs[id] = made
    rescue WireError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    # constructed is an exception of the program's that the tests make.
    def constructed(id, args, kwargs, &block)
      remote = make(id, args, kwargs, &block)
      arrived(@stubs[id], remote.message.to_s, remote.__glovebox.id, {})
    end

    def arrived(kind, message, id, attributes)
      program = self
      kind.allocate.tap do |e|
        %i[is_a? kind_of?].each { |m| e.define_singleton_method(m) { |k| RENAMED.key?(k) ? k === self : super(k) } }
        e.define_singleton_method(:instance_of?) { |k| super(RENAMED.fetch(k, k)) }
        %i[message to_s].each { |m| e.define_singleton_method(m) { message } }
        attributes.each do |name, value|
          e.define_singleton_method(name) { value } if name.match?(/\A[a-z_]\w*\z/) && (CARRIED.include?(name) || !e.respond_to?(name, true))
        end
        e.define_singleton_method(:method_missing) { |name, *args, **kwargs, &b| program.invoke(id, name.name, args, kwargs, &b) }
        e.define_singleton_method(:respond_to_missing?) { |name, _all = false| !name.start_with?("to_") && program.invoke(id, "respond_to?", [name], {}) == true }
        e.instance_variable_set(FOREIGN, id)
      end
    end

    # raise_again raises what the program raised, whole: its class, its message
    # and its plain attributes. An exception that the tests raised in a block
    # during this call comes out of it as it went in.
    def raise_again(raised, given = [])
      raise WireError, "an exception of no known form" unless Hash === raised
      if raised.key?("id")
        theirs = given.find { |e| e.object_id == raised["id"] } or raise WireError, "an exception of the tests that is none"
        Kernel.raise(theirs)
      end
      Kernel.raise(rebuilt(raised))
    rescue WireError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    end

    def rebuilt(raised, depth = 0)
      attributes = Hash === raised["attributes"] ? raised["attributes"].to_h { |k, v| [k.to_s, decode(v)] } : {}
      raise WireError, "an exception of no known form" unless Integer === raised["o"]
      error = arrived(exception(raised["classes"]), Report.bounded(raised["message"]), raised["o"], attributes)
      if Hash === raised["cause"] && depth < 3
        cause = rebuilt(raised["cause"], depth + 1)
        error.define_singleton_method(:cause) { cause }
      end
      error
    end

    # serve runs a block or a method of the tests' for the program.
    def serve(request)
      raise WireError, "a call of no known form" unless Hash === request
      args, kwargs, block = decode(request["args"] || []), decode(request["kwargs"] || { "h" => [] }), decode(request["block"])
      block = block.to_proc if Glovebox.remote?(block)
      raise WireError, "a call of no known form" unless Array === args && Hash === kwargs && (block.nil? || Proc === block)
      @steps[request["proc"]] += 1 if request.key?("proc")
      { "return" => @codec.encode(within(request) { callee(request).call(*args, **kwargs.transform_keys(&:to_sym), &block) }) }
    rescue WireError => e
      Glovebox.broken("the program's answer is wrong: #{e.message}")
    rescue StandardError, NotImplementedError => e
      # The program cannot make a failed assertion unseen.
      Unit.note(e) if Unit::Failure === e || Unit::Skip === e || (@scripts && e.instance_of?(RuntimeError) && !e.instance_variable_defined?(FOREIGN))
      @raised << e
      { "raise" => { "id" => e.object_id, "classes" => e.class.ancestors.grep(Class).filter_map(&:name), "message" => Report.bounded(e.message) } }
    end

    # within runs a block that the program evaluates for one of its objects, as
    # languages within Ruby do: words that nobody else knows are asked of that
    # object. The block's own self stays what it is.
    def within(request)
      me = request.key?("self") && request.key?("proc") ? decode(request["self"]) : nil
      return yield unless Glovebox.remote?(me)
      block = function(request["proc"])
      return yield unless Proc === block
      tests = block.binding.receiver
      program, reserved = self, @reserved
      unless @evaluated.key?(tests)
        @evaluated[tests] = []
        stack = @evaluated[tests]
        tests.define_singleton_method(:method_missing) do |name, *args, **kwargs, &block|
          next super(name, *args, **kwargs, &block) if stack.empty? || reserved.call(name.name)
          program.invoke(stack.last.__glovebox.id, name.name, args, kwargs, &block)
        end
      end
      @evaluated[tests].push(me)
      begin
        yield
      ensure
        @evaluated[tests].pop
      end
    end

    def callee(request)
      return function(request["proc"]) if request.key?("proc")
      object, name = lent(request["object"]), request["method"]
      raise WireError, "a call of no known form" unless String === name && name.size < 200
      method = begin
        Kernel.instance_method(:public_method).bind_call(object, name)
      rescue NameError
        nil
      end
      owner = method ? method.owner : Kernel.instance_method(:method).bind_call(object, :method_missing).owner
      unless EVERYONE.include?(name.to_sym) || (OPEN.include?(owner) && !INDIRECT.include?(name.to_sym)) || (Module === object && MODULES.include?(name.to_sym)) || (!CORE.key?(owner) && !name.match?(OWN))
        raise NoMethodError, "undefined method `#{name}' for a value of the tests: the program may only call what the tests define"
      end
      Lent.written(object, name) unless Module === object
      ->(*args, **kwargs, &block) { object.public_send(name, *args, **kwargs, &block) }
    end

    def function(id)
      f = lent(id)
      raise WireError, "a block of the tests that is none" unless Proc === f || Method === f
      f
    end

    def lent(id)
      raise WireError, "a value of the tests that is none" unless Integer === id && id >= 0 && id < @theirs.size
      @theirs[id]
    end
  end
end
