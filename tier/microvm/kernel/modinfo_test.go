package kernel

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestChooseOrdersModules(t *testing.T) {
	tree, err := readDeb(bytes.NewReader(makeDeb(t, "gzip", kernelFiles(t))))
	if err != nil {
		t.Fatal(err)
	}
	list, err := choose(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		if m.File == "" {
			got = append(got, "("+m.Name+")")
		} else {
			got = append(got, m.Name)
		}
	}
	want := "virtio_mmio virtio_ring virtio_blk (virtio_console) crc32c_generic libcrc32c netfs erofs vsock vmw_vsock_virtio_transport virtio_rng"
	if strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestChooseRefuses(t *testing.T) {
	kernel := func(change map[string][]byte) *tree {
		tr := &tree{version: version, modules: map[string]func() ([]byte, error){}, builtin: map[string]bool{}}
		for _, name := range Required {
			tr.builtin[name] = true
		}
		for name, ko := range change {
			delete(tr.builtin, name)
			if ko != nil {
				tr.modules[name] = func() ([]byte, error) { return ko, nil }
			}
		}
		return tr
	}
	chain := map[string][]byte{"erofs": makeKo(t, "erofs", "depends=m0")}
	for i := range maxLoaded {
		name, next := "m"+string(rune('0'+i)), "m"+string(rune('1'+i))
		chain[name] = makeKo(t, name, "depends="+next)
	}
	compressedSection := makeKo(t, "erofs")
	at := bytes.LastIndex(compressedSection, []byte{1, 0, 0, 0, 1, 0, 0, 0})
	compressedSection[at+8+1] |= 8 // SHF_COMPRESSED
	for _, tt := range []struct {
		name   string
		change map[string][]byte
		want   string
	}{
		{"missing", map[string][]byte{"erofs": nil}, "no module erofs"},
		{"missing need", map[string][]byte{"erofs": makeKo(t, "erofs", "depends=netfs")}, "no module erofs, which needs netfs"},
		{"circle", map[string][]byte{"erofs": makeKo(t, "erofs", "depends=a"), "a": makeKo(t, "a", "depends=erofs")}, "need each other"},
		{"itself", map[string][]byte{"erofs": makeKo(t, "erofs", "depends=erofs")}, "need each other"},
		{"chain", chain, "more than"},
		{"many needs", map[string][]byte{"erofs": makeKo(t, "erofs", "depends="+strings.Repeat("a,", maxNeeds+1))}, "more than"},
		{"another kernel's", map[string][]byte{"erofs": makeModule(t, "name=erofs", "vermagic=5.10 SMP")}, `kernel "5.10"`},
		{"another name", map[string][]byte{"erofs": makeKo(t, "evilfs")}, "says that it is"},
		{"no ELF file", map[string][]byte{"erofs": []byte("hello")}, "module erofs"},
		{"no information", map[string][]byte{"erofs": makeVmlinux(t, version)}, ".modinfo"},
		{"compressed information", map[string][]byte{"erofs": compressedSection}, ".modinfo"},
		{"broken compression", map[string][]byte{"erofs": pack(t, "xz", makeKo(t, "erofs"))[:40]}, "module erofs"},
		{"bomb", map[string][]byte{"erofs": pack(t, "gzip", make([]byte, maxModule+1))}, "more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := choose(kernel(tt.change))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestModuleName(t *testing.T) {
	for file, want := range map[string]string{
		"kernel/fs/erofs.ko": "erofs", "a/virtio-rng.ko.xz": "virtio_rng", "x.ko.zst": "x", "x.ko.gz": "x",
		"x.o": "", ".ko": "", "a b.ko": "", "x.ko.bz2": "", "modules.builtin": "",
		strings.Repeat("x", 99) + ".ko": "",
	} {
		if got, ok := moduleName(file); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v; want %q", file, got, ok, want)
		}
	}
}

func FuzzReadInfo(f *testing.F) {
	f.Add(makeKo(f, "erofs", "depends=a,b-c", "softdep=pre: x y post: z"))
	f.Add(makeVmlinux(f, version))
	f.Fuzz(func(t *testing.T, ko []byte) {
		i, err := readInfo(ko)
		if err == nil && (len(i.needs)+len(i.wants) > maxNeeds || slices.ContainsFunc(i.needs, func(n string) bool { return strings.Contains(n, "-") })) {
			t.Errorf("%+v", i)
		}
	})
}
