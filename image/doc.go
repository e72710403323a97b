// Package image keeps OCI images for boxes.
//
// A [Store] takes images from a registry, an OCI layout, a `docker save`
// archive, or a plain root file system, and keeps them by content: every blob
// under its own digest, checked while it streams in. The layers of an image are
// applied once, safely, to one tree. [Image.Plan] gives this tree, overlaid
// with the common files of all boxes, to package rootfs, which makes the
// directory or the EROFS image for a tier.
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
// In the store no name chosen by an image becomes a name on the host. A tree is
// two files: an index of names, and the contents of all files one after the
// other. Names are keys of a map, links are text; there is nothing to traverse
// and no link to write through. Package rootfs finally makes names of them, in
// a new directory or inside an EROFS image. Owners, extended attributes,
// capabilities and set-id bits are not kept: a box sees every file as root's,
// readable by all and writable by nobody. See [Bounds] for the limits against a
// bomb.
//
// # The store
//
// Below its directory, which is private to the user as rootfs.Private has it:
//
//	blobs/sha256/<hex>  manifests, configurations, layers, signatures
//	refs/<hex>          one record for each name
//	trees/<hex>/        a tree: index and data
//	trees/<hex>.lock    held while a process uses the tree
//	tmp/                files in the making; swept by the next Open
//	lock                shared for adding, exclusive for removing
//
// Every file appears under its final name by a rename, complete, or not at all;
// a process may be killed at any moment. Many processes may share a store.
package image
