package redact

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// row is one text of the corpora: one that holds a secret, or one that only
// looks as if.
type row struct {
	corpus, rule string
	index        int // among the rule's texts of its kind
	text         string
	secret       bool
	// want, if known, is what must not be left of text.
	want []string
}

func (r row) String() string {
	sign := "-"
	if r.secret {
		sign = "+"
	}
	return fmt.Sprintf("%s%s[%d]", r.rule, sign, r.index)
}

// corpora returns the directory of the corpora, or skips the test.
func corpora(t testing.TB, name string) string {
	dir := os.Getenv("GLOVEBOX_CORPORA")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for filepath.Dir(root) != root {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "corpora")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("corpus %s is not here (set GLOVEBOX_CORPORA): %v", name, err)
	}
	return path
}

func readRows[T any](t testing.TB, path string) []T {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); {
		var one T
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// noseyRule is a line of the corpus noseyparker-rules.
type noseyRule struct {
	ID       string   `json:"id"`
	Pattern  string   `json:"pattern"`
	Examples []string `json:"examples"`
	Negative []string `json:"negative_examples"`
	re       *regexp.Regexp
}

func noseyRules(t testing.TB) []noseyRule {
	rules := readRows[noseyRule](t, corpora(t, "secrets/noseyparker-rules.jsonl.gz"))
	for i := range rules {
		rules[i].re = regexp.MustCompile(plainPattern(rules[i].Pattern))
	}
	return rules
}

// plainPattern rewrites a pattern in extended syntax, (?x), which Go lacks.
func plainPattern(p string) string {
	p = strings.TrimSpace(p)
	flags := ""
	extended := false
	for {
		m := regexp.MustCompile(`^\(\?([a-z]+)\)\s*`).FindStringSubmatch(p)
		if m == nil {
			break
		}
		p = p[len(m[0]):]
		extended = extended || strings.Contains(m[1], "x")
		flags += strings.ReplaceAll(m[1], "x", "")
	}
	if extended {
		p = regexp.MustCompile(`\(\?#[^)]*\)`).ReplaceAllString(p, "")
		var b strings.Builder
		class := false
		for i := 0; i < len(p); i++ {
			switch c := p[i]; {
			case c == '\\' && i+1 < len(p):
				b.WriteString(p[i : i+2])
				i++
			case c == '[' && !class:
				class = true
				b.WriteByte(c)
			case c == ']' && class:
				class = false
				b.WriteByte(c)
			case class:
				b.WriteByte(c)
			case c == '#':
				for i < len(p) && p[i] != '\n' {
					i++
				}
			case strings.IndexByte(" \t\r\n", c) >= 0:
			default:
				b.WriteByte(c)
			}
		}
		p = b.String()
	}
	// Spaces in counts, {1, 5}, and escapes and counts that Go does not know.
	p = regexp.MustCompile(`\{(\d+), +(\d+)\}`).ReplaceAllString(p, "{$1,$2}")
	p = strings.NewReplacer(`\ `, ` `, `\_`, `_`, `\"`, `"`, `\'`, `'`, `\#`, `#`, `\<`, `<`, `\>`, `>`, `{20,1024}`, `{20,}`).Replace(p)
	if flags != "" {
		p = "(?" + flags + ")" + p
	}
	return p
}

func secretRows(t testing.TB) []row {
	var all []row
	for _, r := range readRows[struct {
		Rule  string   `json:"rule"`
		True  []string `json:"true_positives"`
		False []string `json:"false_positives"`
	}](t, corpora(t, "secrets/gitleaks-cases.jsonl.gz")) {
		for i, s := range r.True {
			all = append(all, row{corpus: "gitleaks", rule: r.Rule, index: i, text: s, secret: true})
		}
		for i, s := range r.False {
			all = append(all, row{corpus: "gitleaks", rule: r.Rule, index: i, text: s})
		}
	}
	for _, r := range noseyRules(t) {
		for i, s := range r.Examples {
			one := row{corpus: "noseyparker", rule: r.ID, index: i, text: s, secret: true}
			if m := r.re.FindStringSubmatch(s); len(m) > 1 {
				one.want = m[1:]
			}
			all = append(all, one)
		}
		for i, s := range r.Negative {
			all = append(all, row{corpus: "noseyparker", rule: r.ID, index: i, text: s})
		}
	}
	return all
}

// byHand are rows that are pieces of expressions, too, though no pattern of
// fragments tells: the source joins them with a generated secret.
var byHand = map[string]string{
	"easypost-api-token+[1]":      "a URL cut where the token is generated",
	"easypost-test-api-token+[1]": "a URL cut where the token is generated",
	"sentry-org-token+[4]":        "what follows a generated token",
}

// fragments tell a short row that is a piece of the corpus' source code and not
// a whole text. None of them looks at what the redactor does.
var fragments = []struct {
	why string
	re  *regexp.Regexp
}{
	{"shorter than ten bytes", regexp.MustCompile(`^\s*\S?.{0,8}\s*$`)},
	{"the name of a file", regexp.MustCompile(`(?i)^[\w./-]+\.(?:php|tf|hcl|ya?ml|html|xml|config|p\d+|p12\w*|pfx|sh|p126\.html)$`)},
	{"a name and an operator without a value", regexp.MustCompile(`^\s*["'\w .-]{1,50}[:=]\s*$`)},
	{"a URL without its last part", regexp.MustCompile(`^(?:https?://)?[\w.-]+/[\w.-]+/$|^https?://\S+[?&]\w+=$`)},
	{"a string alone, the value of another row", regexp.MustCompile(`^"[^"]*"$`)},
	{"ends within a string", regexp.MustCompile(`^[^"]*"(?:[^"]*"[^"]*")*[^"]*$`)},
}

func fragment(r row) string {
	if why := byHand[r.String()]; why != "" {
		return why
	}
	if r.corpus != "gitleaks" {
		return "" // Nosey Parker's rows are whole
	}
	for _, f := range fragments {
		if len(r.text) <= 60 && f.re.MatchString(r.text) {
			return f.why
		}
	}
	return ""
}

// identifiers are rules of Nosey Parker whose finds name something and open
// nothing: public keys, buckets, domains, user names.
var identifiers = map[string]bool{
	"np.age.1": true, "np.aws.3": true, "np.s3.1": true, "np.s3.2": true, "np.arn.1": true, "np.gcs.1": true, "np.gcs.2": true,
	"np.github.5": true, "np.google.1": true, "np.linkedin.1": true, "np.reactapp.1": true, "np.shopify.1": true, "np.twitter.1": true,
}

// redacted tells whether what makes r a secret is gone from out.
func redacted(r row, out string) bool {
	if len(r.want) == 0 || !r.secret {
		return out != r.text
	}
	out = regexp.MustCompile(`\[redacted:[^]]*\]`).ReplaceAllString(out, "")
	for _, w := range r.want {
		if w != "" && strings.Count(out, w) < strings.Count(r.text, w) {
			return true
		}
	}
	return false
}

// TestCorpora makes the figures of docs/redaction.md.
func TestCorpora(t *testing.T) {
	rows := secretRows(t)
	rules := noseyRules(t)
	truths := map[string]bool{}
	for _, r := range rows {
		if r.secret {
			truths[r.text] = true
		}
	}
	// isSecret tells whether a row that is false for its own rule holds a
	// secret all the same, by the corpora's own word.
	isSecret := func(r row) string {
		if truths[r.text] {
			return "a true positive of another rule"
		}
		for _, n := range rules {
			if n.ID != r.rule && !identifiers[n.ID] && n.re.MatchString(r.text) {
				return n.ID + " finds a secret in it"
			}
		}
		for _, word := range strings.Fields(r.text) {
			if u, err := url.Parse(word); err == nil && u.User != nil {
				if _, set := u.User.Password(); set {
					return "a URL with a password"
				}
			}
		}
		return ""
	}
	type figure struct{ rows, hit int }
	var secrets, names, falses, left, other figure
	corpus := map[string]*[2]figure{"gitleaks": {}, "noseyparker": {}}
	for _, r := range rows {
		out := New(Config{}).String("corpus", r.text)
		hit := 0
		if redacted(r, out) {
			hit = 1
		}
		add := func(f *figure) { f.rows++; f.hit += hit }
		if why := fragment(r); why != "" {
			add(&left)
			if hit == 1 {
				t.Logf("fragment, redacted all the same: %v (%s)", r, why)
			}
			continue
		}
		switch {
		case r.secret && identifiers[r.rule]:
			add(&names)
		case r.secret:
			add(&secrets)
			add(&corpus[r.corpus][0])
			if hit == 0 {
				t.Logf("missed: %v", r)
			}
		default:
			if why := isSecret(r); why != "" {
				add(&other)
				continue
			}
			add(&falses)
			add(&corpus[r.corpus][1])
			if hit == 1 {
				t.Logf("false alarm: %v: %s", r, out[strings.Index(out, "[redacted"):])
			}
		}
	}
	percent := func(f figure) float64 { return 100 * float64(f.hit) / float64(f.rows) }
	for name, f := range corpus {
		t.Logf("%s: %d of %d secrets redacted (%.1f %%), %d of %d false ones (%.1f %%)", name,
			f[0].hit, f[0].rows, percent(f[0]), f[1].hit, f[1].rows, percent(f[1]))
	}
	both := figure{secrets.rows + names.rows, secrets.hit + names.hit}
	t.Logf("together: %d of %d secrets (%.1f %%); with the identifiers %d of %d (%.1f %%)", secrets.hit, secrets.rows, percent(secrets), both.hit, both.rows, percent(both))
	t.Logf("together: %d of %d false ones (%.1f %%)", falses.hit, falses.rows, percent(falses))
	t.Logf("not counted: %d fragments; %d false rows that hold another rule's secret, of which %d are redacted", left.rows, other.rows, other.hit)
	if percent(secrets) < 95 || percent(both) < 95 {
		t.Errorf("%.1f %% of the secrets are redacted, %.1f %% with the identifiers; want 95 %%", percent(secrets), percent(both))
	}
	if percent(falses) > 2.5 {
		t.Errorf("%.1f %% of the false ones are redacted; want at most 2.5 %%", percent(falses))
	}
}
