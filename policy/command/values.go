package command

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A kind is the type of a flag's value or of an operand: a name of kinds, or a list of
// literal values such as "json|text".
type kind string

const (
	kindPath    kind = "path"     // a file or directory of the workspace
	kindInput   kind = "input"    // a path, or - for the empty standard input
	kindWord    kind = "word"     // ASCII letters, digits and _ . , : + % @ -
	kindNumber  kind = "number"   // a whole number of at most nine digits
	kindPattern kind = "pattern"  // text that does not begin with a hyphen
	kindAny     kind = "any"      // any text
	kindHost    kind = "host"     // a host of the policy's list, with or without a port
	kindURL     kind = "url"      // an http or https URL of such a host
	kindRev     kind = "rev"      // a git revision, or a path of the workspace
	kindPackage kind = "package"  // a Go package pattern such as ./... or net/http
	kindArg     kind = "argument" // a plain word, a relative path or name=value
	kindFormat  kind = "format"   // a git format that does not verify signatures
	kindHeader  kind = "header"   // an HTTP header that does not name another host
	kindData    kind = "data"     // text for a request, not the name of a file
	kindScript  kind = "script"   // a sed script
	kindTarget  kind = "target"   // a target of make
	kindNone    kind = "none"
)

// oneOf is the kind of a value of a list. The first | tells it from the named kinds.
func oneOf(values []string) kind { return kind("|" + strings.Join(values, "|")) }

// fileKinds are the kinds that a tool policy may name.
var fileKinds = []kind{kindNone, kindPath, kindInput, kindWord, kindNumber, kindPattern, kindAny, kindHost, kindURL}

var (
	wordForm = regexp.MustCompile(`^[A-Za-z0-9_.,:+%][A-Za-z0-9_.,:+%@-]*$`)
	// git ignores a blank, plus or hyphen after the percent sign.
	signatureForm = regexp.MustCompile(`%[ +-]*G`)
	numberForm    = regexp.MustCompile(`^[0-9]{1,9}$`)
	argForm       = regexp.MustCompile(`^[A-Za-z0-9_.,:+%@=/-]+$`)
	packageForm   = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_./~+-]*$`)
	targetForm    = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_./+-]*$`)
	urlForm       = regexp.MustCompile(`^(https?)://([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(?:[/?#][^\[\]{}\\ ]*)?$`)
	hostForm      = regexp.MustCompile(`^([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?$`)
	schemeForm    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://|^(?i:file|data|ext|fd):`)
)

// value checks text, which stands in w, against a kind. What names its place.
func (a *arguments) value(k kind, w word, text, what string) *Refusal {
	no := func(why, instead string) *Refusal {
		r := w.bad(what, text, why)
		r.Instead = instead
		return r
	}
	form := func(re *regexp.Regexp, why, instead string) *Refusal {
		if !re.MatchString(text) {
			return no(why, instead)
		}
		return nil
	}
	switch k {
	case kindNone:
		return no("no value is allowed there", "leave the value out")
	case kindAny:
		return nil
	case kindPattern:
		if strings.HasPrefix(text, "-") {
			return no("the text begins with a hyphen, so that the program may take the text for a flag", `write \- in a pattern, or attach the value to its flag`)
		}
		return nil
	case kindInput:
		if text == "-" {
			return nil
		}
		return a.path(w, text, what)
	case kindPath:
		return a.path(w, text, what)
	case kindNumber:
		return form(numberForm, "the value is not a whole number", "write at most nine digits")
	case kindWord:
		return form(wordForm, "the value is not a plain word", "write letters, digits and _ . , : + % @ -")
	case kindArg:
		if strings.Contains(text, "..") {
			return no("the value has ..", "name the file from the root of the workspace")
		}
		return form(argForm, "the value is not a plain word", "write letters, digits and _ . , : + % @ = / -")
	case kindTarget:
		if strings.Contains(text, "=") {
			return no("a variable of make can hold commands", "name a target; set variables in the Makefile")
		}
		if r := form(targetForm, "the value is not a target's name", "write letters, digits and _ . / + -"); r != nil {
			return r
		}
		return a.path(w, text, what)
	case kindPackage:
		if text != "." && path.IsAbs(text) {
			return a.path(w, text, what)
		}
		if r := form(packageForm, "the value is not a package pattern", "write ./..., ./pkg, or an import path"); r != nil {
			return r
		}
		return a.path(w, text, what)
	case kindRev:
		return a.rev(w, text, what)
	case kindHost:
		m := hostForm.FindStringSubmatch(text)
		if m == nil {
			return no("the value is no host", "write a name such as api.example.com, or name:port")
		}
		if !a.hostAllowed(m[1], m[2], m[2] == "") {
			return a.refuseHost(w, text, what, m[1], m[2], m[2] == "")
		}
		return nil
	case kindURL:
		return a.url(w, text, what)
	case kindHeader:
		return a.header(w, text, what)
	case kindFormat:
		if signatureForm.MatchString(text) {
			return no("%G makes git start the program that verifies signatures", "leave %G out")
		}
		return nil
	case kindData:
		if strings.HasPrefix(text, "@") {
			return no("@ makes the program read a file", "write the data itself")
		}
		return nil
	case kindScript:
		if err := checkSed(text); err != nil {
			r := w.bad(what, text, err.Error())
			r.Instead = "use only the commands s p d q y = with line numbers, $ or /patterns/, separated by ;"
			return r
		}
		return nil
	}
	values := strings.Split(strings.TrimPrefix(string(k), "|"), "|")
	if text == "" || !slices.Contains(values, text) {
		return no("the value is not on the list", "write one of "+list(values))
	}
	return nil
}

// path checks that text names a file of the workspace.
func (a *arguments) path(w word, text, what string) *Refusal {
	why, instead := pathFault(text)
	if why == "" {
		return nil
	}
	r := w.bad(what, text, why)
	r.Instead = instead
	return r
}

func pathFault(text string) (why, instead string) {
	const inside = "name the file by its path from the root of the workspace, such as src/main.py"
	switch {
	case text == "":
		return "an empty text is no path", inside
	case strings.HasPrefix(text, "-"):
		return "a path that begins with a hyphen may be taken for a flag", "write ./ before the name"
	case strings.HasPrefix(text, "~"):
		return "~ stands for a home directory outside the workspace", inside
	case strings.HasPrefix(text, "@"):
		return "a name after @ may be read as a file of arguments", "write ./ before the name"
	case strings.ContainsFunc(text, lookAlike):
		return "the path has a character that looks like a hyphen, dot, slash or quote", "write the ASCII character, or rename the file"
	case strings.HasPrefix(text, ":"):
		return "a name after : has a meaning of its own for git", "write ./ before the name"
	case schemeForm.MatchString(text):
		return "a URL is no path", inside
	case strings.Contains(text, `\`):
		return `a path has no \`, "separate directories by /"
	case slices.Contains(strings.Split(text, "/"), ".."):
		return "a path with .. may leave the workspace", inside
	case path.IsAbs(text) && path.Clean(text) != workspace && !strings.HasPrefix(path.Clean(text), workspace+"/"):
		return "the path is outside the workspace", inside
	}
	return "", ""
}

// rev checks a git revision, a range of them, REV:PATH, or a path.
func (a *arguments) rev(w word, text, what string) *Refusal {
	for part := range strings.SplitSeq(text, ":") {
		if slices.Contains(strings.Split(part, "/"), "..") || strings.Contains(text, "::") {
			r := w.bad(what, text, "the argument may leave the workspace or name a remote helper")
			r.Instead = "name a revision such as HEAD~1 or main..dev, or a file"
			return r
		}
	}
	return a.path(w, text, what)
}

// url checks an http or https URL against the list of hosts.
func (a *arguments) url(w word, text, what string) *Refusal {
	m := urlForm.FindStringSubmatch(text)
	if m == nil {
		r := w.bad(what, text, "the value is not a plain http or https URL: no other scheme, credentials, IPv6 address, brackets, braces or spaces")
		r.Instead = "write https://HOST/PATH"
		return r
	}
	standard := map[string]string{"http": "80", "https": "443"}[m[1]]
	port := m[3]
	if port == "" {
		port = standard
	}
	if !a.hostAllowed(m[2], port, port == standard) {
		return a.refuseHost(w, text, what, m[2], port, port == standard)
	}
	return nil
}

// hostAllowed reports whether the policy lists a host. An entry without a port allows the
// standard port of the scheme.
func (a *arguments) hostAllowed(host, port string, standard bool) bool {
	host = strings.ToLower(host)
	for _, entry := range a.hosts {
		name, only, ported := strings.Cut(entry, ":")
		if ported && only != port || !ported && !standard {
			continue
		}
		suffix, wild := strings.CutPrefix(name, "*")
		if host == name || wild && strings.HasSuffix(host, suffix) && len(host) > len(suffix) && host[0] != '.' {
			return true
		}
	}
	return false
}

func (a *arguments) refuseHost(w word, text, what, host, port string, standard bool) *Refusal {
	r := w.bad(what, text, "the tool policy does not list this host and port")
	r.Instead = "use a host of the list: " + list(a.hosts)
	entry := strings.ToLower(host)
	if !standard {
		entry += ":" + port
	}
	if hostEntry(entry) {
		r.allowWith = fmt.Sprintf("hosts: [%q]", entry)
	}
	return r
}

// header checks an HTTP header: a name, a colon, a text.
func (a *arguments) header(w word, text, what string) *Refusal {
	name, _, ok := strings.Cut(text, ":")
	refused := []string{"host", "proxy-authorization", "proxy-connection", "connection", "transfer-encoding", "content-length", "upgrade", "forwarded", "x-forwarded-host"}
	bad := !ok || name == "" || strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && (c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c))
	})
	if !bad && !slices.Contains(refused, strings.ToLower(name)) {
		return nil
	}
	r := w.bad(what, text, "only a header of the form Name: text that does not change where the request goes is allowed")
	r.Instead = "write a header such as 'Accept: application/json'"
	return r
}

// hostEntry reports whether text is an entry of the list of hosts: a name or *.name, with
// or without a port, in lower case.
func hostEntry(text string) bool {
	m := hostForm.FindStringSubmatch(strings.TrimPrefix(text, "*."))
	if m == nil || strings.ToLower(text) != text {
		return false
	}
	for label := range strings.SplitSeq(m[1], ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return !strings.HasPrefix(text, "*.") || strings.Contains(m[1], ".")
}
