package language

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReadLua: what a text says is what Lua would find in it.
func TestReadLua(t *testing.T) {
	for _, c := range []struct {
		name, src                      string
		free, defined, requires, makes string
	}{
		{name: "comments and strings", src: "-- debug.x\n--[==[ io.read ]] ]==] local s = 'os.time' .. \"\\\"b\" .. [[ c ]]\nreturn f(s)", free: "f"},
		{name: "scopes", src: "local a = b; do local c = a end\nfunction d(e) return e + c end\nfor i, v in pairs(x) do g(v, i) end\nfor j = 1, j do end", free: "b c g j pairs x", defined: "d"},
		{name: "fields", src: "local t = {name = value, [key] = 1, f}\nt.name = t.other; t:method(arg1)", free: "arg1 f key value"},
		{name: "a global of its own", src: "helper = function() return count end\ncount = 1\nreturn helper()", free: "count helper", defined: "count helper"},
		{name: "made", src: "local s = Stack.new(1):push(2); local q = Queue:new{}; local p = Point(1, 2); f(Vec(1))", free: "Point Queue Stack Vec f", makes: "Stack.new(1)|Queue:new{}|Point(1, 2)|Vec(1)"},
		{name: "made by a module", src: "local m = require 'main'\nlocal S = m.Stack\nlocal a, b = S.new(), m.new()", free: "require", requires: "main", makes: "S.new()|m.new()"},
		{name: "made by a module that is a class", src: "local Point = require('./point')\nlocal p = Point(1) + Point.at(2)", free: "require", requires: "./point", makes: "Point(1)"},
		{name: "not made", src: "local t = f(3)\nt.new(1)\nlocal X = f(4)\nX(1)\nnew(2)", free: "f new"},
		{name: "nested", src: "A.new(B.new(), C(D('x')))", free: "A B C D", makes: "B.new()|D('x')|C(D('x'))|A.new(B.new(), C(D('x')))"},
		{name: "all of Lua", src: "#!/bin/lua\nlocal x <const>, y <close> = 0x1p4, nil\ngoto l ::l:: repeat local z = ~1 // 2 ~ 3 << 4 until z == not nil\nlocal function f(...) return ... end if x then elseif y then else end; (f)(1) f'x' f{1;2,}", free: ""},
	} {
		text, err := readLua(c.src)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		list := func(m map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(m)), " ") }
		var makes []string
		for _, m := range text.made {
			makes = append(makes, c.src[m.begin:m.end])
		}
		if got := [4]string{list(text.free), list(text.defined), list(text.requires), strings.Join(makes, "|")}; got != [4]string{c.free, c.defined, c.requires, c.makes} {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	text, _ := readLua("f(A.new(B.new()))")
	if got := text.mark("f(A.new(B.new()))", func(string) bool { return true }); got != "f(__glovebox_made(A.new(__glovebox_made(B.new()))))" {
		t.Error(got)
	}
	const src = "if not (abs(a.b - 1) > E) and x < y == z then f(A.new(1) <= A.new(2):size(), n >= 3) end"
	text, _ = readLua(src)
	if got := text.mark(src, func(string) bool { return true }); got != "if not (__glovebox_ordered(abs(a.b - 1)) > __glovebox_ordered(E)) and __glovebox_ordered(x) < __glovebox_ordered(y) == z then "+
		"f(__glovebox_made(__glovebox_ordered(A.new(1))) <= __glovebox_ordered(__glovebox_made(A.new(2)):size()), __glovebox_ordered(n) >= 3) end" {
		t.Error(got)
	}
}

// TestReadLuaAll reads what the host has of Lua, and marks that still parse.
func TestReadLuaAll(t *testing.T) {
	files, _ := filepath.Glob("/usr/share/lua/5.4/*/*.lua")
	more, _ := filepath.Glob("/usr/share/lua/5.4/*.lua")
	ours, _ := filepath.Glob("lua/*.lua")
	if len(files)+len(more) == 0 {
		t.Skip("no library of Lua is installed: apt-get install lua-busted lua-unit")
	}
	luac, _ := exec.LookPath("lua5.4")
	for _, name := range slices.Concat(files, more, ours) {
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		text, err := readLua(string(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if luac == "" {
			continue
		}
		text.shared(string(src), func(string) bool { return true })
		marked := text.mark(string(src), func(string) bool { return true })
		cmd := exec.Command(luac, "-e", "local s = io.read('a'):gsub('^#[^\\n]*', '') assert(load(s))")
		cmd.Stdin = strings.NewReader(marked)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s", name, out)
		}
	}
	t.Logf("%d files", len(files)+len(more)+len(ours))
}

// FuzzReadLua: no text makes the reader fail but by an error.
func FuzzReadLua(f *testing.F) {
	f.Add("local x = Stack.new(1)\nassert(x:pop() == [[a]])")
	f.Add("local b = B.new()\nlocal t = b:all()\nfor i = 1, 2 do t[i], (f)(1).x = require('x').y, assert(b) end\nassert(b:all() == t)")
	f.Add("--[==[")
	f.Add("f(((((")
	f.Fuzz(func(t *testing.T, src string) {
		if text, err := readLua(src); err == nil {
			text.mark(src, func(string) bool { return true })
			text.shared(src, func(string) bool { return true })
		}
	})
}
