package kernel

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

func TestReadBoot(t *testing.T) {
	vmlinux, arm := makeVmlinux(t, version), makeArm64("6.12.1-cloud-arm64")
	zboot := func(how string) []byte {
		packed := pack(t, how, arm)
		image := make([]byte, 0x1000)
		copy(image, "MZ")
		copy(image[4:], "zimg")
		binary.LittleEndian.PutUint32(image[8:], 0x1000)
		binary.LittleEndian.PutUint32(image[12:], uint32(len(packed)))
		return append(append(image, packed...), "more of the application"...)
	}
	for _, tt := range []struct {
		name  string
		image []byte
		arch  string
		want  []byte
	}{
		{"bzImage lz4", makeBzImage(t, "lz4", vmlinux), "amd64", vmlinux},
		{"bzImage gzip", makeBzImage(t, "gzip", vmlinux), "amd64", vmlinux},
		{"bzImage xz", makeBzImage(t, "xz", vmlinux), "amd64", vmlinux},
		{"bzImage zstd", makeBzImage(t, "zstd", vmlinux), "amd64", vmlinux},
		{"vmlinux", vmlinux, "amd64", vmlinux},
		{"Image", arm, "arm64", arm},
		{"Image.gz", pack(t, "gzip", arm), "arm64", arm},
		{"zboot gzip", zboot("gzip"), "arm64", arm},
		{"zboot zstd", zboot("zstd"), "arm64", arm},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := readBoot(tt.image)
			if err != nil {
				t.Fatal(err)
			}
			if b.arch != tt.arch || b.version != "6.12.1-cloud-"+tt.arch || !bytes.Equal(b.vmlinux, tt.want) {
				t.Errorf("%s, %s, %d bytes; want %s, %d bytes", b.arch, b.version, len(b.vmlinux), tt.arch, len(tt.want))
			}
		})
	}
}

func TestReadBootRefuses(t *testing.T) {
	vmlinux := makeVmlinux(t, version)
	changed := func(how string, change func([]byte)) []byte {
		image := makeBzImage(t, how, vmlinux)
		change(image)
		return image
	}
	for _, tt := range []struct {
		name  string
		image []byte
		want  string
	}{
		{"empty", nil, "neither"},
		{"text", []byte("#!/bin/sh\n"), "neither"},
		{"cut header", makeBzImage(t, "lz4", vmlinux)[:0x220], "whole header"},
		{"old protocol", changed("lz4", func(b []byte) { b[0x206] = 5; b[0x207] = 2 }), "older than 2.08"},
		{"payload beyond the end", changed("lz4", func(b []byte) { b[0x24f] = 0x7f }), "is said to be"},
		{"payload from beyond the end", changed("lz4", func(b []byte) { b[0x24b] = 0xff }), "is said to be"},
		{"payload of nothing", changed("lz4", func(b []byte) { copy(b[0x24c:], []byte{0, 0, 0, 0}) }), "not known"},
		{"payload of 4 bytes", changed("lz4", func(b []byte) { copy(b[0x24c:], []byte{6, 0, 0, 0}) }), "cut short"},
		{"unknown compression", makeBzImage(t, "", []byte("BZh91AY&SY")), "not known"},
		{"a lie about the size", changed("zstd", func(b []byte) {
			b[1024+300+int(binary.LittleEndian.Uint32(b[0x24c:]))-1]++
		}), "says that it has"},
		{"no kernel inside", makeBzImage(t, "xz", []byte("nothing of the kind")), "neither"},
		{"no version", makeBzImage(t, "gzip", bytes.Replace(vmlinux, []byte("Linux version"), []byte("Linus version"), 1)), "its version"},
		{"a version that is a path", makeBzImage(t, "gzip", makeVmlinux(t, "6.1/../../../x")), "its version"},
		{"segment outside", func() []byte {
			v := bytes.Clone(vmlinux)
			binary.LittleEndian.PutUint64(v[64+8:], 1<<62)
			return v
		}(), "outside"},
		{"bomb", makeBzImage(t, "zstd", make([]byte, maxVmlinux+1)), "more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readBoot(tt.image)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzReadBoot(f *testing.F) {
	vmlinux := makeVmlinux(f, version)
	for _, how := range []string{"lz4", "gzip", "xz", "zstd"} {
		f.Add(makeBzImage(f, how, vmlinux))
	}
	f.Add(vmlinux)
	f.Add(makeArm64("6.1"))
	f.Fuzz(func(t *testing.T, image []byte) {
		b, err := readBoot(image)
		if err == nil && (!versions().MatchString(b.version) || len(b.vmlinux) > maxVmlinux || b.arch != "amd64" && b.arch != "arm64") {
			t.Errorf("%s %q, %d bytes", b.arch, b.version, len(b.vmlinux))
		}
	})
}
