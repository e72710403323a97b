// Package extract finds the code in a model's reply: which files, in which
// language, where to start, and which part is tests. Nothing is run. The result lists
// the taken pieces, and the rest with reasons.
//
// # What is taken
//
// The first of these forms that holds code is used, and no other:
//
//  1. JSON: the whole reply is an object or array with a field that is code
//     ("code", "python", "script", "source", …), at any depth, also inside the
//     string of a tool call's "arguments" or of a message's "content"; or
//     "files" with names and contents.
//  2. Fences: Markdown's fenced code blocks, with forgiveness for what models
//     do: any indentation, in lists and quotes, nested in a Markdown fence or
//     in a string of the code, opened twice or after words, closed with a
//     model's end token or words behind it, never closed. A fence of JSON is
//     read as in 1, changes as in 3 and 5.
//  3. Changes as agents write them: patches of Codex (*** Begin Patch), and the
//     searches and replacements of aider and Cline.
//  4. Wrappers: <code>, <pre>, <python>, <execute>, calls of tools that write a
//     file, LaTeX's listings and the like, with HTML entities decoded where the
//     text was escaped as a whole.
//  5. A unified diff. Of each change the new files are taken, and the changed
//     ones where the reply has the file too; else the change is left.
//  6. JSON inside prose.
//  7. Bare code, with prose and rule lines before, between and after it
//     removed. Text that surely is in a language that is not run is left, and
//     so is code that the words above it give as a change of some file.
//
// JSON may be as models write it: raw line ends in strings, Python's quotes and
// None, a comma too many. A notebook's cells are one program.
//
// A REPL transcript (>>>) gives its input without prompts and output. The text
// of a <think> block before the answer is never searched. Byte order marks are
// removed and line ends become "\n"; other bytes, also NUL and invalid UTF-8,
// stay as they are.
//
// # Whose language
//
// The caller's wish decides; a reply whose code is in other languages only has
// then nothing to take. Without a wish it is the language with the most code;
// shell only where nothing else is there. A fence's tag is believed; an
// untagged one goes by [language.Language].Score. In a reply with tagged
// fences an untagged one, and in any reply one after "Output:", is output
// unless it clearly is code. TypeScript takes JavaScript too.
//
// # Names
//
// A block's file name comes from its info string (python title="a.py",
// python:src/a.py, a.py), else from its first comment (# file: a.py), else from
// the line, bold text or heading right above it: a name, a name and what it is
// for, or words that create a file ("Create a file called a.py with:"). Each name passes
// [glovebox.CleanPath]; a bad one is replaced and noted. A name that is given
// twice means a newer version of the same file. The name of a test of the
// caller's is never taken.
//
// # Which version
//
// Blocks without a name make the main program, one after the other:
//
//   - what repeats a part of what is there is left as a snippet, and so is a
//     fragment, such as a method without its class or code with "# … rest of
//     the code";
//   - what only calls functions that are there is left as usage, but for a
//     program that is run by itself (Options.Alone) and that nothing else starts;
//   - what the line above it calls wrong is left, where right code is there;
//   - what restates all that is there, or defines again what is there without
//     needing it, is a newer version and replaces it: the last complete
//     version wins, and a note says so;
//   - what defines again a function but needs the rest is added after it,
//     where the language lets a later definition win;
//   - what uses what is there, or has nothing to do with it, is a next part and
//     is added; so are all functions where tests of the caller's may be for any.
//
// A reply most of whose blocks are pieces with parts left out only says what to
// change: it has no program.
//
// A block that the end of the reply cut off replaces nothing unless it repeats
// all of it. [glovebox.Extraction].Truncated says that the reply ended inside
// code.
//
// # What is no code
//
// Blank text, comments alone, output, data, inline code in prose, and commands
// such as pip install or python main.py. Without a fence or tag, also a bare
// name, literal or expression that shows no sign of its language ("fib",
// "a + b"): such a reply is an answer, not a program. Nothing found is a nil
// Program, never an empty one.
//
// # Tests
//
// Test code in a reply (by file name, by test functions, or only assertions)
// is kept apart in [Result].Tests, unless there is nothing else: then it is the
// program.
package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

// Options say what to look for.
type Options struct {
	// Languages are those that can be run, most likely first; nil means
	// [language.All].
	Languages language.Registry
	// Language is the caller's wish, by name or alias; empty means none.
	Language string
	// MaxBytes bounds the reply; 0 means the default of [glovebox.Limits].Reply.
	MaxBytes int64
	// Tests are the paths of the caller's tests, which no file of the reply
	// may have.
	Tests []string
	// Alone says that the program is run as it is, with no tests that call it:
	// what only uses the code is then kept where nothing else starts it.
	Alone bool
}

// Result is what was found.
type Result struct {
	// Program is the code; nil where there is none.
	Program *glovebox.Program
	// Tests is test code that came in the reply.
	Tests []glovebox.File
	// Extraction says what was taken and left.
	Extraction glovebox.Extraction
}

// Bounds beside Options.MaxBytes, which keep memory and time in proportion to
// the reply.
const (
	maxLines  = 2_000_000
	maxBlocks = 4_000
	maxNest   = 4 // replies within replies: a fence in JSON in a fence …
)

// Extract finds the code in a reply. The error says that the reply is over a
// bound or that the wished language is not known; finding nothing is none.
func Extract(r glovebox.Reply, opt Options) (*Result, error) {
	limit := opt.MaxBytes
	if limit == 0 {
		limit = glovebox.DefaultLimits.Reply
	}
	if int64(len(r)) > limit {
		return nil, fmt.Errorf("the reply is %d bytes long: at most %d are read (limit %q)", len(r), limit, "reply")
	}
	if n := max(strings.Count(string(r), "\n"), strings.Count(string(r), "\r")); n > maxLines {
		return nil, fmt.Errorf("the reply has %d lines: at most %d are read", n, maxLines)
	}
	f := finder{langs: opt.Languages, alone: opt.Alone, tested: !opt.Alone && len(opt.Tests) > 0}
	if f.langs == nil {
		f.langs = language.All()
	}
	if opt.Language != "" {
		if f.wish = f.langs.ByName(opt.Language); f.wish == nil {
			return nil, fmt.Errorf("language %q is not known", opt.Language)
		}
	}
	src := normalize(string(r))
	answer, line, thinking := afterThinking(src)
	blocks, format := f.find(answer, line, 0)
	if len(blocks) > maxBlocks {
		return nil, fmt.Errorf("the reply has %d blocks of code: at most %d are read", len(blocks), maxBlocks)
	}
	res := f.assemble(blocks, opt.Tests)
	if f.compared > maxOutlined {
		return nil, fmt.Errorf("the reply has %d blocks of code, together over %d bytes: so much is not put together", len(blocks), maxOutlined)
	}
	res.Extraction.Format = format
	if res.Program == nil {
		res.Extraction.Format = "none"
	}
	if thinking > 0 {
		res.Extraction.Left = append([]glovebox.Piece{{Line: 1, Lines: thinking, Reason: "thinking, not the answer"}}, res.Extraction.Left...)
	}
	return res, nil
}

// block is a piece of a reply that may be code.
type block struct {
	text        string
	line, lines int                // where in the reply, from 1
	tag         string             // what the reply calls it, in lower case
	lang        *language.Language // nil: not known, or none that can be run
	name        string             // the file name that the reply gives, unchecked
	before      string             // the line of prose above
	heading     string             // the heading that it is right under
	above       bool               // the name comes from above the block
	cut         bool               // the reply ended inside it
	data        bool               // a file that is not code
	test        bool               // said to be a test
	cell        bool               // of a notebook
	lead        string             // the lines right above code that nothing marks
	prose       bool               // found without any mark that it is code
	reason      string             // why it must be left
	patch       [][]string         // hunks for a file of the reply
	notes       []string
	out         *outline // once it is read
}

func (b *block) piece(reason string) glovebox.Piece {
	p := glovebox.Piece{File: b.name, Line: b.line, Lines: max(b.lines, 1), Reason: reason}
	if b.lang != nil {
		p.Language = b.lang.Name
	} else {
		p.Language = b.tag
	}
	return p
}

// finder is one extraction.
type finder struct {
	langs language.Registry
	wish  *language.Language
	alone bool // the program is run as it is
	// tested says that tests of the caller's will call the program: they may be
	// for any function of it.
	tested bool
	// What was read with care: bytes whose language was guessed, and bytes of
	// code that was compared with other code.
	guessed, compared int
}

// full reports whether there are more blocks than are read. Extract refuses the
// reply then, and what finds blocks can end.
func (f *finder) full(blocks []block) bool { return len(blocks) > maxBlocks }

// find looks for the forms in order. line is the number of src's first line.
func (f *finder) find(src string, line, depth int) ([]block, string) {
	if depth > maxNest {
		return nil, ""
	}
	var seen []block
	fenced := false
	for _, form := range []struct {
		name string
		find func(src string, line, depth int) []block
	}{
		{"json", f.wholeJSON},
		{"fence", f.fences},
		{"diff", f.bareEdits},
		{"tag", f.wrappers},
		{"diff", f.bareDiff},
		{"json", f.embeddedJSON},
		{"text", f.bareCode},
	} {
		blocks := form.find(src, line, depth)
		if form.name == "text" && fenced {
			blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.lines < 3 }) // a line of the words around fences
		}
		for i := range blocks {
			if f.isCode(&blocks[i]) {
				if form.name == "fence" {
					blocks = f.aroundFences(src, line, blocks)
				}
				return blocks, form.name
			}
		}
		if len(seen) == 0 {
			seen = blocks
		}
		fenced = fenced || form.name == "fence" && len(blocks) > 0
		if form.name == "tag" || form.name == "diff" {
			blocks = slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return b.reason != changeReason })
		}
		if form.name != "json" {
			src = blank(src, line, blocks)
		}
	}
	return seen, ""
}

// aroundBytes is the longest reply of which the words around a fence are
// searched for the code that the fence only uses.
const aroundBytes = 64 << 10

// aroundFences adds to the blocks of fences the unmarked code around them that
// they need: some models fence only the example of what they wrote above it.
func (f *finder) aroundFences(src string, line int, blocks []block) []block {
	if len(src) > aroundBytes {
		return blocks
	}
	needs := map[string]bool{}
	for i := range blocks {
		if b := &blocks[i]; f.isCode(b) && !isShell(b.lang) {
			o := f.outlined(b)
			if len(o.defs) > 0 || len(o.imports) > 0 || b.name != "" {
				return blocks // not only an example
			}
			for n := range o.needs {
				needs[n] = true
			}
		}
	}
	if len(needs) == 0 {
		return blocks
	}
	var added []block
	for _, b := range f.bareCode(blank(src, line, blocks), line, 0) {
		if !f.isCode(&b) {
			continue
		}
		for n := range f.outlined(&b).defs {
			if needs[n] {
				b.notes = append(b.notes, "the code of a fence needs this code, which stands outside of it")
				added = append(added, b)
				break
			}
		}
	}
	if len(added) == 0 {
		return blocks
	}
	all := append(slices.Clone(blocks), added...)
	slices.SortStableFunc(all, func(x, y block) int { return x.line - y.line })
	return all
}

// blank empties the lines of blocks: what is in a fence that was not taken is
// not code outside of one either.
func blank(src string, line int, blocks []block) string {
	if len(blocks) == 0 {
		return src
	}
	var out strings.Builder
	out.Grow(len(src))
	for l := range strings.Lines(src) {
		for len(blocks) > 0 && line >= blocks[0].line+blocks[0].lines {
			blocks = blocks[1:]
		}
		if len(blocks) > 0 && line >= blocks[0].line {
			l = "\n"
		}
		out.WriteString(l)
		line++
	}
	return out.String()
}

// isCode reports whether a block could be taken.
func (f *finder) isCode(b *block) bool {
	return b.reason == "" && b.lang != nil && !b.data
}

// guessBytes is how much of a text decides its language, until guessTotal bytes
// of a reply were read to decide; then it is guessLate of each.
const (
	guessBytes = 64 << 10
	guessTotal = 1 << 20
	guessLate  = 256
)

// guess returns the language that text most looks like and its score.
func (f *finder) guess(text string) (*language.Language, int) {
	text = f.head(text)
	var best *language.Language
	top := 0
	for _, l := range f.langs {
		// TypeScript scores only where types are written, but no more than all.
		if s := l.Score(text); s > top || s > 0 && s == top && l.Name == "typescript" {
			best, top = l, s
		}
	}
	return best, top
}

// guessWished is guess with the caller's wish: it is taken before a language
// that is less than twice as likely. least is the score to reach.
func (f *finder) guessWished(text string, least int) (*language.Language, int, int) {
	lang, score := f.guess(text)
	if f.wish != nil {
		if own := f.wish.Score(f.head(text)); own >= 8 && own >= score/2 {
			return f.wish, own, 8
		}
	}
	return lang, score, least
}

// score tells how much a block looks like its language.
func (f *finder) score(b *block) int { return b.lang.Score(f.head(b.text)) }

// head returns the part of a text that decides its language.
func (f *finder) head(text string) string {
	most := guessBytes
	if f.guessed > guessTotal {
		most = guessLate
	}
	text = text[:min(len(text), most)]
	f.guessed += len(text)
	return text
}
