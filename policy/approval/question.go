package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// Rule is a rule that asks, as a grant names it.
type Rule struct {
	// Rule and Where are those of the [glovebox.Denial]. Target is what the rule asks
	// about; empty in a grant for any Job.
	Rule   string `json:"rule"`
	Where  string `json:"where,omitempty"`
	Target string `json:"target,omitempty"`
	// SHA256 covers the policy and the denial; for any Job, the policy, the rule's name
	// and its place.
	SHA256 string `json:"sha256"`
}

// subject is what a grant must fit.
type subject struct {
	job, program  string // digests
	tenant, image string
	policy        string
	asked         []glovebox.Denial
}

// subject checks a question and returns what it is about.
func (q *Question) subject() (subject, error) {
	var none subject
	switch {
	case q.Job == nil:
		return none, fmt.Errorf("the question has no job")
	case q.Job.Command == nil && q.Program == nil:
		return none, fmt.Errorf("the question has neither a program nor a command")
	case len(q.Asked) == 0 || len(q.Asked) > maxAsked:
		return none, fmt.Errorf("%d rules ask: want 1 to %d", len(q.Asked), maxAsked)
	case q.Policy == "":
		return none, fmt.Errorf("the question names no policy")
	case q.TTL < 0 || q.TTL > maxTTL:
		return none, fmt.Errorf("a request cannot live for %v: want 0 to %v", q.TTL, maxTTL)
	case q.GrantLife < 0:
		return none, fmt.Errorf("a grant cannot live for %v", q.GrantLife)
	case len(q.Approvers) > maxApprovers:
		return none, fmt.Errorf("%d patterns of approvers: at most %d", len(q.Approvers), maxApprovers)
	}
	for _, text := range []struct{ what, value string }{{"policy", q.Policy}, {"tenant", q.Job.Tenant}, {"image", q.Job.Image}} {
		if err := plain(text.what, text.value); err != nil {
			return none, err
		}
	}
	for _, pattern := range q.Approvers {
		if err := plain("pattern of approvers", pattern); err != nil {
			return none, err
		}
	}
	for _, d := range q.Asked {
		if !d.Ask {
			return none, fmt.Errorf("rule %q refuses the job, and a person cannot allow that", d.Rule)
		}
	}
	s := subject{job: q.Job.Digest(), tenant: q.Job.Tenant, image: q.Job.Image, policy: q.Policy, asked: q.Asked}
	if q.Job.Command == nil {
		s.program = (&glovebox.Job{Program: q.Program}).Digest()
	}
	return s, nil
}

// rules lists the rules that ask, in their order and each one once.
func (s *subject) rules(scope Scope) []Rule {
	var rules []Rule
	seen := map[string]bool{}
	for _, d := range s.asked {
		r := ruleOf(s.policy, d, scope)
		if !seen[r.SHA256] {
			seen[r.SHA256] = true
			rules = append(rules, r)
		}
	}
	return rules
}

func ruleOf(policy string, d glovebox.Denial, scope Scope) Rule {
	r := Rule{Rule: valid(d.Rule), Where: valid(d.Where)}
	if scope == ScopeRule {
		r.SHA256 = digest("glovebox approval rule 1", policy, d.Rule, d.Where)
		return r
	}
	r.Target = valid(d.Asked)
	r.SHA256 = digest("glovebox approval target 1", policy, d.Rule, d.Where, d.Asked, d.Message, d.AllowWith)
	return r
}

// key is the same for questions that have one request.
func (s *subject) key() string {
	parts := []string{"glovebox approval question 1", s.tenant, s.image, s.job, s.program, s.policy}
	for _, r := range s.rules(ScopeJob) {
		parts = append(parts, r.SHA256)
	}
	return digest(parts...)
}

// ruleNames are the names of the first rules, for a list.
func (s *subject) ruleNames() []string {
	names := []string{}
	for _, d := range s.asked {
		name := shown(d.Rule)
		if !slices.Contains(names, name) && len(names) < maxRuleNames {
			names = append(names, name)
		}
	}
	return names
}

// digest hashes texts so that no two lists of them give the same bytes.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_ = binary.Write(h, binary.BigEndian, int64(len(p))) // a hash never fails
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// plain refuses text with invisible parts: other bytes could look the same.
func plain(what, text string) error {
	switch {
	case len(text) > maxText:
		return fmt.Errorf("the %s has %d bytes: at most %d", what, len(text), maxText)
	case !utf8.ValidString(text):
		return fmt.Errorf("the %s %q is not UTF-8", what, text)
	case strings.ContainsFunc(text, hidden):
		return fmt.Errorf("the %s %+q has characters that cannot be seen", what, text)
	}
	return nil
}

// hidden reports whether a rune has no shape of its own or changes that of others.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// valid makes text fit for JSON.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// shown makes text fit for a list: bounded, and nothing hidden in it.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if hidden(r) {
			return '\ufffd'
		}
		return r
	}, valid(text))
	if len(text) > maxText/4 {
		text = strings.ToValidUTF8(text[:maxText/4], "") + "..."
	}
	return text
}

// matches reports whether a pattern matches a text; a star stands for any characters.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}
