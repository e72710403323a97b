package build

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
)

// release is the release part of a version, such as 3.11.7.
type release []int

// parseRelease reads digits with dots between; a suffix of the release, such as
// rc1 or +local, is dropped.
func parseRelease(s string) (release, error) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "v")
	var r release
	for len(r) < 8 {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		n, err := strconv.Atoi(s[:digits])
		if err != nil {
			return nil, fmt.Errorf("%.50q is no version", s)
		}
		r = append(r, n)
		rest, more := strings.CutPrefix(s[digits:], ".")
		if !more || rest == "" || rest[0] < '0' || rest[0] > '9' {
			return r, nil
		}
		s = rest
	}
	return nil, errors.New("a version of more than 8 numbers")
}

// compare returns -1, 0 or 1; missing numbers are 0.
func (r release) compare(o release) int {
	for i := range max(len(r), len(o)) {
		switch a, b := r.at(i), o.at(i); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
	}
	return 0
}

func (r release) at(i int) int {
	if i < len(r) {
		return r[i]
	}
	return 0
}

func (r release) String() string {
	parts := make([]string, len(r))
	for i, n := range r {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}

// satisfies reports whether r is within a version specifier (PEP 440), such as
// ">=3.9,!=3.9.7".
func (r release) satisfies(spec string) (bool, error) {
	for clause := range strings.SplitSeq(spec, ",") {
		clause = strings.TrimSpace(clause)
		if clause == "" {
			continue
		}
		operator := clause[:len(clause)-len(strings.TrimLeft(clause, "<>=!~"))]
		ok, err := matches(r.String(), operator, strings.TrimSpace(clause[len(operator):]))
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// matches evaluates one comparison of versions (PEP 440), including
// pre-releases such as 3.11.0a6.
func matches(version, operator, with string) (bool, error) {
	v, err := pep440.Parse(version)
	if err != nil {
		return false, fmt.Errorf("%.50q is no version", version)
	}
	prefix, wild := strings.CutSuffix(with, ".*")
	if _, err := pep440.Parse(prefix); err != nil {
		return false, fmt.Errorf("%.50q is no version", with)
	}
	switch operator { // the library knows more of them than PEP 440
	case "==", "!=":
	case "===", ">=", "<=", ">", "<", "~=":
		if wild {
			return false, fmt.Errorf("%s%.50s: only == and != take a .*", operator, with)
		}
		if operator == "~=" {
			return compatible(version, with)
		}
	default:
		return false, fmt.Errorf("%.50q is no comparison of versions", operator+with)
	}
	spec, err := pep440.NewSpecifiers(operator+with, pep440.WithPreRelease(true))
	if err != nil {
		return false, fmt.Errorf("%s%.50s: %w", operator, with, err)
	}
	return spec.Check(v), nil
}

// compatible evaluates ~=, which the library treats differently for
// pre-releases: ~=3.11.0a1 is >=3.11.0a1,==3.11.*.
func compatible(version, with string) (bool, error) {
	series, err := parseRelease(with)
	if err != nil {
		return false, err
	}
	if len(series) < 2 {
		return false, fmt.Errorf("~=%.50s: it takes two numbers or more", with)
	}
	ok, err := matches(version, ">=", with)
	if err != nil || !ok {
		return false, err
	}
	return matches(version, "==", series[:len(series)-1].String()+".*")
}
