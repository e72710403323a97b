package build

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// target describes the environment of an image's Python packages.
type target struct {
	python  release // such as 3.11 or 3.11.7
	machine string  // as uname names it: x86_64, aarch64
	libc    string  // glibc or musl
	version release // of the libc
}

// machines are the names of processors, by those of Go, in wheels, in npm, in
// Debian and in ELF files.
var machines = map[string]struct {
	uname, npm, debian string
	elf                elf.Machine
}{
	"amd64":   {"x86_64", "x64", "amd64", elf.EM_X86_64},
	"arm64":   {"aarch64", "arm64", "arm64", elf.EM_AARCH64},
	"riscv64": {"riscv64", "riscv64", "riscv64", elf.EM_RISCV},
	"ppc64le": {"ppc64le", "ppc64", "ppc64el", elf.EM_PPC64},
	"s390x":   {"s390x", "s390x", "s390x", elf.EM_S390},
}

// tags are the acceptable tags of wheels, the best first: the order of PEP 425
// in the packaging library's version for CPython on Linux.
func (t *target) tags() []string {
	major, minor := t.python.at(0), t.python.at(1)
	this := fmt.Sprintf("cp%d%d", major, minor)
	platforms := t.platforms()
	var tags []string
	each := func(interpreter, abi string, platforms ...string) {
		for _, p := range platforms {
			tags = append(tags, interpreter+"-"+abi+"-"+p)
		}
	}
	each(this, this, platforms...)
	each(this, "abi3", platforms...)
	each(this, "none", platforms...)
	for m := minor - 1; m >= 2; m-- {
		each(fmt.Sprintf("cp%d%d", major, m), "abi3", platforms...)
	}
	generic := []string{fmt.Sprintf("py%d%d", major, minor), fmt.Sprintf("py%d", major)}
	for m := minor - 1; m >= 0; m-- {
		generic = append(generic, fmt.Sprintf("py%d%d", major, m))
	}
	for _, g := range generic {
		each(g, "none", platforms...)
	}
	each(this, "none", "any")
	for _, g := range generic {
		each(g, "none", "any")
	}
	return tags
}

// platforms are the acceptable platform tags, the best first (PEP 600, 656).
func (t *target) platforms() []string {
	var list []string
	switch {
	case t.libc == "musl":
		for m := t.version.at(1); m >= 0; m-- {
			list = append(list, fmt.Sprintf("musllinux_1_%d_%s", m, t.machine))
		}
	case t.libc == "glibc":
		oldest := 17
		if t.machine == "x86_64" {
			oldest = 5
		}
		for m := min(t.version.at(1), 200); m >= oldest; m-- {
			list = append(list, fmt.Sprintf("manylinux_2_%d_%s", m, t.machine))
			switch m {
			case 17:
				list = append(list, "manylinux2014_"+t.machine)
			case 12:
				list = append(list, "manylinux2010_"+t.machine)
			case 5:
				list = append(list, "manylinux1_"+t.machine)
			}
		}
	}
	return append(list, "linux_"+t.machine)
}

// ranks maps each acceptable tag to its rank, the best 0.
func (t *target) ranks() map[string]int {
	ranks := map[string]int{}
	for i, tag := range t.tags() {
		ranks[tag] = i
	}
	return ranks
}

// wheelName holds the parts of a wheel's file name (PEP 427).
type wheelName struct {
	name, version, build   string
	python, abi, platforms []string
}

// parseWheelName reads name-version(-build)?-python-abi-platform.whl.
func parseWheelName(file string) (wheelName, error) {
	stem, ok := strings.CutSuffix(file, ".whl")
	p := strings.Split(stem, "-")
	if !ok || len(p) != 5 && len(p) != 6 || slices.Contains(p, "") || len(file) > 255 {
		return wheelName{}, fmt.Errorf("%.200q is not the name of a wheel", file)
	}
	w := wheelName{name: p[0], version: p[1]}
	if len(p) == 6 {
		w.build = p[2]
	}
	last := p[len(p)-3:]
	w.python, w.abi, w.platforms = strings.Split(last[0], "."), strings.Split(last[1], "."), strings.Split(last[2], ".")
	if len(w.python)*len(w.abi)*len(w.platforms) > 1000 {
		return wheelName{}, fmt.Errorf("%.200q has too many tags", file)
	}
	return w, nil
}

// rank is the best rank of the wheel's tags, or -1 if none is acceptable.
func (w *wheelName) rank(ranks map[string]int) int {
	best := -1
	for _, py := range w.python {
		for _, abi := range w.abi {
			for _, platform := range w.platforms {
				if r, ok := ranks[py+"-"+abi+"-"+platform]; ok && (best < 0 || r < best) {
					best = r
				}
			}
		}
	}
	return best
}

// normal is the normalised form of a Python project's name (PEP 503).
func normal(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return strings.Join(parts, "-")
}
