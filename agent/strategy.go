package agent

import (
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Strategy is how a model is asked for its next answer.
type Strategy string

// The strategies.
const (
	// First asks for a solution.
	First Strategy = "first"
	// Direct asks for a repair, with the evidence.
	Direct Strategy = "direct"
	// Explain asks for a hypothesis of what is wrong and for the invariant that
	// does not hold, in writing, and then for the repair.
	Explain Strategy = "explain"
)

// choose picks the strategy after a turn that did not pass. A parser, an edit
// that does not fit and a missing block say themselves what is wrong: a direct
// repair does. A limit (an endless loop, an algorithm that is too slow), a
// failure that has come back, and a repair that did not make fewer tests fail
// want thought first.
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

// explainForm is how a model is asked to explain before it repairs.
const explainForm = `Before the code write two lines, each of one or two sentences:

HYPOTHESIS: what is wrong, and why the evidence shows it
INVARIANT: what must hold and does not, for which input

Then write the repair that follows from them.`

// maxHypothesis bounds what is kept of an explanation, in bytes.
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
