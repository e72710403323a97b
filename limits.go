package glovebox

import (
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// WithDefaults returns l with each zero field taken from [DefaultLimits]. CPU
// follows Wall where only Wall is given.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits
	if l.CPU == 0 && l.Wall > d.CPU {
		l.CPU = l.Wall
	}
	pick(&l.Wall, d.Wall)
	pick(&l.CPU, d.CPU)
	pick(&l.Memory, d.Memory)
	pick(&l.Processes, d.Processes)
	pick(&l.OpenFiles, d.OpenFiles)
	pick(&l.FileSize, d.FileSize)
	pick(&l.Disk, d.Disk)
	pick(&l.Files, d.Files)
	pick(&l.Output, d.Output)
	pick(&l.Reply, d.Reply)
	return l
}

func pick[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Validate reports the first field that is negative or above [MaxLimits].
func (l Limits) Validate() error {
	m := MaxLimits
	for _, f := range []struct {
		name     string
		got, max time.Duration
	}{{"wall", l.Wall, m.Wall}, {"cpu", l.CPU, m.CPU}} {
		if f.got < 0 || f.got > f.max {
			return fmt.Errorf("limit %s is %v: it must be between 0 (the default) and %v", f.name, f.got, f.max)
		}
	}
	for _, f := range []struct {
		name     string
		got, max int64
	}{
		{"memory", l.Memory, m.Memory},
		{"processes", l.Processes, m.Processes},
		{"open_files", l.OpenFiles, m.OpenFiles},
		{"file_size", l.FileSize, m.FileSize},
		{"disk", l.Disk, m.Disk},
		{"files", l.Files, m.Files},
		{"output", l.Output, m.Output},
		{"reply", l.Reply, m.Reply},
	} {
		if f.got < 0 || f.got > f.max {
			return fmt.Errorf("limit %s is %d: it must be between 0 (the default) and %d", f.name, f.got, f.max)
		}
	}
	return nil
}

// Bounds of a path in the workspace.
const (
	maxPathBytes = 512
	maxPathDepth = 16
)

// CleanPath returns p as a clean, relative, slash-separated path inside the
// workspace, or an error with the fault of p. Every file name from a reply, a
// request or an archive passes here.
func CleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", fmt.Errorf("file name is empty")
	case len(p) > maxPathBytes:
		return "", fmt.Errorf("file name is %d bytes long: at most %d", len(p), maxPathBytes)
	case !utf8.ValidString(p):
		return "", fmt.Errorf("file name %q is not valid UTF-8", p)
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("file name %q has control characters", p)
	case strings.Contains(p, `\`):
		return "", fmt.Errorf("file name %q has a backslash", p)
	case path.IsAbs(p):
		return "", fmt.Errorf("file name %q is absolute: it must be relative to the workspace", p)
	}
	clean := path.Clean(p)
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fmt.Errorf("file name %q leaves the workspace", p)
	}
	if n := strings.Count(clean, "/") + 1; n > maxPathDepth {
		return "", fmt.Errorf("file name %q is %d levels deep: at most %d", p, n, maxPathDepth)
	}
	for part := range strings.SplitSeq(clean, "/") {
		if len(part) > 255 {
			return "", fmt.Errorf("file name %q has a part of %d bytes: at most 255", p, len(part))
		}
	}
	return clean, nil
}
