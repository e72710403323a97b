package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"syscall"
)

// Memo sets v, a pointer to something that JSON can hold, to what fill found
// before under the same key, if every one of the files is as it was then: its
// size, its modification time and its inode, or absent as it was then. Else it calls fill, which sets v,
// and remembers it, on disk, for later processes too. Another build of this
// program does not use what this one remembered.
//
// For a toolchain's discovery the files are the interpreter and the
// directories whose entries matter: one Memo costs a few microseconds each and
// one small file, where asking the interpreter costs tens of milliseconds.
// What cannot be remembered is only slower.
func (h *Host) Memo(key string, files []string, v any, fill func() error) error {
	dir := h.memos()
	if dir == "" {
		return fill()
	}
	id, stamp := stampOf(key, files)
	name := filepath.Join(dir, id+".json")
	var m memo
	if b, err := os.ReadFile(name); err == nil && json.Unmarshal(b, &m) == nil && m.Stamp == stamp {
		return json.Unmarshal(m.Value, v)
	}
	if err := fill(); err != nil {
		return err
	}
	b, err := json.Marshal(v)
	if err == nil {
		b, err = json.Marshal(memo{Stamp: stamp, Value: b})
	}
	if err != nil {
		return fmt.Errorf("remember %s: %w", key, err)
	}
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

// memo is what the file of a memo holds.
type memo struct {
	Stamp string          `json:"stamp"`
	Value json.RawMessage `json:"value"`
}

// stampOf returns the name of the memo of key and files, and a stamp that
// changes with the state of the files and with this build.
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
		fmt.Fprintf(state, "%q %d %d %d ", p, info.Size(), info.ModTime().UnixNano(), info.Sys().(*syscall.Stat_t).Ino)
	}
	hex16 := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }
	return hex16(name), hex16(state)
}
