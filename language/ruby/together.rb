# Runs a program and its tests in one interpreter:
# ruby together.rb MAIN TEST... -- HELPER... -- ARGUMENT...
# HELPERs are files of the tests that they load themselves. The tests are run
# with the library that the tests are written for, where Ruby has it, or else
# with our stand-in. The nonce shows that the tests ran to their end; it does not
# stop a program that is out to find it.
$0 = __FILE__
require __dir__ + "/check.rb"
require __dir__ + "/wire.rb"
require __dir__ + "/tests.rb"
require __dir__ + "/analysis.rb"
require __dir__ + "/real.rb"

module Glovebox
  def self.together(main, tests, helpers, tree)
    Report.nonce = IO.for_fd(3, "r", autoclose: true).then { |io| io.gets.to_s.chomp.tap { io.close } }
    # The report is used for the check and stays open for the tests.
    Report.open(IO.for_fd(5, "w", autoclose: false).dup)
    compiled = check(main)
    # As ruby -Ilib -Itest: a library of the program may have the name of one of Ruby's.
    $LOAD_PATH.unshift("/workspace/lib", "/workspace/test", "/workspace/spec", "/workspace") if tree
    texts, analysis = look(main, tests, helpers)
    real = analysis.framework && Real.load(analysis.framework)
    unless real
      Report.unrunnable("the tests need RSpec, which is not here", ["RSpec"]) if analysis.framework == :rspec
      lacks = analysis.lacks
      Report.unrunnable("the tests need #{analysis.name}, which is not here: our stand-in has no #{lacks.join(", ")}", [analysis.name]) unless lacks.empty?
      $LOAD_PATH.unshift(LIBRARY)
      require HOME + "unit.rb"
      Unit::Assertions.freeze
    end
    before = Unit.fingerprint
    begin
      finished = false
      compiled.eval
      finished = true
    rescue Exception => e # rubocop:disable Lint/RescueException
      e.set_backtrace(e.backtrace.reject { |l| l.start_with?(HOME) }) if e.backtrace
      warn e.full_message(highlight: false) unless SystemExit === e
    end
    broken("the program ended before the tests") unless finished
    after = Unit.fingerprint
    changed = ((before - after) | (after - before)).first || (real && Real.changed)
    broken("the program changes #{changed[0]}##{changed[1]}, which the tests rely on") if changed
    Unit::CLASSES.clear
    Unit.stand_for(tree ? [] : [main, "solution", "main"])
    Unit.before = before
    Unit.bare, Unit.catches, Unit.asserts = analysis.bare?, analysis.catches?, real ? nil : analysis.method(:asserts?)
    real ? Real.run(texts) : Unit.run_files(texts)
  end

  # look reads the tests before anything of the program runs.
  def self.look(main, tests, helpers)
    texts = tests.to_h { |t| [t, Unit.read(t)] }
    analysis = Analysis.new(texts.values + helpers.map { |h| Unit.read(h) })
    analysis.refuse([main, "solution", "main", *Dir.glob("**/*.rb", base: "/workspace")])
    [texts, analysis]
  end
end

# What follows the second -- is the program's.
main = ARGV.shift
tests = ARGV.shift(ARGV.index("--")).tap { ARGV.shift }
helpers = ARGV.shift(ARGV.index("--")).tap { ARGV.shift }
Glovebox.together(main, tests, helpers, main.start_with?(".glovebox/"))
