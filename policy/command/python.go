package command

import (
	"slices"
	"strings"
)

// pythonFlags may stand before a file or -m. None has a value.
var pythonFlags = []string{"-B", "-E", "-I", "-O", "-OO", "-s", "-S", "-u", "-q", "-V", "--version"}

// pythonModules are the rules of modules that python -m may run. A module that only a
// tool policy names takes any arguments.
var pythonModules = map[string]*rules{
	"pytest": {rest: kindPath, flags: []string{"-v, --verbose", "-q, --quiet", "-x, --exitfirst", "-s", "-l, --showlocals", "-k any", "-m any", "-r word", "--tb auto|long|short|line|native|no",
		"--maxfail number", "--lf, --last-failed", "--ff, --failed-first", "--durations number", "--co, --collect-only", "--no-header", "--no-summary", "--strict-markers", "--color yes|no|auto"}},
	"unittest": {rest: kindPath, flags: []string{"-v, --verbose", "-q, --quiet", "-f, --failfast", "-b, --buffer", "-c, --catch", "-k any",
		"-s, --start-directory path", "-p, --pattern any", "-t, --top-level-directory path"}},
	"doctest":    {rest: kindPath, flags: []string{"-v, --verbose", "-f, --fail-fast"}},
	"py_compile": {rest: kindPath},
	"compileall": {rest: kindPath, flags: []string{"-q", "-f", "-l"}},
	"json.tool":  {rest: kindPath, flags: []string{"--indent number", "--sort-keys", "--compact", "--no-indent", "--json-lines"}},
}

// checkPython validates [FLAGS] FILE ARGUMENTS and [FLAGS] -m MODULE ARGUMENTS. Whatever
// the file or the module does runs in the box; the arguments of a file are its own.
func checkPython(o *options) check {
	modules := o.modules
	if modules == nil {
		modules = defaultModules
	}
	checks := map[string]check{}
	for _, m := range modules {
		checks[m] = func(*arguments) *Refusal { return nil }
		if r, ok := pythonModules[m]; ok {
			checks[m] = r.compile()
		}
	}
	flags := append(slices.Clone(pythonFlags), "-m "+strings.Join(modules, "|"))
	return func(a *arguments) *Refusal {
		for i, w := range a.words {
			rest := a.words[i+1:]
			switch {
			case slices.Contains(pythonFlags, w.text):
				continue
			case w.text == "-m" && len(rest) > 0:
				return a.pythonModule(rest[0], rest[1:], checks, modules)
			case w.text == "-c" && o.code && len(rest) > 0:
				return nil
			case w.text == "-c" || strings.HasPrefix(w.text, "-c"):
				r := w.refuse("the flag -c", "the tool policy does not allow code on the command line")
				r.Instead = "write the code to a file of the workspace and name the file"
				return r
			case strings.HasPrefix(w.text, "-"):
				name, _, _ := strings.Cut(w.text, "=")
				return a.refuseFlag(w, name, flags)
			}
			return a.path(w, w.text, "the program file")
		}
		if len(a.words) > 0 && (a.words[len(a.words)-1].text == "-V" || a.words[len(a.words)-1].text == "--version") {
			return nil
		}
		return &Refusal{Column: 1, What: "an interactive " + a.program, Why: "a command has no input here",
			Instead: "name a file of the workspace", rule: "programs"}
	}
}

func (a *arguments) pythonModule(name word, words []word, checks map[string]check, modules []string) *Refusal {
	c, ok := checks[name.text]
	if !ok {
		r := name.refuse("the module %s", "the module is not on the list of the tool policy", clip(name.text))
		r.Instead = "use one of " + list(modules)
		return r
	}
	return c(&arguments{program: a.program + " -m " + name.text, words: words, hosts: a.hosts})
}
