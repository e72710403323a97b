package wasm

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"testing"
	"testing/fstest"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// frames writes what a process may say.
func frames(t testing.TB, write func(l *lane)) []byte {
	t.Helper()
	var b bytes.Buffer
	write(&lane{w: &b})
	return b.Bytes()
}

var small = glovebox.Limits{Disk: 100, Files: 3, Output: 50}.WithDefaults()

// TestSnapshot has workspaces of processes that lie.
func TestSnapshot(t *testing.T) {
	for _, c := range []struct {
		name string
		say  func(l *lane)
		ok   bool
	}{
		{"files", func(l *lane) {
			l.tell(kindEntry, entry{Path: "d", Dir: true})
			l.tell(kindEntry, entry{Path: "d/f", Size: 3})
			l.send(kindData, []byte("abc"))
			l.send(kindEnd, nil)
		}, true},
		{"no end", func(l *lane) { l.tell(kindEntry, entry{Path: "f"}) }, false},
		{"a path that leaves", func(l *lane) { l.tell(kindEntry, entry{Path: "../f"}); l.send(kindEnd, nil) }, false},
		{"a path that is not clean", func(l *lane) { l.tell(kindEntry, entry{Path: "./f"}); l.send(kindEnd, nil) }, false},
		{"a path in no directory", func(l *lane) { l.tell(kindEntry, entry{Path: "d/f"}); l.send(kindEnd, nil) }, false},
		{"a path in a file", func(l *lane) {
			l.tell(kindEntry, entry{Path: "f"})
			l.tell(kindEntry, entry{Path: "f/g"})
			l.send(kindEnd, nil)
		}, false},
		{"twice", func(l *lane) {
			l.tell(kindEntry, entry{Path: "f"})
			l.tell(kindEntry, entry{Path: "f"})
			l.send(kindEnd, nil)
		}, false},
		{"too many", func(l *lane) {
			for _, n := range []string{"a", "b", "c", "d"} {
				l.tell(kindEntry, entry{Path: n})
			}
			l.send(kindEnd, nil)
		}, false},
		{"too large", func(l *lane) { l.tell(kindEntry, entry{Path: "f", Size: 101}); l.send(kindEnd, nil) }, false},
		{"too large together", func(l *lane) {
			for _, n := range []string{"a", "b"} {
				l.tell(kindEntry, entry{Path: n, Size: 60})
				l.send(kindData, make([]byte, 60))
			}
			l.send(kindEnd, nil)
		}, false},
		{"fewer bytes than said", func(l *lane) { l.tell(kindEntry, entry{Path: "f", Size: 9}); l.send(kindEnd, nil) }, false},
		{"bytes of nothing", func(l *lane) { l.send(kindData, []byte("x")); l.send(kindEnd, nil) }, false},
		{"bytes of a directory", func(l *lane) {
			l.tell(kindEntry, entry{Path: "d", Dir: true})
			l.send(kindData, []byte("x"))
			l.send(kindEnd, nil)
		}, false},
		{"another kind", func(l *lane) { l.send(kindDone, nil) }, false},
		{"a giant frame", func(l *lane) { l.w.Write([]byte{byte(kindData), 255, 255, 255, 255}) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readSnapshot(bytes.NewReader(frames(t, c.say)), small)
			if (err == nil) != c.ok {
				t.Fatal(err)
			}
			if c.ok {
				if err := fstest.TestFS(s, "d/f"); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func FuzzSnapshot(f *testing.F) {
	f.Add(frames(f, func(l *lane) {
		l.tell(kindEntry, entry{Path: "d", Dir: true})
		l.tell(kindEntry, entry{Path: "d/f", Size: 3})
		l.send(kindData, []byte("abc"))
		l.send(kindEnd, nil)
	}))
	f.Fuzz(func(t *testing.T, said []byte) {
		s, err := readSnapshot(bytes.NewReader(said), small)
		if err != nil {
			return
		}
		files, total := 0, int64(0)
		err = fs.WalkDir(s, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || name == "." {
				return err
			}
			if clean, err := glovebox.CleanPath(name); err != nil || clean != name {
				t.Errorf("%q: %v", name, err)
			}
			files++
			info, err := d.Info()
			total += info.Size()
			return err
		})
		if err != nil || int64(files) > small.Files || total > small.Disk {
			t.Errorf("%d files, %d bytes, %v", files, total, err)
		}
	})
}

// FuzzListen: whatever a process says, the streams stay within their limit and
// the outcome within what it may be.
func FuzzListen(f *testing.F) {
	f.Add(frames(f, func(l *lane) {
		l.send(kindStdout, []byte("out"))
		l.send(kindStderr, []byte("err"))
		l.tell(kindDone, done{Exit: 3, Hits: map[glovebox.LimitName]string{glovebox.LimitMemory: "x"}, Peak: 1 << 60})
	}))
	f.Fuzz(func(t *testing.T, said []byte) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Skip(err)
		}
		defer r.Close()
		go func() {
			w.Write(said)
			w.Close()
		}()
		b := &box{limits: small, from: r}
		var stdout, stderr bytes.Buffer
		a := b.listen(tier.Command{Stdout: &stdout, Stderr: &stderr})
		if int64(stdout.Len()) > small.Output || int64(stderr.Len()) > small.Output {
			t.Errorf("%d and %d bytes", stdout.Len(), stderr.Len())
		}
		var out glovebox.Outcome
		b.read(&out, a.done)
		if out.ExitCode < -1 || out.ExitCode > 255 || out.Usage.MemoryPeak < 0 || out.Usage.MemoryPeak > small.Memory || len(out.Hits) > 5 {
			t.Errorf("%+v", out)
		}
		for _, h := range out.Hits {
			if len(h.Evidence.Fact) > 4*maxFact {
				t.Errorf("a fact of %d bytes", len(h.Evidence.Fact))
			}
		}
	})
}

func TestLane(t *testing.T) {
	var b bytes.Buffer
	l := &lane{w: &b}
	text := bytes.Repeat([]byte("x"), maxFrame+1)
	if err := l.bytes(kindStdout, text); err != nil {
		t.Fatal(err)
	}
	var got []byte
	for {
		k, payload, err := receive(&b, maxFrame)
		if err == io.EOF {
			break
		}
		if err != nil || k != kindStdout {
			t.Fatal(k, err)
		}
		got = append(got, payload...)
	}
	if !bytes.Equal(got, text) {
		t.Errorf("%d bytes", len(got))
	}
}

// TestFiles has paths as modules may give them.
func TestFiles(t *testing.T) {
	b := &budget{max: 1 << 20, hits: hits{}}
	tree := newTree(glovebox.DefaultLimits, b, func() int64 { return 0 })
	etc := tree.mkdirs("/etc/deep")
	put := func(name, link string) {
		n := tree.newNode(name, fs.ModeSymlink|0o777)
		n.link = link
		etc.add(n)
	}
	put("up", "../..")
	put("round", "round")
	put("work", "/workspace")
	v := view{tree: tree, from: tree.mkdirs(tier.Workspace)}
	if err := tree.stage(glovebox.File{Path: "d/f", Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, finds string
	}{
		{".", ""}, {"workspace/d/f", "f"}, {"d/f", "f"}, {"../../../d/f", ""}, {"workspace/../workspace/d/f", "f"}, {"etc/deep/up", ""}, {"etc/deep/up/workspace/d/f", "f"},
		{"etc/deep/work/d/f", "f"}, {"etc/deep/round", "!"}, {"etc/deep/round/x", "!"}, {"workspace/d/f/x", "!"}, {"nothing", "!"}, {"", ""}, {path.Join("d", string(bytes.Repeat([]byte("x"), 300))), "!"},
	} {
		n, errno := v.find(c.name, true)
		if (errno != 0) != (c.finds == "!") && c.name != "../../../d/f" || errno == 0 && n.name != c.finds {
			t.Errorf("%q: %+v, %v", c.name, n, errno)
		}
	}
	// A removed file that is open counts until it is closed.
	f, errno := v.OpenFile("workspace/d/f", 0, 0)
	if errno != 0 || v.Unlink("workspace/d/f") != 0 {
		t.Fatal(errno)
	}
	if b.used != 1 {
		t.Errorf("%d bytes are in use", b.used)
	}
	f.Close()
	f.Close()
	if b.used != 0 || tree.open != 0 {
		t.Errorf("%d bytes are in use, %d files open", b.used, tree.open)
	}
	if data, err := json.Marshal(setup{Fixed: &Fixed{}}); err != nil || len(data) == 0 {
		t.Error(err)
	}
}
