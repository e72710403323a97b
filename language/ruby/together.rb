# Runs a program and its tests in one interpreter:
# ruby together.rb MAIN TEST... -- ARGUMENT...
# The nonce shows that the tests ran to their end; it does not stop a program
# that is out to find it.
$0 = __FILE__
require __dir__ + "/check.rb"
require __dir__ + "/wire.rb"

module Glovebox
  def self.together(main, tests)
    nonce = IO.for_fd(3, "r", autoclose: true).then { |io| io.gets.to_s.chomp.tap { io.close } }
    compiled = nil
    # The report is used for the check and stays open for the tests.
    Report.open(IO.for_fd(5, "w").dup)
    compiled = check(main)
    $LOAD_PATH.unshift(LIBRARY)
    require HOME + "unit.rb"
    Unit::Assertions.freeze
    before = Unit.fingerprint
    finished = false
    begin
      compiled.eval
      finished = true
    rescue Exception => e # rubocop:disable Lint/RescueException
      e.set_backtrace(e.backtrace.reject { |l| l.start_with?(HOME) }) if e.backtrace
      warn e.full_message(highlight: false) unless SystemExit === e
    end
    broken("the program ended before the tests") unless finished
    after = Unit.fingerprint
    changed = (before - after) | (after - before)
    broken("the program changes #{changed[0][0]}##{changed[0][1]}, which the tests rely on") unless changed.empty?
    Unit::CLASSES.clear
    Unit.stand_for([main, "solution", "main"])
    # A tree's tests load it from where they usually find it; what is Ruby's own
    # comes first.
    $LOAD_PATH.push("/workspace/lib", "/workspace/test", "/workspace/spec", "/workspace") if main.start_with?(".glovebox/")
    Unit.before = before
    Unit.run_files(tests, nonce)
  end
end

# What follows -- is the program's.
Glovebox.together(ARGV.shift, ARGV.shift(ARGV.index("--")).tap { ARGV.shift })
