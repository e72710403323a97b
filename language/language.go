// Package language knows the languages of Glovebox: how to recognise a language,
// where its code goes, how to check, run and test it, and how to read its failures.
// Adding a language takes one file that makes a [Language], and a line in [All].
//
// Nothing here runs model-written code. A Language turns a program into [Step]
// values, which the engine runs in boxes.
package language

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Language is one programming language.
type Language struct {
	// Name is the language's name in a Program, such as "python".
	Name string
	// Title is the name shown to people, such as "Python".
	Title string
	// Aliases are the language's names in the info string of a fence, in lower
	// case, including Name.
	Aliases []string
	// Extensions are the endings of its files, with the dot.
	Extensions []string
	// Main is the name given to an unnamed main file.
	Main string
	// Comment starts a line comment.
	Comment string
	// Score rates how much src looks like this language, from 0 (not at all) to 100
	// (certainly). Score only looks for signs; it never parses fully.
	Score func(src string) int
	// IsTest reports whether a file of a reply is a test.
	IsTest func(f glovebox.File) bool
	// Find finds the toolchain on the host. The error names what to install.
	Find func(ctx context.Context, h Host) (*Toolchain, error)
	// FindModule finds the toolchain of tiers that run WebAssembly modules but no
	// machine code. Nil means there is no such toolchain.
	FindModule func(ctx context.Context, h Host) (*Toolchain, error)
	// FindInImage finds the toolchain in an image, by the rules of
	// [Language.InImage]. Nil means Find is used, with the image as its host.
	FindInImage func(ctx context.Context, h Host) (*Toolchain, error)
	// Plan makes the steps of a program without tests.
	Plan func(tc *Toolchain, p *glovebox.Program) (*Plan, error)
	// Exam makes the steps of a program with tests. The tests alone decide its
	// form; Exam never reads the program to choose it. A program without a main
	// file is a tree, in the shape of a repository: no file of the program is
	// started, and the tests load what they need. Nil means that the language has
	// no tests yet.
	Exam func(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error)
	// Standby returns the steps that can start before a program is known. Nil means
	// an early start gains nothing.
	Standby func(tc *Toolchain) *Standby
	// Libraries is a program that lists the libraries in the box, for an agent that
	// asks instead of guessing. The first line is the language's own version. Each
	// further line is "name version"; a line in parentheses is a summary. The
	// output has at most some hundred lines. The program runs as a separate Job.
	Libraries *glovebox.Program
	// Lint is a program that checks the files named by its arguments without
	// running them. It uses the tools of the language and the image: the compiler's
	// warnings, types, undefined names, form. The tree is in the Inputs. Findings
	// are printed as lines "path:line:col: message". The exit code is [LintClean],
	// [LintFound] or [LintNothing]. [Language.LintJob] makes the Job.
	Lint *glovebox.Program
	// Names bounds the total length, in bytes, of the source file names of a
	// program without a main file. 0 means the same bound as with a main file. See
	// [Language.Told].
	Names int64
	// ReadSyntax reads the output of the check step. It returns nil if the check
	// found no error.
	ReadSyntax func(out CheckOutput) *glovebox.SyntaxError
	// ReadFailure reads the error that ended a program from its stderr. It returns
	// nil for an error in an unknown form.
	ReadFailure func(stderr []byte) *glovebox.Failure
	// Install says what to install if Find fails.
	Install string
}

// Toolchain is a language's interpreter or compiler on this host.
type Toolchain struct {
	Language string
	// Version is the tool's own version string, such as "3.11.7".
	Version string
	// Exe is the interpreter's absolute path in the box.
	Exe string
	// Tools are further programs of the toolchain in the box, by name.
	Tools map[string]string
	// Env is the environment needed in the box, as "NAME=value", in addition to
	// PATH, HOME and LANG.
	Env []string
	// Path is the box's PATH.
	Path string
	// Root describes the box's root file system, including our drivers.
	Root rootfs.Plan
}

// Tests are the tests of a program.
type Tests struct {
	// Files are the test files, in order.
	Files []glovebox.File
	// Entry is the function passed to the tests as an argument.
	Entry string
	// Nonce is a fresh secret of this run, for in-process reports.
	Nonce string
}

// Descriptors of commands, if requested by a step.
const (
	// FDLinkIn and FDLinkOut are the two ends of the link between candidate and
	// harness. Bytes written to FDLinkOut by one are read from FDLinkIn by the
	// other.
	FDLinkIn  = 3
	FDLinkOut = 4
	// FDReport takes [Event] lines, as JSON. In a box with a candidate, the report
	// is trusted only until the candidate's code starts, or as far as a nonce
	// proves its origin.
	FDReport = 5
	// FDOrders and FDReady are the descriptors of a [Standby].
	FDOrders = 6
	FDReady  = 7
)

// Step is a command with the files it needs in addition to the program's.
type Step struct {
	Args []string
	// Env is added to the toolchain's environment.
	Env []string
	// Files are staged in the workspace, next to the program's.
	Files []glovebox.File
	// Makes are the files written into the workspace by the step itself, such as a
	// compiler's output. They are not artifacts of the program.
	Makes []string
	Stdin []byte
	// Orders returns the start message that turns a process of the language's
	// [Standby] into this step. Nil, or a nil result, means that the step needs a
	// fresh process.
	Orders func(t Told) []byte
}

// Told holds the inputs of a step's start message, apart from its program.
type Told struct {
	// Args are further arguments of the command.
	Args []string
	// Files are all the files staged with the step. Of two files with the same
	// path, the latter is used.
	Files []glovebox.File
}

// Standby are steps started before a program is known. They write a byte to
// [FDReady] when ready, and read their start message from [FDOrders] up to its end;
// see [tier.Spec]. A field may be nil.
type Standby struct {
	// Forks means each process can be the zygote of many boxes; see [tier.Spec].
	Forks bool
	// Program becomes the Run of a Plan.
	Program *Step
	// Candidate and Harness become the steps of an Exam with two boxes.
	Candidate, Harness *Step
}

// Plan describes how to check and run a program without tests.
type Plan struct {
	// Files are the program's files, staged at the paths the language expects.
	Files []glovebox.File
	// Check runs the language's own parser. Nil means Run checks the program
	// itself.
	Check *Step
	// Run runs the program. If Check is nil, Run writes an Event of type "syntax"
	// or "checked" to FDReport, closes FDReport, and only then starts the program
	// in the same process.
	Run Step
}

// Exam describes how to run a program's tests.
type Exam struct {
	// Proof is the worth of a pass of this exam.
	Proof glovebox.Proof
	// Files are the candidate's files, staged in its box.
	Files []glovebox.File
	// Check is as in Plan.
	Check *Step
	// Candidate runs in the candidate's box. Out of process, Candidate serves calls
	// over the link. In process, Candidate also runs the tests, reads a line with
	// the nonce from FDLinkIn, and writes Events to FDReport.
	Candidate Step
	// Harness runs in a separate box, out of process only, with tests the candidate
	// never sees. It writes Events to FDReport.
	Harness *Step
	// Fallback makes the weaker exam used when the harness needs more than plain
	// calls for these tests (an Event of type "fallback"). Nil means no weaker exam
	// exists.
	Fallback func() (*Exam, error)
	// Reason says why the proof is no stronger.
	Reason string
}

// Unrunnable is the error of [Language.Exam] and of [Exam.Fallback] for tests that
// cannot run here with any program.
type Unrunnable struct {
	// Reason is a clause such as "the tests need RSpec, which is not here".
	Reason string
	// Missing names the missing parts, if they are the reason.
	Missing []string
}

func (u *Unrunnable) Error() string { return u.Reason }

// notHere is the error for tests naming a missing file or module. The name may be
// meant as the program's: its file is main, and tests may call the program
// solution.
func notHere(name, main, solution string) *Unrunnable {
	return &Unrunnable{Missing: []string{name}, Reason: fmt.Sprintf("the tests need %s, which is not here: the program's file is %s, "+
		"and tests may call it %q; to name it otherwise, name the file in the reply", name, main, solution)}
}

// Event is one line of a report: one JSON object.
//
//	{"type":"checked"}
//	{"type":"syntax","syntax":{"file":"main.py","line":3,"message":"…"}}
//	{"type":"case","case":{"name":"test_x","status":"failed","message":"…"}}
//	{"type":"case","case":{"name":"test_y","status":"passed","proof":"candidate_judged"}}
//	{"type":"fallback","reason":"the tests use unittest.mock"}
//	{"type":"unrunnable","reason":"the tests need pytest-asyncio, which is not here","missing":["pytest-asyncio"]}
//	{"type":"broken","reason":"the candidate's process ended during f(3)"}
//	{"type":"done","total":7,"passed":6,"failed":1,"framework":"pytest 9.0.1","nonce":"…"}
//
// "done" comes last, once, and only from a harness that ran to its end. "fallback"
// and "unrunnable" depend on the tests alone. They come before any case and before
// any code of the candidate was started. In the candidate's process they count only
// with the nonce. docs/harness-protocol.md has the whole contract.
type Event struct {
	Type   string                `json:"type"`
	Nonce  string                `json:"nonce,omitempty"`
	Syntax *glovebox.SyntaxError `json:"syntax,omitempty"`
	Case   *glovebox.TestCase    `json:"case,omitempty"`
	Reason string                `json:"reason,omitempty"`
	// Missing names the missing requirements of an unrunnable test.
	Missing []string `json:"missing,omitempty"`
	// Framework ran the tests. A framework other than ours is named with its
	// version.
	Framework string `json:"framework,omitempty"`
	Total     int    `json:"total,omitempty"`
	Passed    int    `json:"passed,omitempty"`
	Failed    int    `json:"failed,omitempty"`
}

// CheckOutput is the output of a check step.
type CheckOutput struct {
	Stdout, Stderr []byte
	ExitCode       int
	// Main is the main file's path.
	Main string
}
