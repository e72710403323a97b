package language

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// fuzzDrivers are programs in the language of a driver that feed mutated frames to
// its decoders, in the rig: of what the program sends, of what the harness sends, and
// where the driver reads the tests' text, of that.
var fuzzDrivers = []struct {
	lang  *Language
	file  string
	ends  []string
	tries int
}{
	{PHP, "php/testdata/fuzz/fuzz.php", []string{"harness", "candidate", "text"}, 1000},
	{Lua, "lua/testdata/fuzz/fuzz.lua", []string{"harness", "candidate"}, 1000},
}

// TestFrames fuzzes the ends of each link.
func TestFrames(t *testing.T) {
	for _, d := range fuzzDrivers {
		for _, end := range d.ends {
			t.Run(d.lang.Name+"/"+end, func(t *testing.T) {
				tc, tree := rigTool(t, d.lang)
				fuzz := fuzzFor(t, d.tries)
				script, err := os.ReadFile(filepath.FromSlash(d.file))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), fuzz.wall+2*time.Minute)
				defer cancel()
				name := filepath.Base(d.file)
				run := rigStart(t, ctx, tc, tree, Step{Args: append([]string{tc.Exe, name, end}, fuzz.args()...)},
					[]glovebox.File{{Path: name, Data: script}}, [3]*os.File{})()
				if run.exit != 0 || run.timedOut || !strings.Contains(run.stdout, " executions, ") {
					t.Fatalf("exit %d, timed out %t: %s%s", run.exit, run.timedOut, run.stdout, run.stderr)
				}
				out := strings.TrimSpace(run.stdout)
				t.Log(out[strings.LastIndexByte(out, '\n')+1:])
			})
		}
	}
}
