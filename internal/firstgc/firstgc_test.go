package firstgc

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// settles waits until the collector's setting is want.
func settles(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		now := debug.SetGCPercent(want)
		debug.SetGCPercent(now)
		if now == want {
			return
		}
	}
	t.Errorf("the setting is not %d", want)
}

// TestFirst runs each case in a process of its own, whose first collection is to come.
func TestFirst(t *testing.T) {
	switch os.Getenv("FIRSTGC") {
	case "usual":
		runtime.GC()
		settles(t, 100)
		return
	case "later":
		debug.SetGCPercent(33)
		runtime.GC()
		time.Sleep(10 * time.Millisecond) // for the cleanup, which must change nothing
		settles(t, 33)
		return
	}
	for _, tt := range []struct{ name, env string }{
		{"usual", ""}, {"later", ""}, {"later", "GOGC=100"}, {"usual", "GOGC=100"},
	} {
		t.Run(tt.name+tt.env, func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, "-test.run=^TestFirst$")
			cmd.Env = append(os.Environ(), "FIRSTGC="+tt.name, tt.env)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
