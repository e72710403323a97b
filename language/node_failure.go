package language

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

var (
	// nodePlace matches the line above the source line of an error.
	nodePlace = lazyre.New(`^(?:file://)?(/[^\s:]+|node:[\w/]+):(\d+)$`)
	nodeFrame = lazyre.New(`^\s+at .*?(?:file://)?/workspace/([^\s():]+):(\d+):\d+\)?$`)
	nodeError = lazyre.New(`^(?:Uncaught:?\s+)?([A-Za-z_$][\w$.]*)(?: \[\w+\])?(?:: (.*))?$`)
	nodeMarks = lazyre.New(`^\s*\^+\s*$`)
	nodeEnd   = lazyre.New(`^Node\.js v\d`)
	nodeFatal = lazyre.New(`(?m)^FATAL ERROR: (.+)$`)
)

// failureBytes bounds how much of a stderr, from its end, is read.
const failureBytes = 64 << 10

// readNodeFailure reads what node prints of an uncaught exception:
//
//	/workspace/main.js:3
//	    throw new TypeError('no');
//	    ^
//
//	TypeError: no
//	    at f (/workspace/main.js:3:11)
//
//	Node.js v20.10.0
func readNodeFailure(stderr []byte) *glovebox.Failure {
	stderr = stderr[max(0, len(stderr)-failureBytes):]
	lines := strings.Split(strings.ToValidUTF8(string(stderr), "\uFFFD"), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if m := nodePlace().FindStringSubmatch(lines[i]); m != nil {
			if f := readNodeError(lines[i+1:]); f != nil {
				if f.File == "" && strings.HasPrefix(m[1], "/workspace/") {
					f.File = strings.TrimPrefix(m[1], "/workspace/")
					f.Line, _ = strconv.Atoi(m[2])
				}
				return f
			}
		}
	}
	if m := nodeFatal().FindSubmatch(stderr); m != nil {
		return &glovebox.Failure{Type: "FATAL ERROR", Message: strings.ToValidUTF8(string(bytes.TrimSpace(m[1])), "\uFFFD")}
	}
	return nil
}

// readNodeError reads the lines after the place: source, marks, the error and its
// stack.
func readNodeError(lines []string) *glovebox.Failure {
	at := 1 + slices.IndexFunc(lines[:min(len(lines), 8)], nodeMarks().MatchString)
	for at < len(lines) && strings.TrimSpace(lines[at]) == "" {
		at++
	}
	if at >= len(lines) || nodeEnd().MatchString(lines[at]) {
		return nil
	}
	f := &glovebox.Failure{Message: strings.TrimSpace(lines[at])}
	if thrown, ok := strings.CutPrefix(f.Message, "Uncaught "); ok {
		f.Message = thrown
	}
	framed := at+1 < len(lines) && strings.HasPrefix(lines[at+1], "    at ")
	if m := nodeError().FindStringSubmatch(lines[at]); m != nil && (m[2] != "" || framed) {
		f.Type, f.Message = m[1], m[2]
	}
	for _, line := range lines[at+1:] {
		if nodeEnd().MatchString(line) {
			break
		}
		if m := nodeFrame().FindStringSubmatch(line); m != nil {
			f.File = m[1]
			f.Line, _ = strconv.Atoi(m[2])
			break
		}
	}
	return f
}

// readNodeSyntax reads what node --check prints.
func readNodeSyntax(out CheckOutput) *glovebox.SyntaxError {
	f := readNodeFailure(out.Stderr)
	if out.ExitCode == 0 || f == nil || f.Type != "SyntaxError" {
		return nil
	}
	return &glovebox.SyntaxError{File: f.File, Line: f.Line, Message: f.Message}
}
