package docker

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// Labels of our objects in an engine.
const (
	labelOwner = "glovebox.owner" // of a container: see owner
	labelRoot  = "glovebox.root"  // of an image: the key of its root file system
)

// keptImages is how many images of roots an engine keeps.
const keptImages = 8

// images are the images known to be in the engine, by the root's key.
type images struct {
	mu    sync.Mutex
	known map[string]*imported
}

type imported struct {
	mu sync.Mutex // held while the engine is asked
	id string
}

type imageSummary struct {
	ID       string `json:"Id"`
	Created  int64
	Labels   map[string]string
	RepoTags []string
}

// named reports whether an image has a name given only by a local import: a
// pulled image may carry any label. Engines add a registry to the name.
func (i imageSummary) named(name string) bool {
	return slices.ContainsFunc(i.RepoTags, func(tag string) bool {
		tag = strings.TrimPrefix(tag, "docker.io/library/")
		return strings.TrimPrefix(tag, "localhost/") == name
	})
}

// image returns the id of a root's image, after importing it if necessary.
func (t *Tier) image(ctx context.Context, root *rootfs.Root) (string, error) {
	t.images.mu.Lock()
	if t.images.known == nil {
		t.images.known = map[string]*imported{}
	}
	i := t.images.known[root.Key]
	if i == nil {
		i = &imported{}
		t.images.known[root.Key] = i
	}
	t.images.mu.Unlock()

	i.mu.Lock()
	defer i.mu.Unlock()
	if i.id != "" {
		// It may have been removed behind our back.
		err := t.engine.call(ctx, http.MethodGet, "/images/"+i.id+"/json", nil, nil, nil)
		if status(err) != http.StatusNotFound {
			return i.id, err
		}
		i.id = ""
	}
	id, err := t.find(ctx, root.Key)
	if err != nil {
		return "", err
	}
	if id == "" {
		if err := t.load(ctx, root); err != nil {
			return "", err
		}
		if id, err = t.find(ctx, root.Key); err != nil {
			return "", err
		}
		if id == "" {
			return "", errors.New("the engine does not know the image that it imported")
		}
		t.prune(ctx)
	}
	i.id = id
	return id, nil
}

// find returns the id of the image imported for a root, or "".
func (t *Tier) find(ctx context.Context, key string) (string, error) {
	list, err := t.rootImages(ctx, labelRoot+"="+key)
	if err != nil {
		return "", err
	}
	for _, i := range list {
		if i.Labels[labelRoot] == key && i.named(repository(key)+":latest") {
			return i.ID, nil
		}
	}
	return "", nil
}

// rootImages lists the images with a label, the newest first.
func (t *Tier) rootImages(ctx context.Context, label string) ([]imageSummary, error) {
	var list []imageSummary
	err := t.engine.call(ctx, http.MethodGet, "/images/json", filter("label", label), nil, &list)
	slices.SortFunc(list, func(a, b imageSummary) int { return int(b.Created - a.Created) })
	return list, err
}

// filter is a query for objects with a value.
func filter(name, value string) url.Values {
	f, _ := json.Marshal(map[string][]string{name: {value}})
	return url.Values{"filters": {string(f)}}
}

// load sends a root's tree to the engine.
func (t *Tier) load(ctx context.Context, root *rootfs.Root) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeTar(ctx, w, root.Tree)) }()
	defer r.Close()
	query := url.Values{
		"fromSrc": {"-"}, "repo": {repository(root.Key)}, "tag": {"latest"},
		"changes": {fmt.Sprintf("LABEL %s=%s", labelRoot, root.Key)},
	}
	answer, err := t.engine.request(ctx, http.MethodPost, "/images/create", query, r, "application/x-tar")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	// Progress, and at its end the image or an error.
	for lines := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)); ; {
		var line struct{ Error string }
		if err := lines.Decode(&line); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("the engine's answer to an import: %w", err)
		}
		if line.Error != "" {
			return errors.New(line.Error)
		}
	}
}

// repository is the name of a root's image. The key is in the name because
// Podman does not take it in the tag.
func repository(key string) string {
	name := []byte("glovebox-root-")
	for _, c := range []byte(key) {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
			name = append(name, c)
		}
	}
	return string(name[:min(len(name), 64)])
}

// writeTar writes the tree below dir, all of it owned by root.
func writeTar(ctx context.Context, to io.Writer, dir string) error {
	w := tar.NewWriter(to)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || name == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		link := ""
		switch info.Mode().Type() {
		case 0, fs.ModeDir:
		case fs.ModeSymlink:
			if link, err = root.Readlink(filepath.FromSlash(name)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is a %s", name, info.Mode().Type())
		}
		head := &tar.Header{
			Name: name, Linkname: filepath.ToSlash(link), Mode: int64(info.Mode().Perm()), ModTime: info.ModTime().Truncate(time.Second),
			Typeflag: tar.TypeReg, Size: info.Size(),
		}
		switch {
		case d.IsDir():
			head.Typeflag, head.Name, head.Size = tar.TypeDir, name+"/", 0
		case link != "":
			head.Typeflag, head.Size, head.Mode = tar.TypeSymlink, 0, 0o777
		}
		if err := w.WriteHeader(head); err != nil || head.Size == 0 {
			return err
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.CopyN(w, f, head.Size)
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// prune removes the oldest images of roots. One that is in use stays.
func (t *Tier) prune(ctx context.Context) {
	list, err := t.rootImages(ctx, labelRoot)
	if err != nil {
		return
	}
	for _, old := range list[min(len(list), keptImages):] {
		_ = t.engine.call(ctx, http.MethodDelete, "/images/"+old.ID, nil, nil, nil)
	}
}
