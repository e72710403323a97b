// Package language knows the languages that Glovebox runs: how to recognise
// one, where its code goes, how to check, run and test it, and how to read its
// failures. Adding a language is one file that makes a [Language] and a line in
// [All].
//
// Nothing here runs code of a model. A Language turns a program into [Step]
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
	// Title is its name for people, such as "Python".
	Title string
	// Aliases are the names it has in the info string of a fence, in lower
	// case, Name included.
	Aliases []string
	// Extensions are the endings of its files, with the dot.
	Extensions []string
	// Main is the name of the main file of a program that has no name.
	Main string
	// Comment starts a line comment.
	Comment string
	// Score tells how much src looks like this language, from 0 (not at all)
	// to 100 (certainly). It reads, it never parses fully.
	Score func(src string) int
	// IsTest tells whether a file of a reply is a test of it.
	IsTest func(f glovebox.File) bool
	// Find finds the toolchain on the host. The error names what to install.
	Find func(ctx context.Context, h Host) (*Toolchain, error)
	// FindModule finds the toolchain of tiers that run WebAssembly modules and
	// no machine code. Nil means that there is none.
	FindModule func(ctx context.Context, h Host) (*Toolchain, error)
	// FindInImage finds the toolchain that an image brings, by the rules of
	// [Language.InImage]. Nil means that Find serves, asked of the image.
	FindInImage func(ctx context.Context, h Host) (*Toolchain, error)
	// Plan makes the steps of a program without tests.
	Plan func(tc *Toolchain, p *glovebox.Program) (*Plan, error)
	// Exam makes the steps of a program with tests. The tests alone decide
	// its form; it never reads the program to choose it. A program without a
	// main file is a tree, in the shape of a repository: nothing of it is
	// started, and the tests load what they need. Nil means that the language
	// has no tests yet.
	Exam func(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error)
	// Standby says what of this language can be started before there is a
	// program. Nil where nothing is gained by it.
	Standby func(tc *Toolchain) *Standby
	// Libraries is a program that prints the libraries that are in the box, one
	// a line as "name version", after a line with the language's own version; a
	// line in parentheses sums up. At most some hundred lines. It is run as a
	// Job of its own: an agent asks the box what there is, and does not guess.
	Libraries *glovebox.Program
	// Lint is a program that checks the files that its arguments name, without
	// running them, with what the language and the image have for that: the
	// compiler's warnings, types, undefined names, form. The tree is in the
	// Inputs. It prints findings as lines "path:line:col: message"; its exit
	// code is [LintClean], [LintFound] or [LintNothing]. [Language.LintJob]
	// makes the Job.
	Lint *glovebox.Program
	// Names is how many bytes the names of the source files of a program
	// without a main file may have together; 0 means as many as of one with a
	// main file. See [Language.Told].
	Names int64
	// ReadSyntax reads what the check step printed. It returns nil where the
	// check found nothing wrong.
	ReadSyntax func(out CheckOutput) *glovebox.SyntaxError
	// ReadFailure reads the error that ended a program from its stderr. It
	// returns nil for an error in a form that it does not know.
	ReadFailure func(stderr []byte) *glovebox.Failure
	// Install says what to install where Find fails.
	Install string
}

// Toolchain is a language's interpreter or compiler on this host.
type Toolchain struct {
	Language string
	// Version is what the tool says of itself, such as "3.11.7".
	Version string
	// Exe is the interpreter's absolute path in the box.
	Exe string
	// Tools are further programs of the toolchain in the box, by name.
	Tools map[string]string
	// Env is the environment that it needs in the box, as "NAME=value",
	// beside PATH, HOME and LANG.
	Env []string
	// Path is the box's PATH.
	Path string
	// Root says what the box's root file system holds, our drivers included.
	Root rootfs.Plan
}

// Tests is what a program is tested with.
type Tests struct {
	// Files are the test files, in order.
	Files []glovebox.File
	// Entry is the function that the tests take as an argument.
	Entry string
	// Nonce is a fresh secret of this run, for in-process reports.
	Nonce string
}

// Descriptors of commands, where a step asks for them.
const (
	// FDLinkIn and FDLinkOut are the two ends of the link between candidate
	// and harness: bytes that the candidate writes to FDLinkOut, the harness reads
	// from FDLinkIn, and the other way around.
	FDLinkIn  = 3
	FDLinkOut = 4
	// FDReport takes [Event] lines, as JSON. In a box with a candidate it is
	// trusted only until the candidate's code starts, or as far as a nonce
	// carries.
	FDReport = 5
	// FDOrders and FDReady are those of a [Standby].
	FDOrders = 6
	FDReady  = 7
)

// Step is a command with the files it needs beside the program's.
type Step struct {
	Args []string
	// Env is added to the toolchain's.
	Env []string
	// Files are staged in the workspace, beside the program's.
	Files []glovebox.File
	// Makes are the files that the step itself writes into the workspace, such
	// as a compiler's output. They are no artifacts of the program.
	Makes []string
	Stdin []byte
	// Orders makes what turns a process of the language's [Standby] into this
	// step. Nil, or a nil result, means that only a start of its own will do.
	Orders func(t Told) []byte
}

// Told is what a step's orders depend on, beside its program.
type Told struct {
	// Args are further arguments of the command.
	Args []string
	// Files are all that are staged with it; of two with one path the latter is
	// there.
	Files []glovebox.File
}

// Standby are steps that are started before there is a program, and wait: they
// read their orders from [FDOrders] up to its end, and write a byte to [FDReady]
// when they are ready; see [tier.Spec]. A field may be nil.
type Standby struct {
	// Forks tells that each can be the parent of many boxes; see [tier.Spec].
	Forks bool
	// Program becomes the Run of a Plan.
	Program *Step
	// Candidate and Harness become those of an Exam with two boxes.
	Candidate, Harness *Step
}

// Plan is how to check and run a program without tests.
type Plan struct {
	// Files are staged: the program's, placed where the language wants them.
	Files []glovebox.File
	// Check runs the language's own parser. Nil where Run checks by itself.
	Check *Step
	// Run runs the program. Where Check is nil it writes an Event of type
	// "syntax" or "checked" to FDReport, closes it, and only then starts the
	// program in the same process.
	Run Step
}

// Exam is how to run a program's tests.
type Exam struct {
	// Proof is what a pass of this exam is worth.
	Proof glovebox.Proof
	// Files are the candidate's, staged in its box.
	Files []glovebox.File
	// Check is as in Plan.
	Check *Step
	// Candidate runs in the candidate's box. Out of process it serves calls
	// over the link; in process it runs the tests too, reads a line with the
	// nonce from FDLinkIn, and writes Events to FDReport.
	Candidate Step
	// Harness runs in a box of its own, out of process only, with the tests
	// that the candidate never sees, and writes Events to FDReport.
	Harness *Step
	// Fallback makes the weaker exam that is run when the harness says that
	// these tests need more than plain calls (an Event of type "fallback").
	// Nil where there is none.
	Fallback func() (*Exam, error)
	// Reason says why the proof is no stronger.
	Reason string
}

// Unrunnable is the error of [Language.Exam] and of [Exam.Fallback] for tests
// that cannot run here, whatever the program is.
type Unrunnable struct {
	// Reason is a clause such as "the tests need RSpec, which is not here".
	Reason string
	// Missing names what is not here, if that is the reason.
	Missing []string
}

func (u *Unrunnable) Error() string { return u.Reason }

// notHere is the error for tests that name a file or module that nobody has: it may be
// meant as the program, whose file is main, and which tests may call solution.
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
// "done" comes last, once, and only from a harness that ran to its end.
// "fallback" and "unrunnable" come before any case and before any code of the
// candidate was started, from what the tests are alone. In the candidate's
// process they count only with the nonce. docs/harness-protocol.md has the
// whole contract.
type Event struct {
	Type   string                `json:"type"`
	Nonce  string                `json:"nonce,omitempty"`
	Syntax *glovebox.SyntaxError `json:"syntax,omitempty"`
	Case   *glovebox.TestCase    `json:"case,omitempty"`
	Reason string                `json:"reason,omitempty"`
	// Missing names what an unrunnable test needs.
	Missing []string `json:"missing,omitempty"`
	// Framework ran the tests, with its version where it is not ours.
	Framework string `json:"framework,omitempty"`
	Total     int    `json:"total,omitempty"`
	Passed    int    `json:"passed,omitempty"`
	Failed    int    `json:"failed,omitempty"`
}

// CheckOutput is what a check step printed.
type CheckOutput struct {
	Stdout, Stderr []byte
	ExitCode       int
	// Main is the main file's path.
	Main string
}
