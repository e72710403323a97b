//go:build linux

package native

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// statLine has 2 s in user mode, 1 s in the kernel, and 3 threads.
func statLine(name string) string {
	return "7 (" + name + ") S 1 7 7 0 -1 4194304 100 0 0 0 200 100 0 0 20 0 3 0 1 2 3\n"
}

func TestStatFields(t *testing.T) {
	for _, name := range []string{"sh", "", ") R 1 1 1", "a b\nc", "((", "\xff"} {
		f := statFields([]byte(statLine(name)))
		if f == nil || statTime(f) != 3*time.Second || f[statThreads] != "3" {
			t.Errorf("%q: %q", name, f)
		}
	}
	for _, text := range []string{"", ")", "7 (x) S 1 2", strings.Repeat(") ", 100)} {
		if f := statFields([]byte(text)); f != nil && len(f) <= statThreads {
			t.Errorf("%q: %q", text, f)
		}
	}
}

func FuzzStatFields(f *testing.F) {
	f.Add([]byte(statLine("x")))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if fields := statFields(stat); fields != nil {
			statTime(fields)
		}
	})
}

func TestBelow(t *testing.T) {
	c := exec.Command("sh", "-c", "sleep 100 & echo; wait")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	out.Read(make([]byte, 1))
	all := Below(os.Getpid())
	children := Below(c.Process.Pid)
	if !slices.Contains(all, c.Process.Pid) || len(children) != 1 || !slices.Contains(all, children[0]) {
		t.Errorf("below are %d, and of the child's %d", all, children)
	}
	c.Process.Kill()
	for _, pid := range children {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
	c.Wait()
}
