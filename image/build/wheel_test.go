package build

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func installWheel(t testing.TB, file string, b []byte) (*tree, error) {
	t.Helper()
	tr, p := testPython(t)
	w, err := openWheel(file, opened(t, b))
	if err != nil {
		return tr, err
	}
	return tr, w.install(tr, p, testSpool(t))
}

func TestWheelIsUnpackedWhereItBelongs(t *testing.T) {
	b := makeWheel(t, "my_tool", "1.2",
		testFile{name: "my_tool/__init__.py", body: "x = 1\n"},
		testFile{name: "my_tool/run.so", body: "elf", mode: 0o755},
		testFile{name: "my_tool-1.2.data/scripts/old", body: "#!python -E\nprint()\n"},
		testFile{name: "my_tool-1.2.data/scripts/shell", body: "#!/bin/sh\n"},
		testFile{name: "my_tool-1.2.data/data/share/my.txt", body: "data"},
		testFile{name: "my_tool-1.2.data/headers/my.h", body: "int"},
		testFile{name: "my_tool-1.2.data/purelib/pure.py", body: "pure"},
		testFile{name: "my_tool.pth", body: "import os; os.system('touch /tmp/pwned')\n"},
		testFile{name: "my_tool-1.2.dist-info/entry_points.txt", body: "[console_scripts]\nmy-tool = my_tool.cli:Main.run [extra]\n[other]\nx = y\n"},
	)
	tr, err := installWheel(t, "my_tool-1.2-py3-none-any.whl", b)
	if err != nil {
		t.Fatal(err)
	}
	site := "/usr/local/lib/python3.11/site-packages/"
	for name, want := range map[string]string{
		site + "my_tool/__init__.py":                 "x = 1\n",
		site + "pure.py":                             "pure",
		"/usr/local/bin/old":                         "#!/usr/local/bin/python3.11 -E\nprint()\n",
		"/usr/local/bin/shell":                       "#!/bin/sh\n",
		"/usr/local/share/my.txt":                    "data",
		"/usr/local/include/python3.11/my_tool/my.h": "int",
		site + "my_tool-1.2.dist-info/INSTALLER":     "glovebox\n",
		"/usr/local/bin/my-tool":                     "#!/usr/local/bin/python3.11\nimport sys\nfrom my_tool.cli import Main\nif __name__ == \"__main__\":\n    sys.exit(Main.run())\n",
	} {
		if got := tr.content(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if m := tr.stat("/usr/local/bin/my-tool").mode; m != 0o755 {
		t.Errorf("the program has mode %v", m)
	}
	if !slices.ContainsFunc(tr.notes, func(s string) bool { return strings.Contains(s, "my_tool.pth runs at every start") }) {
		t.Errorf("notes %q do not speak of the .pth file", tr.notes)
	}
}

func TestHostileWheels(t *testing.T) {
	info := "x-1.dist-info"
	bomb := makeWheel(t, "x", "1", testFile{name: "x/zeros", body: strings.Repeat("\x00", 5<<20)})
	many := make([]testFile, 300)
	for i := range many {
		many[i] = testFile{name: "x/" + strings.Repeat("d", i%200+1) + string(rune('a'+i/200)), body: "x"}
	}
	lying := makeWheel(t, "x", "1", testFile{name: "x/a.py", body: strings.Repeat("a", 1000)})
	// The size in the list of files becomes larger than what the archive holds.
	at := bytes.Index(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 5000)
	crooked := makeWheel(t, "x", "1", testFile{name: "x/a.py", body: "a"})
	at = bytes.LastIndex(crooked, []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint32(crooked[at+16:], 0)
	crooked = append(bytes.Repeat([]byte{0}, maxDirectory+100), crooked...)

	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"traversal", makeWheel(t, "x", "1", testFile{name: "../../etc/cron.d/x", body: "x"}), "leads elsewhere"},
		{"absolute", makeWheel(t, "x", "1", testFile{name: "/etc/x", body: "x"}), "leads elsewhere"},
		{"backslash", makeWheel(t, "x", "1", testFile{name: "..\\x", body: "x"}), "leads elsewhere"},
		{"drive", makeWheel(t, "x", "1", testFile{name: "C:x", body: "x"}), "leads elsewhere"},
		{"dots", makeWheel(t, "x", "1", testFile{name: "x/./y", body: "x"}), "leads elsewhere"},
		{"symlink", makeWheel(t, "x", "1", testFile{name: "x/link", body: "/etc", mode: fs.ModeSymlink | 0o777}), "it holds a link"},
		{"device", makeWheel(t, "x", "1", testFile{name: "x/dev", body: "", mode: fs.ModeDevice | 0o666}), "it holds a device"},
		{"twice", makeWheel(t, "x", "1", testFile{name: "x/a.py", body: "a"}, testFile{name: "x/a.py", body: "b"}), "twice"},
		{"file and directory", makeWheel(t, "x", "1", testFile{name: "x", body: "a"}, testFile{name: "x/a.py", body: "b"}), "a file and a directory"},
		{"traversal by data", makeWheel(t, "x", "1", testFile{name: "x-1.data/scripts", body: "a"}), "directory"},
		{"unknown scheme", makeWheel(t, "x", "1", testFile{name: "x-1.data/etc/passwd", body: "a"}), "nobody knows where"},
		{"whiteout", makeWheel(t, "x", "1", testFile{name: "x/.wh..wh..opq", body: ""}), ".wh."},
		{"in place of the interpreter", makeWheel(t, "x", "1", testFile{name: "x-1.data/scripts/python3.11", body: "a"}), "in place of /usr/local/bin/python3.11"},
		{"in place of the library", makeWheel(t, "x", "1", testFile{name: "x-1.data/data/lib/python3.11/os.py", body: "a"}), "would replace /usr/local/lib/python3.11/os.py"},
		{"entry point in place of the interpreter", makeWheel(t, "x", "1", testFile{name: info + "/entry_points.txt", body: "[console_scripts]\npython3 = x:y\n"}), "in place of /usr/local/bin/python3"},
		{"bomb", bomb, "the image may have"},
		{"too many files", makeWheel(t, "x", "1", many...), "more than 200 files"},
		{"size lie", lying, ""},
		{"list of files too large", crooked, "list of files"},
		{"not in RECORD", makeWheel(t, "x", "1", testFile{name: "x/a.py", body: "a"},
			testFile{name: info + "/RECORD", body: info + "/RECORD,,\n"}), "RECORD has no hash"},
		{"RECORD without hash", makeWheel(t, "x", "1", testFile{name: "x/a.py", body: "a"},
			testFile{name: info + "/RECORD", body: "x/a.py,,1\n"}), "RECORD has no hash"},
		{"RECORD lies", makeWheel(t, "x", "1", testFile{name: "x/a.py", body: "a"},
			testFile{name: info + "/RECORD", body: "x/a.py,sha256=" + strings.Repeat("A", 43) + ",1\n"}), "not what RECORD says"},
		{"RECORD with MD5", makeWheel(t, "x", "1", testFile{name: "x/a.py", body: "a"},
			testFile{name: info + "/RECORD", body: "x/a.py,md5=AAAA,1\n"}), "no proof"},
		{"RECORD of more", makeWheel(t, "x", "1", testFile{name: info + "/RECORD", body: "y/b.py,sha256=" + strings.Repeat("A", 43) + ",1\n"}), "not there"},
		{"no RECORD", makeWheel(t, "x", "1", testFile{name: info + "/RECORD", body: "-"}), "RECORD"},
		{"another package", makeWheel(t, "y", "1", testFile{name: "y/a.py", body: "a"}), "no .dist-info of x"},
		{"two infos", makeWheel(t, "x", "1", testFile{name: "y-1.dist-info/METADATA", body: "a"}), "more than one"},
		{"other name within", makeWheel(t, "x", "1", testFile{name: info + "/METADATA", body: "Name: evil\nVersion: 1\n"}), "calls itself"},
		{"entry point with code", makeWheel(t, "x", "1", testFile{name: info + "/entry_points.txt", body: "[console_scripts]\nls = os:system('x')\n"}), "no function"},
		{"entry point elsewhere", makeWheel(t, "x", "1", testFile{name: info + "/entry_points.txt", body: "[console_scripts]\n../x = os:x\n"}), "no function"},
		{"format 2", makeWheel(t, "x", "1", testFile{name: info + "/WHEEL", body: "Wheel-Version: 2.0\n"}), "wheel format"},
		{"no archive", []byte("hello"), "no zip archive"},
		{"empty", nil, "no zip archive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := installWheel(t, "x-1-py3-none-any.whl", c.b)
			wantError(t, err, c.want)
			for p := range tr.nodes {
				if !clean(p) {
					t.Errorf("%s is in the tree", p)
				}
			}
		})
	}
}

func TestEncryptedMembersAreRefused(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateHeader(&zip.FileHeader{Name: "x", Flags: 1}); err != nil {
		t.Fatal(err)
	}
	z.Close()
	_, err := openZip(bytes.NewReader(b.Bytes()), int64(b.Len()))
	wantError(t, err, "encrypted")
}

func FuzzWheel(f *testing.F) {
	f.Add(makeWheel(f, "x", "1", testFile{name: "x/a.py", body: "a"}))
	f.Add(makeWheel(f, "x", "1", testFile{name: "x-1.data/scripts/s", body: "#!python\n"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, err := installWheel(t, "x-1-py3-none-any.whl", b)
		if err != nil {
			return
		}
		for p := range tr.nodes {
			if !clean(p) {
				t.Errorf("%q is in the tree", p)
			}
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte("x/a.py,sha256=" + strings.Repeat("A", 43) + ",1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := parseRecord(b)
		for name, r := range list {
			if err == nil && r.size < -1 {
				t.Errorf("%q has the size %d", name, r.size)
			}
		}
	})
}
