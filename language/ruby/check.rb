# Checks the program before it starts: ruby -r/opt/glovebox/ruby/check.rb FILE.
# What it finds goes to descriptor 5, which is closed before the program's
# first line. RubyGems, which takes most of Ruby's start, is loaded only when a
# library is not found without it.
module Glovebox
  HOME = "/opt/glovebox/ruby/"
  # LIBRARY stands in for testing libraries that this machine may lack.
  LIBRARY = HOME + "lib"

  def self.check(file)
    report = IO.for_fd(5, "w")
    report.sync = true
    begin
      compiled = RubyVM::InstructionSequence.compile_file(file)
      report.puts('{"type":"checked"}')
      compiled
    rescue SyntaxError => e
      text = e.message.scrub("?")
      where, line, message = text.match(/^(.*?):(\d+): (.*)/)&.captures
      # Newer parsers draw the source: their message is after the caret.
      message = text[/\^+ (.*)/, 1] || message if message.nil? || message.start_with?("syntax errors found")
      require "json" # nothing of the program runs after it
      report.puts(JSON.generate(type: "syntax", syntax: { file: where || file, line: line.to_i, message: (message || text)[0, 500] }))
      warn text
      exit!(1)
    ensure
      report.close
    end
  end
end

class Object
  private def require(name)
    super
  rescue LoadError
    Object.send(:remove_method, :require)
    Kernel.require("rubygems")
    require(name)
  end
end
Object.autoload(:Gem, "rubygems")
$LOAD_PATH.push(Glovebox::LIBRARY)

# Sends each line on when it is printed: Ruby keeps 8 KiB back from a pipe, and a
# program that is stopped at a limit loses them. To send a line on is a system
# call, which costs more than many a puts, so a program that prints more than RATE
# lines a second sends several on together.
module Glovebox::Lines
  BURST, RATE = 2000, 1000
  @left, @last = BURST, Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def self.due?
    if @left <= 0
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      @left = [((now - @last) * RATE).to_i, BURST].min
      return false if @left <= 0
      @last = now
    end
    @left -= 1
    true
  end

  def write(*texts)
    written = super
    last = texts.last
    # By bytes: a text may be of an encoding in which a search for "\n" raises an error.
    flush if String === last && (last.getbyte(-1) == 10 || last.b.include?("\n")) && Glovebox::Lines.due?
    written
  end
end
$stdout.singleton_class.prepend(Glovebox::Lines) unless $stdout.sync

Glovebox.check($0) unless $0.start_with?(Glovebox::HOME)
