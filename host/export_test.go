//go:build linux

package host

// ForTest returns a host with its own PATH, loader directories and place for
// memos.
func ForTest(path, memos string, search ...string) *Host {
	return &Host{
		dirs:   pathDirs(path),
		memos:  func() string { return memos },
		search: func() []string { return search },
	}
}

var ConfiguredDirs = configuredDirs
