package kernel

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// compressed reports whether data begins like one of the compressions.
func compressed(data []byte) bool { return unpack.Sniff(data) != unpack.None }

// unpacked returns data, decompressed if necessary, of at most limit bytes.
func unpacked(data []byte, limit int64) ([]byte, error) {
	if !compressed(data) {
		if int64(len(data)) > limit {
			return nil, fmt.Errorf("more than %d bytes", limit)
		}
		return data, nil
	}
	r, _, err := unpack.Any(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := readAll(r, limit)
	return out, errors.Join(err, r.Close())
}
