package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"path/filepath"
)

// Memo sets v, a pointer to a JSON-encodable value, to an earlier result of
// fill under the same key, if every one of the files is unchanged: the same
// size, modification time and inode, or absent. Else it calls fill, which sets
// v, and stores v on disk, for later processes too. Different builds of this
// program do not share memos.
//
// For a toolchain's discovery the files are the interpreter and the relevant
// directories. A file costs some microseconds, where asking an interpreter
// costs tens of milliseconds. A failure to store is only slower.
func (h *Host) Memo(key string, files []string, v any, fill func() error) error {
	dir := h.memos()
	if dir == "" {
		return fill()
	}
	id, stamp := stampOf(key, files)
	name := filepath.Join(dir, id+".json")
	if b, err := os.ReadFile(name); err == nil {
		if value, ok := bytes.CutPrefix(b, []byte(stamp+"\n")); ok && json.Unmarshal(value, v) == nil {
			return nil
		}
	}
	if err := fill(); err != nil {
		return err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("remember %s: %w", key, err)
	}
	b = append([]byte(stamp+"\n"), b...)
	if part, err := os.CreateTemp(dir, "part-*"); err == nil {
		_, err = part.Write(b)
		if err2 := part.Close(); err == nil && err2 == nil {
			err = os.Rename(part.Name(), name)
		}
		if err != nil {
			os.Remove(part.Name())
		}
	}
	return nil
}

// stampOf returns the name of the memo of key and files, and a stamp of the
// state of the files and of this build.
func stampOf(key string, files []string) (id, stamp string) {
	name, state := sha256.New(), sha256.New()
	fmt.Fprintf(name, "%q %q", key, files)
	if exe, err := os.Executable(); err == nil {
		files = append([]string{exe}, files...)
	}
	for _, p := range files {
		info, err := os.Stat(p)
		if err != nil {
			fmt.Fprintf(state, "%q absent ", p)
			continue
		}
		fmt.Fprintf(state, "%q %d %d %d ", p, info.Size(), info.ModTime().UnixNano(), inode(info))
	}
	hex16 := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }
	return hex16(name), hex16(state)
}
