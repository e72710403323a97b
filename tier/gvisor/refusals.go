//go:build linux

package gvisor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/abi"
	gverrors "gvisor.dev/gvisor/pkg/errors"
	"gvisor.dev/gvisor/pkg/errors/linuxerr"
	"gvisor.dev/gvisor/pkg/sentry/arch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"

	"github.com/gloveboxhq/glovebox"
)

// We control the guest's kernel and can make it report refusals: a refused fork
// is evidence of the limit of processes, while counting processes, now and
// then, is a guess.

// Memory is not among them: the guest may ask for every address, and is refused
// more than any machine has (ENOMEM). Actual use is measured.

// refusal relates an error of some system calls to a limit.
type refusal struct {
	calls string
	err   *gverrors.Error
	limit glovebox.LimitName
	fact  string
}

const (
	callsFork  = "clone clone3 fork vfork"
	callsOpen  = "open openat creat memfd_create pipe pipe2 dup dup3 fcntl socket socketpair accept accept4 epoll_create epoll_create1 eventfd eventfd2"
	callsMake  = "open openat creat mkdir mkdirat mknod mknodat symlink symlinkat link linkat"
	callsWrite = "write pwrite64 writev pwritev pwritev2 sendfile splice copy_file_range fallocate ftruncate truncate"
)

var refusals = []refusal{
	{callsFork, linuxerr.EAGAIN, glovebox.LimitProcesses, "the guest's kernel refused to make a process or thread: EAGAIN"},
	{callsOpen, linuxerr.EMFILE, glovebox.LimitOpenFiles, "the guest's kernel refused to open a file: EMFILE"},
	{callsMake, linuxerr.ENOSPC, glovebox.LimitFiles, "the guest's kernel refused to make a file: ENOSPC"},
	{callsWrite, linuxerr.ENOSPC, glovebox.LimitDisk, "the guest's kernel refused to write: ENOSPC"},
	{callsWrite, linuxerr.EFBIG, glovebox.LimitFileSize, "the guest's kernel refused to let a file grow: EFBIG"},
}

// refusalLine begins a line of the sentry's log; the limit follows.
const refusalLine = "glovebox: refused "

// serve is the guest's implementation of a system call.
type serve = kernel.SyscallFn

// wrapCalls replaces system calls of the guest, by name.
func wrapCalls(wrap func(name string, next serve) serve) {
	table, ok := kernel.LookupSyscallTable(abi.Linux, arch.Host)
	if !ok {
		fail("the guest's kernel has no system calls")
	}
	for nr, call := range table.Table {
		if fn := wrap(call.Name, call.Fn); fn != nil {
			call.Fn = fn
			table.Table[nr] = call
		}
	}
	table.Init()
}

// said records which of the refusals were reported.
var said = make([]atomic.Bool, len(refusals))

// forgetRefusals makes the sentry report each again.
func forgetRefusals() {
	for i := range said {
		said[i].Store(false)
	}
}

// reportRefusals makes the sentry write a line to its log at the first refusal
// caused by each limit.
func reportRefusals() {
	of := map[string][]int{}
	for i, r := range refusals {
		for name := range strings.FieldsSeq(r.calls) {
			of[name] = append(of[name], i)
		}
	}
	wrapCalls(func(name string, next serve) serve {
		mine := of[name]
		if mine == nil {
			return nil
		}
		return func(t *kernel.Task, nr uintptr, args arch.SyscallArguments) (uintptr, *kernel.SyscallControl, error) {
			result, control, err := next(t, nr, args)
			if err != nil {
				for _, i := range mine {
					if linuxerr.Equals(refusals[i].err, err) && !said[i].Swap(true) {
						_, _ = unix.Write(2, []byte(refusalLine+string(refusals[i].limit)+"\n"))
					}
				}
			}
			return result, control, err
		}
	})
}

// readRefusals reads the lines of reportRefusals, from an offset on. The log
// also holds the last words of a dead sentry, so all other lines are skipped.
func readRefusals(log *os.File, from int64) []glovebox.Hit {
	var hits []glovebox.Hit
	lines := bufio.NewScanner(io.NewSectionReader(log, from, sentryLogMax))
	for lines.Scan() {
		name, ok := strings.CutPrefix(lines.Text(), refusalLine)
		if !ok {
			continue
		}
		for _, r := range refusals {
			if string(r.limit) == name {
				hits = append(hits, glovebox.Hit{Limit: r.limit, Evidence: glovebox.Evidence{Source: "kernel", Fact: r.fact}})
			}
		}
	}
	return hits
}

// sentryLogMax is how much of a sentry's log is read.
const sentryLogMax = 64 << 10

// lastWords returns the cause of a sentry's death, from its log.
func lastWords(log *os.File) error {
	data, err := io.ReadAll(io.NewSectionReader(log, 0, sentryLogMax))
	if err != nil {
		return err
	}
	var words []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, refusalLine) && line != spoiltLine {
			words = append(words, strings.TrimSpace(line))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return fmt.Errorf("the sentry says %.1000q", strings.Join(words, "; "))
}
