//go:build linux

package qemu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// stateFile is the only file of a snapshot: the whole state, memory included. A
// restored machine reads the file once, from a read-only descriptor; with the
// file as shared memory, each machine could change the memory of all.
const stateFile = "state"

// Snapshot implements [monitor.Instance].
func (i *instance) Snapshot(ctx context.Context, dir string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.control == nil {
		return os.ErrClosed
	}
	stop := context.AfterFunc(ctx, i.Kill)
	defer stop()
	err := i.save(filepath.Join(dir, stateFile))
	if cause := context.Cause(ctx); cause != nil {
		return errors.Join(cause, err)
	}
	return err
}

func (i *instance) save(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := i.control.do("stop", nil, nil); err != nil {
		return err
	}
	unlimited := map[string]any{"max-bandwidth": int64(1) << 40}
	if err := i.control.do("migrate-set-parameters", unlimited, nil); err != nil {
		return err
	}
	if err := i.migrate("migrate", f); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Chmod(0o400))
}

// restore loads the state and lets the guest go on.
func (i *instance) restore(dir string) error {
	f, err := os.Open(filepath.Join(dir, stateFile))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := i.migrate("migrate-incoming", f); err != nil {
		return err
	}
	return i.control.do("cont", nil, nil)
}

// transferPatience bounds the writing or reading of a snapshot.
const transferPatience = time.Minute

// migrate moves the state to or from a file.
func (i *instance) migrate(command string, f *os.File) error {
	if err := i.control.do("getfd", map[string]string{"fdname": "state"}, nil, f); err != nil {
		return err
	}
	if err := i.control.do(command, map[string]string{"uri": "fd:state"}, nil); err != nil {
		return err
	}
	pause := 2 * time.Millisecond
	for begin := time.Now(); time.Since(begin) < transferPatience; {
		var now struct {
			Status string `json:"status"`
			Why    string `json:"error-desc"`
		}
		if err := i.control.do("query-migrate", nil, &now); err != nil {
			return err
		}
		switch now.Status {
		case "completed":
			return nil
		case "failed", "cancelled":
			return fmt.Errorf("QEMU: %s: %s: %.500s", command, now.Status, now.Why)
		}
		time.Sleep(pause)
	}
	return fmt.Errorf("QEMU: %s took longer than %v", command, transferPatience)
}
