package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func FuzzParseRecord(f *testing.F) {
	dir := f.TempDir()
	makeLog(f, dir, signerOf("a"), []int{1, 2})
	for _, line := range readFolder(f, dir).lines() {
		f.Add([]byte(strings.TrimSuffix(line, "\n")))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseRecord(line)
		if err == nil && !bytes.Equal(r.appendLine(nil), line) {
			t.Errorf("two forms: %q and %q", line, r.appendLine(nil))
		}
	})
}

func FuzzParseHead(f *testing.F) {
	dir := f.TempDir()
	makeLog(f, dir, signerOf("a"), []int{1, 2})
	f.Add(readFolder(f, dir)[headsFile])
	f.Add(readFolder(f, dir)[checkpointFile])
	v, err := verifier(origin, signerOf("a").Public())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ParseHead(text)
		if err == nil {
			if h.Size < 0 || h.String() != text {
				t.Errorf("%+v of %q", h, text)
			}
			h.verify(v)
			h.signedBy(v)
		}
		r := newHeadReader(strings.NewReader(text))
		for {
			h, err := r.next()
			if err != nil {
				if err == io.EOF && r.offset != int64(len(text)) {
					t.Errorf("%d of %d bytes were read", r.offset, len(text))
				}
				break
			}
			if h.Origin == "" || !strings.Contains(text, h.note) {
				t.Errorf("%+v of %q", h, text)
			}
		}
	})
}

func FuzzCheckProof(f *testing.F) {
	dir, key := f.TempDir(), signerOf("a")
	// Each process of the fuzzer needs the same log.
	var records []Record
	for i := range 9 {
		records = append(records, Record{
			ID: fmt.Sprintf("%032x", i), Time: time.Unix(int64(i), 0), Kind: KindExecution, Data: json.RawMessage(`{"n":1}`),
		})
	}
	forge(f, records, nil, key).write(f, dir)
	known := map[string]bool{}
	for _, r := range records {
		known[r.ID] = true
		proof, err := Prove(dir, r.ID)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(proof)
	}
	f.Fuzz(func(t *testing.T, proof []byte) {
		if r, _, err := CheckProof(proof, key.Public()); err == nil && !known[r.ID] {
			t.Errorf("an entry was proven that is not in the log: %q", proof)
		}
	})
}
