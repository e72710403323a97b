// Package image keeps OCI images for boxes.
//
// A [Store] takes images from a registry, an OCI layout, a `docker save`
// archive, or a plain root file system, and keeps them by content: every blob
// under its own digest, checked while it streams in. The layers of an image
// are applied once, safely, to a [Tree]; [Image.Plan] gives that tree, with
// what every box needs laid over it, to package rootfs, which makes of it the
// directory or the EROFS image that a tier boots.
//
//	store, err := image.Open("")                      // below rootfs.DefaultDir
//	img, err := store.Pull(ctx, "python:3.12", image.PullOptions{})
//	img, err := store.Find("python:3.12")             // later, without a network
//	err = store.Check(img, policy)                    // may it be used?
//	exe, err := img.LookPath("python3", "python")     // in the image, never on the host
//	root, err := roots.Image(ctx, img.Plan())         // rootfs.Store
//
// # What a hostile image can do
//
// No name that an image chooses becomes a name on the host. A tree is two
// files: an index of names, and the contents of all files one after the other.
// Names are keys of a map, links are text; there is nothing to traverse and no
// link to write through. Owners, extended attributes, capabilities and set-id
// bits are not kept: a box sees every file as root's, readable by all and
// writable by nobody. See [Bounds] for what stops a bomb.
//
// # The store
//
// Below its directory, which is private to the user as rootfs.Private has it:
//
//	blobs/sha256/<hex>  manifests, configurations, layers, signatures
//	refs/<hex>          one record for each name
//	trees/<hex>/        a tree: index, data, and a lock held while it is used
//	tmp/                what is being made; swept by the next Open
//	lock                shared by who adds, exclusive to who removes
//
// Everything appears under its final name by a rename, complete, or not at
// all; a process may be killed at any moment. Many processes may share it.
//
// # Interface
//
//	func Open(dir string) (*Store, error)                    // "" = below rootfs.DefaultDir()
//	type Store struct { Bounds Bounds; ... }
//	func (s *Store) Close() error                            // releases the locks of images in use
//	func (s *Store) Pull(ctx, ref string, PullOptions) (*Image, error)
//	func (s *Store) Import(ctx, path string, ImportOptions) ([]*Image, error)        // detects layout / docker save / root fs; .gz .zst .xz
//	func (s *Store) ImportLayout(ctx, path string, ImportOptions) ([]*Image, error)  // directory or tar
//	func (s *Store) ImportDocker(ctx, r io.Reader, ImportOptions) ([]*Image, error)
//	func (s *Store) ImportRootFS(ctx, r io.Reader, ImportOptions) (*Image, error)    // tar stream, may be gz/zst/xz; Base, Config, Name
//	func (s *Store) AddTree(ctx, dir string, ImportOptions) (*Image, error)          // a host directory made by us, no host link followed
//	func (s *Store) Find(ref string) (*Image, error)         // name[:tag], name@sha256:…, sha256:…, unique digest prefix
//	func (s *Store) List() ([]Ref, error)
//	func (s *Store) Remove(ctx, ref string) ([]Ref, error)
//	func (s *Store) GC(ctx) (Collected, error)               // {Blobs, Trees int; Bytes int64; Kept int}
//	func (s *Store) Verify(ctx, ref string) error
//	func (s *Store) Check(img *Image, p *Policy) error       // nil policy = anything
//
//	type Image struct; methods:
//	  Ref() Ref; Digest() string; Names() []string; Config() Config; Dropped() Dropped
//	  Plan() rootfs.Plan
//	  LookPath(names ...string) (string, error)  // path in the image, resolved in the image's PATH
//	  Open/Stat/ReadDir/ReadFile(name): an fs.FS of the image; names "etc/passwd" or "/etc/passwd"; links are followed inside the image only
//	  Resolve(name string) (string, error)       // real path in the image
//
//	type Config struct { Env, Entrypoint, Cmd []string; WorkingDir, User string; Labels map[string]string; Platform }
package image
