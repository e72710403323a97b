package language

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Bounds on the parsed part of a program's stderr.
const (
	failureTail    = 64 << 10
	failureMessage = 4 << 10
	failureBlocks  = 20
)

var (
	pythonFrame  = lazyre.New(`^[ |+]*File "([^"]*)", line (\d+)`)
	pythonMargin = lazyre.New(`^ *[|+] `)
	pythonError  = lazyre.New(`^([A-Za-z_][\w.]*)(?:: ?(.*))?$`)
)

const pythonTraceback = "Traceback (most recent call last):"

// readPythonFailure reads the last traceback, or the report of a syntax error,
// which has no traceback. The place is the innermost one in the program's own
// files. Errors in threads and finalizers did not end the program; a thread's error
// is returned only if there is no other.
func readPythonFailure(stderr []byte) *glovebox.Failure {
	if len(stderr) > failureTail {
		stderr = stderr[len(stderr)-failureTail:]
	}
	lines := strings.Split(strings.ToValidUTF8(string(bytes.TrimRight(stderr, "\n")), "�"), "\n")
	var thread *glovebox.Failure
	for i, blocks := len(lines)-1, 0; i >= 0 && blocks < failureBlocks; i-- {
		starts := strings.HasSuffix(lines[i], pythonTraceback)
		if !starts && !(pythonFrame().MatchString(lines[i]) && (i == 0 || !inTraceback(lines[i-1]))) {
			continue
		}
		blocks++
		f := readPythonBlock(lines[i:])
		if f == nil {
			continue
		}
		before := ""
		if i > 0 {
			before = lines[i-1]
		}
		switch {
		case strings.HasPrefix(before, "Exception ignored "):
		case strings.HasPrefix(before, "Exception in thread "):
			if thread == nil {
				thread = f
			}
		default:
			return f
		}
	}
	return thread
}

// inTraceback reports whether a line can precede a frame of a traceback.
func inTraceback(line string) bool {
	return strings.HasSuffix(line, pythonTraceback) || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "[Previous line repeated ")
}

// readPythonBlock reads one traceback from its first line.
func readPythonBlock(lines []string) *glovebox.Failure {
	var f glovebox.Failure
	for i, line := range lines {
		if m := pythonFrame().FindStringSubmatch(line); m != nil {
			if file, ok := strings.CutPrefix(m[1], "/workspace/"); ok {
				if n, err := strconv.Atoi(m[2]); err == nil {
					f.File, f.Line = file, n
				}
			}
			continue
		}
		// The lines of an exception group have a margin.
		line = pythonMargin().ReplaceAllString(line, "")
		if strings.HasPrefix(line, "    ") || strings.HasSuffix(line, pythonTraceback) || strings.HasPrefix(strings.TrimLeft(line, " "), "[Previous line repeated ") {
			continue
		}
		m := pythonError().FindStringSubmatch(line)
		if m == nil {
			if i == 0 || line == "" {
				continue
			}
			return nil
		}
		f.Type = m[1]
		text := []string{m[2]}
		for _, next := range lines[i+1:] {
			if next == "" && len(text) > 20 || strings.HasSuffix(next, pythonTraceback) || strings.HasPrefix(next, "Exception ignored ") ||
				strings.HasPrefix(next, "Exception in thread ") || len(text) > 50 {
				break
			}
			text = append(text, next)
		}
		f.Message = strings.TrimRight(strings.Join(text, "\n"), " \n")
		if len(f.Message) > failureMessage {
			f.Message = strings.ToValidUTF8(f.Message[:failureMessage], "")
		}
		return &f
	}
	return nil
}
