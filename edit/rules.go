package edit

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox"
)

// Rules restrict the paths that may change. A rule is a path and all below it,
// by whole elements: "src" is src and src/a.py and not srcx/a.py; "" and "."
// are everything. Deny is stronger than Allow; no Allow allows everything. A
// path with an element that some file system takes for .git is never allowed:
// files there run on the host. All else, such as the files of a CI, is a matter
// of policy.
type Rules struct {
	Allow, Deny []string
}

// Check returns name as a clean path, or an [*Error] with [OutsideAllowed]. A
// different type of error means that a rule is no path.
func (r Rules) Check(name string) (string, error) {
	outside := func(format string, args ...any) error {
		return &Error{Kind: OutsideAllowed, Path: clip(name, maxWidth), Detail: fmt.Sprintf(format, args...)}
	}
	clean, err := glovebox.CleanPath(name)
	if err != nil {
		return "", outside("%v", err)
	}
	for part := range strings.SplitSeq(clean, "/") {
		if isGit(part) {
			return "", outside("nothing in .git may change")
		}
	}
	for _, rule := range r.Deny {
		in, err := covers(rule, clean)
		if err != nil {
			return "", err
		}
		if in {
			return "", outside("it is protected and may not change (%s)", rule)
		}
	}
	if len(r.Allow) == 0 {
		return clean, nil
	}
	for _, rule := range r.Allow {
		in, err := covers(rule, clean)
		if err != nil {
			return "", err
		}
		if in {
			return clean, nil
		}
	}
	return "", outside("only these may change: %s", strings.Join(r.Allow, ", "))
}

// isGit reports whether a file system may take a name for .git, by git's own
// rules: without regard to case, to invisible characters (HFS+), to dots and
// spaces at the end, to text after a colon, or by a short name (NTFS).
func isGit(name string) bool {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.ToLower(strings.TrimRight(name, ". "))
	return name == ".git" || name == "git~1"
}

// valid reports whether all rules are paths.
func (r Rules) valid() error {
	for _, rule := range append(slices.Clone(r.Allow), r.Deny...) {
		if _, err := covers(rule, ""); err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether a rule is about a clean path.
func covers(rule, name string) (bool, error) {
	if rule = path.Clean(rule); rule == "." {
		return true, nil
	}
	rule, err := glovebox.CleanPath(rule)
	if err != nil {
		return false, fmt.Errorf("a rule for paths: %w", err)
	}
	return name == rule || strings.HasPrefix(name, rule+"/"), nil
}
