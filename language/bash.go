package language

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Bash is GNU Bash with the usual text tools of the host.
var Bash = &Language{
	Name:        "bash",
	Title:       "Bash",
	Aliases:     []string{"bash", "sh", "shell", "shellscript", "shell-script", "zsh", "ksh"},
	Extensions:  []string{".sh", ".bash"},
	Main:        "main.sh",
	Comment:     "#",
	Score:       bashSigns.score,
	IsTest:      isBashTest,
	Find:        findBash,
	Plan:        planBash,
	Exam:        examBash,
	ReadSyntax:  readBashSyntax,
	ReadFailure: readBashFailure,
	Libraries:   ownProgram("bash", "libraries.sh", "libraries.sh"),
	Lint:        ownProgram("bash", "lint.sh", "lint.sh"),
	Install:     installBash,
}

var bashExtensions = []string{".sh", ".bash"}

var bashSigns = signs{
	signed(90, `\A#!\s*(?:/usr)?/bin/(?:env\s+)?(?:ba|z|k|da)?sh\b`),
	signed(30, `^\s*(?:fi|done|esac)\b\s*(?:[;|&>].*)?$`),
	signed(30, `\bif\s+\[\[?\s.*\]\]?\s*(?:;|&&|\|\|)`),
	signed(25, `^\s*(?:while|until|for)\b.*(?:;\s*do\b|$)`),
	signed(30, `\$\{[\w#!@*]+[^}]*\}|\$\(\(|\$\([a-z]`),
	signed(30, `^\s*(?:function\s+)?[A-Za-z_][\w-]*\s*\(\)\s*\{`),
	signed(20, `^\s*(?:echo|printf|read|export|local|declare|set)\s+[-"'$\w]`),
	signed(15, `"\$[\w@*{]|\$[1-9@#*]`),
	signed(15, `\|\s*(?:grep|sed|awk|sort|head|tail|wc|tr|cut|xargs)\b`),
	signed(20, `^set -[euox]+`),
	signed(-60, `<\?php|^\s*(?:def|class)\s+\w+.*:?\s*$|^\s*(?:const|let)\s+\w+\s*=|^\s*import\s+\w+`),
	signed(-60, `^\s*(?:use\s+strict|my\s+[$@%])|^\s*local\s+function\b|^package\s+\w+\s*$`),
	signed(-40, `;\s*$`),
}

var bashTestName = lazyre.New(`(?:^tests?[._-]|[._-]tests?\.|^tests?\.)(?:.*\.)?(?:sh|bash)$|[._-]tests?\.(?:sh|bash)$`)

func isBashTest(f glovebox.File) bool {
	return bashTestName().MatchString(path.Base(f.Path))
}

//go:embed bash/*.sh
var bashScripts embed.FS

const (
	installBash = "install Bash 5.0 or later (package bash) and the core utilities"
	bashExe     = "/usr/bin/bash"
	bashHome    = "/opt/glovebox/bash/"
)

// bashNeeds are tools required by the harness's own scripts.
var bashNeeds = []string{"cat", "grep", "head", "mkfifo", "mktemp", "rm", "tr", "wc"}

// bashTools are further tools commonly used by scripts. A box has the subset
// installed on the host.
var bashTools = []string{
	"[", "awk", "gawk", "mawk", "sed", "egrep", "fgrep", "find", "xargs", "bc", "dc", "diff", "cmp", "xxd", "hexdump",
	"arch", "b2sum", "base32", "base64", "basename", "chmod", "cksum", "column", "comm", "cp", "csplit", "cut", "date", "dd",
	"dirname", "du", "echo", "env", "expand", "expr", "factor", "false", "fmt", "fold", "getopt", "gunzip", "gzip", "id", "jq", "join",
	"ln", "ls", "md5sum", "mkdir", "mv", "nl", "nproc", "numfmt", "od", "paste", "pr", "printenv", "printf",
	"ps", "pwd", "readlink", "realpath", "rev", "rmdir", "seq", "sha1sum", "sha256sum", "sha512sum", "shuf", "sleep", "sort", "split",
	"stat", "sum", "tac", "tail", "tar", "tee", "test", "timeout", "touch", "true", "truncate", "tsort", "uname",
	"unexpand", "uniq", "unlink", "which", "whoami", "yes",
}

// findBash finds Bash and the usual tools.
func findBash(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("bash")
	if err != nil {
		return nil, fmt.Errorf("Bash was not found (%w): %s", err, installBash)
	}
	version, err := h.Ask(ctx, exe, "-c", `echo "$BASH_VERSION"`)
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", exe, err)
	}
	version, _, _ = strings.Cut(strings.TrimSpace(version), "(")
	if !versionAtLeast(version, 5, 0) {
		return nil, fmt.Errorf("Bash %s at %s is too old: %s", version, exe, installBash)
	}
	// A program with several names, such as busybox, is placed once.
	placed := map[string]string{exe: bashExe}
	elfs := []string{exe}
	entries := []rootfs.Entry{{Path: bashExe, Source: exe, Linked: true}, {Path: "/usr/bin/sh", Link: "bash"}}
	tools := map[string]string{}
	for _, name := range slices.Concat(bashNeeds, bashTools) {
		real, err := h.LookPath(name)
		if err != nil {
			if slices.Contains(bashNeeds, name) {
				return nil, fmt.Errorf("%s was not found (%w): %s", name, err, installBash)
			}
			continue
		}
		to := path.Join("/usr/bin", name)
		tools[name] = to
		if first, ok := placed[real]; ok {
			entries = append(entries, rootfs.Entry{Path: to, Link: path.Base(first)})
			continue
		}
		placed[real] = to
		entries = append(entries, rootfs.Entry{Path: to, Source: real, Linked: true})
		// A script needs no libraries. For a real in an image, no file of the host
		// is read.
		if found, err := h.ELFs(real); err == nil {
			elfs = append(elfs, found...)
		}
	}
	frameworks := bashFindFrameworks(h, tools)
	libs, err := h.Libraries(elfs...)
	if err != nil {
		return nil, fmt.Errorf("finding the libraries of %s and the tools: %w", exe, err)
	}
	root := rootfs.Base()
	root.Add(rootfs.Libraries(libs)...)
	root.Add(entries...)
	root.Add(frameworks...)
	root.Add(rootfs.Entry{Path: bashHome + "absent", Data: []byte(strings.Join(slices.Sorted(maps.Keys(bashAbsent)), " "))})
	if err := addDrivers(&root, bashScripts, "bash", bashHome); err != nil {
		return nil, err
	}
	return &Toolchain{
		Language: "bash",
		Version:  version,
		Exe:      bashExe,
		Tools:    tools,
		Path:     "/usr/local/bin:/usr/bin:/bin",
		Root:     root,
	}, nil
}

// bashFindFrameworks finds Bats with its libraries, and shunit2, and adds them to
// the tools. Both frameworks are scripts.
func bashFindFrameworks(h Host, tools map[string]string) []rootfs.Entry {
	var entries []rootfs.Entry
	if bats, err := h.LookPath("bats"); err == nil {
		home := path.Dir(path.Dir(bats))
		for _, dir := range []string{"lib/bats-core", "libexec/bats-core", "lib/bats"} {
			if info, err := h.Stat(path.Join(home, dir)); err == nil && info.IsDir() {
				entries = append(entries, rootfs.Entry{Path: "/usr/" + dir, Source: path.Join(home, dir)})
			}
		}
		entries = append(entries, rootfs.Entry{Path: "/usr/bin/bats", Source: bats})
		tools["bats"] = "/usr/bin/bats"
		for _, name := range batsLibraries {
			if _, err := h.Stat(path.Join(home, "lib/bats", name, "load.bash")); err == nil {
				tools[name] = "/usr/lib/bats/" + name
			}
		}
	}
	if shunit, err := h.LookPath("shunit2"); err == nil {
		entries = append(entries, rootfs.Entry{Path: "/usr/share/shunit2/shunit2", Source: shunit},
			rootfs.Entry{Path: "/usr/bin/shunit2", Link: "../share/shunit2/shunit2"})
		tools["shunit2"] = "/usr/share/shunit2/shunit2"
	}
	return entries
}

// planBash parses and runs.
func planBash(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{Files: bashFiles(p.Files), Check: bashCheck(tc, p), Run: Step{Args: []string{tc.Exe, p.Main}}}, nil
}

// bashFiles makes scripts executable: scripts may start each other.
func bashFiles(files []glovebox.File) []glovebox.File {
	files = slices.Clone(files)
	for i, f := range files {
		if slices.Contains(bashExtensions, path.Ext(f.Path)) || path.Ext(f.Path) == ".bats" {
			files[i].Executable = true
			files[i].Data = bytes.ReplaceAll(f.Data, []byte("\r\n"), []byte("\n"))
		}
	}
	return files
}

// bashCheck parses the program. bash -n does not execute shopt, so a program using
// extglob needs the option on the command line.
func bashCheck(tc *Toolchain, p *glovebox.Program) *Step {
	args := []string{tc.Exe}
	if slices.ContainsFunc(p.Files, func(f glovebox.File) bool { return f.Path == p.Main && bytes.Contains(f.Data, []byte("extglob")) }) {
		args = append(args, "-O", "extglob")
	}
	return &Step{Args: append(args, "-n", p.Main)}
}

// bashNames are the names by which tests start or source a program without a name.
var bashNames = []string{"solution.sh", "main.sh", "script.sh", "program.sh"}

// examBash runs the tests in a separate process, unless the tests need more than
// calls. Each function call runs in a new process in the other box. Output, exit
// status and stdin travel; variables set by the call do not.
func examBash(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	tests, _ := stageTests(t.Files, ".sh")
	tests = bashFiles(tests)
	for i, f := range tests {
		if p.Main != "" && slices.ContainsFunc(p.Files, func(g glovebox.File) bool { return g.Path == f.Path }) {
			tests[i].Path = "tests/" + f.Path
		}
	}
	names := bashStarted(tests)
	if len(names) == 0 {
		return nil, &Unrunnable{Reason: "the tests have no shell script: a name that ends in .sh, .bash or .bats"}
	}
	libraries, err := bashLacks(p, tests, names, tc.Tools)
	if err != nil {
		return nil, err
	}
	if len(libraries) > 0 {
		q := *p
		for _, f := range libraries {
			q.Files = withoutFiles(q.Files, []string{f.Path})
		}
		p = &q
	}
	r := newBashReader(p, tests, tc.Tools, t.Entry)
	guarded := r.readAll(tests)
	driver := "script"
	switch {
	case path.Ext(names[0]) == ".bats":
		driver = "bats"
	case r.shunit:
		driver = "shunit2"
	}
	if missing := r.missing(tc, driver, tests); len(missing) > 0 {
		return nil, &Unrunnable{Reason: "the tests need " + strings.Join(missing, ", ") + ", which is not here", Missing: missing}
	}
	start := func(name string, args ...string) []string {
		return append([]string{tc.Exe, bashHome + name}, args...)
	}
	reason := r.together
	p, tree := startTree(p, ".sh", "")
	if tree {
		reason = "the tests use " + inTree
	}
	exam := &Exam{Files: bashFiles(p.Files), Check: bashCheck(tc, p)}
	if reason != "" {
		load := "load"
		if r.named || driver == "bats" {
			load = "named"
		}
		exam.Proof, exam.Reason = glovebox.ProofInProcess, reason
		exam.Candidate = Step{
			Args:  start("inprocess.sh", append([]string{driver, load, p.Main}, names...)...),
			Files: slices.Concat(tests, libraries, bashAliases(p, tests, fmt.Sprintf(bashAlias, p.Main)), bashFrameworks(tests)),
		}
		return exam, nil
	}
	stand := bashAliases(p, tests, bashForward)
	for _, f := range exam.Files {
		if f.Executable {
			stand = append(stand, glovebox.File{Path: f.Path, Data: []byte(bashForward), Executable: true})
		}
	}
	if exam.Proof = glovebox.ProofOutOfProcess; r.judged {
		exam.Proof = glovebox.ProofCandidateJudged
	}
	exam.Candidate = Step{Args: start("candidate.sh", p.Main)}
	exam.Harness = &Step{
		Args:  start("harness.sh", append([]string{driver, r.supplied(t.Entry), t.Entry}, names...)...),
		Files: slices.Concat(guarded, libraries, stand, bashFrameworks(tests)),
	}
	return exam, nil
}

// bashStarted returns the names of the tests to start: the Bats files alone, if
// any.
func bashStarted(tests []glovebox.File) []string {
	if bats := startedNames(tests, isBashTest, ".bats"); len(bats) > 0 {
		return bats
	}
	return startedNames(tests, isBashTest, bashExtensions...)
}

// missing returns the commands and frameworks needed by the tests and absent from
// every box. The program never stands in for a missing one.
func (r *bashReader) missing(tc *Toolchain, driver string, tests []glovebox.File) []string {
	var missing []string
	has := func(name string) bool {
		return slices.ContainsFunc(tests, func(f glovebox.File) bool { return path.Base(f.Path) == name })
	}
	switch {
	case driver == "bats" && tc.Tools["bats"] == "":
		missing = append(missing, "bats")
	case driver == "shunit2" && tc.Tools["shunit2"] == "" && !has("shunit2"):
		missing = append(missing, "shunit2")
	}
	for name := range r.commands {
		switch {
		case r.functions[name] != nil || r.asked[name] || bashBuiltins[name] || bashOrnaments[name] || tc.Tools[name] != "" || name == "sh" || name == "bash" || name == r.entry:
		case bashAbsent[name] || bashIsTool(name) && !bashFree[name]:
			missing = append(missing, name)
		case driver == "script" && bashAsserting().MatchString(name):
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// supplied returns the program's supply to the tests: "-" for scripts only, "+" for
// functions, or the name of a tool if the tests' only candidate for a function of
// the program has the tool's name.
func (r *bashReader) supplied(entry string) string {
	unknown, tools := false, []string{}
	for name := range r.commands {
		switch {
		case r.functions[name] != nil || bashBuiltins[name] || bashAssertions().MatchString(name):
		case !bashIsTool(name):
			unknown = true
		case name != "bash" && name != "sh":
			tools = append(tools, name)
		}
	}
	switch {
	case r.starts && !r.sources && !unknown && entry == "":
		return "-"
	case !r.starts && !unknown && entry == "" && len(tools) == 1:
		return tools[0]
	}
	return "+"
}

// bashFrameworks are files for tests that load a framework from their own
// directory.
func bashFrameworks(tests []glovebox.File) []glovebox.File {
	f := glovebox.File{Path: "shunit2", Data: []byte(". /usr/share/shunit2/shunit2\n"), Executable: true}
	if slices.ContainsFunc(tests, func(g glovebox.File) bool { return path.Base(g.Path) == "shunit2" }) {
		return nil
	}
	return []glovebox.File{f}
}

const (
	// bashForward replaces the program in the tests' box.
	bashForward = "#!/bin/bash\n. /opt/glovebox/bash/forward.sh\n"
	// bashAlias is the program under another name, in its own box.
	bashAlias = "#!/bin/bash\n[[ ${BASH_SOURCE[0]} != \"$0\" ]] || exec bash /workspace/%[1]q \"$@\"\n. /workspace/%[1]q\n"
)

// bashAliases returns files for the unused names among bashNames.
func bashAliases(p *glovebox.Program, tests []glovebox.File, text string) []glovebox.File {
	var files []glovebox.File
	for _, name := range bashNames {
		taken := func(f glovebox.File) bool { return f.Path == name }
		if !slices.ContainsFunc(p.Files, taken) && !slices.ContainsFunc(tests, taken) {
			files = append(files, glovebox.File{Path: name, Data: []byte(text), Executable: true})
		}
	}
	return files
}

var bashMessage = lazyre.New(`(?m)^(?:/\S*/)?([^\s:][^:\n]*): line (\d+): (.+)$`)

// readBashSyntax reads what bash -n prints.
func readBashSyntax(out CheckOutput) *glovebox.SyntaxError {
	if out.ExitCode == 0 {
		return nil
	}
	m := bashMessage().FindSubmatch(out.Stderr[:min(len(out.Stderr), failureBytes)])
	if m == nil {
		return nil
	}
	line, _ := strconv.Atoi(string(m[2]))
	message := strings.TrimPrefix(strings.ToValidUTF8(string(m[3]), "\uFFFD"), "syntax error: ")
	return &glovebox.SyntaxError{File: string(m[1]), Line: line, Message: message}
}

// readBashFailure reads the last error of the shell itself, such as
// "main.sh: line 3: foo: command not found".
func readBashFailure(stderr []byte) *glovebox.Failure {
	all := bashMessage().FindAllSubmatch(stderr[max(0, len(stderr)-failureBytes):], -1)
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	line, _ := strconv.Atoi(string(m[2]))
	return &glovebox.Failure{Message: strings.ToValidUTF8(string(m[3]), "\uFFFD"), File: strings.ToValidUTF8(string(m[1]), "\uFFFD"), Line: line}
}
