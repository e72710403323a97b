//go:build linux

package host_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
)

var _ language.Host = (*host.Host)(nil)

// program writes a program to p: a script, or with an empty text a file that
// is none.
func program(t *testing.T, p, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if text == "" {
		text = "\x7fELF, for all that we look at"
	}
	if err := os.WriteFile(p, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestLookPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	program(t, at("one/a"), "", 0o755)
	program(t, at("two/a"), "", 0o755)
	program(t, at("one/plain"), "", 0o644)
	program(t, at("two/plain"), "", 0o755)
	program(t, at("two/script"), "#!/bin/sh\n", 0o755)
	program(t, at("real/b-1.2"), "", 0o755)
	if err := os.MkdirAll(at("one/dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	program(t, at("two/dir"), "", 0o755)
	for link, to := range map[string]string{"one/b": "../real/b-1.2", "one/gone": "nowhere"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	program(t, at("two/gone"), "", 0o755)
	program(t, at("locked/c"), "", 0o755)
	program(t, at("two/c"), "", 0o755)

	// A version manager, with one tool that is installed and one that is not.
	program(t, at(".env/shims/tool"), "#!/bin/sh\nexit 1\n", 0o755)
	program(t, at(".env/shims/lost"), "#!/bin/sh\nexit 1\n", 0o755)
	program(t, at(".env/shims/self"), "#!/bin/sh\nexit 1\n", 0o755)
	program(t, at(".env/versions/1/tool"), "", 0o755)
	program(t, at(".env/bin/env"), "#!/bin/sh\ncase $2 in tool) echo "+at(".env/versions/1/tool")+";; self) echo "+at(".env/shims/self")+";; *) exit 127;; esac\n", 0o755)
	program(t, at("two/lost"), "", 0o755)
	program(t, at("two/self"), "", 0o755)
	// A wrapper that is asked for what it wraps.
	program(t, at("one/ruby"), "#!/bin/sh\necho "+at("real/b-1.2")+"\n", 0o755)
	// A script whose name begins like an interpreter's.
	program(t, at("one/ruby-build"), "#!/bin/sh\necho "+at("real/b-1.2")+"\n", 0o755)
	// One that does not answer.
	program(t, at("one/perl"), "#!/bin/sh\necho no idea\n", 0o755)
	program(t, at("two/perl"), "", 0o755)

	path := strings.Join([]string{"", ".", "relative", at("nowhere"), at(".env/shims"), at("locked"), at("one"), at("two")}, ":")
	if os.Geteuid() != 0 { // root may enter
		if err := os.Chmod(at("locked"), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(at("locked"), 0o755) })
	} else if err := os.RemoveAll(at("locked")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		names []string
		want  string // below dir; empty: not found
	}{
		{[]string{"a"}, "one/a"},
		{[]string{"plain"}, "two/plain"},
		{[]string{"dir"}, "two/dir"},
		{[]string{"script"}, "two/script"},
		{[]string{"b"}, "real/b-1.2"},
		{[]string{"gone"}, "two/gone"},
		{[]string{"c"}, "two/c"},
		{[]string{"nosuch", "a"}, "one/a"},
		{[]string{"nosuch"}, ""},
		{[]string{"tool"}, ".env/versions/1/tool"},
		{[]string{"lost"}, "two/lost"},
		{[]string{"self"}, "two/self"},
		{[]string{"ruby"}, "real/b-1.2"},
		{[]string{"ruby-build"}, "one/ruby-build"},
		{[]string{"perl"}, "two/perl"},
	}
	h := host.ForTest(path, t.TempDir())
	for _, tt := range tests {
		for range 2 { // asked, and remembered
			got, err := h.LookPath(tt.names...)
			if tt.want == "" {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%v: got %s, %v", tt.names, got, err)
				}
			} else if err != nil || got != at(tt.want) {
				t.Errorf("%v: got %s, %v, want %s", tt.names, got, err, tt.want)
			}
		}
	}
	if got, err := h.LookPath("../one/a"); err == nil {
		t.Errorf("a path is no name: got %s", got)
	}
}

// TestShimIsAskedAgain: another version is chosen after the first question.
func TestShimIsAskedAgain(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, ".env")
	program(t, filepath.Join(root, "shims/tool"), "#!/bin/sh\n", 0o755)
	program(t, filepath.Join(root, "bin/env"), "#!/bin/sh\necho x >>"+root+"/asked\necho "+root+"/versions/$(cat "+root+"/version)/tool\n", 0o755)
	h := host.ForTest(filepath.Join(root, "shims")+":"+os.Getenv("PATH"), t.TempDir())
	for _, version := range []string{"one", "another"} {
		program(t, filepath.Join(root, "versions", version, "tool"), "", 0o755)
		program(t, filepath.Join(root, "version"), version, 0o644)
		for range 3 {
			got, err := h.LookPath("tool")
			if want := filepath.Join(root, "versions", version, "tool"); err != nil || got != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		}
	}
	asked, err := os.ReadFile(filepath.Join(root, "asked"))
	if err != nil || string(asked) != "x\nx\n" {
		t.Errorf("asked %q, %v", asked, err)
	}
}

func sh(t *testing.T) string {
	t.Helper()
	p, err := host.New().LookPath("sh")
	if err != nil {
		t.Skip("there is no sh on PATH")
	}
	return p
}

func TestAsk(t *testing.T) {
	h, shell := host.New(), sh(t)
	t.Setenv("GLOVEBOX_TEST_SECRET", "x")
	tests := []struct {
		name, script, want, fails string
	}{
		{name: "stdout", script: "echo out; echo err >&2", want: "out\n"},
		{name: "environment", script: `echo "${GLOVEBOX_TEST_SECRET-none} $LANG $HOME"`, want: "none C.UTF-8 " + os.Getenv("HOME") + "\n"},
		{name: "directory", script: "pwd", want: "/\n"},
		{name: "no stdin", script: "cat", want: ""},
		{name: "failure", script: "echo first >&2; echo middle >&2; echo last >&2; exit 3", fails: "exit status 3: first … last"},
		{name: "too long", script: "head -c 2000000 /dev/zero", fails: "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := h.Ask(t.Context(), shell, "-c", tt.script)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v, want %q", err, tt.fails)
				}
			} else if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestAskKillsAll: what a program started dies with it.
func TestAskKillsAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	shell := sh(t)
	go func() {
		_, err := host.New().Ask(ctx, shell, "-c", `sleep 1000 & echo $! >"$0.part"; mv "$0.part" "$0"; wait`, file)
		done <- err
	}()
	var pid int
	for pid == 0 {
		b, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for alive(pid) {
		time.Sleep(time.Millisecond)
	}
}

// alive tells whether a process runs; one that waits to be reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && syscall.Kill(pid, 0) == nil
}

func TestMemo(t *testing.T) {
	memos := t.TempDir()
	file := filepath.Join(t.TempDir(), "tool")
	calls := 0
	ask := func(h *host.Host, key string, files ...string) {
		t.Helper()
		got, err := language.Remember(h, key, files, func() ([]string, error) {
			calls++
			return []string{key, "answer"}, nil
		})
		if err != nil || !slices.Equal(got, []string{key, "answer"}) {
			t.Errorf("got %q, %v", got, err)
		}
	}
	steps := []struct {
		name string
		do   func(h *host.Host)
		asks int
	}{
		{"first", func(h *host.Host) { ask(h, "k", file) }, 1},
		{"again", func(h *host.Host) { ask(h, "k", file) }, 0},
		{"another process", func(*host.Host) { ask(host.ForTest("", memos), "k", file) }, 0},
		{"another key", func(h *host.Host) { ask(h, "k2", file) }, 1},
		{"the file appears", func(h *host.Host) { program(t, file, "1", 0o755); ask(h, "k", file) }, 1},
		{"and stays", func(h *host.Host) { ask(h, "k", file) }, 0},
		{"the file changes", func(h *host.Host) { program(t, file, "22", 0o755); ask(h, "k", file) }, 1},
		{"no place for memos", func(*host.Host) { ask(host.ForTest("", ""), "k", file) }, 1},
		{"a memo that is broken", func(h *host.Host) {
			list, err := os.ReadDir(memos)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				program(t, filepath.Join(memos, d.Name()), `{"stamp":`, 0o600)
			}
			ask(h, "k", file)
		}, 1},
	}
	h := host.ForTest("", memos)
	for _, s := range steps {
		calls = 0
		s.do(h)
		if calls != s.asks {
			t.Errorf("%s: asked %d times, want %d", s.name, calls, s.asks)
		}
	}
	// A failure is not remembered.
	for range 2 {
		_, err := language.Remember(h, "fails", nil, func() (int, error) { return 0, fs.ErrInvalid })
		if !errors.Is(err, fs.ErrInvalid) {
			t.Error(err)
		}
	}
}
