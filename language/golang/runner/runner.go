//go:build glovebox_box

// Package runner runs the tests of a Go program and reports each of them. It
// is compiled into the tests' binary.
package runner

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/internal/testdeps"

	"glovebox/wire"
)

// Main runs the tests and exits. remote says that the program is in another
// process; else the report carries the nonce that is read from the link.
func Main(remote bool, tests []testing.InternalTest) {
	var nonce string
	if !remote {
		nonce, _ = bufio.NewReader(os.NewFile(3, "nonce")).ReadString('\n')
	}
	r := &recorder{}
	for i, t := range tests {
		run := t.F
		tests[i].F = func(t *testing.T) {
			defer r.record(t)
			run(t)
		}
	}
	os.Args = os.Args[:1]
	read := r.capture()
	code := testing.MainStart(testdeps.TestDeps{}, tests, nil, nil, nil).Run()
	read()
	done := wire.Event{Type: "done", Nonce: strings.TrimSpace(nonce), Total: len(tests)}
	for _, c := range r.cases {
		switch c.Status {
		case "passed":
			done.Passed++
		case "skipped":
			c.Message = r.message(c.Name)
		default:
			done.Failed++
			c.Message = cmp.Or(r.message(c.Name), c.Message)
		}
		wire.Report(wire.Event{Type: "case", Case: c})
	}
	switch {
	case remote && wire.Calls() == 0:
		wire.Broken("the tests never called the program")
	case len(r.cases) != len(tests), code != 0 && done.Failed == 0:
		wire.Broken(fmt.Sprintf("%d of %d tests ran to their end, exit status %d", len(r.cases), len(tests), code))
	}
	wire.Report(done)
	os.Exit(code)
}

// recorder keeps what became of each test, and what was printed.
type recorder struct {
	mu    sync.Mutex
	cases []*wire.Case
	text  strings.Builder
}

func (r *recorder) record(t *testing.T) {
	c := &wire.Case{Name: t.Name(), Status: "passed"}
	crash := recover()
	switch {
	case crash != nil:
		c.Status, c.Message = "error", fmt.Sprint(crash)
		t.Errorf("%v", crash)
	case t.Failed():
		c.Status = "failed"
	case t.Skipped():
		c.Status = "skipped"
	}
	r.mu.Lock()
	r.cases = append(r.cases, c)
	r.mu.Unlock()
}

// maxCapture bounds what is kept of what the tests print, in bytes.
const maxCapture = 1 << 20

// capture passes stdout on and keeps a copy. The function that it returns
// ends that.
func (r *recorder) capture() func() {
	out := os.Stdout
	in, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	os.Stdout = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.MultiWriter(out, &limited{w: &r.text, left: maxCapture}), in)
	}()
	return func() {
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

// message is what package testing printed below the test's line.
func (r *recorder) message(name string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(r.text.String()) {
		switch {
		case strings.HasPrefix(line, "--- "):
			inside = strings.HasPrefix(line, "--- FAIL: "+name+" ")
		case inside && strings.HasPrefix(line, "    ") && !strings.HasPrefix(strings.TrimSpace(line), "--- "):
			b.WriteString(strings.TrimSpace(line))
			b.WriteByte('\n')
		case inside:
			inside = strings.HasPrefix(line, "    ")
		}
	}
	return strings.TrimSpace(b.String())
}
