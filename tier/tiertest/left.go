package tiertest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/tier"
)

// nothingLeft ends boxes in all ways and compares.
func (s *suite) nothingLeft(t *testing.T) {
	dir := shortDir(t)
	t.Setenv("TMPDIR", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	tr, err := s.kind.New()
	if err != nil {
		t.Fatal(err)
	}
	own := &suite{kind: s.kind, tier: tr, root: s.root}
	ways := map[string]func(t *testing.T){
		"never used": func(t *testing.T) { own.open(t) },
		"used":       func(t *testing.T) { run(own.open(t, program("p", func(*glove.Script) {})), "p").ok(t) },
		"wall":       func(t *testing.T) { endTests["close while it runs"](own, t) },
		"memory":     func(t *testing.T) { wallTests["memory in files"](own, t) },
		"cancelled":  func(t *testing.T) { endTests["cancelled while it opens"](own, t) },
		"wrong":      func(t *testing.T) { openTests["a root that is not there"](own, t) },
		"full":       func(t *testing.T) { openTests["files that do not fit"](own, t) },
	}
	t.Run("once", ways["used"]) // what is made once per process
	before, files, goroutines := leftover.Look(t, leftover.Options{Kept: s.kind.Kept}), leftover.Files(t, dir), runtime.NumGoroutine()
	for name, way := range ways {
		t.Run(name, way)
		before.Same(t)
		if now := leftover.Files(t, dir); !slices.Equal(now, files) {
			t.Errorf("%s: files %q, before %q", name, now, files)
		}
	}
	for range 200 {
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 64<<10)
	t.Errorf("%d goroutines, before %d\n%s", runtime.NumGoroutine(), goroutines, stacks[:runtime.Stack(stacks, true)])
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shortDir makes a directory with a path short enough for sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gbt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// ownerEnv makes Run an owner of boxes that will be killed.
const ownerEnv = "GLOVEBOX_TIERTEST_OWNER"

// nextEnv makes Run a process that starts after the kill, and does little.
const nextEnv = "GLOVEBOX_TIERTEST_NEXT"

func isOwner() bool { return os.Getenv(ownerEnv) != "" }

// ownerBoxes is how many boxes the owner has.
const ownerBoxes = 5

// own opens boxes, some busy and some idle, reports the boxes, and waits to be
// killed.
func (s *suite) own() {
	for i := range ownerBoxes {
		box, err := s.tier.Open(context.Background(), s.spec(program("p", func(s *glove.Script) {
			fork(s, pause)
			write(s, 1, "up")
			loop(s)
		})))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if i == 0 {
			continue
		}
		up := make(chan bool, 1)
		go box.Run(context.Background(), tier.Command{
			Args: []string{tier.Workspace + "/p"}, Stdout: writer(func(p []byte) (int, error) { up <- true; return len(p), nil }),
		})
		<-up
	}
	fmt.Println("\nowner is up")
	select {}
}

// ownerKilled: the death of the owner is the death of its boxes' processes, and
// the next tier removes the rest.
func (s *suite) ownerKilled(t *testing.T) {
	dir := shortDir(t)
	t.Setenv("TMPDIR", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if _, err := s.kind.New(); err != nil { // what every tier has there
		t.Fatal(err)
	}
	files := leftover.Files(t, dir)

	name, _ := strings.CutSuffix(t.Name(), "/owner_killed")
	c := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+strings.ReplaceAll(name, "/", "$/^")+"$")
	c.Env = append(os.Environ(), ownerEnv+"=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	up := false
	var said []string
	for lines := bufio.NewScanner(out); !up && lines.Scan(); {
		said = append(said, lines.Text())
		up = lines.Text() == "owner is up"
	}
	if !up {
		t.Fatalf("the owner did not come up: %q", said)
	}
	pids := leftover.Below(c.Process.Pid)
	if s.kind.Pids != nil {
		pids = s.kind.Pids(t)
	}
	var groups []string
	for _, pid := range pids {
		groups = append(groups, GroupsOf(pid)...)
	}
	if len(pids) < ownerBoxes {
		t.Fatalf("the owner has the processes %d", pids)
	}
	c.Process.Kill()
	c.Wait()
	for _, pid := range pids {
		for begin := time.Now(); leftover.Alive(pid); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("process %d outlives its owner", pid)
			}
		}
	}
	// Other processes may have been cut short as well: all start again at once.
	next := exec.Command(c.Path, c.Args[1:]...)
	next.Env = append(os.Environ(), nextEnv+"=1")
	if out, err := next.CombinedOutput(); err != nil {
		t.Fatalf("the next process: %v: %s", err, out)
	}
	for _, g := range groups {
		// A different program starting now may be the sweeper.
		for begin := time.Now(); exists(g); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Errorf("control group %s is left", g)
				break
			}
		}
	}
	if now := leftover.Files(t, dir); !slices.Equal(now, files) {
		t.Errorf("files %q, before %q", now, files)
	}
}

// GroupsOf returns the directories of a process's control groups that belong to
// boxes.
func GroupsOf(pid int) []string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	var dirs []string
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || !strings.Contains(f[2], "/glovebox-box-") {
			continue
		}
		for _, pattern := range []string{"/sys/fs/cgroup/*" + f[2], "/sys/fs/cgroup" + f[2]} {
			found, _ := filepath.Glob(pattern)
			dirs = append(dirs, found...)
		}
	}
	return dirs
}
