package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is a linked module of the executable, in the output of go list.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// modules lists the modules in the executables of all systems.
func modules() ([]module, error) {
	found := map[string]module{}
	for _, t := range targets {
		list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/glovebox")
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *module }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	var all []module
	for _, m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return all, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)([-._].*)?$`)

// readNotice collects the licences of all linked modules. A module without one
// is an error: we could not give it away.
func (r *release) readNotice() error {
	all, err := modules()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "Glovebox\n\nThe executable contains the following modules, and the standard library of Go.\n")
	section := func(name, dir string) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		found := false
		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			found = true
			fmt.Fprintf(&out, "\n%s\n%s: %s\n\n%s\n", bytes.Repeat([]byte("="), 80), name, e.Name(), bytes.TrimSpace(text))
		}
		if !found {
			return fmt.Errorf("%s has no licence in %s", name, dir)
		}
		return nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if err := section("Go "+runtime.Version(), strings.TrimSpace(string(root))); err != nil {
		return err
	}
	for _, m := range all {
		if err := section(m.Path+" "+m.Version, m.Dir); err != nil {
			return err
		}
	}
	r.notice = out.Bytes()
	return r.write("NOTICE", r.notice)
}

// sbom writes the executable's parts as CycloneDX 1.6, from the Go linker's
// information: https://cyclonedx.org/docs/1.6/json/.
func (r *release) sbom(t target, exe []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(exe))
	if err != nil {
		return err
	}
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl"`
	}
	part := func(kind, path, version string) component {
		url := fmt.Sprintf("pkg:golang/%s@%s", path, version)
		return component{kind, url, path, version, url}
	}
	parts := []component{part("library", "std", info.GoVersion)}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		parts = append(parts, part("library", d.Path, d.Version))
	}
	data, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"timestamp": r.date, "component": part("application", info.Main.Path, r.version)},
		"components": parts,
	}, "", "  ")
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("glovebox_%s_%s_%s.cdx.json", r.version, t.os, t.arch), append(data, '\n'))
}
