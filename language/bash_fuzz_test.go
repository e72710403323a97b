package language

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestBashFuzz fuzzes both ends of Bash's link, in the rig. GLOVEBOX_FUZZ is how
// long (a second), GLOVEBOX_FUZZ_SEED makes a run one that was made before.
func TestBashFuzz(t *testing.T) {
	tc, tree := rigTool(t, Bash)
	long, err := time.ParseDuration(os.Getenv("GLOVEBOX_FUZZ"))
	if err != nil {
		long = time.Second
	}
	seed := os.Getenv("GLOVEBOX_FUZZ_SEED")
	if seed == "" {
		seed = fmt.Sprint(rand.IntN(32768))
	}
	text, err := os.ReadFile("bash/testdata/fuzz.sh")
	if err != nil {
		t.Fatal(err)
	}
	files := []glovebox.File{{Path: "fuzz.sh", Data: text}, {Path: "program.sh", Data: []byte("f() { printf '%s|' \"$@\"; cat; return 3; }\n")}}
	ctx, cancel := context.WithTimeout(context.Background(), long+2*time.Minute)
	defer cancel()
	step := Step{Args: []string{tc.Exe, "fuzz.sh", seed, fmt.Sprint(int(max(long, time.Second).Seconds()))}}
	run := rigStart(t, ctx, tc, tree, step, files, [3]*os.File{})()
	t.Logf("GLOVEBOX_FUZZ_SEED=%s: %s", seed, run.stdout)
	if run.exit != 0 || !strings.HasPrefix(run.stdout, "ok") {
		t.Errorf("status %d, stdout %s, stderr %s", run.exit, run.stdout, run.stderr)
	}
}
