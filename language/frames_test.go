package language

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// fuzzDrivers are programs in the language of a driver that feed mutated frames to
// its decoders, in the rig: of what the program sends, of what the harness sends, and
// where the driver reads the tests' text, of that.
// GLOVEBOX_FUZZ says how long each end is fuzzed, GLOVEBOX_FUZZ_SEED makes a run one
// that was made before.
var fuzzDrivers = []struct {
	lang *Language
	file string
	ends []string
}{
	{PHP, "php/testdata/fuzz/fuzz.php", []string{"harness", "candidate", "text"}},
	{Lua, "lua/testdata/fuzz/fuzz.lua", []string{"harness", "candidate"}},
}

// TestFrames fuzzes the ends of each link for a second each.
func TestFrames(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("GLOVEBOX_FUZZ"))
	if err != nil {
		long = time.Second
	}
	seed, err := strconv.Atoi(os.Getenv("GLOVEBOX_FUZZ_SEED"))
	if err != nil {
		seed = int(time.Now().UnixNano() & 0x7fffffff)
	}
	for _, d := range fuzzDrivers {
		for _, end := range d.ends {
			t.Run(d.lang.Name+"/"+end, func(t *testing.T) {
				tc, tree := rigTool(t, d.lang)
				script, err := os.ReadFile(filepath.FromSlash(d.file))
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), long+2*time.Minute)
				defer cancel()
				name := filepath.Base(d.file)
				run := rigStart(t, ctx, tc, tree, Step{Args: []string{tc.Exe, name, end, fmt.Sprint(seed), fmt.Sprint(long.Seconds())}},
					[]glovebox.File{{Path: name, Data: script}}, [3]*os.File{})()
				if run.exit != 0 || run.timedOut || !strings.Contains(run.stdout, " executions, ") {
					t.Fatalf("seed %d: exit %d, timed out %t: %s%s", seed, run.exit, run.timedOut, run.stdout, run.stderr)
				}
				out := strings.TrimSpace(run.stdout)
				t.Logf("seed %d: %s", seed, out[strings.LastIndexByte(out, '\n')+1:])
			})
		}
	}
}
