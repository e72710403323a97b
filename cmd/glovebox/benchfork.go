package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/gloveboxhq/glovebox/bench"
)

// forkServer forks for each program that it reads. It is what one does with no
// sandbox at all, and runs nothing but the programs below.
//
//go:embed bench_fork.py
var forkServer string

// forks adds the warmed interpreter that forks for each program: one for each
// client, since each serves one at a time.
func (f *field) forks(ctx context.Context, stderr io.Writer, python string, clients int) error {
	idle := make(chan *forker, clients)
	for range clients {
		k, err := startForker(python)
		if err != nil {
			f.leave(stderr, "fork", err)
			f.missing["fork proven"] = err.Error()
			return nil
		}
		f.closers = append(f.closers, k.stop)
		idle <- k
	}
	does := func(name, how, program string) bench.Contestant {
		return bench.Contestant{Name: name, How: how, Do: func(ctx context.Context) (bool, error) {
			select {
			case k := <-idle:
				out, err := k.run(program)
				idle <- k
				if err != nil {
					return false, err
				}
				return false, errPrinted(out)
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}}
	}
	return f.tried(ctx, stderr,
		does("fork", "no box: a warmed interpreter forks for the program and waits for its end; one for each client", pythonLine),
		does("fork proven", "no box and no proof: likewise, of a function and its tests in one process", candidatePython+testsPython+pythonLine))
}

// forker is a process of forkServer.
type forker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

func startForker(python string) (*forker, error) {
	k := &forker{cmd: exec.Command(python, "-I", "-c", forkServer)}
	var err error
	if k.in, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if k.out, err = k.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return k, k.cmd.Start()
}

// maxForked is the most that a program of ours prints.
const maxForked = 1 << 10

// run runs a program in a fork and returns what it printed.
func (k *forker) run(program string) ([]byte, error) {
	ask := binary.BigEndian.AppendUint32(nil, uint32(len(program)))
	if _, err := k.in.Write(append(ask, program...)); err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := io.ReadFull(k.out, head[:]); err != nil {
		return nil, err
	}
	status, n := binary.BigEndian.Uint32(head[:4]), binary.BigEndian.Uint32(head[4:])
	if n > maxForked {
		return nil, fmt.Errorf("it printed %d bytes", n)
	}
	out := make([]byte, n)
	if _, err := io.ReadFull(k.out, out); err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, errors.New("it failed")
	}
	return out, nil
}

// stop ends the interpreter, which ends at the end of its input.
func (k *forker) stop() error { return errors.Join(k.in.Close(), k.cmd.Wait()) }
