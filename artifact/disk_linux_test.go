package artifact

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCollectFromDisk has the kinds of files that only a kernel makes.
func TestCollectFromDisk(t *testing.T) {
	dir, err := os.MkdirTemp("", "a") // short, for the socket's name
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	l, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("x"), 0o644),
		os.Symlink("/etc/passwd", at("link")),
		os.Symlink("nowhere", at("dangling")),
		os.Symlink(".", at("loop")),
		os.Link(at("file"), at("hard")),
		syscall.Mkfifo(at("pipe"), 0o666),
		os.WriteFile(at("sparse"), nil, 0o644),
		os.Truncate(at("sparse"), 1<<40),
		os.WriteFile(at("holes"), nil, 0o644),
		os.Truncate(at("holes"), 8<<20),
		os.WriteFile(at("not\xffutf8"), []byte("x"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := NewMemory(1 << 20)
	defer s.Close()
	m, err := Collect(t.Context(), os.DirFS(dir), nil, Limits{}, Guard{}, s)
	if err != nil {
		t.Fatal(err)
	}
	want := "+ file 1 text/plain; charset=utf-8\n+ hard 1 text/plain; charset=utf-8\n+ holes 8388608 application/octet-stream\n" +
		"- dangling: is a symbolic link\n- link: is a symbolic link\n- loop: is a symbolic link\n" +
		"- not\\xffutf8: cannot be read: its name is not valid\n- pipe: is a named pipe\n- socket: is a socket\n" +
		"- sparse: is 1099511627776 bytes long: at most 67108864\n"
	if got := summary(m); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if s.used > 1<<20 {
		t.Errorf("%d bytes are in memory", s.used)
	}
}
