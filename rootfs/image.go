package rootfs

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/erofs/go-erofs"
)

// writeImage writes the nodes as an EROFS image to the new file at p. Owners
// are root, as the box sees them.
func writeImage(ctx context.Context, p string, nodes []*node) error {
	f, err := os.OpenFile(p, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := erofs.Create(f, erofs.WithBuildTime(uint64(epoch.Unix()), 0))
	if err := w.CopyFrom(newNodeFS(ctx, nodes)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := outline(f, nodes); err != nil {
		return err
	}
	if err := f.Chmod(0o444); err != nil {
		return err
	}
	return f.Close()
}

// Offsets and values of the EROFS format, from the kernel's erofs_fs.h.
const (
	superBlock    = 1024
	superBlkBits  = superBlock + 12
	superBlocks   = superBlock + 36
	superMetaAddr = superBlock + 40

	inodeSlot       = 32
	inodeExtended   = 1 // in the format field
	inodeLayoutMask = 7 << 1
	inodeInline     = 2 << 1
	inodeData       = 16 // offset of the start block in an inode
)

// outline moves the content of small files, kept by the writer within their
// inodes, to separate blocks at the end of the image: gVisor does not map
// inline content, and so could not execute a small program.
func outline(f *os.File, nodes []*node) error {
	img, err := erofs.Open(f)
	if err != nil {
		return err
	}
	var head [superMetaAddr + 4]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return err
	}
	block := int64(1) << head[superBlkBits]
	blocks := int64(binary.LittleEndian.Uint32(head[superBlocks:]))
	meta := int64(binary.LittleEndian.Uint32(head[superMetaAddr:])) * block
	for _, n := range nodes {
		if n.mode.Type() != 0 || n.size == 0 || n.size >= block {
			continue
		}
		info, err := fs.Stat(img, n.path[1:])
		if err != nil {
			return err
		}
		at := meta + info.Sys().(*erofs.Stat).Ino*inodeSlot
		var inode [inodeData + 4]byte
		if _, err := f.ReadAt(inode[:], at); err != nil {
			return err
		}
		format := binary.LittleEndian.Uint16(inode[:])
		if format&inodeLayoutMask != inodeInline {
			continue
		}
		size := int64(32)
		if format&inodeExtended != 0 {
			size = 64
		}
		if binary.LittleEndian.Uint16(inode[2:]) != 0 {
			return fmt.Errorf("%s: unexpected attributes in the image", n.path)
		}
		content := make([]byte, block)
		if _, err := f.ReadAt(content[:n.size], at+size); err != nil && err != io.EOF {
			return err
		}
		if _, err := f.WriteAt(content, blocks*block); err != nil {
			return err
		}
		binary.LittleEndian.PutUint16(inode[:], format&^inodeLayoutMask)
		binary.LittleEndian.PutUint32(inode[inodeData:], uint32(blocks))
		if _, err := f.WriteAt(inode[:], at); err != nil {
			return err
		}
		blocks++
	}
	binary.LittleEndian.PutUint32(head[superBlocks:], uint32(blocks))
	_, err = f.WriteAt(head[superBlocks:superBlocks+4], superBlocks)
	return err
}
