//go:build linux

package process

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

// A network name space is one box's alone, however fast boxes follow each other,
// and never the host's.
func TestNetworksApart(t *testing.T) {
	tr, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Skip(err)
	}
	root := emptyRoot(t)
	before := native.Below(os.Getpid())
	const boxes = 12
	var all sync.WaitGroup
	for range boxes / 3 {
		// One after the other, beside others that do the same.
		all.Go(func() {
			for range 3 {
				box, err := tr.Open(t.Context(), tier.Spec{Root: root, Limits: glovebox.DefaultLimits})
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(func() { box.Close() })
			}
		})
	}
	all.Wait()
	seen := map[string]int{own: os.Getpid()}
	for _, pid := range native.Below(os.Getpid()) {
		if slices.Contains(before, pid) {
			continue
		}
		net, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
		if os.IsPermission(err) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[net]; ok {
			t.Errorf("processes %d and %d are both in %s", other, pid, net)
		}
		seen[net] = pid
	}
	if len(seen) != boxes+1 {
		t.Errorf("%d network name spaces of %d boxes and the host", len(seen), boxes)
	}
}

// What is hidden from a box the host still sees.
func TestHiddenCounts(t *testing.T) {
	tr, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	open(t, tr, glovebox.Limits{})
	// Of this thread: that of an outpost, which may be the process's first, is elsewhere.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := native.HideCounts(unix.Gettid()); err != nil {
		t.Error(err)
	}
	for _, name := range native.Counts {
		if info, err := os.Stat("/proc/thread-self/net/" + name); err == nil && info.Mode().Perm()&0o400 == 0 {
			t.Errorf("%s is hidden from the host: %v", name, info.Mode())
		}
	}
}
