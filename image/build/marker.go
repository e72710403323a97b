package build

import (
	"errors"
	"fmt"
	"strings"
)

// marker evaluates an environment marker (PEP 508), such as
//
//	python_version < "3.11" and sys_platform == "linux"
//
// for a target. Names unknown to an installer without extras, such as extra,
// are empty.
func (t *target) marker(s string) (bool, error) {
	if strings.TrimSpace(s) == "" {
		return true, nil
	}
	p := markerParser{rest: s, env: t.environment()}
	if err := p.next(); err != nil {
		return false, fmt.Errorf("marker %.200q: %w", s, err)
	}
	v, err := p.or(0)
	if err == nil && p.token != "" {
		err = fmt.Errorf("unexpected %.50q", p.token)
	}
	if err != nil {
		return false, fmt.Errorf("marker %.200q: %w", s, err)
	}
	return v, nil
}

// environment are the names of markers with their values.
func (t *target) environment() map[string]string {
	return map[string]string{
		"python_version":                 fmt.Sprintf("%d.%d", t.python.at(0), t.python.at(1)),
		"python_full_version":            fmt.Sprintf("%d.%d.%d", t.python.at(0), t.python.at(1), t.python.at(2)),
		"implementation_version":         fmt.Sprintf("%d.%d.%d", t.python.at(0), t.python.at(1), t.python.at(2)),
		"implementation_name":            "cpython",
		"platform_python_implementation": "CPython",
		"os_name":                        "posix",
		"sys_platform":                   "linux",
		"platform_system":                "Linux",
		"platform_machine":               t.machine,
		"platform_release":               "",
		"platform_version":               "",
		"extra":                          "",
		"extras":                         "",
		"dependency_groups":              "",
		// Older names of the same.
		"os.name": "posix", "sys.platform": "linux", "platform.machine": t.machine,
		"platform.python_implementation": "CPython", "python_implementation": "CPython",
	}
}

// markerParser reads a marker from left to right.
type markerParser struct {
	rest   string
	token  string // "" at the end
	quoted bool   // the token was a string
	env    map[string]string
}

const (
	maxMarker = 4 << 10
	maxNested = 50
)

// next reads the next token.
func (p *markerParser) next() error {
	if len(p.rest) > maxMarker {
		return errors.New("it is too long")
	}
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	p.token, p.quoted = "", false
	if p.rest == "" {
		return nil
	}
	take := 1
	switch c := p.rest[0]; {
	case c == '\'' || c == '"':
		end := strings.IndexByte(p.rest[1:], c)
		if end < 0 {
			return errors.New("a string has no end")
		}
		p.token, p.quoted = p.rest[1:1+end], true
		p.rest = p.rest[end+2:]
		return nil
	case c == '(' || c == ')':
	case strings.IndexByte("<>=!~", c) >= 0:
		take = len(p.rest) - len(strings.TrimLeft(p.rest, "<>=!~"))
	default:
		for take = 0; take < len(p.rest) && (p.rest[take] == '_' || p.rest[take] == '.' || isAlnum(p.rest[take])); {
			take++
		}
		if take == 0 {
			return fmt.Errorf("unexpected %.10q", p.rest)
		}
	}
	p.token, p.rest = p.rest[:take], p.rest[take:]
	return nil
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *markerParser) is(word string) bool { return !p.quoted && p.token == word }

func (p *markerParser) or(depth int) (bool, error) {
	v, err := p.and(depth)
	for err == nil && p.is("or") {
		var w bool
		if err = p.next(); err == nil {
			w, err = p.and(depth)
			v = v || w
		}
	}
	return v, err
}

func (p *markerParser) and(depth int) (bool, error) {
	v, err := p.comparison(depth)
	for err == nil && p.is("and") {
		var w bool
		if err = p.next(); err == nil {
			w, err = p.comparison(depth)
			v = v && w
		}
	}
	return v, err
}

func (p *markerParser) comparison(depth int) (bool, error) {
	if depth > maxNested {
		return false, errors.New("it is nested too deeply")
	}
	if p.is("(") {
		if err := p.next(); err != nil {
			return false, err
		}
		v, err := p.or(depth + 1)
		if err != nil {
			return false, err
		}
		if !p.is(")") {
			return false, errors.New("a ) is missing")
		}
		return v, p.next()
	}
	left, name, err := p.value()
	if err != nil {
		return false, err
	}
	operator := p.token
	if p.quoted {
		return false, fmt.Errorf("%.50q is no comparison", operator)
	}
	if err := p.next(); err != nil {
		return false, err
	}
	if operator == "not" {
		if !p.is("in") {
			return false, errors.New("not is followed by in")
		}
		operator = "not in"
		if err := p.next(); err != nil {
			return false, err
		}
	}
	right, other, err := p.value()
	if err != nil {
		return false, err
	}
	if name == "" {
		name = other
	}
	return compareMarker(name, left, operator, right)
}

// value reads a string, or a name and its value.
func (p *markerParser) value() (value, name string, err error) {
	value = p.token
	if !p.quoted {
		name = p.token
		v, ok := p.env[name]
		if !ok {
			return "", "", fmt.Errorf("%.50q is no name of a marker", name)
		}
		value = v
	}
	return value, name, p.next()
}

// compareMarker compares versions as versions, and the rest as text.
func compareMarker(name, left, operator, right string) (bool, error) {
	switch operator {
	case "in":
		return right != "" && strings.Contains(right, left), nil
	case "not in":
		return right == "" || !strings.Contains(right, left), nil
	}
	if strings.HasSuffix(name, "_version") && name != "platform_version" {
		return matches(left, operator, right)
	}
	switch operator {
	case "==", "===":
		return left == right, nil
	case "!=":
		return left != right, nil
	case "<":
		return left < right, nil
	case "<=":
		return left <= right, nil
	case ">":
		return left > right, nil
	case ">=":
		return left >= right, nil
	}
	return false, fmt.Errorf("%.50q is no comparison", operator)
}
