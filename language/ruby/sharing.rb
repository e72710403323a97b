# Reads in the text of tests whether they rest on what they share with the program. Values
# cross as copies: what the tests change in one does not reach the program, nor the other
# way. Such tests need the program in their own process. It follows each test as it would
# run, a loop twice, and knows of each value no more than where it comes from.
module Glovebox
  class Sharing
    # A Thing is a value, as far as the text says: an :object of the program, a :part that an object (its
    # root) gave, what a function of the program :gave for the things in args, or the tests' :own.
    # maker is the name of the method or function that gave it, key its call.
    Thing = Struct.new(:kind, :root, :maker, :key, :args, :kept, :stale)

    MUTATORS = (Changes::MUTATORS + %w[delete? add subtract fill rotate! compare_by_identity] - %w[add]).freeze
    # INSIDE are methods that give a part of a list or table, or itself.
    INSIDE = %w[first last fetch dig at min max find detect sample tap itself freeze then each each_with_index each_value each_pair values].freeze
    SCALAR = %w[size length count to_s to_str to_i to_f to_sym inspect hash sum join class].freeze
    # ITERATES are methods whose call as a statement asks for nothing to change.
    ITERATES = /\A(?:each|map|times|select|inspect|to_|walk|assert)|\?\z/
    CONTAINER = %i[array hash bare_assoc_hash string_literal].freeze
    SAME = %w[assert_same refute_same assert_not_same].freeze
    BLOCKS = %w[describe context it specify test before after setup teardown let let! subject subject!].freeze
    DEPTH, STEPS = 6, 200_000

    # reason says what the tests share with the program, or is nil.
    attr_reader :reason

    # words reports whether a name is an assertion library's; own whether a constant is
    # the program's.
    def initialize(trees, words, &own)
      @words, @own = words, own
      @methods, @setups, @tests, @objects, @depth = {}, [], [], {}, 0
      trees.each { |t| collect(t, nil) }
      # The second time it is known which names give objects.
      2.times do
        @reason = nil
        @tests.each { |body, setups| follow(setups + [body]) }
      end
    end

    private

    # collect finds the tests with what runs before each, and the tests' own methods.
    def collect(node, setups)
      return unless Array === node
      case node[0]
      when :program
        collect(node[1], [])
        @tests << [node[1], []]
      when :class, :module
        collect(node[-1], setups.dup)
      when :assign then setups << [node]
      when :def
        name = node[1][1]
        if name.start_with?("test") then @tests << [node[3], setups]
        elsif name == "setup" then setups << node[3]
        else @methods[name] = [params(node[2]), node[3]]
        end
      when :method_add_block
        name, block = Sharing.name(node[1]), node[2]
        case name
        when "describe", "context" then collect(block, setups.dup)
        when "it", "specify", "test" then @tests << [block[2], setups]
        when "before", "setup" then setups << block[2]
        when "let", "let!", "subject", "subject!"
          title = nil
          node[1].flatten.each_cons(2) { |kind, text| title ||= text if kind == :@ident && text != name }
          @methods[title || "subject"] = [[], block[2], true]
        end
      else node.each { |n| collect(n, setups) if Array === n }
      end
    end

    def self.name(node)
      node = node[1] while %i[method_add_arg method_add_block].include?(node[0])
      name = %i[call command_call].include?(node[0]) ? node[3] : node[1]
      Array === name && name[0].to_s.start_with?("@") ? name[1] : "call"
    end

    def params(node)
      node = node[1] if Array === node && node[0] == :paren
      Array === node && Array === node[1] ? node[1].map { |p| p[1] } : []
    end

    def follow(bodies)
      @vars, @versions, @changed, @steps = {}, Hash.new(0), [], 0
      bodies.each { |b| statements(b) }
    end

    def because(what, node)
      @reason ||= "#{what} (#{"#{spell(node)}, " if spell(node)}line #{line(node)})"
      nil
    end

    def line(node) = node.flatten.each_cons(3) { |kind, _, at| return at if kind.to_s.start_with?("@") && Integer === at }

    # spell is a short text of an expression.
    def spell(node)
      case node[0]
      when :var_ref, :vcall, :var_field, :top_const_ref then node[1][1]
      when :const_path_ref then "#{spell(node[1])}::#{node[2][1]}"
      when :fcall, :command then node[1][1]
      when :call then (left = spell(node[1])) && Array === node[3] ? "#{left}.#{node[3][1]}" : nil
      when :aref, :aref_field, :method_add_arg, :method_add_block then spell(node[1])
      when :field then "#{spell(node[1])}.#{node[3][1]}"
      end
    end

    # key is the text of a call, with which of its values each variable has.
    def key(node)
      return [] unless Array === node
      return [node[1], (@versions[node[1]] if node[0] != :@tstring_content)] if node[0].to_s.start_with?("@")
      node.flat_map { |n| Symbol === n ? [n] : key(n) }
    end

    def statements(list)
      return unless Array === list
      return rescued(list) if list[0] == :bodystmt
      return value(list, true) if Symbol === list[0]
      list.map { |n| value(n, true) }.last
    end

    def rescued(node) = node[1..].map { |n| Array === n && Symbol === n[0] && n[0] != :bodystmt ? value(n, true) : statements(n) }.first

    # value follows an expression and gives its thing. void says that it is a statement.
    def value(node, void = false)
      return unless Array === node
      raise SystemStackError if (@steps += 1) > STEPS
      case node[0]
      when :var_ref, :vcall then variable(node)
      when :const_path_ref, :top_const_ref then constant(node)
      when :array, :hash, :bare_assoc_hash, :string_literal
        parts = node[1..].flat_map { |n| inner(n) }
        Thing.new(:own, nil, nil, nil, parts.compact)
      when :fcall, :command, :call, :command_call, :method_add_arg, :method_add_block then call(node, void)
      when :binary
        return called(node, node[1], "<<", [node[3]], nil, void) if node[2] == :<<
        [node[1], node[3]].each { |n| value(n) }
        nil
      when :unary then value(node[2])
      when :aref
        thing = value(node[1])
        value(node[2])
        thing&.kind == :object ? part(thing, "[]", node) : thing
      when :assign, :opassign
        thing = node[0] == :assign ? value(node[2]) : (value(node[3]); nil)
        assign(node[1], thing)
        thing
      when :massign
        things = node[2][0] == :mrhs_new_from_args ? inner(node[2]) : nil
        thing = value(node[2]) if things.nil?
        targets = node[1][0] == :mlhs ? node[1][1..] : node[1]
        targets.each_with_index { |t, i| assign(t, things ? things[i] : thing) if Array === t }
        nil
      when :paren, :begin then statements(node[1])
      when :if, :unless, :elsif, :ifop
        value(node[1])
        [statements(node[2]), value(node[3])].compact.first
      when :if_mod, :unless_mod then value(node[1]); value(node[2], void)
      when :while, :until then twice { value(node[1]); statements(node[2]) }
      when :while_mod, :until_mod then twice { value(node[1]); value(node[2], void) }
      when :for then thing = value(node[2]); twice { assign(node[1], item(thing)); statements(node[3]) }
      when :lambda then statements(node[2]); nil
      when :def, :defs, :class, :module, :sclass then nil
      else node.each { |n| value(n) if Array === n }; nil
      end
    end

    # inner are the things in a list or table.
    def inner(node)
      return [] unless Array === node
      return node.flat_map { |n| inner(n) } unless Symbol === node[0] && !%i[mrhs_new_from_args assoclist_from_args bare_assoc_hash assoc_new args_add_block string_content string_embexpr].include?(node[0])
      [value(node)]
    end

    def twice
      2.times { yield }
      nil
    end

    # item is what a block or a loop gets of a thing.
    def item(thing)
      return thing if thing.nil? || %i[part gave].include?(thing.kind)
      thing.kind == :object ? Thing.new(:part, thing, "each") : nil
    end

    def variable(node)
      kind, name = node[1]
      return constant(node) if kind == :@const
      return unless %i[@ident @ivar @gvar @cvar].include?(kind)
      return use(@vars[name]) if @vars.key?(name)
      node[0] == :vcall ? called(node, nil, name, [], nil, false) : nil
    end

    # constant is the thing of a constant: a container of the program's where it is spelled in capitals.
    def constant(node)
      name = spell(node).to_s
      return use(@vars[name]) if @vars.key?(name)
      return unless name.match?(/\A[A-Z]/) && @own.(name[/\A\w+/])
      container = name.match?(/(?:\A|::)[A-Z][A-Z0-9_]+\z/)
      (@vars[name] = Thing.new(container ? :part : :module, nil, name)).tap { |t| use(t) if container }
    end

    # use notes that the text comes to a thing again.
    def use(thing)
      return thing if thing.nil?
      @changed.each do |from, node|
        seen = from.kind == :gave ? from.args.any? { |a| a.equal?(thing) } : thing.kind == :object || thing.equal?(from) && from.root.nil? && from.kind == :part
        tell(from, node) if seen
      end
      thing
    end

    def tell(from, node) = because(from.kind == :own ? "the tests change what they gave the program" : "the tests change what the program gave them", node)

    # change notes that the tests change a thing in place.
    def change(thing, node)
      return if thing.nil? || %i[object module].include?(thing.kind) || thing.kind == :own && !thing.kept
      @changed << [thing, node]
    end

    def part(thing, name, node)
      use(thing)
      return if SCALAR.include?(name) || name.end_with?("?")
      return thing if MUTATORS.include?(name) && thing.kind == :object # chained
      Thing.new(@objects[name] ? :object : :part, thing, name)
    end

    def assign(target, thing)
      case target[0]
      when :var_field
        name = target[1][1]
        @versions[name] += 1
        @vars[name] = thing
      when :aref_field
        base = value(target[1])
        value(target[2])
        base&.kind == :object ? command(base) : change(base, target[1])
      when :field
        base = value(target[1])
        object(base)
        command(base)
        keep(thing, base || true)
      when :mlhs, :mlhs_paren, :mlhs_add_star then target[1..].each { |t| assign(t, thing) if Array === t && Symbol === t[0] }
      when :@ident then assign([:var_field, target], thing)
      else target.each { |t| assign(t, nil) if Array === t && Symbol === t[0] }
      end
    end

    # object notes that a thing has methods that no list, table or text has.
    def object(thing)
      return if thing.nil? || !%i[part gave].include?(thing.kind)
      @objects[thing.maker] = true unless thing.maker == "each"
      thing.kind = :object
      use(thing)
    end

    # command has a statement that asks an object for nothing change what was got of it, and
    # what it was given.
    def command(thing) = @vars.each_value { |v| v.stale = true if v && (v.kind == :part ? v.root : v.kept)&.equal?(thing) }

    # keep notes that an object was given a thing of the tests, and may keep it.
    def keep(thing, object)
      return if thing.nil? || thing.kind != :own
      thing.kept = object
      thing.args.each { |t| keep(t, object) }
    end

    def call(node, void)
      block = nil
      call, given = node, nil
      call, block = call[1], call[2] if call[0] == :method_add_block
      call, given = call[1], call[2] if call[0] == :method_add_arg
      case call[0]
      when :fcall, :vcall then called(node, nil, call[1][1], list(given), block, void)
      when :command then called(node, nil, call[1][1], list(call[2]), block, void)
      when :call then called(node, call[1], Array === call[3] ? call[3][1] : "call", list(given), block, void)
      when :command_call then called(node, call[1], call[3][1], list(call[4]), block, void)
      else
        [call, given].each { |n| value(n) }
        run(block, [])
      end
    end

    def list(args)
      return [] unless Array === args
      return args.select { |n| Array === n } if Array === args[0]
      return list(args[1]) if %i[arg_paren args_add_block].include?(args[0])
      args[0] == :args_forward ? [] : [args]
    end

    # called follows a call of a name on a receiver, which is nil for a function.
    def called(node, receiver, name, args, block, void)
      thing = value(receiver)
      things = args.map { |a| value(a) }
      return function(node, name, args, things, block) if receiver.nil?
      return same(node, thing, things[0], receiver, args[0]) if %w[equal? must_be_same_as wont_be_same_as].include?(name)
      return asserted(name, [*(receiver[0] == :method_add_arg ? list(receiver[2]) : [receiver]), *args]) if name.match?(/\A(?:must|wont)_/)
      came = thing && %i[part gave].include?(thing.kind)
      return because("the tests ask which object the program gave them", node) if came && %w[object_id __id__].include?(name)
      return because("the tests ask whether what the program gave them is frozen", node) if came && name == "frozen?"
      case thing&.kind
      when :module then of_module(node, thing, name, things, block, args)
      when :object
        given = part(thing, name, node)
        command(thing) if void && !name.match?(ITERATES)
        things.each { |t| keep(t, thing) }
        run(block, [Thing.new(:part, thing, "each")])
        given
      when :part, :gave, :own
        if MUTATORS.include?(name) || name.end_with?("!") && Changes::CORE.key?(name)
          thing.args&.concat(things.compact) if thing.kind == :own
          change(thing, receiver)
          run(block, [item(thing)])
          return name.end_with?("!") || %w[<< push append concat].include?(name) ? thing : nil
        end
        if thing.kind != :own && !Changes::CORE.key?(name)
          object(thing)
          return called(node, receiver, name, args, block, void)
        end
        2.times { run(block, [item(thing)] * 2) }
        return Thing.new(:own, nil, nil, nil, []) if thing.kind == :own && !INSIDE.include?(name)
        INSIDE.include?(name) ? thing : nil
      else
        2.times { run(block, []) }
        # A container of Ruby's own classes.
        %w[new [] dup +@].include?(name) && receiver[0] == :var_ref && %w[Array Hash Set String].include?(spell(receiver)) ? Thing.new(:own, nil, nil, nil, things.compact) : nil
      end
    end

    # of_module follows a call of a class or module of the program.
    def of_module(node, thing, name, things, block, args)
      @changed.each { |from, at| tell(from, at) if [from.root, from.root&.root].any? { |t| t.equal?(thing) } } if name != "new"
      run(block, [Thing.new(:object, thing)])
      return Thing.new(:object).tap { |o| things.each { |t| keep(t, o) } } if %w[new instance].include?(name)
      args.empty? && !@objects["#{thing.maker}.#{name}"] ? Thing.new(:part, thing, "#{thing.maker}.#{name}") : gave(node, "#{thing.maker}.#{name}", things)
    end

    # gave is what a function of the program gives.
    def gave(node, name, things)
      call = key(node)
      @changed.each { |from, at| tell(from, at) if from.kind == :gave ? from.key == call : from.kind == :part && from.root.nil? }
      given = Thing.new(@objects[name] ? :object : :gave, nil, name, call, things.compact)
      things.each { |t| keep(t, given) } if @objects[name]
      given
    end

    def function(node, name, args, things, block)
      if SAME.include?(name) then same(node, *things[0, 2], *args[0, 2])
      elsif name == "assert_predicate" && spell(args[1] || []).nil? && args[1].to_s.include?('"frozen?"') && %i[part gave].include?(things[0]&.kind)
        because("the tests ask whether what the program gave them is frozen", node)
      elsif %w[assert_instance_of assert_kind_of].include?(name) && things[0]&.kind == :module then object(things[1])
      elsif name.match?(/\A(?:assert|refute)/) then asserted(name, args)
      end
      if (mine = @methods[name])
        return @vars[name] if mine[2] && @vars.key?(name)
        given = within(mine, things)
        @vars[name] = given if mine[2]
        return given
      end
      if name.match?(Changes::ASSERTS) || @words.(name) || Kernel.private_method_defined?(name) || Kernel.method_defined?(name)
        before = @changed.size
        (name == "loop" ? 2 : 1).times { run(block, []) } unless BLOCKS.include?(name)
        because("the tests ask whether what the program gave them is frozen", node) if @changed.size > before && args.flatten.include?("FrozenError")
        return name.match?(/\A(?:_|value|expect)\z/) ? things[0] : nil
      end
      given = gave(node, name, things)
      run(block, [Thing.new(:object)] * 2)
      given
    end

    # within follows a method of the tests' own.
    def within((params, body), things)
      return if @depth == DEPTH
      @depth += 1
      old = @vars
      @vars = old.select { |n, _| n.match?(/\A[@$A-Z]/) || @methods[n]&.at(2) }.merge(params.zip(things).to_h)
      statements(body)
    ensure
      if old
        old.merge!(@vars.select { |n, _| n.match?(/\A[@$A-Z]/) })
        @vars = old
        @depth -= 1
      end
    end

    # run follows a block whose parameters are things.
    def run(block, things)
      return unless Array === block && %i[brace_block do_block].include?(block[0])
      names = block[1] ? block[1][1].then { |ps| Array(ps && ps[1]).flat_map { |p| p[0] == :mlhs ? p.flatten.each_cons(2).filter_map { |k, n| n if k == :@ident } : [p[1]] } } : []
      names.each_with_index do |n, i|
        @versions[n] += 1
        @vars[n] = things[i] || (things[0]&.kind == :gave ? things[0] : nil)
      end
      statements(block[2])
    end

    # same tells where two values may be one object of the program, and neither is one that
    # the tests made. Of an argument that comes back itself, the harness knows.
    def same(node, left, right, *nodes)
      came = [left, right].zip([right, left], nodes).map do |t, other, n|
        t && (%i[part gave].include?(t.kind) || t.kind == :own && (t.kept || other&.kind == :gave && n[0] != :var_ref && other.args.any? { |a| a.equal?(t) }))
      end
      because("the tests ask which object the program gave them", node) if came.all? && !left.equal?(right)
    end

    # asserted looks for what an object gave before it was told to change.
    def asserted(name, args)
      args.each_with_index do |a, i|
        stale(a) do |v, whole|
          other = args[1 - i]&.first if args.size > 1
          if @vars[v[1][1]].kind == :own then because("the tests look at what they gave the program, after it may have changed", v) if [nil, *CONTAINER, :@int].include?(other)
          elsif !whole || CONTAINER.include?(other) || name.match?(/_(?:empty|includes?)\z/) then because("the tests look at what the program gave them, after it may have changed", v)
          end
        end
      end
      nil
    end

    # stale yields the variables in an expression that hold such a value.
    def stale(node, whole = true, &block)
      return unless Array === node
      if node[0] == :var_ref
        yield node, whole if @vars[node[1][1]]&.stale
      elsif node[0] == :call && Array === node[3] && Changes::CORE.key?(node[3][1]) && !%i[+ - * /].include?(node[3][1].to_sym) || node[0] == :aref
        stale(node[1], false, &block)
      elsif node[0] == :method_add_arg && node[1][0] == :call then stale(node[1], whole, &block)
      end
    end
  end
end
