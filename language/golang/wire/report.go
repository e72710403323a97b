package wire

import (
	"encoding/json"
	"os"
	"strings"
)

// Event is a line of the report, as package language reads it.
type Event struct {
	Type      string `json:"type"`
	Nonce     string `json:"nonce,omitempty"`
	Case      *Case  `json:"case,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Framework string `json:"framework,omitempty"`
	Total     int    `json:"total,omitempty"`
	Passed    int    `json:"passed,omitempty"`
	Failed    int    `json:"failed,omitempty"`
}

// Case is one test that ran.
type Case struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Proof   string `json:"proof,omitempty"`
}

// maxText bounds a text in the report, in bytes.
const maxText = 2 << 10

var report = os.NewFile(fdReport, "report")

// Report writes an event.
func Report(e Event) {
	e.Reason = bounded(e.Reason)
	if e.Case != nil {
		e.Case.Message = bounded(e.Case.Message)
	}
	if line, err := json.Marshal(e); err == nil {
		report.Write(append(line, '\n'))
	}
}

// Broken reports that the tests cannot be completed and ends the process.
func Broken(reason string) {
	Report(Event{Type: "broken", Reason: reason})
	os.Exit(1)
}

func bounded(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + " …"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
