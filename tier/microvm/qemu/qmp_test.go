//go:build linux

package qemu

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// talk makes a control whose other end is a QEMU that says begin, and then
// answer to each line that it is told; %d in it is the command's number.
func talk(t *testing.T, begin string, answers ...string) (*control, error) {
	t.Helper()
	ours, theirs, err := pair()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.FileConn(theirs)
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer conn.Close()
		io.WriteString(conn, begin)
		lines := bufio.NewScanner(conn)
		for i, a := range answers {
			if !lines.Scan() {
				return
			}
			if strings.Contains(a, "%d") {
				a = fmt.Sprintf(a, i+1)
			}
			io.WriteString(conn, a)
		}
		if len(answers) > 0 {
			io.Copy(io.Discard, conn)
		}
	}()
	t.Cleanup(func() { <-done })
	c, err := openControl(ours)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

const (
	greeting = `{"QMP": {"version": {}, "capabilities": []}}` + "\r\n"
	well     = `{"return": {}, "id": %d}` + "\r\n"
	event    = `{"event": "RTC_CHANGE", "data": {"offset": 1}}` + "\r\n"
)

func TestControl(t *testing.T) {
	type status struct{ Status string }
	for _, tc := range []struct {
		name, begin string
		answers     []string
		want        string // of the error, "" for none
	}{
		{"well", greeting, []string{well, `{"return": {"status": "completed"}, "id": %d}` + "\n"}, ""},
		{"events between", event + greeting, []string{strings.Repeat(event, 1000) + well, event + `{"return": {"status": "completed"}, "id": %d}` + "\n"}, ""},
		{"an error", greeting, []string{well, `{"error": {"class": "GenericError", "desc": "no such thing"}, "id": %d}` + "\n"}, "no such thing"},
		{"another's answer", greeting, []string{well, `{"return": {}, "id": 77}` + "\n"}, "something else"},
		{"no answer", greeting, []string{well, `{"id": %d}` + "\n"}, "something else"},
		{"another type", greeting, []string{well, `{"return": [], "id": %d}` + "\n"}, "cannot unmarshal"},
		{"no JSON", greeting, []string{well, "hello\n"}, "no message"},
		{"without end", greeting, []string{well, `{"x": "` + strings.Repeat("x", 2*maxMessage)}, "token too long"},
		{"deep", greeting, []string{well, strings.Repeat("[", maxMessage/2) + "\n"}, "no message"},
		{"no greeting", `{"return": {}}` + "\n", nil, "did not greet"},
		{"an end at once", "", nil, "closed its control socket"},
		{"an end after the greeting", greeting, nil, "qmp_capabilities"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got status
			c, err := talk(t, tc.begin, tc.answers...)
			if err == nil {
				err = c.do("query-migrate", nil, &got)
			}
			switch {
			case tc.want == "" && (err != nil || got.Status != "completed"):
				t.Errorf("got %+v, %v", got, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestEventsWithoutEnd: QEMU never waits for us to read, and we keep nothing.
func TestEventsWithoutEnd(t *testing.T) {
	c, err := talk(t, greeting, well+strings.Repeat(event, 100_000), well)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.do("stop", nil, nil); err != nil {
		t.Error(err)
	}
}

func FuzzControl(f *testing.F) {
	f.Add([]byte(greeting))
	f.Add([]byte(`{"return": {}, "id": 1}`))
	f.Add([]byte(`{"error": {"desc": "x"}, "id": -1}` + "\n" + event))
	f.Fuzz(func(t *testing.T, said []byte) {
		ours, theirs, err := pair()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer theirs.Close()
			theirs.Write(said)
		}()
		c, err := openControl(ours)
		if err != nil {
			return
		}
		c.do("stop", nil, nil)
		c.Close()
	})
}

func TestFind(t *testing.T) {
	if _, err := Find("/does/not/exist"); err == nil {
		t.Error("it found what is not there")
	}
	path := t.TempDir() + "/qemu"
	if err := os.WriteFile(path, []byte("#!/bin/false\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := Find(path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := m.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
	if err := os.WriteFile(path, []byte("#!/bin/true!\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if after, err := m.Identity(t.Context()); err != nil || after == before {
		t.Errorf("a changed program is %q, as before (%v)", after, err)
	}
}

// TestQEMUThatEnds: that is seen at once, and why is said.
func TestQEMUThatEnds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"kernel", "initrd", "drive"} {
		if err := os.WriteFile(dir+"/"+name, []byte("x"), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	path := dir + "/qemu"
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho no such machine >&2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil { // others start it
			t.Fatal(err)
		}
	}
	m, err := Find(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	i, err := m.Start(t.Context(), monitor.Machine{
		Kernel: dir + "/kernel", Initrd: dir + "/initrd", Drive: dir + "/drive",
		Memory: 128 << 20, VCPUs: 1, Accel: monitor.Emulated, Console: new(monitor.Console),
	})
	if err == nil {
		i.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "no such machine") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begin); took > patience/2 {
		t.Errorf("its end was seen after %v", took)
	}
}
