package rootfs

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
)

var someLibraries = []string{
	"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/x86_64-linux-gnu/libz.so.1",
	"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", "/usr/lib/x86_64-linux-gnu/libpython3.9.so.1.0", "/usr/lib/x86_64-linux-gnu/libpython3.so",
	"/usr/lib/x86_64-linux-gnu/libicudata.so.72", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/lib.so",
}

// TestLoaderCache has glibc's own ldconfig read a cache.
func TestLoaderCache(t *testing.T) {
	arch := runtime.GOARCH
	cache := cacheOf(arch, someLibraries)
	if cache == nil {
		t.Skipf("no loader of %s takes a cache of ours", arch)
	}
	ldconfig, err := exec.LookPath("ldconfig")
	if err != nil {
		if ldconfig, err = exec.LookPath("/sbin/ldconfig"); err != nil {
			t.Skip("there is no ldconfig to read it")
		}
	}
	file := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(file, cache, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(ldconfig, "-p", "-C", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) \(libc6,(?:x86-64|AArch64)\) => (\S+)$`).FindAllStringSubmatch(string(out), -1) {
		if m[1] != path.Base(m[2]) {
			t.Errorf("%s is the name of %s", m[1], m[2])
		}
		got = append(got, m[2])
	}
	slices.Sort(got)
	if want := slices.Sorted(slices.Values(someLibraries)); !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q, and says\n%s", got, want, out)
	}
}

// TestLoaderCacheOrder: numbers by value, after all else, as the loader searches.
func TestLoaderCacheOrder(t *testing.T) {
	up := []string{"", "lib.so", "libc.so", "libc.so.6", "libc++.so", "libpython.so", "libpython3.so", "libpython3.9.so", "libpython3.11.so", "libpython3.11.so.1", "libpython3.11.so.1.0", "libz.so", "lib3.so"}
	slices.SortStableFunc(up, compareLibraries)
	want := []string{"", "lib.so", "libc++.so", "libc.so", "libc.so.6", "libpython.so", "libpython3.so", "libpython3.9.so", "libpython3.11.so", "libpython3.11.so.1", "libpython3.11.so.1.0", "libz.so", "lib3.so"}
	if !slices.Equal(up, want) {
		t.Errorf("%q, want %q", up, want)
	}
	for _, a := range up {
		for _, b := range up {
			if compareLibraries(a, b) != -compareLibraries(b, a) {
				t.Errorf("%q and %q", a, b)
			}
		}
	}
}

// TestLoaderCacheOddNames: names that the loader would look for elsewhere in the cache.
func TestLoaderCacheOddNames(t *testing.T) {
	odd := []string{"/usr/lib/libé.so", "/usr/lib/libn3000000000.so", "/usr/lib/liba.so.01", "/usr/lib/lib\n.so"}
	if got, want := cacheOf("amd64", append(odd, someLibraries...)), cacheOf("amd64", someLibraries); !bytes.Equal(got, want) {
		t.Errorf("it has names that are odd: %q", got)
	}
	if cacheOf("riscv64", someLibraries) != nil {
		t.Error("riscv64 has a cache")
	}
}
