package approval

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// permissive: a mode says nothing here; the folder's own access list decides.
const permissive = true

func ours(fs.FileInfo) bool { return true }

// inode identifies a folder on this host: a copy has another one.
func inode(dir string) (string, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return "", err
	}
	h, err := windows.CreateFile(name, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	defer windows.CloseHandle(h)
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return fmt.Sprintf("%d:%d:%d", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow), nil
}

// syncDir has nothing to do: names are durable.
func syncDir(string) error { return nil }
