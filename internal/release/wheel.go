package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

const summary = "Runs code that language models write, in an isolated box, and says what happened."

// wheel writes a wheel of Python that holds the executable as a script:
// https://packaging.python.org/specifications/binary-distribution-format/.
func (r *release) wheel(t target, exe []byte) error {
	name := "glovebox-" + r.version
	info := name + ".dist-info/"
	var tags strings.Builder
	for platform := range strings.SplitSeq(t.wheel, ".") {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", platform)
	}
	files := []file{
		{name + ".data/scripts/" + t.exe(), 0o755, exe},
		{info + "METADATA", 0o644, fmt.Appendf(nil, "Metadata-Version: 2.4\nName: glovebox\nVersion: %s\nSummary: %s\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\nRequires-Python: >=3.8\n", r.version, summary)},
		{info + "WHEEL", 0o644, []byte("Wheel-Version: 1.0\nGenerator: glovebox\nRoot-Is-Purelib: false\n" + tags.String())},
		{info + "licenses/LICENSE", 0o644, r.licence},
		{info + "licenses/NOTICE", 0o644, r.notice},
	}
	var record bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	data, err := zipped(append(files, file{info + "RECORD", 0o644, record.Bytes()}), r.date)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s-py3-none-%s.whl", name, t.wheel), data)
}
