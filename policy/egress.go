package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// checkEgress checks one rule's host, address and examples.
func (l *layer) checkEgress(r *reader, i int, e egressRule) {
	n := l.entry("egress", i)
	path := fmt.Sprintf("egress[%d]", i)
	if problem := hostProblem(e.Host); problem != "" {
		r.fault(n.get("host").at, path+".host", "%s", problem)
	}
	if e.Address != "" {
		if _, err := netip.ParseAddr(e.Address); err != nil {
			r.fault(n.get("address").at, path+".address", "%q is not an IP address", clip(e.Address))
		}
	}
	for j, m := range e.Methods {
		if m == "" || strings.Trim(m, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			r.fault(n.get("methods").items[j].at, path+".methods", "%q is not a method: write it as in HTTP, such as GET", clip(m))
		}
	}
	for j, p := range e.Paths {
		if !strings.HasPrefix(p, "/") {
			r.fault(n.get("paths").items[j].at, path+".paths", "%q does not begin with /", clip(p))
		}
	}
	check := func(list string, targets []string, want bool) {
		for j, t := range targets {
			at := n.get(list).items[j].at
			host, port, ok := splitTarget(t)
			if !ok {
				r.fault(at, fmt.Sprintf("%s.%s[%d]", path, list, j), "%q is not host:port", clip(t))
			} else if e.reaches(host, port) != want {
				r.example(at, n.at, fmt.Sprintf("%s.%s[%d]", path, list, j), map[bool]string{true: "the rule does not allow this target", false: "the rule allows this target"}[want])
			}
		}
	}
	check("match", e.Match, true)
	check("not_match", e.NotMatch, false)
}

func splitTarget(t string) (string, int64, bool) {
	i := strings.LastIndexByte(t, ':')
	if i <= 0 {
		return "", 0, false
	}
	port, err := strconv.ParseInt(t[i+1:], 10, 32)
	return strings.Trim(t[:i], "[]"), port, err == nil && port > 0 && port < 65536
}

// reaches reports whether the rule allows a connection to a host's port.
func (e *egressRule) reaches(host string, port int64) bool {
	return hostCovers(e.Host, strings.TrimSuffix(strings.ToLower(host), ".")) && slices.Contains(e.Ports, port)
}

// hostCovers reports whether a rule's host stands for another one: *.suffix for each name
// below the suffix, and for *.longer.suffix.
func hostCovers(upper, lower string) bool {
	upper = strings.ToLower(upper)
	if suffix, ok := strings.CutPrefix(upper, "*"); ok {
		return strings.HasSuffix(lower, suffix) && len(lower) > len(suffix)
	}
	return upper == strings.ToLower(lower)
}

func hostProblem(host string) string {
	if _, err := netip.ParsePrefix(host); err == nil {
		return ""
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	name := strings.TrimPrefix(host, "*.")
	if len(name) > 253 || name == "" {
		return "a host has 1 to 253 characters"
	}
	for label := range strings.SplitSeq(strings.ToLower(name), ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return fmt.Sprintf("%q is not a host: write a name such as api.example.com, or *.example.com for all names below", clip(host))
		}
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return fmt.Sprintf("%q looks like an address and is none: write four decimal numbers", clip(host))
	}
	return ""
}

// within reports whether a rule allows no more than an upper one.
func (e *egressRule) within(u *egressRule) bool {
	subset := func(part, whole []string, same func(u, l string) bool) bool {
		if whole == nil {
			return true
		}
		return part != nil && !slices.ContainsFunc(part, func(l string) bool {
			return !slices.ContainsFunc(whole, func(u string) bool { return same(u, l) })
		})
	}
	equal := func(a, b string) bool { return a == b }
	return hostCovers(u.Host, e.Host) &&
		!slices.ContainsFunc(e.Ports, func(p int64) bool { return !slices.Contains(u.Ports, p) }) &&
		(!e.Private || u.Private) && (e.Address == u.Address) &&
		subset(e.Methods, u.Methods, equal) && subset(e.Paths, u.Paths, covers) &&
		(e.OpenTLS || !u.OpenTLS) && (e.Secret == "" || e.Secret == u.Secret) &&
		(u.Expires == "" || e.Expires != "" && !expiry(e.Expires).After(expiry(u.Expires)))
}

// checkEgressLayers reports rules that no rule of the nearest layer above with an egress
// list covers. A policy without a list allows nothing, so the first list is the widest.
func (p *Policy) checkEgressLayers(l *layer, depth int) (faults Faults) {
	if l.doc.Egress == nil {
		return nil
	}
	for i := depth - 1; i >= 0; i-- {
		u := p.layers[i]
		if u.doc.Egress == nil {
			continue
		}
		other := u.root.get("egress").at
		for j := range l.doc.Egress {
			e := &l.doc.Egress[j]
			if !slices.ContainsFunc(u.doc.Egress, func(r egressRule) bool { return e.within(&r) }) {
				faults = append(faults, Fault{Class: ClassWidens, At: l.entry("egress", j).at, Other: &other, Field: fmt.Sprintf("egress[%d]", j),
					Message: fmt.Sprintf("no egress rule of the %s layer covers %s: narrow the rule or remove it", u.source.Layer, clip(e.Host))})
			}
		}
		return faults
	}
	// An operator that has a file and lists no host allows none.
	for i := range depth {
		if p.layers[i].source.Layer != l.source.Layer && len(l.doc.Egress) > 0 {
			other := p.layers[i].root.at
			return append(faults, Fault{Class: ClassWidens, At: l.root.get("egress").at, Other: &other, Field: "egress",
				Message: fmt.Sprintf("the %s layer allows no egress: remove the list", p.layers[i].source.Layer)})
		}
	}
	return nil
}

// checkSecretLayers reports secrets that no layer above has: a tenant's file must not name
// the operator's variables and files.
func (p *Policy) checkSecretLayers(l *layer, depth int) (faults Faults) {
	for i, s := range l.doc.Secrets {
		for _, u := range p.layers[:depth] {
			if u.source.Layer == l.source.Layer || slices.ContainsFunc(u.doc.Secrets, func(o secretRule) bool {
				return o.Name == s.Name && o.FromEnv == s.FromEnv && o.File == s.File &&
					(o.Expires == "" || s.Expires != "" && !expiry(s.Expires).After(expiry(o.Expires)))
			}) {
				continue
			}
			other := u.at("secrets")
			faults = append(faults, Fault{Class: ClassWidens, At: l.entry("secrets", i).at, Other: &other, Field: fmt.Sprintf("secrets[%d]", i),
				Message: fmt.Sprintf("the %s layer has no such secret with this source: remove it", u.source.Layer)})
			break
		}
	}
	return faults
}

// expiry returns the time of a date that the schema has checked.
func expiry(d date) time.Time {
	t, _ := parseDate(string(d))
	return t
}
