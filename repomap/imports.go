package repomap

import (
	"path"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// resolver finds files by the end of their path.
type resolver struct {
	by map[string]*file
	// ends are the files by their last two names, and by the last.
	ends map[string][]*file
	// packages are the files of Go by folder; modules the folders of go.mod
	// files by the module's path.
	packages map[string][]*file
	modules  map[string]string
}

// maxSame is how many files of the same end are looked at.
const maxSame = 64

func newResolver(files []*file, by map[string]*file) *resolver {
	r := &resolver{by: by, ends: map[string][]*file{}, packages: map[string][]*file{}, modules: map[string]string{}}
	for _, f := range files {
		if f.module != "" {
			r.modules[f.module] = path.Dir(f.path)
		}
		if f.lang == nil {
			continue
		}
		dir, base := path.Split(f.path)
		keys := []string{base}
		if dir != "" {
			keys = append(keys, path.Base(dir)+"/"+base)
		}
		for _, key := range keys {
			r.ends[key] = append(r.ends[key], f)
		}
		if f.lang.name == "go" && !f.test && len(r.packages[path.Dir(f.path)]) < maxSame {
			r.packages[path.Dir(f.path)] = append(r.packages[path.Dir(f.path)], f)
		}
	}
	return r
}

// exact returns the first of the paths that is a file.
func (r *resolver) exact(paths ...string) []*file {
	for _, p := range paths {
		if f := r.by[path.Clean(p)]; f != nil && f.lang != nil {
			return []*file{f}
		}
	}
	return nil
}

// ending returns the file whose path ends with the first matching one of the
// ends: preferably the file sharing most folders with from, then the file with
// the shortest path.
func (r *resolver) ending(from *file, ends ...string) []*file {
	for _, end := range ends {
		end = strings.TrimPrefix(path.Clean("/"+end), "/")
		key := end
		if dir, base := path.Split(end); dir != "" {
			key = path.Base(dir) + "/" + base
		}
		var best *file
		bestShared := -1
		same := r.ends[key]
		for _, f := range same[:min(len(same), maxSame)] {
			if f == from || f.path != end && !strings.HasSuffix(f.path, "/"+end) {
				continue
			}
			if n := shared(f.path, from.path); n > bestShared || n == bestShared && len(f.path) < len(best.path) {
				best, bestShared = f, n
			}
		}
		if best != nil {
			return []*file{best}
		}
	}
	return nil
}

// shared is how many folders two paths have in common from the root on.
func shared(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// all returns the first group that matched, of all matches of re.
func all(re func() *regexp.Regexp, src []byte) []string {
	var found []string
	for _, m := range re().FindAllSubmatch(src, 4*maxImports) {
		for _, g := range m[1:] {
			if len(g) > 0 {
				found = append(found, string(g))
				break
			}
		}
	}
	return found
}

var (
	pythonFrom   = lazyre.New(`(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)`)
	pythonImport = lazyre.New(`(?m)^[ \t]*import[ \t]+([\w., \t]+)`)
)

// pythonImports returns dotted names. A name imported from a module may be a
// module too, so the name comes first, followed by the module.
func pythonImports(src []byte) []string {
	var found []string
	for _, m := range pythonFrom().FindAllSubmatch(src, maxImports) {
		from := string(m[1])
		for _, item := range strings.Split(strings.Trim(string(m[2]), "()"), ",") {
			if words := strings.Fields(item); len(words) > 0 && words[0] != "*" && words[0] != "#" {
				dot := "."
				if strings.HasSuffix(from, ".") {
					dot = ""
				}
				found = append(found, from+dot+words[0])
			}
		}
		found = append(found, from)
	}
	for _, m := range all(pythonImport, src) {
		for _, item := range strings.Split(m, ",") {
			if words := strings.Fields(item); len(words) > 0 {
				found = append(found, words[0])
			}
		}
	}
	return found
}

func pythonCandidates(from *file, target string, r *resolver) []*file {
	rest := strings.TrimLeft(target, ".")
	rel := strings.ReplaceAll(rest, ".", "/")
	if dots := len(target) - len(rest); dots > 0 {
		dir := path.Dir(from.path)
		for range dots - 1 {
			if dir == "." {
				return nil
			}
			dir = path.Dir(dir)
		}
		return r.exact(path.Join(dir, rel+".py"), path.Join(dir, rel, "__init__.py"), path.Join(dir, rel+".pyi"))
	}
	if rel == "" {
		return nil
	}
	// A module beside the importer, then a path from the root, then any.
	dir := path.Dir(from.path)
	if f := r.exact(path.Join(dir, rel+".py"), rel+".py", rel+"/__init__.py"); f != nil {
		return f
	}
	if !strings.Contains(rel, "/") {
		return r.exact("src/"+rel+".py", "src/"+rel+"/__init__.py", "lib/"+rel+".py")
	}
	return r.ending(from, rel+".py", rel+"/__init__.py")
}

var javaScriptFrom = lazyre.New(`(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\()\s*\(?\s*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})')`)

func javaScriptImports(src []byte) []string { return all(javaScriptFrom, src) }

var javaScriptEnds = []string{"", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs"}

func javaScriptCandidates(from *file, target string, r *resolver) []*file {
	var at string
	switch {
	case strings.HasPrefix(target, "./"), strings.HasPrefix(target, "../"), target == ".", target == "..":
		at = path.Join(path.Dir(from.path), target)
	case strings.HasPrefix(target, "@/"), strings.HasPrefix(target, "~/"):
		at = "src/" + target[2:] // what most projects mean by it
	default:
		return nil // a package
	}
	var paths []string
	for _, end := range javaScriptEnds {
		paths = append(paths, at+end)
	}
	// TypeScript imports a.ts as a.js.
	if stem, ok := strings.CutSuffix(at, ".js"); ok {
		paths = append(paths, stem+".ts", stem+".tsx")
	}
	return r.exact(paths...)
}

var (
	phpUse     = lazyre.New(`(?mi)^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([\w\\]{1,300})`)
	phpRequire = lazyre.New(`(?i)\b(?:require|include)(?:_once)?\b[^;\n'"]{0,100}(?:"([^"\n$]{1,300})"|'([^'\n]{1,300})')`)
)

func phpImports(src []byte) []string {
	return append(all(phpRequire, src), all(phpUse, src)...)
}

func phpCandidates(from *file, target string, r *resolver) []*file {
	if strings.HasSuffix(target, ".php") || strings.HasSuffix(target, ".inc") {
		if f := nearCandidates(from, strings.TrimPrefix(target, "/"), r); f != nil {
			return f
		}
	}
	// A namespace's first names are often a folder of another name.
	parts := strings.Split(strings.ReplaceAll(target, `\`, "/"), "/")
	var ends []string
	for i := 0; i < len(parts) && i < 3; i++ {
		ends = append(ends, strings.Join(parts[i:], "/")+".php")
	}
	return r.ending(from, ends...)
}

// nearCandidates takes a path relative to the importer or to the root, or the
// end of a path.
func nearCandidates(from *file, target string, r *resolver) []*file {
	if f := r.exact(path.Join(path.Dir(from.path), target), target); f != nil {
		return f
	}
	return r.ending(from, path.Clean("/" + target)[1:])
}

var bashSource = lazyre.New(`(?m)(?:^|[;&|{(]|\b(?:then|do|else))[ \t]*(?:source|\.|load)[ \t]+([^\n;|&]{1,300})`)

// bashImports cuts off variables and commands.
func bashImports(src []byte) []string {
	found := all(bashSource, src)
	for i, t := range found {
		t = t[strings.LastIndexAny(t, "})")+1:]
		t = strings.NewReplacer(`"`, "", "'", "").Replace(t)
		if strings.HasPrefix(t, "$") {
			_, t, _ = strings.Cut(t, "/")
		}
		t, _, _ = strings.Cut(strings.TrimSpace(t), " ")
		found[i] = strings.TrimPrefix(t, "/")
	}
	return found
}

var (
	goImport  = lazyre.New(`(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([^"\n]{1,300})"[ \t]*(?://[^\n]*)?$`)
	goModLine = lazyre.New(`(?m)^module[ \t]+"?([^\s"]{1,300})`)
)

// goImports reads the head of a file, up to its first declaration.
func goImports(src []byte) []string {
	if i := goHead().FindIndex(src); i != nil {
		src = src[:i[0]]
	}
	return all(goImport, src)
}

var goHead = lazyre.New(`(?m)^(?:func|type|var|const)\b`)

func goModule(src []byte) string {
	if m := goModLine().FindSubmatch(src[:min(len(src), 8<<10)]); m != nil {
		return string(m[1])
	}
	return ""
}

func goCandidates(_ *file, target string, r *resolver) []*file {
	for module, rest := target, ""; ; {
		if dir, ok := r.modules[module]; ok {
			return r.packages[path.Join(dir, rest)]
		}
		up := path.Dir(module)
		if up == "." || up == "/" || up == module {
			return nil
		}
		rest = path.Join(path.Base(module), rest)
		module = up
	}
}

var rubyRequire = lazyre.New(`(?m)\b(require_relative|require|load|autoload[ \t]*\(?[ \t]*:\w+,)[ \t]*\(?[ \t]*(?:"([^"\n#]{1,300})"|'([^'\n]{1,300})')`)

func rubyImports(src []byte) []string {
	var found []string
	for _, m := range rubyRequire().FindAllSubmatch(src, maxImports) {
		target := string(m[2]) + string(m[3])
		if string(m[1]) == "require_relative" {
			target = "./" + target
		}
		found = append(found, target)
	}
	return found
}

func rubyCandidates(from *file, target string, r *resolver) []*file {
	target = strings.TrimSuffix(target, ".rb") + ".rb"
	if strings.HasPrefix(target, "./") {
		return r.exact(path.Join(path.Dir(from.path), target))
	}
	if f := r.exact("lib/"+target, target); f != nil || !strings.Contains(target, "/") {
		return f
	}
	return r.ending(from, target)
}

var perlUse = lazyre.New(`(?m)^[ \t]*(?:use|require|no)[ \t]+(?:(?:parent|base)[ \t]+(?:-norequire,)?[ \t]*(?:qw[ \t]*[(/][ \t]*|["'])([\w:]+)|([A-Za-z_][\w:]*)|["']([\w./-]+)["'])`)

func perlImports(src []byte) []string { return all(perlUse, src) }

func perlCandidates(from *file, target string, r *resolver) []*file {
	if strings.Contains(target, ".") {
		return nearCandidates(from, target, r)
	}
	end := strings.ReplaceAll(target, "::", "/") + ".pm"
	if f := r.exact("lib/"+end, end); f != nil || !strings.Contains(end, "/") {
		return f
	}
	return r.ending(from, end)
}

var luaRequire = lazyre.New(`\b(?:require|dofile|loadfile)[ \t]*\(?[ \t]*(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|\[\[([^\]\n]{1,300})\]\])`)

func luaImports(src []byte) []string { return all(luaRequire, src) }

func luaCandidates(from *file, target string, r *resolver) []*file {
	if strings.HasSuffix(target, ".lua") {
		return nearCandidates(from, target, r)
	}
	end := strings.ReplaceAll(target, ".", "/")
	dir := path.Dir(from.path)
	if f := r.exact(end+".lua", end+"/init.lua", "src/"+end+".lua", "lua/"+end+".lua", path.Join(dir, end+".lua")); f != nil {
		return f
	}
	return r.ending(from, end+".lua", end+"/init.lua")
}
