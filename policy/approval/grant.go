package approval

import (
	"fmt"
	"slices"
	"time"
)

// Grant is what a person signed: the right of one Job, or of the rules that asked, to run.
type Grant struct {
	// ID is random, so no two grants are the same bytes.
	ID string `json:"id"`
	// Store is the identity of the store; a copy of the folder has another.
	Store   string `json:"store"`
	Request string `json:"request"`
	// Job and Program are the digests of the Job that asked and of the code that runs.
	Job     string `json:"job_sha256"`
	Program string `json:"program_sha256,omitempty"`
	// Policy is the hash of the policy that asked; Rules are the rules that may ask.
	Policy string `json:"policy_hash"`
	Rules  []Rule `json:"rules"`
	// Scope says what may run: the Job, or any Job of Tenant and Image.
	Scope  Scope  `json:"scope"`
	Tenant string `json:"tenant"`
	Image  string `json:"image"`
	// Uses is 1, or 0 for any number of runs until Expires.
	Uses     int       `json:"uses"`
	Granted  time.Time `json:"granted"`
	Expires  time.Time `json:"expires"`
	Approver string    `json:"approver"`
	Reason   string    `json:"reason,omitempty"`
}

const maxGrant = 4 << 20 // bytes of the file

// grant makes the grant of an open request, within what the policy allowed when it asked.
func (c *change) grant(e *entry, content *content, o GrantOptions) (Grant, error) {
	var none Grant
	if content.Approvers != nil && !slices.ContainsFunc(content.Approvers, func(p string) bool { return matches(p, o.Approver) }) {
		return none, fmt.Errorf("%w: %s is none of its approvers: %q", ErrRefused, o.Approver, content.Approvers)
	}
	if content.Once && o.Many {
		return none, fmt.Errorf("%w: grants are for one run", ErrRefused)
	}
	lives, err := life(o.For, content.GrantLife)
	if err != nil {
		return none, err
	}
	about := subject{policy: e.Policy, asked: content.Asked}
	if o.Scope == ScopeRule {
		for _, d := range content.Asked {
			// A rule without a place, such as "and more", is not known well enough.
			if d.Where == "" || d.Asked == "more" {
				return none, fmt.Errorf("%w: rule %q has no line in a file, so it can be granted for this job only", ErrRefused, shown(d.Rule))
			}
		}
	}
	g := Grant{
		ID: "grant_" + randomHex(16), Store: c.state.Store, Request: e.ID, Job: e.Job, Program: e.Program,
		Policy: e.Policy, Rules: about.rules(o.Scope), Scope: o.Scope, Tenant: e.Tenant, Image: e.Image,
		Uses: 1, Granted: c.now, Expires: c.now.Add(lives), Approver: o.Approver, Reason: o.Reason,
	}
	if o.Many {
		g.Uses = 0
	}
	return g, nil
}

// capability reads the grant of a granted request and verifies that it covers a subject:
// signature, store, job, policy, time and each rule.
func (c *change) capability(e *entry, about subject) (Grant, error) {
	name := c.path(e.ID, grantEnding)
	data, err := readFile(name, maxGrant)
	if err != nil {
		return Grant{}, err
	}
	var g Grant
	if sum(data) != e.Capability {
		return Grant{}, fmt.Errorf("%s is not the grant of request %s", name, e.ID)
	}
	if _, err := unseal(data, grantType, c.o.Trusted, &g); err != nil {
		return Grant{}, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case g.ID != e.Grant || g.Request != e.ID || g.Scope != e.Scope || (g.Uses == 1) != e.Single || !g.Expires.Equal(e.Until):
		return Grant{}, fmt.Errorf("%s is not what request %s says", name, e.ID)
	case g.Store != c.state.Store:
		return Grant{}, fmt.Errorf("%s is of another folder", name)
	case g.Policy != about.policy || g.Tenant != about.tenant || g.Image != about.image:
		return Grant{}, fmt.Errorf("%s is for another policy, tenant or image", name)
	case g.Scope != ScopeRule && (g.Job != about.job || g.Program != about.program):
		return Grant{}, fmt.Errorf("%s is for another job", name)
	case !c.now.Before(g.Expires):
		return Grant{}, fmt.Errorf("%s ended at %s", name, g.Expires.Format(time.RFC3339))
	}
	for _, r := range about.rules(g.Scope) {
		if !slices.ContainsFunc(g.Rules, func(of Rule) bool { return of.SHA256 == r.SHA256 }) {
			return Grant{}, fmt.Errorf("%s does not cover rule %q, which asks now", name, shown(r.Rule))
		}
	}
	return g, nil
}
