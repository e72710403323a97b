package keys

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func mustOpen(t *testing.T, dir string) *Ring {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func signs(t *testing.T, r *Ring, p Public) bool {
	t.Helper()
	sig, err := r.Sign(context.Background(), []byte("message"))
	if err != nil {
		t.Fatal(err)
	}
	return p.Verify([]byte("message"), sig) && !p.Verify([]byte("massage"), sig)
}

func TestFirstUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "keys")
	r := mustOpen(t, dir)
	if !signs(t, r, r.Public()) || len(r.All()) != 1 {
		t.Errorf("%+v", r.All())
	}
	again := mustOpen(t, dir)
	if again.Public().ID() != r.Public().ID() || !signs(t, again, r.Public()) {
		t.Error("another key at second use")
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]os.FileMode{"": 0o700, privateFile: 0o600, publicFile: 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestModesAreRefused(t *testing.T) {
	if permissive {
		t.Skip("no modes here")
	}
	for _, tc := range []struct {
		name string
		mode os.FileMode
	}{{"", 0o755}, {"", 0o701}, {"", 0o720}, {privateFile, 0o640}, {privateFile, 0o604}, {privateFile, 0o602}} {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		mustOpen(t, dir)
		if err := os.Chmod(filepath.Join(dir, tc.name), tc.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("%q with mode %04o: %v", tc.name, tc.mode, err)
		}
	}
}

func TestAnotherOwnerIsRefused(t *testing.T) {
	if permissive || os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	dir := filepath.Join(t.TempDir(), "keys")
	mustOpen(t, dir)
	if err := os.Chown(filepath.Join(dir, privateFile), 12345, 12345); err != nil {
		t.Skip(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("no error")
	}
}

func TestRotate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := mustOpen(t, dir)
	first := r.Public()
	other := mustOpen(t, dir)
	for range 2 {
		if err := r.Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Rotate(); err != nil { // behind by two
		t.Fatal(err)
	}
	all := mustOpen(t, dir).All()
	if len(all) != 4 || all[0].ID() != first.ID() || all[3].ID() != other.Public().ID() {
		t.Fatalf("%+v", all)
	}
	for i, p := range all {
		if last := i == 3; p.Until.IsZero() != last || !last && p.Until.Before(p.Since) {
			t.Errorf("key %d: %v to %v", i, p.Since, p.Until)
		}
	}
	if signs(t, other, first) || !signs(t, other, all[3]) {
		t.Error("not the newest key signs")
	}
}

// TestOneKey: many that open a folder at once, as processes do, make one key.
func TestOneKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	rings := make([]*Ring, 16)
	var wait sync.WaitGroup
	for i := range rings {
		wait.Go(func() { rings[i], _ = Open(dir) })
	}
	wait.Wait()
	for _, r := range rings {
		if r == nil || r.Public().ID() != rings[0].Public().ID() || len(r.All()) != 1 {
			t.Fatal("not one key")
		}
	}
}

// TestRotateWhileSigning is for the race detector.
func TestRotateWhileSigning(t *testing.T) {
	r := mustOpen(t, filepath.Join(t.TempDir(), "keys"))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 50 {
				if _, err := r.Sign(context.Background(), []byte("m")); err != nil || len(r.All()) == 0 || r.Public().ID() == "" {
					t.Error(err)
				}
			}
		})
	}
	if err := r.Rotate(); err != nil {
		t.Error(err)
	}
	wait.Wait()
}

// TestCrashBetweenTheFiles: the public keys are written first.
func TestCrashBetweenTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := mustOpen(t, dir)
	first := r.Public()
	private, err := os.ReadFile(filepath.Join(dir, privateFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Rotate(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, privateFile), private, 0o600); err != nil {
		t.Fatal(err)
	}
	r = mustOpen(t, dir)
	if len(r.All()) != 1 || r.Public().ID() != first.ID() || !r.Public().Until.IsZero() || !signs(t, r, first) {
		t.Errorf("after a crash in Rotate: %+v", r.All())
	}
	if err := os.Remove(filepath.Join(dir, privateFile)); err != nil {
		t.Fatal(err)
	}
	r = mustOpen(t, dir) // a crash at first use, or a lost key
	if !signs(t, r, r.Public()) || r.All()[0].ID() != first.ID() || r.All()[0].Until.IsZero() {
		t.Errorf("after a crash at first use: %+v", r.All())
	}
}

func TestHostileFiles(t *testing.T) {
	_, other, _ := ed25519.GenerateKey(rand.Reader)
	otherPEM := privatePEM(t, other)
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	short, _ := json.Marshal([]Public{{Key: make([]byte, 5)}})
	for _, tc := range []struct{ name, file, text string }{
		{"empty private key", privateFile, ""},
		{"no PEM", privateFile, "hello"},
		{"no key in PEM", privateFile, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"},
		{"RSA", privateFile, privatePEM(t, weak)},
		{"another key", privateFile, otherPEM},
		{"huge private key", privateFile, strings.Repeat("x", maxFile+1)},
		{"no JSON", publicFile, "hello"},
		{"no keys", publicFile, "[]"},
		{"null", publicFile, "null"},
		{"short key", publicFile, string(short)},
		{"deep JSON", publicFile, strings.Repeat("[", 100_000)},
		{"huge JSON", publicFile, strings.Repeat(" ", maxFile+1)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "keys")
			r := mustOpen(t, dir)
			if err := os.WriteFile(filepath.Join(dir, tc.file), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); err == nil {
				t.Error("opened")
			}
			if err := r.Rotate(); err == nil {
				t.Error("rotated")
			}
			if !signs(t, r, r.Public()) {
				t.Error("the open ring is broken")
			}
		})
	}
	for _, file := range []string{privateFile, publicFile} {
		dir := filepath.Join(t.TempDir(), "keys")
		mustOpen(t, dir)
		name := filepath.Join(dir, file)
		if err := os.Rename(name, name+".real"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(name+".real", name); err != nil {
			t.Skip(err)
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("a link in place of %s was followed", file)
		}
	}
}

func privatePEM(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestParsePublic(t *testing.T) {
	r := mustOpen(t, filepath.Join(t.TempDir(), "keys"))
	text := r.Public().PEM()
	p, err := ParsePublic(text)
	if err != nil || p.ID() != r.Public().ID() || !signs(t, r, p) {
		t.Errorf("%+v, %v", p, err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&weak.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty":     nil,
		"text":      []byte("hello"),
		"two":       append(bytes.Clone(text), text...),
		"private":   []byte(privatePEM(t, r.private)),
		"RSA":       pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}),
		"cut":       text[:len(text)/2],
		"wrong key": []byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
	} {
		if _, err := ParsePublic(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if (Public{}).Verify([]byte("m"), make([]byte, 64)) {
		t.Error("no key verifies")
	}
}

func FuzzParsePublic(f *testing.F) {
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(Public{Key: public}.PEM())
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParsePublic(text)
		if err != nil {
			return
		}
		again, err := ParsePublic(p.PEM())
		if err != nil || again.ID() != p.ID() {
			t.Errorf("%q: %v", text, err)
		}
	})
}
