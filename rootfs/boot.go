package rootfs

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A new root is not synced to the disk: on a busy machine the sync takes longer
// than all the rest. Instead, until the kernel has surely written the root, a
// file "boot" beside it names the boot of the build. A root with the name of an
// earlier boot may have lost content in a crash, and is built anew.

// flushed is how long the kernel may keep written data to itself; by default
// it is half a minute.
const flushed = 10 * time.Minute

// bootID identifies this boot of the machine.
var bootID = sync.OnceValues(readBootID)

// mark notes the current boot beside a root that is about to appear in home.
func mark(home string) error {
	boot, err := bootID()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, "boot"), []byte(boot), 0o600)
}

// settled reports whether the root in home exists and is whole.
func settled(home string) bool {
	if !exists(filepath.Join(home, "root")) {
		return false
	}
	name := filepath.Join(home, "boot")
	info, err := os.Lstat(name)
	if os.IsNotExist(err) {
		return true
	}
	built, err2 := os.ReadFile(name)
	boot, err3 := bootID()
	if err != nil || err2 != nil || err3 != nil || string(built) != boot {
		return false
	}
	if time.Since(info.ModTime()) > flushed {
		_ = os.Remove(name)
	}
	return true
}
