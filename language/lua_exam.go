package language

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// How Lua tests run: the text of the tests alone chooses the form.

// maxLuaNames bounds the names requested from a chunk. A chunk has at most 255
// variables from outside.
const maxLuaNames = 180

var (
	luaOwn = luaSet(`assert collectgarbage coroutine debug dofile error getmetatable io ipairs load loadfile loadstring unpack
		math next os package pairs pcall print rawequal rawget rawlen rawset require select self setmetatable string table
		tonumber tostring type utf8 xpcall warn arg goto _G _ENV _VERSION`)
	luaLibraries = luaSet(`coroutine debug io math os package string table utf8 _G`)
	// luaBusted are the words added by busted.
	luaBusted = luaSet(`describe it context spec test insulate expose pending before_each after_each setup teardown lazy_setup
		lazy_teardown strict_setup strict_teardown finally spy stub mock match assert`)
	// bustedDoes are the words supported by our busted.
	bustedDoes = luaSet(`describe it context spec test before_each after_each setup teardown lazy_setup lazy_teardown
		strict_setup strict_teardown pending assert insulate expose`)
	// luassertDoes are the words of an assertion supported by our busted.
	luassertDoes = luaSet(`is are was were has have does do be been no a an is_not are_not not_ is_no has_no message Not
		same equal equals same_ Equal Equals Same True False Nil Truthy Falsy
		is_true is_false is_nil is_truthy is_falsy is_equal are_equal are_same is_same is_not_nil is_not_true is_not_false
		are_equals is_not_equal are_not_equal are_not_same is_not_same not_nil not_equal not_equals not_same not_true not_false
		true_ false_ nil_ truthy falsy near matches match error errors error_matches has_error has_errors has_no_error
		has_no_errors no_error no_errors is_near not_near is_not_near is_number is_string is_table is_boolean is_function
		number string table boolean Function is_error is_nan Number String Table Boolean
		is_not_truthy is_not_falsy unique has_match has_no_match is_not_number is_not_string is_not_table
		has_error_that_matches error_match Error Errors is_not_table not_error does_not_error`)
	// luaJudges matches the modules in luaKnown that tests compare with. A judging
	// module comes from the toolchain, whatever files the program has.
	luaJudges = lazyre.New(`^(?:busted|luassert|say|pl|lunitx?|lust|telescope|luaunit|testy|gambiarra|laura|u-test|tap|Test|mock|mockagne|deepcompare|deep_?equals?|tablecompare|tableshape|compare|diff|inspect|serpent|lume|moses|lua-?assert\w*)(?:[./]|$)`)
	// luaKnown matches published modules. If one is missing here, the program is
	// not at fault.
	luaKnown = lazyre.New(`^(?:busted|luassert|say|mediator|pl|lfs|lpeg|re|cjson|dkjson|json|inspect|socket|mime|ssl|posix|lunit|lunitx|lust|telescope|luacov|system|term|cliargs|ansicolors|argparse|middleclass|luaunit|testy|gambiarra|lua-cjson|rapidjson|serpent|ltn12|lyaml|lxp|copas|moses|lume|deepcompare|deep_?equals?|tablecompare|tableshape|classic|30log|mock|mockagne|laura|u-test|tap|Test)(?:\.|$)`)
	// luaUnitDoes matches the functions of our luaunit.
	luaUnitDoes = lazyre.New(`^(?:LuaUnit|EPS|VERSION|ORDER_ACTUAL_EXPECTED|ran|run|fail|failIf|success|successIf|skip|skipIf|prettystr|assert|` +
		`assert_?(?:[nN]ot_?)?(?:Equals?|equals?|Is|is|AlmostEquals?|almost_?[eE]quals?|ItemsEquals|items_?[eE]quals|TableContains|table_?[cC]ontains|StrContains|str_?[cC]ontains|StrIContains|str_?[iI]_?[cC]ontains|Nil|nil|NaN|nan|Inf|inf|` +
		`[iI]s_?(?:Number|String|Table|Boolean|Function|Userdata|Thread|Coroutine|Nil|True|False|NaN|Inf)|PlusInf|MinusInf|PlusZero|MinusZero|True|False|Error)|` +
		`assert_?(?:True|true|False|false|EvalToTrue|eval_?[tT]o_?[tT]rue|EvalToFalse|eval_?[tT]o_?[fF]alse|StrMatches|str_?[mM]atches|[iI]sPlusInf|[iI]sMinusInf|[iI]sPlusZero|[iI]sMinusZero)|` +
		`assert_?(?:Error|error)(?:MsgEquals|MsgContentEquals|MsgContains|MsgMatches|_msg_equals|_msg_contains|_msg_matches|_msg_content_equals)?|` +
		`LuaUnit\.(?:run|Run|runSuite|new|run_suite))$`)
)

func luaSet(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// luaMore lists paths that tests use or set. Each of them needs the program in the
// tests' own process, for the given reason.
var luaMore = []struct {
	use func() *regexp.Regexp
	why string
}{
	{lazyre.New(`^(?:io\.(?:output|stdout|stderr|input|stdin|read|open|lines|popen|tmpfile)|os\.(?:getenv|execute|remove|rename|tmpname|setlocale))$`), "streams, files or the environment"},
	{lazyre.New(`^(?:(?:debug|package|coroutine)(?:\..*)?|setmetatable|getmetatable|_G|_ENV|collectgarbage)$`), "the program's insides"},
	{lazyre.New(`^(?:load|loadstring|loadfile|dofile)$`), "code that it makes"},
	{lazyre.New(`^math\.randomseed$`), "the seed of random numbers"},
}

// luaTests combines the facts read from the test files.
type luaTests struct {
	staged []glovebox.File
	// marked are the same files, with marks at the construction of objects.
	marked []glovebox.File
	// start are the files to start.
	start []string
	texts map[string]*luaText
	// more is the reason why calls are not enough, or "".
	more string
	// shared is the reason why the tests must share a table with the program, or
	// "".
	shared string
	// luaunit and busted mean the tests use these frameworks; lacking are the used
	// parts that ours do not have.
	luaunit, busted bool
	lacking         []string
	// empty says that there is no test, or that all tests are skipped.
	empty string
	// paths means the tests change the module search path.
	paths bool
	// nobodys is the name of an assertion used by the tests but defined nowhere.
	nobodys string
	// wanted are the names the program may supply.
	wanted []string
}

func readLuaTests(files []glovebox.File, p *glovebox.Program) (*luaTests, error) {
	all, _ := stageTests(files, ".lua")
	main, declared := p.Main, luaDeclares(p.Files)
	t := &luaTests{staged: all, texts: map[string]*luaText{}}
	t.start = startedNames(all, isLuaTest, ".lua")
	if len(t.start) == 0 {
		return nil, &Unrunnable{Reason: "the tests do not have a file of Lua: its name must end in .lua"}
	}
	free, defined, used := map[string]bool{}, map[string]bool{}, map[string]bool{}
	checks := map[string]bool{}
	var set, requires []string
	for _, f := range all {
		if path.Ext(f.Path) != ".lua" {
			continue
		}
		text, err := readLua(string(f.Data))
		if err != nil {
			continue // Lua itself reports the syntax error, before any test
		}
		t.texts[f.Path] = text
		for n := range text.free {
			free[n] = true
		}
		for n := range text.defined {
			defined[n] = true
		}
		for n := range text.used {
			used[n] = true
		}
		maps.Copy(checks, text.checks)
		for n := range text.set {
			set = append(set, n)
		}
		for n := range text.requires {
			requires = append(requires, n)
		}
		t.busted = t.busted || text.blocks
	}
	slices.Sort(set)
	slices.Sort(requires)
	t.luaunit = slices.Contains(requires, "luaunit")
	for n := range requires {
		t.busted = t.busted || luaIsBusted(requires[n])
	}
	t.empty = t.none()
	for u := range used {
		t.paths = t.paths || luaRoot(u) == "package"
	}
	t.more = luaNeeds(used, set, requires, all, main)
	t.lacking = t.lacks(used, defined)
	for n := range free {
		framework := t.busted && luaBusted[n] || luaAssertName().MatchString(n) || t.luaunit && luaTestNamed().MatchString(n)
		if declared[n] && !defined[n] && !luaOwn[n] && !framework && !strings.HasPrefix(n, "__glovebox") {
			t.wanted = append(t.wanted, n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(free)) {
		exported := defined["EXPORT_ASSERT_TO_GLOBALS"] && luaUnitDoes().MatchString(n)
		if (luaAssertName().MatchString(n) || checks[n] && !luaOwn[n]) && !defined[n] && !exported && !(t.busted && luaBusted[n]) {
			t.nobodys = n
		}
	}
	// theirs reports whether a path begins with a part of the program: a name, or a
	// module that is neither a file of the tests nor a known module.
	theirs := func(root string) bool {
		module, ok := strings.CutPrefix(root, "@")
		if !ok {
			return slices.Contains(t.wanted, root)
		}
		return module+".lua" == main || !luaKnown().MatchString(module) && !slices.ContainsFunc(all, func(f glovebox.File) bool { return f.Path == module+".lua" })
	}
	for _, u := range slices.Sorted(maps.Keys(used)) {
		root, rest, field := strings.Cut(u, ".")
		if field && theirs(root) && luaAssertName().MatchString(rest[strings.LastIndexByte(rest, '.')+1:]) {
			t.nobodys = strings.TrimPrefix(u, "@")
		}
	}
	// Definitions of the program decide nothing here.
	outside := func(root string) bool {
		if strings.HasPrefix(root, "@") {
			return theirs(root)
		}
		return free[root] && !defined[root] && !luaOwn[root] && !(t.busted && luaBusted[root]) && !luaAssertName().MatchString(root)
	}
	for _, f := range all {
		if text := t.texts[f.Path]; text != nil && t.shared == "" {
			t.shared = text.shared(string(f.Data), outside)
		}
	}
	slices.Sort(t.wanted)
	if t.more == "" && len(t.wanted) > maxLuaNames {
		t.more = fmt.Sprintf("%d names", len(t.wanted))
	}
	t.marked = slices.Clone(t.staged)
	for i, f := range t.staged {
		if text := t.texts[f.Path]; text != nil {
			t.marked[i].Data = []byte(text.mark(string(f.Data), theirs))
		}
	}
	return t, nil
}

var (
	// luaAssertName matches names found only in assertion libraries.
	luaAssertName = lazyre.New(`^(?:assert[_A-Z]\w*|expect|should|suite|luaunit|LuaUnit|EXPORT_ASSERT_TO_GLOBALS)$`)
	luaTestNamed  = lazyre.New(`^[Tt]est`)
)

func luaIsBusted(module string) bool {
	return module == "luassert" || module == "busted" || strings.HasPrefix(module, "busted.") || strings.HasPrefix(module, "luassert.")
}

func luaFile(module string) string {
	return strings.ReplaceAll(strings.TrimPrefix(module, "./"), ".", "/") + ".lua"
}

// luaNeeds returns the reason why the tests need the program in their own process,
// or "".
func luaNeeds(used map[string]bool, set, requires []string, files []glovebox.File, main string) string {
	for _, m := range luaMore {
		for u := range used {
			if m.use().MatchString(u) {
				return m.why
			}
		}
	}
	for _, s := range set {
		// EXPORT_ASSERT_TO_GLOBALS and the like are luaunit's own.
		if root, _, field := strings.Cut(s, "."); field && luaLibraries[root] || !field && luaOwn[s] && s != "arg" && s != "self" {
			return s + ", which they replace"
		}
	}
	for _, f := range files {
		base := path.Base(f.Path)
		if path.Ext(base) != ".lua" && slices.ContainsFunc(files, func(g glovebox.File) bool {
			return path.Ext(g.Path) == ".lua" && bytes.Contains(g.Data, []byte(base))
		}) {
			return "the file " + base
		}
	}
	for _, r := range requires {
		own := slices.ContainsFunc(files, func(f glovebox.File) bool {
			return f.Path == luaFile(r)
		})
		own = own || luaFile(r) == main
		if !own && r != "luaunit" && !luaIsBusted(r) && r != "main" && r != "solution" {
			return "the module " + r
		}
	}
	return ""
}

// lacks returns the framework parts used by the tests but missing from ours.
func (t *luaTests) lacks(used, defined map[string]bool) []string {
	var lacking []string
	for u := range used {
		if rest, ok := strings.CutPrefix(u, "@luaunit."); ok {
			if !luaUnitDoes().MatchString(rest) && !strings.HasPrefix(rest, "LuaUnit.") {
				lacking = append(lacking, "luaunit."+rest)
			}
		}
		root, rest, _ := strings.Cut(u, ".")
		switch {
		case t.busted && root == "assert" && rest != "":
			for _, w := range strings.Split(rest, ".") {
				if !luassertDoes[w] {
					lacking = append(lacking, u)
					break
				}
			}
		case t.busted && luaBusted[root] && !bustedDoes[root] && !defined[root]:
			lacking = append(lacking, root)
		case strings.HasPrefix(root, "@luassert/") || strings.HasPrefix(root, "@busted/") && root != "@busted/runner":
			lacking = append(lacking, root[1:])
		}
	}
	slices.Sort(lacking)
	return slices.Compact(lacking)
}

// none reports that the text of the tests has no test, or only skipped tests; else
// "".
func (t *luaTests) none() string {
	calls, tests, skipped := 0, 0, 0
	for _, name := range t.start {
		text := t.texts[name]
		if text == nil {
			return ""
		}
		// skips reports whether a function only skips, judging by its first words.
		skips := func(f luaSpan) bool {
			return slices.ContainsFunc(text.scope.calls, func(c luaCall) bool {
				return c.begin == f.begin+2 && (c.path == "@luaunit.skip" || c.path == "pending")
			})
		}
		count := func(skips bool) {
			if tests++; skips {
				skipped++
			}
		}
		for _, f := range text.scope.functions {
			if before := text.words[f.begin-1]; before.kind == 'n' && luaTestNamed().MatchString(before.text) {
				count(skips(f))
			}
		}
		for _, c := range text.scope.calls {
			own := c.path != "require" || slices.ContainsFunc(t.staged, func(f glovebox.File) bool {
				return f.Path == luaFile(text.words[c.end-1].text) || f.Path == luaFile(text.words[c.end-2].text)
			})
			if own && c.path != "print" {
				calls++
			}
			switch last := len(c.args) - 1; {
			case last < 1:
			case c.path == "pending":
				count(true)
			case c.path == "it" || c.path == "spec" || c.path == "test":
				count(skips(luaSpan{c.args[last].begin + 1, c.args[last].end}))
			}
		}
	}
	switch {
	case calls == 0 && tests == 0:
		return "the tests are empty"
	case tests > 0 && tests == skipped:
		return "all tests are skipped"
	}
	return ""
}

func examLua(tc *Toolchain, p *glovebox.Program, tests Tests) (*Exam, error) {
	t, err := readLuaTests(tests.Files, p)
	if err != nil {
		return nil, err
	}
	p, tree := startTree(p, ".lua", "")
	if tree {
		t.more = inTree
	}
	if t.nobodys != "" {
		return nil, &Unrunnable{Reason: "the tests use the assertion " + t.nobodys + ", which neither they nor a framework that they require defines", Missing: []string{t.nobodys}}
	}
	if t.empty != "" && !tree {
		return nil, &Unrunnable{Reason: t.empty}
	}
	if t.luaunit && t.busted {
		return nil, &Unrunnable{Reason: "the tests use both luaunit and busted"}
	}
	if t.more != "" || len(t.lacking) > 0 || t.shared != "" {
		return t.together(tc, p)
	}
	framework := ""
	if t.busted {
		framework = "busted"
	}
	args := slices.Concat([]string{p.Main, framework, "--"}, t.wanted, []string{"--"}, t.start)
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     slices.Clone(p.Files),
		Candidate: Step{Args: luaCommand(tc, "candidate", slices.Concat([]string{p.Main}, t.wanted, []string{"--"})...)},
		Harness:   &Step{Args: luaCommand(tc, "harness", args...), Files: t.marked},
	}, nil
}

// together is the exam in the program's own process. It uses the toolchain's real
// framework if installed, else ours if it supports everything used.
func (t *luaTests) together(tc *Toolchain, p *glovebox.Program) (*Exam, error) {
	reason := t.shared
	switch {
	case t.more != "":
		reason = "the tests use " + t.more
	case len(t.lacking) > 0:
		reason = "the tests use " + t.lacking[0]
	}
	framework := "none"
	switch {
	case t.luaunit && tc.Tools["luaunit"] != "":
		framework = "luaunit"
	case t.busted && tc.Tools["busted"] != "":
		framework = "busted"
	case t.busted:
		return nil, &Unrunnable{Reason: "the tests need busted, which is not here", Missing: []string{"busted"}}
	case t.luaunit && len(t.lacking) > 0:
		return nil, &Unrunnable{Reason: "the tests use " + t.lacking[0] + " and need luaunit, which is not here", Missing: []string{"luaunit"}}
	}
	var known []string
	files := p.Files
	for _, text := range t.texts {
		for r := range text.requires {
			own := slices.ContainsFunc(t.staged, func(f glovebox.File) bool { return f.Path == luaFile(r) })
			if luaKnown().MatchString(r) && r != "luaunit" && !own {
				known = append(known, r)
			}
			if t.more == "the module "+r && !t.paths && !luaKnown().MatchString(r) && !slices.ContainsFunc(p.Files, func(f glovebox.File) bool {
				return bytes.Contains(f.Data, []byte("preload")) && bytes.Contains(f.Data, []byte(r))
			}) {
				known = append(known, "?"+r)
			}
			if luaJudges().MatchString(r) && !own && t.more != inTree && luaFile(r) != p.Main {
				files = withoutFiles(files, []string{luaFile(r), strings.TrimSuffix(luaFile(r), ".lua") + "/init.lua"})
			}
		}
	}
	slices.Sort(known)
	var names []string
	for _, f := range t.staged {
		names = append(names, f.Path)
	}
	args := slices.Concat([]string{p.Main, framework}, t.start, []string{"--"}, slices.Compact(known), []string{"--"})
	return &Exam{
		Proof:     glovebox.ProofInProcess,
		Files:     withoutFiles(files, names),
		Candidate: Step{Args: luaCommand(tc, "together", args...), Files: t.staged},
		Reason:    reason,
	}, nil
}
