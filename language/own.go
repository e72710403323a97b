package language

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Programs of ours that run in a box like any other: each is one file of a
// language.
//
//go:embed own
var ownFiles embed.FS

// ownMain is where such a program stands in the workspace: apart from the tree
// that it reads, and from a package.json there.
const ownMain = ".glovebox/"

// ownProgram makes a Program of the embedded file, under the name main.
func ownProgram(language, file, main string) *glovebox.Program {
	data, err := ownFiles.ReadFile("own/" + file)
	if err != nil {
		panic(err) // it is embedded above
	}
	main = ownMain + main
	return &glovebox.Program{Language: language, Main: main, Files: []glovebox.File{{Path: main, Data: data}}}
}

// What the exit code of a Lint program says. Any other end, such as a limit
// that was hit, says nothing about the files.
const (
	// LintClean: nothing was found.
	LintClean = 0
	// LintFound: the findings are on stdout; see [ReadLint].
	LintFound = 1
	// LintNothing: nothing here can check these files, or not all that the
	// language has; why is on stderr.
	LintNothing = 3
)

// LibrariesJob makes the Job that asks a box of the language which libraries
// are in it; see [Language.Libraries]. It is false where there is none.
func (l *Language) LibrariesJob() (glovebox.Job, bool) {
	return glovebox.Job{Program: l.Libraries}, l.Libraries != nil
}

// LintJob makes the Job that checks changed files of a tree, by the rules of
// [Language.Lint]. files are the whole tree; those that the check cannot use are
// left out; see [Language.LintReads]. It is false where the language has no
// check, or none of the changed files is there and is one of the language.
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
			job.Args[i] = "./" + a // no tool takes it for an option
		}
	}
	return job, len(job.Args) > 0
}

// LintReads tells whether a check of the language reads a file of a tree: a source in
// the language, or a manifest of such sources.
func (l *Language) LintReads(name string) bool {
	return l.Owns(name) || lintManifest().MatchString(name)
}

// LintSettings tells whether a file says what checks look for, and what they let
// pass. Who judges a change takes these from the tree as it was before it.
func LintSettings(name string) bool { return lintSettings().MatchString(name) }

var (
	lintManifest = lazyre.New(`(?:^|/)(?:go\.mod|package\.json|py\.typed)$`)
	lintSettings = lazyre.New(`(?:^|/)(?:tsconfig\.json|mypy\.ini|setup\.cfg|pyproject\.toml)$`)
)

// Bounds of what is read of a check.
const (
	maxFindings    = 1000
	maxFindingText = 500
)

// ReadLint reads the findings that a Lint program printed: lines
// "path:line:col: message". Other lines, and what is beyond a thousand findings,
// are passed over. A finding's Rule is "lint". It is hostile text: what it says
// of the files is what the files made the tools say.
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

// cutText cuts a text to at most n bytes, at the begin of a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
