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

// Merge returns a plan with the entries of p and, over them, those of the
// others in turn. The plans themselves are left as they are.
func (p Plan) Merge(others ...Plan) Plan {
	merged := Plan{Entries: append([]Entry(nil), p.Entries...)}
	for _, o := range others {
		merged.Add(o.Entries...)
	}
	return merged
}

// Base returns what every box needs whatever it runs: the mount points, the
// merged /usr layout, and the few files of /etc by which programs find out who
// and where they are. Nothing in it comes from the host but the C.UTF-8 locale
// and the time zones, where the host is Linux and has them. It comes first in a plan: libraries and loaders of
// later entries land behind its links.
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

// skipZone leaves out what tells the host's own zone, and the copies of the
// zones that nobody names.
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
// loader looks without being told: no LD_LIBRARY_PATH, whatever the host's
// layout was.
//
// libs are paths as language.Host.Libraries returns them: the last element is
// the name by which a library is asked for. The dynamic loader keeps its path,
// since programs name it by that; every library goes to the directory of the C
// library, which the loader searches by default. Of two libraries of one name
// the first is taken, as the loader does.
//
// Leave out libraries that lie in a directory which the plan takes whole and
// which are found from there by $ORIGIN.
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
