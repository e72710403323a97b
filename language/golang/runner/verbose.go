//go:build glovebox_box

package runner

import (
	"io"
	"os"
	"regexp"
	"strings"

	"glovebox/wire"
)

// maxCapture bounds the captured output of the tests, in bytes.
const maxCapture = 1 << 20

// capture passes stdout on and keeps a copy until read is called.
func (r *run) capture() {
	out := os.Stdout
	in, w, err := os.Pipe()
	r.read = func() {}
	if err != nil {
		return
	}
	os.Stdout = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.MultiWriter(out, &limited{w: &r.text, left: maxCapture}), in)
	}()
	r.read = func() {
		os.Stdout = out
		w.Close()
		<-done
	}
}

type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n, err := l.w.Write(p[:min(len(p), l.left)])
	l.left -= n
	if err != nil {
		return n, err
	}
	return len(p), nil
}

// verbose is the output of package testing for each test and subtest.
type verbose struct {
	cases map[string]*wire.Case
	order []string
}

// Package testing begins its own lines with a mark. Output of the tests is never
// mistaken for a marked line.
var (
	turn   = regexp.MustCompile(`^\x16=== (?:RUN|CONT|NAME|PAUSE) +(.*)$`)
	result = regexp.MustCompile(`^ *\x16?--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// readVerbose reads the captured text. A test that prints result lines itself may
// have two results; a single failure among them counts.
func readVerbose(text string) verbose {
	v := verbose{cases: map[string]*wire.Case{}}
	of := func(name string) *wire.Case {
		if v.cases[name] == nil {
			v.cases[name] = &wire.Case{Name: name}
		}
		return v.cases[name]
	}
	current := of("")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		// A mark within a line ends output of a test that lacks a newline.
		before, mark, found := strings.Cut(line, "\x16")
		if found && strings.TrimSpace(before) != "" {
			current.Message += strings.TrimSpace(before) + "\n"
			line = "\x16" + mark
		}
		if m := turn.FindStringSubmatch(line); m != nil {
			current = of(strings.TrimSpace(m[1]))
		} else if m := result.FindStringSubmatch(line); m != nil && strings.Contains(line, "\x16") {
			current = of(m[2])
			status := map[string]string{"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}[m[1]]
			if current.Status == "" {
				v.order = append(v.order, m[2])
			}
			if current.Status != "failed" {
				current.Status = status
			}
		} else if len(current.Message) < maxCapture/64 && line != "PASS" && line != "FAIL" {
			current.Message += strings.TrimSpace(line) + "\n"
		}
	}
	return v
}

// message is the output of a test and of its failed subtests.
func (v verbose) message(name string) string {
	var b strings.Builder
	if c := v.cases[name]; c != nil {
		b.WriteString(c.Message)
	}
	for _, sub := range v.order {
		if c := v.cases[sub]; name != "" && strings.HasPrefix(sub, name+"/") && c.Status == "failed" && b.Len() < 4<<10 {
			b.WriteString(strings.TrimPrefix(sub, name+"/") + ": " + c.Message)
		}
	}
	return strings.TrimSpace(b.String())
}
