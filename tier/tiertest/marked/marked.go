// Package marked searches boxes for the operator's data: Glovebox's own
// environment, and its working paths.
package marked

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/tier"
)

// env has the marker in a process that runs boxes.
const env = "GLOVEBOX_TEST_MARKER"

// Test runs the test once more, in a process with a marker in the environment,
// in the path of the working directory and in the path of the cache. There Test
// calls look with the source of a Python program in search of the marker; see
// [Nowhere].
func Test(t *testing.T, look func(t *testing.T, source string)) {
	if marker := os.Getenv(env); marker != "" {
		half := len(marker) / 2
		look(t, fmt.Sprintf(source, marker[:half], marker[half:]))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	marker := rand.Text()
	// Not t.TempDir: an ordinary user's box has to come to its root.
	home, err := os.MkdirTemp("", "glovebox-marked-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	dir := filepath.Join(home, marker)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env+"="+marker, "GLOVEBOX_CACHE="+filepath.Join(dir, "cache"))
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("%v:\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP: "+t.Name()+" ")):
		t.Skipf("%s", out)
	default:
		t.Logf("%s", out)
	}
}

// Nowhere runs the program as cmd, and fails if it finds the marker.
func Nowhere(t *testing.T, box tier.Box, cmd tier.Command) {
	t.Helper()
	if found := run(t, box, cmd); len(found) > 0 {
		t.Errorf("the operator's environment or paths are in %s", strings.Join(found, ", "))
	}
}

// Somewhere runs the program with the marker in the command's own environment:
// it must be found.
func Somewhere(t *testing.T, box tier.Box, cmd tier.Command) {
	t.Helper()
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "MARKED="+os.Getenv(env))
	found := strings.Join(run(t, box, cmd), " ")
	for _, where := range []string{"/proc/self/environ", "/proc/self/mem"} {
		if !strings.Contains(found, where) {
			t.Errorf("the program does not find what is in %s, only in %q", where, found)
		}
	}
}

func run(t *testing.T, box tier.Box, cmd tier.Command) (found []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	out := box.Run(context.Background(), cmd)
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		t.Fatalf("%v: %+v: %s", err, out, &stderr)
	}
	return found
}

// The program has the marker in halves, to avoid finding a copy in itself.
const source = `
import json, os
one, two = b"%s", b"%s"
found = []

def look(where, data):
    at = data.find(one)
    while at >= 0:
        if data[at + len(one):at + len(one) + len(two)] == two:
            found.append(where)
            return
        at = data.find(one, at + 1)

def memory(pid):
    try:
        mem = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        maps = open(f"/proc/{pid}/maps").readlines()
    except OSError:
        return
    for line in maps:
        place, rights, *_ = line.split()
        start, end = (int(n, 16) for n in place.split("-"))
        while start < end and rights[0] == "r":
            try:
                data = os.pread(mem, min(end - start, 8 << 20), start)
            except (OSError, OverflowError):
                break
            look(f"/proc/{pid}/mem: {line.strip()}", data)
            start += max(len(data) - (100 if start + len(data) < end else 0), 1)

for pid in "self", "1":
    for top, dirs, files in os.walk(f"/proc/{pid}"):
        for name in dirs + files:
            path = os.path.join(top, name)
            look(path, path.encode())
            try:
                if os.path.islink(path):
                    look(path, os.readlink(path).encode())
                elif name not in dirs and name != "mem":
                    with open(path, "rb") as f:
                        look(path, f.read(4 << 20))
            except OSError:
                pass
    memory(pid)
print(json.dumps(found))
`
