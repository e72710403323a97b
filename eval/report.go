package eval

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// Provenance describes the making of a run, beyond its [Header].
type Provenance struct {
	// Command is the command line.
	Command []string `json:"command,omitempty"`
	// Versions are the versions of glovebox, of Go and of the interpreters, by
	// name.
	Versions map[string]string `json:"versions,omitempty"`
	// Isolation is what the boxes enforced.
	Isolation []glovebox.Control `json:"isolation,omitempty"`
}

// Generation reports the results of a model as the author of the samples, with
// the loop around it.
type Generation struct {
	Model string `json:"model,omitempty"`
	Tasks int    `json:"tasks"`
	// First and Repaired are pass@1 without and with repair.
	First            Ratio    `json:"pass_at_1_first"`
	FirstInterval    Interval `json:"pass_at_1_first_interval"`
	Repaired         Ratio    `json:"pass_at_1_repaired"`
	RepairedInterval Interval `json:"pass_at_1_repaired_interval"`
	// Turns is how many tasks were solved after how many turns, from 1.
	Turns map[int]int `json:"turns"`
	// Tokens are those of all tasks; TokensPerSolved is that by solved tasks.
	Tokens          int64   `json:"tokens"`
	TokensPerSolved float64 `json:"tokens_per_solved"`
	// Acceptance is the share of candidates that passed the review gate.
	Acceptance Ratio `json:"acceptance"`
	// PatchLines is the median of changed lines in a candidate.
	PatchLines float64 `json:"patch_lines"`
}

// Bounds of the page. The page mentions omissions.
const (
	maxShownTitle     = 300
	maxShownName      = 200     // bytes of a task's or a test's name
	maxShownValue     = 2 << 10 // bytes of a message, an expected or an actual value
	maxShownLine      = 240     // bytes of the line that stands for the evidence
	maxShownCases     = 3       // failing cases of a sample
	maxShownStatuses  = 3       // samples of a task, each with another status
	maxEvidence       = 4 << 20 // bytes of all evidence together
	maxShownTasks     = 20000   // tasks in a group
	maxOpenTasks      = 500     // tasks in a group that is shown at once
	maxShownNames     = 1000    // names in a list of the comparison
	maxOpenNames      = 60
	maxSlowest        = 10
	maxShownTurns     = 12
	maxShownLanguages = 100
)

var (
	//go:embed report.html.tmpl
	reportTemplate string
	//go:embed report.css
	reportStyle string
	//go:embed report.js
	reportScript string
)

// reportPolicy permits only the page's own style and script: no request leaves
// the page, whatever its contents.
var reportPolicy = "default-src 'none'; style-src '" + sourceHash(reportStyle) + "'; script-src '" + sourceHash(reportScript) +
	"'; base-uri 'none'; form-action 'none'"

func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// reportPage is parsed when it is needed: most commands write no report.
var reportPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"oneline":   oneline,
		"multiline": multiline,
		"plain":     plain,
		"class":     class,
		"number":    number,
		"px":        func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
		"quarters": func() []percent {
			return []percent{0, 25, 50, 75, 100}
		},
	}).Parse(reportTemplate))
})

// WriteComparison writes two runs beside each other as a page like that of
// [WriteReport].
func WriteComparison(w io.Writer, c *Comparison, created time.Time) error {
	return writePage(w, &page{
		Kind:  "compare",
		Title: clip(c.A.Name, maxShownName) + " → " + clip(c.B.Name, maxShownName),
		Date:  date(created),
		Facts: []string{plural(c.Common, "task") + " in common"},
		Headline: &figure{
			Label: "Change of pass@1", Value: fmt.Sprintf("%+.1f", 100*c.Difference), Unit: "points", Note: testText(c),
		},
		PassAtK: []whisker{
			newWhisker(clip(c.A.Name, 40), float64(c.A.PassAt1), 0, 0),
			newWhisker(clip(c.B.Name, 40), float64(c.B.PassAt1), 0, 0),
		},
		Baseline: viewComparison(c),
	})
}

// WriteReport writes a run as one self-contained HTML page: the page loads
// nothing, works without the script, and shows texts of programs, tests and
// files as text only.
func WriteReport(w io.Writer, r *Report) error {
	return writePage(w, newPage(r))
}

func writePage(w io.Writer, p *page) error {
	p.CSP, p.CSS = reportPolicy, template.CSS(reportStyle)
	buffered := bufio.NewWriterSize(w, 64<<10)
	count := &countingWriter{w: buffered}
	if err := reportPage().ExecuteTemplate(count, "page", p); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	foot := struct {
		Size   string
		Script template.JS
	}{bytesText(count.n + int64(len(reportScript))), template.JS(reportScript)}
	if err := reportPage().ExecuteTemplate(count, "foot", foot); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
