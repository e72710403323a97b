# Reads the text of tests, with Ruby's own parser, and says how they can be run.
# It runs before anything of the program is heard, and knows nothing of it.
require "ripper"
require __dir__ + "/changes.rb"
require __dir__ + "/sharing.rb"

module Glovebox
  class Analysis
    # MINITEST and TEST_UNIT are the assertions that the two libraries have.
    MINITEST = %w[assert assert_empty assert_equal assert_in_delta assert_in_epsilon assert_includes assert_instance_of assert_kind_of assert_match assert_mock
                  assert_nil assert_operator assert_output assert_path_exists assert_pattern assert_performance assert_performance_constant
                  assert_performance_exponential assert_performance_linear assert_performance_logarithmic assert_performance_power assert_predicate assert_raises assert_respond_to assert_same
                  assert_send assert_silent assert_throws refute refute_empty refute_equal refute_in_delta refute_in_epsilon refute_includes
                  refute_instance_of refute_kind_of refute_match refute_nil refute_operator refute_path_exists refute_pattern refute_predicate
                  refute_respond_to refute_same].freeze
    TEST_UNIT = %w[assert assert_alias_method assert_all assert_all? assert_any? assert_block assert_boolean assert_compare assert_const_defined assert_empty
                   assert_equal assert_fail_assertion assert_false assert_in_delta assert_in_epsilon assert_include assert_includes
                   assert_instance_of assert_kind_of assert_match assert_nil assert_no_match assert_none? assert_not assert_not_const_defined assert_not_empty
                   assert_not_equal assert_not_in_delta assert_not_in_epsilon assert_not_include assert_not_includes assert_not_instance_of
                   assert_not_kind_of assert_not_match assert_not_nil assert_not_operator assert_not_predicate assert_not_respond_to assert_not_same
                   assert_not_send assert_nothing_leaked_memory assert_nothing_raised assert_nothing_thrown assert_operator assert_path_exist
                   assert_path_not_exist assert_predicate assert_raise assert_raise_kind_of assert_raise_message assert_raise_with_message
                   assert_raises assert_respond_to assert_same assert_send assert_throw assert_throws assert_true refute refute_empty refute_equal
                   refute_in_delta refute_in_epsilon refute_include refute_includes refute_instance_of refute_kind_of refute_match refute_nil
                   refute_operator refute_predicate refute_respond_to refute_same assert_in_out_err].freeze
    # NOT_OURS are words of the libraries that our stand-in does not do.
    NOT_OURS = %w[assert_performance assert_performance_constant assert_performance_exponential assert_performance_linear
                  assert_performance_logarithmic assert_performance_power assert_mock assert_output assert_silent assert_path_exists refute_path_exists assert_pattern refute_pattern assert_alias_method
                  assert_all assert_all? assert_any? assert_none? assert_const_defined assert_not_const_defined assert_fail_assertion assert_path_exist
                  assert_path_not_exist assert_in_out_err assert_nothing_leaked_memory assert_send assert_not_send capture_io capture_output
                  capture_subprocess_io data sub_test_case cleanup attribute priority keep exclude_all notify pend omit_if omit_unless skip_until
                  mock fail_after add_failure add_assertion assertion_message passed? skipped? description].freeze
    MOCKS = %w[stub stub_any_instance stubs expects any_instance].freeze
    # Words of the libraries that are no function of a program's.
    RESERVED = /\A(?:assert|refute|must_|wont_)|\A(?:flunk|skip|pass|omit|pend|setup|teardown)\z/
    MINITEST_WORDS = %w[message diff mu_pp mu_pp_for_diff exception_details name].freeze
    SPEC_WORDS = %w[describe it specify let subject before after _ value expect].freeze

    # LIBRARY are the constants of Ruby's library, with what to require for them.
    LIBRARY = { "Set" => "set", "SortedSet" => "set", "Date" => "date", "DateTime" => "date", "JSON" => "json", "BigDecimal" => "bigdecimal",
                "BigMath" => "bigdecimal/math", "OpenStruct" => "ostruct", "SecureRandom" => "securerandom", "Digest" => "digest", "Timeout" => "timeout",
                "Benchmark" => "benchmark", "Forwardable" => "forwardable", "SingleForwardable" => "forwardable", "Singleton" => "singleton",
                "Observable" => "observer", "Delegator" => "delegate", "SimpleDelegator" => "delegate", "ERB" => "erb", "YAML" => "yaml", "Psych" => "psych",
                "CSV" => "csv", "Shellwords" => "shellwords", "PP" => "pp", "Prime" => "prime", "Matrix" => "matrix", "Vector" => "matrix",
                "Tempfile" => "tempfile", "StringIO" => "stringio", "StringScanner" => "strscan", "URI" => "uri", "Logger" => "logger",
                "Pathname" => "pathname", "Etc" => "etc", "Zlib" => "zlib", "Base64" => "base64", "Open3" => "open3", "FileUtils" => "fileutils",
                "MonitorMixin" => "monitor", "WeakRef" => "weakref", "TSort" => "tsort", "Find" => "find", "IPAddr" => "ipaddr",
                "OptionParser" => "optparse", "PStore" => "pstore", "Ripper" => "ripper", "RbConfig" => "rbconfig", "Abbrev" => "abbrev",
                "Socket" => "socket", "Coverage" => "coverage" }.freeze
    # JUDGES are libraries that assert and compare, with a constant of each that has
    # but one meaning. No file of the program is one of them.
    JUDGES = { "hashdiff" => "Hashdiff", "super_diff" => "SuperDiff", "diff-lcs" => nil, "diff/lcs" => nil, "diffy" => "Diffy", "shoulda" => "Shoulda",
               "shoulda-context" => nil, "shoulda-matchers" => nil, "mocha" => "Mocha", "rr" => nil, "flexmock" => "FlexMock", "power_assert" => "PowerAssert",
               "wrong" => nil, "riot" => nil, "bacon" => nil, "assertions" => nil, "rspec" => "RSpec", "json-diff" => "JsonDiff", "json_spec" => "JsonSpec",
               "deepsort" => "DeepSort", "equivalent-xml" => "EquivalentXml", "compare-xml" => "CompareXML", "timecop" => "Timecop", "webmock" => "WebMock",
               "faker" => "Faker", "rantly" => "Rantly", "numo/narray" => "Numo" }.freeze
    # LOADED are those that we load where tests forget it, as they are plain values.
    LOADED = %w[Set Date DateTime JSON BigDecimal].freeze
    FILES = %w[ENV ARGV ARGF Dir IO Tempfile Open3 FileUtils Pathname STDIN STDOUT STDERR DATA].freeze
    PATHS = %w[expand_path join dirname basename extname absolute_path].freeze
    STREAMS = %w[$stdout $stderr $stdin $> $<].freeze
    # GLOBALS are Ruby's own.
    GLOBALS = /\A\$(?:[^a-z]|stdout|stderr|stdin|LOAD_PATH|LOADED_FEATURES|PROGRAM_NAME|VERBOSE|DEBUG|FILENAME|\w\z)/
    EVALUATE = %w[eval instance_eval class_eval module_eval instance_exec class_exec module_exec].freeze
    INSIDES = %w[instance_variable_get instance_variable_set class_variable_get class_variable_set define_method define_singleton_method remove_method
                 undef_method remove_const const_set prepend refine using const_defined? local_variable_set set_trace_func trace_var at_exit fork
                 method_defined? instance_methods private_methods public_instance_methods private_instance_methods instance_variables set_backtrace].freeze
    NAMED = %w[send public_send __send__ const_get method public_method instance_method].freeze
    COMMANDS = %w[system exec spawn popen syscall].freeze
    # KERNEL are functions of Ruby's own that a program's tests may mean otherwise.
    KERNEL = %w[test select open print p puts putc loop fail sleep trap exec warn rand load gets format sprintf srand catch throw abort].freeze
    BASES = %w[Object BasicObject Struct Comparable Enumerable Kernel Data].freeze

    # OFTEN is a number of calls of a block that takes too long between two processes.
    OFTEN = 100_000
    # PLAIN are methods that give plain values, whatever their object is.
    PLAIN = %w[size length count to_s to_str to_i to_f to_r to_a to_h inspect hash name keys values sum join class superclass ancestors object_id sort].freeze

    attr_reader :words

    def initialize(texts)
      @defined, @consts, @calls, @functions, @requires, @bases, @globals, @assigned = Array.new(8) { [] }
      @relative = []
      @judged, @pairs, @flows = [], [], Hash.new { |h, k| h[k] = [] }
      @asserting, @rescued = [], []
      @reason, @named, @skips = nil, [], []
      @lets = texts.flat_map { |t| t.scan(/\b(?:let!?|subject!?)[ (]+:(\w+)/).flatten }
      @words = texts.flat_map { |t| t.scan(/[A-Za-z_]\w*[?!]?/) }.uniq
      @texts = texts.map { |t| Ripper.sexp(t).tap { |tree| walk(tree) } }
      follow(texts)
      @pairs.each { |name, *both| @judged << name if both.all? { |n| theirs?(n) } }
      @rescued.each { |name, classes| @judged << name unless classes.all? { |c| @defined.include?(c) } }
    end

    # asserts? reports whether the text of a test has assertions. A test that the
    # text does not name is one of those that are made while it is read.
    def asserts?(name)
      name = name.to_s.sub(/'+\z/, "")
      @asserting.include?(@named.include?(name) ? name : nil)
    end

    # bare? reports whether the text makes no test at all.
    def bare? = !framework.nil? && @defined.grep(/\Atest/).empty? && (@calls & MAKES).empty? && !@words.include?("define_method")
    MAKES = %w[it specify test its example focus fit fexample xit pending skip property scenario include include_examples it_behaves_like it_should_behave_like].freeze

    # catches? reports whether the tests name the failure of an assertion.
    def catches? = @consts.any? { |c| c.match?(/(?:\A|::)(?:Assertion|AssertionFailedError|ExpectationNotMetError)\z/) }

    # endless? reports whether the tests name the numbers that have no end.
    def endless? = (@words & %w[INFINITY Infinity NAN NaN nan? infinite? finite?]).any?

    # plain? reports whether the tests name no class or module of the program: what
    # its functions give are plain values then.
    def plain? = @consts.none? { |c| own_constant?(c[/\A\w+/]) }

    # kept are the places of each text where variables are more than they seem.
    def kept = @changes.map(&:marks)

    # judged? reports whether a test compares two values with each other that both
    # come from objects of the program: then the program's own word decides. A test
    # is known by its method's name; nil is the text outside of all tests.
    def judged?(name) = @judged.include?(nil) || @judged.include?(name.to_s.sub(/'+\z/, ""))

    # framework is the library that the tests are written for, or nil.
    def framework
      return :rspec if @requires.any? { |r| r.match?(%r{\A(?:rspec|spec_helper)\b}) } || @consts.include?("RSpec") || (@calls.include?("describe") && @calls.include?("to") && @calls.include?("expect"))
      return :minitest if @requires.any? { |r| r.start_with?("minitest") } || (@consts & %w[Minitest MiniTest]).any?
      return :test_unit if @requires.any? { |r| r.match?(%r{\Atest[/-]unit}) } || @consts.include?("Test::Unit")
      :minitest if @calls.include?("describe") && @calls.include?("it")
    end

    def name = { rspec: "RSpec", minitest: "minitest", test_unit: "test-unit" }[framework]

    # unknown are assertions that no library has, nor the tests.
    def unknown
      known = { minitest: MINITEST, test_unit: TEST_UNIT }[framework] or return []
      extra = @requires.any? { |r| !r.match?(%r{\A(?:minitest|test)[/-]?}) && !LIBRARY.value?(r) } || !foreign_bases.empty?
      extra ? [] : (@functions.grep(/\A(?:assert|refute)_/) - known - @defined).uniq
    end

    # refuse ends tests that cannot run here, whatever the program is.
    def refuse(files)
      Report.unrunnable("the tests skip all of their tests") if @skips.any? && @skips.all?
      Report.unrunnable("the tests are empty") if @texts.all? { |t| t == [:program, [[:void_stmt]]] }
      lost = missing(files)
      named = lost.any? { |l| !Analysis.judge?(l) } ? ": the program's file is #{files[0]}, and tests may call it \"solution\"; to name it otherwise, name the file in the reply" : ""
      Report.unrunnable("the tests need #{lost.join(", ")}, which is not here#{named}", lost) unless lost.empty?
      Report.unrunnable("the tests use #{unknown.join(", ")}, which #{name} does not have", unknown) unless unknown.empty?
    end

    # GEMS are the folders of libraries that are no part of Ruby's own.
    GEMS = %w[/usr/share/rubygems-integration/*/gems/*/lib /usr/lib/ruby/gems/*/gems/*/lib /usr/lib/*/ruby/gems/*/gems/*/lib /usr/local/lib/ruby/gems/*/gems/*/lib].freeze

    # library? reports whether a name is that of a library, whatever files the program has.
    def self.library?(name)
      plain = name.delete_suffix(".rb")
      judge?(plain) || !$LOAD_PATH.resolve_feature_path(plain).nil?
    end

    def self.judge?(name) = JUDGES.key?(name) || JUDGES.key?(name[/\A[^\/]+/])

    # missing is what the tests load and nobody has: neither the program nor the
    # tests, whose files are given, nor Ruby.
    def missing(files)
      return [] if @words.include?("LoadError")
      plain = files.map { |f| Unit.plain(f) }
      here = ->(name) { plain.any? { |f| f == Unit.plain(name) || File.basename(f) == File.basename(Unit.plain(name)) } }
      used = JUDGES.filter_map { |lib, const| lib if const && !FRAMEWORKS.include?(lib) && @consts.any? { |c| c[/\A\w+/] == const } && !@defined.include?(const) }
      libraries = (@requires | used).reject do |r|
        (here.(r) && !Analysis.judge?(r)) || r.start_with?("/") || FRAMEWORK.include?(r) || $LOAD_PATH.resolve_feature_path(r) ||
          GEMS.any? { |g| !Dir.glob("#{g}/#{r.delete_suffix(".rb")}.{rb,so}").empty? }
      end
      (libraries + @relative.reject(&here)).uniq
    end

    FRAMEWORKS = %w[rspec].freeze
    # FRAMEWORK are names by which tests ask for what our stand-in does.
    FRAMEWORK = %w[test/unit test-unit test/unit/testcase minitest minitest/autorun minitest/test minitest/unit minitest/spec].freeze

    # together is why the tests need the program in their own process, or nil.
    def together = (need = more) ? "the tests use #{need}" : @shares

    # more is what the tests need beyond calls of the program, or nil.
    def more
      return "RSpec" if framework == :rspec
      return @reason if @reason
      return "#{lacks[0]} of #{name}" unless lacks.empty?
      return "the program's streams" if @consts.include?("StringIO") || (@globals & STREAMS).any?
      return "mocks" if @consts.any? { |c| c.match?(/\bMock\b/) } || @requires.any? { |r| r.match?(/mocha|rr\z|flexmock|mock/) }
      base = foreign_bases[0] and return "the class or module #{base} as a base"
      library = @consts.map { |c| c[/\A\w+/] }.find { |c| LIBRARY.key?(c) && !LOADED.include?(c) && !@defined.include?(c) && !required?(LIBRARY[c]) }
      return "#{library}, which they do not require" if library
      return "Queue, which is Ruby's own" if (@consts & %w[Queue SizedQueue]).any? && !@defined.include?("Queue")
      global = (@globals - @assigned).find { |g| !g.match?(GLOBALS) }
      "the program's global variable #{global}" if global
    end

    # reserved? reports whether a word is the library's, whatever the program defines.
    def reserved?(word)
      word.match?(RESERVED) || (framework == :minitest && (MINITEST_WORDS.include?(word) || (@calls.include?("describe") && SPEC_WORDS.include?(word))))
    end

    # lacks are words of the library that our stand-in does not do.
    def lacks = framework ? (@functions & NOT_OURS) - @defined | (@calls & MOCKS) - @defined : []

    # library is what the tests use of Ruby's library without asking for it.
    def library = @words.filter_map { |w| LIBRARY[w] if LOADED.include?(w) && !@defined.include?(w) }.uniq

    private

    def required?(lib) = @requires.any? { |r| r == lib || r.start_with?(lib + "/") || lib.start_with?(r + "/") }

    def foreign_bases
      @bases.reject do |b|
        root = b[/\A\w+/]
        BASES.include?(b) || @defined.include?(root) || b.match?(/\A(?:Test::Unit|Mini[Tt]est)::\w+(?:::\w+)*\z/) || LIBRARY.key?(root) ||
          (Object.const_defined?(b) && Class === Object.const_get(b) && Object.const_get(b) <= Exception)
      end
    end

    def because(reason) = @reason ||= reason

    def walk(node)
      return unless Array === node
      case node[0]
      when :class then @defined << path(node[1]); @bases << path(node[2]) if path(node[2])
      when :module then @defined << path(node[1])
      when :def
        @defined << node[1][1]
        @skips << skips?(node[3]) if node[1][1].start_with?("test")
        return within(node[1][1]) { node.each { |n| walk(n) if Array === n } } if @case.nil?
      when :method_add_block
        often(node)
        text = title(node[1])
        @skips << skips?(node[2][2]) if text
        return within("test_#{text}") { node.each { |n| walk(n) if Array === n } } if text && @case.nil?
      when :defs then @defined << node[3][1]
      when :assign, :opassign
        assigned(node[1])
        @flows[node[1][1][1]] << node[-1] if node[1][0] == :var_field && Array === node[1][1]
      when :massign then Array(node[1]).each { |n| assigned(n) if Array === n }
      when :const_path_ref, :var_ref, :top_const_ref, :const_ref then seen(node)
      when :rescue then rescues(node[1])
      when :xstring_literal then because("commands")
      when :defined then because("what the program defines, by defined?") if node[1].to_s.include?("@const") || node[1].to_s.include?("vcall")
      when :binary
        compared(node[1], node[3]) if %i[== != === =~ <=>].include?(node[2])
        paired(node[1], node[3]) if %i[== !=].include?(node[2])
      when :fcall, :vcall then called(node[1][1], nil, [])
      when :command then called(node[1][1], nil, arguments(node[2]))
      when :method_add_arg then added(node)
      when :call then called(node[3][1], node[1], []) if Array === node[3]
      when :command_call then called(node[3][1], node[1], arguments(node[4]))
      when :sclass then because("the program's insides") if path(node[1])
      end
      node.each { |n| walk(n) if Array === n }
    end

    # rescues notes a clause whose classes are told while the tests run: the program's
    # word may decide what it catches.
    def rescues(list)
      return unless Array === list
      plain = Array === list[0] ? list : nil
      return if plain && plain.all? { |n| path(n) }
      flat = list.flatten
      names = flat.each_cons(2).filter_map { |kind, name| name if kind == :@const }
      names << "a value" if (flat & %i[@ident @ivar @gvar @cvar]).any? || names.empty?
      @rescued << [@case == :none ? nil : @case, names]
    end

    # follow reads what becomes of arguments. Text that defeats it is run in process.
    def follow(texts)
      @changes = @texts.map { |tree| Changes.new(tree, (@defined + @lets).to_h { |n| [n, true] }, method(:reserved?)) { |name| own_constant?(name) } }
      @changes.each { |c| @judged.concat(c.judged) }
      @shares = Sharing.new(@texts, method(:reserved?)) { |name| own_constant?(name) }.reason
      texts.zip(kept) { |t, k| RubyVM::InstructionSequence.compile(Glovebox.rewrite(t, k)) }
    rescue StandardError, SyntaxError, SystemStackError
      because("arguments in ways that cannot be followed")
      @changes = []
    end

    # within has what is walked belong to a test. What helpers compare, any test may.
    def within(name)
      @case = name.start_with?("test") ? name : :none
      @named << name
      yield
    ensure
      @case = nil
    end

    # skips? reports whether a test begins with a skip.
    def skips?(body)
      first = Array === body && body[0] == :bodystmt ? body[1] : body
      first = first[0] if Array === first && Array === first[0]
      Array === first && %i[command vcall fcall method_add_arg].include?(first[0]) && %w[skip omit pend].include?(Sharing.name(first))
    end

    # title is the text of a test that is given as a block.
    def title(node)
      name, args = node[0] == :command ? [node[1][1], arguments(node[2])] : node[0] == :method_add_arg && node[1][0] == :fcall ? [node[1][1][1], arguments(node[2])] : []
      literal(args[0]) if %w[it specify test].include?(name)
    end

    # often looks for blocks that are called too often, or that end with the
    # program's rows.
    def often(node)
      call = node[1]
      name = call[0] == :method_add_arg ? call[1][1][1] : call[1][1]
      if name == "loop" && %i[fcall vcall].include?((call[0] == :method_add_arg ? call[1] : call)[0]) && node[2].to_s.include?('[:@ident, "next"')
        because("a loop that ends with the program's rows")
      end
      return unless %i[method_add_arg command command_call].include?(call[0])
      given = arguments(call[-1]).flatten
      large = given.each_cons(2).any? { |kind, text| kind == :@int && String === text && text.delete("_").to_i >= OFTEN }
      because("a block that is called very often") if large && (given & %i[dot2 dot3]).any?
    end

    # theirs? reports whether a value comes from an object of the program, as far as
    # the text says.
    def theirs?(node, seen = [])
      return false unless Array === node
      case node[0]
      when :var_ref, :vcall, :var_field
        kind, name = node[1]
        return own_constant?(name) if kind == :@const
        return false if seen.include?(name)
        @flows.key?(name) && @flows[name].any? { |v| theirs?(v, seen + [name]) }
      when :const_path_ref, :top_const_ref then (name = path(node)) ? own_constant?(name[/\A\w+/]) : false
      when :call, :command_call then Array === node[3] && !PLAIN.include?(node[3][1]) && theirs?(node[1], seen)
      when :method_add_arg, :method_add_block, :paren, :aref then theirs?(Symbol === node[1][0] ? node[1] : node[1][0], seen)
      when :binary then %i[+ - * / % ** & | ^ << >>].include?(node[2]) && (theirs?(node[1], seen) || theirs?(node[3], seen))
      when :array then Array === node[1] && node[1].any? { |n| theirs?(n, seen) }
      else false
      end
    end

    # own_constant? reports whether a constant can only be the program's.
    def own_constant?(name) = !@defined.include?(name) && !LIBRARY.key?(name) && !Object.const_defined?(name) && !%w[Minitest MiniTest Test RSpec].include?(name)

    def added(node)
      call, args = node[1], arguments(node[2])
      called(call[1][1], nil, args) if call[0] == :fcall
      called(call[3][1], call[1], args) if call[0] == :call && Array === call[3]
    end

    def arguments(node)
      return [] unless Array === node
      return node.select { |n| Array === n } if Array === node[0]
      case node[0]
      when :arg_paren, :args_add_block then arguments(node[1])
      else []
      end
    end

    # called notes a call of a name, on a receiver or on the test itself.
    def called(name, receiver, args)
      @calls << name
      @functions << name if receiver.nil?
      @asserting << @case if name.match?(/\A(?:assert|refute|must|wont)_|\A(?:assert|refute)\z/) && !%w[assert refute].include?(name) | !word(args[0])
      text = literal(args[0])
      if receiver.nil?
        @requires << text if text && %w[require load].include?(name)
        @relative << text if text && name == "require_relative"
        args.each { |a| @bases << path(a) if path(a) } if %w[include extend prepend].include?(name)
        because("the random numbers of a seed") if name == "srand"
        because("catch") if name == "catch" && !@defined.include?(name)
        because("commands") if COMMANDS.include?(name)
        operands(name, args)
      else
        because("the random numbers of a seed") if name == "srand"
        from = path(receiver)
        because("files or the environment") if FILES.include?(from) || (from == "File" && !PATHS.include?(name))
        because("code that is made while they run") if name == "load" && %w[Marshal YAML Psych Kernel].include?(from)
        because("the class or module #{path(args[0])} as a base") if %w[include extend prepend].include?(name) && path(args[0])
        because("expectations of any object") if name.match?(/\A(?:must|wont)_/) && !expectation?(receiver)
        because("the fields of objects, by #{name}") if %w[to_yaml pretty_inspect].include?(name) || from == "PP" || (name == "dump" && %w[Marshal YAML Psych].include?(from))
        because("the program's insides") if from == "ObjectSpace" || from == "TracePoint"
      end
      because("code that is made while they run") if EVALUATE.include?(name) || %w[binding].include?(name)
      because("the program's insides") if INSIDES.include?(name) && !@defined.include?(name)
      because("names that are made while they run") if NAMED.include?(name) && args[0] && !symbol(args[0]) && !text && !@defined.include?(name)
      because("a block for #{name}") if %w[setup teardown].include?(name) && receiver.nil? && args.empty? && framework_is_test_unit?
      compared(args[0], args[1]) if name.match?(/\A(?:assert|refute)(?:_not)?_(?:equal|in_delta|in_epsilon)\z/) && args.size > 1
      paired(args[0], args[1]) if name.match?(/\A(?:assert|refute)(?:_not)?_equal\z/) && args.size > 1
      paired(arguments(receiver[-1])[0], args[0]) if %w[must_equal wont_equal].include?(name) && expectation?(receiver)
    end

    def framework_is_test_unit? = @requires.any? { |r| r.match?(%r{\Atest[/-]unit}) }

    # operands looks for functions of Ruby's own where tests assert what they give:
    # they mean the program's.
    def operands(name, args)
      return unless name.match?(/\A(?:assert|refute)/)
      tested = name.match?(/\A(?:assert|refute)(?:_not)?_(?:equal|same|in_delta|in_epsilon)\z/) ? args[1] : args[0]
      function(tested)
    end

    def function(node)
      return unless Array === node
      name, args = node[0] == :method_add_arg && node[1][0] == :fcall ? [node[1][1][1], arguments(node[2])] : []
      name, args = node[1][1], arguments(node[2]) if node[0] == :command
      return function(node[1]) if node[0] == :method_add_block
      return unless KERNEL.include?(name) && !@defined.include?(name)
      return if %w[format sprintf].include?(name) && Array === args[0] && args[0][0] == :string_literal
      return if %w[rand gets catch].include?(name)
      because("#{name}, which is Ruby's own")
    end

    # compared notes values that are compared with what changes them in place.
    def compared(left, right)
      function(left)
      function(right)
      return unless Array === left && Array === right
      # What changes a value in place and gives it back compares it with itself.
      if [[left, right], [right, left]].any? { |v, call| in_place?(call) && variables(v).any? { |name, _| call.flatten.include?(name) } }
        @judged << (@case == :none ? nil : @case)
      end
    end

    def in_place?(node) = node.flatten.any? { |e| String === e && e.match?(/\A[a-z_]\w*!\z/) }

    # paired notes two values whose equality decides a test.
    # Classes and constants are what they are.
    def paired(left, right) = path(left) || path(right) || @pairs << [@case == :none ? nil : @case, left, right]

    def variables(node)
      return node[1].flat_map { |n| variables(n) } if node[0] == :array && Array === node[1] && node[1].all?(Array)
      return [] unless node[0] == :var_ref && %i[@ident @ivar].include?(node[1][0])
      [[node[1][1], node[1][2]]]
    end

    def seen(node)
      name = path(node)
      return @consts << name if name
      inner = node[1]
      return unless Array === inner
      @globals << inner[1] if inner[0] == :@gvar
    end

    def assigned(node)
      return unless Array === node
      inner = node[1]
      return unless Array === inner
      @defined << inner[1] if inner[0] == :@const
      @assigned << inner[1] if inner[0] == :@gvar
      because("the program's streams") if inner[0] == :@gvar && STREAMS.include?(inner[1])
    end

    def path(node)
      return unless Array === node
      case node[0]
      when :@const then node[1]
      when :var_ref, :const_ref, :top_const_ref, :var_field then node[1][0] == :@const ? node[1][1] : nil
      when :const_path_ref then (left = path(node[1])) && "#{left}::#{node[2][1]}"
      end
    end

    def literal(node)
      return unless Array === node && node[0] == :string_literal
      content = node[1][1..]
      content.size == 1 && content[0][0] == :@tstring_content ? content[0][1] : nil
    end

    # word is true, false or nil, where a node is no more.
    def word(node) = Array === node && node[0] == :var_ref && node[1][0] == :@kw && node[1][1]

    def symbol(node) = Array === node && %i[symbol_literal dyna_symbol].include?(node[0]) && !node.flatten.include?(:string_embexpr)

    def expectation?(node)
      node = node[1] while Array === node && %i[method_add_arg method_add_block paren].include?(node[0])
      Array === node && %i[fcall call command].include?(node[0]) && %w[_ value expect].include?((node[0] == :call ? node[3] : node[1])[1])
    end
  end

  # rewrite has the variables at the places that an analysis found lent to the program,
  # or read as they were before.
  def self.rewrite(text, kept)
    return text if kept.empty?
    lines = text.b.lines
    kept.uniq { |at, *| at }.sort_by(&:first).reverse_each do |(line, column), name, way|
      old = lines[line - 1]
      next unless old.byteslice(column, name.bytesize) == name.b
      lines[line - 1] = old.byteslice(0, column) + "::Glovebox.#{way}(".b + name.b + ")".b + old.byteslice(column + name.bytesize..)
    end
    lines.join.force_encoding(text.encoding)
  end
end
