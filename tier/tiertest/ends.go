package tiertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// endTests are about the end of a box, and many boxes.
var endTests = map[string]func(*suite, *testing.T){
	"close twice, and from many": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(*glove.Script) {}))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if box.Alive() {
			t.Error("a closed box is alive")
		}
		if r := run(box, "p"); r.Cause != glovebox.CauseBox || r.Err == nil || r.Started {
			t.Errorf("a closed box runs: %+v", r.Outcome)
		}
		if len(box.Controls()) == 0 {
			t.Error("a closed box has no controls")
		}
	},
	"close while it runs": func(s *suite, t *testing.T) {
		n := 6
		if testing.Short() {
			n = 2
		}
		for i := range n {
			box := s.open(t, program("p", func(s *glove.Script) { fork(s, pause); write(s, 1, "up"); pause(s) }))
			up, done := make(chan bool, 1), make(chan *result)
			go func() {
				done <- run(box, "p", func(c *tier.Command) {
					c.Stdout = writer(func(p []byte) (int, error) { up <- true; return len(p), nil })
				})
			}()
			if i%2 == 0 {
				<-up
			} else {
				time.Sleep(time.Duration(rand.IntN(10_000)) * time.Microsecond)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
			if r := <-done; r.Cause != glovebox.CauseBox || r.Err == nil {
				t.Errorf("ended with %+v", r.Outcome)
			}
		}
	},
	"close while the workspace is read": func(s *suite, t *testing.T) {
		box := s.open(t, glovebox.File{Path: "big", Data: make([]byte, 8<<20)})
		f, err := workspace(t, box).Open("big")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		done := make(chan error)
		go func() {
			for buf := make([]byte, 1<<10); ; {
				if _, err := f.Read(buf); err != nil {
					done <- err
					return
				}
			}
		}()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		<-done // a read of a closed box ends
	},
	"controls": func(s *suite, t *testing.T) {
		seen := map[string]bool{}
		for _, c := range s.open(t).Controls() {
			if c.Name == "" || seen[c.Name] || c.How == "" {
				t.Errorf("control %+v", c)
			}
			seen[c.Name] = true
		}
		for _, name := range []string{
			tier.ControlNamespaces, tier.ControlUser, tier.ControlFilesystem, tier.ControlProc, tier.ControlDevices, tier.ControlNetwork,
			tier.ControlCapabilities, tier.ControlNoNewPrivs, tier.ControlSyscalls, tier.ControlDescriptors, tier.ControlAgent,
			tier.ControlWall, tier.ControlCPU, tier.ControlMemory, tier.ControlProcesses, tier.ControlOpenFiles,
			tier.ControlFileSize, tier.ControlDisk, tier.ControlFiles, tier.ControlOutput,
		} {
			if !seen[name] {
				t.Errorf("the box says nothing of %s", name)
			}
		}
	},
	"cancelled while it opens": func(s *suite, t *testing.T) {
		n := 20
		if testing.Short() {
			n = 3
		}
		for i := range n {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*i)*200*time.Microsecond)
			box, err := s.tier.Open(ctx, s.spec(program("p", func(*glove.Script) {})))
			cancel()
			if err == nil {
				// After Open the context no longer matters.
				run(box, "p").ok(t)
				err = box.Close()
			} else if errors.Is(err, context.DeadlineExceeded) {
				err = nil
			}
			if err != nil {
				t.Error(err)
			}
		}
	},
	"the context of Open no longer matters": func(s *suite, t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		box, err := s.tier.Open(ctx, s.spec(program("p", func(s *glove.Script) { sleep(s, 50*time.Millisecond) })))
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		cancel()
		run(box, "p").ok(t)
	},
	"many at once": func(s *suite, t *testing.T) {
		n := 24
		if testing.Short() {
			n = 4
		}
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				mine := time.Duration(i).String()
				box, err := s.tier.Open(context.Background(), s.spec(program("p", func(s *glove.Script) {
					create(s, "mine", mine)
					sleep(s, 50*time.Millisecond)
					print(s, "mine")
				})))
				if err != nil {
					t.Error(err)
					return
				}
				if r := run(box, "p"); r.Cause != glovebox.CauseExit || r.stdout.String() != mine {
					t.Errorf("box %d: %q, %+v", i, &r.stdout, r.Outcome)
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	},
}
