package tiertest

import (
	"context"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// openTests are about boxes that must not be.
var openTests = map[string]func(*suite, *testing.T){
	"wrong specs": func(s *suite, t *testing.T) {
		directory, err := os.Open("/")
		if err != nil {
			t.Fatal(err)
		}
		defer directory.Close()
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		for name, change := range map[string]func(*tier.Spec){
			"no root":            func(s *tier.Spec) { s.Root = nil },
			"an empty root":      func(s *tier.Spec) { s.Root = &rootfs.Root{} },
			"no limits":          func(s *tier.Spec) { s.Limits = glovebox.Limits{} },
			"a limit is zero":    func(s *tier.Spec) { s.Limits.Processes = 0 },
			"a limit is below":   func(s *tier.Spec) { s.Limits.Memory = -1 },
			"a limit is above":   func(s *tier.Spec) { s.Limits.Memory = glovebox.MaxLimits.Memory + 1 },
			"a directory":        func(s *tier.Spec) { s.Descriptors = []*os.File{directory} },
			"a device":           func(s *tier.Spec) { s.Descriptors = []*os.File{nil, null} },
			"many descriptors":   func(s *tier.Spec) { s.Descriptors = make([]*os.File, 1000) },
			"a file that leaves": func(s *tier.Spec) { s.Files = []glovebox.File{{Path: "../../etc/passwd"}} },
			"an absolute file":   func(s *tier.Spec) { s.Files = []glovebox.File{{Path: "/etc/passwd"}} },
			"a file of no name":  func(s *tier.Spec) { s.Files = []glovebox.File{{Path: ""}} },
			"a name with a NUL":  func(s *tier.Spec) { s.Files = []glovebox.File{{Path: "a\x00b"}} },
		} {
			t.Run(name, func(t *testing.T) {
				spec := s.spec()
				change(&spec)
				box, err := s.tier.Open(context.Background(), spec)
				if err == nil {
					box.Close()
				}
				if !tier.IsKind(err, tier.KindInvalid) {
					t.Errorf("got %v, want an error of the kind %s", err, tier.KindInvalid)
				}
			})
		}
	},
	"a root that is not there": func(s *suite, t *testing.T) {
		spec := s.spec()
		spec.Root = &rootfs.Root{Key: "none", Tree: "/does/not/exist/root", Image: "/does/not/exist/image"}
		box, err := s.tier.Open(context.Background(), spec)
		if err == nil {
			box.Close()
			t.Error("a box without a root opened")
		}
		if tier.IsKind(err, tier.KindUnsupported) {
			t.Errorf("the host is blamed: %v", err)
		}
	},
	"files that do not fit": func(s *suite, t *testing.T) {
		spec := s.spec(glovebox.File{Path: "big", Data: make([]byte, 3<<20)})
		spec.Limits.Disk = 1 << 20
		if box, err := s.tier.Open(context.Background(), spec); err == nil {
			box.Close()
			t.Error("a file larger than the disk was staged")
		}
	},
}
