package artifact

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// Guard handles secrets in artifacts. The zero Guard does nothing.
type Guard struct {
	// Filter changes what is text.
	Filter Filter
	// Detect returns a detector for content other than text: its bytes, and the
	// bytes of the members of an archive or compressed content. text reports
	// whether a member is text.
	Detect func(text bool) Detector
	// Withhold leaves out an artifact if a detector found a secret, or could
	// not look at a part.
	Withhold bool
}

// Detector looks for secrets in the bytes written to it.
type Detector interface {
	io.WriteCloser
	// Found names what was found. It is asked after Close.
	Found() []string
}

// Bounds of the unpacked contents of one artifact.
const (
	maxUnpacked   = 64 << 20 // bytes of all members
	maxMembers    = 2048
	maxNesting    = 4        // archives in archives
	maxOutOfOrder = 16 << 20 // of a member that is read out of order
)

// unpacker looks at one artifact.
type unpacker struct {
	ctx     context.Context
	detect  func(text bool) Detector
	left    int64
	members int
	found   map[string]bool
	partly  bool // something was not looked at
}

// inspect returns the detectors' findings in a content. partly reports that a
// part is encrypted, damaged or beyond the bounds.
func inspect(ctx context.Context, detect func(text bool) Detector, r io.Reader) (found []string, partly bool) {
	u := &unpacker{ctx: ctx, detect: detect, left: maxUnpacked, found: map[string]bool{}}
	u.stream(r, 0)
	return slices.Sorted(maps.Keys(u.found)), u.partly
}

var errBound = errors.New("too much to unpack")

// stream looks at a content, and at its members.
func (u *unpacker) stream(r io.Reader, depth int) {
	in := bufio.NewReaderSize(&reader{u.ctx, r}, 64<<10)
	head, _ := in.Peek(sniff)
	d := u.detect(isText(typeOf(head)))
	raw := io.TeeReader(in, d)
	u.open(head, r, raw, depth)
	if _, err := io.Copy(io.Discard, raw); err != nil {
		u.partly = true
	}
	if d.Close() != nil {
		u.partly = true
	}
	for _, id := range d.Found() {
		u.found[id] = true
	}
}

// open looks at the members of a content, whose beginning is head: of raw, or
// of whole for members read out of order.
func (u *unpacker) open(head []byte, whole io.Reader, raw io.Reader, depth int) {
	// Decoders read hostile bytes.
	defer func() {
		if recover() != nil {
			u.partly = true
		}
	}()
	starts := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	var inner io.Reader
	var err error
	switch {
	case starts("BZh"):
		inner = bzip2.NewReader(raw)
	case unpack.Sniff(head) != unpack.None:
		var z io.ReadCloser
		if z, err = unpack.Reader(raw, unpack.Sniff(head)); err == nil {
			defer z.Close()
			inner = z
		}
	case len(head) > 2 && head[0] == 0x78 && binary.BigEndian.Uint16(head)%31 == 0:
		if z, bad := zlib.NewReader(raw); bad == nil {
			u.member(z, depth+1) // two bytes are no magic: what fails is none
			u.partly = u.partly && depth > 0
		}
		return
	case len(head) > 262 && string(head[257:262]) == "ustar":
		u.tar(raw, depth)
		return
	case starts("PK\x03\x04"), starts("PK\x05\x06"):
		u.zip(whole, raw, depth)
		return
	case starts("%PDF-"), starts("\x89PNG\r\n"):
		u.deflated(raw, depth)
		return
	default:
		return
	}
	if err != nil {
		u.partly = true
		return
	}
	u.member(inner, depth+1)
}

// member looks at a member, within the bounds.
func (u *unpacker) member(r io.Reader, depth int) {
	if u.members++; u.members > maxMembers || depth > maxNesting || u.left <= 0 {
		u.partly = true
		return
	}
	u.stream(&bounded{u, r}, depth)
}

// bounded reads a member until the artifact's bound.
type bounded struct {
	u *unpacker
	r io.Reader
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.u.left <= 0 {
		return 0, errBound
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.u.left)])
	b.u.left -= int64(n)
	return n, err
}

func (u *unpacker) tar(r io.Reader, depth int) {
	t := tar.NewReader(r)
	for u.left > 0 && u.members < maxMembers {
		h, err := t.Next()
		if err != nil {
			u.partly = u.partly || !errors.Is(err, io.EOF)
			return
		}
		if h.Typeflag == tar.TypeReg {
			u.member(t, depth+1)
		}
	}
	u.partly = true
}

// zip looks at the members of a zip archive, with the directory at the end: in
// the content itself if readable out of order, else in a copy.
func (u *unpacker) zip(whole, raw io.Reader, depth int) {
	at, size := outOfOrder(whole)
	if at == nil {
		b, err := io.ReadAll(io.LimitReader(raw, maxOutOfOrder+1))
		if err != nil || len(b) > maxOutOfOrder {
			u.partly = true
			return
		}
		at, size = bytes.NewReader(b), int64(len(b))
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		u.partly = true
		return
	}
	for _, f := range z.File {
		const encrypted = 1
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil || f.Flags&encrypted != 0 {
			u.partly = true
			continue
		}
		u.member(r, depth+1)
		r.Close()
		if u.left <= 0 || u.members >= maxMembers {
			u.partly = true
			return
		}
	}
}

// outOfOrder returns a content as an [io.ReaderAt], with its size, or nil.
func outOfOrder(r io.Reader) (io.ReaderAt, int64) {
	at, ok := r.(io.ReaderAt)
	if !ok {
		return nil, 0
	}
	switch s := r.(type) {
	case interface{ Size() int64 }:
		return at, s.Size()
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := s.Stat(); err == nil {
			return at, info.Size()
		}
	}
	return nil, 0
}

// deflated looks at the deflated streams within a PDF or a PNG.
func (u *unpacker) deflated(raw io.Reader, depth int) {
	b, err := io.ReadAll(io.LimitReader(raw, maxOutOfOrder))
	if err != nil || len(b) == maxOutOfOrder {
		u.partly = true
	}
	for _, mark := range []string{"stream\r\n", "stream\n", "zTXt", "iTXt", "iCCP"} {
		for rest := b; ; {
			i := bytes.Index(rest, []byte(mark))
			if i < 0 {
				break
			}
			rest = rest[i+len(mark):]
			at := 0
			if mark[0] != 's' { // behind a keyword and its method
				at = bytes.Index(rest[:min(len(rest), 128)], []byte{0x78})
			}
			if at < 0 || len(rest) < at+2 || rest[at] != 0x78 || binary.BigEndian.Uint16(rest[at:])%31 != 0 {
				continue
			}
			if z, err := zlib.NewReader(bytes.NewReader(rest[at:])); err == nil {
				before := u.partly
				u.member(z, depth+1)
				u.partly = before || u.left <= 0 || u.members > maxMembers // what is no stream is none
			}
		}
	}
}
