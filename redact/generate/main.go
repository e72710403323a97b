// Command generate writes the rules of package redact that come from a public rule
// set, betterleaks (MIT), so that updates of the set replace our own upkeep:
//
//	go generate ./redact
//
// The Go command fetches the set, at the version below and under the checksum of
// the version. To update, change both, run the command and the tests of package
// redact, and read the difference.
//
// Two kinds of rules are taken: rules with an expression that begins with a
// literal, which becomes the key, and rules in the usual form of "a service's name,
// an operator, a value". The others need a program of their own or a second rule,
// or match harmless values: the command lists them on standard error.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

const (
	module  = "github.com/betterleaks/betterleaks"
	version = "v1.8.1"
	sum     = "h1:tTSQAdQe+S4MF69o6VtpRDlml1b73F1xNUUA3PcrHiI="
)

// source is a rule of the set, limited to the fields in use.
type source struct {
	ID         string   `toml:"id"`
	Regex      string   `toml:"regex"`
	Keywords   []string `toml:"keywords"`
	Filter     string   `toml:"filter"`
	SkipReport bool     `toml:"skipReport"` // the rule only supports another rule
}

// target is a rule of package redact.
type target struct {
	id    string
	keys  []string
	exact bool
	left  bool // no letter or digit directly before the match
	word  bool // no letter directly before the match
	re    string
	bits  float64
	span  int
	tail  bool
}

func main() {
	log.SetFlags(0)
	dir, err := fetch()
	if err != nil {
		log.Fatal(err)
	}
	rules, err := read(filepath.Join(dir, "config", "betterleaks.toml"))
	if err != nil {
		log.Fatal(err)
	}
	text, err := render(rules)
	if err != nil {
		log.Fatal(err)
	}
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range map[string][]byte{"rules_generated.go": text, "betterleaks.LICENSE": licence} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// fetch returns the directory of the set.
func fetch() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("fetch %s@%s: %w", module, version, err)
	}
	var m struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	if m.Sum != sum {
		return "", fmt.Errorf("%s@%s has the checksum %s, not %s", module, version, m.Sum, sum)
	}
	return m.Dir, nil
}

// read returns the usable rules of the set.
func read(file string) ([]target, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var set struct {
		Rules []source `toml:"rules"`
	}
	if err := toml.Unmarshal(b, &set); err != nil {
		return nil, err
	}
	var taken []target
	for _, s := range set.Rules {
		if s.SkipReport {
			continue
		}
		t, why := convert(s)
		if why != "" {
			log.Printf("left out: %-50s %s", s.ID, why)
			continue
		}
		taken = append(taken, t)
	}
	return taken, nil
}

// ours are rules for which package redact has a wider or safer form.
var ours = []string{"generic-", "private-key", "jwt", "curl-", "kubernetes-secret", "aws-access-token", "gcp-api-key", "gcp-service-account", "mongodb-connection-string", "openshift-user-token"}

// opensNothing are identifiers and keys intended to be public.
var opensNothing = regexp.MustCompile(`client-id|-id$|public-key|publishable|-pub-|project-api-key`)

func convert(s source) (t target, why string) {
	if opensNothing.MatchString(s.ID) {
		return t, "it opens nothing"
	}
	for _, own := range ours {
		if strings.HasPrefix(s.ID, own) {
			return t, "package redact has its own"
		}
	}
	t.id, t.bits = name(s.ID), entropy(s.Filter)
	if m := assigned.FindStringSubmatch(s.Regex); m != nil {
		return t, t.assigned(m[1], m[2])
	}
	return t, t.literal(s.Regex)
}

// name is a rule's id without the number of its variant.
func name(id string) string {
	return regexp.MustCompile(`\.\d+$`).ReplaceAllString(id, "")
}

var threshold = regexp.MustCompile(`entropy\(finding\["secret"\]\) <=? (\d\.\d+)`)

// entropy is the least entropy of a secret. The set's own minimum exceeds the
// entropy of some random secrets of the same length.
func entropy(filter string) float64 {
	bits := 2.5
	if m := threshold.FindStringSubmatch(filter); m != nil {
		bits, _ = strconv.ParseFloat(m[1], 64)
	}
	return min(bits, 3)
}

// assigned is the form of a rule for a value assigned to a name.
var assigned = regexp.MustCompile(`^(.+?)\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'"\]\{0,3\}\)?\(\?:=\|>\|:\{1,3\}=\|\\\|\\\|\|:\|=>\|\\\?=\|,\)\[\\x60'"\\s=\]\{0,5\}\((.+)\)\(\?:\\\\\?\['"\\x60\]\|\[\\s;\]\|\\\\\[nr\]\|\$\)$`)

// ordinary are names of values that are not secret.
var ordinary = []string{"key", "secret", "token", "api", "app", "access", "client", "consumer", "password", "id", "auth", "account", "project", "public"}

// assigned makes a rule from the name and the value of an assignment.
func (t *target) assigned(name, value string) (why string) {
	fold := strings.HasPrefix(name, "(?i")
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "(?i)"), "(?i:"), `[\w.-]{0,50}?`)
	re, err := syntax.Parse("(?i:"+name+")", syntax.Perl)
	if err != nil {
		return err.Error()
	}
	keys, ok := prefixes(re)
	if !ok || !fold {
		return "its name does not begin with a literal"
	}
	for i, k := range keys {
		keys[i] = strings.ToLower(k)
		if slices.Contains(ordinary, strings.Trim(keys[i], "_-. ")) || len(k) < 4 {
			return "its name is an ordinary word: " + k
		}
		t.word = t.word || len(k) < 6
	}
	if _, err := syntax.Parse(value, syntax.Perl); err != nil {
		return err.Error()
	}
	t.keys = unique(keys)
	t.re = `(?i:` + name + `)(?:[ \t\w.-]{0,20})[\s'"\])]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[ \t]{0,20}[\x60'"\s=]{0,5}((?i:` + value + `))(?:[\x60'"\s;,<&)\]}]|\\[nr"']|$)`
	return ""
}

// literal makes a rule from an expression that begins with a literal.
func (t *target) literal(expr string) (why string) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return err.Error()
	}
	re = ascii(core(re))
	if re.MaxCap() > 1 || len(re.CapNames()) > 1 && re.CapNames()[1] != "" {
		return "it has several groups"
	}
	keys, ok := prefixes(re)
	if !ok {
		return "it does not begin with a literal"
	}
	t.exact, t.left = true, true
	for _, k := range keys {
		if len(k) < 3 || len(k) == 3 && letters(k) {
			return "its literal is too short: " + k
		}
		if strings.HasPrefix(strings.ToLower(k), "http") {
			return "its literal stands in every address"
		}
	}
	if folded(re) {
		t.exact = false
		for i := range keys {
			keys[i] = strings.ToLower(keys[i])
		}
	}
	t.keys = unique(keys)
	most := longest(re)
	t.span, t.tail = min(most+16, 4096), most >= 4096
	t.re = re.String()
	if re.MaxCap() == 0 {
		t.re = "(" + t.re + ")"
	}
	if !t.tail {
		t.re += `(?:[^0-9A-Za-z_.]|\.(?:[^0-9A-Za-z]|$)|$)`
	}
	return ""
}

// letters reports whether k consists of letters and digits.
func letters(k string) bool {
	return !strings.ContainsFunc(k, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r > 0x7e })
}

// ascii removes the two letters that only case folding adds to the classes of re:
// the long s and the Kelvin sign.
func ascii(re *syntax.Regexp) *syntax.Regexp {
	if n := len(re.Rune); re.Op == syntax.OpCharClass && n > 0 && re.Rune[n-1] == '\u212a' {
		re.Rune = re.Rune[:n-2]
		if n = len(re.Rune); n > 0 && re.Rune[n-1] == '\u017f' {
			re.Rune = re.Rune[:n-2]
		}
	} else if re.Op == syntax.OpCharClass && n > 0 && re.Rune[n-1] == '\u017f' {
		re.Rune = re.Rune[:n-2]
	}
	for _, s := range re.Sub {
		ascii(s)
	}
	return re
}

// core is an expression without the boundaries around the secret: package redact
// has its own boundaries, with more known neighbours.
func core(re *syntax.Regexp) *syntax.Regexp {
	if re.Op != syntax.OpConcat {
		return re
	}
	sub := slices.Clone(re.Sub)
	for len(sub) > 1 && (sub[0].Op == syntax.OpWordBoundary || sub[0].Op == syntax.OpAlternate && optional(sub[0])) {
		sub = sub[1:]
	}
	for n := len(sub); n > 1 && (sub[n-1].Op == syntax.OpWordBoundary || sub[n-1].Op == syntax.OpAlternate && optional(sub[n-1])); n = len(sub) {
		sub = sub[:n-1]
	}
	if len(sub) == 1 {
		if sub[0].Op == syntax.OpCapture {
			return core(sub[0].Sub[0])
		}
		return core(sub[0])
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: sub, Flags: re.Flags}
}

// optional reports whether an alternative of re is the start or the end of the
// text.
func optional(re *syntax.Regexp) bool {
	return slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool {
		switch s.Op {
		case syntax.OpBeginText, syntax.OpBeginLine, syntax.OpEndText, syntax.OpEndLine:
			return true
		}
		return false
	})
}

// maxKeys bounds the literals of a rule.
const maxKeys = 24

// prefixes returns a set of literals. Every match of re begins with one of them.
func prefixes(re *syntax.Regexp) ([]string, bool) {
	keys, _, ok := literals(re)
	return keys, ok && len(keys) > 0 && !slices.Contains(keys, "")
}

// literals returns the possible beginnings of a match of re. whole reports that the
// literals are complete matches.
func literals(re *syntax.Regexp) (keys []string, whole, ok bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary:
		return []string{""}, true, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, true, true
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if len(keys) == 4 || r > 0x7e {
					return []string{""}, false, true
				}
				keys = append(keys, string(r))
			}
		}
		return keys, true, true
	case syntax.OpAlternate:
		whole = true
		for _, s := range re.Sub {
			more, all, ok := literals(s)
			if keys = append(keys, more...); !ok || len(keys) > maxKeys {
				return nil, false, false
			}
			whole = whole && all
		}
		return keys, whole, true
	case syntax.OpQuest:
		more, all, ok := literals(re.Sub[0])
		return append(more, ""), all, ok
	case syntax.OpConcat:
		keys, whole = []string{""}, true
		for _, s := range re.Sub {
			more, all, ok := literals(s)
			if !ok || len(more)*len(keys) > maxKeys {
				return keys, false, true
			}
			var next []string
			for _, k := range keys {
				for _, m := range more {
					next = append(next, k+m)
				}
			}
			if keys, whole = next, whole && all; !all {
				return keys, false, true
			}
		}
		return keys, whole, true
	}
	return []string{""}, false, true
}

// folded reports whether the literal of re ignores case.
func folded(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Flags&syntax.FoldCase != 0
	case syntax.OpCapture, syntax.OpConcat, syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub[:1], folded)
	}
	return false
}

// longest returns the maximum length of a match in bytes, or 4096.
func longest(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = len(string(re.Rune))
	case syntax.OpCharClass:
		n = 1
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 4
	case syntax.OpAlternate:
		for _, s := range re.Sub {
			n = max(n, longest(s))
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpQuest:
		for _, s := range re.Sub {
			n += longest(s)
		}
	case syntax.OpRepeat:
		if n = 4096; re.Max >= 0 {
			n = re.Max * longest(re.Sub[0])
		}
	case syntax.OpStar, syntax.OpPlus:
		n = 4096
	}
	return min(n, 4096)
}

func unique(keys []string) []string {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// render writes the rules as Go.
func render(rules []target) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `// Code generated by redact/generate from %s %s; DO NOT EDIT.
// That set is under the MIT licence: see betterleaks.LICENSE.

package redact

// generatedRules are secrets of services, from a public rule set.
func generatedRules() []*rule {
	return []*rule{
`, module, version)
	for _, r := range rules {
		fmt.Fprintf(&b, "{id: %q, keys: %#v, bits: %v, ", r.id, r.keys, r.bits)
		if r.exact {
			b.WriteString("exact: true, ")
		}
		if r.left {
			b.WriteString("left: alnum, ")
		} else {
			b.WriteString("not: noDigit, ")
		}
		if r.word {
			b.WriteString("left: letters, ")
		}
		if r.span > 256 {
			fmt.Fprintf(&b, "span: %d, ", r.span)
		}
		if r.tail {
			b.WriteString("tail: base64s.swallow, ")
		}
		quoted := "`" + r.re + "`"
		if strings.Contains(r.re, "`") {
			quoted = strconv.Quote(r.re)
		}
		fmt.Fprintf(&b, "re: %s},\n", quoted)
	}
	b.WriteString("}\n}\n")
	return format.Source(b.Bytes())
}
