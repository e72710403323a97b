package extract

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Markdown is parsed into blocks only: quotes, lists, headings, paragraphs and
// fences. Inline text is not parsed, nor is HTML, which would hide the fences
// in it. Fences are ours (see fence); the rest is goldmark's, each parser in a
// bounded wrapper.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(fenceParser{}, 100),
		util.Prioritized(bounded{parser.NewListParser(), true}, 300),
		util.Prioritized(bounded{parser.NewListItemParser(), false}, 400),
		util.Prioritized(bounded{parser.NewATXHeadingParser(), false}, 600),
		util.Prioritized(bounded{parser.NewBlockquoteParser(), true}, 800),
		util.Prioritized(paragraph{bounded{parser.NewParagraphParser(), false}}, 1000),
	))
})

// maxDepth is how deep quotes and lists nest: goldmark's time grows with the
// depth of every line. What is deeper is read as text.
const maxDepth = 24

// bounded keeps a tree small whatever the reply is: it limits the depth, and
// drops what can no longer name a fence.
type bounded struct {
	parser.BlockParser
	container bool
}

func (b bounded) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if b.container {
		depth := 0
		for n := parent; n != nil; n = n.Parent() {
			if depth++; depth > maxDepth {
				return nil, parser.NoChildren
			}
		}
	}
	node, state := b.BlockParser.Open(parent, r, pc)
	if node != nil {
		prune(parent)
	}
	return node, state
}

// prune drops from parent's children, from the last but one backwards, those
// that hold no fence and stand above none: of what is said between two fences
// only a heading and the block right above the next fence matter. The last
// child stays, because it may still be open.
func prune(parent ast.Node) {
	last := parent.LastChild()
	if last == nil || !bare(last) {
		return
	}
	for n := last.PreviousSibling(); n != nil && bare(n); n = last.PreviousSibling() {
		if n.Kind() == ast.KindHeading && last.Kind() != ast.KindHeading {
			return
		}
		parent.RemoveChild(parent, n)
	}
}

// bare tells whether n holds no fence. In pruned trees a fence is among the
// first children.
func bare(n ast.Node) bool {
	if n.Kind() == kindFence {
		return false
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if !bare(c) {
			return false
		}
	}
	return true
}

// paragraph is goldmark's, but remembers only its last lines, and takes lines
// indented by four and more: models indent prose as they like.
type paragraph struct{ bounded }

func (p paragraph) Continue(node ast.Node, r text.Reader, pc parser.Context) parser.State {
	state := p.bounded.Continue(node, r, pc)
	if lines := node.Lines(); lines.Len() > 64 {
		lines.SetSliced(lines.Len()-2, lines.Len())
	}
	return state
}

func (paragraph) CanAcceptIndentedLine() bool { return true }

// fences finds the fenced blocks of a reply, with what stands above them.
func (f *finder) fences(src string, line, depth int) []block {
	if !strings.Contains(src, "```") && !strings.Contains(src, "~~~") {
		return nil
	}
	source := []byte(src)
	root := markdown().Parse(text.NewReader(source))
	var blocks []block
	at, pos := line, 0 // line and offset counted so far
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			fn, ok := c.(*fence)
			if !ok {
				visit(c)
				continue
			}
			at += strings.Count(src[pos:fn.start], "\n")
			pos = fn.start
			b := block{text: fn.code, line: at, lines: fn.lines, cut: !fn.closed}
			if b.lines > 0 {
				b.line++ // after the fence's own line
			}
			b.before, b.heading = above(fn, source)
			b.tag, b.name = readInfo(fn.info)
			if b.name == "" {
				b.name = nameAbove(b.before, b.heading)
				b.above = b.name != ""
			}
			if len(blocks) <= maxBlocks {
				blocks = append(blocks, f.open(b, depth)...)
			}
		}
	}
	visit(root)
	return blocks
}

// above returns the line right above a fence and the heading it stands under,
// where no other fence is between.
func above(n ast.Node, source []byte) (line, heading string) {
	for {
		for s := n.PreviousSibling(); s != nil && s.Kind() != kindFence; s = s.PreviousSibling() {
			text := lastLine(s, source)
			if s.Kind() == ast.KindHeading {
				if line == "" {
					line = text
				}
				return line, text
			}
			if line == "" {
				line = text
			}
			if !bare(s) {
				return line, ""
			}
		}
		parent := n.Parent()
		if n.PreviousSibling() != nil || parent == nil || parent.Kind() == ast.KindDocument {
			return line, ""
		}
		n = parent
	}
}

// lastLine returns the last line of text in n.
func lastLine(n ast.Node, source []byte) string {
	for n.LastChild() != nil && n.LastChild().Type() == ast.TypeBlock {
		n = n.LastChild()
	}
	if n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
		return ""
	}
	seg := n.Lines().At(n.Lines().Len() - 1)
	if seg.Len() > 1000 {
		return ""
	}
	return strings.TrimSpace(string(seg.Value(source)))
}
