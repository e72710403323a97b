package audit

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
)

// childDir has the test binary append to a folder until it is killed.
const childDir = "GLOVEBOX_AUDIT_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		appendForever(dir)
	}
	os.Exit(m.Run())
}

// appendForever has 200 goroutines append, and prints the ID of each acknowledged entry.
func appendForever(dir string) {
	l, err := Open(dir, Options{Origin: origin, Signer: signerOf("a")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i := range 200 {
		go func() {
			for {
				e, err := l.Append(context.Background(), Entry{KindExecution, numbered{i}})
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Fprintf(os.Stdout, "%s\n", e.ID) // one write
			}
		}()
	}
	select {}
}

// TestKill: whenever the writer is killed, each entry that was acknowledged is in the
// log, and the log verifies after the next opening.
func TestKill(t *testing.T) {
	moments := 3
	if os.Getenv("GLOVEBOX_SAMPLE") == "all" {
		moments = 50
	}
	dir, key := t.TempDir(), signerOf("a")
	r := rand.New(rand.NewPCG(1, 2))
	acknowledged := map[string]bool{}
	for range moments {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		// The moment is an acknowledgement, so that it does not hang on speed.
		lines := bufio.NewScanner(out)
		for kill := r.IntN(400); lines.Scan(); kill-- {
			if len(lines.Text()) == 32 {
				acknowledged[lines.Text()] = true
			}
			if kill == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() && cmd.ProcessState.ExitCode() == 1 && os.PathSeparator == '/' {
			t.Fatalf("the child ended by itself: %v", err)
		}
	}
	l := open(t, dir, key)
	add(t, l, 1)
	report := mustVerify(t, dir, trusted(key))
	recoveries := 0
	for r, err := range Search(dir, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		delete(acknowledged, r.ID)
		if r.Kind == KindRecovery {
			recoveries++
		}
	}
	for id := range acknowledged {
		t.Errorf("entry %s was acknowledged and is lost", id)
	}
	t.Logf("%d kills, %d entries, %d recoveries", moments, report.Entries, recoveries)
}
