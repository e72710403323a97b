//go:build linux

package gvisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
)

// start starts a helper and has it make the box. It takes over the den and the
// group, whatever comes of it.
func (g *ground) start(ctx context.Context, exe string, req request, inner glove.Inner) (err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return errors.Join(err, g.abandon())
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	ours := os.NewFile(uintptr(pair[0]), "control")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		return errors.Join(err, g.abandon())
	}
	log := new(head)
	g.control, g.replies, g.dead = conn.(*net.UnixConn), json.NewDecoder(conn), make(chan struct{})
	g.helper = &exec.Cmd{
		Path: exe, Args: []string{helperName}, Env: []string{}, Dir: "/",
		Stderr:     log,
		ExtraFiles: []*os.File{theirs},
		// Its own session: a Ctrl-C on our terminal is ours to handle.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if req.Nested {
		g.helper.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
		g.helper.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		g.helper.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	if g.group != nil {
		g.group.Spawn(g.helper.SysProcAttr)
	}
	for fd, file := range inner {
		req.Guest = append(req.Guest, fd)
		g.helper.ExtraFiles = append(g.helper.ExtraFiles, file)
	}
	if err := g.helper.Start(); err != nil {
		if req.Nested {
			err = &noPrivilege{err}
		}
		return errors.Join(err, conn.Close(), g.abandon())
	}
	err = g.enter()
	if err == nil {
		err = g.ask(ctx, req)
	}
	if err != nil {
		err = errors.Join(err, g.Close())
		if log.Len() > 0 {
			err = fmt.Errorf("%w (the helper says %q)", err, log)
		}
		return err
	}
	return nil
}

// abandon removes what there was before the helper.
func (g *ground) abandon() error {
	if g.group == nil {
		return g.den.Close()
	}
	return errors.Join(g.group.Close(), g.den.Close())
}

// enter puts the helper into the group, with all that it will start. It does so
// while the helper is only starting itself: with version 1 the kernel takes its
// time.
func (g *ground) enter() error {
	if g.group == nil {
		return nil
	}
	files, err := g.group.Join(false, g.helper.SysProcAttr.UseCgroupFD)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files {
		_, err := f.WriteString(strconv.Itoa(g.helper.Process.Pid))
		errs = append(errs, err, f.Close())
	}
	return errors.Join(errs...)
}

// ask has the helper make the box and waits until it is up.
func (g *ground) ask(ctx context.Context, req request) error {
	line, err := json.Marshal(req)
	if err != nil {
		return err
	}
	if err := g.control.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { g.control.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := g.control.Write(append(line, '\n')); err != nil {
		return err
	}
	var up reply
	if err := g.replies.Decode(&up); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	switch {
	case up.NoPrivilege != "":
		return &noPrivilege{errors.New(up.NoPrivilege)}
	case up.Err != "":
		return errors.New(up.Err)
	}
	return g.watch(up.Sentry)
}

// noPrivilege is the error of a host that gives an ordinary user no user
// namespace, or one without power.
type noPrivilege struct{ error }

func (e *noPrivilege) Unwrap() error { return e.error }

// head keeps the first bytes that are written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 4096 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
