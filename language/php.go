package language

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// PHP is PHP's command line interpreter.
var PHP = &Language{
	Name:        "php",
	Title:       "PHP",
	Aliases:     []string{"php", "php7", "php8"},
	Extensions:  []string{".php"},
	Main:        "main.php",
	Comment:     "//",
	Score:       phpSigns.score,
	IsTest:      isPHPTest,
	Find:        findPHP,
	Plan:        planPHP,
	Exam:        examPHP,
	ReadSyntax:  readPHPSyntax,
	ReadFailure: readPHPFailure,
	Libraries:   ownProgram("php", "libraries.php", "libraries.php"),
	Lint:        ownProgram("php", "lint.php", "lint.php"),
	Install:     installPHP,
}

var phpSigns = signs{
	signed(90, `<\?php\b`),
	signed(50, `^#!.*\bphp\b`),
	signed(60, `\bfunction\s+&?\w*\s*\((?:[^)]*[\s(,.&])?\$\w+`),
	signed(40, `^\s*\$\w+\s*(?:\[[^\]]*\]\s*)?[.+-]?=[^=~]`),
	signed(30, `\$this->\w+|\$\w+->\w+\(`),
	signed(25, `\bforeach\s*\(\s*\$.*\bas\s+\$`),
	signed(25, `^\s*(?:echo|print_r|var_dump)\b.*;`),
	signed(20, `\b(?:count|strlen|array_\w+|str_\w+|implode|explode)\(\s*\$`),
	signed(15, `^\s*(?:namespace\s+[\w\\]+|use\s+[\w\\]+\\\w+)\s*;`),
	signed(-60, `^\s*(?:use\s+strict|use\s+warnings|my\s+[$@%]|sub\s+\w+)`),
	signed(-40, `^\s*(?:const|let)\s+\w+\s*=|\bconsole\.log\(`),
	signed(-40, `^\s*fi\s*$|^\s*done\s*$|\[\[\s`),
}

var phpTestName = lazyre.New(`(?i:^test[._-]|[._-]tests?\.php$|^tests?\.php$)|Test\.php$`)

func isPHPTest(f glovebox.File) bool {
	return path.Ext(f.Path) == ".php" && phpTestName().MatchString(path.Base(f.Path))
}

//go:embed php/*.php
var phpScripts embed.FS

const (
	installPHP = "install PHP 8.1 or later (packages php-cli and php-tokenizer) so that php is on PATH"
	phpExe     = "/usr/local/bin/php"
	phpHome    = "/opt/glovebox/php/"
	phpModules = "/usr/local/lib/php"
	phpConfig  = "/usr/local/etc/php"
)

// phpExtensions are the modules of a box, as far as the host has them: modules
// commonly used by programs, and none with access to the machine.
var phpExtensions = []string{
	"tokenizer", "ctype", "mbstring", "iconv", "bcmath", "gmp", "calendar", "dom", "xml", "simplexml", "xmlwriter",
}

// phpUnit are PHPUnit and its required libraries, at their paths in Debian.
var phpUnit = []string{"PHPUnit", "SebastianBergmann", "DeepCopy", "Doctrine", "PharIo", "TheSeer", "PhpParser"}

const (
	phpShared  = "/usr/share/php"
	phpLibrary = "/usr/local/share/php"
)

// findPHPUnit returns the version of the host's PHPUnit, or "". Later versions are
// started in another way.
func findPHPUnit(ctx context.Context, h Host, exe string, loaded []string) string {
	if _, err := h.Stat(phpShared + "/PHPUnit/Autoload.php"); err != nil {
		return ""
	}
	for _, need := range []string{"dom", "mbstring", "xml", "xmlwriter"} {
		if !slices.Contains(loaded, need) {
			return ""
		}
	}
	version, err := h.Ask(ctx, exe, "-n", "-r", `preg_match("/VersionId?\('([\d.]+)'/", file_get_contents("`+phpShared+`/PHPUnit/Runner/Version.php"), $m); echo $m[1] ?? "";`)
	version = strings.TrimSpace(version)
	if err != nil || !versionAtLeast(version, 9, 0) || versionAtLeast(version, 10, 0) {
		return ""
	}
	return version
}

// phpIni sends every error to stderr, once, and makes assertions throw. The box
// limits memory and time; PHP does not.
const phpIni = `display_errors=stderr
log_errors=0
html_errors=0
error_reporting=-1
zend.assertions=1
assert.exception=1
memory_limit=-1
max_execution_time=0
date.timezone=UTC
`

// findPHP finds PHP and its extensions.
func findPHP(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("php", "php8.4", "php8.3", "php8.2", "php8.1")
	if err != nil {
		return nil, fmt.Errorf("PHP was not found (%w): %s", err, installPHP)
	}
	about, err := h.Ask(ctx, exe, "-n", "-r", `echo PHP_VERSION, "\n", PHP_EXTENSION_DIR, "\n", implode(" ", get_loaded_extensions());`)
	if err != nil {
		return nil, fmt.Errorf("asking %s about itself: %w", exe, err)
	}
	lines := strings.Split(strings.TrimSpace(about), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("%s said %q of itself", exe, about)
	}
	version, dir, loaded := lines[0], lines[1], strings.Fields(strings.ToLower(lines[2]))
	if !versionAtLeast(version, 8, 1) {
		return nil, fmt.Errorf("PHP %s at %s is too old: %s", version, exe, installPHP)
	}
	ini := phpIni + "extension_dir=" + phpModules + "\n"
	elfs := []string{exe}
	var modules []rootfs.Entry
	for _, name := range phpExtensions {
		module := filepath.Join(dir, name+".so")
		if _, err := h.Stat(module); err != nil || slices.Contains(loaded, name) {
			continue
		}
		ini += "extension=" + name + "\n"
		elfs = append(elfs, module)
		loaded = append(loaded, name)
		modules = append(modules, rootfs.Entry{Path: path.Join(phpModules, name+".so"), Source: module})
	}
	if !slices.Contains(loaded, "tokenizer") {
		return nil, fmt.Errorf("PHP at %s lacks the tokenizer extension: %s", exe, installPHP)
	}
	libs, err := h.Libraries(elfs...)
	if err != nil {
		return nil, fmt.Errorf("finding the libraries of %s: %w", exe, err)
	}
	tools := map[string]string{}
	root := rootfs.Base()
	if version := findPHPUnit(ctx, h, exe, loaded); version != "" {
		tools["phpunit"] = version
		for _, name := range phpUnit {
			dir := path.Join(phpShared, name)
			if info, err := h.Stat(dir); err == nil && info.IsDir() {
				root.Add(rootfs.Entry{Path: path.Join(phpLibrary, name), Source: dir})
			}
		}
	}
	root.Add(rootfs.Libraries(libs)...)
	root.Add(rootfs.Entry{Path: phpExe, Source: exe, Linked: true})
	root.Add(modules...)
	root.Add(rootfs.Entry{Path: path.Join(phpConfig, "php.ini"), Data: []byte(ini)})
	if err := addDrivers(&root, phpScripts, "php", phpHome); err != nil {
		return nil, err
	}
	// Some builds of PHP read the time zones of the system.
	const zones = "/usr/share/zoneinfo"
	if info, err := h.Stat(zones); err == nil && info.IsDir() {
		root.Add(rootfs.Entry{Path: zones, Source: zones, SkipKey: "right posix", Skip: func(rel string, _ fs.DirEntry) bool {
			return rel == "right" || rel == "posix" || rel == "localtime"
		}})
	}
	return &Toolchain{
		Language: "php",
		Version:  version,
		Exe:      phpExe,
		Tools:    tools,
		Env:      []string{"PHPRC=" + phpConfig, "PHP_INI_SCAN_DIR="},
		Path:     "/usr/local/bin:/usr/bin:/bin",
		Root:     root,
	}, nil
}

// phpFiles adds an opening tag to files without one. Otherwise PHP would print the
// program instead of running it.
func phpFiles(files []glovebox.File) []glovebox.File {
	files = slices.Clone(files)
	for i, f := range files {
		if path.Ext(f.Path) == ".php" && !bytes.Contains(f.Data, []byte("<?")) {
			files[i].Data = append([]byte("<?php "), f.Data...)
		}
	}
	return files
}

// planPHP lints and runs. The lint is a separate process: compiling finds more
// errors than parsing, and PHP cannot close an inherited descriptor.
func planPHP(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{
		Files: phpFiles(p.Files),
		Check: phpLint(tc, p.Main),
		Run:   Step{Args: []string{tc.Exe, p.Main}},
	}, nil
}

func phpLint(tc *Toolchain, main string) *Step {
	return &Step{Args: []string{tc.Exe, "-l", main}}
}

// phpTests is the configuration of the drivers that run tests.
type phpTests struct {
	Tests []string `json:"tests"`
	// Unit tells the in-process driver to run PHPUnit itself.
	Unit bool `json:"unit,omitempty"`
	// Needs are the PHPUnit methods used by the tests but missing from our
	// stand-in.
	Needs []string `json:"needs,omitempty"`
	// Converts tells our stand-in to turn a warning or a notice into a failure,
	// like the installed PHPUnit.
	Converts bool `json:"converts,omitempty"`
}

// examPHP runs tests in a separate process, unless they need more than calls.
func examPHP(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	tests, _ := stageTests(phpFiles(t.Files), ".php")
	told := phpTests{}
	p, tree := startTree(p, ".php", phpAutoload)
	if tree {
		told.Tests = startedNames(tests, isPHPTest, ".php")
	}
	for i, f := range tests {
		if tree {
			break // no file of the program has the same name
		}
		if slices.ContainsFunc(p.Files, func(g glovebox.File) bool { return g.Path == f.Path }) {
			tests[i].Path = "tests/" + f.Path
		}
		if path.Ext(f.Path) == ".php" {
			told.Tests = append(told.Tests, tests[i].Path)
		}
	}
	if len(told.Tests) == 0 {
		return nil, &Unrunnable{Reason: "the tests have no file of PHP: its name must end in .php"}
	}
	var texts [][]byte
	for _, f := range tests {
		if path.Ext(f.Path) == ".php" {
			texts = append(texts, f.Data)
		}
	}
	text := readPHP(texts)
	reason := text.needsProcess()
	if tree {
		reason = "the tests use " + inTree
		// PHPUnit starts only files named like its tests.
		named := slices.DeleteFunc(slices.Clone(told.Tests), func(name string) bool { return !strings.HasSuffix(name, "Test.php") })
		if text.usesPHPUnit() && len(named) > 0 {
			told.Tests = named
		}
	}
	reason, err := phpFramework(tc, text, reason, tree, &told)
	if err != nil {
		return nil, err
	}
	if missing := text.missing(slices.Concat(p.Files, tests)); len(missing) > 1 && !tree {
		return nil, &Unrunnable{Reason: "the tests load " + strings.Join(missing, " and ") + ", which are not here", Missing: missing}
	} else if reason != "" && !tree {
		// In one process, a name for the program must be a file.
		for _, name := range missing {
			tests = append(tests, glovebox.File{Path: name, Data: []byte("<?php\n"), ReadOnly: true})
		}
	}
	config, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	driver := func(name string, args ...string) []string {
		return append([]string{tc.Exe, phpHome + name}, args...)
	}
	exam := &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     phpFiles(p.Files),
		Check:     phpLint(tc, p.Main),
		Candidate: Step{Args: driver("candidate.php", p.Main)},
		Harness:   &Step{Args: driver("harness.php", string(config)), Files: slices.Concat(writable(tests), phpIncludes(p, tests))},
	}
	if reason != "" {
		exam.Proof, exam.Reason, exam.Harness = glovebox.ProofInProcess, reason, nil
		exam.Candidate = Step{Args: driver("inprocess.php", string(config), p.Main), Files: slices.Concat(tests, phpAliases(p, tests))}
	}
	return exam, nil
}

// writable returns the files without write protection, so that the harness can
// replace them with its own copies.
func writable(files []glovebox.File) []glovebox.File {
	files = slices.Clone(files)
	for i := range files {
		files[i].ReadOnly = false
	}
	return files
}

// phpFramework chooses the runner for tests of a framework: our stand-in if it
// supports all used features, or PHPUnit itself, in the program's process. It
// returns the reason for using one process, and an [Unrunnable] if neither runner
// is available.
func phpFramework(tc *Toolchain, text *phpText, reason string, tree bool, told *phpTests) (string, error) {
	if len(text.tokens) <= 2 {
		return "", &Unrunnable{Reason: "the tests are empty"}
	}
	if !text.hasTest() {
		return "", &Unrunnable{Reason: "the tests have no test: no function test… and nothing that asserts"}
	}
	if why, missing := text.otherFrameworks(); why != "" && !tree {
		return "", &Unrunnable{Reason: why, Missing: missing}
	}
	if !text.usesPHPUnit() {
		return reason, nil
	}
	version := tc.Tools["phpunit"]
	missing, ten := text.unitNeeds()
	here := version != "" && (!ten || versionAtLeast(version, 10, 0))
	switch {
	case reason == "" && len(missing) == 0:
		told.Converts = here && !versionAtLeast(version, 10, 0)
		return "", nil
	case here:
		told.Unit, told.Needs = true, missing
		if reason == "" {
			reason = "the tests use " + missing[0] + " of PHPUnit"
		}
		return reason, nil
	case len(missing) == 0 || tree:
		return reason, nil
	}
	if ten && version != "" {
		return "", &Unrunnable{Reason: "the tests need PHPUnit 10 for " + missing[0] + ", and " + version + " is here", Missing: append([]string{"PHPUnit 10"}, missing...)}
	}
	return "", &Unrunnable{Reason: "the tests use " + missing[0] + ", for which they need PHPUnit, which is not here", Missing: append([]string{"PHPUnit"}, missing...)}
}

// phpAutoload finds the classes of a tree, like Composer.
const phpAutoload = `<?php
spl_autoload_register(static function (string $class): void {
    static $composer = null;
    $composer ??= json_decode((string) @file_get_contents('/workspace/composer.json'), true) ?: [];
    foreach (['autoload', 'autoload-dev'] as $kind) {
        foreach ((array) ($composer[$kind]['psr-0'] ?? []) as $prefix => $folders) {
            foreach (str_starts_with($class, (string) $prefix) ? (array) $folders : [] as $folder) {
                $file = "/workspace/$folder/" . strtr($class, '\\_', '//') . '.php';
                if (is_file($file)) {
                    require_once $file;
                    return;
                }
            }
        }
        foreach ((array) ($composer[$kind]['psr-4'] ?? []) as $prefix => $folders) {
            foreach (str_starts_with($class, (string) $prefix) ? (array) $folders : [] as $folder) {
                $file = "/workspace/$folder/" . str_replace('\\', '/', substr($class, strlen((string) $prefix))) . '.php';
                if (is_file($file)) {
                    require_once $file;
                    return;
                }
            }
        }
    }
});
`

// phpNames are the names by which tests include a program without a name.
var phpNames = []string{"solution.php", "main.php", "index.php", "program.php"}

// phpIncludes returns empty files with the program's names, for tests that include
// the program. Its definitions are already loaded.
func phpIncludes(p *glovebox.Program, tests []glovebox.File) []glovebox.File {
	files := phpAliases(p, tests)
	for _, f := range p.Files {
		if path.Ext(f.Path) == ".php" {
			files = append(files, glovebox.File{Path: f.Path})
		}
	}
	for i := range files {
		files[i].Data = []byte("<?php\n")
	}
	return files
}

// phpAliases returns files for the unused names among phpNames, for tests that
// include an already started program by such a name.
func phpAliases(p *glovebox.Program, tests []glovebox.File) []glovebox.File {
	var files []glovebox.File
	for _, name := range phpNames {
		taken := func(f glovebox.File) bool { return f.Path == name }
		if !slices.ContainsFunc(p.Files, taken) && !slices.ContainsFunc(tests, taken) {
			files = append(files, glovebox.File{Path: name, Data: []byte("<?php\n")})
		}
	}
	return files
}

var phpError = lazyre.New(`(?m)^(?:PHP )?(Parse error|Fatal error): +(?s:(.+?)) in (/[^\n]*?|[^\n/ ][^\n]*?) on line (\d+)$`)

// readPHPSyntax reads the output of php -l.
func readPHPSyntax(out CheckOutput) *glovebox.SyntaxError {
	if out.ExitCode == 0 {
		return nil
	}
	for _, text := range [][]byte{out.Stderr, out.Stdout} {
		if m := phpError().FindSubmatch(text[:min(len(text), failureBytes)]); m != nil {
			line, _ := strconv.Atoi(string(m[4]))
			return &glovebox.SyntaxError{File: inWorkspace(string(m[3])), Line: line, Message: strings.ToValidUTF8(string(m[2]), "\uFFFD")}
		}
	}
	return nil
}

var (
	phpUncaught = lazyre.New(`(?:^|\n)(?:PHP )?Fatal error: +Uncaught ([\w\\]+)(?:: (?s:(.*?)))? in (/[^\n]*):(\d+)\nStack trace:`)
	phpFatal    = lazyre.New(`(?:^|\n)(?:PHP )?((?:Fatal|Parse|Recoverable fatal) error): +(?s:([^\n].*?)) in (/[^\n]*?) on line (\d+)(?:\n|$)`)
)

// readPHPFailure reads the last fatal error printed by PHP.
func readPHPFailure(stderr []byte) *glovebox.Failure {
	text := strings.ToValidUTF8(string(stderr[max(0, len(stderr)-failureBytes):]), "\uFFFD")
	made := func(m []string) *glovebox.Failure {
		line, _ := strconv.Atoi(m[4])
		return &glovebox.Failure{Type: m[1], Message: strings.TrimSpace(m[2]), File: inWorkspace(m[3]), Line: line}
	}
	if all := phpUncaught().FindAllStringSubmatch(text, -1); len(all) > 0 {
		return made(all[len(all)-1])
	}
	if all := phpFatal().FindAllStringSubmatch(text, -1); len(all) > 0 {
		return made(all[len(all)-1])
	}
	return nil
}

// inWorkspace converts a path in the box to a path in the workspace.
func inWorkspace(name string) string { return strings.TrimPrefix(name, "/workspace/") }
