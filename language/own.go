package language

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Our own programs that run in a box like any other. Each is a single file.
//
//go:embed own
var ownFiles embed.FS

// ownMain is the folder of such a program in the workspace, apart from the
// inspected tree and its package.json.
const ownMain = ".glovebox/"

// ownProgram makes a Program of the embedded file, under the name main.
func ownProgram(language, file, main string) *glovebox.Program {
	data, err := ownFiles.ReadFile("own/" + file)
	if err != nil {
		panic(err) // embedded above
	}
	main = ownMain + main
	return &glovebox.Program{Language: language, Main: main, Files: []glovebox.File{{Path: main, Data: data}}}
}

// Exit codes of a Lint program. Any other end, such as reaching a limit, gives no
// information about the files.
const (
	// LintClean: nothing was found.
	LintClean = 0
	// LintFound: the findings are on stdout; see [ReadLint].
	LintFound = 1
	// LintNothing: the files cannot be checked here, or some of the language's
	// tools are missing. The reason is on stderr.
	LintNothing = 3
)

// LibrariesJob makes the Job that lists the libraries in a box of the language; see
// [Language.Libraries]. It returns false for a language without such a program.
func (l *Language) LibrariesJob() (glovebox.Job, bool) {
	return glovebox.Job{Program: l.Libraries}, l.Libraries != nil
}

// LintJob makes the Job that checks changed files of a tree, by the rules of
// [Language.Lint]. files are the whole tree; files useless to the check are left
// out; see [Language.LintReads]. LintJob returns false if the language has no
// check, or if no changed file of the language exists in the tree.
func (l *Language) LintJob(files []glovebox.File, changed []string) (glovebox.Job, bool) {
	if l.Lint == nil {
		return glovebox.Job{}, false
	}
	job := glovebox.Job{Program: l.Lint}
	for _, f := range files {
		if strings.HasPrefix(f.Path, ownMain) || !l.LintReads(f.Path) && !LintSettings(f.Path) {
			continue
		}
		if l.Owns(f.Path) && slices.Contains(changed, f.Path) {
			job.Args = append(job.Args, f.Path)
		}
		job.Inputs = append(job.Inputs, f)
	}
	for i, a := range job.Args {
		if strings.HasPrefix(a, "-") {
			job.Args[i] = "./" + a // so that no tool mistakes the name for an option
		}
	}
	return job, len(job.Args) > 0
}

// LintReads reports whether a check of the language reads a file of a tree: a
// source in the language, or a manifest of such sources.
func (l *Language) LintReads(name string) bool {
	return l.Owns(name) || lintManifest().MatchString(name)
}

// LintSettings reports whether a file configures checks, including their
// exceptions. A judge of a change must take these files from the tree before the
// change.
func LintSettings(name string) bool { return lintSettings().MatchString(name) }

var (
	lintManifest = lazyre.New(`(?:^|/)(?:go\.mod|package\.json|py\.typed)$`)
	lintSettings = lazyre.New(`(?:^|/)(?:tsconfig\.json|mypy\.ini|setup\.cfg|pyproject\.toml)$`)
)

// Bounds on the parsed output of a check.
const (
	maxFindings    = 1000
	maxFindingText = 500
)

// ReadLint reads the findings printed by a Lint program: lines "path:line:col:
// message". Other lines, and findings beyond the first thousand, are ignored. A
// finding's Rule is "lint". The output is hostile text: the checked files influence
// all output of the tools.
func ReadLint(stdout string) []glovebox.Finding {
	var found []glovebox.Finding
	for line := range strings.Lines(stdout) {
		if len(found) == maxFindings {
			break
		}
		if len(line) > 8*maxFindingText {
			continue
		}
		m := lintLine().FindStringSubmatch(strings.ToValidUTF8(line, "\uFFFD"))
		if m == nil {
			continue
		}
		name, err := glovebox.CleanPath(m[1])
		number, _ := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		found = append(found, glovebox.Finding{Rule: "lint", File: name, Line: number, Message: cutText(m[4], maxFindingText)})
	}
	return found
}

var lintLine = lazyre.New(`^([^:\x00-\x1f]{1,512}):(\d{1,9}):(\d{1,9}): ([^\r\n]+)`)

// cutText cuts a text to at most n bytes, at a character boundary.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
