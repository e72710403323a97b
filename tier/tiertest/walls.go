package tiertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/attack"
)

// wallTests are about the walls of a box, and the limits.
var wallTests = map[string]func(*suite, *testing.T){
	"attacks": func(s *suite, t *testing.T) {
		bait, err := attack.NewBait()
		if err != nil {
			t.Fatal(err)
		}
		defer bait.Close()
		list := append(attack.Walls(bait), attack.Limits()...)
		if s.kind.Kernel {
			list = append(list, attack.Kernel()...)
		}
		if s.kind.Silent {
			list = attack.Silent(list)
		}
		for _, a := range list {
			p, err := a.Try(context.Background(), s.tier, s.root)
			if err != nil || !p.Proven {
				t.Errorf("%s: %s, %v", a.Control, p.Detail, err)
			}
		}
	},
	"probe": func(s *suite, t *testing.T) {
		report := s.tier.Probe(context.Background())
		if !report.Usable || report.Tier != s.tier.Name() {
			t.Errorf("%s is not usable: %s", report.Tier, report.Reason)
		}
		proven := map[string]bool{tier.ControlIPC: true} // nothing of the host's to look for
		for _, p := range report.Controls {
			proven[p.Name] = p.Proven
			if p.Detail == "" || !p.Proven && p.Fix == "" {
				t.Errorf("probe of %s says %+v", p.Name, p)
			}
		}
		// A box must list exactly the controls that the probe proved.
		for _, c := range s.open(t).Controls() {
			if c.Enforced && !proven[c.Name] || c.How == "" {
				t.Errorf("control %+v is claimed and not proven", c)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if report := s.tier.Probe(ctx); report.Usable {
			t.Error("a cancelled probe says that the tier is usable")
		}
	},
	"the root is read-only": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for _, dir := range []string{"/", "/etc", "/usr", "/usr/bin", "/dev", "/proc", "/sys", "/opt", "/var", "/root", "/home", "/run"} {
				refused(s, linux.SYS_OPENAT, linux.AT_FDCWD, dir+"/new", linux.O_CREAT|linux.O_WRONLY, 0o644)
				refused(s, linux.SYS_MKDIRAT, linux.AT_FDCWD, dir+"/new", 0o755)
			}
			refused(s, linux.SYS_RENAMEAT2, linux.AT_FDCWD, "/etc", linux.AT_FDCWD, "/tmp/etc", 0)
			refused(s, linux.SYS_UNLINKAT, linux.AT_FDCWD, "/etc/passwd", 0)
			refused(s, linux.SYS_FCHMODAT, linux.AT_FDCWD, "/etc", 0o777)
			refused(s, linux.SYS_TRUNCATE, "/etc/passwd", 0)
			refused(s, linux.SYS_OPENAT, linux.AT_FDCWD, "/etc/passwd", linux.O_RDWR, 0)
			refused(s, linux.SYS_MOUNT, 0, "/", 0, linux.MS_REMOUNT|linux.MS_BIND, 0)
		}))
		run(box, "p").ok(t)
	},
	"no path of the host shows": func(s *suite, t *testing.T) {
		secrets := []string{s.root.Tree, s.root.Image, filepath.Base(filepath.Dir(s.root.Tree + s.root.Image)), "glovebox-box-"}
		if own, err := os.ReadFile("/proc/self/cgroup"); err == nil {
			for line := range strings.Lines(string(own)) {
				if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 {
					secrets = append(secrets, f[2])
				}
			}
		}
		box := s.open(t, program("p", func(s *glove.Script) {
			for _, name := range []string{"mountinfo", "mounts", "mountstats", "maps", "environ", "cmdline", "cgroup", "status", "root", "exe", "cwd"} {
				for _, pid := range []string{"self", "1"} {
					fd, failed, again, buf, n := s.Buffer(8), s.Label(), s.Label(), s.Scratch(16<<10), s.Buffer(8)
					s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, "/proc/"+pid+"/"+name, linux.O_RDONLY, 0).To(fd).IfError(failed)
					s.Place(again)
					s.CallOn(fd, "read", linux.SYS_READ, buf, 16<<10).To(n).IfError(failed)
					s.Load(n).IfEqual(0, failed)
					count := s.Load(n)
					count.To(s.Call("write", linux.SYS_WRITE, 1, buf, 0).Arg(2))
					s.Jump(again)
					s.Place(failed)
				}
			}
		}))
		r := run(box, "p").ok(t)
		if !strings.Contains(r.stdout.String(), tier.Workspace) {
			t.Errorf("it saw nothing: %q", &r.stdout)
		}
		for _, secret := range secrets {
			if len(secret) > 1 && strings.Contains(r.stdout.String(), secret) {
				t.Errorf("%q shows in\n%s", secret, &r.stdout)
			}
		}
	},
	"memory of many processes": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for range 10 {
				fork(s, func(s *glove.Script) {
					s.Call("mmap", linux.SYS_MMAP, 0, 16<<20, linux.PROT_READ|linux.PROT_WRITE, linux.MAP_PRIVATE|linux.MAP_ANONYMOUS|linux.MAP_POPULATE, -1, 0)
					pause(s)
				})
			}
			sleep(s, 10*time.Second)
		}))
		if r := run(box, "p", func(c *tier.Command) { c.Wall = ample }); !r.hit(glovebox.LimitMemory) {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"memory in files": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for _, dir := range []string{tier.Workspace, tier.Temp, "/dev/shm"} {
				fd, data := s.Buffer(8), s.Scratch(1<<20)
				s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, dir+"/big", linux.O_CREAT|linux.O_WRONLY, 0o644).To(fd)
				for range 50 {
					s.CallOn(fd, "write", linux.SYS_WRITE, data, 1<<20).Ignore()
				}
			}
			pause(s)
		}))
		if r := run(box, "p", func(c *tier.Command) { c.Wall = ample }); r.Cause != glovebox.CauseMemory || !r.hit(glovebox.LimitMemory) {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"processor time of many processes": func(s *suite, t *testing.T) {
		spec := s.spec(program("p", func(s *glove.Script) {
			for range 4 {
				fork(s, loop)
			}
			pause(s)
		}))
		spec.Limits.CPU = time.Second
		if r := run(s.openSpec(t, spec), "p"); r.Cause != glovebox.CauseCPU || !r.hit(glovebox.LimitCPU) {
			t.Errorf("ended with %+v", r.Outcome)
		}
	},
	"the processor's time of a command is not the next one's": func(s *suite, t *testing.T) {
		spec := s.spec(program("p", loop), program("q", func(s *glove.Script) {}))
		spec.Limits.CPU = time.Second
		box := s.openSpec(t, spec)
		for range 3 {
			if r := run(box, "p", func(c *tier.Command) { c.Wall = 700 * time.Millisecond }); r.Cause != glovebox.CauseWall {
				t.Errorf("ended with %+v", r.Outcome)
			}
			if !box.Alive() {
				t.Skip("this tier's box ends with a killed command")
			}
		}
		run(box, "q").ok(t)
	},
	"a program that keeps its limits hits none": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			s.Call("mmap", linux.SYS_MMAP, 0, int64(1)<<40, linux.PROT_NONE, linux.MAP_PRIVATE|linux.MAP_ANONYMOUS|linux.MAP_NORESERVE, -1, 0)
			fork(s, func(*glove.Script) {})
			create(s, "file", "data")
			create(s, tier.Temp+"/file", "data")
		}))
		if r := run(box, "p").ok(t); len(r.Hits) > 0 {
			t.Errorf("hits are %+v", r.Hits)
		}
	},
}
