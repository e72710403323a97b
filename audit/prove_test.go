package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// rfcRoot computes the root of RFC 6962, section 2.1.1, from a leaf and its path, as RFC
// 9162, section 2.1.3.2, says; ok is false where the path has the wrong length.
func rfcRoot(index, size int64, leaf []byte, path [][]byte) (root []byte, ok bool) {
	node := func(prefix byte, parts ...[]byte) []byte {
		sum := sha256.Sum256(append([]byte{prefix}, bytes.Join(parts, nil)...))
		return sum[:]
	}
	if index >= size {
		return nil, false
	}
	fn, sn, r := index, size-1, node(0, leaf)
	for _, p := range path {
		if sn == 0 {
			return nil, false
		}
		if fn&1 == 1 || fn == sn {
			r = node(1, p, r)
			for fn&1 == 0 && fn != 0 {
				fn, sn = fn>>1, sn>>1
			}
		} else {
			r = node(1, r, p)
		}
		fn, sn = fn>>1, sn>>1
	}
	return r, sn == 0
}

// rfcCheck verifies a proof with nothing of this package: the form of C2SP tlog-proof,
// the tree of the RFC and Ed25519.
func rfcCheck(t *testing.T, proof string, key ed25519.PublicKey) {
	t.Helper()
	decode := func(text string) []byte {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	body, checkpoint, _ := strings.Cut(proof, "\n\n")
	lines := strings.Split(body, "\n")
	leaf := decode(strings.TrimPrefix(lines[1], "extra "))
	index, _ := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	var path [][]byte
	for _, l := range lines[3:] {
		path = append(path, decode(l))
	}
	signed, signature, _ := strings.Cut(checkpoint, "\n\n")
	head := strings.Split(signed, "\n")
	size, _ := strconv.ParseInt(head[1], 10, 64)
	root, ok := rfcRoot(index, size, leaf, path)
	if !ok || !bytes.Equal(root, decode(head[2])) {
		t.Fatalf("entry %d of %d: another root", index, size)
	}
	fields := strings.Fields(signature)
	if len(fields) != 3 || !ed25519.Verify(key, []byte(signed+"\n"), decode(fields[2])[4:]) {
		t.Fatalf("entry %d: no signature", index)
	}
}

func TestProofs(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	makeLog(t, dir, key, groups)
	records, _ := recordsOf(t, readFolder(t, dir))
	for _, want := range records {
		proof, err := Prove(dir, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		r, h, err := CheckProof(proof, key.Public())
		if err != nil || r.ID != want.ID || r.Index != want.Index || h.Size != int64(len(records)) {
			t.Fatalf("%+v, %+v, %v", r, h, err)
		}
		rfcCheck(t, string(proof), key.Public().Key)
	}
	if _, err := Prove(dir, newID()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestChangedProofs: no byte of a proof can be changed.
func TestChangedProofs(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	makeLog(t, dir, key, groups)
	records, _ := recordsOf(t, readFolder(t, dir))
	proof, err := Prove(dir, records[20].ID)
	if err != nil {
		t.Fatal(err)
	}
	for at := range proof {
		changed := bytes.Clone(proof)
		changed[at] ^= 1 << (at % 8)
		if _, _, err := CheckProof(changed, key.Public()); err == nil {
			t.Fatalf("bit %d of byte %d", at%8, at)
		}
		if _, _, err := CheckProof(proof[:at], key.Public()); err == nil {
			t.Fatalf("cut at byte %d", at)
		}
	}
	if _, _, err := CheckProof(proof, signerOf("b").Public()); err == nil {
		t.Error("another key")
	}
}
