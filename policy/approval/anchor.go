package approval

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// anchor is what another folder remembers of a store: enough to notice that the store's
// files are a copy, or older than the newest ones.
type anchor struct {
	Store    string `json:"store"`
	Sequence int64  `json:"sequence"`
	// SHA256 is that of the state's file; empty before there is one.
	SHA256 string `json:"sha256"`
	// Folder is for people; the name of the anchor's file decides.
	Folder string `json:"folder"`
}

const maxAnchor = 64 << 10

// anchorName is the anchor's file of the present folder dir. A copy of the folder has
// another inode, so another name.
func anchorName(anchors, dir string) (string, error) {
	node, err := inode(dir)
	if err != nil {
		return "", err
	}
	host, err := hostID()
	if err != nil {
		return "", err
	}
	return filepath.Join(anchors, "approvals-"+digest("glovebox approval anchor 1", host, node)[:16]+".json"), nil
}

// hostID is the machine's ID, or its name where there is none.
func hostID() (string, error) {
	if id, err := os.ReadFile("/etc/machine-id"); err == nil && len(bytes.TrimSpace(id)) > 0 {
		return string(bytes.TrimSpace(id)), nil
	}
	return os.Hostname()
}

// readAnchor returns nil where there is no anchor.
func readAnchor(name string) (*anchor, error) {
	data, err := readFile(name, maxAnchor)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var a anchor
	if err = decode(data, &a); err == nil && a.Sequence < 0 {
		err = errors.New("the sequence is negative")
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove this file to go on without the grants", name, err)
	}
	return &a, nil
}

func (a *anchor) write(name string) error {
	data, err := encode(a)
	if err != nil {
		return err
	}
	return errors.Join(writeFile(name, data), syncDir(filepath.Dir(name)))
}

// judge returns a reason against a state as the newest. The reason is empty for the newest
// state and for the direct successor, written by a process killed before the anchor.
func (a *anchor) judge(s *state, file string, current bool) string {
	switch {
	case a == nil:
		return "the folder was copied or moved, or its anchor is lost"
	case s == nil:
		return "the file of the requests is gone"
	case a.Store != s.Store:
		return "the file of the requests is that of another folder"
	case a.Sequence == s.Sequence && a.SHA256 == file:
		return ""
	case s.Sequence == a.Sequence+1 && s.Previous == a.SHA256 && current:
		return ""
	case s.Sequence < a.Sequence:
		return fmt.Sprintf("the file of the requests is an old one: change %d of %d", s.Sequence, a.Sequence)
	}
	return fmt.Sprintf("the file of the requests is not the one that was written: change %d, and change %d is known", s.Sequence, a.Sequence)
}
