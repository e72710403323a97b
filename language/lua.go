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

// luaHome is the directory of our drivers in a box.
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

// findLua finds Lua, a shell and cat. Lua can use only the standard three
// descriptors, so the shell redirects the others, and io.popen does the rest.
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
	modules, err := findLuaFrameworks(ctx, h, exe, tc)
	if err != nil {
		return nil, err
	}
	libs, err := h.Libraries(append(elfs, modules...)...)
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

// luaShare is the directory of the host's frameworks in a box.
const luaShare = luaHome + "share/"

// luaAsk prints the name and the file of each module needed by a framework.
const luaAsk = `for _, m in ipairs({"luaunit", "busted.core", "luassert.init", "luassert.assert", "say.init", "pl.compat", "mediator", "system.init", "lfs", "system.core"}) do
  local f = package.searchpath(m, package.path) or package.searchpath(m, package.cpath)
  if f then print(m .. "\t" .. f) end
end`

// findLuaFrameworks adds luaunit and busted, each only if complete, and names them
// in the tools. It returns the shared libraries among their files.
func findLuaFrameworks(ctx context.Context, h Host, exe string, tc *Toolchain) (elfs []string, err error) {
	out, err := h.Ask(ctx, exe, "-e", luaAsk)
	if err != nil {
		return nil, err
	}
	at := map[string]string{}
	for line := range strings.Lines(out) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if path.IsAbs(file) {
			at[name] = file
		}
	}
	if f := at["luaunit"]; f != "" {
		tc.Tools["luaunit"] = luaShare + "luaunit.lua"
		tc.Root.Add(rootfs.Entry{Path: luaShare + "luaunit.lua", Source: f})
	}
	for _, m := range []string{"busted.core", "luassert.init", "say.init", "pl.compat", "mediator", "system.init", "lfs", "system.core"} {
		if at[m] == "" {
			return nil, nil
		}
	}
	tc.Tools["busted"] = luaShare + "busted"
	for _, m := range []string{"busted.core", "luassert.init", "say.init", "pl.compat"} {
		dir, _, _ := strings.Cut(m, ".")
		tc.Root.Add(rootfs.Entry{Path: luaShare + dir, Source: path.Dir(at[m])})
	}
	for _, m := range []string{"mediator", "system.init", "lfs", "system.core"} {
		to := luaShare + strings.ReplaceAll(m, ".", "/") + path.Ext(at[m])
		tc.Root.Add(rootfs.Entry{Path: to, Source: at[m], Linked: path.Ext(at[m]) == ".so"})
		if path.Ext(at[m]) == ".so" {
			elfs = append(elfs, at[m])
		}
	}
	return elfs, nil
}

func luaCommand(tc *Toolchain, mode string, args ...string) []string {
	return append([]string{tc.Tools["sh"], luaHome + "run.sh", mode}, args...)
}

func planLua(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{Files: slices.Clone(p.Files), Run: Step{Args: luaCommand(tc, "run", p.Main)}}, nil
}

var luaMessage = lazyre.New(`(?m)^(?:lua[\d.]*: |luac[\d.]*: )?(?:\./|/workspace/)?([^:\n]+):(\d+): (.+)$`)

// readLuaSyntax reads the output of luac -p.
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
