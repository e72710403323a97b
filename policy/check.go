package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/gloveboxhq/glovebox"
)

// Host is what [Check] knows of the place where a policy will be in force. A nil list
// means unknown: what depends on the list is not checked.
type Host struct {
	// Tiers are the host's proven tiers.
	Tiers []glovebox.TierName
	// Languages are the names of this build's languages.
	Languages []string
	// FindingRules are the names of the inspection's rules.
	FindingRules []string
	// NoKey means that there is no key to sign audit checkpoints and receipts.
	NoKey bool
	// Now is the time for what expires; zero means the clock.
	Now time.Time
}

// Check returns the faults of a policy that loads, but has rules that can never fire,
// that contradict each other or that this host cannot enforce.
func Check(p *Policy, h Host) Faults {
	if p == nil {
		return nil
	}
	if h.Now.IsZero() {
		h.Now = time.Now()
	}
	c := &inspector{p: p, h: h}
	c.words()
	c.images()
	for _, l := range p.layers {
		c.egress(l)
	}
	c.secrets()
	c.findings()
	c.conditions()
	return c.faults.sorted()
}

type inspector struct {
	p      *Policy
	h      Host
	faults Faults
}

func (c *inspector) add(class Class, at Place, other *Place, path, format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, Fault{Class: class, At: at, Other: other, Field: path, Message: fmt.Sprintf(format, args...)})
	}
}

// words checks the fields with one value for each layer.
func (c *inspector) words() {
	each := func(path string, do func(i int, entry string, at Place)) {
		if v := c.p.effective[path]; v != nil {
			for i, entry := range v.list {
				do(i, entry, v.places[i])
			}
		}
	}
	if c.h.Tiers != nil {
		each("tiers.allow", func(_ int, entry string, at Place) {
			if !slices.Contains(c.h.Tiers, glovebox.TierName(entry)) {
				c.add(ClassTierUnproven, at, nil, "tiers.allow", "this host cannot prove the tier %s: see glovebox doctor, or remove the tier", entry)
			}
		})
	}
	if c.h.Languages != nil {
		each("languages", func(_ int, entry string, at Place) {
			if !slices.Contains(c.h.Languages, entry) {
				c.add(ClassUnknownLanguage, at, nil, "languages", "this build does not know the language %q%s", clip(entry), near(entry, c.h.Languages))
			}
		})
	}
	each("env.allow", func(_ int, entry string, at Place) {
		each("env.deny", func(_ int, no string, other Place) {
			if covers(no, entry) {
				c.add(ClassEnvRefused, at, &other, "env.allow", "%q can never be used: %q refuses it; remove one", clip(entry), clip(no))
			}
		})
	})
	each("tiers.needs", func(_ int, entry string, at Place) {
		if entry == string(glovebox.NeedNetwork) {
			c.add(ClassNotEnforceable, at, nil, "tiers.needs", "this build has no egress door, so every job is refused: remove network")
		}
	})
	for _, path := range []string{"tiers.allow", "languages"} {
		if v := c.p.effective[path]; v != nil && len(v.list) == 0 {
			c.add(ClassContradiction, v.at, nil, path, "the list is empty, so no program is admitted: name at least one")
		}
	}
	above := func(path, limit string) {
		v, most := c.p.effective[path], c.p.effective[limit]
		if v != nil && most != nil && v.at.Line > 0 && v.number > most.number {
			c.add(ClassAboveMax, v.at, &most.at, path, "%s can never be reached: %s is %s; write at most %s", v.show(), limit, most.show(), most.show())
		}
	}
	above("limits.default.output", "output.max_bytes")
	above("limits.max.output", "output.max_bytes")
	above("sessions.max_idle", "sessions.max_life")
	if v := c.p.effective["images.require_signature"]; v != nil && v.rank > 0 {
		c.add(ClassNotEnforceable, v.at, nil, "images.require_signature", "this build cannot verify signatures, so every image is refused: use require_digest")
	}
	if c.h.NoKey {
		for _, path := range []string{"receipts", "audit"} {
			if v := c.p.effective[path]; v != nil && v.text == string(LevelRequired) {
				c.add(ClassNoAuditKey, v.at, nil, path, "there is no key to sign with, so every job is refused: make a key with glovebox audit")
			}
		}
	}
}

func (c *inspector) images() {
	allow, deny := c.p.effective["images.allow"], c.p.effective["images.deny"]
	for i := range listOf(allow) {
		entry, at := allow.list[i], allow.places[i]
		if problem := imageProblem(entry); problem != "" {
			c.add(ClassImpossibleImage, at, nil, "images.allow", "%q can match no image: %s", clip(entry), problem)
			continue
		}
		if v := c.p.effective["images.require_digest"]; v != nil && v.rank > 0 && !strings.ContainsAny(entry, "*@") {
			c.add(ClassImpossibleImage, at, &v.at, "images.allow", "%q can match no image by digest, and require_digest wants one: write %s@sha256:… or a star", clip(entry), clip(entry))
		}
		for j := range listOf(deny) {
			no := deny.list[j]
			hit := covers(no, entry)
			if !hit && !strings.Contains(entry, "*") {
				hit = slices.ContainsFunc(refusedForms(entry), func(s string) bool { return matches(no, s) })
			}
			if hit {
				c.add(ClassContradiction, at, &deny.places[j], "images.allow", "%q is allowed and refused by %q: remove one", clip(entry), clip(no))
			}
		}
	}
}

func listOf(v *value) []string {
	if v == nil {
		return nil
	}
	return v.list
}

// imageProblem says why a pattern matches no name of an image.
func imageProblem(p string) string {
	name, digest, has := strings.Cut(p, "@")
	if strings.ContainsAny(p, " \t\n\"'{}[]\\,;|&$<>?!") {
		return "a name has none of these characters"
	}
	if has && !strings.Contains(digest, "*") && !hasDigest(p) {
		return "a digest is sha256: and 64 digits of 0-9a-f"
	}
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name = name[:i]
	}
	if host, rest, ok := strings.Cut(name, "/"); ok && strings.ContainsAny(host, ".:") {
		name = rest
	}
	if strings.ToLower(name) != name {
		return "names are in lower case"
	}
	if name == "" || strings.Contains(name, "//") || strings.HasSuffix(name, "/") {
		return "a part of the name is empty"
	}
	return ""
}

// refusedRanges are networks that no rule can open, and openable those that private opens.
var (
	refusedRanges = prefixes("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4", "100.100.100.200/32", "168.63.129.16/32", "::/128", "fe80::/10", "fec0::/10", "ff00::/8", "2001:db8::/32",
		"fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::ffff:0:0/96")
	privateRanges = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)

func prefixes(texts ...string) func() []netip.Prefix {
	return func() []netip.Prefix {
		all := make([]netip.Prefix, len(texts))
		for i, t := range texts {
			all[i] = netip.MustParsePrefix(t)
		}
		return all
	}
}

// networkProblem says why connections to a network are refused.
func networkProblem(n netip.Prefix, private bool) string {
	inside := func(r netip.Prefix) bool { return r.Bits() <= n.Bits() && r.Contains(n.Addr()) }
	if slices.ContainsFunc(refusedRanges(), inside) {
		return "is inside a range that is always refused (link-local, metadata, multicast, reserved or an embedded IPv4 address): remove the rule"
	}
	if !private && slices.ContainsFunc(privateRanges(), inside) {
		return "is private or loopback, which is refused: add private: true or remove the rule"
	}
	return ""
}

func (c *inspector) egress(l *layer) {
	for i := range l.doc.Egress {
		e := &l.doc.Egress[i]
		n := l.entry("egress", i)
		path := fmt.Sprintf("egress[%d]", i)
		for _, key := range []string{"host", "address"} {
			text := map[string]string{"host": e.Host, "address": e.Address}[key]
			network, err := netip.ParsePrefix(text)
			if err != nil {
				a, err := netip.ParseAddr(text)
				if err != nil {
					continue
				}
				network = netip.PrefixFrom(a.WithZone(""), a.BitLen())
			}
			if problem := networkProblem(network, e.Private); problem != "" {
				c.add(ClassRefusedNetwork, n.get(key).at, nil, path+"."+key, "%s %s", text, problem)
			}
		}
		name := strings.ToLower(e.Host)
		if name == "metadata.google.internal" || !e.Private && (name == "localhost" || strings.HasSuffix(name, ".localhost")) {
			c.add(ClassRefusedNetwork, n.get("host").at, nil, path+".host", "%s stands for an address that is refused: remove the rule", name)
		}
		if suffix, ok := strings.CutPrefix(name, "*."); ok {
			if public, _ := publicsuffix.PublicSuffix(suffix); public == suffix {
				c.add(ClassWildcardTLD, n.get("host").at, nil, path+".host", "%s holds names that anybody can register: name the domain, such as *.example.%s", name, suffix)
			}
		}
		if len(e.Ports) == 0 {
			c.add(ClassNoPort, n.at, nil, path, "%s has no port, so the rule allows nothing: write ports: [443]", clip(e.Host))
		}
		for j := range i {
			o := &l.doc.Egress[j]
			if e.within(o) || o.within(e) {
				other := l.entry("egress", j).at
				c.add(ClassDuplicateEgress, n.at, &other, path, "%s overlaps with %s: keep the wider rule", clip(e.Host), clip(o.Host))
				break
			}
		}
		if (e.Methods != nil || e.Paths != nil) && !e.OpenTLS && slices.Contains(e.Ports, 443) {
			c.add(ClassNotEnforceable, n.at, nil, path, "methods and paths cannot be seen inside TLS: add open_tls: true")
		}
		c.expired(e.Expires, n, path)
	}
}

func (c *inspector) expired(d date, n *node, path string) {
	if d != "" && !expiry(d).After(c.h.Now) {
		c.add(ClassExpired, n.get("expires").at, nil, path+".expires", "ended at %s: remove the rule or write a later date", d)
	}
}

func (c *inspector) secrets() {
	used, defined := map[string]bool{}, map[string]bool{}
	for _, l := range c.p.layers {
		for i, e := range l.doc.Egress {
			used[e.Secret] = true
			n := l.entry("egress", i)
			if e.Secret != "" && !e.OpenTLS && slices.Contains(e.Ports, 443) {
				c.add(ClassSecretInClearText, n.at, nil, fmt.Sprintf("egress[%d].secret", i), "a secret cannot be put into TLS that is not opened: add open_tls: true")
			}
		}
		for _, s := range l.doc.Secrets {
			defined[s.Name] = true
		}
	}
	for _, l := range c.p.layers {
		for i, e := range l.doc.Egress {
			if e.Secret != "" && !defined[e.Secret] {
				c.add(ClassUndefinedSecret, l.entry("egress", i).get("secret").at, nil, fmt.Sprintf("egress[%d].secret", i), "no entry of secrets has the name %q: add one", clip(e.Secret))
			}
		}
		for i, s := range l.doc.Secrets {
			n := l.entry("secrets", i)
			path := fmt.Sprintf("secrets[%d]", i)
			if !used[s.Name] {
				c.add(ClassSecretNoRule, n.at, nil, path, "no egress rule uses the secret %q: add secret: %s to a rule, or remove the secret", clip(s.Name), clip(s.Name))
			}
			switch {
			case s.FromEnv == "" && s.File == "":
				c.add(ClassSecretNoSource, n.at, nil, path, "the secret %q has no source: write from_env or from_file", clip(s.Name))
			case s.FromEnv != "" && s.File != "":
				other := n.get("from_file").at
				c.add(ClassContradiction, n.get("from_env").at, &other, path, "the secret %q has two sources: keep one", clip(s.Name))
			}
			c.expired(s.Expires, n, path)
		}
	}
}

// covers reports whether a rule fits each finding that another one fits.
func (r *findingRule) covers(o *findingRule) bool {
	if r.Rule != "" && (o.Rule == "" && strings.Trim(r.Rule, "*") != "" || o.Rule != "" && !covers(r.Rule, o.Rule)) {
		return false
	}
	return r.Severity == "" || o.Severity != "" && rankOf(severities, glovebox.Severity(o.Severity)) >= rankOf(severities, glovebox.Severity(r.Severity))
}

func (c *inspector) findings() {
	for depth, l := range c.p.layers {
		for i := range l.doc.Findings {
			r := &l.doc.Findings[i]
			n := l.entry("findings", i)
			path := fmt.Sprintf("findings[%d]", i)
			if r.Rule != "" && c.h.FindingRules != nil && !slices.ContainsFunc(c.h.FindingRules, func(name string) bool { return matches(r.Rule, name) }) {
				c.add(ClassUnknownFinding, n.get("rule").at, nil, path+".rule", "no rule of the inspection has a name like %q%s", clip(r.Rule), near(r.Rule, c.h.FindingRules))
			}
			c.shadowed(depth, i, r, n, path)
		}
	}
}

// shadowed reports a rule hidden by an earlier rule of the same layer, or by a stricter
// rule of a layer above.
func (c *inspector) shadowed(depth, index int, r *findingRule, n *node, path string) {
	l := c.p.layers[depth]
	for j := range index {
		if l.doc.Findings[j].covers(r) {
			other := l.entry("findings", j).at
			c.add(ClassShadowed, n.at, &other, path, "the rule never decides: an earlier one fits the same findings; reorder or remove it")
			return
		}
	}
	for _, u := range c.p.layers[:depth] {
		for j := range u.doc.Findings {
			o := &u.doc.Findings[j]
			overlaps := o.covers(r) || r.covers(o)
			if !o.covers(r) {
				if overlaps {
					return // an exception of the layer above: some findings differ
				}
				continue
			}
			other := u.entry("findings", j).at
			switch {
			case rankOf(actions, o.Action) <= rankOf(actions, r.Action):
			case r.Action == actionAsk:
				c.add(ClassAskDenied, n.at, &other, path, "a person is asked in vain: the %s layer refuses the same findings; remove the rule", u.source.Layer)
			default:
				c.add(ClassShadowed, n.at, &other, path, "the rule never decides: the %s layer is stricter for the same findings; remove the rule", u.source.Layer)
			}
			return
		}
	}
}

func (c *inspector) conditions() {
	for i, cond := range c.p.conditions {
		n := cond.layer.root.get("conditions")
		at := cond.at
		if value, is := cond.constant(); is {
			effect := map[bool]string{true: "every job", false: "no job"}[value]
			c.add(ClassConstant, at, nil, cond.rule.Name, "the expression is always %v and so applies to %s: look at the job in it", value, effect)
		}
		for k, rule := range cond.layer.doc.Conditions {
			if rule.Name == cond.rule.Name {
				c.expired(rule.Expires, n.items[k], "conditions."+rule.Name)
			}
		}
		for j, o := range c.p.conditions {
			if j == i || normal(o.text) != normal(cond.text) || len(o.rule.Except) > 0 {
				continue
			}
			switch {
			case cond.action == actionAsk && o.action == actionDeny:
				c.add(ClassAskDenied, at, &o.at, cond.rule.Name, "a person is asked in vain: %s refuses the same jobs; remove one", o.rule.Name)
			case j < i && cond.action == o.action:
				c.add(ClassShadowed, at, &o.at, cond.rule.Name, "%s decides on the same jobs already; remove one", o.rule.Name)
			}
		}
	}
}
