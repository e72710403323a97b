# Reads in the text of tests which of their variables the program may change, and what
# an expected value is made of. A call changes nothing that the tests see, but where
# their text reads an argument back for itself. Then an expected value is what it was
# before the call. docs/harness-protocol.md says more.
module Glovebox
  class Changes
    ASSERTS = /\A(?:assert|refute|must_|wont_|flunk|raise|fail|expect|_\z)/
    MUTATORS = %w[<< push append pop shift unshift prepend insert delete delete_at delete_if keep_if clear concat replace store update merge! []=].freeze
    # STEPS are methods whose blocks' values nobody uses.
    STEPS = %w[each times upto downto step loop tap each_with_index each_pair each_char assert_nothing_raised assert_raises assert_raise assert_throws].freeze
    CORE = [String, Array, Hash, Integer, Float, Symbol, Range, Proc, NilClass, Enumerator, Struct, Time, Exception, Regexp, MatchData, Module]
           .flat_map { |c| c.public_instance_methods.map(&:name) }.to_h { |n| [n, true] }.freeze
    TRUTHS = %w[assert refute assert_not assert_true assert_false assert_empty refute_empty assert_not_empty assert_nil refute_nil assert_operator assert_predicate assert_block].freeze
    IDENTITY = /(?:\A|_)(?:same|same_as|equal\?|object_id|__id__)\z/

    # Variable is what a scope knows of one: what it is assigned from, whether that is a
    # result, and how what is made of it is used.
    Variable = Struct.new(:from, :result, :plain, :mixed, :given, :passes, :reads, :mutated, :made)
    # Place is where a variable stands in the text.
    Place = Struct.new(:name, :at, :loop, :void, :copy, :call)
    # A Term is an expression that is used as a whole.
    Term = Struct.new(:reads, :result, :passed, :vars)

    # marks are places and what is done there: [[line, column], name, :before].
    attr_reader :marks, :judged

    # mine are the names of methods that the tests define; own reports whether a
    # constant is the program's.
    def initialize(tree, mine, words, &own)
      @mine, @words, @own = mine, words, own
      @marks, @judged, @scopes = [], [], []
      @holders, @kept, @whole = {}, {}, {}
      2.times { holders(tree) }
      scope(nil) { statements(tree[1], true) }
      flow
      @scopes.each { |s, name| settle(s, name) }
      @marks.uniq!
    end

    private

    # holders are the tests' own methods that call the program, and their attributes
    # that hold what it gave.
    def holders(node, name = nil)
      return unless Array === node
      name = node[1][1] if node[0] == :def
      @holders[name] = true if name && (program?(node) || (node[0] == :@ivar && @kept[node[1]]))
      if %i[assign opassign].include?(node[0]) && node[1][0] == :var_field && Array === node[1][1] && node[1][1][0] == :@ivar
        @kept[node[1][1][1]] = true if within?(node[-1]) { |n| program?(n) || (n[0] == :@ident && @holders[n[1]]) }
      end
      node.each { |n| holders(n, name) if Array === n }
    end

    def within?(node, &block) = Array === node && (block.(node) || node.any? { |n| within?(n, &block) })

    # scope has variables of its own. What a method of the tests' own is made of, is in
    # what a call of it gives.
    def scope(name, gives = nil)
      old, @vars, @name, @loop, @header, @gives = [@vars, @name, @loop, @header, @gives], {}, name, false, nil, gives
      @scopes << [@vars, name]
      yield
    ensure
      @vars, @name, @loop, @header, @gives = old
    end

    def variable(name) = @vars[name] ||= Variable.new([], name.start_with?("@") && @kept[name], false, false, false, [], [], [])

    # program? reports whether a node calls the program, or names a constant of it.
    def program?(node)
      case node[0]
      when :fcall, :vcall, :command then Array === node[1] && unknown?(node[1][1])
      when :call, :command_call then Array === node[3] && ((name = constant(node[1])) ? @own.(name) : !CORE.key?(node[3][1]) && !node[3][1].match?(ASSERTS))
      when :var_ref, :const_path_ref then (name = constant(node)) ? @own.(name) : false
      else false
      end
    end

    def unknown?(name) = !@mine.include?(name) && !name.match?(ASSERTS) && !@words.(name) && !Kernel.private_method_defined?(name) && !Kernel.method_defined?(name)

    def constant(node)
      return unless Array === node
      node = node[1] while %i[const_path_ref top_const_ref var_ref method_add_arg].include?(node[0]) && Array === node[1] && node[1][0] != :@const
      node = node[1] if Array === node[1]
      node[0] == :@const ? node[1] : nil
    end

    # place is a variable, or a method of the tests' that gives a value.
    def place(node, void = false)
      return unless Array === node && Array === node[1]
      kind, name, at = node[1]
      return Place.new("#{name}()", at, @loop, void) if node[0] == :vcall && @mine.include?(name) && !@holders[name]
      ok = node[0] == :var_ref && (%i[@ident @ivar].include?(kind) || (kind == :@const && !@own.(name) && @mine.include?(name)))
      ok ? Place.new(name, at, @loop, void) : nil
    end

    def statements(list, last)
      return unless Array === list
      list = [list] if Symbol === list[0]
      list.each_with_index { |n, i| statement(n, i < list.size - 1 || last) if Array === n }
    end

    # statement looks at one, and gives whether a result is in it.
    def statement(node, void)
      return unless Array === node
      case node[0]
      when :def then scope(node[1][1], node[1][1]) { body(node[3], node[1][1].match?(/\Atest|\A(?:setup|teardown)\z/)) }
      when :defs then scope(node[3][1]) { body(node[5], false) }
      when :class then scope(nil) { body(node[3], true) }
      when :module, :sclass then scope(nil) { body(node[2], true) }
      when :if, :unless, :elsif, :while, :until
        again = %i[while until].include?(node[0])
        asked = term(node[1], judges: true, inside: node[2], loop: again)
        looped(again) { guarded(asked) { statements(node[2], void) } }
        statement(node[3], void)
      when :if_mod, :unless_mod, :while_mod, :until_mod
        again = %i[while_mod until_mod].include?(node[0])
        asked = term(node[1], judges: true, inside: node[2], loop: again)
        looped(again) { guarded(asked) { statement(node[2], true) } }
      when :for then asked = term(node[2]); from([node[1]], node[2]); looped(true) { guarded(asked) { statements(node[3], true) } }
      when :case then term(node[1], judges: true); statement(node[2], void)
      when :when, :in then statements(node[2], void); statement(node[3], void)
      when :else, :ensure then statements(node[1], void)
      when :begin, :paren then body(node[1], void)
      when :bodystmt, :rescue then body(node, void)
      when :assign, :massign then from(Symbol === node[1][0] ? [node[1]] : node[1], node[2])
      when :opassign then from([node[1]], node[3])
      else term(node, void: void, judges: judges?(node))
      end
    end

    def body(node, void)
      return unless Array === node
      return statements(node, void) unless %i[bodystmt rescue].include?(node[0])
      return (statements(node[3], void); statement(node[4], void)) if node[0] == :rescue
      statements(node[1], void && node[2].nil?)
      node[2..].each { |n| Symbol === n&.first ? statement(n, void) : statements(n, void) }
    end

    # made? reports whether a node constructs an object of the program's.
    def made?(node)
      node = node[1] while Array === node && %i[method_add_arg method_add_block].include?(node[0])
      Array === node && node[0] == :call && Array === node[3] && node[3][1] == "new" && program?(node)
    end

    # judge marks a test in which the truth of an expression is what a function of the program
    # says of a result of the program.
    def judge(node)
      return unless Array === node
      return judge(Array === node[1] && Array === node[1][0] ? node[1][0] : node[1]) if node[0] == :paren
      return judge(node[2]) if node[0] == :unary
      return [node[1], node[3]].each { |n| judge(n) } if node[0] == :binary && %i[&& || and or < > <= >= == !=].include?(node[2])
      call, args = node[0] == :method_add_arg ? [node[1], node[2]] : node[0] == :command ? [[:fcall, node[1]], node[2]] : node[0] == :command_call ? [[:call, *node[1..3]], node[4]] : [node, nil]
      # What a method gives of it (abs, empty?) is still its word.
      return judge(call[1]) if call[0] == :call && Array === call[3] && CORE.key?(call[3][1]) && !constant(call[1])
      return unless program?(call) && (%i[fcall vcall].include?(call[0]) || call[0] == :call && constant(call[1])) && !made?(call)
      @judged << (@name&.start_with?("test") ? @name : nil) if flat(args).any? { |a| holds?(a) }
    end

    def holds?(node)
      return false if !(Array === node) || made?(node) || %i[brace_block do_block lambda].include?(node[0])
      p = place(node)
      return variable(p.name).result && !variable(p.name).made if p
      program?(node) || (%i[fcall vcall].include?(node[0]) && Array === node[1] && @holders[node[1][1]]) || node.any? { |n| holds?(n) }
    end

    def looped(yes)
      old, @loop = @loop, @loop || yes
      yield
    ensure
      @loop = old
    end

    # guarded has what is assigned within depend on what is asked before.
    def guarded(term)
      old, @header = @header, (@header || []) + term.reads
      yield
    ensure
      @header = old
    end

    # given are the variables that a text gives to the program.
    def given(node)
      found = []
      within?(node) do |n|
        call, args = n[0] == :method_add_arg ? [n[1], n[2]] : n[0] == :command ? [[:fcall, n[1]], n[2]] : n[0] == :command_call ? [[:call, *n[1..3]], n[4]] : nil
        flat(args).each { |a| (p = place(a)) && found << p.name } if call && (program?(call) || (call[0] == :fcall && @holders[call[1][1]]))
        false
      end
      found
    end

    def judges?(node)
      name = node[0] == :call || node[0] == :command_call ? node[3] : node[0] == :command || node[0] == :fcall ? node[1] : nil
      return judges?(node[1]) if %i[method_add_arg method_add_block].include?(node[0])
      Array === name && (name[1].match?(ASSERTS) || (@mine.include?(name[1]) && node[0] != :call))
    end

    # from notes that targets are assigned from a value.
    def from(targets, value)
      t = collect(value, false)
      targets.each { |n| (n[0] == :aref_field && p = place(n[1])) && variable(p.name).mutated << [p, @loop] }
      targets = targets.flat_map { |n| fields(n) }
      targets.each do |name|
        v = variable(name)
        v.made = made?(value) && v.made != false
        v.result ||= t.result
        v.from.concat(t.reads.map { |r| [r, variable(r.name)] }, (@header || []).map { |h| [h, variable(h.name)] })
      end
      # What a result is mixed with is expected of it.
      t.reads.each { |r| use(r, nil, t) }
      t
    end

    def fields(node)
      return [] unless Array === node
      return [node[1]] if %i[@ident @ivar @const].include?(node[0])
      return fields(node[1]) if %i[aref_field field].include?(node[0])
      node.flat_map { |n| fields(n) }
    end

    # term looks at an expression that is used as a whole.
    def term(node, void: false, judges: false, inside: nil, loop: false)
      judge(node) if judges && !void
      t = collect(node, void)
      # A loop that asks what the calls in it changed sees what they changed.
      now = loop ? given(inside) : []
      t.reads.each { |r| use(r, now.include?(r.name) ? :now : judges ? :plain : nil, t) }
      variable("#{@gives}()").tap { |v| v.result ||= t.result }.from.concat(t.reads.map { |r| [r, variable(r.name)] }) if @gives
      t.reads.reject! { |r| now.include?(r.name) }
      t
    end

    def use(place, how, term)
      place.copy = term.passed.include?(place.name)
      v = variable(place.name)
      v.reads << [place, how, term]
      term.vars << v
    end

    def collect(node, void)
      t = Term.new([], false, [], [])
      visit(node, t, void, false)
      t
    end

    # visit looks into an expression. What is given to the program within a larger
    # argument is its input, and nothing that is expected.
    def visit(node, t, void, input)
      return unless Array === node
      if (p = place(node))
        t.result = true if variable(p.name).result
        return t.reads << p unless input
        return
      end
      t.result = true if program?(node)
      case node[0]
      when :method_add_block then visit(node[1], t, void, input); block(node[2], node[1], t)
      when :lambda then inner(t) { statements(node[2], false) }
      when :method_add_arg then called(node[1], node[2], t, void, input)
      when :command then called([:fcall, node[1]], node[2], t, void, input)
      when :command_call then called([:call, node[1], node[2], node[3]], node[4], t, void, input)
      when :call, :fcall, :vcall then called(node, nil, t, void, input)
      when :assign, :massign, :opassign
        if (made = statement(node, true)) then t.result ||= made.result end
      when :if, :unless, :while, :until, :if_mod, :unless_mod, :while_mod, :until_mod, :case, :begin, :def, :bodystmt, :for then inner(t) { statement(node, void) }
      when :binary
        whole(node[1], node[3]) if node[2] == :==
        return called([:call, node[1], nil, [:@ident, "<<"]], [node[3]], t, void, input) if node[2] == :<<
        [node[1], node[3]].each { |n| visit(n, t, false, input) }
      when :aref then visit(node[1], t, false, input); visit(node[2], t, false, input)
      else node.each { |n| visit(n, t, false, input) if Array === n }
      end
    end

    # whole notes variables that are compared as they are.
    def whole(*nodes) = nodes.each { |n| (p = place(n)) && @whole[p.at] = true }

    # inner has the statements within an expression tell it whether they hold a result.
    def inner(t)
      before = @vars.count { |_, v| v.result }
      yield
      t.result ||= @vars.count { |_, v| v.result } > before
    end

    def block(node, call, t)
      name = call_name(call)
      title = %w[it specify test setup teardown before after describe let subject].include?(name)
      t.result ||= within?(node) { |n| program?(n) || ((p = place(n)) && variable(p.name).result) || (n[0] == :@ident && @holders[n[1]]) } unless title
      unless title
        fields(node[1]).each { |n| variable(n).from.concat(t.reads.map { |r| [r, variable(r.name)] }) }
      end
      run = -> { statements(node[2] && node[2][0] == :bodystmt ? [node[2]] : node[2], title ? !%w[let subject].include?(name) : STEPS.include?(name)) }
      gives = nil
      within?(call) { |n| gives = n[1][1] if n[0] == :symbol && Array === n[1]; false } if %w[let subject].include?(name)
      return scope(%w[it specify test].include?(name) ? "test_#{title_of(call)}" : nil, gives, &run) if title
      old, @header = @header, (@header || []) + t.reads
      looped(true, &run)
      @header = old
    end

    def title_of(call)
      text = nil
      within?(call) { |n| n[0] == :@tstring_content && text.nil? && text = n[1]; false }
      text
    end

    def call_name(node)
      node = node[1] while node[0] == :method_add_arg
      Array === (n = %i[call command_call].include?(node[0]) ? node[3] : node[1]) ? n[1].to_s : ""
    end

    # called looks at a call: what the program gets may be changed by it.
    def called(call, args, t, void, input)
      name = call_name(call)
      receiver = call[0] == :call ? call[1] : nil
      helper = receiver.nil? && @holders[name]
      theirs = program?(call) || made?(receiver) || (receiver && (o = place(receiver)) && variable(o.name).made)
      # What the tests' own method gives is made of what its text reads.
      t.reads << Place.new("#{name}()", call[1][2], @loop, false, false, true) if receiver.nil? && !helper && @mine.include?(name)
      t.result = true if theirs || helper
      # What asserts that nothing comes does not look at it.
      nothing = receiver.nil? && name == "assert_nil"
      list = flat(args)
      judge(list[0]) if receiver.nil? && TRUTHS.include?(name)
      judge(list[1]) if receiver.nil? && name == "assert_equal" && list[0].to_s.match?(/\A\[:var_ref, \[:@kw, "(?:true|false)"/)
      if receiver
        p = place(receiver)
        on = p && theirs && !variable(p.name).result
        on ? pass(p, void || name.end_with?("!"), t) : visit(receiver, t, false, input)
        variable(p.name).mutated << [p, @loop] if p && (MUTATORS.include?(name) || name.end_with?("!"))
        # What is put into a variable is a part of it.
        list.each { |a| (p && collect(a, false).then { |c| variable(p.name).result ||= c.result; variable(p.name).from.concat(c.reads.map { |r| [r, variable(r.name)] }) }) } if MUTATORS.include?(name)
      end
      whole(*list) if receiver.nil? && name == "assert_equal"
      changes = helper ? false : void || name.end_with?("!")
      changes &&= receiver.nil? || constant(receiver) || name.end_with?("!") if theirs
      list.each do |a|
        p = place(a)
        base = p || (theirs && a[0] == :aref && place(a[1]))
        next if p && name.match?(IDENTITY)
        if (theirs || helper) && base then pass(base, changes, t)
        else visit(a, t, nothing, input || theirs)
        end
      end
    end

    def flat(args)
      return [] unless Array === args
      return args.select { |n| Array === n } if Array === args[0]
      %i[arg_paren args_add_block].include?(args[0]) ? flat(args[1]) : [args]
    end

    def pass(place, changes, t)
      v = variable(place.name)
      v.passes << place
      v.given = true if changes
      place.void = changes
      t.passed << place.name
    end

    def mark(place, way) = place.call || @marks << [place.at, place.name.delete_suffix("()"), way]

    # flow has results and uses go where the text carries them. A variable of the test
    # class, a constant and a method of the tests' are one in all scopes.
    def flow
      vars = @scopes.map(&:first)
      all = vars.flat_map(&:values)
      groups = vars.flat_map(&:to_a).select { |n, _| n.match?(/\A[@A-Z]|\(\)\z/) }.group_by(&:first).values.map { |g| g.map(&:last) }
      until_known(all, groups, [:result]) { |v, w| v.result ||= w.result }
      all.each do |v|
        # What stands beside a result is expected of it.
        v.reads.each do |read|
          read[1] = :mixed if read[1] != :now && (read[2].result || read[2].vars.any?(&:result))
          v.mixed ||= read[1] == :mixed
          v.plain ||= %i[plain now].include?(read[1])
        end
      end
      until_known(all, groups, %i[plain mixed]) do |v, w|
        w.plain ||= v.plain
        w.mixed ||= v.mixed
      end
    end

    def until_known(all, groups, fields)
      begin
        known = all.map { |v| v.to_h.slice(*fields) }
        groups.each { |g| fields.each { |f| g.each { |v| v[f] = true } if g.any?(&f) } }
        all.each { |v| v.from.each { |_, w| yield v, w } }
      end until known == all.map { |v| v.to_h.slice(*fields) }
    end

    # settle says what is done where the variables of a scope stand.
    def settle(vars, name)
      vars.each_value do |v|
        after = v.reads.filter_map { |r, how| r if how == :mixed && v.passes.any? { |p| (p.at <=> r.at) <= 0 } }
        if v.given
          @judged << (name&.start_with?("test") ? name : nil) unless after.empty? || v.result
        else
          # What the tests looked at since, and compare as it is, is the program's word.
          looked = after.select { |r| @whole[r.at] && v.reads.any? { |o, how| %i[plain now].include?(how) && (o.at <=> r.at) < 0 && v.passes.any? { |p| (p.at <=> o.at) < 0 } } }
          @judged << (name&.start_with?("test") ? name : nil) unless looked.empty?
          places = v.reads.filter_map { |r, how| r if how == :mixed } - looked
          places.each { |r| mark(r, r.copy ? :copied : :before) }
        end
        back = v.plain || v.mutated.any? { |m, loop| v.passes.any? { |p| loop || p.loop || (p.at <=> m.at) > 0 } }
        v.passes.each { |p| mark(p, p.void ? :given : :lent) if back || p.void }
      end
      # What is made of a variable is expected of a result where the other is.
      vars.each_value { |v| v.from.each { |place, w| mark(place, :before) if v.mixed && !v.result && !w.given && !w.result } }
    end
  end
end
