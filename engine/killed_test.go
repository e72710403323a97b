package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
)

// ownerEnv makes TestKilled the process that is killed: it names the tier.
const ownerEnv = "GLOVEBOX_TEST_KILLED"

// nextEnv makes it the one that starts after that.
const nextEnv = "GLOVEBOX_TEST_NEXT"

// killedRuns is how many runs are cut short.
const killedRuns = 20

// TestKilled kills a Glovebox in the middle of 20 runs: within seconds no
// process of them runs, and when the next one starts, nothing is left.
func TestKilled(t *testing.T) {
	if name := os.Getenv(ownerEnv); name != "" {
		own(t, glovebox.TierName(name))
	}
	if name := os.Getenv(nextEnv); name != "" {
		start(t, glovebox.TierName(name))
		return
	}
	eachTier(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		dir, err := os.MkdirTemp("/tmp", "gbk") // short, for sockets
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		t.Setenv("TMPDIR", dir)
		t.Setenv("XDG_RUNTIME_DIR", dir)
		start(t, name)
		before := leftover.Files(t, dir)

		c := exec.Command("/proc/self/exe", "-test.run=^TestKilled$")
		c.Env = append(os.Environ(), ownerEnv+"="+string(name))
		c.Stderr = os.Stderr
		stdout, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer c.Wait()
		defer c.Process.Kill()
		lines := bufio.NewScanner(stdout)
		for lines.Scan() && lines.Text() != "up" {
			if lines.Text() != "" {
				t.Log(lines.Text())
			}
		}
		// Runs of which some boot still, some are up, some begin anew.
		pids := leftover.Below(c.Process.Pid)
		if len(pids) < killedRuns/2 {
			t.Fatalf("only %d processes", len(pids))
		}
		var groups []string
		for _, pid := range pids {
			groups = append(groups, tiertest.GroupsOf(pid)...)
		}
		c.Process.Kill()
		c.Wait()
		for _, pid := range pids {
			for begin := time.Now(); leftover.Alive(pid); time.Sleep(time.Millisecond) {
				if time.Since(begin) > 10*time.Second {
					cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
					t.Fatalf("process %d %q runs on", pid, cmd)
				}
			}
		}
		// A process that was born as its parent was killed may be dying still.
		for begin, left := time.Now(), groups; ; time.Sleep(100 * time.Millisecond) {
			next := exec.Command(c.Path, c.Args[1:]...)
			next.Env = append(os.Environ(), nextEnv+"="+string(name))
			if out, err := next.CombinedOutput(); err != nil {
				t.Fatalf("the next process: %v: %s", err, out)
			}
			left = slices.DeleteFunc(left, func(g string) bool { _, err := os.Stat(g); return err != nil })
			now := leftover.Files(t, dir)
			if len(left) == 0 && slices.Equal(now, before) {
				break
			}
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("control groups are left: %q; files %q, before %q", left, now, before)
			}
		}
	})
}

// start starts a Glovebox as new, and runs something.
func start(t *testing.T, name glovebox.TierName) {
	t.Helper()
	e, err := engine.New(config())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if o := do(t, e, glovebox.Job{Tier: name, Program: python("print(1)")}); o.Status != glovebox.StatusPass {
		t.Errorf("the run ended with %s: %s", o.Status, o.Message)
	}
}

// own runs until it is killed.
func own(t *testing.T, name glovebox.TierName) {
	e, err := engine.New(config())
	if err != nil {
		t.Fatal(err)
	}
	busy := glovebox.Job{Tier: name, Limits: glovebox.Limits{Wall: time.Hour, CPU: time.Hour},
		Program: python("import os, sys, time\nfor i in range(3):\n  if os.fork() == 0:\n    os.setsid()\nopen('/tmp/x', 'w').write('x')\ntime.sleep(3600)")}
	short := glovebox.Job{Tier: name, Program: python("x = 1"), Limits: glovebox.Limits{Wall: time.Minute}}
	tests := glovebox.Job{Tier: name, Program: python("def f():\n  while True: pass"), Limits: glovebox.Limits{Wall: time.Hour, CPU: time.Hour},
		Tests: []glovebox.File{{Path: "test_f.py", Data: []byte("from solution import f\nassert f()\n")}}}
	var wg sync.WaitGroup
	for i := range killedRuns {
		wg.Go(func() {
			switch {
			case i%4 == 3: // all the time at the beginning or the end of a run
				for {
					e.Run(context.Background(), short)
				}
			case i%4 == 2:
				e.Run(context.Background(), tests)
			default:
				e.Run(context.Background(), busy)
			}
		})
	}
	for len(leftover.Below(os.Getpid())) < 2*killedRuns {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	fmt.Println("\nup")
	wg.Wait()
	os.Exit(1)
}
