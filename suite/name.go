package suite

import (
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// name is a parsed name of a test: the parts of its location, the function
// last, and the suffix: parameters, sub-tests.
type name struct {
	parts []string
	param string
}

var (
	// unittestName is "test_m (tests.test_x.TestC)"; since Python 3.11 the
	// method stands in the parentheses too.
	unittestName = lazyre.New(`^([\w]+) \(([\w.]+)\)(?: (.*))?$`)
	// goName is "TestX/sub", with or without a package in front.
	goName = lazyre.New(`^(?:([\w./~-]+?)(?:::|[.:/]| ))?((?:Test|Fuzz|Example)(?:[^\sa-z./:][^\s./:]*)?)(/.*)?$`)
	// plainParts divides the names of suites.
	plainParts = lazyre.New(`\s+(?:>|›|»)\s+`)
	// sources are endings of files in names.
	sources = lazyre.New(`\.(?:py|[cm]?[jt]sx?|go|rb|php|lua|pl|t|sh)$`)
)

// readName reads a test's name. It has one part at least.
func readName(s string) name {
	s = squeeze(s)
	if m := unittestName().FindStringSubmatch(s); m != nil && strings.Contains(m[2], ".") {
		parts := strings.Split(m[2], ".")
		if parts[len(parts)-1] != m[1] {
			parts = append(parts, m[1])
		}
		return name{parts, m[3]}
	}
	if m := goName().FindStringSubmatch(s); m != nil && !strings.HasSuffix(m[1], ".py") {
		var parts []string
		if m[1] != "" {
			parts = strings.Split(m[1], "/")
		}
		return name{append(parts, m[2]), m[3]}
	}
	head, param := s, ""
	if i := strings.IndexByte(s, '['); i > 0 && !strings.Contains(s[:i], " ") && strings.HasSuffix(s, "]") {
		head, param = s[:i], s[i:]
	} else if before, after, ok := strings.Cut(s, " ("); ok && strings.Contains(before, "::") {
		head, param = before, "("+after
	}
	var parts []string
	switch {
	case strings.Contains(head, "::"):
		parts = strings.Split(head, "::")
		file := sources().ReplaceAllString(path.Clean(parts[0]), "")
		parts = append(strings.Split(file, "/"), parts[1:]...)
	case strings.Contains(head, " "):
		parts = plainParts().Split(head, -1)
	default:
		parts = strings.FieldsFunc(head, func(r rune) bool { return r == '.' || r == '/' })
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		parts = []string{s}
	}
	return name{parts, param}
}

// squeeze makes all white space one space, as in observations.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// suffix reports whether the parts of short are the last of long.
func suffix(long, short []string) bool {
	return len(short) <= len(long) && slices.Equal(long[len(long)-len(short):], short)
}
