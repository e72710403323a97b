package wasm

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestConfined stands for a bug in wazero: machine code in a box's process that
// tries to do what the process could.
func TestConfined(t *testing.T) {
	if os.Getenv("GLOVEBOX_TEST_CONFINED") != "" {
		for _, c := range confine(glovebox.DefaultLimits) {
			fmt.Printf("%s %t %s\n", c.Name, c.Enforced, c.How)
		}
		say := func(what string, err error) { fmt.Printf("tried %s: %v\n", what, err) }
		_, err := os.ReadFile("/etc/passwd")
		say("read", err)
		say("write", os.WriteFile("/tmp/glovebox-confined", nil, 0o600))
		_, err = net.Dial("tcp", "127.0.0.1:1")
		say("connect", err)
		say("start", exec.Command("/bin/true").Run())
		say("kill", syscall.Kill(os.Getppid(), 0))
		say("trace", syscall.PtraceAttach(os.Getppid()))
		say("namespace", syscall.Unshare(syscall.CLONE_NEWUSER))
		time.Sleep(time.Millisecond) // it still has time, memory and threads
		for n := range 8 {
			go func() { bytes.Repeat([]byte("x"), 1<<20*n) }()
		}
		fmt.Println("went on")
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestConfined$")
	cmd.Env = append(os.Environ(), "GLOVEBOX_TEST_CONFINED=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	if strings.Contains(string(out), "syscalls false") {
		t.Skip("this kernel gives no seccomp filter")
	}
	if !strings.Contains(string(out), "went on") {
		t.Error("it did not go on")
	}
	for what, want := range map[string]string{
		"read": "", "write": "", "connect": "operation not permitted", "start": "operation not permitted",
		"kill": "operation not permitted", "trace": "operation not permitted", "namespace": "operation not permitted",
	} {
		_, said, _ := strings.Cut(string(out), "tried "+what+": ")
		said, _, _ = strings.Cut(said, "\n")
		if said == "<nil>" || said == "" || !strings.Contains(said, want) {
			t.Errorf("%s: %q", what, said)
		}
	}
}
