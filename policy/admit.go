package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// maxDenials bounds the denials of a Decision. A longer list ends with an entry for the rest.
const maxDenials = 256

// Decision is what a policy says to a Request.
type Decision struct {
	// Policy is the name and hash of what decided.
	Policy glovebox.Policy
	// Denials are all rules that refuse. Asks are all that a person may allow; they
	// have Ask set. A Job with a Denial is refused, whatever is asked.
	Denials []glovebox.Denial
	Asks    []glovebox.Denial
	// Limits are those of the run, each field filled in.
	Limits glovebox.Limits
	// Tier is the tier to ask for: the Job's, or the only one allowed. Tiers are those
	// that the Job may run in, best first; nil means any.
	Tier  glovebox.TierName
	Tiers []glovebox.TierName
	// Needs are needs of the policy, beside the Job's.
	Needs []glovebox.Need
	// RequireProof is the weakest proof that makes a pass, of the policy and the Job.
	RequireProof glovebox.Proof
	// Withhold means that artifacts with a secret are left out.
	Withhold bool
	// ArtifactFiles and ArtifactBytes bound the artifacts; below 0 means no bound.
	ArtifactFiles int64
	ArtifactBytes int64
	// Audit and Receipts say whether the run must be recorded.
	Audit    Level
	Receipts Level
	// RequestLife and GrantLife are how long a request and a grant live; 0 means that
	// the policy does not say. Approvers are patterns of who may approve; nil means
	// anybody. Once means that a grant is for one run.
	RequestLife time.Duration
	GrantLife   time.Duration
	Approvers   []string
	Once        bool
}

// Status returns [glovebox.StatusDenied], [glovebox.StatusApprovalRequired], or an empty
// status for a Job that is admitted.
func (d *Decision) Status() glovebox.Status {
	switch {
	case len(d.Denials) > 0:
		return glovebox.StatusDenied
	case len(d.Asks) > 0:
		return glovebox.StatusApprovalRequired
	}
	return ""
}

// builtIn is the policy of no file.
var builtIn = sync.OnceValue(func() *Policy {
	p := &Policy{effective: map[string]*value{}}
	p.resolve()
	p.hash = p.digest()
	return p
})

// Admit decides on a Request. The nil Policy refuses only what no policy can allow.
func (p *Policy) Admit(r Request) Decision {
	if r.Job == nil {
		return Decision{Policy: p.Ref(), Denials: []glovebox.Denial{{Rule: "job", Asked: "nothing", Message: "The request has no job."}}}
	}
	return p.admit(r.facts())
}

func (p *Policy) admit(f *facts) Decision {
	ref := p.Ref()
	if p == nil {
		p = builtIn()
	}
	d := Decision{Policy: ref}
	a := &admission{p: p, f: f, d: &d}
	a.limits()
	a.place()
	a.program()
	a.data()
	a.doors()
	a.budgets()
	a.findings()
	a.conditions()
	return d
}

// admission is one decision under way.
type admission struct {
	p *Policy
	f *facts
	d *Decision
}

// refuse adds a denial, or with ask a question.
func (a *admission) refuse(d glovebox.Denial) {
	to := &a.d.Denials
	if d.Ask {
		to = &a.d.Asks
	}
	d.Asked = clean(d.Asked)
	switch len(*to) {
	case maxDenials:
	case maxDenials - 1:
		*to = append(*to, glovebox.Denial{Rule: d.Rule, Where: d.Where, Asked: "more", Ask: d.Ask, Message: fmt.Sprintf("More than %d rules are against this job: only the first are shown.", maxDenials)})
	default:
		*to = append(*to, d)
	}
}

// clean bounds hostile text in a denial, and leaves out what a terminal would obey.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff {
			return '\ufffd'
		}
		return r
	}, text)
	if len(text) > 300 {
		return strings.ToValidUTF8(text[:300], "") + "…"
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// where returns a place for a denial; the built-in limits have none.
func where(at Place) string {
	if at.Line == 0 {
		return ""
	}
	return at.String()
}

func (a *admission) limits() {
	p := a.p
	asked := a.f.limits
	for i, n := range limitNames {
		got := *limitFields(&asked)[i]
		a.atMost("limits.max."+n, "limits."+n, got)
		if i == indexOutput {
			a.atMost("output.max_bytes", "limits."+n, got)
		}
	}
	a.d.Limits = p.bounds.fill(asked)
}

// atMost refuses a number above a ceiling, or below 0.
func (a *admission) atMost(rule, name string, got int64) {
	v := a.p.effective[rule]
	if v == nil || got >= 0 && got <= v.number {
		return
	}
	format := v.field.format
	d := glovebox.Denial{Rule: rule, Where: where(v.at), Asked: name + ": " + format(got),
		Message: fmt.Sprintf("The job asks for %s %s, and the most is %s.", name, format(got), format(v.number))}
	if got >= 0 && v.at.Line > 0 {
		d.AllowWith = a.p.change(func(l *layer) string {
			if own := l.values[rule]; own == nil || own.number >= got {
				return ""
			}
			return nested(rule, format(got))
		}, rule, got)
	}
	a.refuse(d)
}

// listed refuses a name that a list does not have.
func (a *admission) listed(rule, asked, name string, spellings []string, byCode bool) {
	v := a.p.effective[rule]
	if v == nil || v.permits(spellings) {
		return
	}
	d := glovebox.Denial{Rule: rule, Where: where(v.at), Asked: asked, ByCode: byCode,
		Message: fmt.Sprintf("The policy does not allow %s; %s are %s.", clean(asked), rule, clip(flowList(v.list)))}
	// A name with a star would be a pattern in the file.
	if printable(name) && !(v.field.wild() && strings.Contains(name, "*")) && a.f.listable(rule, name) {
		d.AllowWith = a.p.change(func(l *layer) string {
			own := l.values[rule]
			if own == nil || own.permits(spellings) {
				return ""
			}
			return nested(rule, flowList(append(slices.Clone(own.list), name)))
		}, rule, 0)
	}
	a.refuse(d)
}

// listable reports whether the file may have a name in a list.
func (f *facts) listable(rule, name string) bool {
	switch rule {
	case "tiers.allow":
		return slices.Contains(namedTiers, glovebox.TierName(name))
	case "inputs.types":
		return pattern(`^[A-Za-z0-9_+-]{1,16}$`).MatchString(name)
	}
	return len(name) <= maxText
}

// permits reports whether a list has one of the spellings of a name.
func (v *value) permits(spellings []string) bool {
	return slices.ContainsFunc(spellings, func(s string) bool {
		if v.field.wild() {
			return matchesAny(v.list, s)
		}
		return slices.Contains(v.list, s)
	})
}

// unlisted refuses names that entries of a list of refused ones fit: one denial for each
// entry.
func (a *admission) unlisted(rule string, fits func(entry string) (asked string)) {
	for _, l := range a.p.layers {
		own := l.values[rule]
		if own == nil {
			continue
		}
		for i, entry := range own.list {
			asked := fits(entry)
			if asked == "" {
				continue
			}
			a.refuse(glovebox.Denial{Rule: rule, Where: where(own.places[i]), Asked: asked,
				Message:   fmt.Sprintf("The policy refuses %s by %q.", clean(asked), entry),
				AllowWith: a.p.changeOf(l, nested(rule, flowList(slices.DeleteFunc(slices.Clone(own.list), func(e string) bool { return e == entry }))))})
		}
	}
}

// flag refuses where a word is in force.
func (a *admission) flag(rule, asked, message string) {
	v := a.p.effective[rule]
	if v == nil || v.rank == 0 {
		return
	}
	a.refuse(glovebox.Denial{Rule: rule, Where: where(v.at), Asked: asked, Message: message,
		AllowWith: a.p.change(func(l *layer) string {
			if own := l.values[rule]; own == nil || own.rank == 0 {
				return ""
			}
			return nested(rule, v.field.order[0])
		}, rule, 0)})
}

// place decides on tier, needs and image.
func (a *admission) place() {
	p, f, d := a.p, a.f, a.d
	d.Tier = f.tier
	if d.Tier == "" {
		d.Tier = glovebox.TierAuto
	}
	allow := p.effective["tiers.allow"]
	if d.Tier == glovebox.TierAuto {
		if allow != nil {
			for _, t := range allow.list {
				if f.host == nil || slices.Contains(f.host, glovebox.TierName(t)) {
					d.Tiers = append(d.Tiers, glovebox.TierName(t))
				}
			}
			if len(d.Tiers) == 0 {
				d.Tiers = []glovebox.TierName{}
				a.refuse(glovebox.Denial{Rule: "tiers.allow", Where: where(allow.at), Asked: "tier: auto",
					Message: fmt.Sprintf("The policy allows the tiers %s, and this host can give %s.", flowList(allow.list), flowList(texts(f.host)))})
			}
		}
	} else {
		a.listed("tiers.allow", "tier: "+string(d.Tier), string(d.Tier), []string{string(d.Tier)}, false)
		d.Tiers = []glovebox.TierName{d.Tier}
	}
	if len(d.Tiers) == 1 {
		d.Tier = d.Tiers[0]
	}
	if v := p.effective["tiers.needs"]; v != nil {
		for _, n := range v.list {
			if !slices.Contains(d.Needs, glovebox.Need(n)) {
				d.Needs = append(d.Needs, glovebox.Need(n))
			}
		}
	}
	a.unlisted("tiers.needs", func(need string) string {
		if need == string(glovebox.NeedNetwork) {
			return "a network for each job, which this build cannot give: there is no egress door"
		}
		return ""
	})
	if f.image == "" {
		a.flag("images.required", "image: none", "The policy wants an image, and the job names none.")
		return
	}
	a.listed("images.allow", "image: "+f.image, f.image, imageForms(f.image), false)
	forms := refusedForms(f.image)
	a.unlisted("images.deny", func(entry string) string {
		if slices.ContainsFunc(forms, func(s string) bool { return matches(entry, s) }) {
			return "image: " + f.image
		}
		return ""
	})
	if !hasDigest(f.image) {
		a.flag("images.require_digest", "image: "+f.image, "The policy wants images by digest, such as python@sha256:….")
	}
	a.flag("images.require_signature", "image: "+f.image, "The policy wants signed images, and this build cannot verify signatures.")
}

// program decides on what runs: a language or a command, and the proof.
func (a *admission) program() {
	p, f, d := a.p, a.f, a.d
	if len(f.command) == 0 {
		asked := "language: " + f.language
		if f.language == "" {
			asked = "language: unknown"
		}
		a.listed("languages", asked, f.language, []string{f.language}, true)
	} else if v := p.effective["commands"]; v != nil && v.rank > 0 {
		n := glovebox.Denial{Rule: "commands", Where: where(v.at), Asked: "command: " + f.command[0], Ask: v.rank == rankOf(actions, actionAsk),
			Message: "The policy refuses bare commands.",
			AllowWith: p.change(func(l *layer) string {
				if own := l.values["commands"]; own == nil || own.rank == 0 {
					return ""
				}
				return nested("commands", string(actionAllow))
			}, "commands", 0)}
		if v.implied {
			n.Message = "The policy lists languages, so bare commands are refused."
		}
		if n.Ask {
			n.Message = "A person must approve bare commands."
		}
		a.refuse(n)
	}
	d.RequireProof = f.proof
	if v := p.effective["proof"]; v != nil {
		want := glovebox.Proof(v.text)
		switch {
		case f.proof == glovebox.ProofNone:
			d.RequireProof = want
		case !f.proof.Meets(want):
			a.refuse(glovebox.Denial{Rule: "proof", Where: where(v.at), Asked: "require_proof: " + string(f.proof),
				Message:   fmt.Sprintf("The job is content with the proof %s, and the policy wants %s.", clean(string(f.proof)), want),
				AllowWith: a.proofChange()})
		}
	}
}

func (a *admission) proofChange() string {
	if f := a.f.proof; !slices.Contains(proofOrder, string(f)) {
		return ""
	}
	return a.p.change(func(l *layer) string {
		if own := l.values["proof"]; own == nil || a.f.proof.Meets(glovebox.Proof(own.text)) {
			return ""
		}
		return nested("proof", string(a.f.proof))
	}, "proof", 0)
}

// data decides on the environment and the inputs.
func (a *admission) data() {
	f := a.f
	for _, name := range f.env {
		a.listed("env.allow", "env: "+name, name, []string{name}, false)
	}
	a.unlisted("env.deny", func(entry string) string {
		var names []string
		for _, name := range f.env {
			if matches(entry, name) {
				names = append(names, name)
			}
		}
		if names == nil {
			return ""
		}
		return "env: " + strings.Join(names[:min(len(names), 10)], ", ")
	})
	a.atMost("inputs.max_files", "number of inputs", int64(len(f.inputs)))
	var total int64
	kinds := map[string]bool{}
	for _, file := range f.inputs {
		if total += file.size; total < 0 {
			total = 1<<63 - 1
		}
		if a.p.effective["inputs.types"] == nil {
			continue
		}
		ending := strings.ToLower(strings.TrimPrefix(path.Ext(file.path), "."))
		if !kinds[ending] && len(kinds) <= maxDenials {
			kinds[ending] = true
			a.inputType(file.path, ending)
		}
	}
	a.atMost("inputs.max_bytes", "bytes of inputs", total)
}

func (a *admission) inputType(file, ending string) {
	v := a.p.effective["inputs.types"]
	for _, t := range v.list {
		if strings.EqualFold(t, ending) {
			return
		}
	}
	asked := "input: " + file
	spellings := []string{ending}
	for _, l := range a.p.layers {
		if own := l.values["inputs.types"]; own != nil {
			for _, t := range own.list {
				if strings.EqualFold(t, ending) {
					spellings = append(spellings, t) // as this layer writes it
				}
			}
		}
	}
	name := spellings[len(spellings)-1]
	a.listed("inputs.types", asked, name, spellings, false)
}

// doors refuses what needs a way out that this build does not have.
func (a *admission) doors() {
	at := func(section string) string {
		for i := len(a.p.layers) - 1; i >= 0; i-- {
			if n := a.p.layers[i].root.get(section); n != nil {
				return where(n.at)
			}
		}
		return ""
	}
	no := func(rule, asked, message string) {
		a.refuse(glovebox.Denial{Rule: rule, Where: at(rule), Asked: asked, Message: message})
	}
	if slices.Contains(a.f.needs, glovebox.NeedNetwork) {
		no("egress", "needs: network", "There is no egress door in this build: no job has a network.")
	}
	if len(a.f.packages) > 0 {
		no("packages", "packages: "+strings.Join(a.f.packages[:min(len(a.f.packages), 10)], ", "), "There is no package door in this build: no job installs packages. Use an image that has them.")
	}
	if len(a.f.secrets) > 0 {
		no("secrets", "secrets: "+strings.Join(a.f.secrets[:min(len(a.f.secrets), 10)], ", "), "There is no secret broker in this build: no job uses a secret.")
	}
	if a.f.session != 0 {
		no("sessions", "session: "+a.f.session.String(), "There are no sessions in this build: each job has a box of its own.")
	}
}

// budgets fills in what bounds and records the run.
func (a *admission) budgets() {
	p, d := a.p, a.d
	a.loop(a.f.attempts, a.f.tokens, a.f.cost)
	d.ArtifactFiles, d.ArtifactBytes = p.number("artifacts.max_files"), p.number("artifacts.max_bytes")
	d.RequestLife = time.Duration(max(p.number("approvals.request_life"), 0))
	d.GrantLife = time.Duration(max(p.number("approvals.grant_life"), 0))
	if v := p.effective["approvals.approvers"]; v != nil {
		d.Approvers = append([]string{}, v.list...)
	}
	d.Once = p.word("approvals.once") == "true"
	d.Withhold = p.word("artifacts.withhold") == "true"
	d.Audit, d.Receipts = Level(p.word("audit")), Level(p.word("receipts"))
}

// verdict returns what the first rule of a layer that fits a finding does, and its index.
func (l *layer) verdict(f glovebox.Finding) (action, int) {
	for i := range l.doc.Findings {
		if l.doc.Findings[i].fits(f) {
			return l.doc.Findings[i].Action, i
		}
	}
	return actionAllow, -1
}

// findings decides on each name of findings by the strictest rule of all layers.
func (a *admission) findings() {
	if !slices.ContainsFunc(a.p.layers, func(l *layer) bool { return len(l.doc.Findings) > 0 }) {
		return
	}
	type result struct {
		action  action
		finding glovebox.Finding
		at      Place
		rule    string
		count   int
		against map[*layer]bool
	}
	var order []*result
	byName := map[string]*result{}
	for _, f := range a.f.findings {
		r := byName[f.Rule]
		if r == nil {
			r = &result{action: actionAllow, against: map[*layer]bool{}}
			byName[f.Rule] = r
			order = append(order, r)
		}
		for _, l := range a.p.layers {
			act, i := l.verdict(f)
			if act == actionAllow {
				continue
			}
			r.count++
			r.against[l] = true
			if rankOf(actions, act) > rankOf(actions, r.action) {
				r.action, r.finding, r.rule, r.at = act, f, fmt.Sprintf("findings[%d]", i), l.entry("findings", i).at
			}
		}
	}
	for _, r := range order {
		if r.action == actionAllow {
			continue
		}
		f := r.finding
		asked := "finding " + f.Rule
		if f.File != "" {
			asked += fmt.Sprintf(" at %s:%d:%d", f.File, f.Line, f.Column)
		}
		message := "The policy refuses code with this finding"
		if r.action == actionAsk {
			message = "A person must approve code with this finding"
		}
		if f.Message != "" {
			message += ": " + clean(f.Message)
		}
		d := glovebox.Denial{Rule: r.rule, Where: where(r.at), Asked: asked, Message: strings.TrimSuffix(message, ".") + ".", ByCode: true, Ask: r.action == actionAsk}
		if f.Rule != "" && printable(f.Rule) && !strings.Contains(f.Rule, "*") && len(f.Rule) < maxText {
			d.AllowWith = a.p.change(func(l *layer) string {
				if !r.against[l] {
					return ""
				}
				return "findings: [{rule: " + quote(f.Rule) + ", action: allow}]"
			}, "", 0)
		}
		a.refuse(d)
	}
}

// conditions evaluates all expressions. One that fails refuses.
func (a *admission) conditions() {
	var of *layer
	var vars map[string]any
	var tooLarge error
	digest := ""
	seen := *a.f
	for _, c := range a.p.conditions {
		if len(c.rule.Except) > 0 {
			if digest == "" {
				digest = a.f.digest()
			}
			if slices.Contains(c.rule.Except, digest) {
				continue
			}
		}
		if c.layer != of { // a layer's conditions see the limits of this layer and those above
			of = c.layer
			seen.limits = of.bounds.complete(a.f.limits)
			vars, tooLarge = bindings(&seen)
		}
		is, err := c.eval(vars, tooLarge)
		if !is && err == nil {
			continue
		}
		d := glovebox.Denial{Rule: c.rule.Name, Where: where(c.at), Asked: "job that meets " + c.rule.Name, Message: c.rule.Message, Ask: err == nil && c.action == actionAsk}
		switch {
		case err != nil:
			d.Asked = "job that the condition " + c.rule.Name + " cannot decide on"
			d.Message = "The condition failed, so the job is refused: " + clean(err.Error()) + "."
		case d.Message == "" && d.Ask:
			d.Message = fmt.Sprintf("A person must approve jobs with: %s.", clean(c.text))
		case d.Message == "":
			d.Message = fmt.Sprintf("The policy refuses jobs with: %s.", clean(c.text))
		}
		if digest == "" {
			digest = a.f.digest()
		}
		if digest != "" {
			except := append(slices.Clone(c.rule.Except), digest)
			d.AllowWith = a.p.changeOf(c.layer, "conditions: [{name: "+c.rule.Name+", except: "+flowList(except)+"}]")
		}
		a.refuse(d)
	}
}
