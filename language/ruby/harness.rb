# Runs the tests of a program that is in another process:
# ruby harness.rb MAIN FILE... -- TEST...
# FILEs are the program's other files of Ruby.
$0 = __FILE__
require __dir__ + "/check.rb"
require __dir__ + "/wire.rb"
$LOAD_PATH.unshift(Glovebox::LIBRARY)
require __dir__ + "/unit.rb"
require __dir__ + "/analysis.rb"
require __dir__ + "/remote.rb"
require __dir__ + "/program.rb"

module Glovebox
  module Harness
    class << self
      def run(main, files, tests)
        Report.open(IO.for_fd(5, "w"))
        texts = tests.to_h { |t| [t, Unit.read(t)] }
        @analysis = read(texts, [main, "solution", "main", *files, *tests, *Dir.glob("**/*.rb", base: "/workspace")])
        @program = Program.new(IO.for_fd(3, "r"), IO.for_fd(4, "w"), @analysis.words, @analysis.framework.nil?) { |word| @analysis.reserved?(word) }
        Kernel.undef_method(:j, :jj) # json's
        Unit.stand_for([main, "solution", "main"], files) { |name| @program.load(name) && supply }
        @analysis.library.each { |lib| require lib }
        supply
        name_constants
        Unit.compares, Unit.asserts = @analysis.method(:judged?), @analysis.method(:asserts?)
        Unit.bare, Unit.catches, Unit.plain_results = @analysis.bare?, @analysis.catches?, @analysis.plain?
        Order.guard(@analysis.endless?)
        Unit.original = Lent.method(:original)
        [Array, Hash, String].each { |c| c.prepend(Lent::Identity) }
        keep_loops if @analysis.words.include?("StopIteration")
        kept = @analysis.kept
        texts.each_key.with_index { |t, i| texts[t] = Glovebox.rewrite(texts[t], kept[i]) }
        Unit.run_files(texts) { @program.asked }
      end

      private

      # read looks at the tests, before anything of the program is heard.
      def read(texts, files)
        analysis = Analysis.new(texts.values)
        analysis.refuse(files)
        if (reason = analysis.together)
          Report.event(type: "fallback", reason: reason)
          exit!(0)
        end
        analysis
      end

      # supply gives the tests the methods that they use and nobody else defines.
      def supply
        functions, methods = @program.names
        program = @program
        stubs = Module.new
        (@analysis.words & functions).each do |name|
          next if @analysis.reserved?(name) || Object.private_method_defined?(name) || Object.method_defined?(name)
          stubs.define_method(name) { |*args, **kwargs, &block| program.invoke(nil, name, args, kwargs, &block) }
          stubs.send(:private, name)
        end
        # Behind Kernel, so that a library that the tests load comes first.
        Kernel.include(stubs)
        methods.each { |c, names| extend_core(c, names) }
      end

      CORE = [Integer, Float, String, Symbol, Array, Hash, Range, Rational, Complex, NilClass, TrueClass, FalseClass, Time, Numeric, Comparable, Enumerable, Proc, Object, Kernel].to_h { |c| [c.name, c] }.freeze
      HOOKS = /\Ato_(?:a|ary|s|str|h|hash|i|int|f|r|c|sym|proc|io|path|enum|set)\z|\A(?:coerce|method_missing|respond_to_missing\?|inspect|hash|call)\z/

      def extend_core(name, names)
        core = CORE[name] or return
        program = @program
        (@analysis.words & names).each do |n|
          next if @analysis.reserved?(n) || n.match?(HOOKS) || core.method_defined?(n) || core.private_method_defined?(n)
          core.define_method(n) { |*args, **kwargs, &block| program.invoke(nil, n, [self, *args], kwargs, on: true, &block) }
        end
      end

      # keep_loops has no loop of the tests ended by what the program raises.
      def keep_loops
        Kernel.class_eval do
          remove_method :loop
          def loop
            return to_enum(:loop) { Float::INFINITY } unless block_given?
            begin
              yield while true
            rescue StopIteration => e
              raise if e.instance_variable_defined?(FOREIGN)
              e.result
            end
          end
          private :loop
        end
      end

      def name_constants
        program, words = @program, @analysis.words
        Object.define_singleton_method(:const_missing) do |name|
          next super(name) if !words.include?(name.name) || Analysis::LIBRARY.key?(name.name)
          Object.const_set(name, program.const(name.name) { super(name) })
        end
      end
    end
  end
end

rest = ARGV.dup
main = rest.shift
Glovebox::Harness.run(main, rest.shift(rest.index("--")), rest.drop(1))
