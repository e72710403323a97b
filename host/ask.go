package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	// askTime is how long a program may take to answer.
	askTime = 10 * time.Second
	// askBytes is the longest answer.
	askBytes = 1 << 20
)

// Ask runs a program of the operator's and returns its stdout. The program has
// ten seconds. The environment is PATH, HOME and LANG alone, and the working
// directory is the root, so the operator's further settings (PYTHONPATH,
// NODE_OPTIONS, a version file) do not influence the answer: the box will not
// have these either. The error quotes stderr. On a host other than Linux it is
// [ErrForeign].
func (h *Host) Ask(ctx context.Context, args ...string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("ask: no program")
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8"}
	return run(ctx, env, "/", args)
}

// bounded keeps the first askBytes written to it.
type bounded struct {
	buf  bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	take := min(len(p), askBytes-b.buf.Len())
	b.buf.Write(p[:take])
	b.over = b.over || take < len(p)
	return len(p), nil
}

// line returns the first and the last line of the output, shortened: some
// programs put the error at the top and some at the bottom.
func (b *bounded) line() string {
	lines := strings.Split(strings.TrimSpace(b.buf.String()), "\n")
	s := lines[0]
	if last := lines[len(lines)-1]; last != s {
		s += " … " + last
	}
	return fmt.Sprintf("%.300s", s)
}
