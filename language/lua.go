package language

import (
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Lua is PUC Lua 5.
var Lua = &Language{
	Name:       "lua",
	Title:      "Lua",
	Aliases:    []string{"lua", "lua5", "lua5.4", "lua5.3"},
	Extensions: []string{".lua"},
	Main:       "main.lua",
	Comment:    "--",
	Score:      luaSigns.score,
	IsTest:     isLuaTest,
	Find:       findLua,
	Plan:       planLua,
	Exam:       examLua,
	ReadSyntax: readLuaSyntax,

	ReadFailure: readLuaFailure,
	Libraries:   ownProgram("lua", "libraries.lua", "libraries.lua"),
	Lint:        ownProgram("lua", "lint.lua", "lint.lua"),
	Install:     installLua,
}

const installLua = "install Lua 5.3 or 5.4 (Debian: apt-get install lua5.4)"

//go:embed lua/*.lua lua/run.sh
var luaDrivers embed.FS

// luaHome is where our drivers are in a box.
const luaHome = "/opt/glovebox/lua/"

var luaSigns = signs{
	signed(90, `^#!.*\blua\b`),
	signed(60, `^\s*local\s+(?:function\s+\w+\s*\(|\w+(?:\s*,\s*\w+)*\s*(?:=|$))`),
	signed(35, `^\s*function\s+[\w.:]+\s*\([^)]*\)\s*(?:--.*)?$`),
	signed(30, `\bthen\s*(?:--.*)?$`),
	signed(30, `\b(?:i?pairs|table\.(?:insert|concat|sort)|string\.(?:format|sub|gsub)|setmetatable)\s*\(`),
	signed(20, `^\s*end\)?\s*(?:--.*)?$`),
	signed(20, `~=|\.\.\s*["'\w]|^\s*elseif\b`),
	signed(15, `^\s*--\s|--\[\[`),
	signed(15, `^\s*for\s+\w+\s*=\s*[^;]+\bdo\s*$`),
	signed(-60, `^\s*(?:def|fi|done|esac)\b|^\s*local\s+\w+=|[;{]\s*$`),
	signed(-60, `^\s*(?:const|let|var|my|use|echo)\s|<\?php\b|\$\w`),
}

var luaTestName = lazyre.New(`(?i)(?:^test_.*|.*_(?:test|spec)|^tests?)\.lua$`)

func isLuaTest(f glovebox.File) bool {
	return luaTestName().MatchString(path.Base(f.Path))
}

// findLua finds Lua, and a shell and cat: Lua cannot use a descriptor beyond
// the standard three, so the shell wires them, and io.popen does the rest.
func findLua(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("lua5.4", "lua54", "lua", "lua5.3", "lua53")
	if err != nil {
		return nil, fmt.Errorf("Lua was not found (%w): %s", err, installLua)
	}
	version, err := h.Ask(ctx, exe, "-e", "print(_VERSION)")
	if err != nil {
		return nil, err
	}
	version = strings.TrimPrefix(strings.TrimSpace(version), "Lua ")
	if version != "5.3" && version != "5.4" {
		return nil, fmt.Errorf("Lua %s is not supported: %s", version, installLua)
	}
	tc := &Toolchain{
		Language: "lua", Version: version, Exe: "/usr/bin/lua",
		Tools: map[string]string{"sh": "/usr/bin/sh", "cat": "/usr/bin/cat"},
		Env:   []string{"LUA_PATH=;;" + luaHome + "lib/?.lua"},
		Path:  "/usr/local/bin:/usr/bin:/bin",
		Root:  rootfs.Base(),
	}
	elfs := []string{exe}
	tc.Root.Add(rootfs.Entry{Path: tc.Exe, Source: exe, Linked: true})
	for name, to := range tc.Tools {
		from, err := h.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("Lua needs the program %s in its box: %w", name, err)
		}
		elfs = append(elfs, from)
		tc.Root.Add(rootfs.Entry{Path: to, Source: from, Linked: true})
	}
	slices.Sort(elfs[1:])
	slices.SortStableFunc(tc.Root.Entries[len(tc.Root.Entries)-2:], func(a, b rootfs.Entry) int { return strings.Compare(a.Path, b.Path) })
	libs, err := h.Libraries(elfs...)
	if err != nil {
		return nil, err
	}
	tc.Root.Add(rootfs.Libraries(libs)...)
	if err := addDrivers(&tc.Root, luaDrivers, "lua", luaHome); err != nil {
		return nil, err
	}
	unit, err := luaDrivers.ReadFile("lua/luaunit.lua")
	tc.Root.Add(rootfs.Entry{Path: luaHome + "lib/luaunit.lua", Data: unit})
	return tc, err
}

func luaCommand(tc *Toolchain, mode string, args ...string) []string {
	return append([]string{tc.Tools["sh"], luaHome + "run.sh", mode}, args...)
}

func planLua(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{Files: slices.Clone(p.Files), Run: Step{Args: luaCommand(tc, "run", p.Main)}}, nil
}

// luaMore finds what tests need beyond calls, out of their text alone.
var luaMore = testMarks{
	{lazyre.New(`\bio\.(?:output|stdout|input|stdin|read|open|lines|popen)\b|\bprint\s*=|\bos\.(?:getenv|execute|remove|rename)\b`), "streams, files or the environment"},
	{lazyre.New(`\bdebug\.|\bsetmetatable\b|\bgetmetatable\b|\bpackage\.|\b_ENV\b|\b_G\b|\bcoroutine\.`), "the program's insides"},
}

// maxLuaNames bounds the names that a chunk can be asked for: it has at most
// 255 variables from outside.
const maxLuaNames = 180

func examLua(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	staged, names := stageTests(t.Files, ".lua")
	more := luaMore.find(t.Files)
	p, tree := startTree(p, ".lua", "")
	if tree {
		if names = startedNames(staged, isLuaTest, ".lua"); len(names) == 0 {
			return nil, fmt.Errorf("%shave a file of Lua", TestsAtFault)
		}
		more = inTree
	}
	var wanted []string
	for _, f := range t.Files {
		wanted = append(wanted, luaNames(string(f.Data))...)
	}
	slices.Sort(wanted)
	if wanted = slices.Compact(wanted); len(wanted) > maxLuaNames && !tree {
		more = fmt.Sprintf("%d names", len(wanted))
	}
	if more != "" {
		return &Exam{
			Proof:     glovebox.ProofInProcess,
			Files:     withoutFiles(p.Files, names),
			Candidate: Step{Args: luaCommand(tc, "together", slices.Concat([]string{p.Main}, names, []string{"--"})...), Files: staged},
			Reason:    "the tests use " + more,
		}, nil
	}
	args := slices.Concat([]string{p.Main, "--"}, wanted, []string{"--"}, names)
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     slices.Clone(p.Files),
		Candidate: Step{Args: luaCommand(tc, "candidate", slices.Concat([]string{p.Main}, wanted, []string{"--"})...)},
		Harness:   &Step{Args: luaCommand(tc, "harness", args...), Files: staged},
	}, nil
}

var (
	luaToken = lazyre.New(`--\[(=*)\[|--[^\n]*|\[(=*)\[|"(?:\\(?s:.)|[^"\\\n])*"|'(?:\\(?s:.)|[^'\\\n])*'|\.\.+|[.:]\s*[A-Za-z_]\w*|[A-Za-z_]\w*`)
	luaOwn   = func() map[string]bool {
		own := map[string]bool{}
		for _, w := range strings.Fields(`and break do else elseif end false for function goto if in local nil not or repeat
			return then true until while assert collectgarbage coroutine debug dofile error getmetatable io ipairs load loadfile
			math next os package pairs pcall print rawequal rawget rawlen rawset require select self setmetatable string table
			tonumber tostring type utf8 xpcall warn arg _G _ENV _VERSION`) {
			own[w] = true
		}
		return own
	}()
)

// luaNames lists the names that a test may have from the program: identifiers
// that are neither Lua's own, nor fields, nor in a comment or a string.
func luaNames(src string) []string {
	var names []string
	for {
		m := luaToken().FindStringSubmatchIndex(src)
		if m == nil {
			return names
		}
		token, rest := src[m[0]:m[1]], src[m[1]:]
		switch {
		case strings.HasPrefix(token, "--[") && m[2] >= 0, token[0] == '[':
			level := m[4:6]
			if token[0] == '-' {
				level = m[2:4]
			}
			_, rest, _ = strings.Cut(rest, "]"+src[level[0]:level[1]]+"]")
		case token[0] == '-', token[0] == '"', token[0] == '\'', token[0] == '.', token[0] == ':':
		case !luaOwn[token]:
			names = append(names, token)
		}
		src = rest
	}
}

var luaMessage = lazyre.New(`(?m)^(?:lua[\d.]*: |luac[\d.]*: )?(?:\./|/workspace/)?([^:\n]+):(\d+): (.+)$`)

// readLuaSyntax reads what luac -p prints.
func readLuaSyntax(out CheckOutput) *glovebox.SyntaxError {
	m := luaMessage().FindSubmatch(out.Stderr)
	if out.ExitCode == 0 || m == nil {
		return nil
	}
	e := &glovebox.SyntaxError{File: string(m[1]), Message: string(m[3])}
	e.Line, _ = strconv.Atoi(string(m[2]))
	return e
}

var luaFailure = lazyre.New(`(?m)^lua[\d.]*: (?:(?:\./|/workspace/)?([^:\n]+):(\d+): )?(.+)$`)

// readLuaFailure reads the error that ended the interpreter.
func readLuaFailure(stderr []byte) *glovebox.Failure {
	all := luaFailure().FindAllSubmatch(stderr, -1)
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	f := &glovebox.Failure{Type: "error", Message: string(m[3]), File: string(m[1])}
	f.Line, _ = strconv.Atoi(string(m[2]))
	return f
}
