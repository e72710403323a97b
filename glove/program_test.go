//go:build linux

package glove

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

func TestProgram(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script func(s *Script)
		code   int
		stdout string
	}{
		{"end", func(s *Script) { s.Call("write", linux.SYS_WRITE, 1, "hello", 5) }, 0, "hello"},
		{"error", func(s *Script) {
			s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, "/does/not/exist", 0)
			s.Call("write", linux.SYS_WRITE, 1, "hello", 5)
		}, int(linux.ENOENT), ""},
		{"exit", func(s *Script) { s.Call("exit", linux.SYS_EXIT_GROUP, 7) }, 7, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := new(Script)
			tc.script(s)
			image, err := Program(s)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(file, image, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := command(file)
			out, _ := cmd.Output()
			if got := cmd.ProcessState.ExitCode(); got != tc.code || string(out) != tc.stdout {
				t.Errorf("exit code %d and %q, want %d and %q", got, out, tc.code, tc.stdout)
			}
		})
	}
}
