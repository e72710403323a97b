package build

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// release is the release part of a version, such as 3.11.7. The versions of
// interpreters that markers and Requires-Python speak of have no other parts.
type release []int

// parseRelease reads digits with dots between; what follows the release, such
// as rc1 or +local, is dropped.
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

// satisfies tells whether r is within a version specifier (PEP 440), such as
// ">=3.9,!=3.9.7".
func (r release) satisfies(spec string) (bool, error) {
	for clause := range strings.SplitSeq(spec, ",") {
		clause = strings.TrimSpace(clause)
		if clause == "" {
			continue
		}
		operator := clause[:len(clause)-len(strings.TrimLeft(clause, "<>=!~"))]
		ok, err := r.matches(operator, strings.TrimSpace(clause[len(operator):]))
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// matches evaluates one comparison of a version.
func (r release) matches(operator, version string) (bool, error) {
	prefix, wild := strings.CutSuffix(version, ".*")
	v, err := parseRelease(prefix)
	if err != nil {
		return false, err
	}
	head := r
	if wild && len(head) > len(v) {
		head = head[:len(v)]
	}
	c := head.compare(v)
	switch {
	case operator == "==", operator == "===":
		return c == 0, nil
	case operator == "!=":
		return c != 0, nil
	case wild:
		return false, fmt.Errorf("%s%.50s: only == and != take a .*", operator, version)
	case operator == ">=":
		return c >= 0, nil
	case operator == "<=":
		return c <= 0, nil
	case operator == ">":
		return c > 0, nil
	case operator == "<":
		return c < 0, nil
	case operator == "~=" && len(v) > 1:
		series := v[:len(v)-1]
		return c >= 0 && len(r) >= len(series) && release(r[:len(series)]).compare(series) == 0, nil
	}
	return false, fmt.Errorf("%.50q is no comparison of versions", operator+version)
}
