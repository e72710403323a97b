package firecracker

import (
	"bufio"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// patience bounds what has to come to an end by itself.
const patience = time.Minute

// testMonitor is a Monitor with a double for Firecracker, under that name, and
// one for the jailer where root runs the test. Its device is a plain file.
func testMonitor(t testing.TB, name string) *Monitor {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{name, Jailer} {
		if err := copyFile(self, filepath.Join(dir, n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if f, err := elf.Open(self); err != nil {
			t.Fatal(err)
		} else if f.Close(); slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
			t.Skip("jailer: the test's executable is not static (CGO_ENABLED=0 makes it so)")
		}
		if err := canJail(dir); err != nil {
			t.Skip("jailer: ", err)
		}
	}
	m, err := Find(filepath.Join(dir, name), "")
	if err != nil {
		t.Fatal(err)
	}
	m.kvm = filepath.Join(dir, "kvm")
	if err := os.WriteFile(m.kvm, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

// testMachine is a machine whose files only their owner can read, but for the
// drive.
func testMachine(t testing.TB) monitor.Machine {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	return monitor.Machine{
		Kernel: file("vmlinux", "\x7fELF kernel", 0o600), Initrd: file("initrd", "initrd", 0o600), Drive: file("drive.erofs", "drive", 0o444),
		Cmdline: "glovebox=1", Memory: 256 << 20, VCPUs: 1, Accel: monitor.KVM, Dir: t.TempDir(), Console: &monitor.Console{},
	}
}

// nothingLeft takes what this process has, and returns what fails where it has
// more: processes below it, descriptors. Nothing here makes a mount, which other
// tests may do meanwhile.
func nothingLeft(t testing.TB) func() {
	t.Helper()
	look := func() (processes, descriptors int) {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(leftover.Below(os.Getpid())), len(fds)
	}
	processes, descriptors := look()
	return func() {
		t.Helper()
		if p, d := look(); p > processes || d > descriptors {
			t.Errorf("%d processes and %d descriptors, before %d and %d", p, d, processes, descriptors)
		}
	}
}

func start(t testing.TB, m *Monitor, machine monitor.Machine) *instance {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	i, err := m.Start(ctx, machine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.Close() })
	return i.(*instance)
}

// requests are what the double was asked so far.
func requests(t testing.TB, i *instance) []request {
	t.Helper()
	f, err := os.Open(filepath.Join(i.home.path, "requests"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []request
	for d := json.NewDecoder(f); ; {
		var r request
		if err := d.Decode(&r); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

// echo sends text to the guest, which says hello and it back.
func echo(t testing.TB, c net.Conn, text string) {
	t.Helper()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("hello ")+len(text))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hello "+text {
		t.Fatalf("the guest said %q, %v", got, err)
	}
}

func checkRequests(t *testing.T, got []request, want ...string) {
	t.Helper()
	var lines []string
	for _, r := range got {
		line := r.Method + " " + r.Path
		if r.Body != "" {
			line += " " + r.Body
		}
		lines = append(lines, line)
		if r.Accept != "application/json" || (r.ContentType == "application/json") != (r.Body != "") || r.Encoding != nil {
			t.Errorf("%s: Accept %q, Content-Type %q, encoding %q", line, r.Accept, r.ContentType, r.Encoding)
		}
	}
	if !slices.Equal(lines, want) {
		t.Errorf("it was asked\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

const kernelArgs = "glovebox=1 console=ttyS0 reboot=k panic=-1 pci=off random.trust_cpu=on 8250.nr_uarts=1 i8042.noaux i8042.nomux i8042.dumbkbd"

// TestLife boots a machine, takes a snapshot and restores two from it at once.
func TestLife(t *testing.T) {
	m := testMonitor(t, "firecracker")
	machine := testMachine(t)
	check := nothingLeft(t)
	i := start(t, m, machine)
	checkRequests(t, requests(t, i),
		`GET /version`,
		`PUT /logger {"log_path":"log","level":"Warning","show_level":true}`,
		`PUT /machine-config {"vcpu_count":1,"mem_size_mib":256,"smt":false,"track_dirty_pages":false}`,
		`PUT /boot-source {"kernel_image_path":"kernel","initrd_path":"initrd","boot_args":"`+kernelArgs+`"}`,
		`PUT /drives/root {"drive_id":"root","path_on_host":"drive","is_root_device":false,"is_read_only":true}`,
		`PUT /vsock {"guest_cid":3,"uds_path":"vsock.sock"}`,
		`PUT /entropy {}`,
		`PUT /actions {"action_type":"InstanceStart"}`,
		`GET /`,
	)
	echo(t, i.Channel(), "one")
	if u, err := i.Usage(); err != nil || u.Memory == 0 {
		t.Errorf("usage %+v, %v", u, err)
	}
	if m.jailer != "" {
		checkJail(t, m, i, machine)
	}
	snapshot := t.TempDir()
	if err := i.Snapshot(context.Background(), snapshot); err != nil {
		t.Fatal(err)
	}
	checkRequests(t, requests(t, i)[9:],
		`PATCH /vm {"state":"Paused"}`,
		`PUT /snapshot/create {"snapshot_type":"Full","snapshot_path":"state","mem_file_path":"memory"}`,
	)
	select {
	case <-i.Dead():
	default:
		t.Error("Firecracker lives after a snapshot")
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
	if said := string(machine.Console.Bytes()); !strings.Contains(said, "the guest's console") {
		t.Errorf("the console said %q", said)
	}
	if said := i.Err(); !strings.Contains(said, "the double's log") {
		t.Errorf("the log said %q", said)
	}
	for _, name := range []string{stateFile, memoryFile} {
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(snapshot, name), &st); err != nil || st.Mode != unix.S_IFREG|0o444 || int(st.Uid) != os.Geteuid() {
			t.Errorf("%s: mode %o, user %d, %v", name, st.Mode, st.Uid, err)
		}
	}

	var all sync.WaitGroup
	for n := range 2 {
		again := testMachine(t)
		again.Drive, again.Snapshot, again.Kernel, again.Initrd = machine.Drive, snapshot, "", ""
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			i, err := m.Start(ctx, again)
			if err != nil {
				t.Error(err)
				return
			}
			checkRequests(t, requests(t, i.(*instance)),
				`GET /version`,
				`PUT /logger {"log_path":"log","level":"Warning","show_level":true}`,
				`PUT /snapshot/load {"snapshot_path":"state","mem_backend":{"backend_type":"File","backend_path":"memory"},"resume_vm":true}`,
				`GET /`,
			)
			echo(t, i.Channel(), fmt.Sprint("restored ", n))
			if err := i.Close(); err != nil {
				t.Error(err)
			}
			if err := i.Close(); err != nil {
				t.Error("a second Close: ", err)
			}
			if files := leftover.Files(t, again.Dir); len(files) != 1 && !slices.Equal(files, []string{again.Dir, filepath.Join(again.Dir, "requests")}) {
				t.Errorf("left: %q", files)
			}
		})
	}
	all.Wait()
	check()
}

// checkJail: what root starts is in a jail, is another user, and can write
// nothing of ours.
func checkJail(t *testing.T, m *Monitor, i *instance, machine monitor.Machine) {
	t.Helper()
	uid, gid := strconv.FormatUint(uint64(i.home.owner.Uid), 10), strconv.FormatUint(uint64(i.home.owner.Gid), 10)
	text, err := os.ReadFile(filepath.Join(i.home.path, "..", "arguments"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--id", i.home.id, "--exec-file", m.path, "--uid", uid, "--gid", gid, "--chroot-base-dir", machine.Dir,
		"--cgroup-version", cgroupVersion(), "--parent-cgroup", i.home.id,
		"--resource-limit", "fsize=335544320", "--resource-limit", "no-file=256",
		"--", "--api-sock", "api.sock",
	}
	if got := strings.Split(string(text), "\n"); !slices.Equal(got, want) {
		t.Errorf("the jailer was given\n%q\nwant\n%q", got, want)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", i.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Uid:\t" + uid + "\t" + uid, "Gid:\t" + gid + "\t" + gid, "NoNewPrivs:\t1", "CapEff:\t0000000000000000"} {
		if !strings.Contains(string(status), line) {
			t.Errorf("the process has no %q in\n%s", line, status)
		}
	}
	if root, err := os.Readlink(fmt.Sprintf("/proc/%d/root", i.PID())); err != nil || root != i.home.path {
		t.Errorf("its root is %q, %v; want %q", root, err, i.home.path)
	}
	var shared, linked unix.Stat_t
	if err := errors.Join(unix.Stat(machine.Drive, &shared), unix.Stat(filepath.Join(i.home.path, driveFile), &linked)); err != nil || shared.Ino != linked.Ino {
		t.Errorf("the drive was copied, %v", err)
	}
	for _, name := range []string{kernelFile, initrdFile, driveFile} {
		var st unix.Stat_t
		if err := unix.Stat(filepath.Join(i.home.path, name), &st); err != nil || st.Uid != 0 || st.Mode&0o222 != 0 {
			t.Errorf("%s: user %d, mode %o, %v", name, st.Uid, st.Mode, err)
		}
	}
	for _, name := range []string{machine.Kernel, machine.Initrd} {
		if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has become %v, %v", name, info.Mode(), err)
		}
	}
}

func TestStartFails(t *testing.T) {
	for _, tt := range []struct {
		fault string
		want  string
		// soon: the caller gives up, as this never ends by itself
		soon bool
	}{
		{"refuses", "PUT /boot-source: 400: The kernel file cannot be opened: No such file or directory (os error 2)", false},
		{"old", `"1.7.0" is older than 1.8`, false},
		{"giant", "GET /version: a reply of more than 65536 bytes", false},
		{"garbage", "malformed HTTP", false},
		{"headers", "GET /version", false},
		{"asleep", `the guest is "Paused"`, false},
		{"dies", "Firecracker has ended; Firecracker says: thread panicked at boom", false},
		{"link", "not the socket of Firecracker", false},
		{"mute", "the caller gave up", true},
		{"hang", "the caller gave up", true},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			m := testMonitor(t, "firecracker-"+tt.fault)
			machine := testMachine(t)
			check := nothingLeft(t)
			limit := patience
			if tt.soon {
				limit = 3 * time.Second
			}
			ctx, cancel := context.WithTimeoutCause(context.Background(), limit, errors.New("the caller gave up"))
			defer cancel()
			i, err := m.Start(ctx, machine)
			if err == nil {
				i.Close()
				t.Fatal("it started")
			}
			if i != nil {
				t.Error("an instance beside an error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if tt.fault == "refuses" {
				var api *APIError
				if !errors.As(err, &api) || api.Status != 400 {
					t.Errorf("%v is no APIError", err)
				}
			}
			check()
		})
	}
}

func TestStartRefuses(t *testing.T) {
	m := testMonitor(t, "firecracker")
	for _, tt := range []struct {
		name   string
		change func(*Monitor, *monitor.Machine)
		want   string
	}{
		{"emulation", func(_ *Monitor, v *monitor.Machine) { v.Accel = monitor.Emulated }, "needs KVM"},
		{"no decision", func(_ *Monitor, v *monitor.Machine) { v.Accel = "" }, "needs KVM"},
		{"no device", func(m *Monitor, _ *monitor.Machine) { m.kvm += ".missing" }, "needs KVM"},
		{"no kernel", func(_ *Monitor, v *monitor.Machine) { v.Kernel += ".missing" }, "no such file"},
		{"no drive", func(_ *Monitor, v *monitor.Machine) { v.Drive += ".missing" }, "no such file"},
		{"no snapshot", func(_ *Monitor, v *monitor.Machine) { v.Snapshot = v.Dir + ".missing" }, "no such file"},
		{"no program", func(m *Monitor, v *monitor.Machine) { m.path += ".missing"; m.jailer += ".missing" }, "missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := nothingLeft(t)
			mon, machine := *m, testMachine(t)
			if m.jailer == "" && tt.name == "no program" {
				tt.change = func(m *Monitor, _ *monitor.Machine) { m.path += ".missing" }
			}
			tt.change(&mon, &machine)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if _, err := mon.Start(ctx, machine); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.want)) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			check()
		})
	}
}

// TestChannelFails: what a guest does instead of listening ends in an error for
// who reads or writes, and Close ends their wait.
func TestChannelFails(t *testing.T) {
	for _, tt := range []struct{ fault, want string }{
		{"liar", `CONNECT was answered with "OK /etc/passwd"`},
		{"chatty", `CONNECT was answered with "OKOKOKOKOKOKOK"`},
		{"deaf", "Firecracker has ended"},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			m, machine := testMonitor(t, "firecracker-"+tt.fault), testMachine(t)
			check := nothingLeft(t)
			i := start(t, m, machine)
			if tt.fault == "deaf" {
				time.AfterFunc(50*time.Millisecond, i.Kill)
			}
			_, err := i.Channel().Read(make([]byte, 1))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if _, again := i.Channel().Write([]byte("x")); again == nil {
				t.Error("what failed for a reader works for a writer")
			}
			if err := i.Close(); err != nil {
				t.Error(err)
			}
			check()
		})
	}
	i := start(t, testMonitor(t, "firecracker-deaf"), testMachine(t))
	read := make(chan error)
	go func() {
		_, err := i.Channel().Read(make([]byte, 1))
		read <- err
	}()
	i.Channel().Close()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("a Close while the connection is awaited: %v", err)
	}
}

// TestGroup: Firecracker lives in the control group that it was given, in a jail
// and without.
func TestGroup(t *testing.T) {
	parent, err := cgroup.Find()
	if err != nil {
		t.Skip("control group: ", err)
	}
	g, err := parent.New(cgroup.Limits{})
	if err != nil {
		t.Skip("control group: ", err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	machine := testMachine(t)
	machine.Group = g
	i := start(t, testMonitor(t, "firecracker"), machine)
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", i.PID()))
	if err != nil || !strings.Contains(string(groups), "glovebox-box-") {
		t.Errorf("it is in %s, %v", groups, err)
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}

// TestTakeAndPut: files go in and out by another file system, too.
func TestTakeAndPut(t *testing.T) {
	var st [2]unix.Stat_t
	here := t.TempDir()
	there, err := os.MkdirTemp("/dev/shm", "glovebox-test-*")
	if err != nil {
		t.Skip("another file system: ", err)
	}
	defer os.RemoveAll(there)
	if err := errors.Join(unix.Stat(here, &st[0]), unix.Stat(there, &st[1])); err != nil || st[0].Dev == st[1].Dev {
		t.Skip("another file system: /dev/shm is none ", err)
	}
	h := &home{path: there, owner: &syscall.Credential{Uid: 12345, Gid: 12345}}
	from := filepath.Join(here, "from")
	if err := os.WriteFile(from, []byte("text"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := h.put(from, stateFile); err != nil {
		t.Fatal(err)
	}
	if err := h.take(here, stateFile); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(here, stateFile)); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	// A pipe is not waited for.
	if err := unix.Mkfifo(filepath.Join(there, memoryFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.take(here, memoryFile); err == nil {
		t.Error("a pipe was taken")
	}
	if err := h.put("/dev/zero", "zero"); err == nil {
		t.Error("a device was put")
	}
}

// TestSnapshotOfATakenFirecracker: a guest that has taken over Firecracker leaves
// what it likes as the files of a snapshot.
func TestSnapshotOfATakenFirecracker(t *testing.T) {
	for _, fault := range []string{"symlink", "hardlink", "pipe", "none"} {
		t.Run(fault, func(t *testing.T) {
			i := start(t, testMonitor(t, "firecracker-"+fault), testMachine(t))
			dir := t.TempDir()
			if err := i.Snapshot(context.Background(), dir); err == nil {
				t.Error("a snapshot was taken")
			}
			if files := leftover.Files(t, dir); len(files) != 1 {
				t.Errorf("taken: %q", files)
			}
		})
	}
}

// TestKill: a killed machine is dead, says so, and answers nothing any more.
func TestKill(t *testing.T) {
	i := start(t, testMonitor(t, "firecracker"), testMachine(t))
	i.Kill()
	select {
	case <-i.Dead():
	case <-time.After(patience):
		t.Fatal("it lives")
	}
	if _, err := i.Channel().Read(make([]byte, 64)); err == nil {
		_, err = io.Copy(io.Discard, i.Channel())
		if err != nil && !errors.Is(err, unix.ECONNRESET) {
			t.Error(err)
		}
	}
	if err := i.Snapshot(context.Background(), t.TempDir()); !errors.Is(err, errDead) && err == nil {
		t.Errorf("a snapshot of the dead: %v", err)
	}
}

// doubleHost starts a machine, tells its process and waits to be killed.
func doubleHost() {
	var machine monitor.Machine
	if err := json.Unmarshal([]byte(os.Args[2]), &machine); err != nil {
		fatal(err)
	}
	m, err := Find(os.Args[1], "")
	if err != nil {
		fatal(err)
	}
	m.kvm = os.DevNull
	i, err := m.Start(context.Background(), machine)
	if err != nil {
		fatal(err)
	}
	fmt.Println(i.PID())
	time.Sleep(time.Hour)
}

// TestHostDies: Firecracker does not outlive the process that started it, though
// that is killed and can do nothing about it.
func TestHostDies(t *testing.T) {
	m, machine := testMonitor(t, "firecracker"), testMachine(t)
	machine.Console = nil
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := filepath.Join(t.TempDir(), "host")
	if err := copyFile(self, host, 0o755); err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(machine)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(host, m.path, string(spec))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !leftover.Alive(pid) {
		t.Fatalf("process %q, %v", line, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for end := time.Now().Add(patience); leftover.Alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			unix.Kill(pid, unix.SIGKILL)
			t.Fatal("Firecracker lives on")
		}
	}
}

func TestHandshake(t *testing.T) {
	for _, tt := range []struct {
		answer string
		ok     bool
		rest   string
	}{
		{"OK 1073741824\n", true, ""},
		{"OK 0\nOK 1\n", true, "OK 1\n"},
		{"OK 4294967295\n\x00", true, "\x00"},
		{"", false, ""}, {"OK 1", false, ""}, {"\n", false, ""}, {"OK\n", false, ""}, {"OK \n", false, ""},
		{"OK 4294967296\n", false, ""}, {"OK -1\n", false, ""}, {"OK 1 \n", false, ""}, {"OK 0x1\n", false, ""},
		{"ok 1\n", false, ""}, {"NO 1\n", false, ""}, {strings.Repeat("O", 1<<16), false, ""},
	} {
		var sent strings.Builder
		answer := strings.NewReader(tt.answer)
		err := handshake(struct {
			io.Reader
			io.Writer
		}{answer, &sent}, 1024)
		if (err == nil) != tt.ok || sent.String() != "CONNECT 1024\n" {
			t.Errorf("%.20q: %v after %q", tt.answer, err, sent.String())
		}
		if got := len(tt.answer) - answer.Len(); got > maxOK {
			t.Errorf("%.20q: %d bytes were read", tt.answer, got)
		}
		if rest, _ := io.ReadAll(answer); tt.ok && string(rest) != tt.rest {
			t.Errorf("%.20q: %q is left, want %q", tt.answer, rest, tt.rest)
		}
	}
}

func FuzzHandshake(f *testing.F) {
	f.Add("OK 1\nrest")
	f.Fuzz(func(t *testing.T, answer string) {
		r := strings.NewReader(answer)
		err := handshake(struct {
			io.Reader
			io.Writer
		}{r, io.Discard}, 1)
		if n := len(answer) - r.Len(); n > maxOK || err == nil && !strings.HasSuffix(answer[:n], "\n") {
			t.Errorf("%d bytes were read, %v", n, err)
		}
	})
}

func TestFault(t *testing.T) {
	for body, want := range map[string]string{
		`{"fault_message":"no"}`:            "no",
		`{"fault_message":"a\nb\u001b"}`:    "a b\x1b",
		`{"fault_message":7}`:               `{"fault_message":7}`,
		"<html>":                            "<html>",
		"":                                  "",
		"\xff":                              "?",
		strings.Repeat("ä", maxFault):       strings.Repeat("ä", maxFault/2) + "…",
		"x" + strings.Repeat("ä", maxFault): "x" + strings.Repeat("ä", maxFault/2-1) + "…",
	} {
		if got := fault([]byte(body)); got != want {
			t.Errorf("%.30q: %.30q, want %.30q", body, got, want)
		}
	}
}

func TestRecent(t *testing.T) {
	for version, want := range map[string]bool{
		"1.8.0": true, "1.10.1-dev": true, "1.17.0": true, "2.0": true, "1.7.9": false, "0.25.2": false,
		"": false, "1": false, "v1.8.0": false, "x.y.z": false,
	} {
		if recent(version) != want {
			t.Errorf("%q: %v", version, !want)
		}
	}
}

// TestFind: root needs the jailer.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	if _, err := Find(filepath.Join(dir, "firecracker"), ""); err == nil {
		t.Error("found what is not there")
	}
	name := filepath.Join(dir, "firecracker")
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if _, err := Find("", ""); (err != nil) != (os.Geteuid() == 0) {
		t.Errorf("without a jailer: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "jailer"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := Find("", "")
	if err != nil {
		t.Fatal(err)
	}
	one, err := m.Identity(context.Background())
	if err != nil || !strings.Contains(one, dir) {
		t.Errorf("%s, %v", one, err)
	}
	if err := os.Chmod(name, 0o700); err != nil {
		t.Fatal(err)
	}
	if two, err := m.Identity(context.Background()); err != nil || two == one {
		t.Errorf("a change is not told: %s, %v", two, err)
	}
}
