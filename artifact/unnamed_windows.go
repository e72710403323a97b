package artifact

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unnamed makes a file that Windows removes when it is closed, as by the end of
// the process, however it ends.
func unnamed() (*os.File, error) {
	name := filepath.Join(os.TempDir(), "glovebox-"+rand.Text())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.O_FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
