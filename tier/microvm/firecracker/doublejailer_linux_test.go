package firecracker

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// doubleJailer does what the jailer does, in its order (src/jailer/src/env.rs):
// it checks its arguments as that does, copies the program, sets limits, enters
// the directory, makes its devices, becomes the user and executes the program.
// It writes its arguments beside the directory.
func doubleJailer() {
	v, rest := flags(os.Args[1:], map[string]bool{
		"id": true, "exec-file": true, "uid": true, "gid": true, "chroot-base-dir": true, "netns": true, "daemonize": false,
		"new-pid-ns": false, "cgroup": true, "resource-limit": true, "cgroup-version": true, "parent-cgroup": true,
	})
	one := func(name string) string {
		if len(v[name]) != 1 {
			fatal("Jailer error: argument", name)
		}
		return v[name][0]
	}
	number := func(s string, bits int) int {
		n, err := strconv.ParseUint(s, 10, bits)
		if err != nil {
			fatal("Jailer error:", err)
		}
		return int(n)
	}
	id, program := one("id"), one("exec-file")
	if !ids.MatchString(id) {
		fatal("Jailer error: Invalid instance ID")
	}
	uid, gid := number(one("uid"), 32), number(one("gid"), 32)
	if info, err := os.Stat(one("chroot-base-dir")); err != nil || !info.IsDir() {
		fatal("Jailer error: not a directory", err)
	}
	if n := number(one("cgroup-version"), 8); n != 1 && n != 2 {
		fatal("Jailer error: cgroup version")
	}
	if parent := one("parent-cgroup"); filepath.IsAbs(parent) || strings.Contains(parent, ".") {
		fatal("Jailer error: Parent cgroup path is invalid")
	}
	limits := map[string]int{"no-file": unix.RLIMIT_NOFILE, "fsize": unix.RLIMIT_FSIZE}
	for _, l := range v["resource-limit"] {
		m := regexp.MustCompile(`^(fsize|no-file)=([0-9]+)$`).FindStringSubmatch(l)
		if m == nil {
			fatal("Jailer error: Invalid format for resources limits", l)
		}
	}
	root := filepath.Join(one("chroot-base-dir"), filepath.Base(program), id, "root")
	inner := "/" + filepath.Base(program)
	steps := []error{
		os.MkdirAll(root, 0o700),
		os.WriteFile(filepath.Join(root, "..", "arguments"), []byte(strings.Join(os.Args[1:], "\n")), 0o600),
		copyFile(program, filepath.Join(root, inner), 0o500),
		os.Chown(filepath.Join(root, inner), uid, gid),
	}
	for _, l := range v["resource-limit"] {
		name, value, _ := strings.Cut(l, "=")
		n := uint64(number(value, 64))
		steps = append(steps, unix.Setrlimit(limits[name], &unix.Rlimit{Cur: n, Max: n}))
	}
	steps = append(steps, unix.Chroot(root), os.Chdir("/"))
	for _, dir := range []string{"/", "/dev", "/dev/net", "/run"} {
		steps = append(steps, os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700), os.Chown(dir, uid, gid))
	}
	if err := unix.Mknod("/dev/kvm", unix.S_IFCHR|0o600, int(unix.Mkdev(10, 232))); err != nil && err != unix.EPERM {
		steps = append(steps, err)
	}
	steps = append(steps,
		os.WriteFile(inner+".pid", []byte(strconv.Itoa(os.Getpid())), 0o600),
		syscall.Setgroups(nil), syscall.Setgid(gid), syscall.Setuid(uid))
	if err := errors.Join(steps...); err != nil {
		fatal("Jailer error:", err)
	}
	args := append([]string{filepath.Base(program), "--id", id, "--start-time-us", "1", "--start-time-cpu-us", "2", "--parent-cpu-time-us", "3"}, rest...)
	fatal("Jailer error:", syscall.Exec(inner, args, nil))
}
