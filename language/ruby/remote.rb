# What the tests hold of the program's objects: handles, and modules that stand
# for the program's own. docs/harness-protocol.md says what a handle may be asked.
module Glovebox
  # Handle is what is known of an object since it came: its number, its class
  # and the modules that it is of. It is made where the tests' own text
  # constructed the object, by new of a constant of the program's. It is chained
  # where a method of such an object gave the object itself back: then it can be
  # compared with another such one, and with nothing else.
  Handle = Struct.new(:program, :id, :kind, :kinds, :function, :made, :chained) do
    def of?(mod)
      return true if [::Object, ::Kernel, ::BasicObject].include?(mod)
      return false if Remote::VALUES.include?(mod)
      kinds.include?(Glovebox.remote?(mod) ? mod.__glovebox.id : program.number(mod) || mod.name)
    end

    def name = (String === kind ? kind : program.title(kind)) || "a class without a name"
  end

  # Remote stands for one object of the program's.
  class Remote < BasicObject
    undef_method :instance_eval, :instance_exec

    VALUES = [::Array, ::Hash, ::String, ::Symbol, ::Integer, ::Float, ::Numeric, ::Rational, ::Complex, ::Range, ::NilClass, ::TrueClass, ::FalseClass].freeze
    OPERATORS = %i[=== =~ !~ <=> < > <= >= + - * / % ** & | ^ ~ +@ -@ coerce divmod modulo fdiv div quo remainder pow between? clamp].freeze
    NUMBERS = %i[to_i to_f to_r to_c to_int round floor ceil truncate abs magnitude zero? positive? negative? nonzero? even? odd? nan? infinite?
                 finite? integer? succ pred ord chr].freeze
    # Membership and quantifiers: of a result, what its iteration gives is searched here.
    SEARCHED = %i[include? member? any? all? none? one? count index find_index].freeze
    KEYS = %i[key? has_key?].freeze
    MEMBERS = (SEARCHED + KEYS + %i[includes? contains? contain? value? has_value? cover? start_with? end_with? match match? casecmp casecmp? superset? subset? equals?
                                   proper_superset? proper_subset? intersect? disjoint?]).freeze
    GROUPS = %i[each_cons each_slice].freeze
    # TEXTS are methods that texts and lists have. Where the tests name no class of the program, no object has them.
    TEXTS = %i[slice scan sub gsub partition rpartition split delete tr tr_s squeeze each_char each_line each_byte chars lines bytes strip lstrip rstrip chomp chop
               upcase downcase capitalize swapcase center ljust rjust reverse unpack unpack1 encode index rindex delete_prefix delete_suffix
               values_at fetch_values transpose flatten compact uniq sort join].freeze
    # NAMES are operators under another name.
    NAMES = %i[difference intersection union].freeze

    def initialize(handle) = @handle = handle
    def __glovebox = @handle

    def ==(other)
      return true if equal?(other)
      __glovebox_judge(:==, other) == true
    end

    def !=(other) = !(self == other)
    def eql?(other) = equal?(other) || __glovebox_judge(:eql?, other) == true
    def equal?(other)
      id = ::Glovebox.remote?(other) ? other.__glovebox.id : ::Module === other ? @handle.program.number(other) : nil
      id == @handle.id
    end

    def ! = false
    def nil? = false
    def object_id = @handle.id
    def itself = self
    def tap = yield(self) && false || self
    def then = yield(self)
    def class = @handle.program.kind(@handle)
    def is_a?(mod) = @handle.of?(mod)
    alias kind_of? is_a?
    def instance_of?(mod) = @handle.of?(mod) && self.class.equal?(mod)
    def public_send(name, *args, **kwargs, &block) = __send__(name, *args, **kwargs, &block)

    # send reaches what is private in the program, too.
    def send(name, *args, **kwargs, &block)
      known = (OPERATORS + MEMBERS + NUMBERS + NAMES + ::Glovebox::Remote.instance_methods(false)).include?(name.to_sym)
      known ? __send__(name, *args, **kwargs, &block) : @handle.program.invoke(@handle.id, "__send__", [name, *args], kwargs, &block)
    end
    def respond_to?(name, _all = false) = @handle.program.invoke(@handle.id, "respond_to?", [name], {}) == true
    def respond_to_missing?(*) = true

    def hash
      n = @handle.program.invoke(@handle.id, "hash", [], {})
      ::Integer === n ? n & 0xffffffff : ::Glovebox.refuse("hash of #{@handle.name} is no integer")
    end

    def to_s = __glovebox_text("to_s")
    def inspect = __glovebox_text("inspect")

    def to_proc
      remote = self
      ::Kernel.lambda { |*args, **kwargs, &block| remote.call(*args, **kwargs, &block) }
    end

    def method(name)
      ::Glovebox.refuse("the tests take the method #{name} of #{@handle.name}, a result of the program") if !@handle.made && (OPERATORS + MEMBERS + NUMBERS + NAMES + %i[== eql?]).include?(name.to_sym)
      @handle.program.invoke(@handle.id, "method", [name], {})
    end

    def method_missing(name, *args, **kwargs, &block)
      return __glovebox_judge(name, *args, &block) if OPERATORS.include?(name) || (NAMES.include?(name) && !@handle.made && !args.empty?)
      if MEMBERS.include?(name) && (block || !args.empty? || SEARCHED.include?(name) && name != :count)
        # match of what the tests made is a method as any other: Anagram.new('x').match(list).
        return __glovebox_judge(name, *args, &block) if @handle.made && (block || !args.empty?) && name != :match
        return __glovebox_search(name, args, &block) unless @handle.made
      end
      # Of a result, pairs and groups are made here of what its iteration gives.
      return @handle.program.list(@handle).public_send(name, *args, &block) if GROUPS.include?(name) && !@handle.made
      if ::Glovebox::Unit.plain_results && !@handle.made && (TEXTS.include?(name) || (name == :[] && (::String === args[0] || ::Regexp === args[0])))
        ::Glovebox.refuse("the program returned an object of #{@handle.name} where the tests expect a plain value: they call #{name}")
      end
      if NUMBERS.include?(name) && !@handle.made
        ::Glovebox.refuse("the program returned an object of #{@handle.name} where the tests expect a number: they call #{name}")
      end
      result = @handle.program.invoke(@handle.id, name.name, args, kwargs, &block)
      result.__glovebox.chained = true if (@handle.made || @handle.chained) && equal?(result)
      result
    end

    # What the program's own operators say counts only where the tests made one
    # of the two objects, and then the case says so.
    def __glovebox_judge(name, *args, &block)
      other = ::Glovebox.remote?(args[0]) ? args[0].__glovebox : nil
      unless @handle.made || (other && (other.made || (other.chained && @handle.chained) || ::Glovebox::Unit.comparing))
        what = args.empty? ? "" : other ? " with another" : " with a value of the tests"
        ::Glovebox.refuse("the program returned an object of #{@handle.name} where the tests expect a value: its own #{name}#{what} cannot decide")
      end
      ::Glovebox::Unit.judged = true
      result = @handle.program.invoke(@handle.id, name.name, args, {}, &block)
      result.__glovebox.made = true if ::Glovebox.remote?(result) && name != :coerce
      result
    end

    def __glovebox_search(name, args, &block)
      list = @handle.program.list(@handle)
      return list.any? { |k, _| k == args[0] } if KEYS.include?(name)
      unless SEARCHED.include?(name)
        ::Glovebox.refuse("the program returned an object of #{@handle.name} where the tests expect a value: its own #{name} cannot decide")
      end
      list.public_send(name, *args, &block)
    end

    def __glovebox_text(name)
      text = @handle.program.invoke(@handle.id, name, [], {})
      ::String === text ? text : ::Glovebox.refuse("#{name} of #{@handle.name} is no text")
    end
  end

  def self.remote?(value) = Remote === value

  # refuse fails the test, whatever the tests rescue.
  def self.refuse(message)
    failure = Unit::Failure.new(message)
    Unit.note(failure)
    raise failure
  end

  # kept is what a value is now: what a call changes later does not reach it.
  def self.kept(value)
    case Codec.kind(value).name
    when "Array" then value.map { |v| kept(v) }
    when "Hash" then value.dup.tap { |h| h.transform_values! { |v| kept(v) } }
    when "String" then value.dup
    else value
    end
  end

  # Lent is what the program may change of the tests' values. Their text says where: a
  # value is given to be changed, or lent by tests that look at it later.
  module Lent
    @open, @before, @now, @twins, @ways, @written = Array.new(6) { {}.compare_by_identity }

    class << self
      def open(value, way)
        [value, *(value if Array === value), *(value.values if Hash === value)].each { |v| @open[v] = way if Array === v || Hash === v || String === v } unless Glovebox.remote?(value)
        value
      end

      # sent is what the program gets: a value that it changed before, which the tests
      # have seen nothing of, is as it left it.
      def sent(value)
        seen, now = @now[value]
        return value unless now
        fits = alike?(seen, value)
        return now if fits && !@open.key?(value)
        @now.delete(value)
        replace(value, now, @open[value]) if fits
        value
      end

      # changed has an argument be what the program made of it, where the tests look
      # at it.
      def changed(value, now)
        twin = @twins[value]
        way = @open.delete(value) || (twin && @ways[twin])
        unless way
          @now[value] = [kept(value), now]
          return
        end
        @ways[value] = way
        replace(twin, kept(now), way) if twin && alike?(twin, value)
        replace(value, now, way)
      end

      def replace(value, now, way)
        if way == :given then @before.delete(value)
        else
          was, after = @before[value]
          was = kept(value) unless after && alike?(after, value)
          @before[value] = [was, kept(now)]
        end
        value.replace(now) unless value.frozen?
      end

      def close(value) = @open.delete(value)

      # written notes an object of the tests' own that the program writes to.
      def written(object, name) = name.match?(/[^=!<>]=\z|!\z|\A<<\z/) && @written[object] = true

      # before is what a value was before the calls that changed it.
      def before(value)
        parts = @written.empty? ? [] : [value, *(value if Array === value), *(value.values if Hash === value)]
        if parts.any? { |v| @written.key?(v) }
          Glovebox.refuse("the program changed an object of the tests, and they expect of it what it was before: compare with what they know")
        end
        was, after = @before[value]
        return value unless after
        Glovebox.refuse("the program changed an argument, then the tests did, and they expect of it what it was before: compare with a copy") unless alike?(after, value)
        was
      end

      # twin is a value that is one of the tests' own, in another place.
      def twin(value, original) = value.tap { @twins[value] = original }
      def original(value) = @twins.fetch(value, value)

      def alike?(a, b)
        kind = Codec.kind(a)
        return a.equal?(b) if kind != Codec.kind(b) || Remote === a
        if kind == Array then a.size == b.size && a.each_index.all? { |i| alike?(a[i], b[i]) }
        elsif kind == Hash then a.size == b.size && a.all? { |k, v| b.key?(k) && alike?(v, b[k]) }
        elsif kind == Float || kind == Integer || kind == String || kind == Symbol then a.eql?(b)
        else a.equal?(b) || a == b
        end
      end

      private

      def kept(value) = Glovebox.kept(value)
    end
  end

  # Identity has a copy of an argument be the argument, to who asks for the object.
  module Lent::Identity
    def equal?(other) = super || Lent.original(self).__id__ == Lent.original(other).__id__
    def object_id = Lent.original(self).__id__
  end

  def self.given(value) = Lent.open(value, :given)
  def self.lent(value) = Lent.open(value, :lent)
  def self.before(value) = Lent.before(value)
  def self.copied(value) = kept(Lent.before(value))

  # Order fails tests that ask for the order of a number that is none (NaN), or has no
  # end. Each question about the first is answered no, so that (got - want).abs > 0.1
  # would raise nothing; the second is larger than all that the tests expect. Where the
  # tests' text names such numbers, it may ask for the order of those without an end.
  module Order
    BINARY = %i[< <= > >= <=>].freeze
    OTHERS = %i[between? clamp positive? negative?].freeze

    # Whole stands before the order of whole numbers, Broken before that of others.
    Whole, Broken = Module.new, Module.new
    BINARY.each do |name|
      Whole.class_eval("def #{name}(a)\n  ::Glovebox::Order.look(a, :#{name}) unless ::Integer === a\n  super\nend", __FILE__, __LINE__)
      Broken.class_eval("def #{name}(a)\n  ::Glovebox::Order.look(self, :#{name})\n  ::Glovebox::Order.look(a, :#{name})\n  super\nend", __FILE__, __LINE__)
    end
    OTHERS.each do |name|
      Broken.define_method(name) do |*args|
        [self, *args].each { |a| Order.look(a, name) }
        super(*args)
      end
    end

    class << self
      # guard stands before the order of numbers.
      def guard(endless = @endless)
        @endless = endless
        [Integer, Rational].each { |c| c.prepend(Whole) }
        Float.prepend(Broken)
        BigDecimal.prepend(Broken) if defined?(BigDecimal)
      end

      def look(value, name)
        return unless (Float === value || Codec.kind(value).name == "BigDecimal") && !value.finite?
        return if @endless && !value.nan?
        what = value.nan? ? "that is none (NaN)" : "that is infinite"
        Glovebox.refuse("the program gave or brought about a number #{what}, and the tests ask whether it is smaller or larger (#{name})")
      end
    end
  end

  # Stub makes the modules that stand for the program's.
  module Stub
    LOCAL = %i[object_id __id__ __send__ send public_send instance_of? is_a? kind_of? nil? equal? eql? hash == != ! class singleton_class frozen? freeze
               const_get const_set const_missing respond_to_missing? define_singleton_method tap then itself instance_variable_get instance_variable_set].freeze

    def self.make(program, id, path, kind)
      stub = kind ? Class.new : Module.new
      single = stub.singleton_class
      (stub.methods - LOCAL).each do |name|
        single.define_method(name) { |*args, **kwargs, &block| program.invoke(id, name.name, args, kwargs, &block) }
      end
      single.define_method(:method_missing) { |name, *args, **kwargs, &block| program.invoke(id, name.name, args, kwargs, &block) }
      single.define_method(:respond_to_missing?) { |name, _all = false| program.invoke(id, "respond_to?", [name], {}) == true }
      single.define_method(:new) { |*args, **kwargs, &block| program.make(id, args, kwargs, &block) }
      single.define_method(:const_missing) { |name| program.const("#{path}::#{name}") { raise NameError, "uninitialized constant #{path}::#{name}" } }
      single.define_method(:==) { |other| equal?(other) || (Glovebox.remote?(other) && other.equal?(self)) }
      single.define_method(:===) { |value| Glovebox.remote?(value) && value.is_a?(self) }
      %i[name to_s inspect].each { |name| single.define_method(name) { path } }
      stub
    end
  end
end
