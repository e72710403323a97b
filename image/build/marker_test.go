package build

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// packaging runs a script with Python's packaging library, which pip has in
// it, as the judge of what we read of its formats.
func packaging(t *testing.T, script string, into any) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to compare with")
	}
	var stderr bytes.Buffer
	cmd := exec.Command(python, "-I", "-c", "import json\ntry:\n from pip._vendor.packaging import tags, markers, specifiers\nexcept ImportError:\n from packaging import tags, markers, specifiers\n"+script)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && strings.Contains(stderr.String(), "ModuleNotFoundError") {
		t.Skip("this python3 has neither pip nor packaging to compare with")
	}
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatal(err)
	}
}

// Tags are those of the packaging library, in the same order.
func TestTagsAreThoseOfPackaging(t *testing.T) {
	var theirs []string
	target := &target{python: release{3, 11}, machine: "x86_64", libc: "glibc", version: release{2, 36}}
	platforms, err := json.Marshal(target.platforms())
	if err != nil {
		t.Fatal(err)
	}
	packaging(t, "p = "+string(platforms)+`
l = list(tags.cpython_tags((3, 11), ["cp311"], p)) + list(tags.compatible_tags((3, 11), "cp311", p))
print(json.dumps([str(x) for x in l]))`, &theirs)
	ours := target.tags()
	if len(ours) != len(theirs) {
		t.Errorf("%d tags, packaging has %d", len(ours), len(theirs))
	}
	for i := range min(len(ours), len(theirs)) {
		if ours[i] != theirs[i] {
			t.Fatalf("tag %d is %s, packaging has %s", i, ours[i], theirs[i])
		}
	}
}

func TestPlatformTags(t *testing.T) {
	for _, c := range []struct {
		target target
		first  string
		has    []string
		last   string
	}{
		{target{machine: "x86_64", libc: "glibc", version: release{2, 36}}, "manylinux_2_36_x86_64", []string{"manylinux2014_x86_64", "manylinux1_x86_64"}, "linux_x86_64"},
		{target{machine: "aarch64", libc: "glibc", version: release{2, 28}}, "manylinux_2_28_aarch64", []string{"manylinux2014_aarch64"}, "linux_aarch64"},
		{target{machine: "x86_64", libc: "musl", version: release{1, 2}}, "musllinux_1_2_x86_64", []string{"musllinux_1_0_x86_64"}, "linux_x86_64"},
		{target{machine: "x86_64"}, "linux_x86_64", nil, "linux_x86_64"},
	} {
		list := c.target.platforms()
		if list[0] != c.first || list[len(list)-1] != c.last {
			t.Errorf("%+v: %q … %q", c.target, list[0], list[len(list)-1])
		}
		for _, h := range c.has {
			if !slices.Contains(list, h) {
				t.Errorf("%+v has no %s", c.target, h)
			}
		}
	}
}

var markers = []string{
	``, `python_version >= "3.8"`, `python_version < "3.11"`, `python_version<"3.12" and python_version>='3.9'`,
	`sys_platform == "win32"`, `sys_platform != "win32" or os_name == "nt"`, `(sys_platform == "linux" and platform_machine == "x86_64") or python_version < "3"`,
	`"linux" in sys_platform`, `platform_machine in "x86_64 aarch64"`, `platform_machine not in "arm64"`,
	`python_full_version >= "3.11.5"`, `python_version ~= "3.9"`, `python_version == "3.*"`, `python_version != "3.10.*"`,
	`implementation_name == "cpython" and platform_python_implementation != "PyPy"`, `extra == "dev"`,
	`python_version == "3.11" and (sys_platform == "darwin" or (os_name == "posix" and platform_system == "Linux"))`,
	`"3.8" <= python_version`, `python_version > "3.10"`, `python_version > "3.9.1"`,
	// Pre-releases come before their release: coverage[toml] has the first.
	`python_full_version <= "3.11.0a6"`, `python_full_version > "3.11.7a1"`, `python_full_version < "3.11.7rc1"`, `python_full_version >= "3.11.7.dev1"`,
	`python_full_version ~= "3.11.0a1"`, `python_full_version != "3.11.7rc1"`, `python_full_version == "3.11.7.post1"`, `python_full_version < "3.11.8.dev1"`,
	`python_version >= "3.12.0b1"`, `python_version < "3.11a1"`, `"3.11.0a6" >= python_full_version`, `python_full_version > "3.11.7.post1"`,
}

// Markers mean what they mean to pip.
func TestMarkersAreThoseOfPackaging(t *testing.T) {
	var theirs []bool
	list, err := json.Marshal(markers[1:])
	if err != nil {
		t.Fatal(err)
	}
	packaging(t, `
env = {"python_version": "3.11", "python_full_version": "3.11.7", "implementation_version": "3.11.7", "implementation_name": "cpython",
  "platform_python_implementation": "CPython", "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux",
  "platform_machine": "x86_64", "platform_release": "", "platform_version": "", "extra": ""}
print(json.dumps([markers.Marker(m).evaluate(env) for m in `+string(list)+`]))`, &theirs)
	target := &target{python: release{3, 11, 7}, machine: "x86_64"}
	for i, m := range markers[1:] {
		got, err := target.marker(m)
		if err != nil || got != theirs[i] {
			t.Errorf("%s: %v, %v; packaging says %v", m, got, err, theirs[i])
		}
	}
}

// Versions are compared as pip does.
func TestSpecifiersAreThoseOfPackaging(t *testing.T) {
	specs := []string{">=3.8", ">3.11.7rc1", "<=3.11.7a6", "<3.12.0a1", "==3.11.7rc1", "!=3.11.7a1", "~=3.11.7rc1", "===3.11.7", ">=3.8,<4", "!=3.11.*", "==3.11.7", "~=3.10", "~=3.11.3", "<3.11", ">3.11", ">=3.7, !=3.9.0, <3.12", "", "==3.*", "<=3.11.6"}
	var theirs []bool
	list, err := json.Marshal(specs)
	if err != nil {
		t.Fatal(err)
	}
	packaging(t, `print(json.dumps([specifiers.SpecifierSet(s).contains("3.11.7") for s in `+string(list)+`]))`, &theirs)
	for i, s := range specs {
		got, err := release{3, 11, 7}.satisfies(s)
		if err != nil || got != theirs[i] {
			t.Errorf("%q: %v, %v; packaging says %v", s, got, err, theirs[i])
		}
	}
}

func TestMarkersThatAreNone(t *testing.T) {
	target := &target{python: release{3, 11}, machine: "x86_64"}
	for _, m := range []string{
		`python_version`, `python_version >=`, `python_version >= "3`, `(python_version >= "3"`, `python_version >= "3")`, `unknown == "a"`,
		`python_version ? "3"`, `__import__("os").system("x")`, strings.Repeat("(", 1000) + `os_name == "a"`, `os_name == "a" and`, strings.Repeat(`os_name == "a" or `, 1000),
		`python_version >= "abc"`, `python_version => "3"`, `python_version = "3"`, `python_version >= "3 || 4"`, `python_version >= "3,4"`, `python_version ~= "3"`, `python_version >= "3.*"`, `os_name not "a"`, `"a" "b" "c"`,
	} {
		if v, err := target.marker(m); err == nil {
			t.Errorf("%.60s is %v", m, v)
		}
	}
}

func FuzzMarker(f *testing.F) {
	for _, m := range markers {
		f.Add(m)
	}
	target := &target{python: release{3, 11}, machine: "x86_64"}
	f.Fuzz(func(t *testing.T, s string) { _, _ = target.marker(s) })
}
