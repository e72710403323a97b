// Package command turns the one-line command that an agent writes for "a shell" into an
// argument vector that runs without a shell, or refuses the line.
//
//	p, err := command.Load(data, "tools.yaml") // or command.Default()
//	c, err := p.Parse(`grep -rn "func main" cmd`)
//	c.Argv                                     // grep, -rn, func main, cmd
//
// A line is read as a POSIX shell would read it, but only plain and quoted words are
// accepted: expansions, substitutions, globs, assignments, redirections, pipes and lists
// are refused. The first word must be a program of the tool policy. The rules of the
// program are an allow-list of flags, each with the type of its value, and of operands.
//
// The error of [Policy.Parse] is a [*Refusal] that names the column, the construct, the
// reason and what to write instead. The rules limit the command line, never what an
// allowed program does afterwards: the box is the boundary.
package command

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Bounds of a line.
const (
	maxLine     = 8 << 10 // bytes
	maxWords    = 512
	maxBrackets = 400
)

// workspace is the only absolute directory that a command may name: tier.Workspace,
// which a policy does not import.
const workspace = "/workspace"

// Command is an accepted command line.
type Command struct {
	// Argv is the program's name and its arguments, exactly as the line has them without
	// their quotes. A program without a slash is found in the box's PATH.
	Argv []string
}

// Policy is a tool policy. A Policy is immutable and safe for concurrent use.
type Policy struct {
	programs map[string]*program
	hosts    []string
}

// program is an entry of a tool policy.
type program struct {
	name  string
	where string // file:line:column, or empty for a default
	check check
}

// Programs returns the names of the allowed programs, sorted.
func (p *Policy) Programs() []string {
	names := make([]string, 0, len(p.programs))
	for name := range p.programs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Parse reads one command line. The error is always a [*Refusal].
func (p *Policy) Parse(line string) (Command, error) {
	words, r := split(line)
	if r != nil {
		return Command{}, r
	}
	if r := p.admit(words); r != nil {
		return Command{}, r
	}
	argv := make([]string, len(words))
	for i, w := range words {
		argv[i] = w.text
	}
	return Command{Argv: argv}, nil
}

func (p *Policy) admit(words []word) *Refusal {
	name := words[0]
	prog, ok := p.programs[name.text]
	if !ok {
		return p.unknown(name)
	}
	r := prog.check(&arguments{program: name.text, words: words[1:], hosts: p.hosts})
	if r != nil {
		r.rule, r.where = "programs["+prog.name+"]", prog.where
	}
	return r
}

func (p *Policy) unknown(name word) *Refusal {
	r := name.refuse("the program %s", "no rule of the tool policy allows this program", clip(name.text))
	r.rule = "programs"
	switch {
	case strings.Contains(name.text, "/"):
		r.Why = "a program is named without a path, unless the tool policy lists the path itself"
		r.Instead = "write " + clip(path.Base(name.text)) + ", if the tool policy allows that program"
	case wrappers[stem(name.text)] != "":
		r.Why = wrappers[stem(name.text)]
		r.Instead = "call the program itself: " + list(p.Programs())
	default:
		r.Instead = "use one of " + list(p.Programs())
		if builtins[name.text] != nil {
			r.allowWith = "programs: [{name: " + name.text + "}]"
		}
	}
	return r
}

// Refusal says why a command line has no argument vector.
type Refusal struct {
	// Column is the place in the line, in characters from 1.
	Column int
	// What names the refused construct, such as "the flag --exec-path".
	What string
	// Why is the reason.
	Why string
	// Instead says what to write in its place.
	Instead string

	rule, where, allowWith string
}

// Error returns "column N: what is refused: why; instead".
func (r *Refusal) Error() string {
	return fmt.Sprintf("column %d: %s is refused: %s; %s", r.Column, r.What, r.Why, r.Instead)
}

// Denials returns the refusal in the form of an observation. There is one Denial: the
// first thing that is refused.
func (r *Refusal) Denials() []glovebox.Denial {
	return []glovebox.Denial{{
		Rule: r.rule, Where: r.where,
		Asked:     fmt.Sprintf("command line, column %d: %s", r.Column, r.What),
		Message:   r.Error(),
		AllowWith: r.allowWith,
		ByCode:    true,
	}}
}

// clip quotes hostile text for a message: bounded, and ASCII.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%+q…", strings.ToValidUTF8(text[:most], ""))
	}
	return fmt.Sprintf("%+q", text)
}

// list joins names for a message, a bounded number of them.
func list(names []string) string {
	const most = 100
	if len(names) == 0 {
		return "(none)"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
