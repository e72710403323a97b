package build

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// parseRequirements reads a requirements.txt where every package has a version
// and hashes, as written by pip-compile --generate-hashes, uv pip compile and
// pip freeze with hashes.
func parseRequirements(text, dir string) ([]pin, error) {
	var pins []pin
	for n, line := range logicalLines(text) {
		p, err := parseRequirement(line, dir)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if p != nil {
			pins = append(pins, *p)
		}
		if len(pins) > maxPins {
			break
		}
	}
	return pins, nil
}

// logicalLines are the lines without comments, joined at a final backslash,
// each with the number of its first line.
func logicalLines(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		var joined strings.Builder
		first, n := 0, 0
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if joined.Len() == 0 {
				first = n
			}
			if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") {
				line = ""
			} else if at := strings.Index(line, " #"); at >= 0 {
				line = line[:at]
			}
			rest, more := strings.CutSuffix(line, "\\")
			joined.WriteString(rest + " ")
			if more {
				continue
			}
			if s := strings.TrimSpace(joined.String()); s != "" && !yield(first, s) {
				return
			}
			joined.Reset()
		}
		if s := strings.TrimSpace(joined.String()); s != "" {
			yield(first, s)
		}
	}
}

// parseRequirement reads one requirement. It returns nil for an option without
// effect.
func parseRequirement(line, dir string) (*pin, error) {
	if strings.HasPrefix(line, "-") {
		return nil, requirementOption(line)
	}
	var p pin
	fields := strings.Fields(line)
	var spec []string
	for _, f := range fields {
		if value, ok := strings.CutPrefix(f, "--hash="); ok {
			h, err := parseHash(value)
			if err != nil {
				return nil, err
			}
			p.hashes = append(p.hashes, h)
		} else if strings.HasPrefix(f, "--") {
			return nil, fmt.Errorf("%.100q: of a requirement only --hash is known", f)
		} else {
			spec = append(spec, f)
		}
	}
	rest, marker, _ := strings.Cut(strings.Join(spec, " "), ";")
	p.marker = strings.TrimSpace(marker)
	rest = strings.TrimSpace(rest)
	if p.name = strings.TrimSpace(requirementName().FindString(rest)); p.name == "" {
		return p.direct(rest, dir)
	}
	rest = strings.TrimSpace(strings.TrimPrefix(rest, p.name))
	if strings.HasPrefix(rest, "[") {
		_, after, ok := strings.Cut(rest, "]")
		if !ok {
			return nil, fmt.Errorf("%.100q: a ] is missing", line)
		}
		rest = strings.TrimSpace(after)
	}
	if at, ok := strings.CutPrefix(rest, "@"); ok {
		return p.direct(strings.TrimSpace(at), dir)
	}
	if strings.HasSuffix(p.name, ".whl") || rest != "" && strings.Contains("/:+", rest[:1]) {
		at := p.name + rest
		p.name = ""
		return p.direct(at, dir)
	}
	version, ok := strings.CutPrefix(rest, "==")
	version = strings.TrimPrefix(strings.TrimSpace(version), "=")
	if !ok || !versionText(version) || version == "" || strings.Contains(version, "*") {
		return nil, fmt.Errorf("%s is not pinned: it must be %s==VERSION", p.name, p.name)
	}
	p.version = version
	return &p, p.hashed()
}

func (p *pin) hashed() error {
	if len(p.hashes) == 0 {
		return fmt.Errorf("%s has no hash: make the file with pip-compile --generate-hashes, or uv pip compile --generate-hashes", p.name)
	}
	return nil
}

// direct makes p the pin of a wheel at a URL or path.
func (p *pin) direct(at, dir string) (*pin, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	if kind, digits, ok := strings.Cut(u.Fragment, "="); ok && strength[kind] > 0 {
		h, err := newHash(kind, digits)
		if err != nil {
			return nil, err
		}
		p.hashes = append(p.hashes, h)
	}
	u.Fragment = ""
	file := path.Base(u.Path)
	w, err := parseWheelName(file)
	if err != nil {
		p.refused = fmt.Sprintf("%.200s is not a wheel: what else there is would run its code to build itself", at)
		if p.name == "" {
			return nil, errors.New(p.refused)
		}
		return p, nil
	}
	if p.name == "" {
		p.name = w.name
	}
	p.version = w.version
	for _, h := range p.hashes {
		r := remote{name: file, hash: h}
		switch {
		case u.Scheme == "" && filepath.IsAbs(u.Path), u.Scheme == "file":
			r.path = u.Path
		case u.Scheme == "":
			r.path = filepath.Join(dir, filepath.FromSlash(u.Path))
		default:
			r.url = u.String()
		}
		p.files = append(p.files, r)
	}
	return p, p.hashed()
}

// requirementOption skips options without use here, and refuses any that would
// bring further packages.
func requirementOption(line string) error {
	name, _, _ := strings.Cut(strings.Fields(line)[0], "=")
	switch name {
	case "--require-hashes", "--only-binary", "--prefer-binary", "--no-binary":
		return nil
	case "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--no-index", "--trusted-host":
		return fmt.Errorf("%s: say the index in the build file (python.index) or with --index", name)
	case "-r", "--requirement", "-c", "--constraint":
		return fmt.Errorf("%s: one complete file with hashes is needed", name)
	case "-e", "--editable":
		return errors.New("-e: the build of a project runs its code; only wheels are taken")
	}
	return fmt.Errorf("the option %.50q is not known", name)
}

func urlPath(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Path
}
