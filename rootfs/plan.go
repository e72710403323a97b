package rootfs

import (
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Add appends entries to the plan.
func (p *Plan) Add(entries ...Entry) { p.Entries = append(p.Entries, entries...) }

// Merge returns a plan with the entries of p and, over them, the entries of
// others in turn. The plans remain unchanged.
func (p Plan) Merge(others ...Plan) Plan {
	merged := Plan{Entries: append([]Entry(nil), p.Entries...)}
	for _, o := range others {
		merged.Add(o.Entries...)
	}
	return merged
}

// Base returns the part of a root common to all boxes: the mount points, the
// merged /usr layout, and the few files of /etc by which programs learn their
// user and host. From a Linux host come only the C.UTF-8 locale and the time
// zones, if present. Base comes first in a plan: libraries and loaders of later
// entries land behind its links.
func Base() Plan {
	var p Plan
	for _, d := range []string{
		"/dev", "/etc", "/opt", "/proc", "/run", "/sys", "/tmp", "/workspace", "/home",
		"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/local/bin", "/usr/local/lib", "/var/tmp",
	} {
		p.Add(Entry{Path: d, Dir: true})
	}
	for _, l := range [][2]string{
		{"/bin", "usr/bin"}, {"/sbin", "usr/bin"}, {"/usr/sbin", "bin"},
		{"/lib", "usr/lib"}, {"/lib64", "usr/lib64"},
		{"/var/run", "../run"},
		{"/etc/mtab", "../proc/self/mounts"},
	} {
		p.Add(Entry{Path: l[0], Link: l[1]})
	}
	for _, f := range [][2]string{
		{"/etc/passwd", "root:x:0:0:root:/:/bin/sh\nuser:x:1000:1000:user:/workspace:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"},
		{"/etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"},
		{"/etc/hostname", "glovebox\n"},
		{"/etc/hosts", "127.0.0.1 localhost glovebox\n::1 localhost\n"},
		{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
		{"/etc/resolv.conf", ""},
		{"/etc/localtime", utc},
	} {
		p.Add(Entry{Path: f[0], Data: []byte(f[1])})
	}
	const locale, zones = "/usr/lib/locale/C.utf8", "/usr/share/zoneinfo"
	linux := runtime.GOOS == "linux" // else what is there is another system's
	if linux && isDir(locale) {
		p.Add(Entry{Path: locale, Source: locale})
	}
	if linux && isDir(zones) {
		p.Add(Entry{Path: zones, Source: zones, Skip: skipZone, SkipKey: "zones 1"})
	}
	p.Add(Entry{Path: zones + "/UTC", Data: []byte(utc)})
	return p
}

// skipZone leaves out files that reveal the host's own zone, and unused copies
// of the zones.
func skipZone(rel string, d fs.DirEntry) bool {
	return slices.Contains([]string{"localtime", "posixrules", "posix", "right", "leapseconds", "leap-seconds.list"}, rel)
}

// utc is the time zone file of UTC (RFC 9636, version 2): no transition, one
// local time type with offset 0.
const utc = utcHeader + utcBody + utcHeader + utcBody + "\nUTC0\n"

const (
	utcHeader = "TZif2" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + // no UT, standard or leap entries
		"\x00\x00\x00\x00" + "\x00\x00\x00\x01" + "\x00\x00\x00\x04" // no transition, one type, four letters
	utcBody = "\x00\x00\x00\x00\x00\x00" + "UTC\x00"
)

// Libraries returns entries that place shared libraries where the dynamic
// loader looks by default: no LD_LIBRARY_PATH, whatever the host's layout was.
//
// libs are paths as returned by language.Host.Libraries: the last element is
// the name by which programs request a library. The dynamic loader keeps the
// path used in programs; every library goes to the directory of the C library,
// which the loader searches by default. Of two libraries of one name the first
// is taken, as by the loader.
//
// Leave out libraries in a directory taken whole by the plan, if programs find
// them by $ORIGIN.
func Libraries(libs []string) []Entry {
	dir := "/usr/lib"
	for _, l := range libs {
		if isLibc(path.Base(l)) {
			dir = path.Dir(inBox(l))
			break
		}
	}
	var entries []Entry
	seen := map[string]bool{}
	for _, l := range libs {
		to := inBox(l)
		// musl's loader is the C library too.
		if !isLoader(path.Base(l)) {
			to = path.Join(dir, path.Base(l))
		}
		if !seen[to] {
			seen[to] = true
			entries = append(entries, Entry{Path: to, Source: l, Linked: !isLoader(path.Base(l))})
		}
	}
	return entries
}

func isLibc(name string) bool {
	return strings.HasPrefix(name, "libc.so") || strings.HasPrefix(name, "libc.musl-") || strings.HasPrefix(name, "ld-musl-")
}

func isLoader(name string) bool {
	return strings.HasPrefix(name, "ld-") || strings.HasPrefix(name, "ld64.so") || strings.HasPrefix(name, "ld.so")
}

// inBox returns where a file of the host's system directories is in a root
// with the layout of [Base].
func inBox(p string) string {
	p = filepath.Clean(p)
	for _, top := range []string{"/bin", "/sbin", "/lib", "/lib64"} {
		if strings.HasPrefix(p, top+"/") {
			return "/usr" + p
		}
	}
	return p
}
