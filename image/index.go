package image

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The index of a tree: a line naming the format, the dropped contents, then the
// root directory. A directory is the number of its entries, then the entries in
// order of their names. An entry is a name, a kind and the fields of the kind.
// Numbers are unsigned varints, texts are preceded by their length. Equal trees
// have equal indexes, so the index's hash names the tree.
const indexFormat = "glovebox tree 1\n"

type indexWriter struct{ *bufio.Writer }

func (w indexWriter) number(n uint64) {
	var b [binary.MaxVarintLen64]byte
	_, _ = w.Write(b[:binary.PutUvarint(b[:], n)]) // Flush reports it
}

func (w indexWriter) text(s string) {
	w.number(uint64(len(s)))
	_, _ = w.WriteString(s)
}

// writeIndex writes a tree.
func writeIndex(out io.Writer, root *node, d Dropped) error {
	w := indexWriter{bufio.NewWriter(out)}
	_, _ = w.WriteString(indexFormat)
	for _, n := range []int{d.Devices, d.SetID, d.Attributes, d.Reserved} {
		w.number(uint64(n))
	}
	w.dir(root)
	return w.Flush()
}

func (w indexWriter) dir(n *node) {
	w.number(uint64(len(n.children)))
	for _, name := range n.names() {
		c := n.children[name]
		w.text(name)
		_ = w.WriteByte(byte(c.kind))
		switch c.kind {
		case kindDir:
			w.dir(c)
		case kindLink:
			w.text(c.link)
		case kindFile:
			exec := uint64(0)
			if c.exec {
				exec = 1
			}
			for _, n := range []uint64{exec, uint64(c.size), uint64(c.at), uint64(c.seconds)} {
				w.number(n)
			}
			_, _ = w.Write(c.sum[:])
		}
	}
}

type indexReader struct {
	*bytes.Reader
	data int64 // length of the data
	err  error
}

var errIndex = errors.New("the index of the tree is damaged")

func (r *indexReader) fail() {
	if r.err == nil {
		r.err = errIndex
	}
}

func (r *indexReader) number(most int64) int64 {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(most) {
		r.fail()
		return 0
	}
	return int64(n)
}

func (r *indexReader) text(most int64) string {
	b := make([]byte, r.number(most))
	if _, err := io.ReadFull(r, b); err != nil {
		r.fail()
	}
	return string(b)
}

// readIndex reads a tree whose files are in data bytes.
func readIndex(b []byte, data int64) (*node, Dropped, error) {
	rest, ok := bytes.CutPrefix(b, []byte(indexFormat))
	if !ok {
		return nil, Dropped{}, fmt.Errorf("%w: another format", errIndex)
	}
	r := &indexReader{Reader: bytes.NewReader(rest), data: data}
	var d Dropped
	for _, n := range []*int{&d.Devices, &d.SetID, &d.Attributes, &d.Reserved} {
		*n = int(r.number(1 << 31))
	}
	root := r.dir(0)
	if r.err == nil && r.Len() > 0 {
		r.fail()
	}
	return root, d, r.err
}

func (r *indexReader) dir(depth int) *node {
	n := newDir(0)
	if depth > maxDepth {
		r.fail()
	}
	last := ""
	for range r.number(int64(r.Len())) {
		name := r.text(maxName)
		if name <= last || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
			r.fail()
		}
		k, err := r.ReadByte()
		if err != nil {
			r.fail()
		}
		if r.err != nil {
			break
		}
		last = name
		c := &node{kind: kind(k)}
		switch c.kind {
		case kindDir:
			c = r.dir(depth + 1)
		case kindLink:
			if c.link = r.text(maxLink); c.link == "" {
				r.fail()
			}
		case kindFile:
			c.exec = r.number(1) == 1
			c.size = r.number(r.data)
			c.at = r.number(r.data - c.size)
			c.seconds = r.number(1 << 33)
			if _, err := io.ReadFull(r, c.sum[:]); err != nil {
				r.fail()
			}
		default:
			r.fail()
		}
		n.children[name] = c
	}
	return n
}
