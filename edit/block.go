package edit

import "strings"

// block reads the search/replace block that opens at lines[i] and returns the
// line after it. name is the path of the fence around it.
func (p *parser) block(lines []string, i, at int, name string) int {
	line := at + i
	own := above(lines[:i], true)
	if own == "" {
		own = name
	}
	end := i + 1
	for end < len(lines) && !closeBlock().MatchString(lines[end]) {
		if openBlock().MatchString(lines[end]) {
			p.bad.add(Malformed, own, line, "this block has no >>>>>>> REPLACE before the next one begins")
			return end
		}
		end++
	}
	if end == len(lines) {
		p.bad.add(Malformed, own, line, "this block has no line >>>>>>> REPLACE")
		return end
	}
	search, replace, n := divide(lines[i+1:end], strings.Count(lines[i], "<"))
	if n != 1 {
		p.bad.add(Malformed, own, line, "between SEARCH and REPLACE there must be one line =======, and there are %d: where the text itself has such lines, write the whole file or a diff", n)
		return end + 1
	}
	b := Block{Search: join(search), Replace: join(replace), Line: line}
	switch {
	case own != "":
	case p.last == "" || b.Search == "":
		p.bad.add(Malformed, "", line, "this block names no path: write it on the line before")
		return end + 1
	default:
		own = p.last
		p.note("the block at line %d names no path: taken for one of %s", line, clip(own, maxWidth))
	}
	p.last = own
	p.count++
	if last := len(p.set.Edits) - 1; last >= 0 && p.set.Edits[last].Kind == Replace && p.set.Edits[last].Path == own {
		if p.count <= maxEdits {
			p.set.Edits[last].Blocks = append(p.set.Edits[last].Blocks, b)
		}
	} else {
		p.add(Edit{Kind: Replace, Path: own, Line: line, Blocks: []Block{b}})
	}
	return end + 1
}

// divide splits a block at its divider and counts the dividers: lines of as many
// equals signs as the block opened with, or else of about as many.
func divide(lines []string, width int) (search, replace []string, n int) {
	at := -1
	for _, exact := range []bool{true, false} {
		for i, l := range lines {
			if divider().MatchString(l) && (!exact || strings.Count(l, "=") == width) {
				at = i
				n++
			}
		}
		if n > 0 {
			break
		}
	}
	if n != 1 {
		return nil, nil, n
	}
	return lines[:at], lines[at+1:], 1
}
