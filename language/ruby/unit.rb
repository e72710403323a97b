# A small stand-in for test-unit and minitest: their common assertions, test
# classes, describe and it. It reports each test to Glovebox, or, in a program
# that is run by itself, prints what failed and sets the exit status.
require __dir__ + "/tests.rb"

module Glovebox
  # Unit runs tests.
  module Unit
    class << self
      # compares reports of a test, by its name, whether its text compares two results
      # of the program: then the program's own word decides it, whatever comes.
      attr_accessor :compares

      # run_files runs test files, given by their texts: a file with test classes
      # is the tests in them; one without is a single test, which passes where it
      # runs to its end. The block gives how often the program was called; none
      # where that is not known.
      def run_files(texts)
        @failed = 0
        compares?(nil)
        tests = texts.flat_map do |file, text|
          known, asserted = CLASSES.size, assertions
          name = File.basename(file)
          error = finished = self.noted = nil
          begin
            TOPLEVEL_BINDING.eval(text, file)
            finished = true
          rescue Exception => e # rubocop:disable Lint/RescueException
            error = e
          end
          Glovebox.broken("#{name} ended with exit before its end") if SystemExit === error
          found = CLASSES[known..].flat_map { |c| c.__glovebox_tests.map { |m| [c, m] } }
          found = uncalled(text).map { |m| [Script, m] } if found.empty?
          error ||= noted || unasserted(file, found.empty? && CLASSES.size == known ? asserted : -1)
          # Test classes that come to have no test are no script that passes.
          next found if finished && !error && (!found.empty? || (CLASSES.size > known && assertions == asserted))
          report(name, error)
          [error.nil?]
        end
        # What a file asked when it was read may be in each of its tests.
        @always = judged
        results = tests.map { |t| t.is_a?(Array) ? run(*t) : t }
        # The program may have emptied what the tests are made of.
        Glovebox.broken("none of the tests ran") if results.empty? && !bare && (!block_given? || yield > 0)
        Report.unrunnable("the tests are empty") if results.empty?
        Glovebox.broken("the tests never called the program") if block_given? && yield == 0 && @failed == 0
        finish(results.size, results.count(true), @failed)
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
        compares?(name)
        self.judged ||= @always
        test, asserted = test_class.new(name), assertions
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
        report("#{test_class.name}##{name}", error || noted || unasserted(name, asserted), test)
      end

      # unasserted is the failure of a test whose text has assertions of which none
      # ran since there were that many.
      def unasserted(name, before) = asserts && assertions == before && asserts.call(name) ? Failure.new("none of its assertions ran") : nil

      # compares? settles before a test whether its text has it judged.
      def compares?(name) = self.judged = self.comparing = compares ? compares.call(name) : false

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
        fields[:proof] = "candidate_judged" if status == "passed" && judged
        if error
          text = Failure === error || Skip === error ? error.message : "#{error.class}: #{error.message}"
          fields[:message] = Report.bounded(text)
          fields[:line] = line(error)
          fields[:expected], fields[:actual] = error.values.map { |v| Report.bounded(v) } if Failure === error && error.values
        end
        Report.event(type: "case", case: fields.compact)
        error.nil?
      end

      # autorun runs the tests of a program that has tests of its own.
      def autorun
        return if @autorun || defined?(Report)
        @autorun = true
        at_exit do
          next if $! && !(SystemExit === $! && $!.success?)
          failed = 0
          total = CLASSES.sum do |c|
            c.__glovebox_tests.each do |m|
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
    # Assertions are what both libraries have, under both their names.
    module Assertions
      NONE = Object.new.freeze

      def assert(value = nil, message = nil)
        value = yield if block_given?
        __glovebox_check(value, message) { "expected something true, got #{__glovebox_show(value)}" }
      end

      def refute(value, message = nil) = __glovebox_check(!value, message) { "expected something false, got #{__glovebox_show(value)}" }
      alias assert_not refute

      def assert_block(message = nil) = __glovebox_check(yield, message) { "expected the block to give something true" }

      def assert_equal(expected, actual, message = nil)
        __glovebox_check(__glovebox_same?(expected, actual), message, [expected, actual]) { "expected #{__glovebox_show(expected)}, got #{__glovebox_show(actual)}" }
      end

      def assert_not_equal(expected, actual, message = nil)
        __glovebox_check(!__glovebox_same?(expected, actual), message) { "expected something else than #{__glovebox_show(expected)}" }
      end
      alias refute_equal assert_not_equal

      def assert_nil(value, message = nil) = __glovebox_check(nil.equal?(value), message, [nil, value]) { "expected nil, got #{__glovebox_show(value)}" }
      def assert_not_nil(value, message = nil) = __glovebox_check(!nil.equal?(value), message) { "expected something, got nil" }
      alias refute_nil assert_not_nil

      def assert_true(value, message = nil) = __glovebox_check(true.equal?(value), message, [true, value]) { "expected true, got #{__glovebox_show(value)}" }
      def assert_false(value, message = nil) = __glovebox_check(false.equal?(value), message, [false, value]) { "expected false, got #{__glovebox_show(value)}" }
      def assert_boolean(value, message = nil) = __glovebox_check(true.equal?(value) || false.equal?(value), message) { "expected a boolean, got #{__glovebox_show(value)}" }

      def assert_in_delta(expected, actual, delta = 0.001, message = nil)
        __glovebox_check((__glovebox_number(expected) - __glovebox_number(actual)).abs <= delta, message, [expected, actual]) { "expected #{__glovebox_show(expected)} ± #{delta}, got #{__glovebox_show(actual)}" }
      end

      def refute_in_delta(expected, actual, delta = 0.001, message = nil)
        __glovebox_check((__glovebox_number(expected) - __glovebox_number(actual)).abs > delta, message) { "expected something else than #{__glovebox_show(expected)} ± #{delta}" }
      end
      alias assert_not_in_delta refute_in_delta

      def refute_in_epsilon(expected, actual, epsilon = 0.001, message = nil) = refute_in_delta(expected, actual, __glovebox_number(expected).abs * epsilon, message)
      alias assert_not_in_epsilon refute_in_epsilon

      def assert_in_epsilon(expected, actual, epsilon = 0.001, message = nil)
        assert_in_delta(expected, actual, [expected.abs, __glovebox_number(actual).abs].min * epsilon, message)
      end

      def assert_match(pattern, text, message = nil) = __glovebox_check(__glovebox_pattern(pattern).match?(text), message) { "expected #{__glovebox_show(text)} to match #{pattern.inspect}" }
      def assert_no_match(pattern, text, message = nil) = __glovebox_check(!__glovebox_pattern(pattern).match?(text), message) { "expected #{__glovebox_show(text)} not to match #{pattern.inspect}" }
      alias refute_match assert_no_match
      alias assert_not_match assert_no_match

      def assert_include(list, value, message = nil) = __glovebox_check(list.include?(value), message) { "expected #{__glovebox_show(list)} to include #{__glovebox_show(value)}" }
      alias assert_includes assert_include
      def assert_not_include(list, value, message = nil) = __glovebox_check(!list.include?(value), message) { "expected #{__glovebox_show(list)} not to include #{__glovebox_show(value)}" }
      alias refute_includes assert_not_include
      alias refute_include assert_not_include
      alias assert_not_includes assert_not_include

      def assert_empty(list, message = nil) = __glovebox_check(list.empty?, message) { "expected #{__glovebox_show(list)} to be empty" }
      def assert_not_empty(list, message = nil) = __glovebox_check(!list.empty?, message) { "expected something in it" }
      alias refute_empty assert_not_empty

      def assert_instance_of(kind, value, message = nil) = __glovebox_check(value.instance_of?(kind), message) { "expected a #{kind}, got #{__glovebox_show(value)}" }
      def assert_kind_of(kind, value, message = nil) = __glovebox_check(value.kind_of?(kind), message) { "expected a #{kind}, got #{__glovebox_show(value)}" }
      def assert_respond_to(value, name, message = nil) = __glovebox_check(value.respond_to?(name), message) { "expected #{__glovebox_show(value)} to respond to #{name}" }
      def assert_not_instance_of(kind, value, message = nil) = __glovebox_check(!value.instance_of?(kind), message) { "expected no #{kind}, got #{__glovebox_show(value)}" }
      alias refute_instance_of assert_not_instance_of
      def assert_not_kind_of(kind, value, message = nil) = __glovebox_check(!value.kind_of?(kind), message) { "expected no #{kind}, got #{__glovebox_show(value)}" }
      alias refute_kind_of assert_not_kind_of
      def assert_not_respond_to(value, name, message = nil) = __glovebox_check(!value.respond_to?(name), message) { "expected #{__glovebox_show(value)} not to respond to #{name}" }
      alias refute_respond_to assert_not_respond_to
      def assert_same(expected, actual, message = nil) = __glovebox_check(__glovebox_one?(expected, actual), message) { "expected the same object as #{__glovebox_show(expected)}" }
      def assert_not_same(expected, actual, message = nil) = __glovebox_check(!__glovebox_one?(expected, actual), message) { "expected another object than #{__glovebox_show(expected)}" }
      alias refute_same assert_not_same

      def assert_operator(left, operator, right = NONE, message = nil) = __glovebox_check(__glovebox_operate(left, operator, right), message) { "expected #{__glovebox_show(left)} #{operator} #{__glovebox_show(right)}" }
      alias assert_compare assert_operator
      def refute_operator(left, operator, right = NONE, message = nil) = __glovebox_check(!__glovebox_operate(left, operator, right), message) { "expected #{__glovebox_show(left)} not #{operator} #{__glovebox_show(right)}" }
      alias assert_not_operator refute_operator
      def assert_predicate(value, name, message = nil) = __glovebox_check(value.public_send(name), message) { "expected #{__glovebox_show(value)} to be #{name}" }
      def refute_predicate(value, name, message = nil) = __glovebox_check(!value.public_send(name), message) { "expected #{__glovebox_show(value)} not to be #{name}" }
      alias assert_not_predicate refute_predicate

      # test-unit's takes exactly the classes that are named, minitest's also those below.
      def assert_raise(*kinds, &block)
        __glovebox_raises(kinds, block) { |error, k| Class === k ? error.instance_of?(k) : Module === k ? k === error : error.class == k.class && error.message == k.message }
      end

      def assert_raise_kind_of(*kinds, &block) = __glovebox_raises(kinds, block) { |error, k| k === error }
      alias assert_raises assert_raise

      def assert_raise_with_message(kind, expected, message = nil, &block)
        error = assert_raise(*[kind, message].compact, &block)
        __glovebox_check(expected === error.message, message) { "expected the message #{expected.inspect}, got #{error.message.inspect}" }
        error
      end

      def assert_raise_message(expected, message = nil, &block)
        error = __glovebox_raised(&block)
        __glovebox_check(error && expected === error.message, message) { "expected the message #{expected.inspect}, got #{error ? error.message.inspect : "no error"}" }
        error
      end

      def assert_nothing_raised(*)
        error = __glovebox_raised { yield }
        __glovebox_check(error.nil?, nil) { "expected no error, got #{error.class}: #{error.message}" }
      end

      def assert_throws(tag, message = nil)
        caught = true
        catch(tag) { yield; caught = false }
        __glovebox_check(caught, message) { "expected #{tag.inspect} to be thrown" }
      rescue UncaughtThrowError => e # of the program, which threw it in its own process
        __glovebox_check(e.tag == tag, message) { "expected #{tag.inspect} to be thrown, got #{__glovebox_show(e.tag)}" }
      end
      alias assert_throw assert_throws

      def assert_nothing_thrown(message = nil)
        yield.tap { pass }
      rescue UncaughtThrowError => e
        __glovebox_check(false, message) { "expected nothing to be thrown, got #{__glovebox_show(e.tag)}" }
      end

      def flunk(message = "flunked") = __glovebox_check(false, message) { message }
      def pass(*) = Unit.assertions += 1
      def skip(message = "skipped", *) = raise(Skip, message)
      alias omit skip

      private

      # raises passes where the block raises what one of kinds fits.
      def __glovebox_raises(kinds, block, &fits)
        message = kinds.pop if String === kinds.last
        any = kinds.empty?
        error = __glovebox_raised(kinds.include?(SystemExit), Unit.catches && kinds.include?(Failure), &block)
        __glovebox_check(error && (any || kinds.any? { |k| fits.call(error, k) }), message) do
          wanted = any ? "an error" : kinds.join(" or ")
          error ? "expected #{wanted}, got #{error.class}: #{error.message}" : "expected #{wanted}, nothing was raised"
        end
        error
      end

      def __glovebox_pattern(p) = String === p ? Regexp.new(Regexp.escape(p)) : p
      def __glovebox_operate(left, operator, right) = NONE.equal?(right) ? left.public_send(operator) : left.public_send(operator, right)

      def __glovebox_raised(ends = false, fails = false)
        yield
        nil
      rescue SystemExit => e
        ends ? e : raise
      rescue Failure, Skip, SignalException => e
        fails && Failure === e ? e : raise
      rescue Exception => e # rubocop:disable Lint/RescueException
        e
      end

      def __glovebox_check(truth, message, values = nil)
        Unit.assertions += 1
        return true if truth
        message = message.call if Proc === message
        text = yield
        text = "#{message}: #{text}" if message && message != text
        failure = Failure.new(text)
        failure.values = values.map { |v| __glovebox_show(v) } if values
        # Whatever rescues it, the test has failed.
        Unit.note(failure) unless Unit.catches
        raise failure
      end

      def __glovebox_one?(a, b) = a.equal?(b) || (Unit.original ? Unit.original.(a).equal?(Unit.original.(b)) : false)
      def __glovebox_same?(expected, actual) = expected == actual
      def __glovebox_number(value) = Numeric === value ? value : raise(Failure, "expected a number, got #{__glovebox_show(value)}")

      def __glovebox_show(value)
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

      # The names of our own methods are none that tests define.
      def self.__glovebox_tests = public_instance_methods(true).grep(/\Atest_?/).sort.select { |m| instance_method(m).arity.between?(-1, 0) }

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
      def wont_be_instance_of(kind, *rest) = @test.refute_instance_of(kind, @target, *rest)
      def wont_be_kind_of(kind, *rest) = @test.refute_kind_of(kind, @target, *rest)
      def wont_respond_to(name, *rest) = @test.refute_respond_to(@target, name, *rest)
      def wont_be_close_to(value, *rest) = @test.refute_in_delta(value, @target, *rest)
      alias wont_be_within_delta wont_be_close_to
      def wont_be_within_epsilon(value, *rest) = @test.refute_in_epsilon(value, @target, *rest)
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
  Test.class_eval do
    def assert_raises(*kinds, &block)
      kinds = [StandardError, *kinds.grep(String)] if kinds.grep_v(String).empty?
      assert_raise_kind_of(*kinds, &block)
    end

    def self.parallelize_me!; end
    def self.i_suck_and_my_tests_are_order_dependent!; end
    def self.make_my_diffs_pretty!; end
  end
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
    spec.define_singleton_method(:name) { parent == Minitest::Spec ? what.to_s : "#{parent.name}::#{what}" }
    spec.define_singleton_method(:it) do |text = "anonymous", &test|
      name = "test_#{text}"
      name += "'" while method_defined?(name, false)
      define_method(name, &(test || -> { skip "(no tests defined)" }))
    end
    spec.singleton_class.alias_method(:specify, :it)
    spec.define_singleton_method(:subject) { |&b| define_method(:subject) { (@lets ||= {})[:subject] ||= instance_eval(&b) } }
    spec.define_singleton_method(:before) { |*, &b| define_method(:setup, &b) }
    spec.define_singleton_method(:after) { |*, &b| define_method(:teardown, &b) }
    spec.define_singleton_method(:let) { |name, &b| define_method(name) { (@lets ||= {})[name] ||= instance_eval(&b) } }
    spec.class_eval(&block)
  end
end
Glovebox::Unit.autorun
