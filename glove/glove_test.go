//go:build linux

package glove

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// start runs the glove as an ordinary process, with no walls.
func start(t *testing.T) Ends {
	t.Helper()
	path := filepath.Join(t.TempDir(), "glove")
	if err := os.WriteFile(path, Image(), 0o755); err != nil {
		t.Fatal(err)
	}
	ends, in, err := Pipes()
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(path)
	for fd := 3; fd <= FDKill; fd++ {
		cmd.ExtraFiles = append(cmd.ExtraFiles, in[fd])
	}
	cmd.Stdout, cmd.Stderr = in[1], in[2]
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	t.Cleanup(func() {
		ends.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the glove ended with %v", err)
		}
	})
	return ends
}

// command runs an image. Where this test is itself run by an emulator of its
// processor, GLOVEBOX_EMULATOR names it, and it runs the image too.
func command(image string) *exec.Cmd {
	if emulator := os.Getenv("GLOVEBOX_EMULATOR"); emulator != "" {
		return exec.Command(emulator, image)
	}
	return exec.Command(image)
}

func soon() time.Time { return time.Now().Add(10 * time.Second) }

func TestScript(t *testing.T) {
	ends := start(t)
	t.Run("reply", func(t *testing.T) {
		s := new(Script)
		buf, n := s.Buffer(64), s.Buffer(8)
		s.Call("getcwd", linux.SYS_GETCWD, buf, 64).To(n)
		s.Reply(buf, n)
		got, err := ends.Do(s, soon())
		wd, _ := os.Getwd()
		if err != nil || string(got) != wd+"\x00" {
			t.Errorf("got %q, %v, want %q", got, err, wd)
		}
	})
	t.Run("fault", func(t *testing.T) {
		s := new(Script)
		s.Call("open nothing", linux.SYS_OPENAT, linux.AT_FDCWD, "/does/not/exist", 0)
		_, err := ends.Do(s, soon())
		var f *Fault
		if !errors.As(err, &f) || f.Call != "open nothing" || f.Errno != linux.ENOENT {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ignored", func(t *testing.T) {
		s := new(Script)
		s.Call("open nothing", linux.SYS_OPENAT, linux.AT_FDCWD, "/does/not/exist", 0).Ignore()
		if got, err := ends.Do(s, soon()); err != nil || len(got) != 0 {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("result as argument", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "f")
		s := new(Script)
		open := s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, file, linux.O_CREAT|linux.O_WRONLY, 0o600)
		write := s.Call("write", linux.SYS_WRITE, 0, "hello", 5)
		open.To(write.Arg(0))
		if _, err := ends.Do(s, soon()); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != "hello" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("longer than a pipe", func(t *testing.T) {
		big := make([]byte, 3<<20)
		for i := range big {
			big[i] = byte(i * 7)
		}
		file := filepath.Join(t.TempDir(), "f")
		s := new(Script)
		open := s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, file, linux.O_CREAT|linux.O_WRONLY, 0o600)
		write := s.Call("write", linux.SYS_WRITE, 0, big, len(big))
		open.To(write.Arg(0))
		if _, err := ends.Do(s, soon()); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file); string(got) != string(big) {
			t.Errorf("%d bytes came through wrong", len(got))
		}
	})
	t.Run("too long", func(t *testing.T) {
		s := new(Script)
		s.Buffer(MaxScript)
		if _, err := ends.Do(s, soon()); err == nil {
			t.Error("no error")
		}
	})
}
