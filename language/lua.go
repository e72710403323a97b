package language

import (
	"path"
	"regexp"

	"github.com/gloveboxhq/glovebox"
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
	Install:    "install Lua 5.3 or 5.4 (package lua5.4)",
}

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

var luaTestName = regexp.MustCompile(`(?i)(?:^test_.*|.*_(?:test|spec)|^tests?)\.lua$`)

func isLuaTest(f glovebox.File) bool {
	return luaTestName.MatchString(path.Base(f.Path))
}
