package rootfs

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A root is not synced to the disk when it is built: on a busy machine that
// takes longer than all the rest. Instead, until the kernel has surely written
// it, a file "boot" beside it names the boot it was built in. A root with the
// name of another boot may have lost content in a crash: it is built anew.

// flushed is how long the kernel may keep written data to itself; by default
// it is half a minute.
const flushed = 10 * time.Minute

// bootID identifies this boot of the machine.
var bootID = sync.OnceValues(readBootID)

// mark says beside a root that is about to appear in home when it was built.
func mark(home string) error {
	boot, err := bootID()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, "boot"), []byte(boot), 0o600)
}

// settled tells whether the root in home is there and whole.
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
