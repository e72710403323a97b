//go:build linux

package seccomp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// eval runs a filter as the kernel would.
func eval(filter []byte, machine uint32, nr uintptr, args ...uint64) (Action, error) {
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data[offNR:], uint32(nr))
	binary.LittleEndian.PutUint32(data[offArch:], machine)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[offArgs+8*i:], a)
	}
	var acc uint32
	for pc := 0; pc*Size+Size <= len(filter); pc++ {
		raw := filter[pc*Size:]
		i := ins{binary.LittleEndian.Uint16(raw), raw[2], raw[3], binary.LittleEndian.Uint32(raw[4:])}
		holds := false
		switch i.code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[i.k:])
			continue
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= i.k
			continue
		case unix.BPF_RET | unix.BPF_K:
			return Action(i.k), nil
		case unix.BPF_JMP | unix.BPF_JA:
			pc += int(i.k)
			continue
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = acc == i.k
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds = acc >= i.k
		default:
			return 0, fmt.Errorf("instruction %d has code %#x", pc, i.code)
		}
		if holds {
			pc += int(i.jt)
		} else {
			pc += int(i.jf)
		}
	}
	return 0, fmt.Errorf("the filter has no end")
}

// Every number gets the action of the list, those beside it too.
func TestEveryNumber(t *testing.T) {
	for _, p := range []Policy{{}, {Metered: true}} {
		filter := Filter(p)
		if n := len(filter) / Size; n > unix.BPF_MAXINSNS {
			t.Fatalf("the filter has %d instructions", n)
		}
		want := map[uintptr]Action{}
		for _, c := range list(p) {
			want[c.NR] = c.Else
			if len(c.Rules) > 0 {
				want[c.NR] = 1 // any
			}
		}
		for nr := uintptr(0); nr < 1024; nr++ {
			got, err := eval(filter, Arch, nr, ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0))
			if err != nil {
				t.Fatal(err)
			}
			if w, listed := want[nr]; listed && w != got && w != 1 || !listed && got != Errno(linux.ENOSYS) {
				t.Errorf("call %d: %#x, want %#x (in the list: %v)", nr, got, w, listed)
			}
		}
	}
}

func TestCalls(t *testing.T) {
	const garbage = 0xdeadbeef << 32 // the kernel does not look there
	eafnosupport := Errno(linux.EAFNOSUPPORT)
	for _, tc := range []struct {
		name    string
		metered bool
		machine uint32
		nr      uintptr
		args    []uint64
		want    Action
	}{
		{name: "another machine", machine: unix.AUDIT_ARCH_I386, nr: unix.SYS_READ, want: KillProcess},
		{name: "x32", nr: 0x40000000 | unix.SYS_READ, want: missing},
		{name: "negative", nr: 0xffffffff, want: missing},
		{name: "read", nr: unix.SYS_READ, want: Allow},
		{name: "thread", nr: unix.SYS_CLONE, args: []uint64{0x3d0f00}, want: Allow},
		{name: "user namespace", nr: unix.SYS_CLONE, args: []uint64{unix.CLONE_NEWUSER | 17}, want: refuse},
		{name: "mount namespace, high bits", nr: unix.SYS_CLONE, args: []uint64{garbage | unix.CLONE_NEWNS}, want: refuse},
		{name: "clone3", nr: unix.SYS_CLONE3, want: missing},
		{name: "tcp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}, want: Allow},
		{name: "udp over v6", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_UDP}, want: Allow},
		{name: "mptcp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM, 262}, want: eafnosupport},
		{name: "raw", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}, want: eafnosupport},
		{name: "ping", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}, want: eafnosupport},
		{name: "vsock", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, want: eafnosupport},
		{name: "alg", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET, 0}, want: eafnosupport},
		{name: "packet", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_PACKET, unix.SOCK_RAW, 0}, want: eafnosupport},
		{name: "route", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, want: Allow},
		{name: "netfilter", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER}, want: eafnosupport},
		{name: "high bits of a family", nr: unix.SYS_SOCKET, args: []uint64{garbage | unix.AF_VSOCK, unix.SOCK_STREAM, 0}, want: eafnosupport},
		{name: "pair", nr: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_UNIX}, want: Allow},
		{name: "TIOCSTI", nr: unix.SYS_IOCTL, args: []uint64{0, garbage | unix.TIOCSTI}, want: refuse},
		{name: "FIONREAD", nr: unix.SYS_IOCTL, args: []uint64{0, unix.TIOCINQ}, want: Allow},
		{name: "name a thread", nr: unix.SYS_PRCTL, args: []uint64{unix.PR_SET_NAME}, want: Allow},
		{name: "move the program", nr: unix.SYS_PRCTL, args: []uint64{unix.PR_SET_MM}, want: Errno(linux.EINVAL)},
		{name: "same personality", nr: unix.SYS_PERSONALITY, args: []uint64{0xffffffff}, want: Allow},
		{name: "READ_IMPLIES_EXEC", nr: unix.SYS_PERSONALITY, args: []uint64{0x400000}, want: refuse},
		{name: "own limits", nr: unix.SYS_PRLIMIT64, args: []uint64{0, 7}, want: Allow},
		{name: "limits of the agent", nr: unix.SYS_PRLIMIT64, args: []uint64{garbage | 1, 7}, want: refuse},
		{name: "sync", nr: unix.SYS_SYNC, want: nothing},
		{name: "private map", nr: unix.SYS_MMAP, args: []uint64{0, 0, 0, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS}, want: Allow},
		{name: "shared file", nr: unix.SYS_MMAP, args: []uint64{0, 0, 0, unix.MAP_SHARED}, want: Allow},
		{name: "shared memory, not metered", nr: unix.SYS_MMAP, args: []uint64{0, 0, 0, unix.MAP_SHARED | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE}, want: refuse},
		{name: "shared memory, metered", metered: true, nr: unix.SYS_MMAP, args: []uint64{0, 0, 0, unix.MAP_SHARED | unix.MAP_ANONYMOUS}, want: Allow},
		{name: "huge pages", nr: unix.SYS_MMAP, args: []uint64{0, 0, 0, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_HUGETLB | 30<<26}, want: Errno(linux.ENOMEM)},
		{name: "huge pages in a memfd", metered: true, nr: unix.SYS_MEMFD_CREATE, args: []uint64{0, unix.MFD_HUGETLB}, want: refuse},
		{name: "drop pages of a file", nr: unix.SYS_FADVISE64, args: []uint64{0, 0, 0, unix.FADV_DONTNEED}, want: nothing},
		{name: "read ahead", nr: unix.SYS_FADVISE64, args: []uint64{0, 0, 0, unix.FADV_WILLNEED}, want: Allow},
		{name: "page out", nr: unix.SYS_MADVISE, args: []uint64{0, 0, unix.MADV_PAGEOUT}, want: nothing},
		{name: "merge pages", nr: unix.SYS_MADVISE, args: []uint64{0, 0, garbage | unix.MADV_MERGEABLE}, want: Errno(linux.EINVAL)},
		{name: "free pages", nr: unix.SYS_MADVISE, args: []uint64{0, 0, unix.MADV_DONTNEED}, want: Allow},
		{name: "cookie of a socket", nr: unix.SYS_GETSOCKOPT, args: []uint64{0, unix.SOL_SOCKET, unix.SO_COOKIE}, want: refuse},
		{name: "error of a socket", nr: unix.SYS_GETSOCKOPT, args: []uint64{0, unix.SOL_SOCKET, unix.SO_ERROR}, want: Allow},
		{name: "memfd, not metered", nr: unix.SYS_MEMFD_CREATE, want: missing},
		{name: "pages of files, not metered", nr: unix.SYS_SENDFILE, want: Errno(linux.EINVAL)},
		{name: "pages of files, metered", metered: true, nr: unix.SYS_SENDFILE, want: Allow},
		{name: "a group, not metered", nr: unix.SYS_SETSOCKOPT, args: []uint64{0, unix.IPPROTO_IPV6, unix.IPV6_JOIN_GROUP}, want: refuse},
		{name: "memfd, metered", metered: true, nr: unix.SYS_MEMFD_CREATE, want: Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			machine := uint32(Arch)
			if tc.machine != 0 {
				machine = tc.machine
			}
			got, err := eval(Filter(Policy{Metered: tc.metered}), machine, tc.nr, tc.args...)
			if err != nil || got != tc.want {
				t.Errorf("got %#x, %v, want %#x", got, err, tc.want)
			}
		})
	}
}

// What makes or ends a process, a watch or a lock asks; nothing else does, and what
// the filter of the box refuses it refuses first.
func TestMakes(t *testing.T) {
	for nr := uintptr(0); nr < 1024; nr++ {
		want := Allow
		if nr == unix.SYS_CLONE || nr == unix.SYS_CLONE3 || nr == unix.SYS_EXIT_GROUP || slices.Contains(forks, nr) {
			want = Ask
		}
		if got, err := eval(Makes(), Arch, nr); got != want || err != nil {
			t.Errorf("call %d: %#x, %v, want %#x", nr, got, err, want)
		}
	}
	for _, tc := range []struct {
		nr, arg uintptr
		want    Action
	}{
		{unix.SYS_EPOLL_CTL, unix.EPOLL_CTL_ADD, Ask}, {unix.SYS_EPOLL_CTL, unix.EPOLL_CTL_MOD, Allow},
		{unix.SYS_FCNTL, unix.F_SETLK, Ask}, {unix.SYS_FCNTL, unix.F_OFD_SETLKW, Ask}, {unix.SYS_FCNTL, unix.F_GETFD, Allow},
	} {
		if got, err := eval(Makes(), Arch, tc.nr, 0, uint64(tc.arg)); got != tc.want || err != nil {
			t.Errorf("call %d with %d: %#x, %v, want %#x", tc.nr, tc.arg, got, err, tc.want)
		}
	}
	// As the kernel orders them (see seccomp(2)), all but the deadly ones.
	if !(refuse < Ask && missing < Ask && Ask < Allow) {
		t.Errorf("actions %#x, %#x, %#x, %#x", refuse, missing, Ask, Allow)
	}
}

// Jumps over long lists and rules of many conditions.
func TestAssemble(t *testing.T) {
	var calls []Call
	for nr := uintptr(0); nr < 1000; nr += 2 {
		calls = append(calls, Call{NR: nr, Rules: []Rule{
			{[]Cond{{Arg: 0, Value: 1}, {Arg: 1, Mask: 0xf0, Value: 0x20}}, Errno(1)},
			{[]Cond{{Arg: 5, Value: uint32(nr)}}, Errno(2)},
		}, Else: Allow})
	}
	filter := Assemble(Arch, calls, Errno(3))
	for nr := uintptr(0); nr < 1002; nr++ {
		for _, tc := range []struct {
			args []uint64
			want Action
		}{
			{[]uint64{1, 0x2f, 0, 0, 0, 0xffff}, Errno(1)},
			{[]uint64{1, 0x3f, 0, 0, 0, 0xffff}, Allow},
			{[]uint64{1, 0x3f, 0, 0, 0, uint64(nr)}, Errno(2)},
			{[]uint64{0, 0x2f, 0, 0, 0, 0xffff}, Allow},
		} {
			want := tc.want
			if nr%2 == 1 || nr >= 1000 {
				want = Errno(3)
			}
			if got, err := eval(filter, Arch, nr, tc.args...); got != want || err != nil {
				t.Fatalf("call %d with %v: %#x, %v, want %#x", nr, tc.args, got, err, want)
			}
		}
	}
}
