//go:build linux

package engine_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/internal/sample"
	"github.com/gloveboxhq/glovebox/language"
)

// hostile is a program of testdata/hostile. Its class is its directory. Its
// first comment is of lines "# key: value":
//
//	want    the statuses that are right
//	limit   the limit that must be named
//	limits  those of the job, as name=value
//	not     Go-quoted texts that must not be in the observation
//	arch    the machine it is written for
//
// A program that gets past a wall prints BREACH; one that passes prints held
// at its end.
type hostile struct {
	name   string
	want   []string
	limit  string
	not    []string
	arch   string
	limits glovebox.Limits
	job    glovebox.Job
}

// hostileLimits are those of a program that names none: small, but for time,
// so that a busy machine makes no timeout.
var hostileLimits = glovebox.Limits{
	Wall: 40 * time.Second, CPU: 30 * time.Second, Memory: 256 * glovebox.MiB, Processes: 64,
	OpenFiles: 256, Disk: 64 * glovebox.MiB, FileSize: 64 * glovebox.MiB, Files: 4096, Output: glovebox.MiB,
}

var hostileLanguages = map[string]string{
	".py": "python", ".sh": "bash", ".js": "javascript", ".rb": "ruby", ".pl": "perl", ".lua": "lua", ".php": "php",
}

func readHostile(t *testing.T) []*hostile {
	t.Helper()
	const dir = "testdata/hostile"
	help, err := os.ReadFile(dir + "/attack.py")
	if err != nil {
		t.Fatal(err)
	}
	var all []*hostile
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == dir {
			return err
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		ext := filepath.Ext(path)
		h := &hostile{name: strings.TrimPrefix(path, dir+"/"), limits: hostileLimits}
		if err := h.header(string(code)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		main := glovebox.File{Path: "main" + ext, Data: code}
		h.job.Program = &glovebox.Program{Language: hostileLanguages[ext], Main: main.Path, Files: []glovebox.File{main}}
		if ext == ".py" {
			h.job.Program.Files = append(h.job.Program.Files, glovebox.File{Path: "attack.py", Data: help})
		}
		all = append(all, h)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (h *hostile) header(code string) error {
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if line == "<?php" {
			continue
		}
		text := strings.TrimSpace(strings.TrimLeft(line, "#/-"))
		if text == line {
			break // no comment
		}
		key, value, _ := strings.Cut(text, ": ")
		switch key {
		case "want":
			h.want = strings.Fields(value)
		case "limit":
			h.limit = value
		case "not":
			for _, f := range strings.Fields(value) {
				text, err := strconv.Unquote(`"` + f + `"`)
				if err != nil {
					return err
				}
				h.not = append(h.not, text)
			}
		case "arch":
			h.arch = value
		case "limits":
			for _, f := range strings.Fields(value) {
				if err := setLimit(&h.limits, f); err != nil {
					return err
				}
			}
		}
	}
	if len(h.want) == 0 {
		return errors.New("it does not say what it wants")
	}
	return nil
}

func setLimit(l *glovebox.Limits, text string) error {
	name, value, _ := strings.Cut(text, "=")
	if name == "wall" || name == "cpu" {
		d, err := time.ParseDuration(value)
		if name == "wall" {
			l.Wall = d
		} else {
			l.CPU = d
		}
		return err
	}
	unit := int64(1)
	for suffix, size := range map[string]int64{"KiB": glovebox.KiB, "MiB": glovebox.MiB, "GiB": glovebox.GiB} {
		if number, ok := strings.CutSuffix(value, suffix); ok {
			value, unit = number, size
		}
	}
	n, err := strconv.ParseInt(value, 10, 64)
	field := map[string]*int64{
		"memory": &l.Memory, "processes": &l.Processes, "open_files": &l.OpenFiles, "file_size": &l.FileSize,
		"disk": &l.Disk, "files": &l.Files, "output": &l.Output,
	}[name]
	if field == nil {
		return fmt.Errorf("limit %q", name)
	}
	*field = n * unit
	return err
}

// bait is what the host has to lose: secrets in its environment, its files, its
// processes and its memory, and services that nobody may reach. It is there
// for the whole test; check tells whether anybody came near it.
type bait struct {
	secret  string // begins with "canary-"
	file    string
	stat    string
	socket  string
	env     map[string]string
	reached atomic.Pointer[string]
}

func newBait(t *testing.T) *bait {
	t.Helper()
	b := &bait{secret: "canary-" + rand.Text()}
	t.Setenv("GLOVEBOX_TEST_SECRET", b.secret)
	home, err := os.UserHomeDir()
	if err != nil || unix.Access(home, unix.W_OK) != nil {
		home = t.TempDir()
	}
	f, err := os.CreateTemp(home, ".glovebox-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(b.file) })
	b.file = f.Name()
	if _, err := f.WriteString(b.secret); err != nil {
		t.Fatal(err)
	}
	f.Close()
	b.stat = b.look(t)

	// A process of the host with the secret in its arguments and environment.
	sleeper := exec.Command("sleep", "1000")
	sleeper.Args[0] = "sleep " + b.secret
	sleeper.Env = []string{"SECRET=" + b.secret}
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })

	port := b.listen(t, "tcp", "127.0.0.1:0").Addr().(*net.TCPAddr).Port
	name := "glovebox-test-" + rand.Text()
	b.listen(t, "unix", "@"+name)
	dir, err := os.MkdirTemp("/tmp", "gbh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b.socket = filepath.Join(dir, "socket")
	b.listen(t, "unix", b.socket)
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(b.socket, 0o777)); err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	go func() {
		if n, from, err := udp.ReadFrom(make([]byte, 100)); err == nil {
			b.came(fmt.Sprintf("%d bytes by UDP from %v", n, from))
		}
	}()
	b.env = map[string]string{
		"HOST_PORT": strconv.Itoa(port), "HOST_ABSTRACT": name, "HOST_SOCKET": b.socket, "HOST_FILE": b.file,
		"HOST_HOME": home, "OWN_KERNEL": "0", "HOST_PID": strconv.Itoa(os.Getpid()), "HOST_SLEEPER": strconv.Itoa(sleeper.Process.Pid),
	}
	return b
}

func (b *bait) came(who string) { b.reached.CompareAndSwap(nil, &who) }

func (b *bait) listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			b.came("a connection to " + address)
			c.Write([]byte(b.secret))
			c.Close()
		}
	}()
	return l
}

// watched are files of the host that attacks are known to change.
var watched = []string{"/etc/passwd", "/etc/hosts", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory"}

// look describes the files as they are now.
func (b *bait) look(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, path := range append([]string{b.file}, watched...) {
		var st unix.Stat_t
		err := unix.Lstat(path, &st)
		data, _ := os.ReadFile(path)
		fmt.Fprintln(&all, path, err, st.Mode, st.Uid, st.Size, st.Mtim, st.Ctim, st.Nlink, string(data))
		if strings.HasPrefix(path, "/proc/") {
			all.Reset() // only the content counts there
			fmt.Fprintln(&all, path, string(data))
		}
	}
	return all.String()
}

// check fails where an observation holds what it must not.
func (b *bait) check(t *testing.T, o *glovebox.Observation, not ...string) {
	t.Helper()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text.Bytes(), []byte(b.secret)) {
		t.Errorf("a secret of the host is in the observation: %.2000s", &text)
	}
	if strings.Contains(o.Stdout, "BREACH") {
		t.Errorf("the attack succeeded: %s", o.Stdout)
	}
	for _, n := range not {
		// As it is, not as JSON escapes it.
		for _, s := range append(texts(o), o.Feedback) {
			if strings.Contains(s, n) {
				t.Errorf("%q is in the observation: %.200q", n, s)
			}
		}
	}
	if who := b.reached.Load(); who != nil {
		t.Errorf("a service of the host was reached: %s", *who)
	}
	if now := b.look(t); now != b.stat {
		t.Errorf("files of the host are\n%s\nwere\n%s", now, b.stat)
	}
}

func texts(o *glovebox.Observation) []string {
	list := []string{o.Stdout, o.Stderr, o.Message, o.Signal}
	for _, a := range o.Artifacts {
		list = append(list, a.Name)
	}
	for _, r := range o.Refused {
		list = append(list, r.Name, r.Reason)
	}
	for _, e := range o.Evidence {
		list = append(list, e.Fact)
	}
	return list
}

// lookForRemains takes the tables. The locks of the root file systems in use are
// kept for as long as this process lives.
func lookForRemains(t *testing.T) leftover.Tables {
	t.Helper()
	return leftover.Look(t, leftover.Options{Kept: []string{"/lock"}, Adopted: true})
}

// adopt makes the processes that lose their parents ours, so that none escapes
// our look.
func adopt(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
}

// neighbour starts a run that goes on beside the others and has secrets, and
// returns what ends it.
func neighbour(t *testing.T, e *engine.Engine, name glovebox.TierName, secret string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan *glovebox.Observation)
	go func() {
		o, _ := e.Run(ctx, glovebox.Job{Tier: name, Args: []string{secret}, Env: map[string]string{"SECRET": secret}, Limits: glovebox.Limits{Wall: time.Hour, CPU: time.Hour},
			Program: python("import socket, sys, time\nfor d in '/tmp', '/workspace', '/dev/shm':\n  try: open(d + '/neighbour', 'w').write(sys.argv[1])\n  except OSError: pass\nu = socket.socket(socket.AF_UNIX); u.bind('\\0neighbour'); u.listen()\ns = socket.socket(); s.bind(('127.0.0.1', 47111)); s.listen()\ntime.sleep(3600)\n")})
		done <- o
	}()
	return sync.OnceFunc(func() {
		cancel()
		if o := <-done; o == nil || o.Status != glovebox.StatusCancelled {
			t.Errorf("the neighbour ended with %+v", o)
		}
	})
}

// run runs the program and judges the observation.
func (h *hostile) run(t *testing.T, e *engine.Engine, name glovebox.TierName, b *bait) {
	if h.arch != "" && h.arch != runtime.GOARCH {
		t.Skipf("its system calls are those of %s", h.arch)
	}
	modules := name == glovebox.TierWasm
	for _, l := range e.Languages() {
		if l.Name == h.job.Program.Language && !modules {
			need(t, e, l)
		}
	}
	job := h.job
	limits, slack := h.limits, 20*time.Second
	if name == glovebox.TierMicroVM && os.Getenv("GLOVEBOX_EMULATE") != "" {
		limits.Wall, slack = 3*limits.Wall, 3*slack // all is slow there
	}
	job.Tier, job.Limits, job.Env = name, limits, b.env
	job.Inputs = []glovebox.File{{Path: "input.txt", Data: []byte("the input")}}
	begin := time.Now()
	o := do(t, e, job)
	b.check(t, o, h.not...)
	if modules && o.Status == glovebox.StatusRuntimeError && (strings.Contains(o.Stderr, "MODULE_NOT_FOUND") || strings.Contains(o.Stderr, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM")) {
		return // what it would attack with is not there
	}
	want := h.want
	if name == glovebox.TierMicroVM && slices.Contains(want, string(glovebox.StatusMemoryLimit)) {
		// At the limit a slow guest's kernel may look for memory to give back, page
		// of the program for page, until the processor's time is up.
		want = append(slices.Clone(want), string(glovebox.StatusTimeout))
	}
	if !slices.Contains(want, string(o.Status)) {
		t.Errorf("got %s %s (%s), want %v; exit %v %s, evidence %v, stdout %.500q, stderr %.1500q", o.Status, o.Limit, o.Message, want, deref(o.ExitCode), o.Signal, o.Evidence, o.Stdout, o.Stderr)
	}
	if h.limit != "" && string(o.Limit) != h.limit {
		t.Errorf("the limit is %q, want %q", o.Limit, h.limit)
	}
	if o.Status == glovebox.StatusPass && !strings.HasSuffix(o.Stdout, "held\n") {
		t.Errorf("it did not get to its end: %.500q", o.Stdout)
	}
	if took := time.Since(begin); took > limits.Wall+slack {
		t.Errorf("it took %v with a wall of %v", took, limits.Wall)
	}
	for _, a := range o.Artifacts {
		if a.Size > job.Limits.WithDefaults().Disk && a.Size > job.Limits.Output {
			t.Errorf("artifact %+v", a)
		}
	}
}

func deref(p *int) any {
	if p == nil {
		return nil
	}
	return *p
}

// each runs f for every tier of this host, with bait and a neighbour.
func eachHostile(t *testing.T, f func(t *testing.T, e *engine.Engine, name glovebox.TierName, b *bait)) {
	adopt(t)
	closeShared() // it would make and drop boxes while we look
	eachTier(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		b := newBait(t)
		if name == glovebox.TierGVisor || name == glovebox.TierMicroVM {
			b.env["OWN_KERNEL"] = "1"
		}
		before := lookForRemains(t)
		e, err := engine.New(config())
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		stop := neighbour(t, e, name, b.secret)
		defer stop()
		f(t, e, name, b)
		// Glovebox answers the next run, and has left nothing.
		o := do(t, e, glovebox.Job{Tier: name, Program: python("print('next')")})
		if o.Status != glovebox.StatusPass || o.Stdout != "next\n" {
			t.Errorf("the next run ended with %+v", o)
		}
		stop()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		before.Same(t)
	})
}

// short takes every fourth, in a short test every tenth.
func short[T any](all []T) []T {
	if testing.Short() {
		return sample.Some(all, 10)
	}
	return sample.Some(all, 4)
}

// TestHostile runs the hostile programs of our own: the right verdict, nothing
// of the host's read or changed, nothing left.
func TestHostile(t *testing.T) {
	all := short(readHostile(t))
	eachHostile(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName, b *bait) {
		t.Run("programs", func(t *testing.T) {
			for _, h := range all {
				t.Run(h.name, func(t *testing.T) {
					t.Parallel()
					h.run(t, e, name, b)
				})
			}
		})
	})
}

// TestHostileModules runs those in JavaScript where there are no system calls.
func TestHostileModules(t *testing.T) {
	eachModuleTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		b := newBait(t)
		before := lookForRemains(t)
		t.Run("programs", func(t *testing.T) {
			for _, h := range readHostile(t) {
				if h.job.Program.Language != language.JavaScript.Name {
					continue
				}
				t.Run(h.name, func(t *testing.T) {
					t.Parallel()
					h.run(t, e, name, b)
				})
			}
		})
		before.Same(t)
	})
}

// TestHostileAtOnce runs 32 of them at a time, which stay themselves.
func TestHostileAtOnce(t *testing.T) {
	var some []*hostile
	for _, h := range readHostile(t) {
		class, _, _ := strings.Cut(h.name, "/")
		if class != "memory" && class != "cpu" && class != "syscalls" && h.job.Program.Language == "python" {
			some = append(some, h)
		}
	}
	at := 32
	if testing.Short() {
		at = 4
	}
	eachHostile(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName, b *bait) {
		var wg sync.WaitGroup
		for i := range at {
			h := some[i*len(some)/at]
			wg.Go(func() {
				job := h.job
				job.Tier, job.Limits, job.Env = name, h.limits, b.env
				job.Limits.Wall += time.Minute // it is for the load
				if slices.Contains(h.want, "timeout") {
					job.Limits.Wall = 5 * time.Second
				}
				job.Inputs = []glovebox.File{{Path: "input.txt", Data: []byte("the input")}}
				o := do(t, e, job)
				b.check(t, o, h.not...)
				if !slices.Contains(h.want, string(o.Status)) {
					t.Errorf("%s: got %s (%s), want %v; stderr %.500q", h.name, o.Status, o.Message, h.want, o.Stderr)
				}
			})
		}
		wg.Wait()
	})
}
