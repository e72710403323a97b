package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// nfpm writes packages of Linux distributions: https://nfpm.goreleaser.com.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// packages writes a .deb and a .rpm.
func (r *release) packages(t target, exe []byte) error {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, f := range []file{{"glovebox", 0o755, exe}, {"LICENSE", 0o644, r.licence}, {"NOTICE", 0o644, r.notice}} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, f.mode); err != nil {
			return err
		}
	}
	config := fmt.Sprintf(`name: glovebox
arch: %[1]s
platform: linux
version: %[2]s
section: devel
maintainer: The Glovebox authors <maintainers@glovebox.invalid>
description: %[3]s
license: Apache-2.0
mtime: %[4]s
recommends: [python3]
contents:
  - {src: %[5]s/glovebox, dst: /usr/bin/glovebox, file_info: {mode: 0755, mtime: %[4]s}}
  - {src: %[5]s/LICENSE, dst: /usr/share/doc/glovebox/LICENSE, file_info: {mode: 0644, mtime: %[4]s}}
  - {src: %[5]s/NOTICE, dst: /usr/share/doc/glovebox/NOTICE, file_info: {mode: 0644, mtime: %[4]s}}
`, t.arch, r.version, summary, r.date.Format(time.RFC3339), dir)
	file := filepath.Join(dir, "nfpm.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		to := filepath.Join(r.out, fmt.Sprintf("glovebox_%s_%s.%s", r.version, t.arch, kind))
		pack := exec.Command("go", "run", nfpm, "package", "-f", file, "-p", kind, "-t", to)
		pack.Stderr = os.Stderr
		if err := pack.Run(); err != nil {
			return fmt.Errorf("nfpm: %w", err)
		}
	}
	return nil
}
