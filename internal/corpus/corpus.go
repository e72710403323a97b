// Package corpus reads the real data for tests: files of JSON lines outside the
// project. They are in the folder named by GLOVEBOX_CORPORA, else in
// ../shared/corpora beside the checkout.
package corpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder of the corpora, or skips the test.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("GLOVEBOX_CORPORA")
	if dir == "" {
		dir = filepath.Join(root(t), "..", "shared", "corpora")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the corpora are not here (set GLOVEBOX_CORPORA): %v", err)
	}
	return dir
}

// root is the module's folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("the module's folder is not above this one")
		}
		dir = up
	}
}

// Rows reads a corpus, such as "humaneval/HumanEval.jsonl.gz".
func Rows[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join(Dir(t), filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("this corpus is not here: %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	for d := json.NewDecoder(z); d.More(); {
		var row T
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%s, row %d: %v", name, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	return rows
}
