package image

import "time"

// Platform is an operating system and an architecture in OCI's names, with an
// optional variant: "linux/amd64", "linux/arm/v7", "wasi/wasm". Empty means
// Linux on the architecture of this program.
type Platform string

// PullOptions control a pull from a registry. The zero value is the usual
// choice.
type PullOptions struct {
	// Platform chooses from an image for several platforms.
	Platform Platform
	// Insecure allows plain HTTP, to a registry on this machine's loopback
	// only.
	Insecure bool
	// Hosts are further hosts, as "name" or "name:port", permitted as targets
	// of redirects despite their private addresses. Public hosts by HTTPS need
	// no mention; link-local addresses are never followed.
	Hosts []string
	// Policy is checked twice: before any download for names and digests, and
	// as a whole before the image gets its name. Nil asks for nothing.
	Policy *Policy
	// Progress is called now and then, from one goroutine.
	Progress func(Progress)
	// Stall is how long the registry may send less than a KiB before the
	// transfer is given up; 0 means 30 seconds.
	Stall time.Duration
	// DropSpecial leaves out device nodes and pipes, which are refused
	// otherwise. Those below /dev are always left out.
	DropSpecial bool
}

// Progress is how far a pull is.
type Progress struct {
	Blob        string // the digest of what is being transferred
	Done, Total int64  // bytes of all blobs
}

// ImportOptions say how an image is made of a file.
type ImportOptions struct {
	// Name is the name for the image, such as "tools:1". An image without a
	// name is found by digest alone.
	Name string
	// KeepNames gives images the names claimed in the file, where Name is
	// empty. The file's maker chose the names: an image of the store with the
	// same name loses it.
	KeepNames bool
	// Platform chooses from an OCI layout made for several, and is written
	// into an image that is made of a plain tree.
	Platform Platform
	// Config is written into an image made of a plain tree. Over a Base, empty
	// fields are the base's.
	Config Config
	// Created is the time written into an image made of a plain tree; zero
	// writes none, for equal digests of equal trees.
	Created time.Time
	// Base is an image of the same store whose layers come below a plain tree.
	Base *Image
	// DropSpecial is as in [PullOptions].
	DropSpecial bool
}

// Ref is a name of an image in the store.
type Ref struct {
	// Name is normalised: "docker.io/library/python:3.12". It is empty for an
	// image with only a digest.
	Name string `json:"name"`
	// Digest is the digest of the image's manifest, "sha256:…".
	Digest string `json:"digest"`
	// Index is the digest of the list of platforms from which the manifest was
	// chosen, if any; a signature may be of either.
	Index string `json:"index,omitempty"`
	// Source is the image's origin. An archive's own names are a claim, not
	// evidence: see [Policy.Allow].
	Source Source `json:"source"`
	// Platform is what it is made for.
	Platform Platform `json:"platform"`
	// Size is the bytes of its blobs.
	Size int64 `json:"size_bytes"`
	// Added is when it got the name.
	Added time.Time `json:"added"`
	// Signatures are the digests of manifests with signatures of the image.
	Signatures []string `json:"signatures,omitempty"`
	// DropSpecial controls the application of the layers.
	DropSpecial bool `json:"drop_special,omitempty"`
}

// Source is where an image came from.
type Source string

// The sources.
const (
	SourceRegistry Source = "registry"
	SourceLayout   Source = "layout"
	SourceDocker   Source = "docker"
	SourceTree     Source = "tree" // a plain root file system
)

// Dropped counts the contents of an image's layers missing from the tree.
type Dropped struct {
	Devices    int `json:"devices"`    // device nodes and pipes
	SetID      int `json:"set_id"`     // set-user-id, set-group-id and sticky bits of files
	Attributes int `json:"attributes"` // files with extended attributes or capabilities
	Reserved   int `json:"reserved"`   // entries where boxes have their own mounts and drivers
}
