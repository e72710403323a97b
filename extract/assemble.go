package extract

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
)

// assemble makes the result of the blocks of a reply.
func (f *finder) assemble(blocks []block, reserved []string) *Result {
	a := &assembly{finder: f, names: newNamer(reserved)}
	a.ext.Taken = []glovebox.Piece{}
	a.outputs(blocks)
	a.lang = a.choose(blocks)
	for i := range blocks {
		b := &blocks[i]
		a.ext.Truncated = a.ext.Truncated || b.cut && (b.lang != nil || strings.TrimSpace(b.text) == "")
		switch {
		case b.patch != nil:
			a.patch(b, blocks[:i])
		case b.reason != "":
			a.leave(b, b.reason)
		case b.data && b.name != "":
			a.data = append(a.data, b)
		case b.lang == nil:
			a.leave(b, unknownLanguage(b.tag))
		case !a.accepts(b):
			a.leave(b, fmt.Sprintf("in %s, and the program is in %s", b.lang.Name, a.lang.Name))
		default:
			b.lang = a.lang
			a.code = append(a.code, b)
		}
	}
	a.separateTests()
	a.leaveChanges()
	a.program()
	slices.SortStableFunc(a.ext.Left, func(x, y glovebox.Piece) int { return x.Line - y.Line })
	slices.SortStableFunc(a.ext.Taken, func(x, y glovebox.Piece) int { return x.Line - y.Line })
	return &Result{Program: a.prog, Tests: a.testFiles, Extraction: a.ext}
}

// unknownLanguage says that a tag names no language that can be run.
func unknownLanguage(tag string) string {
	if len(tag) > 30 || !plainTag(tag) {
		return "not a language that can be run"
	}
	return tag + " is not a language that can be run"
}

// assembly is the work on one reply.
type assembly struct {
	*finder
	names     *namer
	lang      *language.Language
	code      []*block
	tests     []*block
	data      []*block
	patching  int // bytes of files that patches were applied to
	ext       glovebox.Extraction
	prog      *glovebox.Program
	testFiles []glovebox.File
}

func (a *assembly) leave(b *block, reason string) {
	a.ext.Left = append(a.ext.Left, b.piece(reason))
}

func (a *assembly) note(format string, args ...any) {
	const most = 50
	if n := len(a.ext.Notes); n < most {
		a.ext.Notes = append(a.ext.Notes, fmt.Sprintf(format, args...))
	} else if n == most {
		a.ext.Notes = append(a.ext.Notes, "more notes were left out")
	}
}

// outputs marks as output what the reply does not mark so: an untagged fence
// beside tagged code, and a tagged one that follows code, is announced as its
// output and does not look like code.
func (a *assembly) outputs(blocks []block) {
	tagged := slices.ContainsFunc(blocks, func(b block) bool { return a.langs.ByName(b.tag) != nil && b.reason == "" })
	code := false
	for i := range blocks {
		b := &blocks[i]
		if !tagged || b.name != "" || b.lang == nil || b.prose || b.reason != "" {
			continue
		}
		switch {
		case b.tag == "" && a.score(b) < 45:
			b.reason = "untagged beside tagged code: output"
		case code && outputAbove().MatchString(b.before) && a.score(b) < 20:
			b.reason = "output"
		default:
			code = true
		}
	}
}

// choose decides the program's language.
func (a *assembly) choose(blocks []block) *language.Language {
	if a.wish != nil {
		return a.wish
	}
	size := map[*language.Language]int{}
	for i := range blocks {
		if b := &blocks[i]; a.isCode(b) {
			size[b.lang] += len(b.text)
		}
	}
	var best *language.Language
	for _, l := range a.langs {
		switch {
		case size[l] == 0:
		case best == nil, isShell(best), size[l] > size[best] && !isShell(l):
			best = l
		}
	}
	return best
}

// accepts reports whether a block can be in the program.
func (a *assembly) accepts(b *block) bool {
	return b.lang == a.lang || a.lang != nil && a.lang.Name == "typescript" && b.lang.Name == "javascript"
}

// maxPatching bounds the bytes that the patches of a reply go through.
const maxPatching = 128 << 20

// patch applies a diff to the newest version of its file before it.
func (a *assembly) patch(b *block, before []block) {
	for i := len(before) - 1; i >= 0; i-- {
		old := &before[i]
		if old.lang == nil || old.reason != "" || old.name != b.name && (old.name != "" || b.name != "") {
			continue
		}
		if a.patching += len(old.text); a.patching > maxPatching {
			a.leave(b, "a patch, after too many others")
			return
		}
		if text, ok := patched(old.text, b.patch); ok {
			a.note("line %d: the patch was applied to the code of line %d", b.line, old.line)
			old.text, old.out = text, nil
			a.ext.Taken = append(a.ext.Taken, b.piece(""))
			return
		}
		break
	}
	a.leave(b, b.reason)
}

// testSigns is how a line begins that only tests have, in any of the languages.
var testSigns = lazyre.New(`^(?:import (?:unittest|pytest)\b|from (?:unittest|pytest)\b|(?:async )?def test_\w*\(|class Test\w*[(:]|class \w+\(unittest\.TestCase\)|(?:describe|it|test)\(\s*['"` + "`" + `]|(?:import|const) .*(?:node:test|vitest|jest|mocha|node:assert|'assert'|"assert")|func Test\w*\(\w+ \*testing\.T\)|require ['"](?:minitest|test/unit|rspec)|RSpec\.describe|use Test::|class \w+ (?:extends TestCase|< Minitest)|require.*luaunit|@test ")`)

// testHeads are the possible beginnings of these lines. Nearly all lines have none of
// them, and are spared the expression.
var testHeads = []string{
	"import ", "from ", "async def test_", "def test_", "class ", "describe(", "it(", "test(", "const ", "func Test",
	"require", "RSpec.describe", "use Test::", `@test "`,
}

// hasTestSigns reports whether a line of text is one that only tests have.
func hasTestSigns(text string) bool {
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n\f")
		if slices.ContainsFunc(testHeads, func(h string) bool { return strings.HasPrefix(text, h) }) && testSigns().MatchString(text) {
			return true
		}
		_, text, _ = strings.Cut(text, "\n")
	}
	return false
}

var (
	assertion = lazyre.New(`^(?:self\.)?(?:assert\b|assert\w*[.(]|console\.assert\(|expect\()`)
	passed    = lazyre.New(`(?i)^(?:print|puts|echo|console\.log|fmt\.Print\w*)\b.*\b(?:pass|passed|ok|success\w*|tests?)\b`)
)

// testBytes is how much of a block is read to tell tests.
const testBytes = 1 << 20

// isTest reports whether a block is test code.
func isTest(b *block) bool {
	if b.test {
		return true
	}
	name := b.name
	if name == "" {
		name = b.lang.Main
	}
	head := b.text[:min(len(b.text), testBytes)]
	if b.lang.IsTest != nil && b.lang.IsTest(glovebox.File{Path: name, Data: []byte(head)}) {
		return true
	}
	if b.name != "" {
		return false
	}
	return hasTestSigns(head) || onlyAsserts(b)
}

// onlyAsserts reports whether a block is nothing but assertions.
func onlyAsserts(b *block) bool {
	found := false
	for line := range strings.Lines(b.text) {
		t := significant(line, b.lang)
		switch {
		case t == "", passed().MatchString(t), line[0] == ' ', line[0] == '\t', strings.HasPrefix(t, ")"):
		case assertion().MatchString(t):
			found = true
		default:
			return false
		}
	}
	return found
}

// separateTests takes test code out of the program, if something else is in
// it. Code that defines what other code defines too is a version of it, with
// tests inside.
func (a *assembly) separateTests() {
	marks := make([]bool, len(a.code))
	tests := 0
	for i, b := range a.code {
		if marks[i] = isTest(b); marks[i] {
			tests++
		}
	}
	if tests == len(a.code) && tests > 0 {
		a.note("all the code is tests: it was taken as the program")
	}
	if tests == len(a.code) || tests == 0 {
		return
	}
	defs := map[string]bool{}
	for i, b := range a.code {
		if !marks[i] {
			for n := range a.outlined(b).defs {
				defs[n] = true
			}
		}
	}
	var code []*block
	for i, b := range a.code {
		if marks[i] && (b.test || b.name != "" || !a.definesOne(b, defs)) {
			a.tests = append(a.tests, b)
			continue
		}
		code = append(code, b)
	}
	a.code = code
}

func (a *assembly) definesOne(b *block, defs map[string]bool) bool {
	for n := range a.outlined(b).defs {
		if defs[n] {
			return true
		}
	}
	return false
}

// leaveChanges leaves code that only says what to change in files that are not
// in the reply: a reply most of whose blocks are pieces, and small unmarked
// pieces beside whole files.
func (a *assembly) leaveChanges() {
	pieces, named, size := 0, 0, 0
	for _, b := range a.code {
		size += len(b.text)
	}
	if size > testBytes {
		return // so much is no piece
	}
	for _, b := range a.code {
		o := a.outlined(b)
		if o.fragment != "" || o.methods || o.elided {
			pieces++
		}
		if b.name != "" {
			named++
		}
	}
	if len(a.code) > 1 && 2*pieces > len(a.code) && a.elisions() > 1 {
		for _, b := range a.code {
			a.leave(b, "a fragment: "+changeReason)
		}
		a.code = nil
		return
	}
	a.code = slices.DeleteFunc(a.code, func(b *block) bool {
		small := b.name == "" && named > 0 && b.lines <= 3 || b.above && a.outlined(b).elided
		if len(a.code) == 0 || !small || !adjusting().MatchString(b.before) {
			return false
		}
		a.leave(b, changeReason)
		return true
	})
}

// elisions counts the blocks that say that a part of them is left out.
func (a *assembly) elisions() (n int) {
	for _, b := range a.code {
		if a.outlined(b).elided {
			n++
		}
	}
	return n
}

// adjusting is a line that announces a change.
var adjusting = lazyre.New(`(?i)\b(?:adjust|change|changes|replace|modify|update|edit|uncomment|revert)\b`)

// program makes the files.
func (a *assembly) program() {
	if len(a.code) == 0 {
		for _, b := range a.data {
			a.leave(b, "data, and there is no program")
		}
		return
	}
	prog := &glovebox.Program{Language: a.lang.Name}
	main := ""
	nameModules(a.lang, a.code)
	var loose []*block
	for _, b := range a.versions() {
		if b.name == "" {
			loose = append(loose, b)
		} else {
			a.put(prog, b)
		}
	}
	if len(loose) > 0 {
		main = a.join(prog, loose)
	}
	if len(prog.Files) == 0 {
		return
	}
	for _, b := range a.named(a.data) {
		a.put(prog, b)
	}
	if main == "" {
		main = a.start(prog)
	}
	prog.Main = main
	a.prog = prog
	for _, b := range a.named(a.tests) {
		if b.name != "" {
			a.testFile(b, b.name)
		}
	}
	for _, b := range a.tests {
		if b.name == "" {
			a.testFile(b, testName(a.lang))
		}
	}
}

var (
	luaRequire = lazyre.New(`\brequire\s*\(?\s*['"]([\w.-]+)['"]`)
	luaModule  = lazyre.New(`(?m)^return\s+[A-Za-z_]\w*\s*$`)
)

// nameModules names a Lua module without a name by what the script beside it
// requires: the two are no one file, since a module ends by returning.
func nameModules(l *language.Language, code []*block) {
	if l.Name != "lua" || len(code) != 2 {
		return
	}
	for i, b := range code {
		script := code[1-i].text
		if b.name != "" || len(script) > testBytes || len(b.text) > testBytes || !luaModule().MatchString(b.text) {
			continue
		}
		if m := luaRequire().FindAllStringSubmatch(script, 2); len(m) == 1 {
			b.name = strings.ReplaceAll(m[0][1], ".", "/") + ".lua"
			return
		}
	}
}

// versions returns the blocks that stay of the code: the last complete version
// of each.
func (a *assembly) versions() []*block {
	blocks := a.named(a.code)
	if len(blocks) == len(a.code) || len(a.code) == 1 {
		return a.code[:len(a.code):len(a.code)]
	}
	v := newVersions(a.finder, a.lang, a.leave)
	for _, b := range blocks {
		v.push(&part{b, a.outlined(b)})
	}
	for _, b := range a.code {
		if b.name == "" {
			v.add(b)
		}
	}
	v.settle(a.alone)
	a.ext.Notes = append(a.ext.Notes, v.notes...)
	blocks = nil
	for _, p := range v.parts {
		if p != nil {
			blocks = append(blocks, p.block)
		}
	}
	return blocks
}

// testName is the name of a test file that has none.
func testName(l *language.Language) string {
	ext := path.Ext(l.Main)
	stem := strings.TrimSuffix(l.Main, ext)
	switch l.Name {
	case "go":
		return stem + "_test" + ext
	case "javascript", "typescript":
		return stem + ".test" + ext
	case "php":
		return "MainTest" + ext
	case "perl":
		return stem + ".t"
	}
	return "test_" + stem + ext
}

func (a *assembly) testFile(b *block, name string) {
	p, err := clean(name)
	if err != nil || !a.names.free(p) {
		p = numberedName(a.names, testName(a.lang))
	}
	a.names.add(p)
	a.testFiles = append(a.testFiles, glovebox.File{Path: p, Data: []byte(b.text)})
	a.leave(b, "tests, kept apart")
}

// named returns the blocks that have a name, the last version of each file
// only.
func (a *assembly) named(blocks []*block) []*block {
	at := map[string]int{}
	var files []*block
	for _, b := range blocks {
		if b.name == "" {
			continue
		}
		i, again := at[b.name]
		if !again {
			at[b.name] = len(files)
			files = append(files, b)
			continue
		}
		old := files[i]
		if reason := a.worse(b, old); reason != "" {
			a.leave(b, reason)
			continue
		}
		a.leave(old, fmt.Sprintf("an earlier version of %s", short(b.name)))
		a.note("%s is given more than once: the last complete version, line %d, was taken", short(b.name), b.line)
		files[i] = b
	}
	return files
}

// worse says why b does not replace old, a block of the same name.
func (a *assembly) worse(b, old *block) string {
	if b.lang == nil {
		return ""
	}
	n, o := a.outlined(b), a.outlined(old)
	same := 0
	for l := range n.sig {
		if o.sig[l] {
			same++
		}
	}
	switch {
	case b.cut && !old.cut:
		return "cut off by the end of the reply; the last complete version was taken"
	case n.fragment != "" && o.fragment == "":
		return "a fragment: " + n.fragment
	case same == len(n.sig) && 2*len(n.sig) < len(o.sig):
		return "a part of the file that was taken"
	}
	return ""
}

// put adds a block as a file of its own.
func (a *assembly) put(prog *glovebox.Program, b *block) {
	p, err := clean(b.name)
	switch {
	case err != nil:
		p = a.names.fallback(b.lang)
		a.note("line %d: %v; it is %s now", b.line, err, p)
	case a.names.taken[p] && !hasFile(prog, p):
		a.leave(b, "its name is the name of the caller's tests or inputs")
		return
	case !a.names.free(p):
		old := p
		p = a.names.fallback(b.lang)
		a.note("line %d: %s is in the way of another file; it is %s now", b.line, short(old), p)
	}
	a.add(prog, p, b.text)
	a.took(b, p)
}

func hasFile(prog *glovebox.Program, p string) bool {
	return slices.ContainsFunc(prog.Files, func(f glovebox.File) bool { return f.Path == p })
}

func (a *assembly) add(prog *glovebox.Program, p, text string) {
	a.names.add(p)
	prog.Files = append(prog.Files, glovebox.File{Path: p, Data: []byte(text)})
}

func (a *assembly) took(b *block, p string) {
	piece := b.piece("")
	piece.File = p
	a.ext.Taken = append(a.ext.Taken, piece)
	for _, n := range b.notes {
		a.note("line %d: %s", b.line, n)
	}
	if b.cut {
		a.note("line %d: the reply ends inside this code", b.line)
	}
}

// join makes the main file of the parts without a name, and returns its path.
func (a *assembly) join(prog *glovebox.Program, parts []*block) string {
	main := a.names.fallback(a.lang)
	a.names.add(main)
	var text bytes.Buffer
	size := len(parts)
	for _, p := range parts {
		size += len(p.text) + 1
	}
	text.Grow(size)
	for i, p := range parts {
		code := p.text
		if i > 0 && a.lang.Name == "go" && goPackage().MatchString(code) {
			// A Go file has one package clause: the part is a file of its own.
			file := a.names.fallback(a.lang)
			a.add(prog, file, code)
			a.took(p, file)
			continue
		}
		if a.lang.Name == "php" && i > 0 {
			code = strings.TrimPrefix(strings.TrimSpace(code), "<?php")
		}
		if a.lang.Name == "php" && i < len(parts)-1 {
			code = strings.TrimSuffix(strings.TrimRight(code, " \t\n"), "?>")
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(strings.Trim(code, "\n"))
		text.WriteByte('\n')
		a.took(p, main)
	}
	if len(parts) > 1 {
		a.note("%d blocks were put together", len(parts))
	}
	a.names.add(main)
	prog.Files = append(prog.Files, glovebox.File{Path: main, Data: text.Bytes()})
	return main
}

var goPackage = lazyre.New(`(?m)^package\s+\w+`)

// entryNames are the names of files that programs start with.
var entryNames = []string{"main", "__main__", "app", "index", "run", "cli", "server", "program", "solution"}

// start decides which file of a program is started: one with such a name, else
// one with an entry point, else the one that no other names, the last if there
// are several.
func (a *assembly) start(prog *glovebox.Program) string {
	var code []glovebox.File
	for _, f := range prog.Files {
		if a.langs.ByPath(f.Path) == a.lang {
			code = append(code, f)
		}
	}
	if len(code) == 0 {
		return prog.Files[0].Path
	}
	stem := func(f glovebox.File) string {
		base := path.Base(f.Path)
		return strings.TrimSuffix(base, path.Ext(base))
	}
	for _, name := range entryNames {
		for _, f := range code {
			if stem(f) == name {
				return f.Path
			}
		}
	}
	for _, f := range code {
		for line := range bytes.Lines(f.Data) {
			if entryPoint().Match(line) {
				return f.Path
			}
		}
	}
	// A few files are compared with each other; of many the last is taken.
	if len(code) <= 16 {
		for i := len(code) - 1; i >= 0; i-- {
			used := slices.ContainsFunc(code, func(g glovebox.File) bool {
				return g.Path != code[i].Path && bytes.Contains(g.Data, []byte(stem(code[i])))
			})
			if !used {
				return code[i].Path
			}
		}
	}
	return code[len(code)-1].Path
}
