package edit

import "strings"

// directive reads the "*** … File:" line at lines[i], with its content, and
// returns the line after.
func (p *parser) directive(lines []string, i, at int) int {
	line := at + i
	m := directive().FindStringSubmatch(lines[i])
	name := strings.Trim(strings.ReplaceAll(m[2], `\`, "/"), "`")
	i++
	switch m[1] {
	case "Delete", "Remove":
		p.add(Edit{Kind: Delete, Path: name, Line: line})
	case "Rename", "Move":
		from, to, ok := strings.Cut(name, "->")
		if from, to = strings.Trim(from, "` "), strings.Trim(to, "` "); !ok || from == "" || to == "" {
			p.bad.add(Malformed, name, line, "write *** Rename File: old -> new")
			break
		}
		p.add(Edit{Kind: Rename, From: from, Path: to, Line: line})
	case "Add", "Create":
		var text []string
		for ; i < len(lines) && strings.HasPrefix(lines[i], "+"); i++ {
			text = append(text, lines[i][1:])
		}
		if i < len(lines) && !strings.HasPrefix(lines[i], "***") && strings.TrimSpace(lines[i]) != "" {
			if _, isFence := openFence(lines[i]); !isFence {
				p.bad.add(Malformed, name, at+i, "each line of an added file begins with +")
			}
		}
		p.add(Edit{Kind: Whole, Path: name, Line: line, New: true, Data: []byte(join(text))})
	case "Update":
		if i < len(lines) {
			if to, ok := strings.CutPrefix(lines[i], "*** Move to: "); ok {
				p.add(Edit{Kind: Rename, From: name, Path: strings.TrimSpace(to), Line: line})
				name = strings.TrimSpace(to)
				i++
			}
		}
		var hunks []Hunk
		for i < len(lines) && strings.HasPrefix(lines[i], "@@") {
			var h Hunk
			h, i = p.hunk(lines, i, at, true)
			if i < len(lines) && strings.HasPrefix(lines[i], "*** End of File") {
				i++
			}
			if len(h.Lines) > 0 {
				hunks = append(hunks, h)
			}
		}
		if i < len(lines) && !strings.HasPrefix(lines[i], "***") && strings.TrimSpace(lines[i]) != "" && !strings.HasPrefix(lines[i], "```") {
			p.bad.add(Malformed, name, at+i, "%q is no line of a hunk: each hunk begins with @@, each line with a space, + or -", clip(lines[i], 80))
		} else if len(hunks) > 0 {
			p.add(Edit{Kind: Patch, Path: name, Line: line, Hunks: hunks})
		}
	}
	return i
}
