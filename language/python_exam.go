package language

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// pythonFlags start an interpreter that ignores the environment, reads and writes
// UTF-8, and leaves no compiled files behind.
var pythonFlags = []string{"-I", "-B", "-X", "utf8"}

// planPython runs the main file like `python3 main.py`, after a check during the
// interpreter's start: see python/startup.py.
func planPython(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	files, err := pythonSources(p)
	if err != nil {
		return nil, err
	}
	args := append([]string{tc.Exe}, pythonFlags...)
	// File names never contain a line end: see glovebox.CleanPath.
	args = append(args, "-X", "glovebox="+strings.Join(files, "\n"), p.Main)
	orders := func(t Told) []byte {
		told := map[string]any{"main": p.Main, "files": files}
		sources, size := map[string]string{}, 0
		for _, f := range t.Files {
			if slices.Contains(files, f.Path) {
				sources[f.Path] = string(f.Data)
				size += len(f.Data)
			}
		}
		if size <= manySources {
			told["sources"] = sources
		}
		return pythonOrders(t, told)
	}
	return &Plan{Files: p.Files, Run: Step{Args: args, Orders: orders}}, nil
}

// standbyPython starts a Python with commonly used modules already loaded: see
// python/standby.py.
func standbyPython(tc *Toolchain) *Standby {
	step := func(become string) *Step {
		s := pythonModule(tc, "standby", become)
		return &s
	}
	return &Standby{Forks: true, Program: step("program"), Candidate: step("worker"), Harness: step("harness")}
}

// manySources bounds the bytes of sources in a start message; larger programs are
// read from their files.
const manySources = 256 << 10

// pythonOrders makes the start message of a standby, or nil if JSON cannot
// represent the message.
func pythonOrders(t Told, told map[string]any) []byte {
	told["args"] = append([]string{}, t.Args...)
	if told["staged"] == nil {
		names := []string{}
		for _, f := range t.Files {
			names = append(names, f.Path)
		}
		told["staged"] = names
	}
	seed := make([]byte, 32)
	rand.Read(seed)
	told["seed"] = hex.EncodeToString(seed)
	data, err := json.Marshal(told)
	if err != nil || bytes.Contains(data, []byte(`\ufffd`)) {
		return nil
	}
	return append(strconv.AppendInt(nil, int64(len(data)), 10), append([]byte("\n"), data...)...)
}

// pythonSources lists the program's Python files, starting with the main file if
// there is one.
func pythonSources(p *glovebox.Program) ([]string, error) {
	var files []string
	if p.Main != "" {
		files = append(files, p.Main)
	}
	found := p.Main == ""
	for _, f := range p.Files {
		found = found || f.Path == p.Main
		if f.Path != p.Main && strings.HasSuffix(f.Path, ".py") {
			files = append(files, f.Path)
		}
	}
	if !found {
		return nil, fmt.Errorf("the program has no file %q", p.Main)
	}
	return files, nil
}

// pythonModule is the step that runs a driver. The driver is imported, not run as a
// script, so that its compiled form is used.
func pythonModule(tc *Toolchain, name string, told ...string) Step {
	args := append([]string{tc.Exe}, pythonFlags...)
	args = append(args, "-c", `import sys; sys.path.append("`+pythonHome+`"); from _glovebox import `+name+`; `+name+`.main()`)
	return Step{Args: append(args, told...)}
}

// pythonTold splits the configuration of a driver into arguments small enough for
// Linux. The first argument is their number.
func pythonTold(told []byte) []string {
	const most = 96 << 10
	args := []string{""}
	for len(told) > 0 {
		n := min(most, len(told))
		for n < len(told) && !utf8.RuneStart(told[n]) {
			n--
		}
		args, told = append(args, string(told[:n])), told[n:]
	}
	args[0] = strconv.Itoa(len(args) - 1)
	return args
}

// examPython tests out of process. If the harness finds that the tests need more
// than calls, the fallback is one process.
func examPython(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	files, err := pythonSources(p)
	if err != nil {
		return nil, err
	}
	config := struct {
		Main  string   `json:"main"`
		Files []string `json:"files"`
		Tests []string `json:"tests"`
		Entry string   `json:"entry"`
	}{Main: p.Main, Files: files, Entry: t.Entry}
	isTest, python := map[string]bool{}, false
	for _, f := range t.Files {
		config.Tests = append(config.Tests, f.Path)
		isTest[f.Path] = true
		python = python || strings.HasSuffix(f.Path, ".py")
	}
	if !python {
		return nil, &Unrunnable{Reason: fmt.Sprintf("no file of the tests is one of Python: %s", strings.Join(config.Tests, ", "))}
	}
	told, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	candidate, harness := pythonModule(tc, "worker"), pythonModule(tc, "harness", pythonTold(told)...)
	harness.Files = readOnly(t.Files)
	candidate.Orders = func(t Told) []byte { return pythonOrders(t, map[string]any{}) }
	harness.Orders = func(t Told) []byte {
		return pythonOrders(t, map[string]any{"told": string(told), "staged": slices.Concat(files, config.Tests)})
	}
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     p.Files,
		Candidate: candidate,
		Harness:   &harness,
		Fallback: func() (*Exam, error) {
			var own []glovebox.File
			for _, f := range p.Files {
				// Files loaded by pytest because of their name are never the
				// program's.
				if !isTest[f.Path] && path.Base(f.Path) != "conftest.py" {
					own = append(own, f)
				}
			}
			if isTest[p.Main] {
				return nil, &Unrunnable{Reason: fmt.Sprintf("the tests have a file of the name of the program's main file, %q", p.Main)}
			}
			both := pythonModule(tc, "inproc", pythonTold(told)...)
			both.Files = readOnly(t.Files)
			return &Exam{
				Proof:     glovebox.ProofInProcess,
				Files:     own,
				Candidate: both,
			}, nil
		},
	}, nil
}

// readOnly marks files as write-protected against the program.
func readOnly(files []glovebox.File) []glovebox.File {
	marked := make([]glovebox.File, len(files))
	for i, f := range files {
		f.ReadOnly = true
		marked[i] = f
	}
	return marked
}
