package artifact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox"
)

// Saved is where [Save] put an artifact.
type Saved struct {
	ID string
	// Path is below the directory, slash-separated.
	Path string
}

// Save writes artifacts to files below dir, made if missing. It returns the
// destination of each: the artifact's name, if harmless and free.
//
// The names are hostile, so: nothing is written outside dir, whatever its
// links; no existing file is overwritten or followed; no file is hidden (a
// leading dot is put behind an underscore), lest one become the configuration
// of some tool; none is executable; and no two differ only in case. A taken
// name gets a number: "plot~2.png".
//
// It stops at the first error, and returns the files saved until then.
func Save(ctx context.Context, dir string, s Store, artifacts []glovebox.Artifact) ([]Saved, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &saver{root: root, files: map[string]bool{}, dirs: map[string]string{}}
	var saved []Saved
	for _, a := range artifacts {
		p, err := w.save(ctx, s, a)
		if err != nil {
			return saved, fmt.Errorf("save artifact %s: %w", a.Name, err)
		}
		saved = append(saved, Saved{ID: a.ID, Path: p})
	}
	return saved, nil
}

type saver struct {
	root  *os.Root
	files map[string]bool   // those made, folded
	dirs  map[string]string // those used: as they are, by their folded path
}

func (w *saver) save(ctx context.Context, s Store, a glovebox.Artifact) (string, error) {
	in, err := s.Open(a.ID)
	if err != nil {
		return "", err
	}
	defer in.Close()
	f, name, err := w.create(harmless(a.Name))
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, &reader{ctx, in})
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil && n != a.Size {
		err = fmt.Errorf("the store has %d bytes of %d", n, a.Size)
	}
	if err != nil {
		return "", errors.Join(err, w.root.Remove(name))
	}
	return name, nil
}

// maxTries is how many numbers are tried for one name.
const maxTries = 10_000

// create makes a new file with the first free form of the name.
func (w *saver) create(name string) (*os.File, string, error) {
	if dir, ok := w.makeDir(path.Dir(name)); ok {
		name = path.Join(dir, path.Base(name))
	} else { // a file or a link is where its directory should be
		name = strings.ReplaceAll(name, "/", "_")
	}
	ext := path.Ext(name)
	for try, i := name, 2; i < maxTries; try, i = fmt.Sprintf("%s~%d%s", strings.TrimSuffix(name, ext), i, ext), i+1 {
		if w.files[fold(try)] || w.dirs[fold(try)] != "" {
			continue
		}
		// O_EXCL: a link of the same name counts as taken too, and is never
		// followed.
		f, err := w.root.OpenFile(try, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		w.files[fold(try)] = true
		return f, try, nil
	}
	return nil, "", fmt.Errorf("%d files of its name are there: name an empty directory", maxTries)
}

// makeDir makes a directory below the root, with its parents, unless a
// directory with the same name in a different case was made. It returns the
// path, or false if a different kind of file is in the way.
func (w *saver) makeDir(dir string) (string, bool) {
	if dir == "." {
		return dir, true
	}
	if made := w.dirs[fold(dir)]; made != "" {
		return made, true
	}
	above, ok := w.makeDir(path.Dir(dir))
	if !ok || w.files[fold(dir)] {
		return "", false
	}
	made := path.Join(above, path.Base(dir))
	if err := w.root.Mkdir(made, 0o755); err != nil {
		if info, err := w.root.Lstat(made); err != nil || !info.IsDir() {
			return "", false
		}
	}
	w.dirs[fold(dir)] = made
	return made, true
}

// fold maps names that a file system might not tell apart to one.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// maxPart is the longest element of a path that is kept, in bytes; it leaves
// room for a number.
const maxPart = 200

// harmless returns the relative path for the name of an artifact.
func harmless(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		part = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) || r == unicode.ReplacementChar || strings.ContainsRune(`\:*?"<>|`, r) {
				return '_'
			}
			return r
		}, part)
		part = strings.TrimRight(part, " .")
		if strings.Trim(part, " .") == "" {
			part = "_"
		}
		if strings.ContainsRune(".-~ ", rune(part[0])) {
			part = "_" + part // neither hidden, nor an option, nor a home
		}
		if len(part) > maxPart {
			part = strings.ToValidUTF8(part[:maxPart], "")
		}
		parts = append(parts, part)
	}
	clean, err := glovebox.CleanPath(strings.Join(parts, "/"))
	if err != nil { // too long or too deep
		clean = parts[len(parts)-1]
	}
	return clean
}
