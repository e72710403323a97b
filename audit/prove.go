package audit

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// proofHead is the first line of a C2SP tlog-proof.
const proofHead = "c2sp.org/tlog-proof@v1"

// maxProof bounds a proof: the line in base64, 63 hashes and a checkpoint.
const maxProof = 2*maxLine + 64*64

// Prove returns a C2SP tlog-proof that the entry with this ID is in the log: the entry's
// line as the extra data, its index, the inclusion proof and the newest checkpoint. The
// error is [fs.ErrNotExist] where no entry has the ID.
func Prove(dir, id string) ([]byte, error) {
	heads, err := openFile(filepath.Join(dir, headsFile))
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer heads.Close()
	head, _, err := lastHead(heads)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	log, err := openFile(filepath.Join(dir, logFile))
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer log.Close()
	index, line, err := find(log, head.Size, id)
	if err != nil {
		return nil, err
	}
	path, err := proveLeaf(filepath.Join(dir, hashesFile), head, index, tlog.RecordHash(line))
	if err != nil {
		if path, err = proveFromLog(log, head, index); err != nil {
			return nil, err
		}
	}
	if err := tlog.CheckRecord(path, head.Size, head.Root, index, tlog.RecordHash(line)); err != nil {
		return nil, fmt.Errorf("audit: the log does not fit its newest checkpoint: run verify: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nextra %s\nindex %d\n", proofHead, base64.StdEncoding.EncodeToString(line), index)
	for _, h := range path {
		fmt.Fprintln(&b, h)
	}
	b.WriteString("\n" + head.note)
	return []byte(b.String()), nil
}

// find returns the index and a copy of the line of an entry under the newest head.
func find(log io.Reader, size int64, id string) (int64, []byte, error) {
	lines := bufio.NewReaderSize(log, maxLine)
	for n := range size {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return 0, nil, fmt.Errorf("audit: %s:%d: %w", logFile, n+1, err)
		}
		r, err := ParseRecord(line[:len(line)-1])
		if err != nil {
			return 0, nil, fmt.Errorf("audit: %s:%d: %w", logFile, n+1, err)
		}
		if r.ID == id {
			return n, append([]byte(nil), line[:len(line)-1]...), nil
		}
	}
	return 0, nil, fmt.Errorf("audit: no entry %q under the newest checkpoint: %w", id, os.ErrNotExist)
}

// proveLeaf takes the proof from the hashes file, which may be damaged.
func proveLeaf(name string, head Head, index int64, leaf tlog.Hash) (tlog.RecordProof, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	path, err := tlog.ProveRecord(head.Size, index, storedHashes{f})
	if err != nil {
		return nil, err
	}
	return path, tlog.CheckRecord(path, head.Size, head.Root, index, leaf)
}

// proveFromLog hashes the log again, into a temporary file.
func proveFromLog(log *os.File, head Head, index int64) (_ tlog.RecordProof, err error) {
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "audit-hashes-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	lines, hashes := bufio.NewReaderSize(log, maxLine), bufio.NewWriterSize(f, 1<<16)
	var tree frontier
	var stored []tlog.Hash
	for tree.n < head.Size {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		stored = tree.add(tlog.RecordHash(line[:len(line)-1]), stored[:0])
		for _, h := range stored {
			if _, err := hashes.Write(h[:]); err != nil {
				return nil, err
			}
		}
	}
	if err := hashes.Flush(); err != nil {
		return nil, err
	}
	return tlog.ProveRecord(head.Size, index, storedHashes{f})
}

// CheckProof checks a proof with the public key alone, and returns the entry and the
// head that covers it.
func CheckProof(proof []byte, key keys.Public) (Record, Head, error) {
	fail := func(err error) (Record, Head, error) {
		return Record{}, Head{}, fmt.Errorf("audit: proof: %w", err)
	}
	line, index, path, head, err := parseProof(proof)
	if err != nil {
		return fail(err)
	}
	r, err := ParseRecord(line)
	if err != nil {
		return fail(err)
	}
	v, err := verifier(head.Origin, key)
	if err != nil {
		return fail(err)
	}
	if !head.verify(v) {
		return fail(fmt.Errorf("the checkpoint has no signature of key %s", key.ID()))
	}
	if r.Index != index || index >= head.Size {
		return fail(fmt.Errorf("index %d is not the entry's, %d, or not below %d", index, r.Index, head.Size))
	}
	if err := tlog.CheckRecord(path, head.Size, head.Root, index, tlog.RecordHash(line)); err != nil {
		return fail(err)
	}
	return r, head, nil
}

func parseProof(proof []byte) (line []byte, index int64, path tlog.RecordProof, head Head, err error) {
	if len(proof) > maxProof {
		return nil, 0, nil, Head{}, fmt.Errorf("more than %d bytes", maxProof)
	}
	body, checkpoint, ok := strings.Cut(string(proof), "\n\n")
	lines := strings.Split(body, "\n")
	if !ok || len(lines) < 3 || len(lines) > 3+63 || lines[0] != proofHead {
		return nil, 0, nil, Head{}, fmt.Errorf("want %s, extra, index, at most 63 hashes, an empty line and a checkpoint", proofHead)
	}
	extra, ok := strings.CutPrefix(lines[1], "extra ")
	if !ok || strings.Contains(extra, "\r") {
		return nil, 0, nil, Head{}, errors.New("line 2: want extra and the entry in base64")
	}
	if line, err = base64.StdEncoding.Strict().DecodeString(extra); err != nil {
		return nil, 0, nil, Head{}, fmt.Errorf("line 2: %w", err)
	}
	number, ok := strings.CutPrefix(lines[2], "index ")
	if index, err = parseSize(number); !ok || err != nil {
		return nil, 0, nil, Head{}, errors.New("line 3: want index and a decimal number")
	}
	for i, text := range lines[3:] {
		h, err := parseHash(text)
		if err != nil {
			return nil, 0, nil, Head{}, fmt.Errorf("line %d: %w", i+4, err)
		}
		path = append(path, h)
	}
	head, err = ParseHead(checkpoint)
	return line, index, path, head, err
}
