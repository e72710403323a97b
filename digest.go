package glovebox

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
)

// Digest is the SHA-256 of the Job's whole request, in hexadecimal: two Jobs with the same
// Digest do the same. An approval, an audit entry and a receipt name a Job by its Digest.
// The Digest covers the names of Secrets without their values, and leaves out Key, the mark
// of a repeated request.
func (j *Job) Digest() string {
	d := digester{sha256.New()}
	d.text("glovebox job 1", string(j.Reply), j.Language, j.Entry, string(j.Stdin), string(j.Tier), j.Image, string(j.RequireProof), j.Tenant, j.Batch)
	d.number(boolean(j.Program != nil), boolean(j.Command != nil), boolean(j.Withhold))
	if p := j.Program; p != nil {
		d.text(p.Language, p.Main)
		d.files(p.Files)
	}
	d.list(j.Command)
	d.files(j.Tests)
	d.number(int64(len(j.Cases)))
	for _, c := range j.Cases {
		d.text(c.Name, c.Stdin, c.Stdout, string(c.Match))
		d.list(c.Args)
		_ = binary.Write(d, binary.BigEndian, c.Tolerance)
	}
	d.list(j.Args)
	d.files(j.Inputs)
	d.number(int64(len(j.Env)))
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		d.text(name, j.Env[name])
	}
	d.list(slices.Sorted(maps.Keys(j.Secrets)))
	l := j.Limits
	d.number(int64(l.Wall), int64(l.CPU), l.Memory, l.Processes, l.OpenFiles, l.FileSize, l.Disk, l.Files, l.Output, l.Reply)
	d.number(int64(len(j.Needs)))
	for _, n := range j.Needs {
		d.text(string(n))
	}
	return hex.EncodeToString(d.Sum(nil))
}

// digester hashes values so that different lists give different bytes.
type digester struct{ hash.Hash }

func (d digester) number(values ...int64) {
	for _, v := range values {
		_ = binary.Write(d, binary.BigEndian, v) // a hash never fails
	}
}

func (d digester) text(values ...string) {
	for _, v := range values {
		d.number(int64(len(v)))
		d.Write([]byte(v))
	}
}

func (d digester) list(values []string) {
	d.number(int64(len(values)))
	d.text(values...)
}

func (d digester) files(files []File) {
	d.number(int64(len(files)))
	for _, f := range files {
		d.text(f.Path, string(f.Data))
		d.number(boolean(f.Executable), boolean(f.ReadOnly))
	}
}

func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
