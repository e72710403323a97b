package kernel

import (
	"archive/tar"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestReadDeb(t *testing.T) {
	for _, how := range []string{"", "gzip", "xz", "zstd"} {
		tree, err := readDeb(bytes.NewReader(makeDeb(t, how, kernelFiles(t))))
		if err != nil {
			t.Fatalf("%q: %v", how, err)
		}
		if tree.version != version || !tree.builtin["virtio_console"] || len(tree.modules) != 11 {
			t.Errorf("%q: %s, %v, %d modules", how, tree.version, tree.builtin, len(tree.modules))
		}
	}
}

func TestReadDebRefuses(t *testing.T) {
	good := kernelFiles(t)
	with := func(more ...entry) []byte { return makeDeb(t, "gzip", append(slices.Clone(more), good...)) }
	vmlinuz := "./boot/vmlinuz-" + version
	lib := "./lib/modules/" + version + "/kernel/"
	binary := member{name: "debian-binary", data: []byte("2.0\n")}
	for _, tt := range []struct {
		name string
		deb  []byte
		want string
	}{
		{"empty", nil, "not an ar archive"},
		{"tar", makeTar(t, good), "not an ar archive"},
		{"format 3", makeAr(member{name: "debian-binary", data: []byte("3.0\n")}), "format 2"},
		{"no format", makeAr(member{name: "data.tar", data: makeTar(t, good)}), "format 2"},
		{"no data", makeAr(binary), "holds no data"},
		{"cut", makeDeb(t, "", good)[:9000], "EOF"},
		{"cut header", append(makeAr(binary), "data.tar"...), "cut short"},
		{"header without end", append(makeAr(binary), bytes.Repeat([]byte{' '}, 60)...), "without its end"},
		{"negative size", makeAr(binary, member{name: "data.tar", size: "-1"}), "bytes"},
		{"size in words", makeAr(binary, member{name: "data.tar", size: "many"}), "bytes"},
		{"size too large", makeAr(binary, member{name: "x", data: []byte("y"), size: "9999999999"}), "cut short"},
		{"data shorter than said", makeAr(binary, member{name: "data.tar", data: makeTar(t, good)[:3000], size: "999999"}), "EOF"},
		{"many members", makeAr(slices.Repeat([]member{binary}, 20)...), "members"},
		{"other data", makeDeb(t, "gzip", []entry{{name: "./usr/bin/ls", data: []byte("x")}}), "no /boot/vmlinuz"},
		{"traversal", with(entry{name: "../../etc/passwd", data: []byte("x")}), "outside"},
		{"traversal within", with(entry{name: "boot/../../etc/passwd", data: []byte("x")}), "outside"},
		{"absolute", with(entry{name: "/etc/passwd", data: []byte("x")}), "outside"},
		{"image is a link", with(entry{name: "./boot/vmlinuz-6.1", kind: tar.TypeSymlink, link: "/etc/shadow"}), "regular"},
		{"module is a hard link", with(entry{name: lib + "fs/x.ko", kind: tar.TypeLink, link: "/etc/shadow"}), "regular"},
		{"module is a device", with(entry{name: lib + "fs/x.ko", kind: tar.TypeBlock}), "regular"},
		{"two images", with(entry{name: "./boot/vmlinuz-6.1", data: []byte("x")}), "second boot image"},
		{"module twice", with(entry{name: lib + "a/erofs.ko", data: []byte("x")}), "two modules"},
		{"modules of another kernel", with(entry{name: "./lib/modules/6.1/kernel/fs/x.ko", data: []byte("x")}), "beside a kernel"},
		{"giant image", with(entry{name: vmlinuz, size: maxImage + 1}), "too large"},
		{"bomb", makeAr(binary, member{name: "data.tar.zst", data: makeBomb(t)}), "more than"},
		{"many files", makeDeb(t, "zstd", slices.Repeat([]entry{{name: "./a"}}, maxEntries+1)), "files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readDeb(bytes.NewReader(tt.deb))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestAr(t *testing.T) {
	a, err := newAr(bytes.NewReader(makeAr(member{name: "odd", data: []byte("123")}, member{name: "gnu/", data: []byte("4567")}, member{name: "empty"})))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		name, size, err := a.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(a)
		if err != nil || int64(len(data)) != size {
			t.Errorf("%s: %d bytes of %d, %v", name, len(data), size, err)
		}
		got = append(got, name+"="+string(data))
	}
	if want := []string{"odd=123", "gnu=4567", "empty="}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzReadDeb(f *testing.F) {
	f.Add(makeDeb(f, "", kernelFiles(f)))
	f.Add(makeDeb(f, "xz", kernelFiles(f)))
	f.Add(makeAr(member{name: "debian-binary", data: []byte("2.0\n")}, member{name: "data.tar", size: "99"}))
	f.Fuzz(func(t *testing.T, deb []byte) {
		tree, err := readDeb(bytes.NewReader(deb))
		if err != nil {
			return
		}
		if len(tree.image) > maxImage || len(tree.modules) > maxEntries {
			t.Errorf("%d bytes, %d modules", len(tree.image), len(tree.modules))
		}
		for name := range tree.modules {
			if !moduleNames().MatchString(name) {
				t.Errorf("a module %q", name)
			}
		}
		_, _ = choose(tree)
	})
}
