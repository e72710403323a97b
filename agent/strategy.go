package agent

import (
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Strategy is the form of the request for a model's next answer.
type Strategy string

// The strategies.
const (
	// First asks for a solution.
	First Strategy = "first"
	// Direct asks for a repair, with the evidence.
	Direct Strategy = "direct"
	// Explain asks for a hypothesis on the error and for the violated
	// invariant, in writing, and then for the repair.
	Explain Strategy = "explain"
)

// choose picks the strategy after a turn that did not pass. Messages of a
// parser, an edit that does not fit and a missing block are clear: a direct
// repair suffices. Three cases need thought first: a limit (an endless loop, an
// algorithm that is too slow), a repeated failure, and a repair without fewer
// failing tests.
func choose(turns []Turn, repeated bool) Strategy {
	last := turns[len(turns)-1]
	if last.Refused != "" {
		return Direct
	}
	switch last.Status {
	case glovebox.StatusNoCode, glovebox.StatusSyntaxError:
		return Direct
	}
	if last.Status.Next() == glovebox.ActionReduceWork || repeated {
		return Explain
	}
	for i := len(turns) - 2; i >= 0; i-- {
		before := turns[i]
		if before.Refused == "" && before.Total > 0 && last.Total > 0 {
			if last.Total-last.Passed >= before.Total-before.Passed {
				return Explain
			}
			break
		}
	}
	return Direct
}

// explainForm is the request to a model to explain before it repairs.
const explainForm = `Before the code write two lines, each of one or two sentences:

HYPOTHESIS: what is wrong, and why the evidence shows it
INVARIANT: what must hold and does not, for which input

Then write the repair that follows from them.`

// maxHypothesis bounds the kept part of an explanation, in bytes.
const maxHypothesis = 600

// readHypothesis reads the explanation from a reply.
func readHypothesis(reply string) string {
	var kept []string
	for line := range strings.Lines(reply) {
		trimmed := strings.Trim(strings.TrimSpace(line), "*#- ")
		upper := strings.ToUpper(trimmed)
		if strings.HasPrefix(upper, "HYPOTHESIS") || strings.HasPrefix(upper, "INVARIANT") {
			kept = append(kept, trimmed)
		}
		if len(kept) == 2 {
			break
		}
	}
	text := strings.ToValidUTF8(strings.Join(kept, "\n"), "�")
	if len(text) > maxHypothesis {
		text = strings.ToValidUTF8(text[:maxHypothesis], "") + "…"
	}
	return text
}
