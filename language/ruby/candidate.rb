# Serves calls of a program's methods: ruby candidate.rb FILE.
$0 = __FILE__
require __dir__ + "/check.rb"
require __dir__ + "/wire.rb"

module Glovebox
  # Candidate holds the program's objects, and calls them for the tests.
  class Candidate
    def initialize(main, input, output)
      @main = main
      @before = Object.private_instance_methods(false)
      @objects = []
      @codec = Codec.new(method(:wrap), method(:unwrap))
      @peer = Peer.new(input, output, @codec) { |request| serve(request) }
    end

    def listen = @peer.listen

    private

    def wrap(object)
      id = @objects.index { |o| o.__id__ == object.__id__ } || @objects.push(object).size - 1
      { "o" => id, "m" => Module === object }
    end

    # unwrap finds an object of the program's, or stands for one of the tests'.
    def unwrap(json)
      return @objects.fetch(json["o"]) if json.key?("o")
      id = json.fetch("p")
      proc do |*args, **kwargs|
        result = @peer.call("proc" => id, "args" => @codec.encode(args), "kwargs" => @codec.encode(kwargs))
        raise result["raise"].fetch("message") if result.key?("raise")
        @codec.decode(result["return"])
      end
    end

    def serve(request)
      case request["op"]
      when "names" then { "return" => Object.private_instance_methods(false) - @before }
      when "const" then const(request["name"])
      else invoke(request)
      end
    rescue Exception => e # rubocop:disable Lint/RescueException
      raise if SystemExit === e || SignalException === e || WireError === e
      { "raise" => { "classes" => e.class.ancestors.grep(Class).map(&:to_s), "message" => e.message.to_s.dup.force_encoding("UTF-8").scrub("?") } }
    end

    def const(name)
      return {} unless Object.const_defined?(name)
      value = Object.const_get(name)
      return { "exception" => value.ancestors.grep(Class).map(&:to_s) } if Class === value && value <= Exception
      { "return" => @codec.encode(value) }
    end

    def invoke(request)
      args = @codec.decode(request.fetch("args"))
      kwargs = @codec.decode(request["kwargs"] || { "h" => [] })
      block = @codec.decode(request["block"])
      target = request.key?("target") ? @objects.fetch(request["target"]) : @main
      given = args.map { |a| @codec.encode(a) }
      result =
        if request.key?("target") then target.public_send(request.fetch("method"), *args, **kwargs, &block)
        else target.__send__(request.fetch("method"), *args, **kwargs, &block)
        end
      answer = {}
      same = args.index { |a| a.equal?(result) && (Array === a || Hash === a || String === a) }
      answer["return"] = same ? { "a" => same } : @codec.encode(result)
      args.each_with_index do |a, i|
        next unless Array === a || Hash === a || String === a
        now = @codec.encode(a)
        (answer["changed"] ||= []) << [i, now] if now != given[i]
      end
      answer
    end
  end
end

file = ARGV.shift
compiled = Glovebox.check(file)
candidate = Glovebox::Candidate.new(self, IO.for_fd(3, "r"), IO.for_fd(4, "w"))
$stdout.sync = true
begin
  compiled.eval
rescue Exception => e # rubocop:disable Lint/RescueException
  e.set_backtrace(e.backtrace.reject { |l| l.start_with?(Glovebox::HOME) }) if e.backtrace
  raise
end
candidate.listen
exit!(0)
