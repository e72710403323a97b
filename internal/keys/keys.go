// Package keys keeps the Ed25519 keys that sign grants, checkpoints of the audit log and
// receipts.
//
// A [Ring] is a folder: the private key in use in one file of mode 0600, made at first
// use, and the public keys, also those that were in use before, in another. A key that
// lives elsewhere, in a KMS or in Vault, is a [Signer]: two methods.
package keys

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/lock"
)

// Signer signs messages with one Ed25519 key.
type Signer interface {
	// Public is the key that verifies what Sign signs.
	Public() Public
	// Sign returns the 64 bytes of the Ed25519 signature of message itself, which is not
	// hashed before.
	Sign(ctx context.Context, message []byte) ([]byte, error)
}

// Public is a public key and the time in which it signed.
type Public struct {
	Key ed25519.PublicKey `json:"key"`
	// Since and Until bound when it was in use; Until is zero for the key in use.
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"`
}

// ID is the first 16 hexadecimal digits of the SHA-256 of the key's PKIX form.
func (p Public) ID() string {
	sum := sha256.Sum256(p.der())
	return hex.EncodeToString(sum[:8])
}

// PEM is the key as "PUBLIC KEY" in PEM, which openssl and cosign read.
func (p Public) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: p.der()})
}

func (p Public) der() []byte {
	der, err := x509.MarshalPKIXPublicKey(p.Key)
	if err != nil {
		panic(err) // an Ed25519 key has a PKIX form
	}
	return der
}

// Verify reports whether signature is of message by the key.
func (p Public) Verify(message, signature []byte) bool {
	return len(p.Key) == ed25519.PublicKeySize && ed25519.Verify(p.Key, message, signature)
}

// ParsePublic reads a key as [Public.PEM] writes it.
func ParsePublic(text []byte) (Public, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return Public{}, errors.New(`no public key: want "-----BEGIN PUBLIC KEY-----"`)
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return Public{}, errors.New("there is more than one public key")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return Public{}, err
	}
	edwards, ok := key.(ed25519.PublicKey)
	if !ok {
		return Public{}, fmt.Errorf("the public key is a %T: want Ed25519", key)
	}
	return Public{Key: edwards}, nil
}

// The files of a Ring.
const (
	privateFile = "signing.pem"
	publicFile  = "public.json"
	lockFile    = "lock"
)

// Ring is a folder of keys. It implements Signer with the key in use. Its methods are
// called by many goroutines at once.
type Ring struct {
	dir string

	mu      sync.RWMutex
	private ed25519.PrivateKey
	public  []Public // the one in use is the last
}

// Open reads the keys in dir. The folder and the first key are made where there is none.
// A folder or a private key that another user can read or write is an error.
func Open(dir string) (*Ring, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	r := &Ring{dir: dir}
	return r, r.locked(func() error {
		switch err := r.read(); {
		case errors.Is(err, fs.ErrNotExist):
			return r.add(time.Now())
		default:
			return err
		}
	})
}

// Public implements [Signer].
func (r *Ring) Public() Public {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.public[len(r.public)-1]
}

// Sign implements [Signer].
func (r *Ring) Sign(_ context.Context, message []byte) ([]byte, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return ed25519.Sign(r.private, message), nil
}

// All returns the public keys, the oldest first; the last one is in use.
func (r *Ring) All() []Public {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.public)
}

// Rotate makes a new key, which signs from now on. The old public key is kept; the old
// private key is not.
func (r *Ring) Rotate() error {
	return r.locked(func() error {
		if err := r.read(); err != nil { // another process may have rotated
			return err
		}
		return r.add(time.Now())
	})
}

// locked does something while no other process changes the folder.
func (r *Ring) locked(do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := lock.Open(filepath.Join(r.dir, lockFile))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock.Wait(f, lock.Exclusive); err != nil {
		return err
	}
	return do()
}

// add makes a key. The public keys are written first: a private key that they do not
// hold would sign what nobody can verify; a public key too many verifies nothing.
func (r *Ring) add(now time.Time) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	now = now.UTC().Truncate(time.Second)
	all := slices.Clone(r.public)
	if n := len(all); n > 0 {
		all[n-1].Until = now
	}
	all = append(all, Public{Key: public, Since: now})
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(r.dir, publicFile), text, 0o644); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(r.dir, privateFile), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return err
	}
	r.public, r.private = all, private
	return nil
}

// read reads the folder. Without a private key the error is [fs.ErrNotExist], and the
// old public keys are read all the same; with another error the Ring is as before.
func (r *Ring) read() error {
	publicName := filepath.Join(r.dir, publicFile)
	text, err := readFile(publicName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var all []Public
	if err == nil {
		if err := json.Unmarshal(text, &all); err != nil {
			return fmt.Errorf("%s: %w", publicName, err)
		}
		for i, p := range all {
			if len(p.Key) != ed25519.PublicKeySize {
				return fmt.Errorf("%s: key %d has %d bytes: want %d", publicName, i+1, len(p.Key), ed25519.PublicKeySize)
			}
		}
	}
	name := filepath.Join(r.dir, privateFile)
	for _, private := range []string{r.dir, name} {
		if err := checkPrivate(private); err != nil {
			if errors.Is(err, fs.ErrNotExist) && len(all) > 0 {
				r.public = all
			}
			return err
		}
	}
	text, err = readFile(name)
	if err != nil {
		return err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return fmt.Errorf("%s: no private key in PEM", name)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return fmt.Errorf("%s: the private key is a %T: want Ed25519", name, key)
	}
	own := private.Public().(ed25519.PublicKey)
	// A crash may have left public keys whose private key was never written.
	last := len(all) - 1
	for last >= 0 && !own.Equal(all[last].Key) {
		last--
	}
	if last < 0 {
		return fmt.Errorf("%s does not hold the public key of %s", publicName, privateFile)
	}
	all[last].Until = time.Time{}
	r.public, r.private = all[:last+1], private
	return nil
}

// maxFile is far more than a file of a Ring has: a public key takes 150 bytes.
const maxFile = 1 << 20

// readFile reads a regular file of a bounded size; a pipe would never end.
func readFile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", name, maxFile)
	}
	return os.ReadFile(name)
}

// checkPrivate refuses what others can read or write.
func checkPrivate(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !ours(info) {
		return fmt.Errorf("%s belongs to another user, who can use the key: chown it", name)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && !permissive {
		return fmt.Errorf("%s has mode %04o, so other users can use the key: chmod go= %s", name, mode, name)
	}
	return nil
}

// writeFile replaces a file so that a crash leaves the old one or the new one.
func writeFile(name string, data []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}
