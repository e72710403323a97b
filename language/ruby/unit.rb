# A small stand-in for test-unit and minitest: their common assertions, test
# classes, describe and it. It reports each test to Glovebox, or, in a program
# that is run by itself, prints what failed and sets the exit status.
module Glovebox
  # Unit runs tests.
  module Unit
    class Failure < StandardError; end
    class Skip < StandardError; end

    CLASSES = []
    BUILTIN = [Integer, Float, String, Symbol, Array, Hash, Range, Rational, Complex, NilClass, TrueClass, FalseClass].freeze
    OPERATORS = %i[== != ! === eql? equal? <=> =~ hash < > <= >= - size length each include? empty? nil?].freeze
    CALLS = (OPERATORS + %i[raise exit exit! abort throw catch require send __send__ public_send instance_variable_get is_a? kind_of? class method]).freeze

    class << self
      # assertions counts what was asserted. rewrite is done to the text of a
      # test file before it runs.
      # before is the fingerprint from before the program, if it is to be looked
      # at again in the end.
      attr_accessor :assertions, :noted, :rewrite, :before

      # fingerprint is what the builtin classes' operators are: a program that
      # changes them is found out.
      def fingerprint
        (BUILTIN + [BasicObject, Object, Kernel, Comparable, Failure, Assertions, Case, Test, Expectation, Minitest::Spec, self.singleton_class]).flat_map do |c|
          names = BUILTIN.include?(c) || c == BasicObject ? OPERATORS : c.instance_methods(false) + c.private_instance_methods(false)
          names = CALLS if [Object, Kernel, Comparable].include?(c)
          names.select { |n| c.method_defined?(n) || c.private_method_defined?(n) }.map { |n| [c, n, c.instance_method(n)] }
        end
      end

      # note keeps a failure that something may yet swallow.
      def note(error) = (self.noted ||= error)

      # stand_for makes require of the program a no-op: it is here already.
      def stand_for(names)
        known = names.flat_map { |n| [n, n.delete_suffix(".rb")] }
        Object.class_eval do
          %i[require require_relative load].each do |way|
            define_method(way) do |name, *rest|
              next false if known.include?(name.to_s.delete_prefix("./"))
              next super(name, *rest) unless way == :require_relative
              from = File.dirname(File.expand_path(caller_locations(1, 1)[0].path, "/workspace"))
              Kernel.require(File.expand_path(name, from))
            end
            private way
          end
        end
      end

      # run_files runs test files: a file with test classes is the tests in
      # them; one without is a single test, which passes where it runs to its
      # end. The block gives how often the program was called; none where that
      # is not known.
      def run_files(files, nonce = nil)
        @failed = 0
        texts = files.to_h { |f| [f, File.read(f, encoding: "UTF-8")] }
        texts.each do |file, text|
          RubyVM::InstructionSequence.compile(text, file)
        rescue SyntaxError => e
          Glovebox.broken("the tests do not parse: #{Report.bounded(e.message)}")
        end
        tests = files.flat_map do |file|
          known = CLASSES.size
          name = File.basename(file)
          error = finished = nil
          begin
            TOPLEVEL_BINDING.eval(rewrite ? rewrite.call(texts[file]) : texts[file], file)
            finished = true
          rescue Exception => e # rubocop:disable Lint/RescueException
            error = e
          end
          Glovebox.broken("#{name} ended with exit before its end") if SystemExit === error
          found = CLASSES[known..].flat_map { |c| c.tests.map { |m| [c, m] } }
          found = uncalled(texts[file]).map { |m| [Script, m] } if found.empty?
          next found if finished && !found.empty?
          report(name, error)
          [finished ? true : false]
        end
        results = tests.map { |t| t.is_a?(Array) ? run(*t) : t }
        Glovebox.broken("the tests are empty") if results.empty?
        Glovebox.broken("the tests never called the program") if block_given? && yield == 0
        Glovebox.broken("the tests asserted nothing") if tests.any? { |t| Array === t && t[0] != Script } && assertions == 0
        # What require is, we and Ruby change ourselves.
        changed = before ? (before - fingerprint).reject { |c, *| [Object, Kernel].include?(c) } : []
        Glovebox.broken("the program changes #{changed[0][0]}##{changed[0][1]}, which the tests rely on") unless changed.empty?
        passed = results.count(true)
        done = { type: "done", total: results.size, passed: passed, failed: @failed }
        done[:nonce] = nonce if nonce
        Report.event(done)
        $stdout.flush
        exit!(passed == results.size ? 0 : 1)
      end

      # uncalled lists the methods of a script that are named as tests and that
      # the script only defines.
      def uncalled(text)
        text.scan(/^def (test\w*) *(?:\( *\) *)?(?:$|=|;|#)/).flatten.uniq.select { |m| text.scan(/(?<!\w)#{m}(?!\w)/).size == 1 }
      end

      # run runs one test and tells whether it passed.
      def run(test_class, name)
        error = nil
        self.noted = nil
        test = test_class.new(name)
        begin
          begin
            test.setup
            test.__send__(name)
          ensure
            test.teardown
          end
        rescue Exception => e # rubocop:disable Lint/RescueException
          error = e
        end
        report("#{test_class.name}##{name}", error || noted, test)
      end

      def report(name, error, test = nil)
        Glovebox.broken("#{name} ended with exit before its end") if SystemExit === error
        status = case error
                 when nil then "passed"
                 when Skip then "skipped"
                 when Failure then "failed"
                 else "error"
                 end
        @failed += 1 if status == "failed" || status == "error"
        fields = { name: name.to_s, status: status }
        if error
          text = Failure === error || Skip === error ? error.message : "#{error.class}: #{error.message}"
          fields[:message] = Report.bounded(text)
          fields[:line] = line(error)
          fields[:expected], fields[:actual] = error.values.map { |v| Report.bounded(v) } if Failure === error && error.values
        end
        Report.event(type: "case", case: fields.compact)
        error.nil?
      end

      def line(error)
        at = error.backtrace&.find { |l| !l.start_with?(HOME) && !l.start_with?("<internal") }
        at && at[/:(\d+)/, 1].to_i
      end

      # autorun runs the tests of a program that has tests of its own.
      def autorun
        return if @autorun || defined?(Report)
        @autorun = true
        at_exit do
          next if $! && !(SystemExit === $! && $!.success?)
          failed = 0
          total = CLASSES.sum do |c|
            c.tests.each do |m|
              test = c.new(m)
              begin
                begin
                  test.setup
                  test.__send__(m)
                ensure
                  test.teardown
                end
              rescue StandardError, NotImplementedError => e
                next if Skip === e
                failed += 1
                puts "#{Failure === e ? "Failure" : "Error"}: #{m}(#{c.name})", "#{e.class == Failure ? "" : "#{e.class}: "}#{e.message}", ""
              end
            end.size
          end
          puts "#{total} tests, #{assertions} assertions, #{failed} not passed"
          exit(false) if failed > 0
        end
      end
    end
    self.assertions = 0

    class Failure
      attr_accessor :values
    end

    # Assertions are what both libraries have, under both their names.
    module Assertions
      def assert(value = nil, message = nil)
        value = yield if block_given?
        check(value, message) { "expected something true, got #{show(value)}" }
      end

      def refute(value, message = nil) = check(!value, message) { "expected something false, got #{show(value)}" }
      alias assert_not refute

      def assert_equal(expected, actual, message = nil)
        check(same?(expected, actual), message, [expected, actual]) { "expected #{show(expected)}, got #{show(actual)}" }
      end

      def assert_not_equal(expected, actual, message = nil)
        check(!same?(expected, actual), message) { "expected something else than #{show(expected)}" }
      end
      alias refute_equal assert_not_equal

      def assert_nil(value, message = nil) = check(nil.equal?(value), message, [nil, value]) { "expected nil, got #{show(value)}" }
      def assert_not_nil(value, message = nil) = check(!nil.equal?(value), message) { "expected something, got nil" }
      alias refute_nil assert_not_nil

      def assert_true(value, message = nil) = check(true.equal?(value), message, [true, value]) { "expected true, got #{show(value)}" }
      def assert_false(value, message = nil) = check(false.equal?(value), message, [false, value]) { "expected false, got #{show(value)}" }
      def assert_boolean(value, message = nil) = check(true.equal?(value) || false.equal?(value), message) { "expected a boolean, got #{show(value)}" }

      def assert_in_delta(expected, actual, delta = 0.001, message = nil)
        check((expected - number(actual)).abs <= delta, message, [expected, actual]) { "expected #{show(expected)} ± #{delta}, got #{show(actual)}" }
      end

      def assert_in_epsilon(expected, actual, epsilon = 0.001, message = nil)
        assert_in_delta(expected, actual, [expected.abs, number(actual).abs].min * epsilon, message)
      end

      def assert_match(pattern, text, message = nil) = check(Regexp === pattern ? pattern.match?(text) : text.include?(pattern), message) { "expected #{show(text)} to match #{pattern.inspect}" }
      def assert_no_match(pattern, text, message = nil) = check(!pattern.match?(text), message) { "expected #{show(text)} not to match #{pattern.inspect}" }
      alias refute_match assert_no_match

      def assert_include(list, value, message = nil) = check(plain(list).include?(plain(value)), message) { "expected #{show(list)} to include #{show(value)}" }
      alias assert_includes assert_include
      def assert_not_include(list, value, message = nil) = check(!plain(list).include?(plain(value)), message) { "expected #{show(list)} not to include #{show(value)}" }
      alias refute_includes assert_not_include
      alias assert_not_includes assert_not_include

      def assert_empty(list, message = nil) = check(plain(list).empty?, message) { "expected #{show(list)} to be empty" }
      def assert_not_empty(list, message = nil) = check(!plain(list).empty?, message) { "expected something in it" }
      alias refute_empty assert_not_empty

      def assert_instance_of(kind, value, message = nil) = check(value.instance_of?(kind), message) { "expected a #{kind}, got #{show(value)}" }
      def assert_kind_of(kind, value, message = nil) = check(value.kind_of?(kind), message) { "expected a #{kind}, got #{show(value)}" }
      def assert_respond_to(value, name, message = nil) = check(value.respond_to?(name), message) { "expected #{show(value)} to respond to #{name}" }
      def assert_same(expected, actual, message = nil) = check(expected.equal?(actual), message) { "expected the same object as #{show(expected)}" }
      def assert_not_same(expected, actual, message = nil) = check(!expected.equal?(actual), message) { "expected another object than #{show(expected)}" }
      alias refute_same assert_not_same

      def assert_operator(left, operator, right = nil, message = nil) = check(plain(left).public_send(operator, *[right].compact.map { |r| plain(r) }), message) { "expected #{show(left)} #{operator} #{show(right)}" }
      def refute_operator(left, operator, right = nil, message = nil) = check(!plain(left).public_send(operator, *[right].compact.map { |r| plain(r) }), message) { "expected #{show(left)} not #{operator} #{show(right)}" }
      def assert_predicate(value, name, message = nil) = check(plain(value).public_send(name), message) { "expected #{show(value)} to be #{name}" }
      def refute_predicate(value, name, message = nil) = check(!plain(value).public_send(name), message) { "expected #{show(value)} not to be #{name}" }

      def assert_raise(*kinds, &block)
        message = kinds.pop if String === kinds.last
        kinds = [StandardError] if kinds.empty?
        error = raised(&block)
        check(error && kinds.any? { |k| Class === k ? error.is_a?(k) : error.class == k.class }, message) do
          error ? "expected #{kinds.join(" or ")}, got #{error.class}: #{error.message}" : "expected #{kinds.join(" or ")}, nothing was raised"
        end
        error
      end
      alias assert_raises assert_raise
      alias assert_raise_kind_of assert_raise

      def assert_raise_message(expected, message = nil, &block)
        error = raised(&block)
        check(error && expected === error.message, message) { "expected the message #{expected.inspect}, got #{error ? error.message.inspect : "no error"}" }
        error
      end

      def assert_nothing_raised(*)
        error = raised { yield }
        check(error.nil?, nil) { "expected no error, got #{error.class}: #{error.message}" }
      end

      def assert_throws(tag, message = nil)
        caught = true
        catch(tag) { yield; caught = false }
        check(caught, message) { "expected #{tag.inspect} to be thrown" }
      end
      alias assert_throw assert_throws

      def flunk(message = "flunked") = check(false, message) { message }
      def pass(*) = Unit.assertions += 1
      def skip(message = "skipped", *) = raise(Skip, message)
      alias omit skip
      alias pend skip

      private

      def raised
        yield
        nil
      rescue Failure, Skip, SystemExit, SignalException
        raise
      rescue Exception => e # rubocop:disable Lint/RescueException
        e
      end

      def check(truth, message, values = nil)
        Unit.assertions += 1
        return true if truth
        message = message.call if Proc === message
        text = yield
        text = "#{message}: #{text}" if message && message != text
        failure = Failure.new(text)
        failure.values = values.map { |v| show(v) } if values
        raise failure
      end

      # same? compares plain copies: an object's own == has no say against a
      # plain value.
      def same?(expected, actual)
        return expected == actual unless defined?(Codec) && Codec.plain?(expected)
        Codec.plain?(actual) && plain(expected) == plain(actual)
      end

      def plain(value) = defined?(Codec) ? Codec.plain(value) : value
      def number(value) = Numeric === (v = plain(value)) ? v : raise(Failure, "expected a number, got #{show(value)}")

      def show(value)
        value.inspect[0, 2000]
      rescue StandardError, SystemStackError
        "something that cannot be shown"
      end
    end

    # Case is the base of a test class.
    class Case
      include Assertions

      def self.inherited(child)
        super
        CLASSES << child
      end

      def self.tests = public_instance_methods(true).grep(/\Atest_?/).sort.select { |m| instance_method(m).arity.between?(-1, 0) }

      # test-unit's way to give a test a sentence for a name.
      def self.test(text = nil, &block)
        define_method("test_#{text}", &block) if block
      end

      def self.startup; end
      def self.shutdown; end

      def initialize(name) = @method_name = name

      attr_reader :method_name
      alias name method_name
      def setup; end
      def teardown; end
    end
    Test = Class.new(Case)
    CLASSES.clear

    # Script runs the test methods of a script that has no test class.
    class Script
      def self.name = "script"
      def initialize(name) = define_singleton_method(name) { TOPLEVEL_BINDING.receiver.__send__(name) }
      def setup; end
      def teardown; end
    end

    # Expectation is what minitest's _, value and expect give.
    class Expectation
      def initialize(test, target, block) = (@test, @target, @block = test, target, block)

      { equal: "equal", include: "include", match: "match", be_instance_of: "instance_of", be_kind_of: "kind_of", be_same_as: "same",
        be_close_to: "in_delta", be_within_delta: "in_delta", be_within_epsilon: "in_epsilon" }.each do |name, assertion|
        flipped = %i[include].include?(name)
        define_method("must_#{name}") { |value, *rest| @test.public_send("assert_#{assertion}", *(flipped ? [@target, value] : [value, @target]), *rest) }
      end
      { equal: "equal", include: "includes", match: "match", be_same_as: "same" }.each do |name, assertion|
        define_method("wont_#{name}") { |value, *rest| @test.public_send("refute_#{assertion}", *(name == :include ? [@target, value] : [value, @target]), *rest) }
      end
      def must_be_nil(*rest) = @test.assert_nil(@target, *rest)
      def wont_be_nil(*rest) = @test.refute_nil(@target, *rest)
      def must_be_empty(*rest) = @test.assert_empty(@target, *rest)
      def wont_be_empty(*rest) = @test.refute_empty(@target, *rest)
      def must_respond_to(name, *rest) = @test.assert_respond_to(@target, name, *rest)
      def must_be(name, *value) = value.empty? ? @test.assert_predicate(@target, name) : @test.assert_operator(@target, name, *value)
      def wont_be(name, *value) = value.empty? ? @test.refute_predicate(@target, name) : @test.refute_operator(@target, name, *value)
      def must_raise(*kinds) = @test.assert_raises(*kinds, &(@block || @target))
      def must_throw(tag) = @test.assert_throws(tag, &(@block || @target))
    end
    CLASSES.clear
  end
end

module Test
  module Unit
    TestCase = Class.new(Glovebox::Unit::Case)
    Assertions = Glovebox::Unit::Assertions
    AssertionFailedError = Glovebox::Unit::Failure
  end
end

module Minitest
  Test = Class.new(Glovebox::Unit::Case)
  Assertion = Glovebox::Unit::Failure
  Assertions = Glovebox::Unit::Assertions
  Spec = Class.new(Test)
  Spec.class_eval do
    def _(target = nil, &block) = Glovebox::Unit::Expectation.new(self, target, block)
    alias value _
    alias expect _
  end

  def self.autorun = Glovebox::Unit.autorun
end
MiniTest = Minitest
Glovebox::Unit::CLASSES.clear

module Kernel
  private

  # minitest's describe and it.
  def describe(what, *, &block)
    parent = Class === self && self <= Minitest::Spec ? self : Minitest::Spec
    spec = Class.new(parent)
    spec.define_singleton_method(:name) { what.to_s }
    spec.define_singleton_method(:it) { |text, &test| define_method("test_#{text}", &test) }
    spec.define_singleton_method(:before) { |*, &b| define_method(:setup, &b) }
    spec.define_singleton_method(:after) { |*, &b| define_method(:teardown, &b) }
    spec.define_singleton_method(:let) { |name, &b| define_method(name) { (@lets ||= {})[name] ||= instance_eval(&b) } }
    spec.class_eval(&block)
  end
end
Glovebox::Unit.autorun
