//go:build linux

package monitor

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/leftover"
)

func TestMain(m *testing.M) {
	if os.Getenv(ownerEnv) != "" {
		ownerMain()
	}
	os.Exit(m.Run())
}

func TestConsole(t *testing.T) {
	for _, tc := range []struct {
		name   string
		pieces int
		size   int
	}{
		{"nothing", 0, 1}, {"a line", 1, 80}, {"to the brim", 1, maxConsole}, {"both ends", 40, 1 << 10}, {"a flood", 3000, 1000}, {"one piece", 1, 1 << 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c Console
			var all []byte
			for i := range tc.pieces {
				piece := fmt.Appendf(nil, "%d:%s\n", i, bytes.Repeat([]byte("x"), tc.size))
				n, err := c.Write(piece)
				if n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
				all = append(all, piece...)
			}
			got := c.Bytes()
			if len(all) <= 3*maxConsole && len(got) == len(all) && !bytes.Equal(got, all) {
				t.Errorf("it is changed")
			}
			if len(got) > 3*maxConsole+100 {
				t.Errorf("it keeps %d bytes", len(got))
			}
			if n := min(len(all), 1000); !bytes.HasPrefix(got, all[:n]) || !bytes.HasSuffix(got, all[len(all)-n:]) {
				t.Errorf("an end is missing")
			}
		})
	}
}

func TestUnused(t *testing.T) {
	for _, tc := range []struct {
		name, table string
		from, n     uint32
	}{
		{"the host", "         0          0 4294967295\n", firstUser, users},
		{"a container", "0 100000 65536\n", 65536 - few - 1024, few},
		{"two ranges", "0 1000 1\n1 100000 65536\n", 65537 - few - 1024, few},
		{"one user", "0 1000 1\n", 0, 0},
		{"nonsense", "a b c\n", 0, 0},
		{"empty", "", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if from, n := unused(tc.table); from != tc.from || n != tc.n {
				t.Errorf("got %d from %d", n, from)
			}
		})
	}
}

// output takes what a process says.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// shell starts a shell as a monitor is started, and returns what it said.
func shell(t *testing.T, script string, change func(*Command)) (*Process, string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	identity, err := Stranger()
	if err != nil {
		t.Skip(err)
	}
	var out output
	c := Command{Path: sh, Args: []string{"-c", script}, Output: &out, Identity: identity}
	if change != nil {
		change(&c)
	}
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Dead()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return p, out.buf.String()
}

// TestStart: what a process is given, and nothing else.
func TestStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("given"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := leftover.Look(t, leftover.Options{})
	for _, tc := range []struct {
		name, script, want string
		change             func(*Command)
	}{
		{"its files", "cat <&3", "given", func(c *Command) { c.Files = []*os.File{f} }},
		{"no others", "ls /proc/self/fd | wc -l", "4", nil}, // 0, 1, 2 and the list
		{"an empty environment", "cat /proc/$$/environ | wc -c", "0", nil},
		{"its limits", "ulimit -n", "33", func(c *Command) { c.Limits = map[int]uint64{unix.RLIMIT_NOFILE: 33} }},
		{"no privileges", "grep NoNewPrivs /proc/self/status | cut -f2", "1", nil},
		{"a session of its own", "test $(cut -d' ' -f6 /proc/$$/stat) = $$ && echo yes", "yes", nil},
		{"no signal blocked or ignored", "grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f2 | sort -u", "0000000000000000", nil},
		{"its directory", "pwd", "/proc", func(c *Command) { c.Dir = "/proc" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, said := shell(t, tc.script, tc.change)
			if strings.TrimSpace(said) != tc.want {
				t.Errorf("it said %q and %q, not %q", said, p.Err(), tc.want)
			}
		})
	}
	if os.Geteuid() == 0 {
		_, one := shell(t, "id -u", nil)
		_, other := shell(t, "id -u", nil)
		if one == other || strings.TrimSpace(one) == "0" {
			t.Errorf("the users are %q and %q", one, other)
		}
	}
	before.Same(t)
}

// TestStartFails: why is said.
func TestStartFails(t *testing.T) {
	p, err := Start(Command{Path: "/does/not/exist"})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Dead()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Err(), "cannot execute /does/not/exist") {
		t.Errorf("it says %q", p.Err())
	}
}

func TestErr(t *testing.T) {
	p, _ := shell(t, "for i in 1 2 3 4 5 6 7 8; do echo line $i >&2; done", nil)
	if p.Err() != "line 4; line 5; line 6; line 7; line 8" {
		t.Errorf("it says %q", p.Err())
	}
	if u, err := p.Usage(); err != nil || u.Memory != 0 {
		t.Errorf("a dead process uses %+v, %v", u, err)
	}
}

func TestKill(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	p, err := Start(Command{Path: sleep, Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Usage(); err != nil {
		t.Error(err)
	}
	for range 2 {
		p.Kill()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := unix.Kill(p.PID(), 0); err != unix.ESRCH {
		t.Errorf("it is still there: %v", err)
	}
}

// ownerEnv makes this program the owner of a process, which waits for its death.
const ownerEnv = "GLOVEBOX_MONITOR_OWNER"

func ownerMain() {
	identity, err := Stranger()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	p, err := Start(Command{Path: os.Getenv(ownerEnv), Args: []string{"600"}, Identity: identity})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	// Until it is what it is to be.
	for {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID()))
		if strings.TrimSpace(string(name)) == "sleep" {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println(p.PID())
	select {}
}

// TestOwnerKilled: a monitor dies with whoever started it, though it has become
// another user.
func TestOwnerKilled(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	owner := exec.Command("/proc/self/exe")
	owner.Env = []string{ownerEnv + "=" + sleep}
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	_, err = fmt.Fscan(out, &pid)
	owner.Process.Kill()
	owner.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); leftover.Alive(pid); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 20*time.Second {
			unix.Kill(pid, unix.SIGKILL)
			t.Fatalf("process %d outlives its owner", pid)
		}
	}
}
