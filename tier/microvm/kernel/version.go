package kernel

import "strings"

// compareVersions compares versions of Debian packages as dpkg does; see
// deb-version(7). The result is negative where a is older than b.
func compareVersions(a, b string) int {
	ea, a := epoch(a)
	eb, b := epoch(b)
	if c := compareDigits(ea, eb); c != 0 {
		return c
	}
	ua, ra := revision(a)
	ub, rb := revision(b)
	if c := comparePart(ua, ub); c != 0 {
		return c
	}
	return comparePart(ra, rb)
}

func epoch(v string) (epoch, rest string) {
	if e, rest, ok := strings.Cut(v, ":"); ok {
		return e, rest
	}
	return "0", v
}

func revision(v string) (upstream, revision string) {
	if i := strings.LastIndexByte(v, '-'); i >= 0 {
		return v[:i], v[i+1:]
	}
	return v, "0"
}

// comparePart compares runs of non-digits and runs of digits in turn.
func comparePart(a, b string) int {
	for a != "" || b != "" {
		for a != "" && !isDigit(a[0]) || b != "" && !isDigit(b[0]) {
			if c := order(a) - order(b); c != 0 {
				return c
			}
			a, b = a[1:], b[1:] // of the same order, so neither has ended
		}
		na, nb := digits(a), digits(b)
		if c := compareDigits(a[:na], b[:nb]); c != 0 {
			return c
		}
		a, b = a[na:], b[nb:]
	}
	return 0
}

// order is the weight of what s begins with: ~, then the end or a digit, then
// letters, then all else.
func order(s string) int {
	switch {
	case s == "" || isDigit(s[0]):
		return 0
	case s[0] == '~':
		return -1
	case 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z':
		return int(s[0])
	}
	return int(s[0]) + 256
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// compareDigits compares numbers of any length.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
