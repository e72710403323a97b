package command

import (
	"fmt"
	"slices"
	"strings"
)

// builtin are the rules of a well-known program. Either subs or custom or rules is set.
type builtin struct {
	rules  *rules
	custom func(o *options) check
	// global are flags that may stand before a subcommand.
	global []string
	subs   []subcommand
	// options are the keys that an entry of a tool policy may have beside the name.
	options []string
}

// subcommand is the first operand of a program, with rules of its own.
type subcommand struct {
	name  string
	extra bool // only where the tool policy names it
	rules rules
}

// options narrow or widen the rules of a builtin.
type options struct {
	subcommands []string // git, go, npm, pip
	modules     []string // python -m
	scripts     []string // npm run
	targets     []string // make
	code        bool     // python -c
}

// Lists that a tool policy without its own gets.
var (
	defaultModules = []string{"pytest", "unittest", "doctest", "py_compile", "compileall", "json.tool"}
	defaultScripts = []string{"test", "lint", "build", "typecheck", "format"}
)

var (
	gitLog = []string{"-n, --max-count number", "-NUMBER", "--oneline", "--stat[=word]", "--shortstat", "--numstat", "--name-only", "--name-status",
		"--graph", "--all", "--branches", "--tags", "--decorate[=short|full|auto|no]", "--abbrev-commit", "--reverse", "--merges", "--no-merges", "--first-parent",
		"--follow", "--author any", "--committer any", "--grep any", "-i, --regexp-ignore-case", "--since any", "--until any", "--after any", "--before any",
		"--format=format", "--pretty[=format]", "--date=word", "-S any", "-G any"}
	gitDiff = []string{"-p, --patch, -u", "-s, --no-patch", "-U[number]", "--unified=number", "--stat[=word]", "--shortstat", "--numstat", "--name-only",
		"--name-status", "--summary", "--check", "-w, --ignore-all-space", "-b, --ignore-space-change", "--ignore-blank-lines", "-M[word]", "--find-renames[=word]",
		"-R", "--word-diff[=color|plain|porcelain|none]", "--color[=always|never|auto]", "--no-color", "--diff-filter=word", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--minimal", "--patience", "--histogram", "-z", "-a, --text", "-q, --quiet", "--exit-code"}
	goBuild = []string{"-v", "-x", "-n", "-a", "-race", "-trimpath", "-p number", "-tags word", "-mod readonly|vendor"}
)

// builtins are the programs that have rules here, by name.
var builtins = map[string]*builtin{
	"ls": {rules: &rules{rest: kindPath, flags: []string{"-a, --all", "-A, --almost-all", "-l", "-h, --human-readable", "-R, --recursive", "-r, --reverse", "-t", "-S", "-X",
		"-U", "-1", "-d, --directory", "-F", "-p", "-i, --inode", "-s, --size", "-n, --numeric-uid-gid", "-g", "-G, --no-group", "-o", "-C", "-x", "-m", "-Q, --quote-name",
		"-b, --escape", "-q, --hide-control-chars", "-L, --dereference", "-v", "-c", "-u", "-N, --literal", "-B, --ignore-backups", "-I, --ignore any",
		"--hide=any", "--color[=always|never|auto]", "--full-time", "--time-style=full-iso|long-iso|iso", "--sort=none|size|time|version|extension",
		"--group-directories-first", "--file-type", "--si", "--help", "--version"}}},
	"cat": {rules: &rules{rest: kindInput, flags: []string{"-n, --number", "-b, --number-nonblank", "-A, --show-all", "-E, --show-ends", "-T, --show-tabs",
		"-v, --show-nonprinting", "-s, --squeeze-blank", "-e", "-t", "-u", "--help", "--version"}}},
	"grep": {rules: &rules{first: kindPattern, instead: []string{"-e", "--regexp", "-f", "--file"}, rest: kindInput, flags: []string{
		"-e, --regexp any", "-f, --file path", "-E, --extended-regexp", "-F, --fixed-strings", "-G, --basic-regexp", "-P, --perl-regexp", "-i, --ignore-case, -y",
		"-v, --invert-match", "-w, --word-regexp", "-x, --line-regexp", "-c, --count", "-l, --files-with-matches", "-L, --files-without-match", "-m, --max-count number",
		"-o, --only-matching", "-q, --quiet, --silent", "-s, --no-messages", "-n, --line-number", "-b, --byte-offset", "-H, --with-filename", "-h, --no-filename",
		"-Z, --null", "-z, --null-data", "-T, --initial-tab", "-A, --after-context number", "-B, --before-context number", "-C, --context number", "-NUMBER",
		"-r, --recursive", "-R, --dereference-recursive", "-a, --text", "-I", "--include any", "--exclude any", "--exclude-dir any", "--exclude-from path",
		"--color[=always|never|auto]", "--colour[=always|never|auto]", "--line-buffered", "--help", "-V, --version"}}},
	"find": {custom: func(*options) check { return checkFind }},
	"sed": {rules: &rules{first: kindScript, instead: []string{"-e", "--expression"}, rest: kindInput, flags: []string{
		"-n, --quiet, --silent", "-e, --expression script", "-E, -r, --regexp-extended", "-s, --separate", "-u, --unbuffered", "-z, --null-data", "--posix", "--sandbox", "--help", "--version"}}},
	"git": {options: []string{"subcommands"}, global: []string{"--no-pager", "--version"}, subs: []subcommand{
		{name: "status", rules: rules{rest: kindPath, flags: []string{"-s, --short", "-b, --branch", "--porcelain[=v1|v2]", "--long", "-u[no|normal|all]",
			"--untracked-files[=no|normal|all]", "--ignored[=traditional|no|matching]", "-z", "-v, --verbose", "--show-stash", "--no-renames"}}},
		{name: "diff", rules: rules{rest: kindRev, literal: kindPath, flags: append([]string{"--cached, --staged", "--merge-base"}, gitDiff...)}},
		{name: "log", rules: rules{rest: kindRev, literal: kindPath, flags: slices.Concat(gitLog, gitDiff)}},
		{name: "show", rules: rules{rest: kindRev, literal: kindPath, flags: slices.Concat(gitLog, gitDiff)}},
		{name: "blame", rules: rules{rest: kindRev, literal: kindPath, flags: []string{"-L any", "-w", "-s", "-e", "-l", "-t", "-p, --porcelain", "-M[number]", "-C[number]", "--date=word"}}},
		{name: "grep", rules: rules{first: kindPattern, instead: []string{"-e"}, rest: kindRev, literal: kindPath, flags: []string{"-e any", "-n, --line-number", "-i, --ignore-case",
			"-w, --word-regexp", "-v, --invert-match", "-l, --files-with-matches, --name-only", "-L, --files-without-match", "-c, --count", "-E, --extended-regexp",
			"-F, --fixed-strings", "-P, --perl-regexp", "-h", "-H", "-o, --only-matching", "-A, --after-context number", "-B, --before-context number", "-C, --context number",
			"-p, --show-function", "-W, --function-context", "-I", "--cached", "--untracked", "--and", "--or", "--not", "--all-match", "--heading", "--break",
			"--color[=always|never|auto]", "--no-color", "-q, --quiet", "--max-depth number"}}},
		{name: "ls-files", rules: rules{rest: kindPath, flags: []string{"-c, --cached", "-d, --deleted", "-m, --modified", "-o, --others", "-i, --ignored", "-s, --stage", "-u, --unmerged",
			"-t", "-z", "--exclude-standard", "--error-unmatch", "--full-name"}}},
		{name: "ls-tree", rules: rules{rest: kindRev, literal: kindPath, flags: []string{"-r", "-d", "-t", "-l, --long", "-z", "--name-only", "--full-name"}}},
		{name: "rev-parse", rules: rules{rest: kindRev, flags: []string{"--short[=number]", "--abbrev-ref", "--verify", "-q, --quiet", "--show-toplevel", "--show-prefix", "--is-inside-work-tree", "--symbolic-full-name"}}},
		{name: "rev-list", rules: rules{rest: kindRev, literal: kindPath, flags: []string{"-n, --max-count number", "-NUMBER", "--count", "--all", "--reverse", "--merges", "--no-merges", "--first-parent", "--left-right"}}},
		{name: "merge-base", rules: rules{rest: kindRev, flags: []string{"-a, --all", "--is-ancestor", "--fork-point"}}},
		{name: "describe", rules: rules{rest: kindRev, flags: []string{"--tags", "--all", "--always", "--long", "--dirty[=word]", "--abbrev=number"}}},
		{name: "shortlog", rules: rules{rest: kindRev, literal: kindPath, flags: []string{"-s, --summary", "-n, --numbered", "-e, --email"}}},
		{name: "branch", rules: rules{flags: []string{"-a, --all", "-r, --remotes", "-v, --verbose", "--list", "--show-current", "--merged", "--no-merged", "--no-color"}}},
		{name: "tag", rules: rules{flags: []string{"-l, --list", "-n[number]", "--merged", "--no-merged"}}},
		{name: "remote", rules: rules{flags: []string{"-v, --verbose"}}},
		{name: "cat-file", rules: rules{rest: kindRev, first: kindRev, flags: []string{"-t", "-s", "-e", "-p"}}},
		{name: "add", extra: true, rules: rules{rest: kindPath, flags: []string{"-A, --all", "-u, --update", "-n, --dry-run", "-v, --verbose", "-N, --intent-to-add"}}},
		{name: "commit", extra: true, rules: rules{rest: kindPath, flags: []string{"-m, --message any", "-a, --all", "-q, --quiet", "-v, --verbose", "-s, --signoff", "-n, --no-verify", "--amend", "--no-edit", "--allow-empty", "--dry-run"}}},
		{name: "restore", extra: true, rules: rules{rest: kindPath, flags: []string{"-S, --staged", "-W, --worktree", "-s, --source rev", "-q, --quiet"}}},
		{name: "switch", extra: true, rules: rules{rest: kindRev, flags: []string{"-c, --create rev", "-d, --detach", "-q, --quiet"}}},
	}},
	"python": {options: []string{"modules", "code"}, custom: checkPython},
	"pip": {options: []string{"subcommands"}, subs: []subcommand{
		{name: "list", rules: rules{flags: []string{"--format columns|freeze|json", "-l, --local", "--user", "--not-required", "-v, --verbose", "-q, --quiet"}}},
		{name: "show", rules: rules{rest: kindWord, flags: []string{"-f, --files", "-v, --verbose", "-q, --quiet"}}},
		{name: "freeze", rules: rules{flags: []string{"-l, --local", "--user", "--all", "-q, --quiet"}}},
		{name: "check", rules: rules{flags: []string{"-v, --verbose", "-q, --quiet"}}},
	}},
	"npm": {options: []string{"subcommands", "scripts"}, subs: []subcommand{
		{name: "test", rules: rules{rest: kindNone, literal: kindArg, flags: []string{"-s, --silent", "--if-present"}}},
		{name: "run", rules: rules{rest: kindNone, literal: kindArg, flags: []string{"-s, --silent", "--if-present"}}},
		{name: "ls", rules: rules{rest: kindArg, flags: []string{"-a, --all", "--json", "--long", "--depth=number", "--parseable"}}},
	}},
	"go": {options: []string{"subcommands"}, subs: []subcommand{
		{name: "build", rules: rules{long: true, rest: kindPackage, flags: append([]string{"-o path"}, goBuild...)}},
		{name: "test", rules: rules{long: true, rest: kindPackage, flags: append([]string{"-run any", "-skip any", "-bench any", "-benchmem", "-benchtime word", "-count number", "-cover",
			"-covermode set|count|atomic", "-coverprofile path", "-cpu word", "-failfast", "-fuzz any", "-fuzztime word", "-json", "-list any", "-parallel number", "-short",
			"-shuffle word", "-timeout word", "-c", "-o path"}, goBuild...)}},
		{name: "vet", rules: rules{long: true, rest: kindPackage, flags: append([]string{"-json"}, goBuild...)}},
		{name: "list", rules: rules{long: true, rest: kindPackage, flags: append([]string{"-f any", "-json", "-m", "-deps", "-test", "-e", "-find"}, goBuild...)}},
		{name: "fmt", rules: rules{long: true, rest: kindPackage, flags: []string{"-n", "-x", "-mod readonly|vendor"}}},
		{name: "doc", rules: rules{long: true, rest: kindPackage, flags: []string{"-all", "-c", "-cmd", "-short", "-src", "-u"}}},
		{name: "env", rules: rules{long: true, rest: kindWord, flags: []string{"-json", "-changed"}}},
		{name: "version", rules: rules{long: true}},
		{name: "run", extra: true, rules: rules{long: true, first: kindPackage, rest: kindArg, flags: goBuild}},
	}},
	"make": {options: []string{"targets"}, custom: func(o *options) check {
		r := *makeRules
		if len(o.targets) > 0 {
			r.rest = oneOf(o.targets)
		}
		return r.compile()
	}, rules: makeRules},
	"curl": {rules: &rules{rest: kindURL, flags: []string{"-s, --silent", "-S, --show-error", "-f, --fail", "--fail-with-body", "-i, --include", "-I, --head", "-v, --verbose",
		"-X, --request GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE", "-H, --header header", "-d, --data, --data-ascii, --data-binary data", "--data-raw any", "--json data",
		"-G, --get", "-o, --output path", "-m, --max-time number", "--connect-timeout number", "--retry number", "--compressed", "--url url", "-A, --user-agent any", "--max-filesize number",
		"--http1.1", "--http2", "-V, --version"}}},
}

var makeRules = &rules{rest: kindTarget, flags: []string{"-n, --dry-run, --just-print", "-k, --keep-going", "-s, --silent, --quiet", "-j, --jobs number", "-B, --always-make",
	"-q, --question", "-f, --file, --makefile path", "-C, --directory path", "-w, --print-directory", "--no-print-directory", "-r, --no-builtin-rules", "-t, --touch", "--help", "-v, --version"}}

// checker returns the check of a builtin under the options of a tool policy. The error
// names an option that does not fit.
func (b *builtin) checker(o options) (check, error) {
	switch {
	case b.custom != nil:
		return b.custom(&o), nil
	case b.subs == nil:
		return b.rules.compile(), nil
	}
	allowed := map[string]check{}
	var names, known []string
	for i, s := range b.subs {
		known = append(known, s.name)
		if o.subcommands == nil && !s.extra || slices.Contains(o.subcommands, s.name) {
			r := b.subs[i].rules
			if s.name == "run" && slices.Contains(b.options, "scripts") {
				r.first = oneOf(o.orScripts())
			}
			allowed[s.name], names = r.compile(), append(names, s.name)
		}
	}
	for _, s := range o.subcommands {
		if !slices.Contains(known, s) {
			return nil, fmt.Errorf("%s is no subcommand with rules here: choose from %s", clip(s), list(known))
		}
	}
	return func(a *arguments) *Refusal { return b.checkSub(a, allowed, names) }, nil
}

func (o *options) orScripts() []string {
	if o.scripts != nil {
		return o.scripts
	}
	return defaultScripts
}

// checkSub validates [GLOBAL…] SUBCOMMAND ARGUMENTS.
func (b *builtin) checkSub(a *arguments, allowed map[string]check, names []string) *Refusal {
	words := a.words
	for len(words) > 0 && slices.Contains(b.global, words[0].text) {
		words = words[1:]
	}
	if len(words) == 0 {
		if len(a.words) > 0 {
			return nil
		}
		return &Refusal{Column: 1, What: "the program " + a.program + " without a subcommand", Why: "the subcommand decides what is allowed",
			Instead: "write one of " + list(names), rule: "programs"}
	}
	w := words[0]
	sub := allowed[w.text]
	switch {
	case sub != nil:
		return sub(&arguments{program: a.program + " " + w.text, words: words[1:], hosts: a.hosts})
	case strings.HasPrefix(w.text, "-"):
		name, _, _ := strings.Cut(w.text, "=")
		if !strings.HasPrefix(name, "--") && len(name) > 2 {
			name = name[:2]
		}
		return a.refuseFlag(w, name, append([]string{"(before the subcommand)"}, b.global...))
	}
	why := dangers[a.program+" "+w.text]
	if why == "" {
		why = "the subcommand is not on the list of the tool policy"
	}
	refusal := w.refuse("the subcommand %s", why, clip(w.text))
	refusal.Instead = "use one of " + list(names)
	return refusal
}
