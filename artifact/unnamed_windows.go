package artifact

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unnamed makes a file to be removed by Windows on close, including any end of
// the process.
func unnamed() (*os.File, error) {
	name := filepath.Join(os.TempDir(), "glovebox-"+rand.Text())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.O_FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
