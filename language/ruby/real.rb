# Runs tests with the library that they are written for, in the program's
# process: minitest, test-unit or RSpec, each with a reporter of ours beside its
# own count. Where the two counts differ, the tests did not run as they should.
module Glovebox
  module Real
    # LIBS are the folders of a library and of what it needs, by gem.
    GEMS = { minitest: %w[minitest], test_unit: %w[test-unit power_assert], rspec: %w[rspec rspec-core rspec-expectations rspec-mocks rspec-support diff-lcs] }.freeze
    OPTIONAL = %w[rspec rspec-mocks diff-lcs power_assert].freeze
    # HOOKS are methods of the libraries that tests define anew.
    HOOKS = %i[setup teardown before_setup after_setup before_teardown after_teardown startup shutdown cleanup initialize
               inspect to_s name description].freeze

    class << self
      # load loads a library, and says whether it is here. Its methods are known
      # by what they are then: a program that changes them is found out.
      def load(framework)
        libs = GEMS.fetch(framework).map { |gem| [gem, newest(gem)] }
        return false if libs.any? { |gem, dir| dir.nil? && !OPTIONAL.include?(gem) }
        $LOAD_PATH.unshift(*libs.filter_map(&:last))
        send(framework)
        @before = print
        true
      end

      attr_reader :name

      # changed is the first method of the library that is not what it was, with its
      # class.
      def changed
        now = print
        (@before - now).first || (now - @before).first
      end

      # run runs the tests. What equals a plain value is one of its kind: an object
      # of the program's that equals everything is not asked.
      def run(tests)
        @equal&.call
        @before = print
        @run.call(tests)
      end

      # Equal is before the libraries' own comparison.
      module Equal
        PLAIN = [Integer, Float, String, Symbol, NilClass, TrueClass, FalseClass].freeze
        NUMBERS = [Integer, Float, Rational, Complex].freeze

        def self.fits?(expected, actual)
          want, got = Codec.kind(expected), Codec.kind(actual)
          !PLAIN.include?(want) || got <= want || (want <= Numeric && NUMBERS.include?(got))
        end

        def assert_equal(expected, actual, *rest)
          Equal.fits?(expected, actual) ? super : flunk("expected #{expected.inspect}, got an object of #{Codec.kind(actual)}")
        end
      end

      # Same is before RSpec's own.
      module Same
        def match(expected, actual) = Equal.fits?(expected, actual) && super
      end

      private

      def newest(gem)
        Dir.glob(Analysis::GEMS.map { |g| g.sub("gems/*/lib", "gems/#{gem}-[0-9]*/lib") }).max_by { |d| d[/-(\d[\d.]*)/, 1].to_s.split(".").map(&:to_i) }
      end

      # print is what the methods of the library are.
      def print
        @roots.flat_map { |root| within(root) }.uniq.flat_map do |m|
          [m, m.singleton_class].flat_map { |c| (c.instance_methods(false) + c.private_instance_methods(false)).map { |n| [c, n, c.instance_method(n)] } }
        end
      end

      def within(mod, seen = [])
        return seen if seen.include?(mod)
        seen << mod
        mod.constants(false).each do |n|
          next if mod.autoload?(n)
          v = mod.const_get(n)
          within(v, seen) if Module === v && v.name.to_s.start_with?(mod.name)
        end
        seen
      end

      # replaced is a method of the library that is gone or that another stands
      # before. Tests may add methods of their own, and the library loads more of
      # itself.
      def replaced
        now = print
        classes, known = @before.map(&:first).uniq, @before.map { |_, n, _| n } - HOOKS
        (@before - now).first || (now - @before).find { |c, n, _| classes.include?(c) && known.include?(n) }
      end

      def finish(counted, total, failed)
        m = replaced
        Glovebox.broken("the program changes #{m[0]}##{m[1]}, which the tests rely on") if m
        Glovebox.broken("#{name} counted #{counted} tests where #{total} were reported") if counted != total
        # The program may have emptied what the tests are made of.
        Glovebox.broken("none of the tests ran") if total == 0 && !Unit.bare
        Report.unrunnable("the tests are empty") if total == 0
        Unit.finish(total, @passed, failed, name)
      end

      # note reports a case.
      def note(name, status, message = nil, line = nil)
        @total = @total.to_i + 1
        @passed = @passed.to_i + (status == "passed" ? 1 : 0)
        @failed = @failed.to_i + (%w[failed error].include?(status) ? 1 : 0)
        Unit.other(name, status, message, line)
      end

      # read runs the text of the test files; an error in it is a case of its own.
      def read(tests)
        tests.each do |file, text|
          TOPLEVEL_BINDING.eval(text, file)
        rescue SystemExit
          Glovebox.broken("#{file} ended with exit before its end")
        rescue Exception => e # rubocop:disable Lint/RescueException
          note(File.basename(file), "error", "#{e.class}: #{e.message}", Unit.line(e))
          @extra = @extra.to_i + 1
        end
      end

      def minitest
        require "minitest"
        require "minitest/spec"
        require "minitest/mock"
        Minitest.define_singleton_method(:autorun) {}
        Minitest.define_singleton_method(:load_plugins) { |*| }
        @roots, @name = [Minitest], "minitest #{Minitest::VERSION}"
        @equal = -> { Minitest::Assertions.prepend(Equal) }
        real = self
        reporter = Class.new(Minitest::StatisticsReporter) do
          define_method(:record) do |r|
            super(r)
            status = r.skipped? ? "skipped" : r.passed? ? "passed" : r.error? ? "error" : "failed"
            real.send(:note, "#{r.klass}##{r.name}", status, r.failure&.message, r.failure && r.failure.location[/:(\d+)\z/, 1]&.to_i)
          end
        end
        @run = lambda do |tests|
          read(tests)
          ours = reporter.new(StringIO.new, {})
          all = Minitest::CompositeReporter.new
          all << ours
          Minitest.reporter = all
          Minitest::Runnable.runnables.reject! { |c| c.name.to_s.start_with?("Glovebox") }
          options = { seed: 1, filter: "/./", io: StringIO.new }
          Minitest.seed = options[:seed]
          srand(options[:seed])
          Minitest.parallel_executor.start if Minitest.parallel_executor.respond_to?(:start)
          all.start
          Minitest.__run(all, options)
          Minitest.parallel_executor.shutdown
          Minitest.class_variable_get(:@@after_run).reverse_each(&:call)
          finish(ours.count + @extra.to_i, @total.to_i, @failed.to_i)
        end
      end

      def test_unit
        require "test/unit"
        require "test/unit/version"
        require "test/unit/ui/testrunnermediator"
        require "test/unit/collector/descendant"
        Test::Unit::AutoRunner.need_auto_run = false
        @roots, @name = [Test::Unit], "test-unit #{Test::Unit::VERSION}"
        @equal = -> { Test::Unit::Assertions.prepend(Equal) }
        @run = lambda do |tests|
          read(tests)
          suite = Test::Unit::Collector::Descendant.new.collect("tests")
          result = Test::Unit::TestResult.new
          faults = Hash.new { |h, k| h[k] = [] }
          result.add_listener(Test::Unit::TestResult::FAULT) { |f| faults[f.test_name] << f }
          suite.run(result) do |event, test|
            next unless event == Test::Unit::TestCase::FINISHED_OBJECT
            f = faults.delete(test.name)
            first = f&.find { |x| x.respond_to?(:critical?) && x.critical? } || f&.find { |x| !x.is_a?(Test::Unit::Notification) }
            status = first.nil? ? "passed" : first.is_a?(Test::Unit::Failure) ? "failed" : first.is_a?(Test::Unit::Error) ? "error" : "skipped"
            note("#{test.class.name}##{test.local_name}", status, first&.message, first && first.location&.first.to_s[/:(\d+)/, 1]&.to_i)
          end
          faults.each { |n, f| f.each { |x| note(n, "error", x.message); @extra = @extra.to_i + 1 } }
          finish(result.run_count + @extra.to_i, @total.to_i, @failed.to_i)
        end
      end

      def rspec
        require "rspec/core"
        require "rspec/core/formatters/json_formatter"
        require "rspec/expectations"
        RSpec::Core::Runner.disable_autorun!
        @roots, @name = [RSpec], "RSpec #{RSpec::Core::Version::STRING}"
        @equal = -> { [RSpec::Matchers::BuiltIn::Eq, RSpec::Matchers::BuiltIn::Eql].each { |m| m.prepend(Same) } }
        real = self
        formatter = Class.new do
          define_method(:initialize) { |_output| }
          { example_passed: "passed", example_failed: "failed", example_pending: "skipped" }.each do |event, status|
            define_method(event) do |n|
              e = n.example
              error = e.execution_result.exception
              real.send(:note, e.full_description, status, error&.message || e.execution_result.pending_message, e.metadata[:line_number])
            end
          end
        end
        RSpec::Core::Formatters.register(formatter, :example_passed, :example_failed, :example_pending)
        @run = lambda do |tests|
          own = StringIO.new
          config = RSpec.configuration
          options = RSpec::Core::ConfigurationOptions.new(["--no-color", "--order", "defined", *tests.keys])
          config.output_stream = StringIO.new
          config.error_stream = $stderr
          options.configure(config)
          config.add_formatter(RSpec::Core::Formatters::JsonFormatter, own)
          config.add_formatter(formatter, StringIO.new)
          runner = RSpec::Core::Runner.new(options, config, RSpec.world)
          config.load_spec_files
          outside = RSpec.world.non_example_failure
          status = runner.run_specs(RSpec.world.ordered_example_groups)
          own = JSON.parse(own.string.lines.find { |l| l.start_with?("{") } || "{}")
          said = Array(own["messages"]).join("\n").strip
          own = own.fetch("summary", {})
          errors = own["errors_outside_of_examples_count"].to_i
          note("outside of the examples", "error", said.empty? ? "an error outside of the examples" : said) if errors > 0 || outside
          Glovebox.broken("RSpec says that the tests failed, and none was reported") if status != 0 && @failed.to_i == 0
          finish(own["example_count"].to_i + (errors > 0 || outside ? 1 : 0), @total.to_i, @failed.to_i)
        end
      end
    end
  end
end
