package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

const origin = "example.com/audit"

// testSigner is a key made of a name.
type testSigner struct{ key ed25519.PrivateKey }

func signerOf(name string) testSigner {
	seed := sha256.Sum256([]byte(name))
	return testSigner{ed25519.NewKeyFromSeed(seed[:])}
}

func (s testSigner) Public() keys.Public {
	return keys.Public{Key: s.key.Public().(ed25519.PublicKey)}
}

func (s testSigner) Sign(_ context.Context, message []byte) ([]byte, error) {
	return ed25519.Sign(s.key, message), nil
}

func open(t testing.TB, dir string, signer keys.Signer, anchors ...Anchor) *Log {
	t.Helper()
	l, err := Open(dir, Options{Origin: origin, Signer: signer, Anchors: anchors})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

type numbered struct {
	N int `json:"n"`
}

func add(t testing.TB, l *Log, n int) (ids []string) {
	t.Helper()
	for i := range n {
		e, err := l.Append(context.Background(), Entry{KindExecution, numbered{i}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

func trusted(signers ...testSigner) VerifyOptions {
	o := VerifyOptions{Origin: origin}
	for _, s := range signers {
		o.Keys = append(o.Keys, s.Public())
	}
	return o
}

func mustVerify(t testing.TB, dir string, o VerifyOptions) Report {
	t.Helper()
	r, err := Verify(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAppendAndVerify(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	l := open(t, dir, key)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() { add(t, l, 10) })
	}
	wait.Wait()
	e, err := l.Append(context.Background(), Entry{KindPolicy, map[string]string{"hash": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := ParseHead(e.Checkpoint)
	if err != nil || h.Size <= e.Index {
		t.Fatalf("the checkpoint of entry %d is of %d entries, %v", e.Index, h.Size, err)
	}
	o := trusted(key)
	o.Remembered = []string{e.Checkpoint}
	if r := mustVerify(t, dir, o); r.Entries != 162 || r.Key != key.Public().ID() {
		t.Errorf("verified %+v", r)
	}
	for _, name := range []string{logFile, headsFile, checkpointFile, hashesFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := Verify(dir, trusted(signerOf("b"))); err == nil {
		t.Error("verified with another key")
	}
	o.Origin = "example.com/other"
	if _, err := Verify(dir, o); err == nil {
		t.Error("verified with another origin")
	}
}

func TestBadEntriesAreRefused(t *testing.T) {
	l := open(t, t.TempDir(), signerOf("a"))
	for name, e := range map[string]Entry{
		"no kind":      {"", struct{}{}},
		"hostile kind": {`a","x":"`, struct{}{}},
		"no object":    {KindPolicy, []int{1}},
		"no JSON":      {KindPolicy, func() {}},
		"too long":     {KindPolicy, map[string]string{"a": strings.Repeat("a", maxData)}},
	} {
		if _, err := l.Append(context.Background(), e); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	add(t, l, 1)
}

// TestTwoLogsOnOneFolder: each sees what the other wrote, as two processes do.
func TestTwoLogsOnOneFolder(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	a, b := open(t, dir, key), open(t, dir, key)
	var wait sync.WaitGroup
	for _, l := range []*Log{a, b, a, b} {
		wait.Go(func() { add(t, l, 25) })
	}
	wait.Wait()
	if r := mustVerify(t, dir, trusted(key)); r.Entries != 101 {
		t.Errorf("%d entries", r.Entries)
	}
}

func TestClockGoesBack(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	l := open(t, dir, key)
	add(t, l, 1)
	l.now = func() time.Time { return time.Now().Add(-time.Hour) }
	ids := add(t, l, 1)
	r, err := Show(dir, ids[0])
	if err != nil || r.BackMS < 3_590_000 || r.BackMS > 3_600_000 {
		t.Errorf("%+v, %v", r, err)
	}
	mustVerify(t, dir, trusted(key))
}

func TestFailedWrites(t *testing.T) {
	full := errors.New("no space left on device")
	for _, tc := range []struct {
		name string
		fail func(l *Log) (heal func())
	}{
		{"sync of the log", func(l *Log) func() {
			l.sync = func(*os.File) error { return full }
			return func() { l.sync = (*os.File).Sync }
		}},
		{"sync of the heads", func(l *Log) func() {
			l.sync = func(f *os.File) error {
				if f == l.heads {
					return full
				}
				return f.Sync()
			}
			return func() { l.sync = (*os.File).Sync }
		}},
		{"signer", func(l *Log) func() {
			signer := l.signer
			l.signer = failingSigner{signer}
			return func() { l.signer = signer }
		}},
		{"a signer that signs with another key", func(l *Log) func() {
			signer := l.signer
			l.signer = signerOf("other")
			return func() { l.signer = signer }
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, key := t.TempDir(), signerOf("a")
			l := open(t, dir, key)
			add(t, l, 3)
			heal := tc.fail(l)
			if _, err := l.Append(context.Background(), Entry{KindExecution, numbered{1}}); err == nil {
				t.Fatal("no error")
			}
			if r := mustVerify(t, dir, trusted(key)); r.Entries != 4 {
				t.Errorf("%d entries after the failure", r.Entries)
			}
			heal()
			add(t, l, 2)
			if r := mustVerify(t, dir, trusted(key)); r.Entries != 6 {
				t.Errorf("%d entries at the end", r.Entries)
			}
		})
	}
}

type failingSigner struct{ keys.Signer }

func (failingSigner) Sign(context.Context, []byte) ([]byte, error) {
	return nil, errors.New("the KMS is away")
}

// TestCrash: each state in which a crash can leave the files is repaired, and nothing
// that was acknowledged is lost.
func TestCrash(t *testing.T) {
	for _, tc := range []struct {
		name    string
		crash   func(t *testing.T, dir string)
		entries int64 // 6 were acknowledged; a recovery is one more
	}{
		{"torn line", func(t *testing.T, dir string) { appendTo(t, dir, logFile, `{"index":6,"prev":"`) }, 7},
		{"zeros", func(t *testing.T, dir string) { appendTo(t, dir, logFile, strings.Repeat("\x00", 5000)) }, 7},
		{"whole lines without a head", func(t *testing.T, dir string) { appendTo(t, dir, logFile, "{}\n{}\n") }, 7},
		{"torn head", func(t *testing.T, dir string) { appendTo(t, dir, headsFile, origin+"\n7\n") }, 7},
		{"head cut in its signature", func(t *testing.T, dir string) { appendTo(t, dir, headsFile, origin+"\n7\nAAAA\n\n— "+origin) }, 7},
		{"no checkpoint", func(t *testing.T, dir string) { remove(t, dir, checkpointFile) }, 7},
		{"no hashes", func(t *testing.T, dir string) { remove(t, dir, hashesFile) }, 6},
		{"hashes too short", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, hashesFile), 33); err != nil {
				t.Fatal(err)
			}
		}, 6},
		{"temporary file", func(t *testing.T, dir string) { appendTo(t, dir, checkpointFile+".new", "x") }, 6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, key := t.TempDir(), signerOf("a")
			l := open(t, dir, key)
			ids := add(t, l, 5)
			l.Close()
			tc.crash(t, dir)
			l = open(t, dir, key)
			if r := mustVerify(t, dir, trusted(key)); r.Entries != tc.entries {
				t.Errorf("%d entries, want %d", r.Entries, tc.entries)
			}
			add(t, l, 2)
			mustVerify(t, dir, trusted(key))
			for _, id := range ids {
				if _, err := Show(dir, id); err != nil {
					t.Error(err)
				}
			}
			recoveries := 0
			for r, err := range Search(dir, Filter{Kind: KindRecovery}) {
				var d Recovery
				if err != nil || json.Unmarshal(r.Data, &d) != nil || d == (Recovery{}) {
					t.Errorf("%+v, %v", r, err)
				}
				recoveries++
			}
			if recoveries != int(tc.entries-6) {
				t.Errorf("%d recoveries", recoveries)
			}
		})
	}
}

// TestOpenRefuses: opening never signs what was forged, nor cuts what was acknowledged.
func TestOpenRefuses(t *testing.T) {
	for name, tamper := range map[string]func(t *testing.T, dir string){
		"heads removed": func(t *testing.T, dir string) { remove(t, dir, headsFile) },
		"heads and checkpoint removed": func(t *testing.T, dir string) {
			remove(t, dir, headsFile)
			remove(t, dir, checkpointFile)
		},
		"log removed":      func(t *testing.T, dir string) { remove(t, dir, logFile) },
		"log cut":          func(t *testing.T, dir string) { change(t, dir, logFile, func(b []byte) []byte { return b[:len(b)/2] }) },
		"too many entries": func(t *testing.T, dir string) { appendTo(t, dir, logFile, strings.Repeat("{}\n", maxGroup+1)) },
		"changed, and no hashes": func(t *testing.T, dir string) {
			remove(t, dir, hashesFile)
			change(t, dir, logFile, func(b []byte) []byte { return []byte(strings.Replace(string(b), `{"n":1}`, `{"n":2}`, 1)) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, key := t.TempDir(), signerOf("a")
			l := open(t, dir, key)
			add(t, l, 5)
			l.Close()
			tamper(t, dir)
			if l, err := Open(dir, Options{Origin: origin, Signer: key}); err == nil {
				l.Close()
				t.Error("no error")
			}
		})
	}
}

func TestRotation(t *testing.T) {
	dir, a, b, c := t.TempDir(), signerOf("a"), signerOf("b"), signerOf("c")
	l := open(t, dir, a)
	other := open(t, dir, a)
	add(t, l, 3)
	if err := l.Rotate(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, dir, trusted(a))
	add(t, l, 3)
	mustVerify(t, dir, trusted(b)) // the old key is named by the log
	mustVerify(t, dir, trusted(a, b))
	if _, err := Verify(dir, trusted(a)); err == nil {
		t.Error("the old key alone vouches for what the new one signed")
	}
	if _, err := other.Append(context.Background(), Entry{KindExecution, numbered{1}}); err == nil {
		t.Error("the old key signed after its time")
	}
	if l, err := Open(dir, Options{Origin: origin, Signer: a}); err == nil {
		l.Close()
		t.Error("a log was opened with a key that was replaced")
	}
	l.Close()
	l = open(t, dir, c) // the old private key is gone
	add(t, l, 2)
	mustVerify(t, dir, trusted(c))
	lapsed := trusted(a, b, c)
	lapsed.Keys[2].Until = time.Now().Add(-time.Hour)
	if _, err := Verify(dir, lapsed); err == nil {
		t.Error("a key that lapsed before the newest entry vouches for it")
	}
}

func TestContextAndClose(t *testing.T) {
	l := open(t, t.TempDir(), signerOf("a"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Append(ctx, Entry{KindExecution, numbered{1}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l.Close()
	if _, err := l.Append(context.Background(), Entry{KindExecution, numbered{1}}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func appendTo(t testing.TB, dir, name, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func change(t testing.TB, dir, name string, do func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), do(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
