package build

import (
	"archive/tar"
	"strings"
	"testing"
)

func installNPM(t testing.TB, b []byte) (*tree, error) {
	t.Helper()
	tr := newTree(testBounds)
	p := &npmPackage{path: "node_modules/@s/x", name: "@s/x", file: remote{name: "@s/x@1"}, bin: map[string]string{"x": "./cli.js", "gone": "none.js"}, scripts: true}
	return tr, p.install(tr, opened(t, b), testSpool(t), "/")
}

func TestNPMArchiveIsUnpackedAsNPMDoes(t *testing.T) {
	tr, err := installNPM(t, gzipped(t, makeTar(t,
		testFile{name: "package/package.json", body: `{"name":"@s/x","scripts":{"postinstall":"touch /tmp/pwned"}}`},
		testFile{name: "package/cli.js", body: "#!/usr/bin/env node\n"},
		testFile{name: "package/lib/a.js", body: "a", mode: 0o666},
		testFile{name: "package/link", kind: tar.TypeSymlink, link: "/etc/passwd"},
	)))
	if err != nil {
		t.Fatal(err)
	}
	if got := tr.content("/node_modules/@s/x/lib/a.js"); got != "a" {
		t.Errorf("lib/a.js is %q", got)
	}
	if got := tr.content("/node_modules/.bin/x"); got != "#!/usr/bin/env node\n" {
		t.Errorf(".bin/x is %q", got)
	}
	if n := tr.stat("/node_modules/@s/x/cli.js"); n.mode != 0o755 {
		t.Errorf("the program has mode %v", n.mode)
	}
	if tr.has("/link") {
		t.Error("a link of the archive was made")
	}
	notes := strings.Join(tr.notes, "\n")
	for _, want := range []string{"1 links", "install scripts were not run", "program gone"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q: %s", want, notes)
		}
	}
}

func TestHostileNPMArchives(t *testing.T) {
	json := testFile{name: "package/package.json", body: "{}"}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"traversal", gzipped(t, makeTar(t, json, testFile{name: "package/../../etc/x", body: "x"})), "leads elsewhere"},
		{"traversal at once", gzipped(t, makeTar(t, json, testFile{name: "../x", body: "x", mode: 0o644}, testFile{name: "../../x", body: "x"})), "leads elsewhere"},
		{"dots", gzipped(t, makeTar(t, json, testFile{name: "package/./a", body: "x"})), "leads elsewhere"},
		{"twice", gzipped(t, makeTar(t, json, json)), "twice"},
		{"device", gzipped(t, makeTar(t, json, testFile{name: "package/d", kind: tar.TypeChar})), "neither"},
		{"pipe", gzipped(t, makeTar(t, json, testFile{name: "package/d", kind: tar.TypeFifo})), "neither"},
		{"bomb", gzipped(t, makeTar(t, json, testFile{name: "package/z", body: strings.Repeat("\x00", 5<<20)})), "the image may have"},
		{"whiteout", gzipped(t, makeTar(t, json, testFile{name: "package/.wh.x", body: ""})), ".wh."},
		{"no package.json", gzipped(t, makeTar(t, testFile{name: "package/a", body: ""})), "no package.json"},
		{"cut off", gzipped(t, makeTar(t, json, testFile{name: "package/a", body: "aaaa"})[:1100]), "EOF"},
		{"not packed", makeTar(t, json), "gzip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := installNPM(t, c.b)
			wantError(t, err, c.want)
			for p := range tr.nodes {
				if !clean(p) || strings.HasPrefix(p, "/etc") {
					t.Errorf("%s is in the tree", p)
				}
			}
		})
	}
}

const integrity = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="

func npmLock(packages string) string {
	return `{"name":"p","lockfileVersion":3,"packages":{"":{"name":"p"},` + packages + `}}`
}

func TestNPMLocks(t *testing.T) {
	for _, c := range []struct{ name, lock, url, refused, err string }{
		{name: "plain", lock: npmLock(`"node_modules/a":{"version":"1.0.0","resolved":"https://r.test/a/-/a-1.0.0.tgz","integrity":"` + integrity + `"}`),
			url: "https://r.test/a/-/a-1.0.0.tgz"},
		{name: "nested and scoped", lock: npmLock(`"node_modules/a/node_modules/@s/b":{"version":"1.0.0","resolved":"https://r.test/b.tgz","integrity":"` + integrity + `"}`),
			url: "https://r.test/b.tgz"},
		{name: "registry left out", lock: npmLock(`"node_modules/@s/b":{"version":"1.0.0","integrity":"` + integrity + `"}`),
			url: "https://registry.npmjs.org/@s/b/-/b-1.0.0.tgz"},
		{name: "weak and strong", lock: npmLock(`"node_modules/a":{"version":"1","resolved":"https://r.test/a","integrity":"sha1-AAAA ` + integrity + `"}`), url: "https://r.test/a"},
		{name: "weak alone", lock: npmLock(`"node_modules/a":{"version":"1","resolved":"https://r.test/a","integrity":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}`), err: "holds no sha256"},
		{name: "no integrity", lock: npmLock(`"node_modules/a":{"version":"1","resolved":"https://r.test/a"}`), refused: "no integrity"},
		{name: "git", lock: npmLock(`"node_modules/a":{"version":"1","resolved":"git+ssh://git@github.com/a/a.git#123","integrity":"` + integrity + `"}`), refused: "only archives"},
		{name: "file", lock: npmLock(`"node_modules/a":{"version":"1","resolved":"file:../a.tgz","integrity":"` + integrity + `"}`), refused: "only archives"},
		{name: "link", lock: npmLock(`"node_modules/a":{"resolved":"../a","link":true}`), refused: "directory of the project"},
		{name: "traversal", lock: npmLock(`"node_modules/../../etc/a":{"version":"1","integrity":"` + integrity + `"}`), refused: "directory of the project"},
		{name: "traversal by dots", lock: npmLock(`"node_modules/..":{"version":"1","integrity":"` + integrity + `"}`), refused: "directory of the project"},
		{name: "elsewhere", lock: npmLock(`"/etc/a":{"version":"1","integrity":"` + integrity + `"}`), refused: "directory of the project"},
		{name: "version 1", lock: `{"lockfileVersion":1,"dependencies":{}}`, err: "version 1"},
		{name: "no JSON", lock: `lockfileVersion: 3`, err: "invalid character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := parseNPMLock([]byte(c.lock))
			if c.err != "" {
				wantError(t, err, c.err)
				return
			}
			if err != nil || len(list) != 1 {
				t.Fatalf("%d packages, error %v", len(list), err)
			}
			if !strings.Contains(list[0].refused, c.refused) || c.refused == "" && list[0].refused != "" {
				t.Errorf("refused because %q, want %q", list[0].refused, c.refused)
			}
			if c.url != "" && list[0].file.url != c.url {
				t.Errorf("its URL is %s, want %s", list[0].file.url, c.url)
			}
		})
	}
}

func TestNPMPlatforms(t *testing.T) {
	for _, c := range []struct {
		list []string
		fits bool
	}{
		{nil, true}, {[]string{"linux"}, true}, {[]string{"darwin"}, false}, {[]string{"darwin", "linux"}, true},
		{[]string{"!win32"}, true}, {[]string{"!linux"}, false}, {[]string{"any"}, true},
	} {
		if got := npmFits(c.list, "linux"); got != c.fits {
			t.Errorf("%q fits linux: %v", c.list, got)
		}
	}
}

func FuzzNPMLock(f *testing.F) {
	f.Add([]byte(npmLock(`"node_modules/a":{"version":"1.0.0","resolved":"https://r.test/a.tgz","integrity":"` + integrity + `"}`)))
	f.Add([]byte(npmLock(`"node_modules/@s/../a":{"version":"1"}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := parseNPMLock(b)
		if err != nil {
			return
		}
		for _, p := range list {
			if p.refused == "" && (!clean("/"+p.path) || p.file.hash.sum() == nil || fetchable(p.file.url) != nil && !strings.Contains(p.file.url, "@")) {
				t.Errorf("%q from %q with %v is taken", p.path, p.file.url, p.file.hash)
			}
		}
	})
}

func FuzzNPMArchive(f *testing.F) {
	f.Add(makeTar(f, testFile{name: "package/package.json", body: "{}"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, _ := installNPM(t, gzipped(t, b))
		for p := range tr.nodes {
			if !clean(p) {
				t.Errorf("%q is in the tree", p)
			}
		}
	})
}
