# What all ways to run tests need: their text, what stands for the program's
# files, the report, and what a program must not change.
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
      # assertions counts what was asserted. judged says that the case that runs
      # rested on what the program's own operators say. before is the fingerprint
      # from before the program, if it is to be looked at again in the end.
      # bare says that the tests' text makes no test, plain_results that it names no class
      # of the program's.
      # asserts reports whether the text of a test, by its name, has assertions.
      # original gives the value of the tests' that a copy of it stands for.
      # catches says that the tests' text names the failure of an assertion.
      # comparing says that its text compares two results of the program.
      attr_accessor :original, :bare, :plain_results, :asserts, :catches, :assertions, :noted, :judged, :comparing, :before

      # fingerprint is what the builtin classes' operators are: a program that
      # changes them is found out.
      def fingerprint
        ours = %i[Assertions Case Test Expectation].filter_map { |n| const_get(n) if const_defined?(n, false) }
        (BUILTIN + ours + [BasicObject, Object, Kernel, Comparable, Failure, Report.singleton_class, singleton_class]).flat_map do |c|
          names = BUILTIN.include?(c) || c == BasicObject ? OPERATORS : c.instance_methods(false) + c.private_instance_methods(false)
          names = CALLS if [Object, Kernel, Comparable].include?(c)
          names.select { |n| c.method_defined?(n) || c.private_method_defined?(n) }.map { |n| [c, n, c.instance_method(n)] }
        end
      end

      # note keeps a failure that something may yet swallow.
      def note(error) = (self.noted ||= error)

      # read reads a file of tests.
      def read(file)
        text = File.read(file, encoding: "UTF-8")
        Report.unrunnable("the tests are not text in UTF-8: #{file}") unless text.valid_encoding?
        RubyVM::InstructionSequence.compile(text, file)
        text
      rescue SyntaxError => e
        Report.unrunnable("the tests do not parse: #{e.message}")
      end

      def plain(name) = name.to_s.delete_prefix("./").delete_suffix(".rb")

      # stand_for makes require of the program a no-op: it is here already. Other
      # files of the program are for the block.
      def stand_for(names, files = [], &load)
        plain = Unit.method(:plain)
        known = names.map { |n| File.basename(plain.(n)) }
        Object.class_eval do
          %i[require require_relative load].each do |way|
            define_method(way) do |name, *rest|
              path = plain.(name)
              ours = caller_locations(1, 1)[0].path.start_with?(HOME)
              next super(name, *rest) if ours && way != :require_relative
              # Ruby's own libraries, and those of assertions, are none of the program's.
              next super(name, *rest) if way == :require && Analysis.library?(name.to_s)
              next false if known.include?(path) || way == :require_relative && known.include?(File.basename(path))
              other = files.find { |f| plain.(f) == path || path.end_with?("/" + plain.(f)) || (way == :require_relative && File.basename(plain.(f)) == File.basename(path)) }
              next load ? load.(other) : Kernel.require(File.join("/workspace", other)) if other
              next super(name, *rest) unless way == :require_relative
              from = File.dirname(File.expand_path(caller_locations(1, 1)[0].path, "/workspace"))
              Kernel.require(File.expand_path(name, from))
            end
            private way
          end
        end
      end

      # finish reports the end, and ends the process.
      def finish(total, passed, failed, framework = nil)
        # What require is, we and Ruby change ourselves.
        changed = before ? (before - fingerprint).reject { |c, *| [Object, Kernel].include?(c) } : []
        Glovebox.broken("the program changes #{changed[0][0]}##{changed[0][1]}, which the tests rely on") unless changed.empty?
        Report.event({ type: "done", total: total, passed: passed, failed: failed, framework: framework }.compact)
        $stdout.flush
        exit!(passed == total ? 0 : 1)
      end

      # other reports a case that a library of its own ran.
      def other(name, status, message = nil, line = nil)
        Report.event(type: "case", case: { name: name, status: status, message: message && Report.bounded(message), line: line }.compact)
      end

      def line(error)
        at = error.backtrace&.find { |l| !l.start_with?(HOME) && !l.start_with?("<internal") }
        at && at[/:(\d+)/, 1].to_i
      end
    end
    self.assertions = 0

    class Failure
      attr_accessor :values
    end
  end
end
