package repomap

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammars"
)

// lang is how a language is recognised, parsed and read.
type lang struct {
	name         string
	extensions   []string
	files        []string // whole names, such as "Rakefile"
	interpreters []string // of a first line with #!
	// grammar is nil where another parser is used.
	grammar func() *gotreesitter.Language
	// parsers are kept for the next file: making one takes longer than parsing
	// a common file.
	parsers sync.Pool
	// defines are the kinds of symbols by the type of their nodes.
	defines map[string]string
	// lines finds definitions without a parse: the first matching group is a
	// name.
	lines func() *regexp.Regexp
	// imports finds a file's imports, as written; candidates makes the possible
	// ends of their paths, the best first.
	imports    func(src []byte) []string
	candidates func(from *file, target string, r *resolver) []*file
}

var javaScript = map[string]string{
	"class_declaration": "class", "abstract_class_declaration": "class", "class": "class",
	"function_declaration": "function", "generator_function_declaration": "function", "function_signature": "function",
	"method_definition": "method", "method_signature": "method", "abstract_method_signature": "method",
	"interface_declaration": "type", "type_alias_declaration": "type", "enum_declaration": "type",
	"internal_module": "module", "module": "module",
	"variable_declarator": assigned, "assignment_expression": assigned, "pair": assigned,
	"public_field_definition": assigned, "field_definition": assigned,
}

// assigned marks nodes that define a symbol if their value is a function or a
// class.
const assigned = "assigned"

var javaScriptLines = lazyre.New(`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?\s*([\w$]+)\s*[(<]|class\s+([\w$]+)|(?:interface|type|enum|namespace)\s+([\w$]+)|(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)|(?:module\.)?exports\.([\w$]+)\s*=)`)

var langs = []*lang{
	{
		name: "python", extensions: []string{".py", ".pyi", ".pyw"}, interpreters: []string{"python"},
		grammar: grammars.PythonLanguage,
		defines: map[string]string{"class_definition": "class", "function_definition": "function"},
		lines:   lazyre.New(`^\s*(?:async\s+)?(?:def|class)\s+(\w+)`),
		imports: pythonImports, candidates: pythonCandidates,
	}, {
		name: "javascript", extensions: []string{".js", ".mjs", ".cjs", ".jsx"}, interpreters: []string{"node"},
		grammar: grammars.JavascriptLanguage, defines: javaScript, lines: javaScriptLines,
		imports: javaScriptImports, candidates: javaScriptCandidates,
	}, {
		name: "typescript", extensions: []string{".ts", ".mts", ".cts"}, interpreters: []string{"ts-node", "deno"},
		grammar: grammars.TypescriptLanguage, defines: javaScript, lines: javaScriptLines,
		imports: javaScriptImports, candidates: javaScriptCandidates,
	}, {
		name: "tsx", extensions: []string{".tsx"},
		grammar: grammars.TsxLanguage, defines: javaScript, lines: javaScriptLines,
		imports: javaScriptImports, candidates: javaScriptCandidates,
	}, {
		name: "php", extensions: []string{".php", ".phtml", ".inc"}, interpreters: []string{"php"},
		grammar: grammars.PhpLanguage,
		defines: map[string]string{
			"class_declaration": "class", "interface_declaration": "type", "trait_declaration": "class", "enum_declaration": "type",
			"function_definition": "function", "method_declaration": "method",
		},
		lines:   lazyre.New(`(?i)^\s*(?:(?:abstract|final|readonly|public|protected|private|static)\s+)*(?:function\s+&?(\w+)|(?:class|interface|trait|enum)\s+(\w+))`),
		imports: phpImports, candidates: phpCandidates,
	}, {
		name: "bash", extensions: []string{".sh", ".bash", ".bats"}, interpreters: []string{"bash", "sh"},
		grammar: grammars.BashLanguage,
		defines: map[string]string{"function_definition": "function"},
		lines:   lazyre.New(`^\s*(?:function\s+([\w:.+-]+)|([\w:.+-]+)\s*\(\s*\))`),
		imports: bashImports, candidates: nearCandidates,
	}, {
		name: "go", extensions: []string{".go"},
		lines:   lazyre.New(`^(?:func\s+(?:\([^()]*\)\s*)?(\w+)|type\s+(\w+))`),
		imports: goImports, candidates: goCandidates,
	}, {
		name: "ruby", extensions: []string{".rb", ".rake", ".gemspec"}, files: []string{"Rakefile", "Gemfile"}, interpreters: []string{"ruby"},
		grammar: grammars.RubyLanguage,
		defines: map[string]string{"class": "class", "module": "module", "method": "method", "singleton_method": "method"},
		lines:   lazyre.New(`^\s*(?:(?:private|protected|public|module_function)\s+)?(?:def\s+(?:self\.)?([\w?!=]+|[^\s\w(]+)|(?:class|module)\s+([\w:]+))`),
		imports: rubyImports, candidates: rubyCandidates,
	}, {
		name: "perl", extensions: []string{".pl", ".pm", ".t"}, interpreters: []string{"perl"},
		grammar: grammars.PerlLanguage,
		defines: map[string]string{
			"package_statement": "module", "class_statement": "class",
			"subroutine_declaration_statement": "function", "method_declaration_statement": "method",
		},
		lines:   lazyre.New(`^\s*(?:sub\s+([\w:']+)|package\s+([\w:]+))`),
		imports: perlImports, candidates: perlCandidates,
	}, {
		name: "lua", extensions: []string{".lua"}, interpreters: []string{"lua"},
		grammar: grammars.LuaLanguage,
		defines: map[string]string{
			"function_declaration": "function",
			"assignment_statement": assigned, "field": assigned,
		},
		lines:   lazyre.New(`^\s*(?:(?:local\s+)?function\s+([\w.:]+)|(?:local\s+)?([\w.]+)\s*=\s*function\b)`),
		imports: luaImports, candidates: luaCandidates,
	},
}

// langOf recognises a file by name, or else by the first line.
func langOf(p string, src []byte) *lang {
	base := path.Base(p)
	ext := strings.ToLower(path.Ext(base))
	for _, l := range langs {
		for _, e := range l.extensions {
			if ext == e {
				return l
			}
		}
		for _, f := range l.files {
			if base == f {
				return l
			}
		}
	}
	first, _, _ := bytes.Cut(src[:min(len(src), 200)], []byte("\n"))
	if ext != "" || !bytes.HasPrefix(first, []byte("#!")) {
		return nil
	}
	words := strings.Fields(string(first[2:]))
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	// Such as python3.11.
	tool := strings.TrimRight(path.Base(words[0]), "0123456789.")
	for _, l := range langs {
		for _, i := range l.interpreters {
			if tool == i {
				return l
			}
		}
	}
	return nil
}
