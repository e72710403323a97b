package build

import (
	"archive/tar"
	"slices"
	"strings"
	"testing"
)

func installTestDeb(t testing.TB, tr *tree, name string, b []byte) (*debFile, error) {
	t.Helper()
	return installDeb(tr, opened(t, b), testSpool(t), name, "amd64")
}

func TestDebIsUnpacked(t *testing.T) {
	tr := newTree(testBounds)
	if err := tr.layout(); err != nil {
		t.Fatal(err)
	}
	deb, err := installTestDeb(t, tr, "tool_1.0_all.deb", makeDeb(t, "tool", "Depends: libc6 (>= 2.3), mawk | awk\nDescription: a tool\n more of it\n",
		[]testFile{{name: "./postinst", body: "#!/bin/sh\ntouch /pwned\nupdate-alternatives --install /usr/bin/t t /usr/bin/tool 10\n", mode: 0o755}},
		testFile{name: "./", kind: tar.TypeDir}, testFile{name: "./bin/", kind: tar.TypeDir}, testFile{name: "./usr/bin/", kind: tar.TypeDir},
		testFile{name: "./usr/bin/tool", body: "x", mode: 0o4755},
		testFile{name: "./bin/same", kind: tar.TypeLink, link: "./usr/bin/tool"},
		testFile{name: "./lib/libx.so.1", kind: tar.TypeSymlink, link: "libx.so.1.0"},
		testFile{name: "./lib/libx.so.1.0", body: "lib"},
		testFile{name: "./usr/share/doc/tool/README", body: "long"},
		testFile{name: "./usr/share/doc/tool/copyright", body: "free"},
	))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"/usr/bin/tool": "x", "/usr/bin/same": "x", "/usr/lib/libx.so.1": "lib", "/usr/share/doc/tool/copyright": "free",
	} {
		if got := tr.content(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if tr.has("README") || tr.has("pwned") {
		t.Error("a document was taken, or a script ran")
	}
	if m := tr.stat("/usr/bin/tool").mode; m != 0o755 {
		t.Errorf("its mode is %v", m)
	}
	if !strings.Contains(tr.content("/var/lib/dpkg/status.d/tool"), "Depends: libc6") {
		t.Error("its control file is not kept")
	}
	if got := unmet([]paragraph{deb.control}, map[string]bool{"awk": true}); !slices.Equal(got, []string{"tool needs libc6"}) {
		t.Errorf("unmet: %q", got)
	}
	found, unknown := readAlternatives(deb.scripts["postinst"])
	if err := tr.alternatives(found); err != nil || unknown != 0 {
		t.Fatal(err, unknown)
	}
	if got := tr.content("/usr/bin/t"); got != "x" {
		t.Errorf("the alternative is %q", got)
	}
}

func TestHostileDebs(t *testing.T) {
	file := testFile{name: "./a", body: "x"}
	control := func(text string) []byte {
		return gzipped(t, makeTar(t, testFile{name: "./control", body: text}))
	}
	data := gzipped(t, makeTar(t, file))
	good := control("Package: x\nArchitecture: all\n")
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"traversal", makeDeb(t, "x", "", nil, testFile{name: "./../../etc/x", body: "x"}), "not absolute and clean"},
		{"traversal by a link", makeDeb(t, "x", "", nil, testFile{name: "./l", kind: tar.TypeSymlink, link: "../../.."}, testFile{name: "./l/etc/x", body: "x"}), ""},
		{"hard link out", makeDeb(t, "x", "", nil, testFile{name: "./l", kind: tar.TypeLink, link: "/etc/shadow"}), "no file of the package"},
		{"device", makeDeb(t, "x", "", nil, testFile{name: "./d", kind: tar.TypeBlock}), "it is a device"},
		{"bomb", makeDeb(t, "x", "", nil, testFile{name: "./z", body: strings.Repeat("\x00", 5<<20)}), "the image may have"},
		{"whiteout", makeDeb(t, "x", "", nil, testFile{name: "./.wh..wh..opq"}), ".wh."},
		{"another package", makeDeb(t, "y", "", nil, file), "it is the package y"},
		{"other machine", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", control("Package: x\nArchitecture: arm64\n"), "data.tar.gz", data), "it is for arm64"},
		{"name that leads elsewhere", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", control("Package: ../x\nArchitecture: all\n"), "data.tar.gz", data), "no name of a package"},
		{"two packages", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", control("Package: x\n\nPackage: y\n"), "data.tar.gz", data), "one package"},
		{"no data", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", good), "no data"},
		{"data first", makeAr("debian-binary", []byte("2.0\n"), "data.tar.gz", data, "control.tar.gz", good), "out of its place"},
		{"control twice", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", good, "control.tar.gz", good, "data.tar.gz", data), "out of its place"},
		{"format 3", makeAr("debian-binary", []byte("3.0\n")), "not known"},
		{"unknown packing", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", good, "data.tar.lzma", data), "unknown way"},
		{"cut off", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", good, "data.tar.gz", data)[:300], "cut off"},
		{"no archive", []byte("hello, hello"), "no Debian package"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(testBounds)
			_, err := installTestDeb(t, tr, "x_1.0_all.deb", c.b)
			if c.want != "" {
				wantError(t, err, c.want)
			} else if err != nil {
				t.Fatal(err)
			}
			for p := range tr.nodes {
				if !clean(p) {
					t.Errorf("%s is in the tree", p)
				}
			}
		})
	}
}

func TestAlternativesAreReadAndNotRun(t *testing.T) {
	for _, c := range []struct {
		script  string
		found   string
		unknown int
	}{
		{"update-alternatives --install /usr/bin/a a /usr/bin/b 10", "a", 0},
		{"update-alternatives --quiet --install \\\n /usr/bin/a a \\\n /usr/bin/b 10 --slave /x y /z; rm -rf /", "a", 0},
		{"update-alternatives --install /usr/bin/a a $FILE 10", "", 1},
		{"update-alternatives --install /usr/bin/a ../a /usr/bin/b 10", "", 1},
		{"update-alternatives --install /usr/../../a a /usr/bin/b 10", "a", 0}, // within the root, as all paths
		{"update-alternatives --install a a /usr/bin/b 10", "", 1},
		{"update-alternatives --remove a /usr/bin/b", "", 0},
		{"# update-alternatives --install /usr/bin/a a /usr/bin/b 10", "", 0},
	} {
		found, unknown := readAlternatives(c.script)
		names := ""
		for _, a := range found {
			names += a.name
		}
		if names != c.found || unknown != c.unknown {
			t.Errorf("%q: found %q, %d unknown", c.script, names, unknown)
		}
	}
	tr := newTree(testBounds)
	if err := tr.data("/usr/bin/b", "", 0o755, "b"); err != nil {
		t.Fatal(err)
	}
	found, _ := readAlternatives("update-alternatives --install /../../a/../l l /usr/bin/b 10\nupdate-alternatives --install /gone gone /usr/bin/none 10\n")
	if err := tr.alternatives(found); err != nil {
		t.Fatal(err)
	}
	if got := tr.content("/l"); got != "b" || tr.has("gone") {
		t.Errorf("the link is %q", got)
	}
}

func TestDebLists(t *testing.T) {
	digest := strings.Repeat("ab", 32)
	list, err := parseDebList("# comment\n\n'http://m.test/p/a%2bb_1%3a2_amd64.deb' a+b_1%3a2_amd64.deb 12 SHA256:"+digest+"\n"+digest+"  c_1_all.deb\n"+digest+" *https://m.test/d_1_all.deb\n", "/dir")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 || list[0].name != "a+b_1:2_amd64.deb" || list[0].size != 12 || list[1].path != "/dir/c_1_all.deb" || list[2].url != "https://m.test/d_1_all.deb" {
		t.Errorf("%+v", list)
	}
	for line, want := range map[string]string{
		"'http://m.test/a.deb' a.deb 12 MD5Sum:" + digest[:32]:  "MD5 sum is no proof",
		"'http://m.test/a.deb' a.deb 0 SHA256:" + digest:        "no size",
		digest[1:] + "  a_1.deb":                                "no sha256 digest",
		digest + "  a_1.rpm":                                    "not the name of a package",
		"a_1.deb":                                               "neither",
		digest + "  a_1.deb\n" + digest + "  https://x/a_1.deb": "twice",
	} {
		_, err := parseDebList(line, "/")
		wantError(t, err, want)
	}
}

func FuzzDeb(f *testing.F) {
	f.Add(makeDeb(f, "x", "", nil, testFile{name: "./a", body: "x"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr := newTree(testBounds)
		if _, err := installTestDeb(t, tr, "x_1.0_all.deb", b); err != nil {
			return
		}
		for p := range tr.nodes {
			if !clean(p) {
				t.Errorf("%q is in the tree", p)
			}
		}
	})
}

func FuzzControl(f *testing.F) {
	f.Add("Package: a\nDepends: b (>= 1) | c, d\n x\n\nPackage: e\n")
	f.Fuzz(func(t *testing.T, s string) {
		list, err := parseControl(s)
		if err != nil {
			return
		}
		unmet(list, nil)
	})
}

func FuzzAlternatives(f *testing.F) {
	f.Add("update-alternatives --install /usr/bin/a a /usr/bin/b 10 --slave /x y /z")
	f.Fuzz(func(t *testing.T, s string) {
		tr := newTree(testBounds)
		found, _ := readAlternatives(s)
		for _, a := range found {
			tr.data(a.file, "", 0o755, "")
		}
		_ = tr.alternatives(found)
		for p := range tr.nodes {
			if !clean(p) {
				t.Errorf("%q is in the tree", p)
			}
		}
	})
}
