package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// run executes a program and returns its stdout. On a timeout the whole process
// group is killed.
func run(ctx context.Context, env []string, dir string, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var stdout, stderr bounded
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, dir, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not answer: %w", args[0], context.Cause(ctx))
	case err != nil:
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, stderr.line())
	case stdout.over:
		return "", fmt.Errorf("%s: the answer is longer than %d bytes", args[0], askBytes)
	}
	return stdout.buf.String(), nil
}

// executable reports whether this user may run and read p, a file.
func executable(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() &&
		unix.Faccessat(unix.AT_FDCWD, p, unix.R_OK|unix.X_OK, unix.AT_EACCESS) == nil
}
