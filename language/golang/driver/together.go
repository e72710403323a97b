package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// told is an event from a test process. Its case is passed on unchanged.
type told struct {
	Type      string          `json:"type"`
	Nonce     string          `json:"nonce,omitempty"`
	Case      json.RawMessage `json:"case,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Framework string          `json:"framework,omitempty"`
	Total     int             `json:"total,omitempty"`
	Passed    int             `json:"passed,omitempty"`
	Failed    int             `json:"failed,omitempty"`
}

// together runs the tests of each package in a separate process, linked with the
// program, as go test does. It passes on the reports and does not return.
func (b *Build) together(exe string) {
	nonce, _ := bufio.NewReader(os.NewFile(3, "nonce")).ReadString('\n')
	sum := told{Type: "done", Nonce: strings.TrimSpace(nonce)}
	status := 0
	for i := range max(b.Suites, 1) {
		done, code, why := b.suite(exe, i)
		status = max(status, code)
		if why != "" {
			sendAny(told{Type: "broken", Reason: why, Nonce: sum.Nonce})
			os.Exit(max(status, 1))
		}
		sum.Total += done.Total
		sum.Passed += done.Passed
		sum.Failed += done.Failed
		sum.Framework = done.Framework
	}
	if status != 0 && sum.Failed == 0 {
		sendAny(told{Type: "broken", Reason: fmt.Sprintf("no test failed, and the exit status of the tests is %d", status), Nonce: sum.Nonce})
		os.Exit(status)
	}
	sendAny(sum)
	os.Exit(status)
}

func sendAny(e any) {
	if line, err := json.Marshal(e); err == nil {
		report.Write(append(line, '\n'))
	}
}

// suite runs one package's tests. why says why the tests did not finish.
func (b *Build) suite(exe string, i int) (done told, status int, why string) {
	secret := rand.Text()
	in, inW, err := os.Pipe()
	if err != nil {
		fail(err)
	}
	out, outW, err := os.Pipe()
	if err != nil {
		fail(err)
	}
	fmt.Fprintln(inW, secret)
	inW.Close()
	var last tail
	cmd := exec.Command(exe, strconv.Itoa(i))
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	cmd.Stderr = io.MultiWriter(os.Stderr, &last)
	cmd.ExtraFiles = []*os.File{in, nil, outW}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		fail(err)
	}
	in.Close()
	outW.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	complete := false
	for !complete && lines.Scan() {
		var e told
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Nonce != secret {
			continue
		}
		switch e.Type {
		case "case":
			sendAny(told{Type: "case", Case: e.Case})
		case "broken":
			why = e.Reason
		case "done":
			done, complete = e, true
		}
	}
	cmd.Wait()
	status = cmd.ProcessState.ExitCode()
	if status < 0 {
		status = 125
	}
	if why == "" && !complete {
		why = last.crash(cmd.ProcessState.String())
	}
	return done, status, why
}

// tail keeps the end of a process's output, at most 64 KiB.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - 1<<16; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

var (
	crashLine = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)
	crashTest = regexp.MustCompile(`\.((?:Test|Fuzz|Example)\w*)(?:\.\w+)*\(`)
)

// crash describes how a test process ended before its tests did.
func (t *tail) crash(state string) string {
	at := crashLine.FindIndex(t.text)
	if at == nil {
		why := "the process of the tests ended before they did: " + state
		if line := bytes.TrimSpace(t.text); len(line) > 0 {
			why += ": " + string(line[max(0, len(line)-500):])
		}
		return why
	}
	line := strings.TrimSuffix(string(t.text[at[0]:at[1]]), " [recovered]")
	if m := crashTest.FindSubmatch(t.text[at[1]:]); m != nil {
		line += ", in " + string(m[1])
	}
	return line
}
