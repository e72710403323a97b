package agent

import (
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Plan is a model's intention, read from its reply. Unreadable parts stay in
// Text; a plan without files or steps does not harm the loop.
type Plan struct {
	// Files are the paths named in the plan, as far as they are paths.
	Files []string `json:"files,omitempty"`
	Steps []string `json:"steps,omitempty"`
	// Libraries are the libraries that the model wants to use.
	Libraries []string `json:"libraries,omitempty"`
	// Text is the whole plan, bounded.
	Text string `json:"text"`
}

// Bounds of a plan.
const (
	maxPlan  = 8 << 10 // bytes
	maxItems = 50      // of each list
)

// planForm is the request to a model for its plan.
const planForm = `Answer with a plan and no code, in this form:

FILES:
- path/of/a/file: what changes in it
STEPS:
1. the first step
LIBRARIES:
- a library that is needed (only ones that are there; "none" if none)

Name the edge cases that the tests may check in the steps. Keep it under 300 words.`

// bullet is the beginning of a list's item.
var bullet = lazyre.New(`^\s*(?:[-*•]|\d{1,3}[.)])\s+`)

// readPlan reads a plan.
func readPlan(reply string) *Plan {
	text := strings.ToValidUTF8(reply, "�")
	if len(text) > maxPlan {
		text = strings.ToValidUTF8(text[:maxPlan], "") + "…"
	}
	p := &Plan{Text: strings.TrimSpace(text)}
	var into *[]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		head, rest, found := strings.Cut(strings.Trim(line, "#* "), ":")
		if list := p.list(strings.TrimSpace(strings.Trim(head, "*"))); found && list != nil {
			into = list
			line = strings.TrimSpace(strings.Trim(rest, "* "))
		}
		if into == nil || line == "" || len(*into) == maxItems {
			continue
		}
		item := bullet().ReplaceAllString(line, "")
		if into == &p.Files {
			item = strings.Trim(firstWord(item), "`*:,")
			clean, err := glovebox.CleanPath(item)
			if err != nil {
				continue
			}
			item = clean
		}
		if item != "" && !strings.EqualFold(item, "none") {
			*into = append(*into, item)
		}
	}
	return p
}

func (p *Plan) list(head string) *[]string {
	switch strings.ToUpper(head) {
	case "FILES":
		return &p.Files
	case "STEPS":
		return &p.Steps
	case "LIBRARIES":
		return &p.Libraries
	}
	return nil
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}
