package language

import (
	"context"
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Perl is Perl 5.
var Perl = &Language{
	Name:       "perl",
	Title:      "Perl",
	Aliases:    []string{"perl", "pl", "perl5"},
	Extensions: []string{".pl", ".pm", ".t"},
	Main:       "main.pl",
	Comment:    "#",
	Score:      perlSigns.score,
	IsTest:     isPerlTest,
	Find:       findPerl,
	Plan:       planPerl,
	Exam:       examPerl,
	ReadSyntax: readPerlSyntax,

	ReadFailure: readPerlFailure,
	Libraries:   ownProgram("perl", "libraries.pl", "libraries.pl"),
	Lint:        ownProgram("perl", "lint.pl", "lint.pl"),
	Install:     installPerl,
}

const installPerl = "install Perl 5.26 or later with its standard modules (Debian: apt-get install perl)"

//go:embed perl/*.pm perl/*.pl
var perlDrivers embed.FS

// perlHome is the directory of our drivers in a box.
const perlHome = "/opt/glovebox/perl/"

var perlSigns = signs{
	signed(90, `^#!.*\bperl\b`),
	signed(60, `^\s*use\s+(?:strict|warnings|v?5[\d._]*)\b.*;`),
	signed(50, `^\s*sub\s+\w+\s*(?:\([^)]*\)\s*)?\{`),
	signed(50, `^\s*(?:my|our)\s*\(?\s*[$@%]\w+`),
	signed(30, `\bmy\s*\([^)]*\)\s*=\s*@_;|\bshift(?:\s*@_)?;`),
	signed(30, `[$@%]\{?\$\w+|\$\w+->[\[{]`),
	signed(25, `=~\s*(?:m|s|tr|y|qr)?[/{]`),
	signed(20, `\b(?:elsif|unless|foreach\s+my|qw\s*\(|print\s+STDERR)\b`),
	signed(15, `^\s*(?:print|printf|say|push|return)\b.*[$@%]\w+.*;`),
	signed(-80, `<\?php\b`),
	signed(-50, `^\s*(?:def|end|fi|done|esac)\b|\bfunction\s+\w+\s*\(`),
}

var perlTestName = lazyre.New(`(?i)\.t$|(?:^test_.*|.*_test|^tests?)\.p[lm]$`)

func isPerlTest(f glovebox.File) bool {
	return perlTestName().MatchString(path.Base(f.Path))
}

// perlAsk prints the facts needed by findPerl, one per line. It fails without the
// standard modules.
const perlAsk = `use Config; require Test::More; print join "\n", $Config{version}, $Config{prefixexp}, $Config{privlibexp}, $Config{archlibexp}, @INC, "";
for my $f (qw(` + perlFrameworks + `)) { for my $d (grep { !ref && $_ ne $Config{privlibexp} && $_ ne $Config{archlibexp} } @INC) { if (-e "$d/$f") { print "+$d/$f $f\n"; last } } }`

// perlFrameworks are the host's test libraries to include in a box, with their
// dependencies. None contains machine code.
const perlFrameworks = `Test2 Test/Deep.pm Test/Deep Test/Exception.pm Sub/Uplevel.pm Importer.pm Scope/Guard.pm Sub/Info.pm Term/Table.pm Term/Table Module/Pluggable.pm Module/Pluggable
Test/Fatal.pm Try/Tiny.pm Test/Warn.pm Test/Differences.pm Text/Diff.pm Text/Diff Algorithm/Diff.pm Test/Warnings.pm Test/NoWarnings.pm`

func findPerl(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("perl")
	if err != nil {
		return nil, fmt.Errorf("Perl was not found (%w): %s", err, installPerl)
	}
	out, err := h.Ask(ctx, exe, "-e", perlAsk)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, installPerl)
	}
	var said, frameworks []string
	for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
		if library, ok := strings.CutPrefix(line, "+"); ok {
			frameworks = append(frameworks, library)
		} else {
			said = append(said, line)
		}
	}
	if len(said) < 4 {
		return nil, fmt.Errorf("%s does not say where its library is: %s", exe, installPerl)
	}
	version, prefix := said[0], said[1]
	if minor, _ := strconv.Atoi(strings.Split(version+".0", ".")[1]); minor < 26 {
		return nil, fmt.Errorf("Perl %s is too old: %s", version, installPerl)
	}
	r := relocation{from: prefix, to: prefix}
	if !systemPrefix(prefix) {
		r.to = "/usr/local"
	}
	tc := &Toolchain{Language: "perl", Version: version, Exe: "/usr/bin/perl", Path: "/usr/local/bin:/usr/bin:/bin", Root: rootfs.Base()}
	tc.Root.Add(rootfs.Entry{Path: tc.Exe, Source: exe, Linked: true})
	dirs := said[2:4]
	for _, d := range said[4:] {
		if path.Base(d) == "perl-base" { // Debian's own split of the library
			dirs = append(dirs, d)
		}
	}
	elfs := []string{exe}
	var search []string
	for _, d := range dirs {
		if info, err := h.Stat(d); err != nil || !info.IsDir() {
			continue
		}
		search = append(search, r.path(d))
		tc.Root.Add(rootfs.Entry{Path: r.path(d), Source: d})
		modules, err := h.ELFs(d)
		if err != nil {
			return nil, err
		}
		elfs = append(elfs, modules...)
	}
	libs, err := optionalLibraries(h, elfs)
	if err != nil {
		return nil, err
	}
	tc.Root.Add(rootfs.Libraries(libs)...)
	if r.to != r.from {
		tc.Env = []string{"PERL5LIB=" + strings.Join(search, ":")}
	}
	if err := addDrivers(&tc.Root, perlDrivers, "perl", perlHome); err != nil {
		return nil, err
	}
	deep := false
	for _, line := range frameworks {
		source, name, _ := strings.Cut(line, " ")
		tc.Root.Add(rootfs.Entry{Path: perlHome + "lib/" + name, Source: source})
		deep = deep || name == "Test/Deep.pm"
	}
	if !deep {
		ours, err := perlDrivers.ReadFile("perl/Deep.pm")
		if err != nil {
			return nil, err
		}
		tc.Root.Add(rootfs.Entry{Path: perlHome + "lib/Test/Deep.pm", Data: ours})
	}
	return tc, nil
}

func planPerl(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{
		Files: slices.Clone(p.Files),
		Run:   Step{Args: []string{tc.Exe, "-I" + perlHome, "-MGloveboxCheck", p.Main}},
	}, nil
}

// perlMore finds needs of the tests beyond calls, in their text without strings and
// comments.
var perlMore = []struct {
	pattern func() *regexp.Regexp
	what    string
}{
	{lazyre.New(`\bTest::(?:Mock\w*|Output|Trap)\b|\bCapture::Tiny\b|(?:^|\W)\*STD(?:OUT|IN|ERR)\b|\bselect\s*\(|\bmock(?:ed)?\b`), "the program's streams, or mocks"},
	{lazyre.New(`\*(?:\{[^}]*\}|[A-Za-z_][\w:]*)\s*=`), "subs that replace the program's"},
	{lazyre.New(`\buse\s+(?:parent|base)\b|@ISA\b|\bbless\b|\btie\b`), "classes of their own, or the program's packages as a base"},
	{lazyre.New(`[$@%](?:main)?::\w|\bour\s*\(?\s*[$@%]`), "the program's variables"},
	{lazyre.New("\\bqx\\b|`|\\b(?:system|exec|fork|open|opendir|sysopen)\\b|\\bFile::Temp\\b|\\bPath::Tiny\\b|[$@%]\\{?ENV\\b"), "files, commands or the environment"},
	// The program's output must not be executed next to the tests' report.
	{lazyre.New(`(?:^|[^>\w$@%&{])\s*\beval\s*[^\s{=]|\bs""[a-z]*e[a-z]*e|\bs"\$[^"]*"[a-z]*e[a-z]*e|\b(?:require|do)\s*"?\$`), "text that is run as code"},
	{lazyre.New(`\bsub\s*\{[^;]*\.\.\s*[1-9][\d_]{5,}|\.\.\s*[1-9][\d_]{5,}[^;]*\bsub\s*\{`), "a sub that is called very often"},
	{lazyre.New(`\bno\s+strict\b|->\s*\$[A-Za-z_{]|\bsort\s+\$\w+\s*[@(]|\buse\s+re\b|\bB::\w|\bTest::(?:Tester|Builder::Tester)\b|\bintercept\b`), "names that are found while they run"},
}

// perlVariables finds package variables.
var perlVariables = lazyre.New(`[$@%]([A-Za-z_]\w*)((?:::\w+)+)`)

// perlOwn matches packages with variables that never belong to the program.
var perlOwn = lazyre.New(`^(?:Test2?|FindBin|Data|Carp|Math|List|Scalar|Config|JSON|POSIX|Storable|Time|Text|File|IO|Term|Getopt|Devel|Benchmark)$`)

// needs returns the need of the tests beyond calls, or "".
func (t perlText) needs() string {
	for _, m := range perlMore {
		if m.pattern().MatchString(t.bare) {
			return m.what
		}
	}
	for _, m := range perlVariables().FindAllStringSubmatch(t.bare, -1) {
		if !perlOwn().MatchString(m[1]) {
			return "the program's variables"
		}
	}
	if perlSeeds().MatchString(t.bare) && perlRandom().MatchString(t.bare) {
		return "one row of random numbers with the program"
	}
	return ""
}

var (
	perlSeeds   = lazyre.New(`\bsrand\b`)
	perlRandom  = lazyre.New(`\b(?:rand|shuffle)\b`)
	perlCounts  = lazyre.New(`\bTest::(?:[A-CE-Z]|D[a-df-z])|\bTest2::`)
	perlTaint   = lazyre.New(`\A(#![^\n]*\bperl\S*\s+-\w*)[tT]`)
	perlForeign = lazyre.New(`(?m)^\s*(?:def|class|import|from|function|const|let|describe|func|package main$)\b`)
)

func examPerl(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	staged, names := stageTests(t.Files, ".t")
	more, shared, library, orders := "", "", "0", ""
	var made, modules, changes, judges []string
	for i, f := range staged {
		if !slices.Contains([]string{".t", ".pl", ".pm"}, path.Ext(f.Path)) {
			continue
		}
		// The switch for taint checks works only on the command line.
		staged[i].Data = perlTaint().ReplaceAll(f.Data, []byte("$1"))
		text := readPerlText(string(f.Data))
		if more == "" {
			more = text.needs()
		}
		if shared == "" {
			shared = text.shares()
		}
		switch {
		case perlCounts().MatchString(text.bare):
			library = "2"
		case library == "0" && strings.Contains(text.bare, "Test::"):
			library = "1"
		}
		made, modules = append(made, text.made()...), append(modules, text.modules()...)
		changed, unclear := text.changes()
		if changes = append(changes, changed...); unclear {
			judges = append(judges, "->")
		}
		judges = append(judges, text.judges()...)
		if text.orders() {
			orders = "1"
		}
		if perlSigns.score(string(f.Data)) == 0 && !strings.ContainsAny(text.bare, "$;") && perlForeign().MatchString(text.bare) {
			return nil, &Unrunnable{Reason: "the tests in " + f.Path + " are not written in Perl"}
		}
	}
	p, tree := startTree(p, ".pl", "1;\n")
	if tree {
		if names = startedNames(staged, isPerlTest, ".t", ".pl"); len(names) == 0 {
			return nil, &Unrunnable{Reason: "the tests have no file of Perl"}
		}
		more = inTree
	} else if started := startedNames(staged, isPerlTest, ".t", ".pl"); len(started) > 0 {
		names = started
	}
	if why := perlCannot(staged, names, p.Files, p.Main); why != "" {
		return nil, &Unrunnable{Reason: why}
	}
	if !tree {
		// The program is already loaded. Tests may load it again by another name.
		for _, name := range []string{"solution.pl", "solution.pm"} {
			if !slices.ContainsFunc(slices.Concat(p.Files, staged), func(f glovebox.File) bool { return f.Path == name }) {
				staged = append(staged, glovebox.File{Path: name, Data: []byte("1;\n"), ReadOnly: true})
			}
		}
	}
	lists := []string{library, strings.Join(made, " "), strings.Join(modules, " "), strings.Join(changes, " "), orders, strings.Join(judges, " ")}
	reason := shared
	if more != "" {
		reason = "the tests use " + more
	}
	if reason != "" {
		for i, f := range staged {
			// A script judged only by its exit status must report reaching its end.
			if end := readPerlText(string(f.Data)).end; library != "2" && slices.Contains(names, f.Path) {
				staged[i].Data = slices.Concat(f.Data[:end], []byte("\n;$GloveboxExam::ran = 1;\n"), f.Data[end:])
			}
		}
		return &Exam{
			Proof:     glovebox.ProofInProcess,
			Files:     withoutFiles(p.Files, names),
			Candidate: Step{Args: append(append([]string{tc.Exe, perlHome + "together.pl", p.Main, lists[0], lists[2]}, names...), "--"), Files: staged},
			Reason:    reason,
		}, nil
	}
	if !slices.Contains(names, p.Main) {
		// The program is already loaded. This file satisfies tests requiring it.
		staged = append(staged, glovebox.File{Path: p.Main, Data: []byte("1;\n"), ReadOnly: true})
	}
	harness := append(append([]string{tc.Exe, perlHome + "apart.pl"}, lists...), names...)
	if len(names) == 1 {
		harness = append([]string{tc.Exe, "-I" + perlHome, "-MGloveboxHarness", names[0]}, lists...)
	}
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     slices.Clone(p.Files),
		Candidate: Step{Args: []string{tc.Exe, perlHome + "candidate.pl", p.Main}},
		Harness:   &Step{Args: harness, Files: staged},
	}, nil
}

var (
	perlMessage = lazyre.New(`(?m)^(.+?) at (\S+) line (\d+)(?:, (near .*)|, <\w*> (?:line|chunk) \d+)?\.?$`)
	perlFailed  = lazyre.New(`(?m)^\S+ had compilation errors\.|^Execution of \S+ aborted due to compilation errors\.`)
	perlBegin   = lazyre.New(`(?m)^BEGIN failed--`)
)

// readPerlSyntax reads the output of perl -c. A BEGIN block that died is not a
// syntax error, because the block ran.
func readPerlSyntax(out CheckOutput) *glovebox.SyntaxError {
	if out.ExitCode == 0 || perlBegin().Match(out.Stderr) || !perlFailed().Match(out.Stderr) {
		return nil
	}
	m := perlMessage().FindSubmatch(out.Stderr)
	if m == nil {
		return nil
	}
	e := &glovebox.SyntaxError{File: string(m[2]), Message: string(m[1])}
	if len(m[4]) > 0 {
		e.Message += ", " + string(m[4])
	}
	e.Line, _ = strconv.Atoi(string(m[3]))
	return e
}

// readPerlFailure reads the last message of a die.
func readPerlFailure(stderr []byte) *glovebox.Failure {
	all := perlMessage().FindAllSubmatch(stderr, -1)
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	f := &glovebox.Failure{Type: "die", Message: string(m[1])}
	if !strings.HasPrefix(string(m[2]), perlHome) {
		f.File = strings.TrimPrefix(string(m[2]), "/workspace/")
		f.Line, _ = strconv.Atoi(string(m[3]))
	}
	return f
}
