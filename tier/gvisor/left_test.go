//go:build linux

package gvisor

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/tier"
)

// tables are what a box could leave behind on the host. That it leaves no mount
// is seen by package tiertest, which waits for those of others.
type tables struct {
	tier        *Tier
	children    []int
	descriptors int
	dens        []string
}

func snapshot(t *testing.T, tr *Tier) tables {
	t.Helper()
	s := tables{tier: tr, children: childrenOf(os.Getpid())}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	s.descriptors = len(fds)
	entries, err := os.ReadDir(tr.home.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		s.dens = append(s.dens, e.Name())
	}
	return s
}

// childrenOf returns the processes that a process started and that live.
func childrenOf(pid int) []int {
	var pids []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		data, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// same fails where something is left. Other processes of this user may have
// boxes at the same time, so only what was there may be missing.
func (s tables) same(t *testing.T) {
	t.Helper()
	now := snapshot(t, s.tier)
	if !reflect.DeepEqual(now.children, s.children) {
		t.Errorf("processes: %v, before %v", now.children, s.children)
	}
	if now.descriptors > s.descriptors {
		fds, _ := filepath.Glob("/proc/self/fd/*")
		for i, fd := range fds {
			fds[i], _ = os.Readlink(fd)
		}
		t.Errorf("%d descriptors, before %d: %q", now.descriptors, s.descriptors, fds)
	}
	if len(now.dens) > len(s.dens) {
		t.Errorf("directories: %v, before %v", now.dens, s.dens)
	}
}

// ownerEnv makes the test binary open boxes in the directory that it names,
// say who their processes are, and wait to be killed.
const ownerEnv = "GLOVEBOX_TEST_OWNER"

func ownerMain() {
	tr, err := New(Config{Dir: os.Getenv(ownerEnv)})
	if err != nil {
		panic(err)
	}
	for range 3 {
		tc, err := python()
		if err != nil {
			panic(err)
		}
		_, g, err := tr.boot(ctx, tier.Spec{Root: tc.root, Limits: smallLimits}, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(g.sentry.Process.Pid)
	}
	fmt.Println("up")
	select {}
}

// TestOwnerKilled: when the process that opened boxes is killed, their
// processes end, and the next tier finds nothing to keep.
func TestOwnerKilled(t *testing.T) {
	needPython(t)
	place, err := os.MkdirTemp("/tmp", "own")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(place)
	open(t, newTier(t), tier.Spec{}).Close() // or skip

	owner := exec.Command(self)
	owner.Env = append(os.Environ(), ownerEnv+"="+place)
	owner.Stderr = os.Stderr
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "up" {
		var sentry int
		if _, err := fmt.Sscan(lines.Text(), &sentry); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, sentry)
	}
	if len(pids) != 3 {
		t.Fatalf("processes %v", pids)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	owner.Wait()
	for _, pid := range pids {
		for deadline := time.Now().Add(10 * time.Second); alive(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d outlives its owner", pid)
			}
		}
	}
	if _, err := New(Config{Dir: place}); err != nil {
		t.Fatal(err)
	}
	var left []string
	filepath.WalkDir(place, func(path string, d fs.DirEntry, err error) error {
		left = append(left, path)
		return err
	})
	if len(left) != 2 { // the place and the home in it
		t.Errorf("left: %q", left)
	}
}

// alive tells whether a process runs; one that waits to be reaped does not.
func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(data), ") Z ")
}
