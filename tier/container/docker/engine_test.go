//go:build linux

package docker

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/leftover"
)

// hostEnv is the address of the engine under test: one that is given to the
// tests, or the one that they have started.
const hostEnv = "GLOVEBOX_TEST_ENGINE"

// EngineHost returns the address of an engine: Podman's, on a socket of its
// own, with a storage that ends with the test.
func EngineHost(t testing.TB) string {
	t.Helper()
	if host := os.Getenv(hostEnv); host != "" {
		return host
	}
	podman, err := exec.LookPath("podman")
	if err != nil {
		t.Skip("there is no podman here, and no engine in " + hostEnv)
	}
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user's podman has no control groups here")
	}
	dir, err := os.MkdirTemp("/tmp", "gbpod") // short, for sockets
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "containers.conf")
	// The limits of the engine's own defaults may be above those of this
	// process; and crun 1.8 knows no hybrid control groups.
	text := "[containers]\ndefault_ulimits = [\"nofile=512:512\", \"nproc=1024:1024\"]\n" +
		"[engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\n"
	if runc, err := exec.LookPath("runc"); err == nil {
		text += fmt.Sprintf("runtime = \"runc\"\n[engine.runtimes]\nrunc = [%q]\n", runc)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	old, _ := filepath.Glob(podmanGroups)
	t.Cleanup(func() {
		if len(old) == 0 {
			removePodmanGroups(t)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, storage := range []string{"overlay", "vfs"} {
		if host := servePodman(t, podman, config, dir, storage); host != "" {
			t.Setenv(hostEnv, host)
			return host
		}
	}
	log, _ := os.ReadFile(dir + "/log")
	t.Skipf("podman does not serve here: %s", log)
	return ""
}

// servePodman starts a podman that serves on a socket in dir, and returns the
// socket's address, or nothing where it does not.
func servePodman(t testing.TB, podman, config, dir, storage string) string {
	t.Helper()
	dir = filepath.Join(dir, storage)
	socket := filepath.Join(dir, "engine.sock")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// It is not below this process, nor are its mounts this process's: what a
	// test leaves is told from what the engine does.
	const script = `log=$1; shift; setsid unshare -m --propagation private "$@" >"$log" 2>&1 & echo $!`
	start := exec.Command("/bin/sh", "-c", script, "sh", filepath.Join(dir, "../log"), podman,
		"--root", dir+"/root", "--runroot", dir+"/run", "--tmpdir", dir+"/tmp", "--storage-driver", storage,
		"system", "service", "--time=0", "unix://"+socket)
	start.Env = append(os.Environ(), "CONTAINERS_CONF="+config, "TMPDIR="+dir)
	out, err := start.Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(pid, syscall.SIGKILL)
		for leftover.Alive(pid) {
			time.Sleep(time.Millisecond)
		}
	})
	for range 600 {
		if e, err := connect(context.Background(), Options{Host: "unix://" + socket}); err == nil {
			if _, err = e.facts(context.Background()); err == nil {
				return "unix://" + socket
			}
		}
		if !leftover.Alive(pid) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return ""
}

// podmanGroups are the control groups that Podman never removes.
const podmanGroups = "/sys/fs/cgroup/*/libpod_parent"

func removePodmanGroups(t testing.TB) {
	t.Helper()
	var left []string
	for range 500 {
		for _, pattern := range []string{podmanGroups + "/*", podmanGroups} {
			groups, _ := filepath.Glob(pattern)
			for _, g := range groups {
				if info, err := os.Stat(g); err == nil && info.IsDir() {
					os.Remove(g)
				}
			}
		}
		if left, _ = filepath.Glob(podmanGroups); len(left) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond) // the last monitors are ending
	}
	t.Errorf("control groups are left: %q", left)
}

// Pids are the processes of all our containers, as this machine calls them.
func Pids(t *testing.T, host string) (pids []int) {
	t.Helper()
	ctx := context.Background()
	e, err := connect(ctx, Options{Host: host})
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		ID string `json:"Id"`
	}
	if err := e.call(ctx, http.MethodGet, "/containers/json", filter("label", labelOwner), nil, &list); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		var inspected struct{ State struct{ Pid int } }
		if err := e.call(ctx, http.MethodGet, "/containers/"+c.ID+"/json", nil, nil, &inspected); err != nil {
			t.Fatal(err)
		}
		pids = append(append(pids, inspected.State.Pid), leftover.Below(inspected.State.Pid)...)
	}
	return pids
}
