package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"time"
)

// file is a file of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// tarred returns the files as a tar, compressed by gzip.
func tarred(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	tw := tar.NewWriter(zw)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: date, Format: tar.FormatPAX}
		if err := tw.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := tw.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped returns the files as a zip.
func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		w, err := zw.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// archive writes the executable with its licences, for manual download.
func (r *release) archive(t target, exe []byte) error {
	name := fmt.Sprintf("glovebox_%s_%s_%s", r.version, t.os, t.arch)
	files := []file{
		{path.Join(name, t.exe()), 0o755, exe},
		{path.Join(name, "LICENSE"), 0o644, r.licence},
		{path.Join(name, "NOTICE"), 0o644, r.notice},
	}
	pack, ending := tarred, ".tar.gz"
	if t.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	data, err := pack(files, r.date)
	if err != nil {
		return err
	}
	return r.write(name+ending, data)
}
