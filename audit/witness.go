package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/lock"
)

// Witness keeps heads of a log where the writer of the log cannot take them back. Keep
// is called for each head, in order.
type Witness interface {
	Keep(ctx context.Context, h Head) error
}

// WitnessFile is a Witness that appends each head to the file of this name, best on
// another disk. The file is made where it is not there.
type WitnessFile string

// Keep implements [Witness].
func (name WitnessFile) Keep(_ context.Context, h Head) error {
	f, err := lock.Open(string(name))
	if err != nil {
		return err
	}
	err = lock.Wait(f, lock.Exclusive)
	if err == nil {
		err = keep(f, h)
	}
	return errors.Join(err, f.Close())
}

func keep(f *os.File, h Head) error {
	_, end, err := lastHead(f)
	if err != nil {
		return err
	}
	text := []byte(h.note + "\n")
	if _, err := f.WriteAt(text, end); err != nil { // over what a crash left
		return err
	}
	return errors.Join(f.Truncate(end+int64(len(text))), f.Sync())
}

// WitnessCommand is a Witness that runs a command with the checkpoint on its standard
// input. An exit code other than 0 is a failure.
type WitnessCommand struct {
	// Args are the program and its arguments. No shell is involved.
	Args []string
	// Timeout bounds one run; 0 means 10 seconds. Appends wait for the command.
	Timeout time.Duration
}

// Keep implements [Witness].
func (c WitnessCommand) Keep(ctx context.Context, h Head) error {
	if len(c.Args) == 0 {
		return errors.New("witness command: no program")
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Stdin = strings.NewReader(h.note)
	cmd.WaitDelay = time.Second // a child of the command may hold the pipe
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("witness command %s: %w", c.Args[0], errors.Join(err, ctx.Err()))
	}
	return nil
}

// anchor gives the newest head to all witnesses.
func (l *Log) anchor(ctx context.Context) error {
	var failed error
	for _, a := range l.options.Anchors {
		err := a.Witness.Keep(ctx, l.head)
		if err == nil {
			continue
		}
		err = fmt.Errorf("checkpoint of %d entries was not witnessed: %w", l.head.Size, err)
		if a.Required {
			failed = errors.Join(failed, err)
		} else {
			l.options.Logger.Warn("audit", "error", err)
		}
	}
	return failed
}
