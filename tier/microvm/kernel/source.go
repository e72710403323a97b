package kernel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Source is where a kernel comes from: [Debian], [Pinned], [Package] or [Files].
type Source interface {
	// fetch gets the kernel and describes its origin. It fails for any kernel
	// but the one requested by the operator.
	fetch(ctx context.Context, arch string, p *progress) (*tree, string, error)
}

// Pinned is one Debian package at a URL, with its hash.
type Pinned struct {
	URL    string
	SHA256 string // in hex
}

func (s Pinned) fetch(ctx context.Context, _ string, p *progress) (*tree, string, error) {
	if !isSHA256(s.SHA256) {
		return nil, "", errors.New("a package by its URL needs its SHA-256 in hex")
	}
	t, err := fetchDeb(ctx, p, s.URL, strings.ToLower(s.SHA256), maxPackage)
	return t, s.URL + ", by its SHA-256", err
}

// Package is a Debian package in a file vouched for by the operator.
type Package struct {
	Path   string
	SHA256 string // in hex; empty means whatever the file holds
}

func (s Package) fetch(ctx context.Context, _ string, p *progress) (*tree, string, error) {
	if s.SHA256 != "" && !isSHA256(s.SHA256) {
		return nil, "", fmt.Errorf("%q is no SHA-256 in hex", s.SHA256)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	if !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("%s is not a regular file", s.Path)
	}
	p.begin("reading "+s.Path, info.Size())
	h := sha256.New()
	if _, err := io.Copy(h, p.count(ctx, f, maxPackage)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", s.Path, err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if s.SHA256 != "" && sum != strings.ToLower(s.SHA256) {
		return nil, "", fmt.Errorf("%s has the SHA-256 %s, not %s", s.Path, sum, strings.ToLower(s.SHA256))
	}
	t, err := readSpooled(ctx, p, f, sum)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", s.Path, err)
	}
	return t, "file " + s.Path + ", SHA-256 " + sum, nil
}

// readSpooled reads a package from a file with a known hash. The bytes are
// hashed again while reading, because the file may have changed.
func readSpooled(ctx context.Context, p *progress, f *os.File, sum string) (*tree, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	p.begin("unpacking", info.Size())
	h := sha256.New()
	r := io.TeeReader(p.count(ctx, f, maxPackage), h)
	t, err := readDeb(r)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		return nil, errors.New("it changed while it was read")
	}
	return t, nil
}

// Files is a kernel in files vouched for by the operator.
type Files struct {
	Image string // a bzImage, a vmlinux, or an arm64 Image, which may be compressed
	// Modules is the directory of the kernel's modules, such as
	// /lib/modules/VERSION. Empty means that all modules for a guest are built
	// in, as in the kernels of the Firecracker project.
	Modules string
}

func (s Files) fetch(_ context.Context, _ string, p *progress) (*tree, string, error) {
	p.begin("reading "+s.Image, 0)
	t, err := readLocal(s.Image, s.Modules)
	from := "file " + s.Image
	if s.Modules != "" {
		from += ", modules " + s.Modules
	}
	return t, from, err
}

func isSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}
