package image

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// reservation is a path of every box. An image's contents at this path do not
// decide the place of the box's own mounts, drivers and files: a link to
// elsewhere is removed, and so are files under the box's own.
type reservation struct {
	path  string
	empty bool // a directory with nothing of the image in it
	file  bool // a file of ours: not a directory; else a directory, not a link
}

var reserved = []reservation{
	{path: "/dev", empty: true},
	{path: "/proc", empty: true},
	{path: "/sys", empty: true},
	{path: "/tmp", empty: true},
	{path: "/workspace", empty: true},
	{path: "/opt/glovebox", empty: true}, // drivers
	{path: "/etc/passwd", file: true},
	{path: "/etc/group", file: true},
	{path: "/etc/hostname", file: true},
	{path: "/etc/hosts", file: true},
	{path: "/etc/resolv.conf", file: true},
	{path: "/etc/mtab", file: true},
}

// Plan returns the image's tree, overlaid with the common files of all boxes:
// the mount points, and the few files by which programs learn their user and
// host. Entries added to the plan replace the image's; entries below
// /opt/glovebox keep their paths, whatever links the image holds.
func (i *Image) Plan() rootfs.Plan {
	var p rootfs.Plan
	p.Add(rootfs.Entry{Path: "/", Files: i.tree})
	for _, d := range []string{"/dev", "/etc", "/opt/glovebox", "/proc", "/sys", "/tmp", "/workspace"} {
		p.Add(rootfs.Entry{Path: d, Dir: true})
	}
	for _, f := range [][2]string{
		{"/etc/passwd", i.accounts("etc/passwd", "root:x:0:0:root:/root:/bin/sh", "user:x:1000:1000:user:/workspace:/bin/sh")},
		{"/etc/group", i.accounts("etc/group", "root:x:0:", "user:x:1000:")},
		{"/etc/hostname", "glovebox\n"},
		{"/etc/hosts", "127.0.0.1 localhost glovebox\n::1 localhost\n"},
		{"/etc/resolv.conf", ""},
	} {
		p.Add(rootfs.Entry{Path: f[0], Data: []byte(f[1])})
	}
	p.Add(rootfs.Entry{Path: "/etc/mtab", Link: "../proc/self/mounts"})
	return p
}

// maxAccounts bounds the files of /etc that are read to be completed.
const maxAccounts = 1 << 20

// accounts returns the image's list of users or groups, completed with entries
// for missing numbers.
func (i *Image) accounts(name string, wanted ...string) string {
	var out strings.Builder
	var have []string
	if b, err := i.readFile(name, maxAccounts); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(b))
		for lines.Scan() {
			if fields := strings.Split(lines.Text(), ":"); len(fields) >= 3 {
				have = append(have, fields[2])
				out.WriteString(lines.Text() + "\n")
			}
		}
	}
	for _, line := range wanted {
		if !slices.Contains(have, strings.Split(line, ":")[2]) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
