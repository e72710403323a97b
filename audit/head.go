package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// Head is a head of a log: the C2SP checkpoint without its signatures.
type Head struct {
	Origin string
	// Size is the number of entries.
	Size int64
	Root tlog.Hash
	note string // with signatures
}

// String returns the checkpoint.
func (h Head) String() string { return h.note }

const (
	maxNote     = 16 << 10
	signTimeout = 30 * time.Second
)

// ParseHead reads a checkpoint, and checks no signature. Extension lines are refused:
// no log of ours has one.
func ParseHead(text string) (Head, error) {
	fail := func(why string) (Head, error) { return Head{}, errors.New("not a checkpoint: " + why) }
	if len(text) > maxNote {
		return fail(fmt.Sprintf("more than %d bytes", maxNote))
	}
	body, signatures, ok := strings.Cut(text, "\n\n")
	lines := strings.Split(body, "\n")
	if !ok || len(lines) != 3 {
		return fail("want origin, size and root, an empty line and signatures")
	}
	if !validOrigin(lines[0]) {
		return fail("the origin is empty, too long or has a space, a plus or a control character")
	}
	size, err := parseSize(lines[1])
	if err != nil {
		return fail("size: " + err.Error())
	}
	root, err := parseHash(lines[2])
	if err != nil {
		return fail("root: " + err.Error())
	}
	rest, ok := strings.CutSuffix(signatures, "\n")
	if !ok || rest == "" {
		return fail("no signature")
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if _, _, err := parseSignature(line); err != nil {
			return fail(err.Error())
		}
	}
	return Head{lines[0], size, root, text}, nil
}

// parseHash reads 32 bytes in the only base64 form that they have.
func parseHash(text string) (h tlog.Hash, err error) {
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != tlog.HashSize || len(text) != base64.StdEncoding.EncodedLen(tlog.HashSize) {
		return h, errors.New("want the base64 of 32 bytes")
	}
	return tlog.Hash(b), nil
}

// parseSignature reads a line of signature: the name and the hash of the key.
func parseSignature(line string) (name string, key uint32, err error) {
	name, text, ok := strings.Cut(strings.TrimPrefix(line, "— "), " ")
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if !ok || !strings.HasPrefix(line, "— ") || err != nil || len(b) < 5 || strings.ContainsAny(text, "\r\n") {
		return "", 0, errors.New("a signature is damaged")
	}
	return name, binary.BigEndian.Uint32(b), nil
}

func validOrigin(name string) bool {
	return name != "" && len(name) <= 256 && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '+' || unicode.IsSpace(r) || unicode.IsControl(r) })
}

// hash is what the next entry holds of h.
func (h Head) hash() string {
	sum := sha256.Sum256([]byte(h.note))
	return hex.EncodeToString(sum[:])
}

// signedBy reports whether the head has exactly one signature, which names the key of v.
func (h Head) signedBy(v note.Verifier) bool {
	_, signatures, _ := strings.Cut(h.note, "\n\n")
	if strings.Count(signatures, "\n") != 1 {
		return false
	}
	name, key, err := parseSignature(strings.TrimSuffix(signatures, "\n"))
	return err == nil && name == v.Name() && key == v.KeyHash()
}

// verify reports whether the head has a signature of v's key.
func (h Head) verify(v note.Verifier) bool {
	_, err := note.Open([]byte(h.note), note.VerifierList(v))
	return err == nil
}

// verifier returns the verifier of a log's heads.
func verifier(origin string, key keys.Public) (note.Verifier, error) {
	if !validOrigin(origin) {
		return nil, fmt.Errorf("audit: origin %q: want 1 to 256 bytes without spaces, plus and control characters, such as example.com/audit", origin)
	}
	text, err := note.NewEd25519VerifierKey(origin, key.Key)
	if err != nil {
		return nil, fmt.Errorf("audit: public key: %w", err)
	}
	return note.NewVerifier(text)
}

// noteSigner signs a note with a keys.Signer.
type noteSigner struct {
	note.Verifier
	ctx    context.Context
	signer keys.Signer
}

func (s noteSigner) Sign(message []byte) ([]byte, error) {
	sig, err := s.signer.Sign(s.ctx, message)
	if err == nil && !s.Verify(message, sig) {
		err = errors.New("the signer's signature is not of its public key")
	}
	return sig, err
}

func signHead(ctx context.Context, v note.Verifier, signer keys.Signer, tree *frontier) (Head, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signTimeout)
	defer cancel()
	h := Head{Origin: v.Name(), Size: tree.n, Root: tree.root()}
	body := fmt.Sprintf("%s\n%d\n%s\n", h.Origin, h.Size, h.Root)
	text, err := note.Sign(&note.Note{Text: body}, noteSigner{v, ctx, signer})
	if err != nil {
		return Head{}, fmt.Errorf("audit: sign a checkpoint: %w", err)
	}
	h.note = string(text)
	return h, nil
}

// headReader reads a file of heads: each is followed by an empty line.
type headReader struct {
	r      *bufio.Reader
	offset int64 // of what was read
}

func newHeadReader(r io.Reader) *headReader {
	return &headReader{r: bufio.NewReaderSize(r, maxNote)}
}

// next returns the next head; io.EOF at the end, and io.ErrUnexpectedEOF where the last
// head is cut off.
func (r *headReader) next() (Head, error) {
	var text bytes.Buffer
	for blanks := 0; ; {
		line, err := r.r.ReadSlice('\n')
		switch {
		case err == io.EOF && text.Len() == 0 && len(line) == 0:
			return Head{}, io.EOF
		case err == io.EOF:
			return Head{}, io.ErrUnexpectedEOF
		case errors.Is(err, bufio.ErrBufferFull) || text.Len()+len(line) > maxNote:
			return Head{}, fmt.Errorf("not a checkpoint: more than %d bytes", maxNote)
		case err != nil:
			return Head{}, err
		}
		if len(line) == 1 {
			if blanks++; blanks == 2 {
				h, err := ParseHead(text.String())
				if err == nil {
					r.offset += int64(text.Len()) + 1
				}
				return h, err
			}
		}
		text.Write(line)
	}
}

// lastHead returns the last whole head of a file, and where it ends; Size is 0 where
// there is none. What is behind is what a crash left of a write.
func lastHead(f *os.File) (Head, int64, error) {
	info, err := f.Stat()
	if err != nil {
		return Head{}, 0, err
	}
	// A whole head and a torn one fit.
	from := max(0, info.Size()-2*maxNote)
	tail := make([]byte, info.Size()-from)
	if _, err := f.ReadAt(tail, from); err != nil && err != io.EOF {
		return Head{}, 0, err
	}
	for end := len(tail); ; {
		end = bytes.LastIndex(tail[:end], []byte("\n\n"))
		if end < 0 {
			break
		}
		// The body's end is an empty line too: the head begins two empty lines before.
		body := bytes.LastIndex(tail[:end], []byte("\n\n"))
		if body >= 0 {
			start := 0
			if i := bytes.LastIndex(tail[:body], []byte("\n\n")); i >= 0 {
				start = i + 2
			}
			if h, err := ParseHead(string(tail[start : end+1])); err == nil {
				return h, from + int64(end) + 2, nil
			}
		}
	}
	if from > 0 {
		return Head{}, 0, fmt.Errorf("%s: no checkpoint in the last %d bytes", f.Name(), 2*maxNote)
	}
	return Head{}, 0, nil
}
