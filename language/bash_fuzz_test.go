package language

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestBashFuzz fuzzes both ends of Bash's link, in the rig.
func TestBashFuzz(t *testing.T) {
	tc, tree := rigTool(t, Bash)
	fuzz := fuzzFor(t, 40)
	text, err := os.ReadFile("bash/testdata/fuzz.sh")
	if err != nil {
		t.Fatal(err)
	}
	files := []glovebox.File{{Path: "fuzz.sh", Data: text}, {Path: "program.sh", Data: []byte("f() { printf '%s|' \"$@\"; cat; return 3; }\n")}}
	ctx, cancel := context.WithTimeout(context.Background(), fuzz.wall+2*time.Minute)
	defer cancel()
	step := Step{Args: append([]string{tc.Exe, "fuzz.sh"}, fuzz.args()...)}
	run := rigStart(t, ctx, tc, tree, step, files, [3]*os.File{})()
	t.Log(run.stdout)
	if run.exit != 0 || !strings.HasPrefix(run.stdout, "ok") {
		t.Errorf("status %d, stdout %s, stderr %s", run.exit, run.stdout, run.stderr)
	}
}
